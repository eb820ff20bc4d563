// SPDX-License-Identifier: MIT
// Counting the lines of a text in device memory that hold one of a few literals, enqueued on a
// stream; as line_scan.h otherwise. For more literals, or with literals in every line, an automaton
// is faster.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "scan/gpu/gate.h"
#include "scan/gpu/lines/line_scan.h"
#include "scan/gpu/literals/literal_table.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

struct LiteralScanRequest {
  const Byte* d_text = nullptr;  ///< 16-byte aligned, whole lines; nothing outside is read
  std::uint64_t bytes = 0;
  LiteralTableView table;            ///< of lay_out_literals(), with d_image set
  std::uint64_t* d_lines = nullptr;  ///< the number of matching lines is added
  Gate gate;                         ///< of all kernels
  void* d_temporary = nullptr;
  std::size_t temporary_bytes = 0;
};

std::size_t literal_scan_temporary_bytes(std::uint64_t text_bytes);

/// Errors: kInvalidArgument (memory too small or misaligned), kNoDevice, kDeviceLost.
Status scan_literals(const LiteralScanRequest& request, CUstream_st* stream);

/// Of kSampledSteps steps of the text, of 2,048 bytes each, evenly spread: leaves in `d_choice`, a
/// word of device memory, how many hold something like a literal, for up to three of them. Errors
/// as above, and kInvalidArgument for more.
constexpr std::uint32_t kSampledSteps = 512;
Status sample_literals(const LiteralScanRequest& literals, std::uint32_t* d_choice,
                       CUstream_st* stream);

/// By whichever engine suits the text: looks at 512 steps of it and takes the literals where they
/// are rare there, else `lines`, the automaton of the same literals, whose result it must add to.
/// Both requests are complete, but for gates and the table's; `d_choice` is a word of device
/// memory.
Status scan_literals_or_lines(LiteralScanRequest literals, LineScanRequest lines,
                              std::uint32_t* d_choice, CUstream_st* stream);

}  // namespace presso::gpu
