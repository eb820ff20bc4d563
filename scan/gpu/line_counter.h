// SPDX-License-Identifier: MIT
// Counts matching lines of a text that comes in pieces of device memory, such as batches of blocks
// that have just been decoded: lines go on from piece to piece. Owns the automaton on the device
// and all memory that a scan needs; enqueues, and never waits.
//
//   PRESSO_ASSIGN(LineCounter counter, LineCounter::open(memory, dfa.view(), largest, stream));
//   PRESSO_TRY(counter.add(d_first, first_bytes, false, stream));
//   PRESSO_TRY(counter.add(d_last, last_bytes, true, stream));
//   // in stream order, *counter.d_lines() is the number
#pragma once

#include "decompress/gpu/runtime/memory.h"
#include "scan/gpu/lines/line_scan.h"

namespace presso::gpu {

class LineCounter {
 public:
  /// For pieces of up to `largest_bytes`. `memory` outlives the counter, and the counter what is
  /// enqueued on `stream`. Errors: kInvalidArgument, kDeviceMemory, kDeviceLost.
  static Result<LineCounter> open(Memory& memory, const scan_detail::LineDfaView& dfa,
                                  std::uint64_t largest_bytes, Stream stream);

  /// The next piece, 16-byte aligned; `is_last`: the text ends with it, and the next one begins a
  /// text; then it is not empty, since whether its last line is finished is seen there. All pieces
  /// on one stream, or on streams that wait for each other. Errors as scan_lines.
  Status add(const Byte* d_text, std::uint64_t bytes, bool is_last, Stream stream);

  /// Of all texts so far.
  const std::uint64_t* d_lines() const { return request_.d_lines; }

 private:
  LineTable table_;  ///< until it is copied
  DeviceMemory image_, words_, temporary_;
  LineScanRequest request_;
  std::uint32_t* d_states_ = nullptr;  ///< two, used in turn
  bool is_inside_ = false;             ///< of a text
  std::uint32_t turn_ = 0;
};

}  // namespace presso::gpu
