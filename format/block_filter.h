// SPDX-License-Identifier: MIT
// The filter section (FORMAT.md 7.4). With it a search skips blocks that cannot hold what it
// looks for, without decoding them. Encoders fill these structs and serialise them
// (compress/filter); scans parse them. It is optional: a file without it is searched whole.
// Safe on any input: sizes are checked before anything is allocated.
//
// A filter is about n-grams: n consecutive bytes, with ASCII letters in lower case. A hash maps
// each n-gram to a cell, one of 2^18. Filters are made for groups, up to kMaxGroupBlocks
// consecutive blocks. Cells that most blocks of a group hold tell little: they are listed once for
// the group and have no bits. Every other cell has a row of bits, one for each block of the group,
// set where the block holds the cell or another cell of the same row. So a bit may be set wrongly,
// which costs a block decoded for nothing, but never be missing: it is a Bloom filter with one hash
// function, cut into rows (Bloom 1970). Line facts (line_facts.h) tell the rest that a search needs
// of blocks that it skips.
// Tested by tests/unit/format/block_filter_test.cpp and tests/unit/scan.
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
/// A block's filter also knows the n-grams that begin in the first bytes of the next block, as
/// many as this, so that matches across the boundary are not lost.
constexpr std::uint32_t kFilterOverlap = 32;
constexpr std::uint32_t kMinGramBytes = 2;
constexpr std::uint32_t kMaxGramBytes = 8;
constexpr std::uint32_t kMaxGroupBlocks = 4096;
/// FilterGroup::keep where every cell is kept.
constexpr std::uint32_t kKeepAllCells = 256;
constexpr std::uint32_t kMaxCommonCells = 1u << 16;  ///< of a group

/// ASCII letters in lower case, other bytes unchanged. It has no branch, as the case of text is
/// hard to predict.
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

/// A cell's rank, 0 to 255, by another hash. A filter that must be small keeps only the cells
/// whose rank is below FilterGroup::keep; the others tell nothing.
constexpr std::uint32_t cell_rank(std::uint32_t cell) {
  return cell * 0x9E3779B1u >> 24;
}

/// For a run of consecutive blocks: which of them may hold which n-grams.
struct FilterGroup {
  std::uint32_t blocks = 0;
  // The n of the n-grams, from kMinGramBytes to kMaxGramBytes.
  std::uint32_t gram_bytes = 4;
  // Cells of this rank or a higher one are not recorded.
  std::uint32_t keep = kKeepAllCells;
  std::uint32_t rows = 1;             ///< rows of bits, at most kCells; fewer rows merge cells
  std::vector<std::uint32_t> common;  ///< cells without a row, ascending
  Bytes bits;                         ///< row by row, (rows * blocks + 7) / 8 bytes

  /// The row of a cell; nullopt where the cell is common or not kept, so that every block may
  /// hold it.
  std::optional<std::uint32_t> row_of(std::uint32_t cell) const;
  /// `block` counts from the group's first block.
  bool bit(std::uint32_t row, std::uint32_t block) const {
    const std::uint64_t at = std::uint64_t{row} * blocks + block;
    return (bits[at / 8] >> (at % 8) & 1) != 0;
  }
};
/// The bits of a group, rounded up to whole bytes.
constexpr std::uint64_t filter_bit_bytes(std::uint64_t rows, std::uint64_t blocks) {
  return (rows * blocks + 7) / 8;
}

/// The filter of one member. It may be moved, not copied: the groups' bits are views of
/// `payload`.
struct BlockFilter {
  std::uint64_t blocks = 0;
  std::uint32_t group_blocks = 0;  ///< blocks of each group; the last one may have fewer
  std::vector<FilterGroup> groups;
  // The bytes that FilterGroup::bits of all groups view, if the filter was parsed.
  std::vector<Byte> payload;
};

/// Returns the payload of a filter section.
std::vector<Byte> serialise_filter(const BlockFilter& filter);
/// `blocks`: of the member. Error: kBadHeader with what is wrong.
Result<BlockFilter> parse_filter(std::vector<Byte> payload, std::uint64_t blocks);
/// The filter of a member; nullopt where there is none, or one whose layout this version does
/// not know. Errors: those of the sections after the blocks, kSectionChecksum, kBadHeader.
Result<std::optional<BlockFilter>> read_filter(const RandomAccess& file,
                                               const ArchiveMember& member);

/// Reads a member's filter group by group through one buffer that stays in the cache. The
/// checksum covers the whole section and is verified at its end: a search must not act upon
/// what it has learned before next() has returned nullopt.
class FilterReader {
 public:
  /// Returns and fails like read_filter(). `file` must outlive the reader.
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
  std::uint64_t left_;  ///< bytes of the payload that are not read yet
  std::uint64_t expected_;
  Checksum64 checksum_;
  std::uint64_t blocks_left_;
  std::uint32_t group_blocks_ = 0;
  Buffer buffer_;
};

/// How many bytes the list of common cells takes when it is stored.
std::size_t common_cells_bytes(const std::vector<std::uint32_t>& common);

}  // namespace presso
