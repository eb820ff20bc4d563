// SPDX-License-Identifier: MIT
// ColumnBuilder: parses fields into the memory of a column. Room for a whole batch is made first,
// so that values are written without checks; strings of up to 32 bytes are copied as 32, which may
// reach into the slack after the end.
#include "compress/table/text/column_builder.h"

#include <algorithm>
#include <cstring>

#include "compress/table/text/field_reader.h"
#include "compress/table/text/json_tokenizer.h"
#include "compress/table/text/text_checks.h"
#include "format/columns/spelling.h"

namespace presso {
namespace {

constexpr std::size_t kWideCopy = 32;
static_assert(kWideCopy <= Buffer::kSlack);

}  // namespace

ColumnBuilder::ColumnBuilder(const ColumnSchema& column, const TextForm& form,
                             const ReadingRules& rules)
    : column_(column),
      null_text_(form.null_text),
      null_words_(rules.null_words),
      delimiter_(form.delimiter),
      quote_(form.quote),
      escape_(rules.escape),
      json_(form.kind == TextKind::kJsonLines),
      width_(value_bytes(column.type)),
      parse_(value_parser(column)),
      strict_(column.spelling.empty() && column.date_format == 0) {
  if (column.date_format != 0) date_format_ = rules.date_formats[column.date_format - 1u];
  begin_data();
}

FieldReader ColumnBuilder::reader() const {
  return FieldReader(column_, date_format_ ? &*date_format_ : nullptr);
}

/// Whether a field is null because it is what the caller has said that nulls are.
bool ColumnBuilder::is_null_field(const Field& field, Bytes text) const {
  return is_null(field, text, null_text_) || is_null_by(null_words_, field, text);
}

/// Even without values there is memory, because its slack may be read and written.
void ColumnBuilder::begin_data() {
  data_ = ColumnData{};
  data_.type = column_.type;
  data_.values.resize_discarding(1);
  data_.values.clear();
  string_bytes_ = 0;
  spellings_ = ColumnData{};
  spellings_.values.resize_discarding(1);
  spellings_.values.clear();
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
    string_bytes_ += json_ ? unescape_json(value, to) : unescape_value(value, quote_, escape_, to);
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

/// Whether the quotes of a field are those that the column's rule asks for.
bool ColumnBuilder::has_usual_quotes(const Field& field, Bytes text) const {
  if (json_ || field.quoted == (column_.quoting == Quoting::kAlways)) return true;
  const Byte* const begin = text.data() + field.begin;
  return field.quoted && !is_string(column_.type) &&
         std::find(begin, begin + field.length, delimiter_) != begin + field.length;
}

/// Whether the value is written like most of the column, so that it needs no spelling.
bool ColumnBuilder::is_usual(const Byte* value, Bytes text) const {
  char printed[kMaxSpelledText];
  const std::size_t size = print_spelled(column_, value, column_.spelling, printed);
  return size == text.size() &&
         std::equal(text.begin(), text.end(), reinterpret_cast<const Byte*>(printed));
}

/// Stores a value, or a word for a missing one, that put_value() does not take or that is written
/// unlike most of the column. False if it is neither.
bool ColumnBuilder::put_unusual(FieldReader& reader, std::uint64_t row, const Field& field,
                                Bytes text) {
  const Bytes value = text.subspan(field.begin, field.length);
  if (is_null_word(value, column_.type)) {
    if (!column_.nullable) return false;
    put_null(row);
    const bool usual = column_.null_text && !field.quoted && text_of(value) == *column_.null_text;
    if (!usual) put_field(row, field, text);
    return true;
  }
  Byte parsed[16] = {};
  if (!reader.read(value, parsed)) return false;
  if (width_ != 0) {
    std::memcpy(data_.values.data() + row * width_, parsed, width_);
  } else {
    data_.values.data()[row / 8] |= static_cast<Byte>((parsed[0] & 1) << (row % 8));
  }
  mark_valid(row);
  if (!column_.spelled) return true;
  std::string_view spelling = reader.spelling();
  if (!has_usual_quotes(field, text) || (!spelling.empty() && spelling.front() == kFieldKind)) {
    put_field(row, field, text);
  } else if (spelling != column_.spelling && !(!strict_ && is_usual(parsed, value))) {
    put_spelling(row, spelling.empty() ? std::string_view(&kUsualSpelling, 1) : spelling);
  }
  return true;
}

/// Keeps whether a string has quotes, where that is not what the rule for the column says.
void ColumnBuilder::put_quotes(std::uint64_t row, const Field& field, Bytes text) {
  if (!field.quoted) return put_spelling(row, {&kUnquotedKind, 1});
  const Bytes value = text.subspan(field.begin, field.length);
  const bool needed =
      field.escaped ||
      std::equal(value.begin(), value.end(), null_text_.begin(), null_text_.end()) ||
      std::any_of(value.begin(), value.end(), [this](Byte byte) {
        return byte == delimiter_ || byte == quote_ || byte == '\n' || byte == '\r';
      });
  if (!needed) put_spelling(row, {&kQuotedKind, 1});
}

/// Keeps how a null is written, where that is not the usual way for the column.
void ColumnBuilder::spell_null(std::uint64_t row, const Field& field, Bytes text) {
  if (!column_.null_text && null_words_.empty()) return;
  const std::string& usual = column_.null_text ? *column_.null_text : null_text_;
  if (text_of(text.subspan(field.begin, field.length)) != usual) put_field(row, field, text);
}

/// Keeps a field as it stands, with its quotes.
void ColumnBuilder::put_field(std::uint64_t row, const Field& field, Bytes text) {
  const std::size_t quote = field.quoted ? 1 : 0;
  const Bytes whole = text.subspan(field.begin - quote, field.length + 2 * quote);
  std::string spelling(1, kFieldKind);
  put_spelling(row, spelling.append(whole.begin(), whole.end()));
}

/// Rows since the last spelling have none.
void ColumnBuilder::put_spelling(std::uint64_t row, std::string_view spelling) {
  if (!column_.spelled) return;
  spellings_.offsets.resize(static_cast<std::size_t>(row) + 1,
                            static_cast<std::int64_t>(spellings_.values.size()));
  spellings_.values.append({reinterpret_cast<const Byte*>(spelling.data()), spelling.size()});
}

void ColumnBuilder::set_valid(std::uint64_t row) {
  if (row / 8 >= data_.validity.size()) data_.validity.resize(row / 8 + 1);
  data_.validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
}

/// Checks what append() would check, without storing anything.
bool ColumnBuilder::fits(const RecordBatch& batch, Bytes text, std::size_t record,
                         std::size_t index) const {
  const std::size_t at = batch.first_field[record] + index;
  if (at >= batch.first_field[record + 1] || is_null_field(batch.fields[at], text)) {
    return column_.nullable;
  }
  if (is_string(column_.type)) return true;
  Byte value[16];
  const Bytes field = text.subspan(batch.fields[at].begin, batch.fields[at].length);
  if (is_null_word(field, column_.type)) return column_.nullable;
  return reader().read(field, value);
}

// Lines are counted only here, because only one error is reported.
Error ColumnBuilder::refuse(const RecordBatch& batch, Bytes text, std::size_t record,
                            std::size_t index, std::uint64_t first_line) const {
  const std::size_t first = batch.first_field[record];
  const std::uint64_t line = first_line + count_lines(text.first(batch.fields[first].begin));
  std::string what;
  if (index >= batch.fields_of(record) || is_null_field(batch.fields[first + index], text)) {
    what.append("null in column ").append(column_.name).append(", which has none");
  } else {
    const Field& field = batch.fields[first + index];
    what.append("`").append(shown(text.subspan(field.begin, field.length))).append("` in column '");
    NumberText number;
    const bool is_far = is_integer(column_.type) &&
                        scan_number(text.subspan(field.begin, field.length), number) &&
                        number.is_whole();
    what.append(column_.name)
        .append(is_far ? "' is beyond the range of " : "' is not a text of type ");
    what.append(type_name(column_));
    const bool may_be_moment = is_date_or_time(column_.type) && !date_format_ && field.length > 5;
    if (may_be_moment) what.append("; --date-format says how dates are written");
  }
  return error_in_line(line, what);
}

/// Stops at the first value that does not fit, whose line is then found.
Status ColumnBuilder::append(const RecordBatch& batch, Bytes text, std::size_t index,
                             std::uint64_t first_line) {
  reserve(batch, index);
  const std::size_t records = batch.records();
  const bool string = is_string(column_.type);
  // Most doubles of a column that has spellings are not written in the usual way.
  const bool tries_usual =
      string || (strict_ && !(column_.spelled && column_.type == ColumnType::kDouble));
  FieldReader reader = this->reader();
  const bool has_words = !null_words_.empty();
  for (std::size_t r = 0; r < records; ++r) {
    const std::size_t at = batch.first_field[r] + index;
    const std::uint64_t row = data_.rows + r;
    if (at >= batch.first_field[r + 1] || is_null(batch.fields[at], text, null_text_) ||
        (has_words && is_null_by(null_words_, batch.fields[at], text))) {
      if (!column_.nullable) return refuse(batch, text, r, index, first_line);
      put_null(row);
      if (at < batch.first_field[r + 1]) spell_null(row, batch.fields[at], text);
      continue;
    }
    const Field& field = batch.fields[at];
    const bool usual = tries_usual && (string || !column_.spelled || has_usual_quotes(field, text));
    if (usual && put_value(row, field, text)) {
      mark_valid(row);
      if (string && column_.spelled && !has_usual_quotes(field, text)) put_quotes(row, field, text);
    } else if (string || !put_unusual(reader, row, field, text)) {
      return refuse(batch, text, r, index, first_line);
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
  ColumnData spellings = std::move(spellings_);
  begin_data();
  spellings_ = std::move(spellings);
  spellings_.type = ColumnType::kUtf8;
  spellings_.rows = done.rows;
  spellings_.offsets.resize(static_cast<std::size_t>(done.rows) + 1,
                            static_cast<std::int64_t>(spellings_.values.size()));
  return done;
}

}  // namespace presso
