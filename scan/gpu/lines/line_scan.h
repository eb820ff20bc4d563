// SPDX-License-Identifier: MIT
// Counting the lines of a text in device memory that an automaton accepts, enqueued on a stream, in
// the manner of presso/gpu_batch.h: ask for the size of the temporary memory, then call. Nothing
// here allocates, synchronises or copies between host and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "scan/gpu/lines/line_table.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

struct LineScanRequest {
  const Byte* d_text = nullptr;  ///< 16-byte aligned; nothing outside of the text is read
  std::uint64_t bytes = 0;
  LineTableView table;  ///< of lay_out(), with d_image set
  /// Where to put the automaton's state after the text. nullptr: the text ends a line, and an
  /// unfinished last line counts.
  std::uint32_t* d_state_out = nullptr;
  std::uint64_t* d_lines = nullptr;  ///< the number of matching lines that end here is added
  /// If wanted: line_mark_bytes() of zeroes, in which a bit is set for each byte of the text that
  /// is the '\n' of a matching line, and for the end of the text where that ends one.
  std::uint32_t* d_marks = nullptr;
  void* d_temporary = nullptr;  ///< 256-byte aligned
  std::size_t temporary_bytes = 0;
};

/// Enough for texts of up to so many bytes.
std::size_t line_scan_temporary_bytes(std::uint64_t text_bytes);
std::size_t line_mark_bytes(std::uint64_t text_bytes);

/// Errors: kInvalidArgument (memory too small or misaligned), kNoDevice, kDeviceLost. An empty text
/// changes nothing.
Status scan_lines(const LineScanRequest& request, CUstream_st* stream);

}  // namespace presso::gpu
