// SPDX-License-Identifier: MIT
// The filter section (FORMAT.md 7.4): by it a search leaves out blocks that cannot hold what it
// looks for. What it needs to know of their lines is in the line facts (line_facts.h). Encoders
// fill the structs and serialise them; scans parse them. Safe on any input: sizes are checked
// before anything is allocated.
//
// A filter is about n-grams, n consecutive bytes, ASCII letters in lower case. A hash makes
// each a cell, one of 2^18. Cells that most blocks of a group hold tell little: they are listed
// once and stored nowhere else. Every other cell has a row of bits, one for each block of the
// group: set where the block holds it, or another cell of the same row.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/byte_stream.h"
#include "presso/checksum.h"

namespace presso {

constexpr std::uint32_t kFilterLayout = 2;  ///< the section's parameter; others are not understood
constexpr unsigned kCellBits = 18;
constexpr std::uint32_t kCells = 1u << kCellBits;
/// A block's filter also knows the n-grams that begin in this many bytes after it.
constexpr std::uint32_t kFilterOverlap = 32;
constexpr std::uint32_t kMinGramBytes = 2;
constexpr std::uint32_t kMaxGramBytes = 8;
constexpr std::uint32_t kMaxGroupBlocks = 4096;
constexpr std::uint32_t kKeepAllCells = 256;
constexpr std::uint32_t kMaxCommonCells = 1u << 16;  ///< of a group

/// ASCII letters in lower case; other bytes as they are. Without a branch: case is hard to predict.
constexpr Byte fold_ascii(Byte byte) {
  const unsigned is_upper = static_cast<unsigned>(byte) - 'A' < 26 ? 1 : 0;
  return static_cast<Byte>(byte + (is_upper << 5));
}

/// The cell of an n-gram, given as its folded bytes in an integer, the first one lowest.
constexpr std::uint32_t gram_cell(std::uint64_t gram) {
  gram *= 0x9E3779B97F4A7C15u;
  gram ^= gram >> 32;
  gram *= 0xD6E8FEB86659FD93u;
  return static_cast<std::uint32_t>(gram >> (64 - kCellBits));
}

/// Where not all cells are kept: those for which this is below FilterGroup::keep. 0 to 255.
constexpr std::uint32_t cell_rank(std::uint32_t cell) {
  return cell * 0x9E3779B1u >> 24;
}

/// Which of some consecutive blocks hold which n-grams.
struct FilterGroup {
  std::uint32_t blocks = 0;
  std::uint32_t gram_bytes = 4;
  std::uint32_t keep = kKeepAllCells;
  std::uint32_t rows = 1;             ///< at most kCells
  std::vector<std::uint32_t> common;  ///< cells without a row, ascending
  Bytes bits;                         ///< row by row, (rows * blocks + 7) / 8 bytes

  /// The row of a cell; nullopt where it tells nothing.
  std::optional<std::uint32_t> row_of(std::uint32_t cell) const;
  bool bit(std::uint32_t row, std::uint32_t block) const {
    const std::uint64_t at = std::uint64_t{row} * blocks + block;
    return (bits[at / 8] >> (at % 8) & 1) != 0;
  }
};
constexpr std::uint64_t filter_bit_bytes(std::uint64_t rows, std::uint64_t blocks) {
  return (rows * blocks + 7) / 8;
}

/// The filter of one member. To be moved, not copied: the groups' bits refer to `payload`.
struct BlockFilter {
  std::uint64_t blocks = 0;
  std::uint32_t group_blocks = 0;  ///< of every group but the last
  std::vector<FilterGroup> groups;
  std::vector<Byte> payload;  ///< what the groups' bits refer to, where it was parsed
};

/// The payload of a filter section.
std::vector<Byte> serialise_filter(const BlockFilter& filter);
/// `blocks`: of the member. Error: kBadHeader with what is wrong.
Result<BlockFilter> parse_filter(std::vector<Byte> payload, std::uint64_t blocks);
/// The filter of a member, or nullopt where it has none, or one of a layout that is not known.
/// Errors: those of the sections after the blocks; kSectionChecksum, kBadHeader.
Result<std::optional<BlockFilter>> read_filter(const RandomAccess& file,
                                               const ArchiveMember& member);

/// A member's filter, read group by group through one buffer that stays in the cache: what a search
/// takes of it must not be used before next() has told the end, for only then the checksum is known
/// to be right.
class FilterReader {
 public:
  /// Nullopt and errors as those of read_filter(). Keeps both references.
  static Result<std::optional<FilterReader>> open(const RandomAccess& file,
                                                  const ArchiveMember& member);

  std::uint32_t group_blocks() const { return group_blocks_; }
  /// The next group; its bits are valid until the next call. Nullopt after the last one.
  /// Errors: kSectionChecksum, kBadHeader.
  Result<std::optional<FilterGroup>> next();

 private:
  FilterReader(const RandomAccess& file, std::uint64_t offset, std::uint64_t bytes,
               std::uint64_t checksum, std::uint64_t blocks)
      : file_(&file), at_(offset), left_(bytes), expected_(checksum), blocks_left_(blocks) {}
  Status read_prefix();
  Result<Bytes> take(std::uint64_t count);

  const RandomAccess* file_;
  std::uint64_t at_;
  std::uint64_t left_;  ///< of the payload
  std::uint64_t expected_;
  Checksum64 checksum_;
  std::uint64_t blocks_left_;
  std::uint32_t group_blocks_ = 0;
  Buffer buffer_;
};

/// Bytes that the list of common cells takes.
std::size_t common_cells_bytes(const std::vector<std::uint32_t>& common);

}  // namespace presso
