// SPDX-License-Identifier: MIT
// Strings that are stored as tokens (FORMAT.md 17), for the rows of a slice: all of them, those of
// a vector, or the codes alone. Counts of codes are read first, since they tell where rows begin.
// Blocks of tokens may begin and end anywhere; only those that hold some of the rows are read.
// Not thread-safe. Tested by tests/unit/decompress/table/column_slice_test.cpp,
// slice_layout_test.cpp and slice_damage_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decompress/table/group_reader.h"
#include "decompress/table/slice_text.h"

namespace presso {

/// The reader of one thread for one column; it keeps its buffers from slice to slice. Text and
/// codes are made separately, so that a condition that only compares codes never makes text. A row
/// is *covered* if a block that holds some of the opened rows holds it, too.
class TokenStream {
 public:
  /// Rows [first, first + rows) of a column of tokens. `group` is kept by reference.
  void open(const GroupReader& group, std::size_t column, std::uint32_t first, std::uint32_t rows);

  /// The text of all opened rows; decoded once.
  Result<SliceText> text();
  /// The text of rows [first, first + rows), counted from the first opened one.
  Result<SliceText> text(std::uint32_t first, std::uint32_t rows);
  /// The codes of all opened rows; unpacked once.
  Result<SliceTokens> codes();
  /// The codes of rows [first, first + rows), counted from the first opened one.
  Result<SliceTokens> codes(std::uint32_t first, std::uint32_t rows);

 private:
  /// A token block that holds some of the rows, read and checked but not unpacked.
  struct Block {
    std::uint32_t number = 0;
    std::uint32_t first_row = 0;  ///< from covered_first_ on
    std::uint32_t rows = 0;
    std::uint32_t first_code = 0;  ///< number of its first code, counted through all blocks
    TokenBlock tokens;             ///< in `stored`
    Buffer stored;
  };

  /// Reads counts and blocks, unless that was done already.
  Status load();
  /// Where the codes of each covered row begin.
  Status load_counts();
  /// The blocks of tokens that hold some of the rows.
  Status load_blocks();
  Status add_block(std::uint32_t number, Block& block, std::uint64_t& codes);
  /// Text or codes, of all rows or of some.
  Status decode_all();
  Status decode_rows(std::uint32_t first, std::uint32_t rows);
  Status unpack_all();
  Status unpack_rows(std::uint32_t first, std::uint32_t rows);
  std::span<const std::uint32_t> counts_of(const Block& block) const {
    return {counts_.data() + block.first_row, block.rows};
  }

  const GroupReader* group_ = nullptr;
  std::size_t column_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t rows_ = 0;

  bool is_loaded_ = false;
  bool has_text_ = false;
  bool has_codes_ = false;
  const TokenDictionary* dictionary_ = nullptr;
  GroupReader::BlockRange range_;
  std::uint32_t covered_first_ = 0;  ///< the first covered row, in the row group
  std::uint32_t covered_ = 0;
  std::uint32_t skipped_ = 0;          ///< rows that these blocks have before first_
  std::vector<std::uint32_t> counts_;  ///< codes of each covered row, and room to decode into
  std::vector<std::uint32_t> begins_;  ///< codes before each covered row, and of all
  std::vector<Block> blocks_;          ///< the first range_.end - range_.first are in use

  Buffer text_;              ///< of covered rows
  std::size_t text_at_ = 0;  ///< where the first of the rows begins in it
  std::vector<std::int64_t> offsets_;
  Buffer part_;
  std::vector<std::int64_t> part_offsets_;
  std::vector<std::uint16_t> codes_;        ///< of covered rows
  std::vector<std::uint32_t> code_begins_;  ///< if covered rows come first: begins of opened ones
  std::vector<std::uint16_t> part_codes_;
  std::vector<std::uint32_t> part_begins_;
};

}  // namespace presso
