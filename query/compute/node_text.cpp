// SPDX-License-Identifier: MIT
// Implements node_text.h, expressions as text for --explain: operators stand between their
// operands, everything else is written as a call.
//
// Names are for people and may change; nothing parses them.
#include "query/compute/node_text.h"

#include "format/columns/value_text.h"
#include "query/compute/written_value.h"

namespace presso::query {
namespace {

/// The operator that stands between operands, with its spaces; empty for steps written as
/// functions.
std::string_view sign_of(Step step) {
  switch (step) {
    case Step::kAdd:
      return " + ";
    case Step::kSubtract:
      return " - ";
    case Step::kMultiply:
      return " * ";
    case Step::kDivideReal:
      return " / ";
    case Step::kDivideInteger:
      return " // ";
    case Step::kModulo:
      return " % ";
    case Step::kEqual:
      return " = ";
    case Step::kNotEqual:
      return " <> ";
    case Step::kLess:
      return " < ";
    case Step::kLessEqual:
      return " <= ";
    case Step::kIsDistinct:
      return " is distinct from ";
    case Step::kAnd:
      return " and ";
    case Step::kOr:
      return " or ";
    case Step::kConcat:
      return " || ";
    default:
      return "";
  }
}

/// The name of a step that is written as a function; empty for conversions, which are not shown.
std::string_view name_of(Step step) {
  static constexpr std::pair<Step, std::string_view> kNames[] = {
      {Step::kNegate, "-"},
      {Step::kAbs, "abs"},
      {Step::kFloor, "floor"},
      {Step::kCeil, "ceil"},
      {Step::kRoundReal, "round"},
      {Step::kSquareRoot, "sqrt"},
      {Step::kPower, "power"},
      {Step::kScaleDown, "round"},
      {Step::kFloorScaled, "floor"},
      {Step::kParse, "parse"},
      {Step::kPrint, "print"},
      {Step::kInIntegers, "in"},
      {Step::kNot, "not"},
      {Step::kIsNull, "is_null"},
      {Step::kCase, "case"},
      {Step::kCoalesce, "coalesce"},
      {Step::kLength, "length"},
      {Step::kByteLength, "octet_length"},
      {Step::kLower, "lower"},
      {Step::kUpper, "upper"},
      {Step::kTrim, "trim"},
      {Step::kSubstring, "substr"},
      {Step::kReplace, "replace"},
      {Step::kStartsWith, "starts_with"},
      {Step::kEndsWith, "ends_with"},
      {Step::kContains, "contains"},
      {Step::kPosition, "strpos"},
      {Step::kJsonExtract, "json_extract"},
      {Step::kJsonText, "json_extract_string"},
      {Step::kJsonLength, "json_array_length"},
      {Step::kJsonType, "json_type"},
      {Step::kJsonExists, "json_exists"},
      {Step::kJsonValid, "json_valid"},
      {Step::kDatePart, "date_part"},
      {Step::kTruncate, "date_trunc"},
      {Step::kAddMonths, "add_months"},
      {Step::kBucket, "bucket"},
      {Step::kTry, "try"},
  };
  for (const auto& [known, name] : kNames) {
    if (known == step) return name;
  }
  return "";  // conversions are not shown
}

/// Strings stand in quotes, other constants are printed as a table would print them.
std::string constant_text(const Node& node) {
  if (node.is_null) return "null";
  if (node.physical == Physical::kString) return "'" + node.text + "'";
  const Byte truth = static_cast<Byte>(node.integer);
  const auto narrow = static_cast<std::int64_t>(node.integer);
  const void* value = &node.real;
  if (node.physical == Physical::kBool) value = &truth;
  if (node.physical == Physical::kInt64) value = &narrow;
  if (node.physical == Physical::kInt128) value = &node.integer;
  char text[kMaxValueText];
  return {text, write_value(node, {node.physical, value, nullptr}, 0, text)};
}

}  // namespace

std::string node_text(const Graph& graph, NodeId id, const std::vector<std::string>& names) {
  const Node& node = graph.at(id);
  if (node.kind == Node::Kind::kColumn) return names[node.column];
  if (node.kind == Node::Kind::kConstant) return constant_text(node);
  if (node.step == Step::kStringTest) {
    return node_text(graph, node.arguments[0], names) + " " + node.test->describe();
  }
  const std::string_view sign = sign_of(node.step);
  const std::string_view name = node.kernel ? node.kernel->name : name_of(node.step);
  // A conversion: the text is that of its operand.
  if (sign.empty() && name.empty()) return node_text(graph, node.arguments[0], names);
  std::string text = std::string(name) + "(";
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    if (i > 0) text += sign.empty() ? std::string_view(", ") : sign;
    text += node_text(graph, node.arguments[i], names);
  }
  return text + ")";
}

}  // namespace presso::query
