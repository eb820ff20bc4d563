// SPDX-License-Identifier: MIT
// Where the lines of a compressed file begin and end, found without decoding it: from the line
// facts (FORMAT.md 7.3) of its members. It serves counts, line numbers, and readers that divide a
// file among themselves: whoever has the blocks from `a` to `b` owns the lines that begin in them,
// which are the bytes from line_start(a) to line_start(b). Tested by
// tests/unit/format/line_facts_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/byte_stream.h"
#include "presso/error.h"

namespace presso {

/// What the file records about the lines of one block.
struct LineFacts {
  std::uint32_t newlines = 0;
  std::uint32_t first_newline = 0;  ///< offset in the block; 0 if it has none
  std::uint32_t last_newline = 0;
  bool holds_nul = false;
  bool begins_with_mark = false;  ///< whether it begins with a UTF-8 byte order mark, EF BB BF

  friend bool operator==(const LineFacts&, const LineFacts&) = default;
};

/// The lines of a whole file, counted through all members. A line ends with a line feed; what
/// follows the last line feed is a line, too, unless it is empty. Immutable; about 32 bytes a
/// block.
class LineTable {
 public:
  /// Returns nullopt if a member has no line facts. `index` belongs to `file`; neither is kept.
  /// Errors: kSectionChecksum, kBadHeader, kUnknownMandatorySection, those of `file`.
  static Result<std::optional<LineTable>> read(const RandomAccess& file, const ArchiveIndex& index);

  std::uint64_t block_count() const { return facts_.size(); }
  const LineFacts& facts(std::uint64_t block) const { return facts_[block]; }
  std::uint64_t lines() const { return lines_before_.back(); }
  /// Returns how many lines begin before the first byte of `block`, which is at most block_count().
  /// Together with line_start(): the number, from 0, of the line that begins there.
  std::uint64_t lines_before(std::uint64_t block) const { return lines_before_[block]; }
  /// Returns the plain offset of the first line that begins in `block` or after it; the file's
  /// plain size if no line does. `block` is at most block_count().
  std::uint64_t line_start(std::uint64_t block) const { return line_starts_[block]; }

 private:
  LineTable(std::vector<LineFacts> facts, const ArchiveIndex& index);

  std::vector<LineFacts> facts_;             ///< for each block
  std::vector<std::uint64_t> lines_before_;  ///< for each block, and for the end
  std::vector<std::uint64_t> line_starts_;   ///< for each block, and for the end
};

}  // namespace presso
