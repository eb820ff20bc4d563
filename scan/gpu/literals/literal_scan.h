// SPDX-License-Identifier: MIT
// Counting the lines of a text in device memory that hold one of a few literals, enqueued on a
// stream; as line_scan.h otherwise. For more literals, or with literals in every line, an automaton
// is faster.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "scan/gpu/literals/literal_table.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

struct LiteralScanRequest {
  const Byte* d_text = nullptr;  ///< 16-byte aligned, whole lines; nothing outside is read
  std::uint64_t bytes = 0;
  LiteralTableView table;            ///< of lay_out_literals(), with d_image set
  std::uint64_t* d_lines = nullptr;  ///< the number of matching lines is added
  void* d_temporary = nullptr;
  std::size_t temporary_bytes = 0;
};

std::size_t literal_scan_temporary_bytes(std::uint64_t text_bytes);

/// Errors: kInvalidArgument (memory too small or misaligned), kNoDevice, kDeviceLost.
Status scan_literals(const LiteralScanRequest& request, CUstream_st* stream);

}  // namespace presso::gpu
