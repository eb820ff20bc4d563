// SPDX-License-Identifier: MIT
// Writes the streams of a row group as raw blocks.
#include "format/columns/plain_row_group.h"

#include <algorithm>
#include <numeric>

#include "format/columns/bit_copy.h"
#include "format/columns/column_block.h"
#include "format/columns/zone_image.h"
#include "format/raw_block.h"

namespace presso {
namespace {

/// A dictionary is taken if its entries stand for this number of rows each, on average.
constexpr std::size_t kRowsOfAnEntry = 4;
/// The bytes of a block of strings.
constexpr std::size_t kStringBlockBytes = 1u << 20;

template <class T>
const Byte* bytes_in(const std::vector<T>& values) {
  return reinterpret_cast<const Byte*>(values.data());
}

constexpr auto kNoZone = [](std::uint32_t, std::uint32_t) { return Zone{}; };

}  // namespace

void PlainRowGroup::begin_column(Representation representation) {
  ColumnChunk chunk;
  chunk.representation = representation;
  chunk.first_block = static_cast<std::uint32_t>(directory_.blocks.size());
  directory_.columns.push_back(chunk);
}

bool PlainRowGroup::add(const ColumnView& column, bool try_dictionary) {
  const std::uint32_t rows = directory_.rows;
  const std::uint32_t nulls =
      column.validity == nullptr
          ? 0
          : rows - static_cast<std::uint32_t>(count_bits(column.validity, rows));
  const bool strings = is_string(column.type) && nulls < rows;
  std::optional<StringDictionary> dictionary;
  if (strings && try_dictionary) {
    dictionary = build_dictionary(column);
    if (dictionary && dictionary->entry_lengths.size() * kRowsOfAnEntry > rows) dictionary.reset();
  }
  begin_column(nulls == rows ? Representation::kNull
               : !strings    ? Representation::kPlain
               : dictionary  ? Representation::kDictionary
                             : Representation::kBytes);
  chunk().nulls = nulls;
  if (nulls == rows) return true;
  if (nulls > 0) add_integers(ColumnStream::kValidity, column.validity, 0, rows, kNoZone);
  if (!strings) {
    add_integers(ColumnStream::kValues, column.values, static_cast<Byte>(value_bytes(column.type)),
                 rows, [&](std::uint32_t first, std::uint32_t count) {
                   return zone_of_rows(column, first, count);
                 });
    return true;
  }
  chunk().value_bytes = static_cast<std::uint64_t>(column.offsets[rows] - column.offsets[0]);
  dictionary ? add_dictionary(column, *dictionary) : add_strings(column);
  return dictionary.has_value() || !try_dictionary;
}

void PlainRowGroup::add_numbers(std::int64_t first) {
  std::vector<std::int64_t> numbers(directory_.rows);
  std::iota(numbers.begin(), numbers.end(), first);
  begin_column(Representation::kPlain);
  add_integers(ColumnStream::kValues, bytes_in(numbers), sizeof(std::int64_t), directory_.rows,
               [&](std::uint32_t row, std::uint32_t count) {
                 Zone zone{.flags = kZoneKnown};
                 zone.least = signed_image(numbers[row]);
                 zone.most = signed_image(numbers[row + count - 1]);
                 return zone;
               });
}

void PlainRowGroup::add_dictionary(const ColumnView& column, const StringDictionary& dictionary) {
  const auto entries = static_cast<std::uint32_t>(dictionary.entry_lengths.size());
  chunk().entries = chunk().distinct = entries;
  add_integers(ColumnStream::kEntryLengths, bytes_in(dictionary.entry_lengths), 4, entries,
               kNoZone);
  add_bytes(dictionary.entries, ColumnStream::kEntryBytes, 1);
  add_integers(ColumnStream::kCodes, bytes_in(dictionary.codes), 4, directory_.rows,
               [&](std::uint32_t first, std::uint32_t count) {
                 Zone zone = zone_of_rows(column, first, count);
                 for (std::uint32_t row = first; row < first + count; ++row) {
                   if (column.is_null(row)) continue;
                   zone.presence |= dictionary.presence_bits[dictionary.codes[row]];
                 }
                 return zone;
               });
}

/// Lengths carry the ranges, because they are the stream that has every row. A block of bytes ends
/// with the first string that fills it, or within a long one.
void PlainRowGroup::add_strings(const ColumnView& column) {
  const std::int64_t* const offsets = column.offsets;
  std::vector<std::uint64_t> lengths(directory_.rows);
  for (std::uint32_t row = 0; row < directory_.rows; ++row) {
    lengths[row] = static_cast<std::uint64_t>(offsets[row + 1] - offsets[row]);
  }
  add_integers(
      ColumnStream::kLengths, bytes_in(lengths), 8, directory_.rows,
      [&](std::uint32_t first, std::uint32_t count) { return zone_of_rows(column, first, count); });
  add_string_bytes(column.values, {offsets, std::size_t{directory_.rows} + 1});
}

void PlainRowGroup::add_string_bytes(const Byte* values, std::span<const std::int64_t> offsets) {
  const std::size_t rows = offsets.size() - 1;
  for (std::size_t row = 0; row < rows;) {
    std::size_t end = row + 1;
    while (end < rows &&
           static_cast<std::size_t>(offsets[end + 1] - offsets[row]) <= kStringBlockBytes) {
      ++end;
    }
    const auto bytes = static_cast<std::size_t>(offsets[end] - offsets[row]);
    add_bytes({values + offsets[row], bytes}, ColumnStream::kBytes,
              static_cast<std::uint32_t>(end - row));
    row = end;
  }
}

void PlainRowGroup::add_exact_lines(const ColumnView& lines) {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> lengths;
  std::vector<std::int64_t> offsets(1, 0);
  for (std::uint64_t row = 0; row < lines.rows; ++row) {
    if (lines.is_null(row)) continue;
    rows.push_back(static_cast<std::uint32_t>(row));
    lengths.push_back(lines.string(row).size());
    offsets.push_back(lines.offsets[row + 1]);
  }
  begin_column(Representation::kExactLines);
  chunk().value_bytes = static_cast<std::uint64_t>(offsets.back());
  const auto count = static_cast<std::uint32_t>(rows.size());
  add_integers(ColumnStream::kRows, bytes_in(rows), 4, count, kNoZone);
  add_integers(ColumnStream::kLengths, bytes_in(lengths), 8, count, kNoZone);
  add_string_bytes(lines.values, offsets);
}

/// Cuts long strings, which continue in blocks of 0 rows.
void PlainRowGroup::add_bytes(Bytes bytes, ColumnStream stream, std::uint32_t rows) {
  const std::size_t most = stream == ColumnStream::kBytes ? kStringBlockBytes : kMaxEntryBytes;
  for (; !bytes.empty(); rows = 0) {
    const Bytes part = bytes.first(std::min(bytes.size(), most));
    add_block(stream, part, rows, {});
    bytes = bytes.subspan(part.size());
  }
}

template <class ZoneOf>
void PlainRowGroup::add_integers(ColumnStream stream, const Byte* values, Byte width_bytes,
                                 std::uint32_t count, ZoneOf zone_of) {
  for (std::uint32_t first = 0; first < count; first += kMaxBlockRows) {
    const std::uint32_t rows = std::min(count - first, kMaxBlockRows);
    const std::size_t at = width_bytes == 0 ? first / 8 : std::size_t{first} * width_bytes;
    add_block(stream, {values + at, integer_bytes(width_bytes, rows)}, rows, zone_of(first, rows));
  }
}

void PlainRowGroup::add_block(ColumnStream stream, Bytes plain, std::uint32_t rows,
                              const Zone& zone) {
  const std::size_t begin = blocks_.size();
  append_raw_block(plain, static_cast<std::uint32_t>(directory_.blocks.size()), FrameKind::kBlock,
                   blocks_);
  directory_.blocks.push_back(
      entry_of_block(stream, blocks_.size() - begin, plain.size(), rows, zone));
  ++chunk().blocks;
}

}  // namespace presso
