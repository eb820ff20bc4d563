// SPDX-License-Identifier: MIT
// The part of RowGroupDecoder that reads columns of tokens. Whole token blocks are decoded, as
// their codes cannot be cut by rows cheaply; then the wanted rows are kept.
#include <cstring>
#include <utility>

#include "decompress/columns/cpu/token_decoder.h"
#include "decompress/table/row_group_decoder.h"

namespace presso {

// parse_row_group() has checked that exactly one such block exists.
Result<TokenDictionary> RowGroupDecoder::read_token_dictionary(const ColumnChunk& chunk) const {
  std::uint32_t block = chunk.first_block;
  while (group_.blocks[block].stream != ColumnStream::kTokenDictionary) ++block;
  Buffer stored;
  stored.resize_discarding(group_.blocks[block].plain_bytes);
  PRESSO_TRY(blocks_.decode_bytes(block, stored.data()));
  auto tokens = TokenDictionary::parse(stored.bytes());
  if (!tokens.ok()) return blocks_.at_block(std::move(tokens.error()), block);
  return tokens;
}

// Each block decodes with offsets of its own, which are then moved by what comes before.
Status RowGroupDecoder::read_tokens(const ColumnChunk& chunk, RowRange range,
                                    ColumnData& column) const {
  PRESSO_ASSIGN(const TokenDictionary tokens, read_token_dictionary(chunk));

  // Token blocks that hold the range, and the rows that these cover.
  std::uint32_t first_row = 0;
  std::uint32_t begin = 0;
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t block = chunk.first_block; block < chunk.first_block + chunk.blocks; ++block) {
    const ColumnBlock& entry = group_.blocks[block];
    if (entry.stream != ColumnStream::kTokens) continue;
    if (begin + entry.rows > range.first && begin < range.end()) {
      if (wanted.empty()) first_row = begin;
      wanted.push_back(block);
    }
    begin += entry.rows;
  }
  // Room for all covered rows; keep_rows() drops those not wanted.
  std::uint32_t covered = 0;
  std::uint64_t plain = 0;
  for (const std::uint32_t of : wanted) {
    covered += group_.blocks[of].rows;
    plain += group_.blocks[of].plain_bytes;
  }
  PRESSO_ASSIGN(const std::vector<std::uint32_t> counts,
                read_numbers_of_4_bytes(chunk, ColumnStream::kTokenCounts, {first_row, covered}));
  column.values.resize_discarding(static_cast<std::size_t>(plain));
  column.offsets.assign(std::size_t{covered} + 1, 0);
  std::uint32_t row = 0;
  std::int64_t at = 0;
  for (const std::uint32_t of : wanted) {
    const ColumnBlock& entry = group_.blocks[of];
    PRESSO_TRY(decode_token_block(tokens, of, {counts.data() + row, entry.rows},
                                  {column.values.data() + at, entry.plain_bytes},
                                  column.offsets.data() + row));
    for (std::uint32_t i = 0; i <= entry.rows; ++i) column.offsets[row + i] += at;
    row += entry.rows;
    at += entry.plain_bytes;
  }
  return keep_rows(column, range.first - first_row, range.rows);
}

// `counts`: of the block's rows; `offsets` has one more than these.
Status RowGroupDecoder::decode_token_block(const TokenDictionary& tokens, std::uint32_t block,
                                           std::span<const std::uint32_t> counts, MutableBytes into,
                                           std::int64_t* offsets) const {
  Buffer stored;
  PRESSO_TRY(blocks_.read(block, stored));
  PRESSO_ASSIGN(const TokenBlock opened, blocks_.open_tokens(block, stored.bytes()));
  Status decoded = decode_tokens(tokens, opened.payload, opened.codes, counts, into, offsets);
  return decoded.ok() ? Status{} : blocks_.at_block(std::move(decoded.error()), block);
}

/// Keeps `rows` strings from row `first` on.
Status RowGroupDecoder::keep_rows(ColumnData& column, std::uint32_t first, std::uint32_t rows) {
  const std::int64_t begin = column.offsets[first];
  const auto bytes = static_cast<std::size_t>(column.offsets[first + rows] - begin);
  if (begin > 0) std::memmove(column.values.data(), column.values.data() + begin, bytes);
  column.values.grow(bytes);
  for (std::uint32_t i = 0; i <= rows; ++i) column.offsets[i] = column.offsets[first + i] - begin;
  column.offsets.resize(std::size_t{rows} + 1);
  return {};
}

}  // namespace presso
