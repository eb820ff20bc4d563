// SPDX-License-Identifier: MIT
// Standard output as scan needs it: gathered in large pieces, errors remembered, a closed pipe told
// from a full disk.
#pragma once

#include <string>
#include <string_view>

namespace presso::cli {

class Output {
 public:
  /// `line_buffered`: written at each end_line(), as a terminal's reader expects.
  explicit Output(bool line_buffered) : line_buffered_(line_buffered) {}

  void write(std::string_view text) {
    buffer_.append(text);
    total_ += text.size();
  }
  void write(char byte) {
    buffer_.push_back(byte);
    ++total_;
  }
  /// An escape sequence, which total() does not count.
  void write_escape(std::string_view text) { buffer_.append(text); }
  void write_number(unsigned long long value);
  /// Call now and then: writes out when enough has gathered.
  void end_line() {
    if (line_buffered_ || buffer_.size() >= kFlushBytes) flush();
  }
  void flush();

  /// Bytes written to it so far, escape sequences not counted.
  unsigned long long total() const { return total_; }
  /// The reader has gone away: stop quietly.
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
