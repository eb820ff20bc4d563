// SPDX-License-Identifier: MIT
// ColumnBuilder: parses fields into the memory of a column. Room for a whole batch is made first,
// so that values are written without checks; strings of up to 32 bytes are copied as 32, which may
// reach into the slack after the end.
#include "compress/table/text/column_builder.h"

#include <algorithm>
#include <cstring>

#include "compress/table/text/json_tokenizer.h"

namespace presso {
namespace {

constexpr std::size_t kWideCopy = 32;
static_assert(kWideCopy <= Buffer::kSlack);

/// Halves doubled quotes; returns the number of bytes written.
std::size_t unescape(Bytes value, Byte quote, Byte* to) {
  const Byte* const begin = to;
  for (std::size_t i = 0; i < value.size(); ++i) {
    *to++ = value[i];
    if (value[i] == quote) ++i;  // its double
  }
  return static_cast<std::size_t>(to - begin);
}

}  // namespace

ColumnBuilder::ColumnBuilder(const ColumnSchema& column, const TextForm& form)
    : column_(column),
      null_text_(form.null_text),
      quote_(form.quote),
      json_(form.kind == TextKind::kJsonLines),
      width_(value_bytes(column.type)),
      parse_(value_parser(column)) {
  begin_data();
}

/// Even without values there is memory, because its slack may be read and written.
void ColumnBuilder::begin_data() {
  data_ = ColumnData{};
  data_.type = column_.type;
  data_.values.resize_discarding(1);
  data_.values.clear();
  string_bytes_ = 0;
}

/// Makes room for all values of the batch.
void ColumnBuilder::reserve(const RecordBatch& batch, std::size_t index) {
  const std::uint64_t rows = data_.rows + batch.records();
  if (!data_.validity.empty()) data_.validity.resize((rows + 7) / 8);
  if (width_ != 0) return data_.values.grow(rows * width_);
  if (!is_string(column_.type)) {
    const std::size_t before = data_.values.size();
    data_.values.grow((rows + 7) / 8);
    std::fill(data_.values.data() + before, data_.values.data() + data_.values.size(), Byte{0});
    return;
  }
  // Lengths in the text are upper bounds: unescaping only shortens.
  std::size_t bytes = string_bytes_;
  for (std::size_t r = 0; r < batch.records(); ++r) {
    if (index < batch.fields_of(r)) bytes += batch.fields[batch.first_field[r] + index].length;
  }
  data_.values.grow(bytes);
  if (data_.offsets.empty()) data_.offsets.push_back(0);
  if (data_.offsets.capacity() <= rows) data_.offsets.reserve(2 * rows);
}

void ColumnBuilder::expect(double times) {
  const auto expected = [times](std::uint64_t so_far) {
    return static_cast<std::size_t>(static_cast<double>(so_far) * times);
  };
  const std::size_t size = data_.values.size();
  data_.values.grow(std::max(size, expected(size)));
  data_.values.grow(size);
  if (is_string(column_.type)) data_.offsets.reserve(expected(data_.rows) + 1);
}

void ColumnBuilder::put_null(std::uint64_t row) {
  // All rows so far have values.
  if (data_.validity.empty()) {
    const std::uint64_t full = row / 8;
    data_.validity.assign(full + kBatchRecords / 8, 0);
    std::fill_n(data_.validity.begin(), full, Byte{0xFF});
    data_.validity[full] = static_cast<Byte>((1u << (row % 8)) - 1);
  }
  if (row / 8 >= data_.validity.size()) data_.validity.resize(row / 8 + 1);
  if (width_ != 0) std::memset(data_.values.data() + row * width_, 0, width_);
  if (is_string(column_.type)) data_.offsets.push_back(static_cast<std::int64_t>(string_bytes_));
}

// A copy of 32 bytes reads past a shorter value, so it must lie well within the text.
void ColumnBuilder::put_string(const Field& field, Bytes text) {
  const Bytes value = text.subspan(field.begin, field.length);
  Byte* const to = data_.values.data() + string_bytes_;
  if (field.escaped) {
    string_bytes_ += json_ ? unescape_json(value, to) : unescape(value, quote_, to);
  } else {
    if (value.size() <= kWideCopy && text.size() - field.begin >= kWideCopy) {
      std::memcpy(to, value.data(), kWideCopy);
    } else if (!value.empty()) {
      std::memcpy(to, value.data(), value.size());
    }
    string_bytes_ += value.size();
  }
  data_.offsets.push_back(static_cast<std::int64_t>(string_bytes_));
}

/// Stores a value: numbers by the column's parser, strings as they are. False if the text does not
/// parse.
bool ColumnBuilder::put_value(std::uint64_t row, const Field& field, Bytes text) {
  const Bytes value = text.subspan(field.begin, field.length);
  if (width_ != 0) return parse_(column_, value, data_.values.data() + row * width_);
  if (is_string(column_.type)) {
    put_string(field, text);
    return true;
  }
  Byte truth = 0;
  if (!parse_(column_, value, &truth)) return false;
  data_.values.data()[row / 8] |= static_cast<Byte>(truth << (row % 8));
  return true;
}

/// Checks what append() would check, without storing anything.
bool ColumnBuilder::fits(const RecordBatch& batch, Bytes text, std::size_t record,
                         std::size_t index) const {
  const std::size_t at = batch.first_field[record] + index;
  if (at >= batch.first_field[record + 1] || is_null(batch.fields[at], text, null_text_)) {
    return column_.nullable;
  }
  if (is_string(column_.type)) return true;
  Byte value[16];
  return parse_(column_, text.subspan(batch.fields[at].begin, batch.fields[at].length), value);
}

// Lines are counted only here, because only one error is reported.
Error ColumnBuilder::refuse(const RecordBatch& batch, Bytes text, std::size_t record,
                            std::size_t index, std::uint64_t first_line) const {
  const std::size_t first = batch.first_field[record];
  const std::uint64_t line = first_line + count_lines(text.first(batch.fields[first].begin));
  std::string what;
  if (index >= batch.fields_of(record) || is_null(batch.fields[first + index], text, null_text_)) {
    what.append("null in column ").append(column_.name).append(", which has none");
  } else {
    const Field& field = batch.fields[first + index];
    what.append("`").append(shown(text.subspan(field.begin, field.length))).append("` in column '");
    what.append(column_.name).append("' is not a text of type ").append(type_name(column_));
  }
  return error_in_line(line, what);
}

/// Stops at the first value that does not fit, whose line is then found.
Status ColumnBuilder::append(const RecordBatch& batch, Bytes text, std::size_t index,
                             std::uint64_t first_line) {
  reserve(batch, index);
  const std::size_t records = batch.records();
  for (std::size_t r = 0; r < records; ++r) {
    const std::size_t at = batch.first_field[r] + index;
    const std::uint64_t row = data_.rows + r;
    if (at >= batch.first_field[r + 1] || is_null(batch.fields[at], text, null_text_)) {
      if (!column_.nullable) return refuse(batch, text, r, index, first_line);
      put_null(row);
      continue;
    }
    if (!put_value(row, batch.fields[at], text)) return refuse(batch, text, r, index, first_line);
    if (!data_.validity.empty()) {
      if (row / 8 >= data_.validity.size()) data_.validity.resize(row / 8 + 1);
      data_.validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
    }
  }
  data_.rows += records;
  return {};
}

/// Cuts memory to size; offsets exist even without rows.
ColumnData ColumnBuilder::finish() {
  if (is_string(column_.type)) {
    data_.values.grow(string_bytes_);
    if (data_.offsets.empty()) data_.offsets.push_back(0);
  }
  if (!data_.validity.empty()) data_.validity.resize((data_.rows + 7) / 8);
  ColumnData done = std::move(data_);
  begin_data();
  return done;
}

}  // namespace presso
