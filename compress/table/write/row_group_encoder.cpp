// SPDX-License-Identifier: MIT
// RowGroupEncoder: encodes one column after another. For each a representation is chosen
// (row_group.h), and its streams are appended in their order. Tested by
// tests/unit/decompress/table/row_group_test.cpp.
#include "compress/table/write/row_group_encoder.h"

#include <algorithm>
#include <numeric>

#include "compress/table/write/block_appender.h"
#include "compress/table/write/packed_choice.h"
#include "compress/table/write/string_choice.h"
#include "format/columns/zones.h"

namespace presso {
namespace {

std::uint32_t count_nulls(const ColumnView& column) {
  if (column.validity == nullptr) return 0;
  std::uint64_t valid = 0;
  for (std::uint64_t row = 0; row < column.rows; ++row) valid += column.is_null(row) ? 0 : 1;
  return static_cast<std::uint32_t>(column.rows - valid);
}

/// Offsets as lengths, which are small numbers and pack well.
template <class T>
std::vector<T> lengths_of(std::span<const std::int64_t> offsets) {
  std::vector<T> lengths;
  lengths.reserve(offsets.size());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    lengths.push_back(static_cast<T>(offsets[i + 1] - offsets[i]));
  }
  return lengths;
}

/// The first byte of an array of numbers, as BlockAppender takes it.
template <class T>
const Byte* first_byte(const std::vector<T>& values) {
  return reinterpret_cast<const Byte*>(values.data());
}

/// Tables of fewer columns are not looked at for being packed before their columns are encoded.
constexpr std::size_t kManyColumns = 16;

/// Encodes one column of one row group.
class ColumnEncoder {
 public:
  ColumnEncoder(const ColumnView& column, BlockAppender& to, TableEncoders& encoders)
      : column_(column),
        to_(to),
        encoders_(encoders),
        rows_(static_cast<std::uint32_t>(column.rows)),
        nulls_(count_nulls(column)) {}

  /// Writes validity and streams of one column. A column of nulls only has no streams.
  void encode() {
    // The directory alone says it: there are no blocks.
    if (nulls_ == rows_) return begin(Representation::kNull);
    if (!is_string(column_.type)) return encode_numbers();
    StringChoice choice = encoders_.quick
                              ? choose_strings_quickly(column_)
                              : choose_strings(column_, encoders_.strings, encoders_.prefers_fast);
    if (choice.dictionary) return encode_dictionary(*choice.dictionary);
    if (choice.tokens) return encode_tokens(*choice.tokens);
    encode_bytes();
  }

 private:
  /// Begins the chunk and writes the validity stream if only some rows are null.
  void begin(Representation representation) {
    to_.begin_column(representation);
    // Facts of the column that its blocks do not have.
    to_.chunk().nulls = nulls_;
    if (is_string(column_.type) && representation != Representation::kNull) {
      to_.chunk().value_bytes = static_cast<std::uint64_t>(column_.offsets[rows_]);
    }
    if (nulls_ > 0 && nulls_ < rows_) {
      to_.integers(ColumnStream::kValidity, column_.validity, 0, false, false, rows_, nullptr,
                   [](std::uint32_t, std::uint32_t) { return Zone{}; });
    }
  }

  // Ranges are taken from the values themselves, so they are exact.
  auto zones() const {
    return [this](std::uint32_t first, std::uint32_t rows) {
      return zone_of_rows(column_, first, rows);
    };
  }

  /// Values under nulls are stored as they are; ranges leave them out.
  void encode_numbers() {
    begin(Representation::kPlain);
    // Floating values have no divisor and may take kinds of their own.
    const bool floating = column_.type == ColumnType::kFloat || column_.type == ColumnType::kDouble;
    to_.integers(ColumnStream::kValues, column_.values,
                 static_cast<Byte>(value_bytes(column_.type)), is_signed(column_.type), floating,
                 rows_, column_.validity, zones());
  }

  // ColumnBlock::presence of a block has the bits of all entries in its rows: a search for a string
  // skips blocks without its bit.
  void encode_dictionary(const StringDictionary& dictionary) {
    begin(Representation::kDictionary);
    to_.chunk().entries = to_.chunk().distinct =
        static_cast<std::uint32_t>(dictionary.entry_lengths.size());
    to_.plain_integers<std::uint32_t>(ColumnStream::kEntryLengths, dictionary.entry_lengths);
    // Entries are coded as one string, since their lengths stand apart.
    const std::int64_t ends[] = {0, static_cast<std::int64_t>(dictionary.entries.size())};
    to_.bytes(ColumnStream::kEntryBytes, dictionary.entries.data(), ends);
    to_.integers(ColumnStream::kCodes, first_byte(dictionary.codes), 4, false, false, rows_,
                 column_.validity, [&](std::uint32_t first, std::uint32_t rows) {
                   Zone zone = zone_of_rows(column_, first, rows);
                   for (std::uint32_t row = first; row < first + rows; ++row) {
                     if (column_.is_null(row)) continue;
                     zone.presence |= dictionary.presence_bits[dictionary.codes[row]];
                   }
                   return zone;
                 });
  }

  /// Lengths carry the ranges, because they are the stream that has every row.
  void encode_bytes() {
    begin(Representation::kBytes);
    const std::span offsets(column_.offsets, std::size_t{rows_} + 1);
    // A string may have gigabytes.
    const auto lengths = lengths_of<std::uint64_t>(offsets);
    to_.integers(ColumnStream::kLengths, first_byte(lengths), 8, false, false, rows_, nullptr,
                 zones());
    to_.bytes(ColumnStream::kBytes, column_.values, offsets);
  }

  /// All token blocks are encoded before their counts are written, as counts come first in the
  /// file.
  void encode_tokens(const TokenDictionary& tokens) {
    begin(Representation::kToken);
    // The dictionary is one block, coded as bytes.
    std::vector<Byte> stored;
    tokens.append_to(stored);
    to_.single(ColumnStream::kTokenDictionary, stored);
    TokenEncoder encoder(tokens);
    std::vector<std::uint32_t> counts;
    Buffer payloads;
    std::vector<TokenBlock> blocks;
    for (std::uint32_t first = 0; first < rows_;) {
      const std::uint32_t rows = token_block_rows(first);
      blocks.push_back(encode_token_block(encoder, first, rows, counts, payloads));
      first += rows;
    }
    to_.integers(ColumnStream::kTokenCounts, first_byte(counts), 4, false, false, rows_, nullptr,
                 zones());
    for (const TokenBlock& block : blocks) {
      to_.tokens({payloads.data() + block.begin, block.bytes}, block.codes, block.rows,
                 block.plain_bytes);
    }
  }

  /// One encoded block in the buffer of payloads.
  struct TokenBlock {
    std::size_t begin;
    std::size_t bytes;
    std::uint32_t codes;
    std::uint32_t rows;
    std::uint32_t plain_bytes;
  };

  /// Rows of the next block of tokens: at most kMaxBlockRows, and kMaxTokenBlockBytes of
  /// strings.
  std::uint32_t token_block_rows(std::uint32_t first) const {
    const std::uint32_t most = std::min(rows_ - first, kMaxBlockRows);
    const std::int64_t limit = column_.offsets[first] + kMaxTokenBlockBytes;
    // The last row whose string still ends within the limit.
    const auto* end =
        std::upper_bound(column_.offsets + first, column_.offsets + first + most + 1, limit);
    return static_cast<std::uint32_t>(end - (column_.offsets + first) - 1);
  }

  /// Appends the codes to `payloads` and the number of codes of each row to `counts`.
  TokenBlock encode_token_block(TokenEncoder& encoder, std::uint32_t first, std::uint32_t rows,
                                std::vector<std::uint32_t>& counts, Buffer& payloads) const {
    std::vector<std::uint32_t> own;
    Buffer payload;
    encoder.encode(column_, first, rows, own, payload);
    const std::size_t begin = payloads.size();
    payloads.append(payload.bytes());
    counts.insert(counts.end(), own.begin(), own.end());
    const std::int64_t plain = column_.offsets[first + rows] - column_.offsets[first];
    return {begin, payload.size(), std::accumulate(own.begin(), own.end(), 0u), rows,
            static_cast<std::uint32_t>(plain)};
  }

  const ColumnView& column_;
  BlockAppender& to_;
  TableEncoders& encoders_;
  std::uint32_t rows_;
  std::uint32_t nulls_;
};

}  // namespace

EncodedRowGroup RowGroupEncoder::encode(std::span<const ColumnView> columns, const GroupText& text,
                                        Buffer room) {
  static const ExactLines kNone;
  const ExactLines& exact = text.exact == nullptr ? kNone : *text.exact;
  EncodedRowGroup encoded;
  encoded.directory.rows = static_cast<std::uint32_t>(columns.front().rows);
  encoded.directory.text_bytes = text.bytes;
  encoded.directory.text_lines = text.lines;
  encoded.directory.text_checksum = text.checksum;
  const bool packs = schema_.exact && encoders_.packs;
  if (packs && columns.size() > kManyColumns) {
    list_columns(columns, exact, encoded.directory);
    if (pack_instead_of_columns(schema_, columns, exact, text.plain, encoders_, encoded)) {
      return encoded;
    }
    encoded.directory.columns.clear();
  }
  encoded.blocks = std::move(room);
  encoded.blocks.clear();
  BlockAppender to(encoded.directory, encoded.blocks, encoders_);
  for (const ColumnView& column : columns) ColumnEncoder(column, to, encoders_).encode();
  if (schema_.exact) {
    encode_exact_lines(exact, to);
    encode_spellings(exact, encoded.directory.rows, to);
    if (packs) pack_if_smaller(schema_, columns, exact, text.plain, encoders_, encoded);
  }
  return encoded;
}

/// Columns without blocks.
void RowGroupEncoder::list_columns(std::span<const ColumnView> columns, const ExactLines& exact,
                                   RowGroup& directory) const {
  const auto add = [&](Representation representation, std::uint32_t nulls) {
    ColumnChunk& chunk = directory.columns.emplace_back();
    chunk.representation = nulls == directory.rows ? Representation::kNull : representation;
    chunk.nulls = nulls;
  };
  for (const ColumnView& column : columns) add(Representation::kPlain, count_nulls(column));
  add(Representation::kExactLines, 0);
  for (std::size_t i = 0; i < spelled_columns(schema_); ++i) {
    const bool has_some = i < exact.spellings.size() && exact.spellings[i].offsets.back() != 0;
    add(Representation::kBytes, has_some ? count_nulls(exact.spellings[i].view()) : directory.rows);
  }
}

/// A pseudo column of row numbers, lengths and text.
void RowGroupEncoder::encode_exact_lines(const ExactLines& lines, BlockAppender& to) {
  to.begin_column(Representation::kExactLines);
  if (lines.rows.empty()) return;
  to.chunk().value_bytes = lines.bytes.size();
  to.plain_integers<std::uint32_t>(ColumnStream::kRows, lines.rows);
  to.plain_integers<std::uint64_t>(ColumnStream::kLengths,
                                   lengths_of<std::uint64_t>(lines.offsets));
  to.bytes(ColumnStream::kBytes, lines.bytes.data(), lines.offsets);
}

/// Columns of strings. Where every field has its usual form, the column is one of nulls only, which
/// has no blocks.
void RowGroupEncoder::encode_spellings(const ExactLines& exact, std::uint32_t rows,
                                       BlockAppender& to) {
  const std::size_t columns = spelled_columns(schema_);
  for (std::size_t i = 0; i < columns; ++i) {
    const ColumnData* const spelled = i < exact.spellings.size() ? &exact.spellings[i] : nullptr;
    if (spelled != nullptr && spelled->offsets.back() != 0) {
      ColumnEncoder(spelled->view(), to, encoders_).encode();
      continue;
    }
    to.begin_column(Representation::kNull);
    to.chunk().nulls = rows;
  }
}

}  // namespace presso
