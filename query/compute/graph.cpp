// SPDX-License-Identifier: MIT
#include "query/compute/graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "query/compute/program.h"

namespace presso::query {
namespace {

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}

/// Equal for nodes that have equal values.
std::string key_of(const Node& node) {
  std::string key;
  append(key, node.kind);
  append(key, node.step);
  append(key, node.family);
  append(key, node.physical);
  append(key, node.schema.type);
  append(key, node.schema.scale);
  append(key, node.schema.unit);
  append(key, node.schema.text);
  append_text(key, node.schema.zone);
  for (const NodeId argument : node.arguments) append(key, argument);
  append(key, node.column);
  append(key, node.parameter);
  for (const Int128 integer : node.integers) append(key, integer);
  append_text(key, node.test_key);
  append(key, node.is_null);
  append(key, node.integer);
  append(key, std::bit_cast<std::uint64_t>(node.real));
  append_text(key, node.text);
  return key;
}

void set_range_of_constant(Node& node) {
  node.nullable = node.is_null;
  node.range.known = !node.is_null;
  node.range.least = node.range.most = node.integer;
  node.range.least_real = node.range.most_real = node.real;
}

/// The only value of a vector of one row as a constant of the node's type.
Node constant_of(const Node& node, const VectorView& value) {
  Node constant;
  constant.family = node.family;
  constant.physical = node.physical;
  constant.schema = node.schema;
  constant.is_null = value.is_null(0);
  if (constant.is_null) return constant;
  switch (value.physical) {
    case Physical::kBool:
      constant.integer = value.as<Byte>()[0];
      break;
    case Physical::kInt64:
      constant.integer = value.as<std::int64_t>()[0];
      break;
    case Physical::kInt128:
      constant.integer = value.as<Int128>()[0];
      break;
    case Physical::kDouble:
      constant.real = value.as<double>()[0];
      break;
    case Physical::kString: {
      const Bytes bytes = value.as<StringRef>()[0].bytes();
      constant.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      break;
    }
  }
  return constant;
}

}  // namespace

Int128 power_of_ten(unsigned exponent) {
  static const std::array<Int128, kMostDigits + 1> kPowers = [] {
    std::array<Int128, kMostDigits + 1> powers{};
    powers[0] = 1;
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
    return powers;
  }();
  return kPowers[std::min(exponent, kMostDigits)];
}

bool fits_int64(const Range& range) {
  return range.known && range.least >= std::numeric_limits<std::int64_t>::min() &&
         range.most <= std::numeric_limits<std::int64_t>::max();
}

NodeId Graph::intern(Node node) {
  if (node.kind == Node::Kind::kConstant) set_range_of_constant(node);
  const auto [place, is_new] = known_.emplace(key_of(node), static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back(std::move(node));
  return place->second;
}

NodeId Graph::add(Node node) {
  const bool foldable = node.kind == Node::Kind::kStep &&
                        std::all_of(node.arguments.begin(), node.arguments.end(),
                                    [this](NodeId argument) { return is_constant(argument); });
  const NodeId id = intern(std::move(node));
  if (!foldable) return id;
  const Program program(*this, {id});
  Program::State state(program);
  VectorView value;
  if (program.run(state, {}, 1, {&value, 1})) return id;
  return intern(constant_of(at(id), value));
}

bool decides_nulls(Step step) {
  switch (step) {
    case Step::kAnd:
    case Step::kOr:
    case Step::kIsNull:
    case Step::kIsDistinct:
    case Step::kCase:
    case Step::kCoalesce:
    case Step::kBucket:
      return true;
    default:
      return false;
  }
}

bool step_may_fail(const Node& node) {
  switch (node.step) {
    case Step::kAdd:
    case Step::kSubtract:
    case Step::kMultiply:
    case Step::kNegate:
    case Step::kAbs:
      return node.parameter != 0;
    case Step::kDivideInteger:
    case Step::kModulo:
      return node.physical != Physical::kDouble;
    case Step::kScaleUp:
      return !node.range.known;
    case Step::kTimeToUnit:
      return node.parameter > 0 && node.physical == Physical::kInt64;
    case Step::kToInt64:
    case Step::kRealToInteger:
    case Step::kParse:
    case Step::kSquareRoot:
    case Step::kDatePart:
    case Step::kTruncate:
    case Step::kAddMonths:
      return true;
    default:
      return false;
  }
}

bool Graph::may_fail(NodeId id) const {
  const Node& node = at(id);
  if (node.kind != Node::Kind::kStep) return false;
  return step_may_fail(node) || std::any_of(node.arguments.begin(), node.arguments.end(),
                                            [this](NodeId below) { return may_fail(below); });
}

std::vector<std::size_t> Graph::columns_of(const std::vector<NodeId>& nodes) const {
  std::vector<bool> seen(nodes_.size());
  std::vector<NodeId> waiting = nodes;
  std::vector<std::size_t> columns;
  while (!waiting.empty()) {
    const NodeId id = waiting.back();
    waiting.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    if (is_column(id)) columns.push_back(at(id).column);
    for (const NodeId argument : at(id).arguments) waiting.push_back(argument);
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace presso::query
