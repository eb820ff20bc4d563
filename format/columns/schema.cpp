// SPDX-License-Identifier: MIT
// The schema section byte by byte (FORMAT.md 15.2), and the rules that a schema keeps. Parsing
// refuses anything that serialising would not write: every bit has a meaning. Tested by
// tests/unit/format/columns.
#include "format/columns/schema.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "format/columns/arrow_type.h"
#include "format/columns/json_orders.h"
#include "format/columns/json_path.h"
#include "format/columns/wire_reader.h"

namespace presso {
namespace {

constexpr Byte kExactBit = 1;
constexpr Byte kFieldsBit = 2;      ///< columns have fields
constexpr Byte kArrowTypesBit = 4;  ///< columns have types of Arrow
constexpr Byte kEncodingBit = 8;    ///< the text is not UTF-8

// Flags of the form of text, and below those of a column. All others must be 0.
constexpr Byte kCarriageReturnBit = 1;
constexpr Byte kTrailingDelimiterBit = 2;
constexpr Byte kJsonSpacesBit = 4;
constexpr Byte kJsonOmitsNullsBit = 8;
constexpr Byte kJsonAsciiBit = 16;
constexpr Byte kJsonSlashesBit = 32;
constexpr Byte kJsonSpacingBit = 64;

constexpr Byte kNullableBit = 1;
constexpr Byte kValidUtf8Bit = 2;
constexpr Byte kNullTextBit = 4;
constexpr Byte kSpellingBit = 8;
constexpr Byte kSpelledBit = 16;
constexpr Byte kDetailsBit = 32;  ///< scale, precision, unit, text and quoting are not all 0
constexpr Byte kZoneBit = 64;
constexpr Byte kNameInHeadBit = 128;
/// A name in the head begins no further than this from the end of the name before it.
constexpr std::size_t kMostNameGap = 31;

/// What is wrong with a schema; parse_schema() makes kBadSchema of it.
Error invalid(std::string what) {
  return make_error(ErrorCode::kInvalidArgument, std::move(what));
}

/// Names in messages.
std::string quoted(const std::string& name) {
  return "'" + name + "'";
}

/// The flags that say how rows of JSON are spaced: two of them for lines, else kJsonSpacingBit.
Byte spacing_flags(const JsonSpacing& spacing) {
  if (!spacing.are_lines()) return kJsonSpacingBit;
  return (spacing.colon.size() > 1 ? kJsonSpacesBit : 0) |
         (spacing.after.size() > 1 ? kCarriageReturnBit : 0);
}

/// The flags' byte of the form of text.
Byte text_flags(const TextForm& text) {
  const bool is_json = text.kind == TextKind::kJsonLines;
  const Byte line_end = text.carriage_return ? kCarriageReturnBit : 0;
  return static_cast<Byte>((is_json ? spacing_flags(text.json_spacing) : line_end) |
                           (text.trailing_delimiter ? kTrailingDelimiterBit : 0) |
                           (text.json_omits_nulls ? kJsonOmitsNullsBit : 0) |
                           (text.json_ascii ? kJsonAsciiBit : 0) |
                           (text.json_slashes ? kJsonSlashesBit : 0));
}

/// The texts of a spacing in the order in which they are stored.
template <class Spacing>
auto spacing_texts(Spacing& spacing) {
  return std::array{&spacing.before,  &spacing.open,  &spacing.colon,
                    &spacing.between, &spacing.close, &spacing.after};
}

/// Appends the orders of keys, which only tables of JSON lines have.
void append_orders(std::vector<Byte>& to, const std::vector<JsonOrder>& orders) {
  append_varint(to, orders.size());
  for (const JsonOrder& order : orders) {
    append_varint(to, order.size());
    for (const std::uint32_t key : order) append_varint(to, key);
  }
}

/// Counts are not trusted: reading stops where the section ends, so nothing larger than it is
/// allocated.
std::vector<JsonOrder> read_orders(WireReader& from) {
  std::vector<JsonOrder> orders;
  const std::uint64_t count = from.varint();
  for (std::uint64_t i = 0; i < count && !from.overran(); ++i) {
    JsonOrder& order = orders.emplace_back();
    const std::uint64_t keys = from.varint();
    for (std::uint64_t k = 0; k < keys && !from.overran(); ++k) {
      order.push_back(static_cast<std::uint32_t>(from.varint()));
    }
  }
  return orders;
}

/// The schema's first part: how rows stand in text.
void append_text_form(std::vector<Byte>& to, const TextForm& text) {
  to.push_back(static_cast<Byte>(text.kind));
  to.push_back(text.delimiter);
  to.push_back(text.quote);
  to.push_back(text_flags(text));
  append_text(to, text.null_text);
  append_text(to, text.head);
  if (text.encoding != TextEncoding::kUtf8) to.push_back(static_cast<Byte>(text.encoding));
  if (text.kind != TextKind::kJsonLines) return;
  if (!text.json_spacing.are_lines()) {
    for (const std::string* part : spacing_texts(text.json_spacing)) append_text(to, *part);
  }
  append_orders(to, text.json_orders);
}

/// The reverse of append_text_form(); check_schema() judges the values.
TextForm read_text_form(WireReader& from, bool has_encoding) {
  TextForm text;
  text.kind = static_cast<TextKind>(from.value<Byte>());
  text.delimiter = from.value<Byte>();
  text.quote = from.value<Byte>();
  const auto flags = from.value<Byte>();
  const bool is_json = text.kind == TextKind::kJsonLines;
  text.carriage_return = !is_json && (flags & kCarriageReturnBit) != 0;
  text.trailing_delimiter = (flags & kTrailingDelimiterBit) != 0;
  text.json_omits_nulls = (flags & kJsonOmitsNullsBit) != 0;
  text.json_ascii = (flags & kJsonAsciiBit) != 0;
  text.json_slashes = (flags & kJsonSlashesBit) != 0;
  text.null_text = from.text();
  text.head = from.text();
  if (has_encoding) text.encoding = static_cast<TextEncoding>(from.value<Byte>());
  if (!is_json) return text;
  text.json_spacing =
      JsonSpacing::lines((flags & kJsonSpacesBit) != 0, (flags & kCarriageReturnBit) != 0);
  if ((flags & kJsonSpacingBit) != 0) {
    for (std::string* part : spacing_texts(text.json_spacing)) *part = from.text();
  }
  text.json_orders = read_orders(from);
  return text;
}

/// Names that stand in the head are not stored again.
class NamesInHead {
 public:
  explicit NamesInHead(const std::string& head) : head_(head) {}

  /// How many bytes lie between the name before it and the next place of `name`, if that is near.
  std::optional<std::size_t> gap_before(const std::string& name) {
    const std::size_t most = head_.size() - at_;
    for (std::size_t gap = 0; gap <= std::min(kMostNameGap, most) && !name.empty(); ++gap) {
      if (head_.compare(at_ + gap, name.size(), name) != 0) continue;
      at_ += gap + name.size();
      return gap;
    }
    return std::nullopt;
  }
  /// The name of `size` bytes after `gap`; nothing where the head has no such place.
  std::optional<std::string> name_after(std::uint64_t gap, std::uint64_t size) {
    const std::uint64_t most = head_.size() - at_;
    if (gap > most || size > most - gap) return std::nullopt;
    const std::string name = head_.substr(at_ + gap, size);
    at_ += gap + size;
    return name;
  }

 private:
  const std::string& head_;
  std::size_t at_ = 0;
};

bool has_details(const ColumnSchema& column) {
  return column.scale != 0 || column.precision != 0 || column.unit != TimeUnit{} ||
         column.text != ValueText{} || column.quoting != Quoting{};
}

void append_column(std::vector<Byte>& to, const ColumnSchema& column, NamesInHead& names) {
  const std::optional<std::size_t> gap = names.gap_before(column.name);
  to.push_back(static_cast<Byte>(column.type));
  to.push_back(static_cast<Byte>(
      (column.nullable ? kNullableBit : 0) | (column.valid_utf8 ? kValidUtf8Bit : 0) |
      (column.null_text ? kNullTextBit : 0) | (column.spelling.empty() ? 0 : kSpellingBit) |
      (column.spelled ? kSpelledBit : 0) | (has_details(column) ? kDetailsBit : 0) |
      (column.zone.empty() ? 0 : kZoneBit) | (gap ? kNameInHeadBit : 0)));
  if (has_details(column)) {
    to.push_back(column.scale);
    to.push_back(column.precision);
    to.push_back(static_cast<Byte>(column.unit));
    to.push_back(static_cast<Byte>(column.text));
    to.push_back(static_cast<Byte>(column.quoting));
  }
  if (gap) {
    append_varint(to, *gap);
    append_varint(to, column.name.size());
  } else {
    append_text(to, column.name);
  }
  if (!column.zone.empty()) append_text(to, column.zone);
  if (column.null_text) append_text(to, *column.null_text);
  if (!column.spelling.empty()) append_text(to, column.spelling);
}

/// Nothing where the name is not in the head.
std::optional<ColumnSchema> read_column(WireReader& from, NamesInHead& names) {
  ColumnSchema column;
  column.type = static_cast<ColumnType>(from.value<Byte>());
  const auto flags = from.value<Byte>();
  column.nullable = (flags & kNullableBit) != 0;
  column.valid_utf8 = (flags & kValidUtf8Bit) != 0;
  column.spelled = (flags & kSpelledBit) != 0;
  if ((flags & kDetailsBit) != 0) {
    column.scale = from.value<Byte>();
    column.precision = from.value<Byte>();
    column.unit = static_cast<TimeUnit>(from.value<Byte>());
    column.text = static_cast<ValueText>(from.value<Byte>());
    column.quoting = static_cast<Quoting>(from.value<Byte>());
  }
  if ((flags & kNameInHeadBit) != 0) {
    const std::uint64_t gap = from.varint();
    std::optional<std::string> name = names.name_after(gap, from.varint());
    if (!name) return std::nullopt;
    column.name = std::move(*name);
  } else {
    column.name = from.text();
  }
  if ((flags & kZoneBit) != 0) column.zone = from.text();
  if ((flags & kNullTextBit) != 0) column.null_text = from.text();
  if ((flags & kSpellingBit) != 0) column.spelling = from.text();
  return column;
}

/// How many bytes at the beginning of a path are those of the path before it.
std::size_t shared_bytes(std::string_view before, std::string_view path) {
  const std::size_t most = std::min(before.size(), path.size());
  return static_cast<std::size_t>(std::mismatch(before.begin(),
                                                before.begin() + static_cast<std::ptrdiff_t>(most),
                                                path.begin())
                                      .first -
                                  before.begin());
}

void append_fields(std::vector<Byte>& to, const NestedFields& fields) {
  append_varint(to, fields.all().size());
  std::string_view before;
  for (const auto& [path, type] : fields.all()) {
    const std::size_t shared = shared_bytes(before, path);
    append_varint(to, shared);
    append_text(to, path.substr(shared));
    to.push_back(static_cast<Byte>(type.type));
    if (is_decimal(type.type)) to.insert(to.end(), {type.scale, type.precision});
    if (type.type == ColumnType::kTimestamp) {
      to.push_back(static_cast<Byte>(type.unit));
      append_text(to, type.zone);
    }
    before = path;
  }
}

/// The reverse of append_fields(); check_schema() judges the values. Paths are longer than what is
/// read of them: `bytes` counts them, and reading stops at the limit, so that what is left of the
/// section is an error.
NestedFields read_fields(WireReader& from, std::size_t& bytes) {
  std::vector<NestedField> fields;
  const std::uint64_t count = from.varint();
  for (std::uint64_t i = 0; i < count && i <= kMostFields && !from.overran(); ++i) {
    NestedField field;
    const std::uint64_t shared = from.varint();
    if (i > 0) field.path = fields.back().path.substr(0, shared);
    field.path += from.text();
    bytes += field.path.size();
    if (bytes > kMaxPathBytes) break;
    field.type.type = static_cast<ColumnType>(from.value<Byte>());
    if (is_decimal(field.type.type)) {
      field.type.scale = from.value<Byte>();
      field.type.precision = from.value<Byte>();
    }
    if (field.type.type == ColumnType::kTimestamp) {
      field.type.unit = static_cast<TimeUnit>(from.value<Byte>());
      field.type.zone = from.text();
    }
    if (field.type.type == ColumnType::kUtf8) field.type = json_field_type();
    fields.push_back(std::move(field));
  }
  return NestedFields(std::move(fields));
}

/// Columns with fields stand one after another, each with its number.
void append_all_fields(std::vector<Byte>& to, const std::vector<ColumnSchema>& columns) {
  const auto has_fields = [](const ColumnSchema& column) { return !column.fields.empty(); };
  append_varint(
      to, static_cast<std::uint64_t>(std::count_if(columns.begin(), columns.end(), has_fields)));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].fields.empty()) continue;
    append_varint(to, i);
    append_fields(to, columns[i].fields);
  }
}

/// The reverse; what names no column, or one twice, is found as it is not written so.
void read_all_fields(WireReader& from, std::vector<ColumnSchema>& columns) {
  const std::uint64_t count = from.varint();
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count && bytes <= kMaxPathBytes && !from.overran(); ++i) {
    const std::uint64_t number = from.varint();
    NestedFields fields = read_fields(from, bytes);
    if (number < columns.size()) columns[number].fields = std::move(fields);
  }
}

bool has_fields(const TableSchema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(),
                     [](const ColumnSchema& column) { return !column.fields.empty(); });
}

bool has_arrow_types(const TableSchema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(),
                     [](const ColumnSchema& column) { return !column.arrow_type.empty(); });
}

/// A text for each column, which is empty where the column has no such type.
void append_arrow_types(std::vector<Byte>& to, const std::vector<ColumnSchema>& columns) {
  for (const ColumnSchema& column : columns) append_text(to, column.arrow_type);
}

/// Digits of the widest decimal that the type holds; 0 for other types.
Byte most_digits(ColumnType type) {
  if (type == ColumnType::kDecimal64) return 18;
  return type == ColumnType::kDecimal128 ? 38 : 0;
}

/// kInvalidArgument with the column's name.
Status check_column(const ColumnSchema& column) {
  const auto type = static_cast<Byte>(column.type);
  if (type < static_cast<Byte>(ColumnType::kBool) ||
      type > static_cast<Byte>(ColumnType::kBinary)) {
    return invalid("type " + std::to_string(type) + " of column " + quoted(column.name));
  }
  if (column.name.size() > kMaxNameBytes || column.zone.size() > kMaxNameBytes) {
    return invalid("a name is longer than 65,535 bytes");
  }
  const Byte digits = most_digits(column.type);
  if (column.precision > digits || (digits > 0 && column.precision == 0) ||
      column.scale > column.precision) {
    return invalid("precision and scale of column " + quoted(column.name));
  }
  if (column.unit > TimeUnit::kNano || column.text > ValueText::kUpperShortYesBool ||
      column.quoting > Quoting::kAlways) {
    return invalid("text of column " + quoted(column.name));
  }
  if (column.null_text && column.null_text->size() > kMaxNullTextBytes) {
    return invalid("the text of a null is longer than 255 bytes");
  }
  if (column.spelling.size() > kMostSpellingBytes) {
    return invalid("spelling of column " + quoted(column.name));
  }
  return {};
}

/// A path has keys and "[*]" alone, in the form in which paths are written.
bool is_field_path(const std::string& path) {
  const auto steps = parse_json_path("$" + path, true);
  return !path.empty() && path.size() <= kMaxNameBytes && steps &&
         json_path_text(*steps) == "$" + path &&
         std::none_of(steps->begin(), steps->end(),
                      [](const JsonStep& step) { return step.kind == JsonStep::Kind::kPlace; });
}

/// kInvalidArgument with the column's name.
Status check_fields(const ColumnSchema& column) {
  const std::vector<NestedField>& fields = column.fields.all();
  if (fields.empty()) return {};
  const bool is_json = column.type == ColumnType::kUtf8 && column.text == ValueText::kRawJson;
  if (!is_json || fields.size() > kMostFields) {
    return invalid("fields of column " + quoted(column.name));
  }
  const auto rises = [](const NestedField& a, const NestedField& b) { return a.path >= b.path; };
  const bool sorted = std::adjacent_find(fields.begin(), fields.end(), rises) == fields.end();
  for (const auto& [path, type] : fields) {
    const bool has_type = type == json_field_type() || !is_string(type.type);
    if (!sorted || !is_field_path(path) || !has_type || !check_column(type).ok()) {
      return invalid("field " + quoted(path) + " of column " + quoted(column.name));
    }
  }
  return {};
}

/// The type must mean the column that it belongs to.
Status check_arrow_type(const ColumnSchema& column) {
  if (column.arrow_type.empty()) return {};
  const auto type = parse_arrow_type(column.arrow_type);
  bool right = type.has_value();
  if (right) {
    const ColumnSchema wanted = column_of(*type);
    right = wanted.type == column.type && wanted.scale == column.scale &&
            wanted.unit == column.unit && wanted.zone == column.zone &&
            (wanted.text == ValueText::kRawJson) == (column.text == ValueText::kRawJson);
  }
  return right ? Status{} : invalid("Arrow type of column " + quoted(column.name));
}

Status check_text_form(const TextForm& text) {
  if (text.kind > TextKind::kJsonLines) return invalid("form of the text");
  if (text.encoding > TextEncoding::kUtf16Be ||
      (text.kind == TextKind::kNone && text.encoding != TextEncoding::kUtf8)) {
    return invalid("encoding of the text");
  }
  if (text.null_text.size() > kMaxNullTextBytes) {
    return invalid("the text of a null is longer than 255 bytes");
  }
  if (text.head.size() > kMaxHeadBytes) {
    return invalid("what stands before the first row is larger than 16 MiB");
  }
  for (const std::string* part : spacing_texts(text.json_spacing)) {
    if (part->size() > kMaxJsonSpacing) return invalid("white space of more than 255 bytes");
  }
  if (text.kind != TextKind::kDelimited) return {};
  const auto is_line_end = [](Byte byte) { return byte == '\n' || byte == '\r'; };
  if (text.delimiter == text.quote || is_line_end(text.delimiter) || is_line_end(text.quote)) {
    return invalid("delimiter and quote must differ from each other and from line ends");
  }
  return {};
}

}  // namespace

NestedFields::NestedFields(std::vector<NestedField> fields) {
  if (fields.empty()) return;
  fields_ = std::make_shared<const std::vector<NestedField>>(std::move(fields));
}

const std::vector<NestedField>& NestedFields::all() const {
  static const std::vector<NestedField> kNone;
  return fields_ == nullptr ? kNone : *fields_;
}

const NestedField* NestedFields::find(std::string_view path) const {
  const auto found = std::lower_bound(
      all().begin(), all().end(), path,
      [](const NestedField& field, std::string_view other) { return field.path < other; });
  return found == all().end() || found->path != path ? nullptr : &*found;
}

bool operator==(const NestedFields& a, const NestedFields& b) {
  return a.fields_ == b.fields_ || a.all() == b.all();
}

ColumnSchema bare_type(const ColumnSchema& column) {
  ColumnSchema bare;
  bare.type = column.type;
  bare.scale = column.scale;
  bare.precision = column.precision;
  bare.unit = column.unit;
  bare.zone = column.zone;
  return bare;
}

ColumnSchema json_field_type() {
  ColumnSchema type;
  type.text = ValueText::kRawJson;
  return type;
}

NestedFields fields_below(const NestedFields& fields, std::string_view path) {
  std::vector<NestedField> below;
  for (const NestedField& field : fields.all()) {
    if (!field.path.starts_with(path)) continue;
    const std::string_view rest = std::string_view(field.path).substr(path.size());
    if (rest.starts_with('.') || rest.starts_with('[')) {
      below.push_back({std::string(rest), field.type});
    }
  }
  return NestedFields(std::move(below));
}

NestedFields fields_of_list(const ColumnSchema& element) {
  constexpr const char* kEach = "[*]";
  if (is_string(element.type) && element.text != ValueText::kRawJson) return {};
  if (!is_string(element.type)) return NestedFields({{kEach, bare_type(element)}});
  std::vector<NestedField> fields = {{kEach, json_field_type()}};
  for (const NestedField& field : element.fields.all()) {
    fields.push_back({kEach + field.path, field.type});
  }
  return NestedFields(std::move(fields));
}

std::size_t bytes_of_paths(const NestedFields& fields) {
  std::size_t bytes = 0;
  for (const NestedField& field : fields.all()) bytes += field.path.size();
  return bytes;
}

std::uint64_t nested_field_bytes(const NestedFields& fields) {
  std::vector<Byte> payload;
  append_fields(payload, fields);
  return payload.size();
}

NestedFields common_fields(const NestedFields& a, const NestedFields& b) {
  if (a == b) return a;
  const auto is_number = [](ColumnType type) {
    return type != ColumnType::kBool && !is_date_or_time(type) && !is_string(type);
  };
  std::vector<NestedField> common;
  for (const NestedField& field : a.all()) {
    const NestedField* const other = b.find(field.path);
    if (other == nullptr) continue;
    NestedField both = field;
    if (both.type != other->type) {
      if (!is_number(both.type.type) || !is_number(other->type.type)) continue;
      both.type = ColumnSchema();
      both.type.type = ColumnType::kDouble;
    }
    common.push_back(std::move(both));
  }
  return NestedFields(std::move(common));
}

Status check_schema(const TableSchema& schema) {
  if (schema.columns.empty()) return invalid("a table needs a column");
  if (schema.columns.size() > kMaxColumns) return invalid("more than 65,535 columns");
  PRESSO_TRY(check_text_form(schema.text));
  PRESSO_TRY(check_json_orders(schema.text.json_orders, schema.columns.size()));
  if (schema.exact && schema.text.kind == TextKind::kNone) {
    return invalid("a table that was not made from text has no exact text");
  }
  std::unordered_set<std::string> names;
  std::size_t path_bytes = 0;
  for (const ColumnSchema& column : schema.columns) {
    PRESSO_TRY(check_column(column));
    path_bytes += bytes_of_paths(column.fields);
    if (path_bytes > kMaxPathBytes) return invalid("paths of fields are longer than 4 MiB");
    PRESSO_TRY(check_fields(column));
    PRESSO_TRY(check_arrow_type(column));
    if (column.spelled && !schema.exact) {
      return invalid("spellings of column " + quoted(column.name) + " without exact text");
    }
    if (!names.insert(column.name).second) {
      return invalid("two columns are named " + quoted(column.name));
    }
  }
  return {};
}

std::vector<Byte> serialise_schema(const TableSchema& schema) {
  std::vector<Byte> payload;
  append_varint(payload, schema.columns.size());
  const bool has_encoding = schema.text.encoding != TextEncoding::kUtf8;
  payload.push_back(static_cast<Byte>(
      (schema.exact ? kExactBit : 0) | (has_fields(schema) ? kFieldsBit : 0) |
      (has_arrow_types(schema) ? kArrowTypesBit : 0) | (has_encoding ? kEncodingBit : 0)));
  append_text_form(payload, schema.text);
  NamesInHead names(schema.text.head);
  for (const ColumnSchema& column : schema.columns) append_column(payload, column, names);
  if (has_fields(schema)) append_all_fields(payload, schema.columns);
  if (has_arrow_types(schema)) append_arrow_types(payload, schema.columns);
  return payload;
}

Result<TableSchema> parse_schema(Bytes payload) {
  WireReader from(payload);
  TableSchema schema;
  const std::uint64_t columns = from.varint();
  if (columns > kMaxColumns) return make_error(ErrorCode::kBadSchema, "more than 65,535 columns");
  const auto flags = from.value<Byte>();
  schema.exact = (flags & kExactBit) != 0;
  schema.text = read_text_form(from, (flags & kEncodingBit) != 0);
  NamesInHead names(schema.text.head);
  for (std::uint64_t i = 0; i < columns && !from.overran(); ++i) {
    std::optional<ColumnSchema> column = read_column(from, names);
    if (!column) return make_error(ErrorCode::kBadSchema, "a name outside the head");
    schema.columns.push_back(std::move(*column));
  }
  if ((flags & kFieldsBit) != 0) read_all_fields(from, schema.columns);
  for (ColumnSchema& column : schema.columns) {
    if ((flags & kArrowTypesBit) != 0) column.arrow_type = from.text();
  }
  if (!from.ended_exactly()) return make_error(ErrorCode::kBadSchema, "size of the section");
  const Status sound = check_schema(schema);
  if (!sound.ok()) return make_error(ErrorCode::kBadSchema, sound.error().what);
  // What a reader does not know must not be there: no bit is passed over.
  const std::vector<Byte> again = serialise_schema(schema);
  if (!std::equal(again.begin(), again.end(), payload.begin(), payload.end())) {
    return make_error(ErrorCode::kBadSchema, "reserved bits");
  }
  return schema;
}

/// Files of a query must agree in what columns mean; nullability, forms of text and types of Arrow
/// may differ.
Status check_same_columns(const TableSchema& first, const TableSchema& other) {
  const auto differs = [](std::string what) {
    return make_error(ErrorCode::kBadSchema, "differs from the tables before it: " + what);
  };
  if (first.columns.size() != other.columns.size()) {
    return differs(std::to_string(other.columns.size()) + " columns, " +
                   std::to_string(first.columns.size()) + " before");
  }
  for (std::size_t i = 0; i < first.columns.size(); ++i) {
    const ColumnSchema& a = first.columns[i];
    const ColumnSchema& b = other.columns[i];
    if (a.name != b.name) return differs("column " + quoted(b.name) + ", before " + quoted(a.name));
    if (a.type != b.type || a.scale != b.scale || a.unit != b.unit || a.zone != b.zone) {
      return differs("column " + quoted(b.name) + " is " + type_name(b) + ", before " +
                     type_name(a));
    }
  }
  return {};
}

Status check_same_member(const TableSchema& first, const TableSchema& other) {
  PRESSO_TRY(check_same_columns(first, other));
  for (std::size_t i = 0; i < first.columns.size(); ++i) {
    const std::string& arrow_type = first.columns[i].arrow_type;
    if (arrow_type == other.columns[i].arrow_type) continue;
    if (!common_arrow_type(arrow_type, other.columns[i].arrow_type).empty()) continue;
    return make_error(ErrorCode::kBadSchema, "column " + quoted(first.columns[i].name) +
                                                 " has another type of Arrow than in the tables "
                                                 "before it");
  }
  return {};
}

}  // namespace presso
