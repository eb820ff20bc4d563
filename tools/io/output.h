// SPDX-License-Identifier: MIT
// Standard output as scan needs it: gathered in large pieces, with errors remembered and a closed
// pipe told from a full disk. Tested by tests/cli/test_scan_output.py.
#pragma once

#include <string>
#include <string_view>

namespace presso::cli {

/// Text on its way to standard output. Used by one thread.
class Output {
 public:
  /// `line_buffered` means that each end_line() writes, as the reader of a terminal expects.
  explicit Output(bool line_buffered) : line_buffered_(line_buffered) {}

  void write(std::string_view text) {
    buffer_.append(text);
    total_ += text.size();
  }
  void write(char byte) {
    buffer_.push_back(byte);
    ++total_;
  }
  /// Writes an escape sequence, which total() does not count.
  void write_escape(std::string_view text) { buffer_.append(text); }
  void write_number(unsigned long long value);
  /// To be called after each line: writes out when enough has gathered.
  void end_line() {
    if (line_buffered_ || buffer_.size() >= kFlushBytes) flush();
  }
  void flush();

  /// The bytes written to it so far, not counting escape sequences.
  unsigned long long total() const { return total_; }
  /// Whether the reader has gone away, upon which a command stops quietly.
  bool closed() const { return closed_; }
  /// errno of a failed write, or 0.
  int failure() const { return failure_; }
  bool usable() const { return !closed_ && failure_ == 0; }

 private:
  static constexpr std::size_t kFlushBytes = 64u << 10;

  std::string buffer_;
  unsigned long long total_ = 0;
  bool line_buffered_;
  bool closed_ = false;
  int failure_ = 0;
};

}  // namespace presso::cli
