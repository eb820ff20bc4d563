// SPDX-License-Identifier: MIT
// Functions of lists. A list is the text of a JSON array (ValueText::kRawJson), as columns of
// nested values and the aggregate list() have it. Each call reads and checks the whole text of a
// row.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <limits>
#include <optional>
#include <set>

#include "format/columns/json_path.h"
#include "format/columns/schema.h"
#include "format/columns/string_text.h"
#include "query/compute/characters.h"
#include "query/compute/functions.h"
#include "query/compute/lambda.h"
#include "query/compute/list_elements.h"
#include "query/compute/written_value.h"

namespace presso::query {
namespace list_functions {
namespace {

using Text = std::string_view;

constexpr Text kNoList = "a text is not a JSON array";

Text string_split(const Row& row, Text text, Text separator) {
  std::string list = "[";
  for (const Text part : parts_of(text, separator)) {
    if (list.size() > 1) list += ',';
    string_text::append_json_string(bytes_of(part), list);
  }
  return row.keep(list + ']');
}

/// A number of JSON. Two whole numbers of up to 38 digits are compared exactly, others as doubles,
/// which is one order for all, since doubles with a fraction are small and exact.
struct ListNumber {
  std::optional<Int128> whole;  ///< also of 3.0 and 1e5
  double real = 0;

  friend std::weak_ordering operator<=>(const ListNumber& a, const ListNumber& b) {
    if (a.whole && b.whole) return *a.whole <=> *b.whole;
    return std::weak_order(a.real, b.real);
  }
};

/// nullopt for other texts than numbers. What a double cannot hold is infinite or zero.
std::optional<ListNumber> number_of(Text text) {
  ListNumber number;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number.real);
  if (read.ptr != text.data() + text.size() || read.ec == std::errc::invalid_argument) return {};
  const std::size_t minus = text.rfind('-');
  if (read.ec == std::errc::result_out_of_range && (minus == 0 || minus == text.npos)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    number.real = minus == 0 ? -kInfinity : kInfinity;
  }
  Int128 digits = 0;
  unsigned scale = 0;
  if (read_decimal(text, digits, scale) && scale == 0) {
    number.whole = digits;
  } else if (number.real == std::floor(number.real) && std::fabs(number.real) < 0x1p126) {
    number.whole = static_cast<Int128>(number.real);
  }
  return number;
}

/// Bits of the parameter of kListPosition.
constexpr std::int64_t kOfNumber = 1;  ///< the value is a number
constexpr std::int64_t kOrZero = 2;    ///< 0 rather than null where the value is nowhere

/// The first place of a value.
std::int64_t list_position(const Row& row, Text list, Text wanted) {
  const ListElements elements(row, list);
  const std::int64_t parameter = row.context.node.parameter;
  const bool is_number = (parameter & kOfNumber) != 0;
  const std::optional<ListNumber> number = is_number ? number_of(wanted) : std::nullopt;
  for (std::int64_t place = 1; place <= elements.count(); ++place) {
    if (elements.is_null_at(place)) continue;
    const std::string text = elements.text(place);
    if (text == wanted) return place;
    const std::optional<ListNumber> element = number ? number_of(text) : std::nullopt;
    if (element && (*element <=> *number) == 0) return place;
  }
  if ((parameter & kOrZero) == 0) row.set_null();
  return 0;
}

/// Limits `first` and `last` to places from 1 to `count`; negative places count from the end.
void clamp(std::int64_t count, std::int64_t& first, std::int64_t& last) {
  first = std::max<std::int64_t>(first < 0 ? first + count + 1 : first, 1);
  last = std::min(last < 0 ? last + count + 1 : last, count);
}

/// The elements from `first` to `last`, both included.
Text list_slice(const Row& row, Text list, std::int64_t first, std::int64_t last) {
  const ListElements elements(row, list);
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
  const ListElements elements(row, list);
  if (place < 0) place += elements.count() + 1;
  if (place < 1 || place > elements.count() || elements.is_null_at(place))
    return row.set_null(), Text();
  return row.keep(elements.text(place));
}

Text array_to_string(const Row& row, Text list, Text separator) {
  const ListElements elements(row, list);
  std::string joined;
  bool any = false;
  for (std::int64_t place = 1; place <= elements.count(); ++place) {
    if (elements.is_null_at(place)) continue;
    if (std::exchange(any, true)) joined += separator;
    joined += elements.text(place);
  }
  // As in DuckDB, elements that are all null give null, and an empty list gives an empty text.
  if (!any && elements.count() > 0) return row.set_null(), Text();
  return row.keep(joined);
}

/// What an element is compared and sorted by.
struct ElementKey {
  JsonKind kind = JsonKind::kNull;
  std::string text;
  ListNumber number;
  friend std::weak_ordering operator<=>(const ElementKey& a, const ElementKey& b) {
    if (a.kind != b.kind) return a.kind <=> b.kind;
    if (a.kind != JsonKind::kNumber) return a.text <=> b.text;
    return a.number <=> b.number;
  }
};

ElementKey element_key(const ListElements& list, std::int64_t place) {
  ElementKey key{list.kind(place), list.text(place), {}};
  if (key.kind == JsonKind::kNumber) key.number = number_of(key.text).value_or(ListNumber());
  return key;
}

/// Places of the elements in ascending order, without nulls.
std::vector<std::int64_t> sorted_places(const ListElements& list) {
  std::vector<std::pair<ElementKey, std::int64_t>> keys;
  for (std::int64_t place = 1; place <= list.count(); ++place) {
    if (!list.is_null_at(place)) keys.emplace_back(element_key(list, place), place);
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::int64_t> places;
  for (const auto& [key, place] : keys) places.push_back(place);
  return places;
}

Text list_of(const Row& row, const ListElements& list, const std::vector<std::int64_t>& places) {
  std::string text = "[";
  for (const std::int64_t place : places) {
    if (text.size() > 1) text += ',';
    text += list.json(place);
  }
  return row.keep(text + ']');
}

/// Nulls are last in either direction. The node's parameter is 1 for descending order.
Text list_sort(const Row& row, Text text) {
  const ListElements list(row, text);
  std::vector<std::int64_t> places = sorted_places(list);
  if (row.context.node.parameter != 0) std::reverse(places.begin(), places.end());
  for (std::int64_t place = 1; place <= list.count(); ++place) {
    if (list.is_null_at(place)) places.push_back(place);
  }
  return list_of(row, list, places);
}

Text list_reverse(const Row& row, Text text) {
  const ListElements list(row, text);
  std::vector<std::int64_t> places;
  for (std::int64_t place = list.count(); place > 0; --place) places.push_back(place);
  return list_of(row, list, places);
}

/// Places of elements that differ from all before them, without nulls.
std::vector<std::int64_t> distinct_places(const ListElements& list) {
  std::set<ElementKey> known;
  std::vector<std::int64_t> places;
  for (std::int64_t place = 1; place <= list.count(); ++place) {
    if (!list.is_null_at(place) && known.insert(element_key(list, place)).second) {
      places.push_back(place);
    }
  }
  return places;
}

Text list_distinct(const Row& row, Text text) {
  const ListElements list(row, text);
  return list_of(row, list, distinct_places(list));
}

std::int64_t list_unique(const Row& row, Text text) {
  return static_cast<std::int64_t>(distinct_places(ListElements(row, text)).size());
}

std::int64_t list_count(const Row& row, Text text) {
  const ListElements list(row, text);
  std::int64_t count = 0;
  for (std::int64_t place = 1; place <= list.count(); ++place) count += !list.is_null_at(place);
  return count;
}

/// The least element, or the greatest if the node's parameter is 1.
Text list_extreme(const Row& row, Text text) {
  const ListElements list(row, text);
  const std::vector<std::int64_t> places = sorted_places(list);
  if (places.empty()) return row.set_null(), Text();
  return row.keep(list.text(row.context.node.parameter != 0 ? places.back() : places.front()));
}

/// The elements of a list's lists.
Text flatten(const Row& row, Text text) {
  const ListElements lists(row, text);
  std::string all = "[";
  for (std::int64_t i = 1; i <= lists.count(); ++i) {
    if (lists.is_null_at(i)) continue;
    const std::string inner = lists.json(i);
    const ListElements list(row, inner);
    for (std::int64_t place = 1; place <= list.count(); ++place) {
      if (all.size() > 1) all += ',';
      all += list.json(place);
    }
  }
  return row.keep(all + ']');
}

/// How many different elements of the first list are in the second one; the node's parameter says
/// whether one or all of the second list's must be.
bool list_has(const Row& row, Text text, Text other) {
  const ListElements list(row, text);
  const ListElements wanted(row, other);
  std::set<ElementKey> known;
  for (const std::int64_t place : distinct_places(list)) known.insert(element_key(list, place));
  const std::vector<std::int64_t> places = distinct_places(wanted);
  const auto is_known = [&](std::int64_t place) {
    return known.contains(element_key(wanted, place));
  };
  return row.context.node.parameter != 0 ? std::all_of(places.begin(), places.end(), is_known)
                                         : std::any_of(places.begin(), places.end(), is_known);
}

constexpr Kernel kStringSplit{"string_split", each<string_split>};
constexpr Kernel kListPosition{"list_position", each<list_position>, kNoList, true};
constexpr Kernel kListSlice{"list_slice", each<list_slice>, kNoList};
constexpr Kernel kTextSlice{"list_slice", each<text_slice>};
constexpr Kernel kListExtract{"list_extract", each<list_extract>, kNoList, true};
constexpr Text kNoRange = "a step of 0, or a list of more than a million elements";

/// Whole numbers from `first` on, below `end`.
Text range(const Row& row, std::int64_t first, std::int64_t end, std::int64_t step) {
  std::string list = "[";
  constexpr Int128 kMost = 1'000'000;
  const Int128 count = step == 0 ? kMost + 1 : (Int128{end} - first) / step;
  if (count > kMost) return row.fail(), Text();
  for (Int128 value = first; step > 0 ? value < end : value > end; value += step) {
    if (list.size() > 1) list += ',';
    list += std::to_string(static_cast<std::int64_t>(value));
  }
  return row.keep(list + ']');
}

constexpr Kernel kRange{"range", each<range>, kNoRange};
constexpr Kernel kListSort{"list_sort", each<list_sort>, kNoList};
constexpr Kernel kListReverse{"list_reverse", each<list_reverse>, kNoList};
constexpr Kernel kListDistinct{"list_distinct", each<list_distinct>, kNoList};
constexpr Kernel kListUnique{"list_unique", each<list_unique>, kNoList};
constexpr Kernel kListCount{"list_count", each<list_count>, kNoList};
constexpr Kernel kListExtreme{"list_extreme", each<list_extreme>, kNoList, true};
constexpr Kernel kFlatten{"flatten", each<flatten>, kNoList};
constexpr Kernel kListHas{"list_has", each<list_has>, kNoList};
constexpr Kernel kArrayToString{"array_to_string", each<array_to_string>, kNoList, true};

NodeId joined_json(const Builder& build, std::vector<NodeId> parts, const ColumnSchema& type) {
  return build.with_schema(build.step(Step::kConcat, Family::kString, std::move(parts)), type);
}

/// Elements that have a common type have that.
Result<NodeId> list_value(Call& call) {
  std::vector<NodeId> values = call.arguments;
  const bool is_json = std::any_of(values.begin(), values.end(), [&](NodeId each) {
    return call.build.at(each).schema.text == ValueText::kRawJson;
  });
  ColumnSchema type = json_schema();
  if (is_json) {
    type = list_schema_of(call.at(0).schema);
  } else if (!values.empty() && call.build.unify(values).ok()) {
    type = list_schema_of(call.build.at(values[0]).schema);
  } else {
    values = call.arguments;
  }
  std::vector<NodeId> parts = {call.build.string("[")};
  for (const NodeId each : values) {
    if (parts.size() > 1) parts.push_back(call.build.string(","));
    PRESSO_ASSIGN(const NodeId part, as_json(call.build, each));
    parts.push_back(part);
  }
  parts.push_back(call.build.string("]"));
  return joined_json(call.build, std::move(parts), type);
}

/// json_object('a', 1, 'b', 2), where keys are texts.
Result<NodeId> object(Call& call) {
  if (call.arguments.size() % 2 != 0) return refused(call.name + "() takes pairs: key, value");
  std::vector<NestedField> fields;
  std::vector<NodeId> parts = {call.build.string("{")};
  for (std::size_t i = 0; i < call.arguments.size(); i += 2) {
    if (i > 0) parts.push_back(call.build.string(","));
    PRESSO_ASSIGN(const NodeId text, string_argument(call, i));
    PRESSO_ASSIGN(const NodeId key, as_json(call.build, text));
    PRESSO_ASSIGN(const NodeId value, as_json(call.build, call.arguments[i + 1]));
    parts.insert(parts.end(), {key, call.build.string(":"), value});
    const ColumnSchema& type = call.at(i + 1).schema;
    if (!call.is_constant(i) || call.at(i + 1).family == Family::kNull) continue;
    const std::string path = json_step_text({JsonStep::Kind::kKey, call.at(i).text, 0});
    if (type.text == ValueText::kRawJson) fields.push_back({path, json_field_type()});
    for (const NestedField& field : type.fields.all()) {
      fields.push_back({path + field.path, field.type});
    }
    if (!is_string(type.type)) fields.push_back({path, bare_type(type)});
  }
  parts.push_back(call.build.string("}"));
  ColumnSchema type = json_schema();
  if (!fields.empty()) type.fields = NestedFields(std::move(fields));
  return joined_json(call.build, std::move(parts), type);
}

/// A call of a kernel of lists alone, whose result is a list of the same type.
Function of_list(const Kernel& kernel, std::int64_t parameter = 0) {
  return {1, 1, [&kernel, parameter](Call& call) -> Result<NodeId> {
            PRESSO_TRY(check_list(call));
            ColumnSchema type = json_schema();
            type.fields = call.at(0).schema.fields;
            return call.build.call(kernel, type, {call.build.to_string(call.arguments[0])}, {},
                                   parameter);
          }};
}

/// list_sort(list [, 'DESC' [, 'NULLS LAST']]).
Result<NodeId> sorted(Call& call) {
  bool descends = call.name.find("reverse") != std::string::npos;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    std::string word = call.is_constant(i) ? call.at(i).text : std::string();
    std::transform(word.begin(), word.end(), word.begin(), [](char letter) {
      return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
    if (i == 1 && word == "DESC") descends = !descends;
    const bool known = i == 1 ? word == "ASC" || word == "DESC" : word == "NULLS LAST";
    if (!known) return refused(call.name + "() takes 'ASC' or 'DESC', and 'NULLS LAST'");
  }
  call.arguments.resize(1);
  return of_list(kListSort, descends ? 1 : 0).make(call);
}

Result<NodeId> number_of_list(Call& call, const Kernel& kernel) {
  PRESSO_TRY(check_list(call));
  ColumnSchema type;
  type.type = ColumnType::kInt64;
  return call.build.call(kernel, type, {call.build.to_string(call.arguments[0])},
                         whole_range(0, Int128{1} << 40));
}

Result<NodeId> extreme_of_list(Call& call, bool greatest) {
  PRESSO_TRY(check_list(call));
  const ColumnSchema type = element_schema(call.at(0).schema.fields);
  const NodeId text =
      call.build.call(kListExtreme, ColumnSchema(), {call.build.to_string(call.arguments[0])}, {},
                      greatest ? 1 : 0);
  return element_as(call.build, text, type);
}

Result<NodeId> average(Call& call) {
  PRESSO_ASSIGN(const NodeId sum, sum_of_list(call));
  PRESSO_ASSIGN(const NodeId count, number_of_list(call, kListCount));
  PRESSO_ASSIGN(const NodeId quotient, call.build.arithmetic(Step::kDivideReal, sum, count));
  return quotient;
}

/// list_aggregate(list, 'name').
Result<NodeId> aggregated(Call& call) {
  const std::string name = call.is_constant(1) ? call.at(1).text : std::string();
  if (name == "sum") return sum_of_list(call);
  if (name == "avg" || name == "mean") return average(call);
  if (name == "min" || name == "max") return extreme_of_list(call, name == "max");
  if (name == "count") return number_of_list(call, kListCount);
  return refused(call.name + "() knows 'sum', 'avg', 'min', 'max' and 'count'");
}

/// The elements of several lists, of which those that are null have none.
Result<NodeId> joined_lists(Call& call) {
  for (NodeId& each : call.arguments) {
    PRESSO_TRY(check_list(Call{call.build, call.name, {each}}));
  }
  PRESSO_ASSIGN(const NodeId lists, list_value(call));
  ColumnSchema type = json_schema();
  type.fields = call.at(0).schema.fields;
  return call.build.call(kFlatten, type, {lists});
}

/// list_append(list, a) and list_prepend(a, list).
Result<NodeId> with_element(Call& call, std::size_t element) {
  const std::string name = "list_value";
  Call one{call.build, name, {call.arguments[element]}};
  PRESSO_ASSIGN(call.arguments[element], list_value(one));
  return joined_lists(call);
}

Result<NodeId> split(Call& call) {
  PRESSO_TRY(convert_arguments(call, "ss"));
  return call.build.call(kStringSplit, json_schema(), call.arguments);
}

Result<NodeId> place_in(Call& call, std::int64_t parameter) {
  PRESSO_TRY(check_list(call));
  const Family family = call.at(1).family;
  const bool is_number =
      family == Family::kInteger || family == Family::kDecimal || family == Family::kDouble;
  ColumnSchema type;
  type.type = ColumnType::kInt64;
  return call.build.call(
      kListPosition, type,
      {call.build.to_string(call.arguments[0]), call.build.to_string(call.arguments[1])},
      whole_range(0, Int128{1} << 40), parameter | (is_number ? kOfNumber : 0));
}

Result<NodeId> contains(Call& call) {
  PRESSO_ASSIGN(const NodeId place, place_in(call, kOrZero));
  return call.build.compare(Step::kNotEqual, place, call.build.integer(0));
}

Result<NodeId> slice(Call& call) {
  PRESSO_ASSIGN(const NodeId first, integer_argument(call, 1));
  PRESSO_ASSIGN(const NodeId last, integer_argument(call, 2));
  if (call.at(0).family == Family::kString && call.at(0).schema.text != ValueText::kRawJson) {
    return call.build.call(kTextSlice, ColumnSchema(), {call.arguments[0], first, last});
  }
  PRESSO_TRY(check_list(call));
  ColumnSchema type = json_schema();
  type.fields = call.at(0).schema.fields;
  return call.build.call(kListSlice, type, {call.build.to_string(call.arguments[0]), first, last});
}

Result<NodeId> has(Call& call, bool all) {
  PRESSO_TRY(check_list(call));
  PRESSO_TRY(check_list(Call{call.build, call.name, {call.arguments[1]}}));
  ColumnSchema type;
  type.type = ColumnType::kBool;
  return call.build.call(
      kListHas, type,
      {call.build.to_string(call.arguments[0]), call.build.to_string(call.arguments[1])}, {},
      all ? 1 : 0);
}

Result<NodeId> flattened(Call& call) {
  PRESSO_TRY(check_list(call));
  const ColumnSchema type = element_schema(call.at(0).schema.fields);
  return call.build.call(
      kFlatten, is_string(type.type) && type.text != ValueText::kRawJson ? json_schema() : type,
      {call.build.to_string(call.arguments[0])});
}

/// range(end), range(first, end [, step]), and generate_series(), which includes the end.
Result<NodeId> series(Call& call) {
  const Builder& build = call.build;
  if (call.arguments.size() == 1) call.arguments.insert(call.arguments.begin(), build.integer(0));
  if (call.arguments.size() == 2) call.arguments.push_back(build.integer(1));
  if (call.name == "generate_series") {
    PRESSO_ASSIGN(const NodeId backwards,
                  build.compare(Step::kLess, call.arguments[2], build.integer(0)));
    PRESSO_ASSIGN(const NodeId one,
                  build.choose({backwards}, {build.integer(-1)}, build.integer(1)));
    PRESSO_ASSIGN(call.arguments[1], build.arithmetic(Step::kAdd, call.arguments[1], one));
  }
  PRESSO_TRY(convert_arguments(call, "iii"));
  return build.call(kRange, list_schema_of(schema_of(Family::kInteger)), call.arguments);
}

/// An element has the type that the list's schema says, else it is text.
Result<NodeId> element_of(Call& call) {
  PRESSO_TRY(check_list(call));
  const ColumnSchema element = element_schema(call.at(0).schema.fields);
  PRESSO_ASSIGN(const NodeId place, integer_argument(call, 1));
  const NodeId list = call.build.to_string(call.arguments[0]);
  const NodeId text = call.build.call(kListExtract, ColumnSchema(), {list, place});
  return element_as(call.build, text, element);
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
  functions["json_array"] = {0, 10'000, list_value};
  functions["json_object"] = functions["struct_pack"] = {0, 10'000, object};
  for (const std::string kind : {"list_", "array_"}) {
    functions[kind + "sort"] = functions[kind + "reverse_sort"] = {1, 3, sorted};
    functions[kind + "reverse"] = of_list(kListReverse);
    functions[kind + "distinct"] = of_list(kListDistinct);
    functions[kind + "unique"] = {1, 1, [](Call& c) { return number_of_list(c, kListUnique); }};
    functions[kind + "concat"] = functions[kind + "cat"] = {2, 1000, joined_lists};
    functions[kind + "append"] = {2, 2, [](Call& call) { return with_element(call, 1); }};
    functions[kind + "prepend"] = {2, 2, [](Call& call) { return with_element(call, 0); }};
    functions[kind + "has_any"] = {2, 2, [](Call& call) { return has(call, false); }};
    functions[kind + "has_all"] = {2, 2, [](Call& call) { return has(call, true); }};
    functions[kind + "aggregate"] = {2, 2, aggregated};
  }
  functions["list_sum"] = {1, 1, [](Call& call) { return sum_of_list(call); }};
  functions["list_avg"] = {1, 1, average};
  functions["list_min"] = {1, 1, [](Call& call) { return extreme_of_list(call, false); }};
  functions["list_max"] = {1, 1, [](Call& call) { return extreme_of_list(call, true); }};
  functions["list_count"] = {1, 1, [](Call& c) { return number_of_list(c, kListCount); }};
  functions["range"] = functions["generate_series"] = {1, 3, series};
  functions["flatten"] = {1, 1, flattened};
  functions["to_json"] = {1, 1, [](Call& call) { return as_json(call.build, call.arguments[0]); }};
  for (const char* name : {"string_split", "str_split", "split", "string_to_array"}) {
    functions[name] = {2, 2, split};
  }
  for (const char* name : {"list_contains", "list_has", "array_contains", "array_has"}) {
    functions[name] = {2, 2, contains};
  }
  for (const char* name : {"list_position", "list_indexof", "array_position", "array_indexof"}) {
    functions[name] = {2, 2, [](Call& call) { return place_in(call, 0); }};
  }
  functions["list_slice"] = functions["array_slice"] = {3, 3, slice};
  functions["list_extract"] = functions["list_element"] =
      functions["array_extract"] = {2, 2, element_of};
  functions["array_to_string"] = {2, 2, joined};
}

}  // namespace list_functions
}  // namespace presso::query
