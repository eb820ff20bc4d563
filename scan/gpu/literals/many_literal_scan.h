// SPDX-License-Identifier: MIT
// Counting the lines of a text in device memory that hold one of many literals, 10,000 and more,
// of any lengths, enqueued on a stream; as literal_scan.h otherwise. For up to some hundred, or
// where most of the text is hits, an automaton may be faster; this engine is complete without one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "scan/gpu/literals/many_literal_table.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

struct ManyLiteralScanRequest {
  const Byte* d_text = nullptr;  ///< 16-byte aligned, whole lines; nothing outside is read
  std::uint64_t bytes = 0;
  ManyLiteralTableView table;        ///< of lay_out_many_literals(), with d_image set
  std::uint64_t* d_lines = nullptr;  ///< the number of matching lines is added
  void* d_temporary = nullptr;
  std::size_t temporary_bytes = 0;
};

std::size_t many_literal_scan_temporary_bytes(std::uint64_t text_bytes);

/// Errors: kInvalidArgument (memory too small or misaligned), kNoDevice, kDeviceLost.
Status scan_many_literals(const ManyLiteralScanRequest& request, CUstream_st* stream);

}  // namespace presso::gpu
