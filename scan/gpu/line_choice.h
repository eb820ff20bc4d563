// SPDX-License-Identifier: MIT
// Choosing between two layouts of one automaton by the text, on the device: the host need not know.
#pragma once

#include "scan/gpu/lines/line_scan.h"

namespace presso::gpu {

/// By kBytes, or by kShared where lanes would get into each other's way in the banks of shared
/// memory: looks at kBankSamples places of the text first. Both requests are complete, of the same
/// automaton, text and results, but for gates and tables; they may share their temporary memory.
/// `d_choice` is a word of device memory. Errors as scan_lines, and kInvalidArgument for other
/// layouts. A text of up to kBankSamples tiles is not looked at.
Status scan_lines_by_sample(LineScanRequest bytes, LineScanRequest classes, std::uint32_t* d_choice,
                            CUstream_st* stream);

constexpr std::uint32_t kBankSamples = 128;

}  // namespace presso::gpu
