// SPDX-License-Identifier: MIT
// Functions of lists. A list is the text of a JSON array (ValueText::kRawJson), as columns of
// nested values and the aggregate list() have it. Each call reads and checks the whole text of a
// row.
#include <algorithm>
#include <charconv>

#include "format/columns/json_path.h"
#include "format/columns/string_text.h"
#include "query/compute/characters.h"
#include "query/compute/functions.h"

namespace presso::query::list_functions {
namespace {

using Text = std::string_view;

constexpr Text kNoList = "a text is not a JSON array";

/// The elements of one row's list, in which places count from 1.
class Elements {
 public:
  Elements(const Row& row, Text list) {
    const bool is_list = finder_.find(bytes_of(list), {}) == JsonFinder::Found::kValue &&
                         list[finder_.value().begin] == '[';
    if (is_list) {
      members_ = finder_.members();
    } else {
      row.fail();
    }
  }
  std::int64_t count() const { return static_cast<std::int64_t>(members_.size()); }
  bool is_null_at(std::int64_t place) const { return at(place).kind == JsonKind::kNull; }
  /// The text of a string, and the JSON of other values.
  std::string text(std::int64_t place) const {
    std::string text;
    append_json_text(finder_.text(), at(place), true, text);
    return text;
  }
  std::string json(std::int64_t place) const {
    std::string text;
    append_json(finder_.text(), at(place), text);
    return text;
  }

 private:
  const JsonMember& at(std::int64_t place) const {
    return members_[static_cast<std::size_t>(place - 1)];
  }
  JsonFinder finder_;
  std::vector<JsonMember> members_;
};

std::string quoted(Text text) {
  std::string json;
  string_text::append_json_string(bytes_of(text), json);
  return json;
}

Text to_json(const Row& row, Text text) {
  return row.keep(quoted(text));
}

Text string_split(const Row& row, Text text, Text separator) {
  std::string list = "[";
  for (const Text part : parts_of(text, separator)) {
    if (list.size() > 1) list += ',';
    list += quoted(part);
  }
  return row.keep(list + ']');
}

std::optional<double> number_of(Text text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

/// The first place of a value, or 0. Numbers are equal if their doubles are.
std::int64_t list_position(const Row& row, Text list, Text wanted) {
  const Elements elements(row, list);
  const bool is_number = row.context.node.parameter != 0;
  const std::optional<double> number = is_number ? number_of(wanted) : std::nullopt;
  for (std::int64_t place = 1; place <= elements.count(); ++place) {
    if (elements.is_null_at(place)) continue;
    const std::string text = elements.text(place);
    if (text == wanted || (number && number_of(text) == number)) return place;
  }
  return 0;
}

/// Limits `first` and `last` to places from 1 to `count`; negative places count from the end.
void clamp(std::int64_t count, std::int64_t& first, std::int64_t& last) {
  first = std::max<std::int64_t>(first < 0 ? first + count + 1 : first, 1);
  last = std::min(last < 0 ? last + count + 1 : last, count);
}

/// The elements from `first` to `last`, both included.
Text list_slice(const Row& row, Text list, std::int64_t first, std::int64_t last) {
  const Elements elements(row, list);
  clamp(elements.count(), first, last);
  std::string slice = "[";
  for (std::int64_t place = first; place <= last; ++place) {
    if (place > first) slice += ',';
    slice += elements.json(place);
  }
  return row.keep(slice + ']');
}

Text text_slice(const Row&, Text text, std::int64_t first, std::int64_t last) {
  clamp(count_characters(bytes_of(text)), first, last);
  if (first > last) return {};
  const Text rest = view_of(behind(bytes_of(text), first - 1));
  return rest.substr(0, rest.size() - view_of(behind(bytes_of(rest), last - first + 1)).size());
}

Text list_extract(const Row& row, Text list, std::int64_t place) {
  const Elements elements(row, list);
  if (place < 0) place += elements.count() + 1;
  if (place < 1 || place > elements.count() || elements.is_null_at(place))
    return row.set_null(), Text();
  return row.keep(elements.text(place));
}

Text array_to_string(const Row& row, Text list, Text separator) {
  const Elements elements(row, list);
  std::string joined;
  bool any = false;
  for (std::int64_t place = 1; place <= elements.count(); ++place) {
    if (elements.is_null_at(place)) continue;
    if (std::exchange(any, true)) joined += separator;
    joined += elements.text(place);
  }
  return row.keep(joined);
}

constexpr Kernel kToJson{"to_json", each<to_json>};
constexpr Kernel kStringSplit{"string_split", each<string_split>};
constexpr Kernel kListPosition{"list_position", each<list_position>, kNoList};
constexpr Kernel kListSlice{"list_slice", each<list_slice>, kNoList};
constexpr Kernel kTextSlice{"list_slice", each<text_slice>};
constexpr Kernel kListExtract{"list_extract", each<list_extract>, kNoList, true};
constexpr Kernel kArrayToString{"array_to_string", each<array_to_string>, kNoList};

ColumnSchema json_schema() {
  ColumnSchema type;
  type.text = ValueText::kRawJson;
  type.valid_utf8 = true;
  return type;
}

bool is_list(const Node& node) {
  return node.family == Family::kNull || node.schema.text == ValueText::kRawJson;
}

Status check_list(const Call& call) {
  if (is_list(call.at(0))) return {};
  return refused(
      call.name + "() takes a list; this is " + call.build.type_of(call.arguments[0]) +
      (call.at(0).family == Family::kString ? ", and json(text) makes text a list" : ""));
}

/// A value as JSON that stands within other JSON.
Result<NodeId> as_json(const Builder& build, NodeId value) {
  const Node& node = build.at(value);
  const bool is_number = node.family == Family::kInteger || node.family == Family::kDecimal ||
                         node.family == Family::kDouble || node.family == Family::kBool;
  const bool is_quoted = !is_number && !is_list(node);
  NodeId text = build.to_string(value);
  if (is_quoted) text = build.call(kToJson, json_schema(), {text});
  return build.coalesce({text, build.string("null")});
}

Result<NodeId> list_value(Call& call) {
  std::vector<NodeId> parts = {call.build.string("[")};
  for (const NodeId each : call.arguments) {
    if (parts.size() > 1) parts.push_back(call.build.string(","));
    PRESSO_ASSIGN(const NodeId part, as_json(call.build, each));
    parts.push_back(part);
  }
  parts.push_back(call.build.string("]"));
  const NodeId text = call.build.step(Step::kConcat, Family::kString, std::move(parts));
  return call.build.with_schema(text, json_schema());
}

Result<NodeId> split(Call& call) {
  PRESSO_TRY(convert_arguments(call, "ss"));
  return call.build.call(kStringSplit, json_schema(), call.arguments);
}

Result<NodeId> place_in(Call& call) {
  PRESSO_TRY(check_list(call));
  const Family family = call.at(1).family;
  const bool is_number =
      family == Family::kInteger || family == Family::kDecimal || family == Family::kDouble;
  ColumnSchema type;
  type.type = ColumnType::kInt64;
  return call.build.call(
      kListPosition, type,
      {call.build.to_string(call.arguments[0]), call.build.to_string(call.arguments[1])},
      whole_range(0, Int128{1} << 40), is_number ? 1 : 0);
}

Result<NodeId> contains(Call& call) {
  PRESSO_ASSIGN(const NodeId place, place_in(call));
  return call.build.compare(Step::kNotEqual, place, call.build.integer(0));
}

Result<NodeId> slice(Call& call) {
  PRESSO_ASSIGN(const NodeId first, integer_argument(call, 1));
  PRESSO_ASSIGN(const NodeId last, integer_argument(call, 2));
  if (call.at(0).family == Family::kString && !is_list(call.at(0))) {
    return call.build.call(kTextSlice, ColumnSchema(), {call.arguments[0], first, last});
  }
  PRESSO_TRY(check_list(call));
  ColumnSchema type = json_schema();
  type.fields = call.at(0).schema.fields;
  return call.build.call(kListSlice, type, {call.build.to_string(call.arguments[0]), first, last});
}

/// An element has the type that the list's schema says, else it is text.
Result<NodeId> element_of(Call& call) {
  PRESSO_TRY(check_list(call));
  const NestedFields fields = call.at(0).schema.fields;  // nodes move where others are added
  PRESSO_ASSIGN(const NodeId place, integer_argument(call, 1));
  const NodeId list = call.build.to_string(call.arguments[0]);
  const NodeId text = call.build.call(kListExtract, ColumnSchema(), {list, place});
  const NestedField* const element = fields.find("[*]");
  return element == nullptr ? Result<NodeId>(text) : call.build.cast(text, element->type);
}

Result<NodeId> joined(Call& call) {
  PRESSO_TRY(check_list(call));
  PRESSO_ASSIGN(const NodeId separator, string_argument(call, 1));
  return call.build.call(kArrayToString, ColumnSchema(),
                         {call.build.to_string(call.arguments[0]), separator});
}

}  // namespace

void add(Functions& functions) {
  functions["list_value"] = functions["list_pack"] = {0, 10'000, list_value};
  functions["to_json"] = {1, 1, [](Call& call) { return as_json(call.build, call.arguments[0]); }};
  for (const char* name : {"string_split", "str_split", "split", "string_to_array"}) {
    functions[name] = {2, 2, split};
  }
  for (const char* name : {"list_contains", "list_has", "array_contains", "array_has"}) {
    functions[name] = {2, 2, contains};
  }
  for (const char* name : {"list_position", "list_indexof", "array_position", "array_indexof"}) {
    functions[name] = {2, 2, place_in};
  }
  functions["list_slice"] = functions["array_slice"] = {3, 3, slice};
  functions["list_extract"] = functions["list_element"] =
      functions["array_extract"] = {2, 2, element_of};
  functions["array_to_string"] = {2, 2, joined};
}

}  // namespace presso::query::list_functions
