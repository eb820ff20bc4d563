// SPDX-License-Identifier: MIT
// Functions and operators that look into JSON text. Names, arguments and results are those of
// DuckDB, whose type JSON is text here: a node is known to be JSON by ValueText::kRawJson, which
// columns of nested values have, too. Lists are left out. Tested by
// tests/unit/query/compute/json_test.cpp.
#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "format/columns/json_path.h"
#include "query/compute/binder.h"
#include "query/compute/list_elements.h"

namespace presso::query {
namespace {

/// A function's step, and how many arguments it takes.
struct JsonFunction {
  std::string_view name;
  Step step;
  Family family;
  std::size_t least;
  std::size_t most;
};
constexpr JsonFunction kJsonFunctions[] = {
    {"json", Step::kJsonExtract, Family::kString, 1, 1},
    {"json_extract", Step::kJsonExtract, Family::kString, 2, 2},
    {"json_extract_path", Step::kJsonExtract, Family::kString, 2, 2},
    {"json_extract_string", Step::kJsonText, Family::kString, 2, 2},
    {"json_extract_path_text", Step::kJsonText, Family::kString, 2, 2},
    {"json_array_length", Step::kJsonLength, Family::kInteger, 1, 2},
    {"json_type", Step::kJsonType, Family::kString, 1, 2},
    {"json_exists", Step::kJsonExists, Family::kBool, 2, 2},
    {"json_valid", Step::kJsonValid, Family::kBool, 1, 1},
};

bool is_text(const Node& node) {
  return node.family == Family::kString || node.family == Family::kNull;
}

/// The path that an argument means: a place of an array is given by its number, from 0.
Result<NodeId> path_of(const Builder& build, NodeId argument) {
  const Node& node = build.at(argument);
  if (node.family == Family::kInteger) {
    return build.step(Step::kConcat, Family::kString,
                      {build.string("$["), build.to_string(argument), build.string("]")});
  }
  if (!is_text(node)) {
    return refused("a JSON path is text or a whole number; this is " + build.type_of(argument));
  }
  if (node.kind == Node::Kind::kConstant && !node.is_null && !parse_json_path(node.text)) {
    const bool wildcard = node.text.find('*') != node.text.npos;
    return refused("'" + node.text + "' is not a JSON path" +
                   (wildcard ? "; '*' would give a list, and unnest() gives a row for each element"
                             : " such as '$.a.b[0]', '/a/b/0' or a single key"));
  }
  return build.to_string(argument);
}

/// Whether a field has this path or one that begins with it.
bool leads_to_fields(const NestedFields& fields, const std::string& path) {
  const std::vector<NestedField>& all = fields.all();
  const auto found = std::lower_bound(
      all.begin(), all.end(), path,
      [](const NestedField& field, const std::string& other) { return field.path < other; });
  return found != all.end() && found->path.starts_with(path);
}

/// The field that a path leads to from the one at `begun`, or nullptr. A field stands for all
/// elements of an array, or for the values of all keys of a map.
const NestedField* find_field(const NestedFields& fields, std::span<const JsonStep> path,
                              const std::string& begun = {}) {
  if (path.empty()) return fields.find(begun);
  JsonStep step = path[0];
  if (step.kind == JsonStep::Kind::kPlace) step.kind = JsonStep::Kind::kEach;
  for (const std::string& text : {json_step_text(step), std::string(".*")}) {
    const std::string next = begun + text;
    const bool fits = text != ".*" || step.kind == JsonStep::Kind::kKey;
    if (!fits || !leads_to_fields(fields, next)) continue;
    if (const NestedField* const found = find_field(fields, path.subspan(1), next)) return found;
  }
  return nullptr;
}

/// Whether a node is what path_in() gives for a field without a type.
bool is_field_text(const Node& node) {
  return node.step == Step::kJsonText && node.arguments.size() == 2 && node.parameter == 1;
}

/// The name of a column with nested values which the first keys of a path belong to.
struct FieldName {
  Expression column;
  JsonPath path;
};

/// The first `size` bytes of a name as a column's, and what follows the point after them as keys.
FieldName field_name(const Expression& name, std::size_t size) {
  FieldName field;
  field.column = name;
  field.column.text.resize(size);
  for (std::size_t at = size; at < name.text.size();) {
    const std::size_t end = std::min(name.text.find('.', at + 1), name.text.size());
    field.path.push_back({JsonStep::Kind::kKey, name.text.substr(at + 1, end - at - 1), 0});
    at = end;
  }
  return field;
}

}  // namespace

Result<JsonStep> step_of(const Expression& step) {
  const bool minus = step.op == Expression::Op::kNegate;
  const Expression& literal = minus ? step.arguments[0] : step;
  JsonStep result;
  if (!minus && literal.kind == Expression::Kind::kString) {
    result.key = literal.text;
    return result;
  }
  const char* const end = literal.text.data() + literal.text.size();
  const auto read = std::from_chars(literal.text.data(), end, result.place);
  if (literal.kind != Expression::Kind::kNumber || read.ec != std::errc() || read.ptr != end) {
    return at_place(refused("brackets hold a whole number, from 1 for the first element, or a key "
                            "in single quotes; json_extract(value, path) takes other expressions"),
                    step);
  }
  result.kind = JsonStep::Kind::kPlace;
  result.place = minus               ? -result.place
                 : result.place == 0 ? std::numeric_limits<std::int64_t>::max()
                                     : result.place - 1;
  return result;
}

bool Binder::is_column(const Expression& name) const {
  return find_column(name).ok();
}

/// `a.b` that is no column of a table `a` is the column "a.b" if there is one, else a field of a
/// column `a`, and so is "a.b".
std::optional<Expression> Binder::field_of(const Expression& name, JsonPath& path) const {
  if (is_column(name)) return std::nullopt;
  Expression joined = name;
  joined.text = std::exchange(joined.qualifier, {}) + "." + name.text;
  joined.length = joined.text.size();
  if (!name.qualifier.empty() && is_column(joined)) return joined;
  for (std::size_t end = name.text.rfind('.'); end != name.text.npos && end > 0;
       end = name.text.rfind('.', end - 1)) {
    FieldName field = field_name(name, end);
    if (!is_column(field.column)) continue;
    path = std::move(field.path);
    return std::move(field.column);
  }
  Expression whole = name;
  whole.text = std::exchange(whole.qualifier, {});
  whole.length = whole.text.size();
  if (whole.text.empty() || !is_column(whole)) return std::nullopt;
  path = {{JsonStep::Kind::kKey, name.text, 0}};
  return whole;
}

/// Steps are collected from the last one to the first.
Result<NodeId> Binder::bind_path(const Expression& expression) {
  JsonPath steps;
  const Expression* base = &expression;
  for (; is_step_into(*base); base = &base->arguments[0]) {
    PRESSO_ASSIGN(JsonStep step, step_of(base->arguments[1]));
    steps.push_back(std::move(step));
  }
  JsonPath path;
  std::optional<Expression> column;
  if (base->kind == Expression::Kind::kColumn) column = field_of(*base, path);
  path.insert(path.end(), steps.rbegin(), steps.rend());
  PRESSO_ASSIGN(const NodeId value, bind(column ? *column : *base));
  return path_in(value, path);
}

/// A field that has a type is read as that type. An element of a text that is no JSON is a
/// character, as in DuckDB.
Result<NodeId> Binder::path_in(NodeId value, const JsonPath& path) const {
  if (path.empty()) return value;
  const Node& node = build_.at(value);
  const bool is_json = node.schema.text == ValueText::kRawJson;
  const bool is_character = path.size() == 1 && path[0].kind == JsonStep::Kind::kPlace;
  if (node.family == Family::kString && (is_json || !is_character)) {
    if (!is_json) {
      return refused(
          "this is text, and no nested value; json_extract_string(text, path) takes "
          "text for JSON");
    }
    const NestedFields fields = node.schema.fields;  // nodes move where others are added
    const NodeId text = build_.json(Step::kJsonText, Family::kString,
                                    {value, build_.string(json_path_text(path))}, 1);
    const NestedField* const field = find_field(fields, path);
    if (field == nullptr) return text;
    return element_as(build_, text, type_of_field(fields, *field));
  }
  if (node.family != Family::kString) {
    return refused("this is " + build_.type_of(value) + ", which has no fields or elements");
  }
  const std::int64_t place = path[0].place;
  return build_.step(
      Step::kSubstring, Family::kString,
      {value, build_.integer(Int128{place} + (place < 0 ? 0 : 1)), build_.integer(1)});
}

Result<std::optional<NodeId>> build_json_function(const Builder& build, const std::string& name,
                                                  std::vector<NodeId> arguments) {
  const auto* const found =
      std::find_if(std::begin(kJsonFunctions), std::end(kJsonFunctions),
                   [&](const JsonFunction& function) { return function.name == name; });
  // The length of JSON arrays is the number of their elements.
  const bool measures = name == "len" || name == "length" || name == "array_length";
  if (measures && arguments.size() == 1) {
    const Node& measured = build.at(arguments[0]);
    if (measured.schema.text == ValueText::kRawJson) {
      return build_json_function(build, "json_array_length", std::move(arguments));
    }
    if (is_field_text(measured)) {
      return std::optional(build.json(Step::kJsonLength, Family::kInteger, measured.arguments, 1));
    }
  }
  if (found == std::end(kJsonFunctions)) return std::optional<NodeId>();
  if (arguments.size() < found->least || arguments.size() > found->most) {
    return refused(name + "() takes " + std::to_string(found->least) +
                   (found->least < found->most ? " or " + std::to_string(found->most) : "") +
                   (found->most == 1 ? " argument" : " arguments") + "; here are " +
                   std::to_string(arguments.size()));
  }
  if (!is_text(build.at(arguments[0]))) {
    return refused(name + "() takes JSON text; this is " + build.type_of(arguments[0]));
  }
  arguments[0] = build.to_string(arguments[0]);
  if (arguments.size() > 1) {
    PRESSO_ASSIGN(arguments[1], path_of(build, arguments[1]));
  }
  return std::optional(build.json(found->step, found->family, std::move(arguments)));
}

}  // namespace presso::query
