// SPDX-License-Identifier: MIT
// Replays how ripgrep 13 fills its buffer when it reads a stream, for its rule that a NUL byte
// makes a file binary from the buffer on in which it is read (BinaryRule::kStream, kQuit). Output
// then is byte for byte ripgrep's although we read in other pieces.
//
// The buffer holds 64 KiB. A fill first drops the whole lines it holds, so that it begins with what
// is left of the last line, then reads as much as there is room for; where what was read holds no
// '\n' it reads on, into a buffer of thrice the size when it is full. Lines of one fill are
// searched together, so a NUL anywhere in it shows before the first of them. The very first read
// takes three bytes, to look for a byte order mark; on standard input that makes a reader below
// fetch 8 KiB, the rest of which is what the second read gets. (All of it seen with strace and by
// experiment.)
#pragma once

#include <cstdint>
#include <optional>

#include "presso/bytes.h"

namespace presso::scan_detail {

class FillTracker {
 public:
  explicit FillTracker(bool is_stdin) : is_stdin_(is_stdin) {}

  /// Before the first feed(): the text began with a byte order mark, which is not fed.
  void had_byte_order_mark() { peeked_ = true; }
  /// The next piece of plain text. `short_read`: the source had no more to give at this moment.
  /// `nul`: offset in the piece of its first NUL byte. Not called again after a NUL.
  void feed(Bytes piece, bool short_read, std::optional<std::size_t> nul);
  /// No more pieces: everything may go.
  void finish() { safe_ = ~std::uint64_t{0}; }

  /// Lines that begin before this offset stand in fills without a NUL.
  std::uint64_t safe_end() const { return safe_; }
  /// The first NUL byte, where one was fed; lines at and behind safe_end() are binary.
  std::optional<std::uint64_t> nul() const { return nul_; }

 private:
  std::uint64_t next_read_end() const;
  void end_read(Bytes piece, std::uint64_t end);

  bool is_stdin_;
  bool peeked_ = false;      ///< the first, short read is done
  std::uint64_t begin_ = 0;  ///< of the open fill: the line it begins with
  std::uint64_t read_ = 0;   ///< up to here
  std::uint64_t capacity_ = 64u << 10;
  std::uint64_t piece_at_ = 0;   ///< offset of the piece being fed
  std::uint64_t last_line_ = 0;  ///< behind the last '\n' of all earlier pieces
  std::uint64_t safe_ = 0;
  std::optional<std::uint64_t> nul_;
};

}  // namespace presso::scan_detail
