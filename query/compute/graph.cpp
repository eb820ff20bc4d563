// SPDX-License-Identifier: MIT
// Implements graph.h, the nodes of bound expressions: the key by which equal nodes are found,
// folding of constants, and the tables that say which steps may fail or decide about nulls. Adding
// a node costs one hash of its key; folding a constant costs one run of a program with a single
// row.
#include "query/compute/graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <limits>

#include "query/compute/program.h"

namespace presso::query {
namespace {

// The key of a node is built from bytes that are never shown or stored. Texts are preceded by their
// length, so that no two different nodes can have one key.
template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}

/// Returns a key that two nodes share exactly if they always have equal values. The interval and
/// `nullable` are left out, as they follow from the rest; `test_key` stands for `test` and
/// `prepared`.
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
  for (const NestedField& field : node.schema.fields.all()) {
    append_text(key, field.path);
    append(key, field.type.type);
    append(key, field.type.scale);
    append(key, field.type.unit);
  }
  for (const NodeId argument : node.arguments) append(key, argument);
  append(key, node.column);
  append(key, node.parameter);
  append(key, node.kernel);
  for (const Int128 integer : node.integers) append(key, integer);
  append_text(key, node.test_key);
  append(key, node.is_null);
  append(key, node.integer);
  append(key, std::bit_cast<std::uint64_t>(node.real));
  append_text(key, node.text);
  return key;
}

/// A constant's interval is the value itself, so that interval arithmetic needs no special case.
void set_range_of_constant(Node& node) {
  node.nullable = node.is_null;
  node.range.known = !node.is_null;
  node.range.least = node.range.most = node.integer;
  node.range.least_real = node.range.most_real = node.real;
}

/// Turns the result of a one-row run into a constant of the same type as `node`.
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

namespace {

std::int64_t present_micros() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

/// The moment of this thread's statement, and how many objects hold it.
thread_local std::int64_t statement_micros = 0;
thread_local unsigned statement_depth = 0;

}  // namespace

StatementMoment::StatementMoment() {
  if (statement_depth++ == 0) statement_micros = present_micros();
}

StatementMoment::~StatementMoment() {
  --statement_depth;
}

std::int64_t Graph::moment() {
  if (!moment_) moment_ = statement_depth > 0 ? statement_micros : present_micros();
  return *moment_;
}

/// The number of a new node is the number of nodes before it, which keeps arguments below their
/// users.
NodeId Graph::intern(Node node) {
  if (node.kind == Node::Kind::kConstant) set_range_of_constant(node);
  const auto [place, is_new] = known_.emplace(key_of(node), static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back(std::move(node));
  return place->second;
}

/// Folding runs the real step functions, so that a constant has exactly the value, and the
/// rounding, that a row would have had.
NodeId Graph::add(Node node) {
  // A step without arguments does not exist, so a step whose arguments are all constants has some.
  const bool is_interval = node.kernel != nullptr && node.kernel->is_interval;
  const bool foldable = node.kind == Node::Kind::kStep && !is_interval &&
                        std::all_of(node.arguments.begin(), node.arguments.end(),
                                    [this](NodeId argument) { return is_constant(argument); });
  const NodeId id = intern(std::move(node));
  if (!foldable) return id;
  // The program sees a graph that is not changed before the run has ended.
  const Program program(*this, {id});
  Program::State state(program);
  VectorView value;
  if (program.run(state, {}, 1, {&value, 1})) return id;
  return intern(constant_of(at(id), value));
}

/// kBucket is here as it gives nulls a bucket; all others are SQL's exceptions from "null in, null
/// out".
bool decides_nulls(Step step) {
  switch (step) {
    case Step::kAnd:
    case Step::kOr:
    case Step::kIsNull:
    case Step::kIsDistinct:
    case Step::kCase:
    case Step::kCoalesce:
    case Step::kBucket:
    case Step::kTry:
      return true;
    default:
      return false;
  }
}

/// Steps whose interval is checked when the graph is built say so by their parameter; integer
/// division always may fail, as no interval of this kind can exclude a divisor of zero.
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
    case Step::kJsonExtract:
    case Step::kJsonText:
    case Step::kJsonLength:
    case Step::kJsonType:
    case Step::kJsonExists:
    case Step::kSquareRoot:
    case Step::kDatePart:
    case Step::kTruncate:
    case Step::kAddMonths:
      return true;
    case Step::kCall:
      return !node.kernel->failure.empty();
    default:
      return false;
  }
}

/// The graph is walked as a tree, without remembering nodes; expressions are small, and this is
/// asked once for each condition.
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
