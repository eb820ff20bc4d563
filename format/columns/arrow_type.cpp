// SPDX-License-Identifier: MIT
// Implements arrow_type.h. Types come from other programs and from files, so that their depth, the
// number of their children and every format are checked before anything relies on them.
#include "format/columns/arrow_type.h"

#include <algorithm>
#include <charconv>

#include "format/columns/arrow_format.h"
#include "format/columns/json_path.h"
#include "format/columns/schema.h"
#include "format/columns/utf8_check.h"
#include "format/columns/wire_reader.h"
#include "presso/arrow_abi.h"

namespace presso {
namespace {

/// No type is nested more deeply, so that recursion needs little of a stack.
constexpr unsigned kMostDepth = 64;
/// A type has at most this many types within it.
constexpr std::size_t kMostTypes = 65535;
constexpr Byte kArrowFlags =
    ARROW_FLAG_DICTIONARY_ORDERED | ARROW_FLAG_NULLABLE | ARROW_FLAG_MAP_KEYS_SORTED;
// In what is stored, beside Arrow's flags.
constexpr Byte kDictionaryBit = 8;
constexpr Byte kKeptEntriesBit = 16;

/// The format of an integer, as codes of dictionaries and ends of runs are.
bool is_integer_format(std::string_view format, std::string_view which) {
  return format.size() == 1 && which.find(format[0]) != which.npos;
}

/// Formats of lists, which have one child.
std::optional<ArrowKind> kind_of_list(std::string_view format) {
  if (format == "+l" || format == "+L") return ArrowKind::kList;
  if (format == "+vl" || format == "+vL") return ArrowKind::kListView;
  if (!format.starts_with("+w:")) return std::nullopt;
  std::int32_t count = 0;
  const char* const end = format.data() + format.size();
  const auto read = std::from_chars(format.data() + 3, end, count);
  const bool sound = read.ec == std::errc() && read.ptr == end && count >= 0;
  return sound ? std::optional(ArrowKind::kFixedList) : std::nullopt;
}

bool is_map(const ArrowType& type) {
  return type.format == "+m" && type.children.size() == 1 && type.children[0].format == "+s" &&
         type.children[0].dictionary.empty() && type.children[0].children.size() == 2;
}

bool is_run_ends(const ArrowType& type) {
  return type.format == "+r" && type.children.size() == 2 && type.children[0].dictionary.empty() &&
         is_integer_format(type.children[0].format, "sil");
}

void add_fields(const ArrowType& type, const std::string& path, std::vector<NestedField>& to);

/// A map is an object whose keys are not known, or an array of objects with a key and a value.
void add_map_fields(const ArrowType& map, const std::string& path, std::vector<NestedField>& to) {
  const ArrowType& entry = map.children[0];
  if (has_text_keys(map)) return add_fields(entry.children[1], path + ".*", to);
  add_fields(entry.children[0], path + "[*].key", to);
  add_fields(entry.children[1], path + "[*].value", to);
}

/// Adds the types of the values below a path.
void add_fields(const ArrowType& type, const std::string& path, std::vector<NestedField>& to) {
  const auto add = [&](const ColumnSchema& field) {
    if (!path.empty() && path.size() <= kMaxNameBytes) to.push_back({path, field});
  };
  switch (*kind_of(type)) {
    case ArrowKind::kValues: {
      ColumnSchema field = *leaf_of(type.format);
      field.text = ValueText::kPlain;
      field.valid_utf8 = false;
      if (!is_string(field.type)) add(field);
      return;
    }
    case ArrowKind::kList:
    case ArrowKind::kListView:
    case ArrowKind::kFixedList:
      add(json_field_type());
      return add_fields(type.children[0], path + "[*]", to);
    case ArrowKind::kStruct:
      add(json_field_type());
      for (const ArrowType& child : type.children) {
        add_fields(child, path + json_step_text({JsonStep::Kind::kKey, child.name, 0}), to);
      }
      return;
    case ArrowKind::kRunEnds:
      return add_fields(type.children[1], path, to);
    case ArrowKind::kDictionary:
      return add_fields(type.dictionary[0], path, to);
    case ArrowKind::kMap:
      add(json_field_type());
      return add_map_fields(type, path, to);
    default:
      return;  // nothing but nulls
  }
}

Result<ArrowType> type_of_schema(const ArrowSchema& schema, const std::string& column,
                                 unsigned depth) {
  ArrowType type;
  type.format = schema.format == nullptr ? "" : schema.format;
  type.flags = static_cast<Byte>(schema.flags & kArrowFlags);
  const auto refused = [&] {
    return make_error(ErrorCode::kUnsupported, "column '" + column + "': the Arrow type `" +
                                                   type.format + "` cannot be stored in a table");
  };
  if (depth > kMostDepth || schema.n_children < 0) return refused();
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema* const child = schema.children == nullptr ? nullptr : schema.children[i];
    if (child == nullptr) return refused();
    PRESSO_ASSIGN(ArrowType inner, type_of_schema(*child, column, depth + 1));
    inner.name = child->name == nullptr ? "" : child->name;
    const Bytes name(reinterpret_cast<const Byte*>(inner.name.data()), inner.name.size());
    if (!is_valid_utf8(name) || name.size() > kMaxNameBytes) return refused();
    type.children.push_back(std::move(inner));
  }
  if (schema.dictionary != nullptr) {
    PRESSO_ASSIGN(ArrowType values, type_of_schema(*schema.dictionary, column, depth + 1));
    type.dictionary.push_back(std::move(values));
  }
  if (type.format.starts_with("d:")) {
    const auto decimal = column_of_arrow_format(type.format);
    if (decimal) type.format = arrow_format(*decimal);
  }
  if (!kind_of(type)) return refused();
  return type;
}

void append_type(const ArrowType& type, std::vector<Byte>& to) {
  append_text(to, type.format);
  append_text(to, type.name);
  to.push_back(static_cast<Byte>(type.flags | (type.dictionary.empty() ? 0 : kDictionaryBit) |
                                 (type.entries.empty() ? 0 : kKeptEntriesBit)));
  append_varint(to, type.children.size());
  for (const ArrowType& child : type.children) append_type(child, to);
  for (const ArrowType& values : type.dictionary) append_type(values, to);
  if (!type.entries.empty()) append_text(to, type.entries);
}

/// Counts the types that were read, so that a file cannot ask for many by few bytes.
bool read_type(WireReader& from, unsigned depth, std::size_t& types, ArrowType& type) {
  if (depth > kMostDepth || ++types > kMostTypes) return false;
  type.format = from.text();
  type.name = from.text();
  const auto flags = from.value<Byte>();
  type.flags = flags & kArrowFlags;
  const std::uint64_t children = from.varint();
  const bool has_dictionary = (flags & kDictionaryBit) != 0;
  const bool has_entries = (flags & kKeptEntriesBit) != 0;
  const bool known = (flags & ~(kArrowFlags | kDictionaryBit | kKeptEntriesBit)) == 0;
  if (!known || (has_entries && !has_dictionary) || children > from.left()) return false;
  for (std::uint64_t i = 0; i < children && !from.overran(); ++i) {
    if (!read_type(from, depth + 1, types, type.children.emplace_back())) return false;
  }
  if (has_dictionary && !read_type(from, depth + 1, types, type.dictionary.emplace_back())) {
    return false;
  }
  if (has_entries) type.entries = from.text();
  if (has_entries && (type.entries.empty() || type.entries.size() > kMostEntriesBytes)) {
    return false;
  }
  const Bytes name(reinterpret_cast<const Byte*>(type.name.data()), type.name.size());
  return !from.overran() && type.name.size() <= kMaxNameBytes && is_valid_utf8(name) &&
         kind_of(type).has_value();
}

/// Without its entries a dictionary has no order.
void drop_entries(ArrowType& type) {
  type.entries.clear();
  type.flags &= static_cast<Byte>(~ARROW_FLAG_DICTIONARY_ORDERED);
  for (ArrowType& child : type.children) drop_entries(child);
  for (ArrowType& values : type.dictionary) drop_entries(values);
}

}  // namespace

std::optional<ArrowKind> kind_of(const ArrowType& type) {
  const std::size_t children = type.children.size();
  if (!type.dictionary.empty()) {
    const bool is_code = is_integer_format(type.format, "cCsSiIlL") && children == 0;
    return is_code ? std::optional(ArrowKind::kDictionary) : std::nullopt;
  }
  if (type.format == "+s") return ArrowKind::kStruct;
  if (is_map(type)) return ArrowKind::kMap;
  if (is_run_ends(type)) return ArrowKind::kRunEnds;
  if (children == 1) return kind_of_list(type.format);
  if (children > 0) return std::nullopt;
  if (type.format == "n") return ArrowKind::kNull;
  return leaf_of(type.format) ? std::optional(ArrowKind::kValues) : std::nullopt;
}

std::optional<ColumnSchema> leaf_of(std::string_view format) {
  auto column = column_of_arrow_format(format == "tdm" ? "tdD" : format);
  if (!column) return column;
  if (column->type == ColumnType::kFloat || column->type == ColumnType::kDouble) {
    column->text = ValueText::kPointReal;
  } else if (column->type == ColumnType::kTimestamp) {
    column->text = column->zone.empty() ? ValueText::kLetterTime : ValueText::kLetterTimeZ;
  }
  return column;
}

std::uint64_t elements_of(const ArrowType& type) {
  std::uint64_t count = 0;
  std::from_chars(type.format.data() + 3, type.format.data() + type.format.size(), count);
  return count;
}

bool is_nested(const ArrowType& type) {
  const auto kind = kind_of(type);
  if (kind == ArrowKind::kDictionary) return is_nested(type.dictionary[0]);
  if (kind == ArrowKind::kRunEnds) return is_nested(type.children[1]);
  return kind != ArrowKind::kValues;
}

bool has_text_keys(const ArrowType& map) {
  return !is_nested(map.children[0].children[0]);
}

Result<ArrowType> arrow_type_of(const ArrowSchema& schema, const std::string& column) {
  return type_of_schema(schema, column, 0);
}

NestedFields fields_in_order(std::vector<NestedField> fields) {
  const auto before = [](const NestedField& a, const NestedField& b) { return a.path < b.path; };
  const auto same = [](const NestedField& a, const NestedField& b) { return a.path == b.path; };
  // Where two members have one name, a path leads to the first.
  std::stable_sort(fields.begin(), fields.end(), before);
  fields.erase(std::unique(fields.begin(), fields.end(), same), fields.end());
  if (fields.size() > kMostFields) fields.clear();
  return NestedFields(std::move(fields));
}

NestedFields fields_of(const ArrowType& type) {
  std::vector<NestedField> fields;
  add_fields(type, "", fields);
  return fields_in_order(std::move(fields));
}

ColumnSchema column_of(const ArrowType& type) {
  const auto kind = kind_of(type);
  ColumnSchema column;
  if (is_nested(type)) {
    column.valid_utf8 = true;
    column.text = ValueText::kRawJson;
    column.fields = fields_of(type);
  } else if (kind == ArrowKind::kDictionary) {
    column = column_of(type.dictionary[0]);
  } else if (kind == ArrowKind::kRunEnds) {
    column = column_of(type.children[1]);
  } else {
    column = *leaf_of(type.format);
    column.text = ValueText::kPlain;
  }
  return column;
}

std::string serialise_arrow_type(const ArrowType& type) {
  std::vector<Byte> bytes;
  append_type(type, bytes);
  return {bytes.begin(), bytes.end()};
}

std::string common_arrow_type(const std::string& a, const std::string& b) {
  if (a == b) return a;
  auto one = parse_arrow_type(a);
  auto other = parse_arrow_type(b);
  if (!one || !other) return {};
  drop_entries(*one);
  drop_entries(*other);
  return *one == *other ? serialise_arrow_type(*one) : std::string();
}

std::optional<ArrowType> parse_arrow_type(std::string_view text) {
  WireReader from({reinterpret_cast<const Byte*>(text.data()), text.size()});
  std::size_t types = 0;
  ArrowType type;
  const bool sound = read_type(from, 0, types, type) && from.ended_exactly();
  if (!sound || !type.name.empty()) return std::nullopt;
  return type;
}

}  // namespace presso
