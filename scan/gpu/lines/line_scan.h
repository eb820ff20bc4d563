// SPDX-License-Identifier: MIT
// Counting the matching lines of a text in device memory, and marking their ends: what all engines
// share (the automaton of line_table.h here, engines for literals in scan/gpu/literals). Everything
// is enqueued on a stream, in the manner of presso/gpu_batch.h: ask for the size of the temporary
// memory, then call. Nothing allocates, synchronises or copies between host and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "scan/gpu/lines/line_table.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

/// The text and where results go, for every engine. Trivially copyable: kernels' arguments begin
/// with it.
struct LineScan {
  const Byte* d_text = nullptr;  ///< 16-byte aligned; begins a line; nothing outside of it is read
  std::uint64_t bytes = 0;
  bool ends_line = true;             ///< whether an unfinished last line counts
  std::uint64_t* d_lines = nullptr;  ///< the number of matching lines is added
  /// nullptr, or line_mark_bytes() of zeroes, in which a bit is set for each byte of the text that
  /// is the '\n' of a matching line, and bit `bytes` where the unfinished last line matches and
  /// counts.
  std::uint32_t* d_marks = nullptr;
};

/// Device memory to work in. Its contents are unspecified before and after a scan.
struct TemporaryMemory {
  void* d_memory = nullptr;  ///< 256-byte aligned
  std::size_t bytes = 0;
};

/// The bytes that LineScan::d_marks needs: one bit for each byte of text and one for its end.
std::size_t line_mark_bytes(std::uint64_t text_bytes);

/// The device memory that scan_lines() needs for texts of up to `text_bytes` bytes.
std::size_t scan_temporary_bytes(const LineTableView& table, std::uint64_t text_bytes);

/// Searches by an automaton: `table` is one of lay_out(), with d_image set. An empty text changes
/// nothing. Errors: kInvalidArgument (memory too small or misaligned), kNoDevice, kDeviceLost.
Status scan_lines(const LineScan& scan, const LineTableView& table,
                  const TemporaryMemory& temporary, CUstream_st* stream);

/// The checks that all engines share: alignment, room and pointers. Error: kInvalidArgument.
Status check_scan(const LineScan& scan, const TemporaryMemory& temporary, std::size_t least_bytes);

}  // namespace presso::gpu
