// SPDX-License-Identifier: MIT
#include "lab/programs/table_gpu/plain_columns.h"

#include <algorithm>
#include <cstring>

#include "format/columns/column_block.h"
#include "format/columns/integer_layout.h"

namespace presso {
namespace {

constexpr std::size_t kAlignment = 256;

/// A number that was stored in so many bytes, as one of 64 bits.
std::uint64_t widened(const Byte* from, Byte width_bytes, bool is_signed) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, width_bytes);
  const unsigned unused = 64 - 8u * width_bytes;
  value <<= unused;
  if (is_signed) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> unused);
  return value >> unused;
}

Error not_plain(const GroupReader& reader, std::size_t column) {
  return make_error(ErrorCode::kUnsupported, "column " + reader.schema().columns[column].name +
                                                 ": neither whole numbers nor codes, or nulls");
}

/// The values of a slice, signed ones sign-extended.
Result<std::vector<std::uint64_t>> values_of(const GroupReader& reader, std::size_t column,
                                             const gpu::LoadedSlice& slice) {
  const ColumnChunk& chunk = reader.chunk(column);
  const ColumnType type = reader.schema().columns[column].type;
  const bool has_codes = chunk.representation == Representation::kDictionary;
  const bool is_whole = chunk.representation == Representation::kPlain &&
                        type != ColumnType::kFloat && type != ColumnType::kDouble;
  const auto width = static_cast<Byte>(has_codes ? 4 : value_bytes(type));
  const bool has_width = width != 0 && width <= 8;
  if (!(has_codes || is_whole) || !has_width || chunk.nulls != 0) return not_plain(reader, column);
  const ColumnStream stream = has_codes ? ColumnStream::kCodes : ColumnStream::kValues;
  const auto blocks = reader.blocks_of(column, stream, slice.first, slice.first + slice.rows);
  std::vector<Byte> decoded(std::size_t{slice.rows} * width + Buffer::kSlack);
  PRESSO_TRY(reader.blocks().decode_integers(blocks.first, width, decoded.data()));
  std::vector<std::uint64_t> values(slice.rows);
  const bool has_sign = !has_codes && is_signed(type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = widened(decoded.data() + i * width, width, has_sign);
  }
  return values;
}

}  // namespace

std::optional<ColumnLayout> layout_named(std::string_view name) {
  if (name == "stored") return ColumnLayout::kStored;
  if (name == "narrow") return ColumnLayout::kNarrow;
  if (name == "int32") return ColumnLayout::kInt32;
  if (name == "words") return ColumnLayout::kWords;
  return std::nullopt;
}

/// All values of a column, by slice, and between which they lie.
struct PlainColumns::Column {
  std::vector<std::vector<std::uint64_t>> slices;
  bool is_signed = false;
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  bool is_less(std::uint64_t a, std::uint64_t b) const {
    constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
    return is_signed ? (a ^ kTopBit) < (b ^ kTopBit) : a < b;
  }

  void find_range() {
    least = most = slices[0][0];
    const auto less = [this](std::uint64_t a, std::uint64_t b) { return is_less(a, b); };
    for (const auto& values : slices) {
      const auto [low, high] = std::minmax_element(values.begin(), values.end(), less);
      least = std::min(least, *low, less);
      most = std::max(most, *high, less);
    }
  }

  /// Whether numbers of so many bytes, with the type's sign, are enough.
  bool fits(Byte width_bytes) const {
    const auto is_kept = [&](std::uint64_t value) {
      return widened(reinterpret_cast<const Byte*>(&value), width_bytes, is_signed) == value;
    };
    return is_kept(least) && is_kept(most);
  }

  Byte width_bytes(ColumnLayout layout) const {
    for (const Byte width : {Byte{1}, Byte{2}, Byte{4}}) {
      if ((layout == ColumnLayout::kNarrow || width == 4) && fits(width)) return width;
    }
    return 8;
  }

  /// What the values of kWords are above: 0, or the least one where that is below.
  std::uint64_t base() const { return is_signed && is_less(least, 0) ? least : 0; }
  bool fits_words() const { return most - base() <= 0xFFFFFFFFu; }
};

Byte* PlainColumns::room(std::size_t bytes) {
  const std::size_t at = image_.size();
  image_.resize(at + (bytes + kAlignment - 1) / kAlignment * kAlignment);
  bytes_ += bytes;
  gpu::TableBlock block;
  placed_.push_back({block, at});
  return image_.data() + at;
}

void PlainColumns::add_array(const std::vector<std::uint64_t>& values, Byte width_bytes) {
  Byte* const to = room(values.size() * width_bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(to + i * width_bytes, &values[i], width_bytes);
  }
  placed_.back().block.width_bytes = width_bytes;
  placed_.back().block.is_plain = true;
}

/// Packed values of 32 bits lie one behind another, as those of an array do.
void PlainColumns::add_words(const std::vector<std::uint64_t>& values, std::uint64_t base) {
  const auto rows = static_cast<std::uint32_t>(values.size());
  const std::size_t words = (values.size() + kLanes - 1) / kLanes * kLanes;
  const std::size_t directory = std::size_t{vectors_of(rows)} * kVectorEntryBytes;
  Byte* const to = room(directory + words * sizeof(std::uint32_t));
  for (std::uint32_t vector = 0; vector < vectors_of(rows); ++vector) {
    VectorEntry entry;
    entry.word_offset = vector * kVectorRows;
    entry.kind = static_cast<Byte>(IntegerKind::kPacked);
    entry.width = kLanes;
    entry.base = base;
    store_vector_entry(to + vector * kVectorEntryBytes, entry);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto word = static_cast<std::uint32_t>(values[i] - base);
    std::memcpy(to + directory + i * sizeof word, &word, sizeof word);
  }
  placed_.back().block.width_bytes = 8;
}

void PlainColumns::add_column(const Column& column, ColumnLayout layout) {
  const bool has_words = layout == ColumnLayout::kWords && column.fits_words();
  gpu::ColumnForms& forms = vector_forms_.emplace_back();
  for (const std::vector<std::uint64_t>& values : column.slices) {
    has_words ? add_words(values, column.base()) : add_array(values, column.width_bytes(layout));
    gpu::TableBlock& block = placed_.back().block;
    block.rows = static_cast<std::uint32_t>(values.size());
    block.is_signed = column.is_signed;
    for (std::uint32_t i = 0; i < vectors_of(block.rows); ++i) forms.count(has_words, kLanes, 1);
  }
}

Result<PlainColumns> PlainColumns::make(const gpu::LoadedTable& table,
                                        const std::vector<std::size_t>& columns,
                                        ColumnLayout layout) {
  PlainColumns made;
  for (const std::size_t number : columns) {
    Column column;
    for (const gpu::LoadedSlice& slice : table.slices()) {
      const GroupReader& reader = *table.groups()[slice.group].reader;
      PRESSO_ASSIGN(auto values, values_of(reader, number, slice));
      column.slices.push_back(std::move(values));
      const bool has_codes = reader.chunk(number).representation == Representation::kDictionary;
      column.is_signed = !has_codes && is_signed(reader.schema().columns[number].type);
    }
    column.find_range();
    made.add_column(column, layout);
  }
  return made;
}

std::vector<gpu::TableBlock> PlainColumns::blocks_at(const Byte* base) const {
  std::vector<gpu::TableBlock> blocks;
  for (const Placed& one : placed_) {
    blocks.push_back(one.block);
    blocks.back().words = reinterpret_cast<const std::uint32_t*>(base + one.at);
  }
  return blocks;
}

}  // namespace presso
