// SPDX-License-Identifier: MIT
// TokenStream reads the blocks of tokens and of counts that hold the rows of a slice, once; text
// and codes are made from them on demand.
#include "decompress/table/token_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "decompress/columns/cpu/token_decoder.h"

namespace presso {

void TokenStream::open(const GroupReader& group, std::size_t column, std::uint32_t first,
                       std::uint32_t rows) {
  group_ = &group;
  column_ = column;
  first_ = first;
  rows_ = rows;
  is_loaded_ = has_text_ = has_codes_ = false;
}

// Blocks may begin before the slice and end after it, so more rows may be covered than wanted.
Status TokenStream::load() {
  if (is_loaded_) return {};
  PRESSO_ASSIGN(dictionary_, group_->tokens(column_));
  // Blocks that hold some of the rows, and the rows that these cover.
  range_ = group_->blocks_of(column_, ColumnStream::kTokens, first_, std::uint64_t{first_} + rows_);
  covered_first_ = static_cast<std::uint32_t>(group_->begin_of(range_.first));
  covered_ = 0;
  for (std::uint32_t i = range_.first; i < range_.end; ++i) {
    covered_ += group_->directory().blocks[i].rows;
  }
  skipped_ = first_ - covered_first_;
  // Counts first: add_block() needs them.
  PRESSO_TRY(load_counts());
  PRESSO_TRY(load_blocks());
  is_loaded_ = true;
  return {};
}

/// Counts of all rows that the blocks cover, since they tell where rows begin in the codes.
Status TokenStream::load_counts() {
  counts_.resize(std::size_t{covered_} + Buffer::kSlack / 4);
  return group_->decoder().read_stream(column_, ColumnStream::kTokenCounts, 4, covered_first_,
                                       covered_, reinterpret_cast<Byte*>(counts_.data()));
}

// Blocks keep their buffers from slice to slice, so the vector only grows.
Status TokenStream::load_blocks() {
  const std::size_t blocks = range_.end - range_.first;
  if (blocks_.size() < blocks) blocks_.resize(blocks);
  begins_.resize(std::size_t{covered_} + 1);
  std::uint32_t row = 0;
  std::uint64_t codes = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto number = range_.first + static_cast<std::uint32_t>(i);
    // Rows and codes count through all blocks, from the first covered one on.
    blocks_[i].first_row = row;
    PRESSO_TRY(add_block(number, blocks_[i], codes));
    row += blocks_[i].rows;
  }
  begins_[covered_] = static_cast<std::uint32_t>(codes);
  return {};
}

/// Reads a block whose codes begin at number `codes`, and finds where its rows begin.
Status TokenStream::add_block(std::uint32_t number, Block& block, std::uint64_t& codes) {
  const BlockReader& blocks = group_->blocks();
  block.number = number;
  block.rows = group_->directory().blocks[number].rows;
  block.first_code = static_cast<std::uint32_t>(codes);
  PRESSO_TRY(blocks.read(number, block.stored));
  PRESSO_ASSIGN(block.tokens, blocks.open_tokens(number, block.stored.bytes()));
  if (block.tokens.payload.size() != token_payload_bytes(block.tokens.codes)) {
    return blocks.at_block(make_error(ErrorCode::kBadPayloadSize, "payload of token codes"),
                           number);
  }
  // Begins of rows are 32-bit numbers, four billion codes at most.
  const std::uint64_t end = codes + block.tokens.codes;
  if (end > std::numeric_limits<std::uint32_t>::max()) {
    return make_error(ErrorCode::kUnsupported, "rows of so many tokens");
  }
  for (std::uint32_t row = block.first_row; row < block.first_row + block.rows; ++row) {
    begins_[row] = static_cast<std::uint32_t>(codes);
    codes += counts_[row];
  }
  if (codes == end) return {};
  return blocks.at_block(make_error(ErrorCode::kBadLength, "counts of token codes"), number);
}

// Text of all covered rows is decoded; offsets are then moved so that the first wanted row
// begins at 0.
Status TokenStream::decode_all() {
  PRESSO_TRY(load());
  if (has_text_) return {};
  std::uint64_t bytes = 0;
  for (std::uint32_t i = range_.first; i < range_.end; ++i) {
    bytes += group_->directory().blocks[i].plain_bytes;
  }
  // The directory tells the size, so blocks decode into their final place.
  text_.resize_discarding(static_cast<std::size_t>(bytes));
  offsets_.resize(std::size_t{covered_} + 1);
  std::size_t at = 0;
  for (std::uint32_t i = range_.first; i < range_.end; ++i) {
    const Block& block = blocks_[i - range_.first];
    const std::uint32_t plain = group_->directory().blocks[i].plain_bytes;
    Status decoded =
        decode_tokens(*dictionary_, block.tokens.payload, block.tokens.codes, counts_of(block),
                      {text_.data() + at, plain}, offsets_.data() + block.first_row,
                      static_cast<std::int64_t>(at));
    if (!decoded.ok()) return group_->blocks().at_block(std::move(decoded.error()), i);
    at += plain;
  }
  const std::int64_t begin = offsets_[skipped_];
  text_at_ = static_cast<std::size_t>(begin);
  if (begin != 0) {
    for (std::int64_t& offset : offsets_) offset -= begin;
  }
  has_text_ = true;
  return {};
}

// Points into this object's buffers, like all that follow.
Result<SliceText> TokenStream::text() {
  return without_bad_alloc([&]() -> Result<SliceText> {
    PRESSO_TRY(decode_all());
    const std::int64_t* const offsets = offsets_.data() + skipped_;
    return SliceText{
        {text_.data() + text_at_, static_cast<std::size_t>(offsets[rows_])}, offsets, rows_};
  });
}

Result<SliceText> TokenStream::text(std::uint32_t first, std::uint32_t rows) {
  return without_bad_alloc([&]() -> Result<SliceText> {
    PRESSO_TRY(load());
    PRESSO_TRY(decode_rows(skipped_ + first, rows));
    return SliceText{
        {part_.data(), static_cast<std::size_t>(part_offsets_[rows])}, part_offsets_.data(), rows};
  });
}

/// Decodes rows [first, first + rows), counted from the first row that the blocks cover.
Status TokenStream::decode_rows(std::uint32_t first, std::uint32_t rows) {
  part_offsets_.resize(std::size_t{rows} + 1);
  part_offsets_[0] = 0;
  part_.clear();
  const std::uint32_t end = first + rows;
  for (std::size_t i = 0; i < range_.end - range_.first; ++i) {
    const Block& block = blocks_[i];
    const std::uint32_t from = std::max(first, block.first_row);
    const std::uint32_t to = std::min(end, block.first_row + block.rows);
    if (from >= to) continue;
    // The rows' text is not known in advance: 16 bytes a code at most, and not more than the
    // block has.
    const std::size_t codes = begins_[to] - begins_[from];
    const std::size_t most = std::min<std::size_t>(
        codes * kMaxTokenBytes, group_->directory().blocks[block.number].plain_bytes);
    const std::size_t at = part_.size();
    part_.grow(at + most);
    auto decoded = decode_token_rows(
        *dictionary_, block.tokens.payload, block.tokens.codes, begins_[from] - block.first_code,
        {counts_.data() + from, to - from}, {part_.data() + at, most},
        part_offsets_.data() + (from - first), static_cast<std::int64_t>(at));
    if (!decoded.ok()) return group_->blocks().at_block(std::move(decoded.error()), block.number);
    // Gives back what was too much.
    part_.grow(at + *decoded);
  }
  return {};
}

// Needs no text and no lengths of tokens.
Status TokenStream::unpack_all() {
  PRESSO_TRY(load());
  if (has_codes_) return {};
  // Grows only: clearing would cost as much as unpacking.
  if (codes_.size() < begins_[covered_]) codes_.resize(begins_[covered_]);
  for (std::size_t i = 0; i < range_.end - range_.first; ++i) {
    const Block& block = blocks_[i];
    Status unpacked =
        unpack_tokens(*dictionary_, block.tokens.payload, block.tokens.codes,
                      codes_.data() + block.first_code, group_->blocks().options().level);
    if (!unpacked.ok()) {
      return group_->blocks().at_block(std::move(unpacked.error()), block.number);
    }
  }
  // Begins must count from the first wanted row.
  if (skipped_ != 0) {
    code_begins_.assign(begins_.begin() + skipped_, begins_.begin() + skipped_ + rows_ + 1);
    for (std::uint32_t& begin : code_begins_) begin -= begins_[skipped_];
  }
  has_codes_ = true;
  return {};
}

Result<SliceTokens> TokenStream::codes() {
  return without_bad_alloc([&]() -> Result<SliceTokens> {
    PRESSO_TRY(unpack_all());
    return SliceTokens{codes_.data() + begins_[skipped_],
                       skipped_ == 0 ? begins_.data() : code_begins_.data(), rows_};
  });
}

Result<SliceTokens> TokenStream::codes(std::uint32_t first, std::uint32_t rows) {
  return without_bad_alloc([&]() -> Result<SliceTokens> {
    PRESSO_TRY(load());
    PRESSO_TRY(unpack_rows(skipped_ + first, rows));
    return SliceTokens{part_codes_.data(), part_begins_.data(), rows};
  });
}

/// Unpacks rows [first, first + rows), counted from the first row that the blocks cover. A block
/// other than the first begins with a row and with a vector, so its codes overwrite whatever was
/// unpacked after those of the block before.
Status TokenStream::unpack_rows(std::uint32_t first, std::uint32_t rows) {
  const std::uint32_t end = first + rows;
  const std::size_t room = begins_[end] - begins_[first] + 2 * kVectorRows;
  if (part_codes_.size() < room) part_codes_.resize(room);
  std::uint32_t begin = 0;  // of the first row's codes
  for (std::size_t i = 0; i < range_.end - range_.first; ++i) {
    const Block& block = blocks_[i];
    const std::uint32_t from = std::max(first, block.first_row);
    const std::uint32_t to = std::min(end, block.first_row + block.rows);
    if (from >= to) continue;
    // In the block; unpacking begins with the vector that holds it.
    const std::uint32_t first_code = begins_[from] - block.first_code;
    if (from == first) begin = first_code % kVectorRows;
    const std::size_t at = from == first ? 0 : begin + begins_[from] - begins_[first];
    Status unpacked = unpack_token_part(*dictionary_, block.tokens.payload, block.tokens.codes,
                                        first_code, begins_[to] - begins_[from],
                                        part_codes_.data() + at, group_->blocks().options().level);
    if (!unpacked.ok()) {
      return group_->blocks().at_block(std::move(unpacked.error()), block.number);
    }
  }
  part_begins_.assign(begins_.begin() + first, begins_.begin() + end + 1);
  const std::uint32_t before = begins_[first] - begin;
  for (std::uint32_t& at : part_begins_) at -= before;
  return {};
}

}  // namespace presso
