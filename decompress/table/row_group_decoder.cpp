// SPDX-License-Identifier: MIT
// RowGroupDecoder decodes rows of a column by walking over its blocks. It is the general way,
// correct for every valid file however its blocks are cut; ColumnSlice has faster ways for the
// usual cuts.
#include "decompress/table/row_group_decoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "format/columns/bit_copy.h"
#include "format/columns/column_block.h"

namespace presso {
namespace {

Error bad_column(const char* what) {
  return make_error(ErrorCode::kBadRowGroup, what);
}

/// Turns lengths into offsets in place: `offsets` holds the lengths after its first element.
/// They may sum up to at most `most`.
Status sum_up(std::vector<std::int64_t>& offsets, std::uint64_t most) {
  offsets.front() = 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    const auto length = static_cast<std::uint64_t>(offsets[i]);
    const auto before = static_cast<std::uint64_t>(offsets[i - 1]);
    // Subtraction, so that damaged lengths cannot overflow the sum.
    if (length > most - before) return bad_column("lengths do not add up to the values");
    offsets[i] = static_cast<std::int64_t>(before + length);
  }
  return {};
}

}  // namespace

RowGroupDecoder::RowGroupDecoder(const TableSchema& schema, const RowGroup& group,
                                 const RandomAccess& file, std::uint64_t blocks_offset,
                                 std::uint64_t first_offset, const DecodeOptions& options,
                                 ReadCounters* counters)
    : schema_(schema),
      group_(group),
      blocks_(group, file, blocks_offset, first_offset, options, counters) {}

/// For streams of 4-byte numbers: codes, counts, row numbers.
Result<std::vector<std::uint32_t>> RowGroupDecoder::read_numbers_of_4_bytes(
    const ColumnChunk& chunk, ColumnStream stream, RowRange range) const {
  // Decoders write up to kSlack bytes past the last number.
  std::vector<std::uint32_t> numbers(range.rows + Buffer::kSlack / 4);
  PRESSO_TRY(read_integers(chunk, stream, 4, range, reinterpret_cast<Byte*>(numbers.data())));
  numbers.resize(range.rows);
  return numbers;
}

/// Decodes the values of `range`. Whole blocks are decoded into their place, after which there
/// must be Buffer::kSlack bytes; of others, and of bits, only the wanted part is copied. Bits
/// must be 0 before.
Status RowGroupDecoder::read_integers(const ColumnChunk& chunk, ColumnStream stream,
                                      Byte width_bytes, RowRange range, Byte* into) const {
  // For blocks of which only a part is wanted.
  Buffer part;
  std::uint32_t begin = 0;
  for (std::uint32_t block = chunk.first_block; block < chunk.first_block + chunk.blocks; ++block) {
    const ColumnBlock& entry = group_.blocks[block];
    if (entry.stream != stream) continue;
    const std::uint32_t end = begin + entry.rows;
    // The part of the block that is wanted, in rows of the row group.
    const std::uint32_t from = std::max(begin, range.first);
    const std::uint32_t to = std::min(end, range.end());
    if (from < to) {
      const std::uint32_t at = from - range.first;
      const bool whole = from == begin && to == end && width_bytes != 0;
      if (whole) {
        PRESSO_TRY(
            blocks_.decode_integers(block, width_bytes, into + std::size_t{at} * width_bytes));
      } else {
        part.resize_discarding(integer_bytes(width_bytes, entry.rows));
        PRESSO_TRY(blocks_.decode_integers(block, width_bytes, part.data()));
        if (width_bytes == 0) {
          copy_bits(part.data(), from - begin, to - from, into, at);
        } else {
          std::memcpy(into + std::size_t{at} * width_bytes,
                      part.data() + std::size_t{from - begin} * width_bytes,
                      std::size_t{to - from} * width_bytes);
        }
      }
    }
    begin = end;
  }
  return {};
}

/// All bytes of a stream of strings, such as a dictionary's entries; their size must be as
/// expected.
Status RowGroupDecoder::read_all_bytes(const ColumnChunk& chunk, ColumnStream stream,
                                       std::uint64_t size, Buffer& into) const {
  into.resize_discarding(static_cast<std::size_t>(size));
  std::uint64_t at = 0;
  for (std::uint32_t block = chunk.first_block; block < chunk.first_block + chunk.blocks; ++block) {
    const ColumnBlock& entry = group_.blocks[block];
    if (entry.stream != stream) continue;
    // Checked before decoding: the directory alone says how much a block writes.
    if (entry.plain_bytes > size - at) return bad_column("bytes do not add up to the lengths");
    PRESSO_TRY(blocks_.decode_bytes(block, into.data() + at));
    at += entry.plain_bytes;
  }
  return at == size ? Status{} : bad_column("bytes do not add up to the lengths");
}

// The subtraction cannot overflow, unlike first + rows.
Result<ColumnData> RowGroupDecoder::read(std::size_t column, std::uint32_t first,
                                         std::uint32_t rows) const {
  if (column >= schema_.columns.size() || rows > group_.rows || first > group_.rows - rows) {
    return make_error(ErrorCode::kInvalidArgument, "rows outside the row group");
  }
  return without_bad_alloc([&] { return read_rows(column, {first, rows}); });
}

/// The representation decides; a null column is filled with zeros or empty strings. Columns beyond
/// the schema's are spellings, which are strings.
Result<ColumnData> RowGroupDecoder::read_rows(std::size_t column, RowRange range) const {
  const ColumnChunk& chunk = group_.columns[column];
  ColumnData data;
  data.type = column < schema_.columns.size() ? schema_.columns[column].type : ColumnType::kUtf8;
  data.rows = range.rows;
  // Columns without rows still have one offset and memory with slack.
  if (range.rows == 0) {
    if (is_string(data.type)) data.offsets.assign(1, 0);
    data.values.resize_discarding(0);
    return data;
  }
  PRESSO_TRY(read_validity(chunk, range, data.validity));
  Status done;
  switch (chunk.representation) {
    case Representation::kPlain:
      done = read_numbers(chunk, range, data);
      break;
    case Representation::kDictionary:
      done = read_dictionary(chunk, range, data);
      break;
    case Representation::kToken:
      done = read_tokens(chunk, range, data);
      break;
    case Representation::kBytes:
      done = read_bytes(chunk, range, data);
      break;
    case Representation::kPacked:
      return make_error(ErrorCode::kInvalidArgument, "a column that must be unpacked first");
    // All rows are null: kNull, the only representation that is left.
    default:
      if (is_string(data.type)) {
        data.offsets.assign(std::size_t{range.rows} + 1, 0);
        data.values.resize_discarding(0);
        break;
      }
      const std::size_t size = integer_bytes(static_cast<Byte>(value_bytes(data.type)), range.rows);
      data.values.resize_discarding(size);
      std::fill_n(data.values.data(), size, Byte{0});
      break;
  }
  if (!done.ok()) return std::move(done.error());
  return data;
}

/// If all rows are read, the number of nulls must be that of the directory.
Status RowGroupDecoder::read_validity(const ColumnChunk& chunk, RowRange range,
                                      std::vector<Byte>& validity) const {
  if (chunk.nulls == 0) return {};
  const std::size_t size = (range.rows + 7) / 8;
  // Eight spare bytes, so that bits may be read as 64-bit words.
  validity.assign(size + 8, 0);
  if (chunk.nulls == group_.rows) return {};
  validity.resize(size + Buffer::kSlack);
  PRESSO_TRY(read_integers(chunk, ColumnStream::kValidity, 0, range, validity.data()));
  validity.resize(size + 8);
  std::fill_n(validity.begin() + static_cast<std::ptrdiff_t>(size), 8, Byte{0});
  if (range.rows < group_.rows) return {};
  // Only all rows can be compared with the directory.
  std::uint32_t valid = 0;
  for (const Byte bits : validity) valid += static_cast<std::uint32_t>(std::popcount(bits));
  return valid == group_.rows - chunk.nulls ? Status{} : bad_column("number of nulls");
}

// Bits are or-ed into place, so they begin as zeros.
Status RowGroupDecoder::read_numbers(const ColumnChunk& chunk, RowRange range,
                                     ColumnData& column) const {
  const auto width = static_cast<Byte>(value_bytes(column.type));
  column.values.resize_discarding(integer_bytes(width, range.rows));
  if (width == 0) std::fill_n(column.values.data(), column.values.size(), Byte{0});
  return read_integers(chunk, ColumnStream::kValues, width, range, column.values.data());
}

// The entries' lengths are limited before they are summed.
Result<DictionaryEntries> RowGroupDecoder::read_entries(const ColumnChunk& chunk) const {
  PRESSO_ASSIGN(const std::vector<std::uint32_t> lengths,
                read_numbers_of_4_bytes(chunk, ColumnStream::kEntryLengths, {0, chunk.entries}));
  DictionaryEntries entries;
  // Lengths follow a leading 0, and become offsets in place.
  entries.offsets.assign(1, 0);
  entries.offsets.insert(entries.offsets.end(), lengths.begin(), lengths.end());
  PRESSO_TRY(sum_up(entries.offsets, kMaxEntryBytes));
  PRESSO_TRY(read_all_bytes(chunk, ColumnStream::kEntryBytes,
                            static_cast<std::uint64_t>(entries.offsets.back()), entries.bytes));
  return entries;
}

// Strings are copied from the dictionary; nulls get none.
Status RowGroupDecoder::read_dictionary(const ColumnChunk& chunk, RowRange range,
                                        ColumnData& column) const {
  PRESSO_ASSIGN(const DictionaryEntries entries, read_entries(chunk));
  PRESSO_ASSIGN(const std::vector<std::uint32_t> codes,
                read_numbers_of_4_bytes(chunk, ColumnStream::kCodes, range));
  column.offsets.resize(std::size_t{range.rows} + 1);
  std::int64_t total = 0;
  const ColumnView view = column.view();
  for (std::uint32_t row = 0; row < range.rows; ++row) {
    if (codes[row] >= chunk.entries) return bad_column("a code beyond the dictionary");
    // First pass: offsets, by which the size of the values is known.
    column.offsets[row] = total;
    if (!view.is_null(row)) total += entries.length(codes[row]);
  }
  column.offsets[range.rows] = total;
  if (static_cast<std::uint64_t>(total) > chunk.value_bytes) {
    return bad_column("lengths do not add up to the values");
  }
  // Not more than the directory says, so a small file cannot ask for much.
  column.values.resize_discarding(static_cast<std::size_t>(total));
  for (std::uint32_t row = 0; row < range.rows; ++row) {
    const auto length = static_cast<std::size_t>(column.offsets[row + 1] - column.offsets[row]);
    if (length == 0) continue;
    // Second pass: most strings are short, and 16 bytes cost no more than one.
    const Byte* from = entries.bytes.data() + entries.offsets[codes[row]];
    Byte* to = column.values.data() + column.offsets[row];
    if (length <= 16) {
      std::memcpy(to, from, 16);  // both buffers have slack
    } else {
      std::memcpy(to, from, length);
    }
  }
  return {};
}

// The offsets of all rows are needed to find the wanted bytes.
Status RowGroupDecoder::read_bytes(const ColumnChunk& chunk, RowRange range,
                                   ColumnData& column) const {
  return read_byte_strings(chunk, group_.rows, range, column.offsets, column.values);
}

// Lengths are decoded one element late, and summed up where they stand.
Result<std::vector<std::int64_t>> RowGroupDecoder::read_offsets(const ColumnChunk& chunk,
                                                                std::uint32_t rows) const {
  std::vector<std::int64_t> all(std::size_t{rows} + 1 + Buffer::kSlack / 8);
  PRESSO_TRY(read_integers(chunk, ColumnStream::kLengths, 8, {0, rows},
                           reinterpret_cast<Byte*>(all.data() + 1)));
  all.resize(std::size_t{rows} + 1);
  PRESSO_TRY(sum_up(all, chunk.value_bytes));
  if (static_cast<std::uint64_t>(all.back()) != chunk.value_bytes) {
    return bad_column("lengths do not add up to the values");
  }
  return all;
}

/// The lengths of all rows are read, since they tell which blocks hold the wanted strings.
Status RowGroupDecoder::read_byte_strings(const ColumnChunk& chunk, std::uint32_t all_rows,
                                          RowRange range, std::vector<std::int64_t>& offsets,
                                          Buffer& values) const {
  PRESSO_ASSIGN(const std::vector<std::int64_t> all, read_offsets(chunk, all_rows));
  const auto begin = static_cast<std::uint64_t>(all[range.first]);
  const auto end = static_cast<std::uint64_t>(all[range.end()]);
  values.resize_discarding(static_cast<std::size_t>(end - begin));
  Buffer part;
  std::uint64_t at = 0;
  for (std::uint32_t block = chunk.first_block; block < chunk.first_block + chunk.blocks; ++block) {
    const ColumnBlock& entry = group_.blocks[block];
    if (entry.stream != ColumnStream::kBytes) continue;
    const std::uint64_t from = std::max(at, begin);
    const std::uint64_t to = std::min(at + entry.plain_bytes, end);
    if (from < to) {
      const bool whole = from == at && to == at + entry.plain_bytes;
      Byte* place = values.data() + (from - begin);
      if (!whole) part.resize_discarding(entry.plain_bytes);
      PRESSO_TRY(blocks_.decode_bytes(block, whole ? place : part.data()));
      if (!whole) std::memcpy(place, part.data() + (from - at), to - from);
    }
    at += entry.plain_bytes;
  }
  offsets.resize(std::size_t{range.rows} + 1);
  for (std::uint32_t i = 0; i <= range.rows; ++i) {
    offsets[i] = all[range.first + i] - static_cast<std::int64_t>(begin);
  }
  return {};
}

Result<DictionaryEntries> RowGroupDecoder::dictionary(std::size_t column) const {
  return without_bad_alloc([&] { return read_entries(group_.columns[column]); });
}

Result<TokenDictionary> RowGroupDecoder::tokens(std::size_t column) const {
  return without_bad_alloc([&] { return read_token_dictionary(group_.columns[column]); });
}

Result<std::vector<std::int64_t>> RowGroupDecoder::string_offsets(std::size_t column) const {
  return without_bad_alloc([&] { return read_offsets(group_.columns[column], group_.rows); });
}

Result<ExactLines> RowGroupDecoder::exact_lines() const {
  if (!schema_.exact) return ExactLines{};
  return without_bad_alloc([&] { return read_exact_lines(); });
}

// They follow the column of exact lines.
Status RowGroupDecoder::read_spellings(std::vector<ColumnData>& spellings) const {
  for (std::size_t i = schema_.columns.size() + 1; i < group_.columns.size(); ++i) {
    PRESSO_ASSIGN(ColumnData column, read_rows(i, {0, group_.rows}));
    spellings.push_back(std::move(column));
  }
  return {};
}

// Row numbers must ascend; the last may be one after the last row, for text at the end.
Result<ExactLines> RowGroupDecoder::read_exact_lines() const {
  ExactLines lines;
  PRESSO_TRY(read_spellings(lines.spellings));
  const ColumnChunk& chunk = group_.columns[schema_.columns.size()];
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < chunk.blocks; ++i) {
    const ColumnBlock& block = group_.blocks[chunk.first_block + i];
    // The chunk has no field for the number of lines.
    if (block.stream == ColumnStream::kRows) count += block.rows;
  }
  if (count == 0) return lines;
  PRESSO_ASSIGN(lines.rows, read_numbers_of_4_bytes(chunk, ColumnStream::kRows, {0, count}));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (lines.rows[i] > group_.rows || (i > 0 && lines.rows[i] <= lines.rows[i - 1])) {
      return bad_column("row numbers of exact lines");
    }
  }
  Buffer text;
  PRESSO_TRY(read_byte_strings(chunk, count, {0, count}, lines.offsets, text));
  lines.bytes.assign(text.data(), text.data() + text.size());
  return lines;
}

/// Used by `presso test`.
Status RowGroupDecoder::check() const {
  for (std::size_t column = 0; column < schema_.columns.size(); ++column) {
    auto data = read(column, 0, group_.rows);
    if (!data.ok()) return std::move(data.error());
  }
  // The pseudo column of exact lines is no column of the schema.
  auto lines = exact_lines();
  return lines.ok() ? Status{} : Status{std::move(lines.error())};
}

}  // namespace presso
