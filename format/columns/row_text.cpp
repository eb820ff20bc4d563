// SPDX-License-Identifier: MIT
// Prints rows. Each field's way of printing is decided once, in the constructor, so that the
// loop over rows only switches on a small enum. A batch has room for its longest possible text
// from the start; no field checks bounds.
#include "format/columns/row_text.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "format/columns/spelling.h"
#include "format/columns/utf8_check.h"
#include "format/columns/value_patterns.h"

namespace presso {
namespace {

constexpr std::uint64_t kMostBatchRows = 1024;
constexpr std::uint64_t kBatchBytes = 2u << 20;  ///< without strings
constexpr std::uint64_t kBatchStringBytes = 256u << 10;

/// Copies text without a check of room; returns the place after it.
char* put_text(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

// Floats and doubles may be nan or inf, which JSON lacks.
bool is_real(ColumnType type) {
  return type == ColumnType::kFloat || type == ColumnType::kDouble;
}

/// Whether this byte can be part of a value that is not a string.
bool in_values(Byte byte) {
  constexpr std::string_view kSigns = "+-./: ";
  const auto letter = static_cast<Byte>(byte | 0x20);
  return (byte >= '0' && byte <= '9') || (letter >= 'a' && letter <= 'z') ||
         kSigns.find(static_cast<char>(byte)) != kSigns.npos;
}

/// A comma and the name of a member, as they stand before a value that is not a row's first.
std::string name_in_json(Bytes bytes, string_text::JsonEscapes escapes,
                         const JsonSpacing& spacing) {
  std::string text(string_text::escaped_json_bytes(bytes, escapes), '"');
  const char* const end = string_text::escape_json(bytes, text.data(), escapes);
  text.resize(static_cast<std::size_t>(end - text.data()));
  return spacing.between + "\"" + text + "\"" + spacing.colon;
}

}  // namespace

// Also sums up how long a row can be without its strings, by which print_plain() makes room.
RowPrinter::RowPrinter(const TableSchema& schema, std::span<const ColumnView> columns,
                       const ExactLines* exact, JsonBytes json_bytes)
    : form_(schema.text),
      schema_columns_(schema.columns.size()),
      columns_(columns),
      exact_(exact),
      rows_(columns.empty() ? 0 : columns[0].rows),
      json_(schema.text.kind == TextKind::kJsonLines),
      replaces_bytes_(json_ && json_bytes == JsonBytes::kReplaced),
      quote_(json_ ? '"' : static_cast<char>(schema.text.quote)),
      field_marks_(schema.text.delimiter, schema.text.quote),
      quote_mark_(schema.text.quote),
      json_escapes_{schema.text.json_ascii, schema.text.json_slashes},
      json_marks_(json_escapes_),
      json_orders_(schema.text.json_orders, schema.columns.size()) {
  for (std::size_t i = 0; i < std::min(columns.size(), schema_columns_); ++i) {
    Field field = make_field(schema.columns[i], with_valid_strings(schema.columns[i], columns[i]));
    fields_.push_back(std::move(field));
  }
  if (schema.exact) add_spellings();
  for (const Field& field : fields_) most_row_bytes_ += field.most_bytes + field.before.size();
  if (json_) {
    const JsonSpacing& spacing = form_.json_spacing;
    row_begin_ = spacing.before + '{' + spacing.open;
    row_end_ = spacing.close + '}' + spacing.after;
    rows_are_lines_ = spacing.are_lines();
  } else {
    if (form_.trailing_delimiter) row_end_.push_back(static_cast<char>(form_.delimiter));
    row_end_ += form_.carriage_return ? "\r\n" : "\n";
  }
  most_row_bytes_ += row_begin_.size() + row_end_.size();
}

/// The column itself, or a copy in which bytes that are not UTF-8 are replaced, if that is asked
/// for and there are any.
ColumnView RowPrinter::with_valid_strings(const ColumnSchema& schema, const ColumnView& column) {
  const bool may_have_others =
      replaces_bytes_ && is_string(column.type) && column.offsets != nullptr && !schema.valid_utf8;
  if (!may_have_others) return column;
  if (are_valid_utf8(column.values, {column.offsets, static_cast<std::size_t>(column.rows) + 1})) {
    return column;
  }
  ReplacedStrings& replaced = replaced_.emplace_back();
  replaced.offsets.assign(1, 0);
  for (std::uint64_t row = 0; row < column.rows; ++row) {
    append_as_utf8(replaced.values, column.string(row));
    replaced.offsets.push_back(static_cast<std::int64_t>(replaced.values.size()));
  }
  replaced.values.resize(replaced.values.size() + Buffer::kSlack);
  ColumnView valid = column;
  valid.values = replaced.values.data();
  valid.offsets = replaced.offsets.data();
  return valid;
}

/// Spellings of rows stand in ExactLines in the order of the columns that have them.
void RowPrinter::add_spellings() {
  std::size_t next = 0;
  for (Field& field : fields_) {
    if (field.schema.null_text) field.null_text = *field.schema.null_text;
    field.is_spelled = field.schema.spelled || !field.schema.spelling.empty();
    if (field.schema.spelled && exact_ != nullptr && next < exact_->spellings.size()) {
      field.spellings = exact_->spellings[next++].view();
    }
    field.most_bytes += field.null_text.size() + (field.is_spelled ? 2 * kMaxSpelledText : 0);
  }
}

RowPrinter::Field RowPrinter::make_field(const ColumnSchema& schema,
                                         const ColumnView& column) const {
  Field field;
  field.kind = kind_of(schema);
  field.value_bytes = value_bytes(schema.type);
  field.print = value_printer(schema);
  field.schema = schema;
  field.column = column;
  if (column.offsets != nullptr) field.values_end = column.values + column.offsets[column.rows];
  if (json_) {
    std::vector<Byte> valid;
    Bytes name(reinterpret_cast<const Byte*>(schema.name.data()), schema.name.size());
    if (replaces_bytes_) {
      append_as_utf8(valid, name);
      name = valid;
    }
    field.before = name_in_json(name, json_escapes_, form_.json_spacing);
  }
  if (schema.type == ColumnType::kBool) {
    for (const bool word : {false, true}) field.words[word] = bool_field(schema, word);
  }
  // Two quotes, a delimiter, and a value of which each byte may be doubled, or a null.
  field.null_text = form_.null_text;
  const std::size_t value = is_string(schema.type) ? 0 : 2 * kMaxValueText;
  field.most_bytes = 3 + std::max({value, form_.null_text.size(), std::size_t{4}});
  return field;
}

// JSON quotes by type; delimited text by the column's quoting and by what its values may
// contain.
RowPrinter::Kind RowPrinter::kind_of(const ColumnSchema& schema) const {
  const bool always = schema.quoting == Quoting::kAlways && form_.quote != 0;
  if (schema.type == ColumnType::kBool) return Kind::kBool;
  if (json_) {
    if (is_string(schema.type)) {
      return schema.text == ValueText::kRawJson ? Kind::kRawString : Kind::kQuotedString;
    }
    if (is_real(schema.type)) return Kind::kJsonReal;
    return is_date_or_time(schema.type) ? Kind::kQuotedValue : Kind::kValue;
  }
  if (is_string(schema.type)) {
    if (form_.quote == 0) return Kind::kRawString;
    return always ? Kind::kQuotedString : Kind::kString;
  }
  if (form_.quote == 0) return Kind::kValue;
  if (may_need_quotes(schema)) return Kind::kCheckedValue;
  return always ? Kind::kQuotedValue : Kind::kValue;
}

/// Whether the text of some value of this type could hold the delimiter or quote, or read like
/// a null.
bool RowPrinter::may_need_quotes(const ColumnSchema& schema) const {
  if (in_values(form_.delimiter) || in_values(form_.quote)) return true;
  Byte value[16];
  const auto* const null = reinterpret_cast<const Byte*>(form_.null_text.data());
  return parse_value(schema, {null, form_.null_text.size()}, value);
}

// A column has only two such fields, so both are printed once, in the constructor.
std::string RowPrinter::bool_field(const ColumnSchema& schema, bool value) const {
  if (json_) return value ? "true" : "false";
  const std::string_view word = bool_word(schema.text, value);
  if (form_.quote == 0) return std::string(word);
  char text[2 * kMaxValueText];
  const Bytes bytes(reinterpret_cast<const Byte*>(word.data()), word.size());
  const bool always = schema.quoting == Quoting::kAlways;
  const Byte* const end = bytes.data() + bytes.size();
  return {text,
          always ? print_quoted<false>(bytes, end, text) : print_string<false>(bytes, end, text)};
}

// Returns kInvalidArgument where types, rows or offsets do not fit the schema.
Status RowPrinter::check_columns() const {
  if (form_.kind != TextKind::kDelimited && form_.kind != TextKind::kJsonLines) {
    return make_error(ErrorCode::kInvalidArgument, "the schema says no form of text");
  }
  if (columns_.size() != schema_columns_ || columns_.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "the schema has other columns than the rows");
  }
  for (const Field& field : fields_) {
    const bool no_offsets = is_string(field.schema.type) && field.column.offsets == nullptr;
    if (field.column.type != field.schema.type || field.column.rows != rows_ || no_offsets) {
      return make_error(
          ErrorCode::kInvalidArgument,
          std::string("column ").append(field.schema.name).append(" does not fit the schema"));
    }
    if (field.spellings.offsets != nullptr && field.spellings.rows != rows_) {
      return make_error(ErrorCode::kInvalidArgument, "spellings do not fit the rows");
    }
  }
  return {};
}

/// Checks columns and row numbers, once a call: row numbers may come from files or users.
Status RowPrinter::check(std::uint64_t first_row, std::uint64_t rows) const {
  PRESSO_TRY(check_columns());
  if (first_row > rows_ || rows > rows_ - first_row) {
    return make_error(ErrorCode::kInvalidArgument, "rows beyond the last of the columns");
  }
  if (exact_ != nullptr && !exact_->rows.empty() &&
      exact_->offsets.size() != exact_->rows.size() + 1) {
    return make_error(ErrorCode::kInvalidArgument, "lines of exact text without their offsets");
  }
  return {};
}

// `to` keeps what it had before, also after kInvalidArgument.
Status RowPrinter::print(std::uint64_t first_row, std::uint64_t rows, Buffer& to) const {
  PRESSO_TRY(check(first_row, rows));
  return without_bad_alloc([&]() -> Status {
    print_all(first_row, first_row + rows, to, nullptr);
    return {};
  });
}

// `ends` are places in `to`, one for each row.
Status RowPrinter::print_rows(std::uint64_t first_row, std::uint64_t rows, Buffer& to,
                              std::vector<std::uint64_t>& ends) const {
  PRESSO_TRY(check(first_row, rows));
  return without_bad_alloc([&]() -> Status {
    ends.clear();
    ends.reserve(rows);
    print_all(first_row, first_row + rows, to, &ends);
    return {};
  });
}

// `number` counts the rows whose exact text is kept, not all rows.
Bytes RowPrinter::exact_text(std::size_t number) const {
  const auto begin = static_cast<std::size_t>(exact_->offsets[number]);
  const auto end = static_cast<std::size_t>(exact_->offsets[number + 1]);
  return Bytes(exact_->bytes).subspan(begin, end - begin);
}

/// Rows between those whose exact text is kept are printed together.
void RowPrinter::print_all(std::uint64_t row, std::uint64_t end, Buffer& to,
                           std::vector<std::uint64_t>* ends) const {
  if (exact_ == nullptr || exact_->rows.empty()) return print_plain(row, end, to, ends);
  const std::vector<std::uint32_t>& kept = exact_->rows;
  auto next =
      static_cast<std::size_t>(std::lower_bound(kept.begin(), kept.end(), row) - kept.begin());
  for (; next < kept.size() && kept[next] < end; ++next) {
    print_plain(row, kept[next], to, ends);
    to.append(exact_text(next));
    if (ends != nullptr) ends->push_back(to.size());
    row = std::uint64_t{kept[next]} + 1;
  }
  print_plain(row, end, to, ends);
  if (end == rows_ && next < kept.size() && kept[next] == rows_) to.append(exact_text(next));
}

// The more columns there are, the fewer rows: about 2 MiB of text without strings.
std::uint64_t RowPrinter::batch_rows() const {
  return std::clamp<std::uint64_t>(kBatchBytes / most_row_bytes_, 1, kMostBatchRows);
}

// Bytes under nulls are counted as well: this is for room only.
std::uint64_t RowPrinter::string_bytes(std::uint64_t row, std::uint64_t end) const {
  std::uint64_t bytes = 0;
  for (const Field& field : fields_) {
    if (const std::int64_t* const offsets = field.spellings.offsets) {
      bytes += static_cast<std::uint64_t>(offsets[end] - offsets[row]);
    }
    if (!is_string(field.schema.type)) continue;
    bytes += static_cast<std::uint64_t>(field.column.offsets[end] - field.column.offsets[row]);
  }
  return bytes;
}

/// An upper bound. For a single row, which may have very long strings, JSON's escapes are
/// counted instead of assumed to be everywhere.
std::uint64_t RowPrinter::most_string_bytes(std::uint64_t row, std::uint64_t end) const {
  if (!json_) return 2 * string_bytes(row, end);
  if (end - row > 1) return string_text::kMostJsonEscape * string_bytes(row, end);
  std::uint64_t bytes = string_bytes(row, end);
  for (const Field& field : fields_) {
    if (!is_string(field.schema.type)) continue;
    bytes += string_text::escaped_json_bytes(field.column.string(row), json_escapes_);
  }
  return bytes;
}

// Prints from the values, batch by batch. Room is made for the longest text that a batch can have
// and given back after it. A batch is halved until its strings are short enough, so that memory
// stays bounded.
void RowPrinter::print_plain(std::uint64_t row, std::uint64_t end, Buffer& to,
                             std::vector<std::uint64_t>* ends) const {
  const std::uint64_t most_rows = batch_rows();
  while (row < end) {
    std::uint64_t batch = std::min(end - row, most_rows);
    while (batch > 1 && string_bytes(row, row + batch) > kBatchStringBytes) batch /= 2;
    const std::size_t old_size = to.size();
    to.grow(old_size + batch * most_row_bytes_ + most_string_bytes(row, row + batch));
    char* const begin = reinterpret_cast<char*>(to.data());
    char* at = begin + old_size;
    for (const std::uint64_t stop = row + batch; row < stop; ++row) {
      at = json_ ? print_json_row(row, at) : print_row(row, at);
      if (ends != nullptr) ends->push_back(static_cast<std::uint64_t>(at - begin));
    }
    to.grow(static_cast<std::size_t>(at - begin));
  }
}

// The delimiter after the last field is overwritten by the row's end.
char* RowPrinter::print_row(std::uint64_t row, char* at) const {
  for (const Field& field : fields_) {
    char* const end = field.is_spelled ? print_spelled_field<false>(field, row, at) : nullptr;
    if (end != nullptr) {
      at = end;
    } else {
      at = field.column.is_null(row) ? put_text(at, field.null_text)
                                     : print_field<false>(field, row, at);
    }
    *at++ = static_cast<char>(form_.delimiter);
  }
  return put_text(at - 1, row_end_);
}

/// The order of the row's keys; nullptr is the order of the columns.
const JsonOrder* RowPrinter::order_of(std::uint64_t row) const {
  if (json_orders_.empty()) return nullptr;
  JsonOrders::Presence presence = json_orders_.no_values();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].column.is_null(row)) JsonOrders::set(presence, i);
  }
  return json_orders_.find(presence);
}

// Field::before has the comma before the name; the first member leaves out the comma and, if any,
// the space.
char* RowPrinter::print_json_row(std::uint64_t row, char* at) const {
  at = put_text(at, row_begin_);
  std::size_t left_out = form_.json_spacing.between.size();  // in front of the first member
  const auto print_member = [&](const Field& field, bool null) {
    at = put_text(at, std::string_view(field.before).substr(left_out));
    left_out = 0;
    if (field.is_spelled) {
      if (char* const end = print_spelled_field<true>(field, row, at)) {
        at = end;
        return;
      }
    }
    at = null ? put_text(at, "null") : print_field<true>(field, row, at);
  };
  if (const JsonOrder* const order = order_of(row)) {
    for (const std::uint32_t key : *order) {
      print_member(fields_[key & ~kJsonNull], (key & kJsonNull) != 0);
    }
    return put_text(at, row_end_);
  }
  for (const Field& field : fields_) {
    const bool null = field.column.is_null(row);
    if (!null || !form_.json_omits_nulls) print_member(field, null);
  }
  return put_text(at, row_end_);
}

/// Writes a value that is not null, and returns the end.
template <bool Json>
char* RowPrinter::print_field(const Field& field, std::uint64_t row, char* at) const {
  const ColumnView& column = field.column;
  // Not used for strings and bools, whose width is 0.
  const Byte* const value = column.values + row * field.value_bytes;
  switch (field.kind) {
    case Kind::kValue:
      return at + field.print(field.schema, value, at);
    case Kind::kQuotedValue:
      *at++ = quote_;
      at += field.print(field.schema, value, at);
      *at++ = quote_;
      return at;
    case Kind::kCheckedValue: {
      char text[kMaxValueText];
      const auto* const bytes = reinterpret_cast<const Byte*>(text);
      const std::size_t length = field.print(field.schema, value, text);
      return field.schema.quoting == Quoting::kAlways
                 ? print_quoted<Json>({bytes, length}, bytes + length, at)
                 : print_string<Json>({bytes, length}, bytes + length, at);
    }
    case Kind::kJsonReal: {
      const std::size_t length = field.print(field.schema, value, at + 1);
      if (at[length] > '9') {  // nan, inf
        *at = '"';
        at[length + 1] = '"';
        return at + length + 2;
      }
      std::memmove(at, at + 1, length);
      return at + length;
    }
    case Kind::kBool:
      return put_text(at, field.words[column.values[row / 8] >> (row % 8) & 1]);
    case Kind::kString:
      return print_string<Json>(column.string(row), field.values_end, at);
    case Kind::kQuotedString:
      return print_quoted<Json>(column.string(row), field.values_end, at);
    case Kind::kRawString:
      break;
  }
  const Bytes text = column.string(row);
  // A line feed in such a value is white space, and would end the row's line where it is one.
  const string_text::QuoteMark line_feed('\n');
  if (string_text::copy_marked(text.data(), text.size(), field.values_end, at, line_feed) &&
      rows_are_lines_) {
    std::replace(at, at + text.size(), '\n', ' ');
  }
  return at + text.size();
}

/// Writes a string in the quotes that its spelling asks for; nullptr where it has no spelling.
template <bool Json>
char* RowPrinter::print_spelled_string(const Field& field, std::string_view spelling,
                                       std::uint64_t row, char* at) const {
  const Bytes text = field.column.string(row);
  if (!Json && form_.quote != 0 && !spelling.empty()) {
    if (spelling.front() == kQuotedKind) return print_quoted<Json>(text, field.values_end, at);
    if (spelling.front() == kUnquotedKind) {
      string_text::copy_marked(text.data(), text.size(), field.values_end, at,
                               string_text::NoMarks());
      return at + text.size();
    }
  }
  return nullptr;
}

/// Writes a field of a column that has spellings: as it stood, as the row's spelling says, or as
/// the column's says. Returns nullptr, and has written nothing, where the field is a null or
/// written in the usual way. The rules for quotes are those of other values.
template <bool Json>
char* RowPrinter::print_spelled_field(const Field& field, std::uint64_t row, char* at) const {
  const auto as_text = [](Bytes bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  std::string_view spelling;
  if (field.spellings.offsets != nullptr && !field.spellings.is_null(row)) {
    spelling = as_text(field.spellings.string(row));
  }
  if (!spelling.empty() && spelling.front() == kFieldKind) return put_text(at, spelling.substr(1));
  if (field.column.is_null(row)) return nullptr;
  if (is_string(field.schema.type)) return print_spelled_string<Json>(field, spelling, row, at);
  if (spelling.empty()) spelling = field.schema.spelling;
  const bool usual = spelling.empty() || spelling.front() == kUsualSpelling;
  if (usual || field.kind == Kind::kBool) return nullptr;
  const Byte* const value = field.column.values + row * field.value_bytes;
  const std::size_t size = print_spelled(field.schema, value, spelling, at);
  // The text of a number or a time rarely needs quotes, so it is looked at where it stands.
  if (field.kind == Kind::kValue && (Json || !needs_quotes(at, size))) return at + size;
  char text[kMaxSpelledText];
  std::memcpy(text, at, size);
  const Bytes bytes(reinterpret_cast<const Byte*>(text), size);
  const bool always = Json ? field.kind == Kind::kQuotedValue
                           : field.schema.quoting == Quoting::kAlways && form_.quote != 0;
  if (always) return print_quoted<Json>(bytes, bytes.data() + size, at);
  if (Json || form_.quote == 0) return put_text(at, as_text(bytes));
  return print_string<Json>(bytes, bytes.data() + size, at);
}

/// Whether a text holds bytes that need quotes, or would be read as a null. `text` is followed by
/// at least 15 bytes that may be read and written.
bool RowPrinter::needs_quotes(char* text, std::size_t size) const {
  const auto* const bytes = reinterpret_cast<const Byte*>(text);
  const Byte* const end = bytes + size + string_text::kStep - 1;
  return string_text::copy_marked(bytes, size, end, text, field_marks_) ||
         std::string_view(text, size) == form_.null_text;
}

/// Copies the string and looks for bytes that need quotes at once; only if one was found it is
/// written again, in quotes. So is a text that would be read as a null.
template <bool Json>
char* RowPrinter::print_string(Bytes text, const Byte* end, char* at) const {
  const bool marked = string_text::copy_marked(text.data(), text.size(), end, at, field_marks_);
  const bool null = text.size() == form_.null_text.size() &&
                    std::equal(text.begin(), text.end(), form_.null_text.begin(),
                               [](Byte a, char b) { return a == static_cast<Byte>(b); });
  return marked || null ? print_quoted<Json>(text, end, at) : at + text.size();
}

// The usual string needs no escape: it is copied while it is searched, and written again only
// if something was found.
template <bool Json>
char* RowPrinter::print_quoted(Bytes text, const Byte* end, char* at) const {
  *at++ = quote_;
  const bool marked =
      Json ? string_text::copy_marked(text.data(), text.size(), end, at, json_marks_)
           : string_text::copy_marked(text.data(), text.size(), end, at, quote_mark_);
  if (!marked) {
    at += text.size();
  } else {
    at = Json ? string_text::escape_json(text, at, json_escapes_)
              : string_text::double_quotes(text, form_.quote, at);
  }
  *at++ = quote_;
  return at;
}

}  // namespace presso
