// SPDX-License-Identifier: MIT
// Gathers small pieces on their way to a file, so that they are written together: a query whose
// condition few rows fulfil has batches of a few bytes. A gathered piece is copied once; larger
// pieces are passed through. Tested through the answers in tests/cli/test_select.py.
#pragma once

#include "presso/byte_stream.h"

namespace presso::cli {

/// Writes at least 64 KiB at a time. Not thread-safe. What has not been flushed when it is
/// destroyed is lost, so the owner has to flush at the end.
class GatheredSink final : public ByteSink {
 public:
  /// Keeps `to` by reference.
  explicit GatheredSink(ByteSink& to) : to_(to) {}

  Status write(Bytes bytes) override {
    if (waiting_.empty() && bytes.size() >= kWrittenBytes) return to_.write(bytes);
    waiting_.append(bytes);
    return waiting_.size() >= kWrittenBytes ? flush() : Status();
  }
  /// Writes out what waits; to be called after the last write, or when a reader waits.
  Status flush() {
    if (waiting_.empty()) return {};
    const Status written = to_.write(waiting_.bytes());
    waiting_.clear();
    return written;
  }

 private:
  static constexpr std::size_t kWrittenBytes = 64u << 10;

  ByteSink& to_;
  Buffer waiting_;
};

}  // namespace presso::cli
