// SPDX-License-Identifier: MIT
// Implements batch_builder.h, which makes columns in Arrow's layout of vectors of results. Integers
// are narrowed to the width of their column; that they fit was checked when they were computed.
//
// A batch is columns as files store them (ColumnData): fixed-width values, bits for truth values,
// or offsets and bytes for strings. Every append grows all columns by the same rows.
#include "query/rows/batch_builder.h"

#include <algorithm>

#include "format/columns/bit_copy.h"

namespace presso::query {
namespace {

/// Grows the buffer by `more` bytes and returns where they begin.
Byte* extended(Buffer& buffer, std::size_t more) {
  const std::size_t size = buffer.size();
  buffer.grow(size + more);
  return buffer.data() + size;
}

/// Converts and appends the values of a vector.
template <class From, class To>
void append_as(Buffer& to, const VectorView& view, std::uint32_t count) {
  const From* const from = view.as<From>();
  Byte* const at = extended(to, count * sizeof(To));
  for (std::uint32_t i = 0; i < count; ++i) {
    store<To>(at + i * sizeof(To), static_cast<To>(from[i]));
  }
}

/// Dispatches on the width of the stored type; types of 16 bytes are the default.
template <class From>
void append_integers(Buffer& to, ColumnType type, const VectorView& view, std::uint32_t count) {
  switch (value_bytes(type)) {
    case 1:
      return append_as<From, std::int8_t>(to, view, count);
    case 2:
      return append_as<From, std::int16_t>(to, view, count);
    case 4:
      return append_as<From, std::int32_t>(to, view, count);
    case 8:
      return append_as<From, std::int64_t>(to, view, count);
    default:
      return append_as<From, Int128>(to, view, count);
  }
}

/// Bits are added one by one, as rows need not begin at a byte.
void append_bools(Buffer& to, std::uint64_t rows, const VectorView& view, std::uint32_t count) {
  const std::size_t size = (rows + count + 7) / 8;
  const std::size_t old = to.size();
  to.grow(size);
  std::fill(to.data() + old, to.data() + size, Byte{0});
  for (std::uint32_t i = 0; i < count; ++i) {
    if (view.as<Byte>()[i] == 0) continue;
    to.data()[(rows + i) / 8] |= static_cast<Byte>(1u << ((rows + i) % 8));
  }
}

}  // namespace

BatchBuilder::BatchBuilder(const TableSchema& schema) : schema_(schema) {
  take();
}

std::uint64_t BatchBuilder::bytes() const {
  std::uint64_t bytes = 0;
  for (const ColumnData& column : batch_) {
    bytes += column.values.size() + column.validity.size() +
             column.offsets.size() * sizeof(column.offsets[0]);
  }
  return bytes;
}

/// Sizing and clearing leaves the capacity.
void BatchBuilder::expect(std::uint64_t rows) {
  for (ColumnData& column : batch_) {
    if (is_string(column.type)) {
      column.offsets.reserve(rows + 1);
    } else if (column.type != ColumnType::kBool) {
      column.values.resize_discarding(static_cast<std::size_t>(rows) * value_bytes(column.type));
      column.values.clear();
    }
  }
}

ResultBatch BatchBuilder::take() {
  ResultBatch taken = std::move(batch_);
  batch_.clear();
  for (ColumnData& column : taken) column.rows = rows_;
  rows_ = 0;
  for (const ColumnSchema& schema : schema_.columns) {
    ColumnData column;
    column.type = schema.type;
    column.values.resize_discarding(0);
    if (is_string(schema.type)) column.offsets.push_back(0);
    batch_.push_back(std::move(column));
  }
  return taken;
}

/// Two passes, so that the bytes are allocated once. Nulls become empty strings.
void BatchBuilder::append_strings(ColumnData& column, const VectorView& view, std::uint32_t count) {
  const StringRef* const from = view.as<StringRef>();
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < count; ++i) bytes += view.is_null(i) ? 0 : from[i].size;
  Byte* at = extended(column.values, static_cast<std::size_t>(bytes));
  std::int64_t end = column.offsets.back();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t size = view.is_null(i) ? 0 : from[i].size;
    if (size > 0) std::memcpy(at, from[i].data, static_cast<std::size_t>(size));
    at += size;
    end += static_cast<std::int64_t>(size);
    column.offsets.push_back(end);
  }
}

void BatchBuilder::append_values(ColumnData& column, const ColumnSchema& schema,
                                 const VectorView& view, std::uint32_t count) const {
  switch (view.physical) {
    case Physical::kBool:
      return append_bools(column.values, rows_, view, count);
    case Physical::kDouble:
      if (schema.type == ColumnType::kFloat) {
        return append_as<double, float>(column.values, view, count);
      }
      return append_as<double, double>(column.values, view, count);
    case Physical::kString:
      return append_strings(column, view, count);
    case Physical::kInt64:
      return append_integers<std::int64_t>(column.values, schema.type, view, count);
    case Physical::kInt128:
      return append_integers<Int128>(column.values, schema.type, view, count);
  }
}

/// The bitmap is made at the first null, for all rows so far.
void BatchBuilder::append_validity(ColumnData& column, const VectorView& view,
                                   std::uint32_t count) const {
  if (view.validity == nullptr && column.validity.empty()) return;
  const std::size_t old = static_cast<std::size_t>((rows_ + 7) / 8);
  if (column.validity.empty()) {
    column.validity.assign(old, 0xFF);
    if (rows_ % 8 != 0) column.validity.back() = static_cast<Byte>((1u << (rows_ % 8)) - 1);
  }
  column.validity.resize((rows_ + count + 7) / 8, 0);
  if (view.validity == nullptr) {
    for (std::uint64_t row = rows_; row < rows_ + count; ++row) {
      column.validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
    }
    return;
  }
  copy_bits(reinterpret_cast<const Byte*>(view.validity), 0, count, column.validity.data(), rows_);
}

void BatchBuilder::append(std::span<const VectorView> columns, std::uint32_t count) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    append_values(batch_[i], schema_.columns[i], columns[i], count);
    append_validity(batch_[i], columns[i], count);
  }
  rows_ += count;
}

std::uint64_t rows_of(const ResultBatch& batch) {
  return batch.empty() ? 0 : batch[0].rows;
}

/// Copies rows [first, first + rows). Bits are shifted to begin at bit 0, offsets to begin at 0; a
/// dictionary is shared and not copied.
ResultBatch part_of(const ResultBatch& batch, std::uint64_t first, std::uint64_t rows) {
  ResultBatch part;
  for (const ColumnData& from : batch) {
    ColumnData to;
    to.type = from.type;
    to.rows = rows;
    to.dictionary = from.dictionary;
    if (is_string(from.type)) {
      const std::int64_t begin = from.offsets[first];
      const std::int64_t end = from.offsets[first + rows];
      to.values.append({from.values.data() + begin, static_cast<std::size_t>(end - begin)});
      for (std::uint64_t i = 0; i <= rows; ++i)
        to.offsets.push_back(from.offsets[first + i] - begin);
    } else if (from.type == ColumnType::kBool) {
      to.values.resize_discarding((rows + 7) / 8);
      std::fill_n(to.values.data(), to.values.size(), Byte{0});
      copy_bits(from.values.data(), first, rows, to.values.data(), 0);
    } else {
      const std::size_t width = value_bytes(from.type);
      to.values.append(
          {from.values.data() + first * width, static_cast<std::size_t>(rows * width)});
    }
    if (!from.validity.empty()) {
      to.validity.assign((rows + 7) / 8, 0);
      copy_bits(from.validity.data(), first, rows, to.validity.data(), 0);
    }
    part.push_back(std::move(to));
  }
  return part;
}

}  // namespace presso::query
