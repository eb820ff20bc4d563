// SPDX-License-Identifier: MIT
// The line that chunk borders cut, while its pieces come in: text, and stretches of blocks that the
// index left out (scan/blocks/block_index.h), of which therefore only the place is known. These
// have to be read only if a match may begin in what is known of the line; in what is not known
// begins nothing that a match must contain. Used by the assembler. Tested by
// tests/unit/scan/text/scan_test.cpp and tests/unit/scan/blocks/scan_index_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "presso/byte_stream.h"

namespace presso::scan_detail {

class BlockIndex;

/// One unfinished line. A line that spans many chunks is copied once.
class Seam {
 public:
  /// A stretch of the line in a block that was left out.
  struct MissingPart {
    std::uint64_t block = 0;
    std::size_t begin = 0;  ///< in the block
    std::size_t end = 0;
    std::size_t at = 0;  ///< where it belongs in text()
  };

  bool empty() const { return text_.empty() && missing_.empty(); }
  /// Whether all of the line is in text().
  bool is_complete() const { return missing_.empty(); }
  Bytes text() const { return text_.bytes(); }
  /// The block that was left out in which the line begins; nullopt: it begins in text().
  std::optional<std::uint64_t> missing_begin() const {
    if (missing_.empty() || missing_.front().at != 0) return std::nullopt;
    return missing_.front().block;
  }
  /// Where the line's first byte is in the plain text.
  std::uint64_t offset() const { return offset_; }
  void set_offset(std::uint64_t offset) { offset_ = offset; }

  void append(Bytes piece) { text_.append(piece); }
  void append_missing(std::uint64_t block, std::size_t begin, std::size_t end) {
    missing_.push_back({block, begin, end, text_.size()});
  }
  /// Keeps the first `bytes` of the text, all of which is there.
  void truncate(std::size_t bytes) { text_.grow(bytes); }
  void clear() {
    text_.clear();
    missing_.clear();
  }
  /// Moves the text out and leaves none.
  Buffer take_text() { return std::exchange(text_, Buffer()); }
  std::vector<MissingPart> take_missing() { return std::exchange(missing_, {}); }

  /// Whether a match may begin in what is known of the line.
  bool may_match(const BlockIndex& index) const;

 private:
  Buffer text_;
  std::uint64_t offset_ = 0;
  std::vector<MissingPart> missing_;  ///< in order
};

}  // namespace presso::scan_detail
