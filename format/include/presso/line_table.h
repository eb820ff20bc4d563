// SPDX-License-Identifier: MIT
// Where the lines of a compressed file begin and end, without decoding it: from the line facts
// (FORMAT.md 7.3) of its members. For counts, for line numbers, and for readers that divide a file
// among themselves: whoever has the blocks from `a` to `b` owns the lines that begin in them, which
// stand from line_start(a) to line_start(b).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/byte_stream.h"
#include "presso/error.h"

namespace presso {

/// What is known of a block without decoding it.
struct LineFacts {
  std::uint32_t newlines = 0;
  std::uint32_t first_newline = 0;  ///< offsets in the block; 0 where there is none
  std::uint32_t last_newline = 0;
  bool holds_nul = false;
  bool begins_with_mark = false;  ///< with EF BB BF

  friend bool operator==(const LineFacts&, const LineFacts&) = default;
};

/// The lines of a whole file, counted through all members. Immutable; about 32 bytes a block.
/// A line ends with a line feed; what follows the last line feed of the file is a line, too, unless
/// it is empty.
class LineTable {
 public:
  /// nullopt where a member has no line facts. `index`: of `file`; neither is kept. Errors:
  /// kSectionChecksum, kBadHeader, kUnknownMandatorySection, those of `file`.
  static Result<std::optional<LineTable>> read(const RandomAccess& file, const ArchiveIndex& index);

  std::uint64_t block_count() const { return facts_.size(); }
  const LineFacts& facts(std::uint64_t block) const { return facts_[block]; }
  std::uint64_t lines() const { return lines_before_.back(); }
  /// How many lines begin before the first byte of `block`, which is at most block_count(). With
  /// line_start(): the number, from 0, of the line that begins there.
  std::uint64_t lines_before(std::uint64_t block) const { return lines_before_[block]; }
  /// Plain offset of the first line that begins in `block` or after it; the file's plain size where
  /// none does. `block` is at most block_count().
  std::uint64_t line_start(std::uint64_t block) const { return line_starts_[block]; }

 private:
  LineTable(std::vector<LineFacts> facts, const ArchiveIndex& index);

  std::vector<LineFacts> facts_;             ///< of each block
  std::vector<std::uint64_t> lines_before_;  ///< of each block, and of the end
  std::vector<std::uint64_t> line_starts_;   ///< likewise
};

}  // namespace presso
