// SPDX-License-Identifier: MIT
// Implements lambda.h. The body of a lambda is bound into a graph of its own, whose columns are the
// element, its place and the largest parts of the body that name no parameter, which are computed
// once for each row (captures). A program runs it over vectors of up to 1,024 elements of any
// number of rows; list_reduce runs it for one element after the other.
#include "query/compute/lambda.h"

#include <algorithm>

#include "query/compute/characters.h"
#include "query/compute/intervals.h"
#include "query/compute/list_elements.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;

/// Columns of the body's graph: the element as text, its place from 1 on, what list_reduce has so
/// far, and the captures.
constexpr std::size_t kElement = 0;
constexpr std::size_t kPlace = 1;
constexpr std::size_t kSoFar = 2;
constexpr std::size_t kFirstCapture = 3;

enum class LambdaUse : Byte { kTransform, kFilter, kReduce };

/// What the kernel reads for every row. Not moved, as the program refers to the graph.
struct Lambda {
  LambdaUse use = LambdaUse::kTransform;
  bool has_initial = false;  ///< of list_reduce: the node's second argument
  bool skips_nulls = false;
  Graph graph;
  Program program;
};

bool names_parameter(const Expression& tree) {
  return (tree.kind == Kind::kFunction && tree.text == kParameterCall) ||
         std::any_of(tree.arguments.begin(), tree.arguments.end(), names_parameter);
}

/// Binds the body.
class LambdaBinder final : public Binder {
 public:
  LambdaBinder(Binder& outer, Graph& graph) : Binder(graph, kNone), outer_(outer), graph_(graph) {}

  void add_parameter(const std::string& name, NodeId value) { parameters_[name] = value; }
  /// Nodes of the outer graph whose values the body needs.
  const std::vector<NodeId>& captures() const { return captures_; }

 protected:
  Result<std::optional<NodeId>> replacement(const Expression& expression) override {
    if (expression.text == kParameterCall && expression.kind == Kind::kFunction) {
      const auto found = parameters_.find(expression.arguments[0].text);
      if (found != parameters_.end()) return std::optional(found->second);
    } else if (names_parameter(expression) || expression.kind == Kind::kInterval ||
               expression.kind == Kind::kStar) {
      return std::optional<NodeId>();
    }
    PRESSO_ASSIGN(const NodeId value, outer_.bind(expression));
    const Node& node = outer_.builder().at(value);
    const bool stays = node.kind == Node::Kind::kConstant || interval_of(outer_.builder(), value);
    if (stays) return std::optional<NodeId>();
    const auto known = std::find(captures_.begin(), captures_.end(), value);
    const auto place = static_cast<std::size_t>(known - captures_.begin());
    if (known == captures_.end()) captures_.push_back(value);
    Node column = node;
    column.kind = Node::Kind::kColumn;
    column.column = kFirstCapture + place;
    column.arguments.clear();
    column.integers.clear();
    column.test.reset();
    column.prepared.reset();
    column.kernel = nullptr;
    column.test_key.clear();
    column.parameter = 0;
    return std::optional(graph_.add(std::move(column)));
  }

 private:
  static inline const std::vector<InputColumn> kNone;
  Binder& outer_;
  Graph& graph_;
  std::map<std::string, NodeId> parameters_;
  std::vector<NodeId> captures_;
};

/// The values of one input of the body for the elements of a vector.
class Gathered {
 public:
  explicit Gathered(Physical physical) : physical_(physical), bytes_(physical_bytes(physical)) {
    values_.resize_discarding(kBatchRows * bytes_);
  }
  void set(std::uint32_t at, const void* value, bool is_null) {
    std::memcpy(values_.data() + at * bytes_, value, bytes_);
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    validity_[at / 64] = is_null ? validity_[at / 64] & ~bit : validity_[at / 64] | bit;
  }
  VectorView view() const { return {physical_, values_.data(), validity_}; }

 private:
  Physical physical_;
  std::size_t bytes_;
  Buffer values_;
  std::uint64_t validity_[kBatchWords] = {};
};

/// Runs a lambda over the rows of one vector.
class LambdaRun {
 public:
  explicit LambdaRun(const StepContext& c)
      : c_(c),
        lambda_(*static_cast<const Lambda*>(c.node.prepared.get())),
        state_(lambda_.program),
        lists_(c.count) {
    inputs_.emplace_back(Physical::kString);
    inputs_.emplace_back(Physical::kInt64);
    inputs_.emplace_back(Physical::kString);
    first_capture_ = lambda_.has_initial ? 2 : 1;
    for (std::size_t i = first_capture_; i < c.from.size(); ++i) {
      inputs_.emplace_back(c.from[i]->physical);
    }
  }

  void run() {
    merge_failures(c_);
    to_ = c_.to.make<StringRef>();
    for (std::uint32_t i = 0; i < c_.count; ++i) {
      to_[i] = {};
      if (c_.from[0]->is_null(i)) {
        c_.set_null(i);
        continue;
      }
      const StringRef& text = c_.from[0]->as<StringRef>()[i];
      const ListElements list(Row{c_, i}, view_of(text.bytes()));
      lambda_.use == LambdaUse::kReduce ? reduce(i, list) : add(i, list);
    }
    flush();
    if (lambda_.use == LambdaUse::kReduce) return;
    for (std::uint32_t i = 0; i < c_.count; ++i) {
      if (!c_.to.is_null(i)) to_[i] = c_.strings.add(bytes_of("[" + lists_[i] + "]"));
    }
  }

 private:
  /// Element `place` of row `row` becomes the input at `at`.
  void set(std::uint32_t at, std::uint32_t row, const ListElements& list, std::int64_t place) {
    const StringRef element = texts_.add(bytes_of(list.text(place)));
    inputs_[kElement].set(at, &element, list.is_null_at(place));
    inputs_[kPlace].set(at, &place, false);
    for (std::size_t i = first_capture_; i < c_.from.size(); ++i) {
      const Register& from = *c_.from[i];
      const auto* const values = static_cast<const Byte*>(from.values);
      inputs_[kFirstCapture + i - first_capture_].set(
          at, values + row * physical_bytes(from.physical), from.is_null(row));
    }
  }

  /// Computes the first `count` elements that were set.
  void compute(std::uint32_t count) {
    std::vector<VectorView> views;
    for (const std::size_t column : lambda_.program.inputs()) {
      views.push_back(inputs_[column].view());
    }
    lambda_.program.run(state_, views, count, {&result_, 1});
  }
  bool fails(std::uint32_t at) const {
    const std::uint64_t* const failures = lambda_.program.failures(state_, 0);
    return failures != nullptr && (failures[at / 64] >> (at % 64) & 1) != 0;
  }

  void add(std::uint32_t row, const ListElements& list) {
    for (std::int64_t place = 1; place <= list.count(); ++place) {
      set(static_cast<std::uint32_t>(rows_.size()), row, list, place);
      rows_.push_back(row);
      if (lambda_.use == LambdaUse::kFilter) kept_.push_back(list.json(place));
      if (rows_.size() == kBatchRows) flush();
    }
  }

  /// Appends what the waiting elements give to the lists of their rows.
  void flush() {
    if (rows_.empty()) return;
    compute(static_cast<std::uint32_t>(rows_.size()));
    for (std::uint32_t at = 0; at < rows_.size(); ++at) {
      std::string& list = lists_[rows_[at]];
      if (fails(at)) {
        c_.fail(rows_[at]);
      } else if (lambda_.use == LambdaUse::kTransform) {
        list += list.empty() ? "" : ",";
        list += view_of(result_.as<StringRef>()[at].bytes());
      } else if (!result_.is_null(at) && result_.as<Byte>()[at] != 0) {
        list += (list.empty() ? "" : ",") + kept_[at];
      }
    }
    rows_.clear();
    kept_.clear();
    texts_.clear();
  }

  void reduce(std::uint32_t row, const ListElements& list) {
    std::string so_far;
    bool is_null = true;
    bool begun = lambda_.has_initial;
    if (lambda_.has_initial && !c_.from[1]->is_null(row)) {
      so_far = view_of(c_.from[1]->as<StringRef>()[row].bytes());
      is_null = false;
    }
    for (std::int64_t place = 1; place <= list.count(); ++place) {
      if (lambda_.skips_nulls && list.is_null_at(place)) continue;
      if (!begun) {
        begun = true;
        is_null = list.is_null_at(place);
        so_far = list.text(place);
        continue;
      }
      set(0, row, list, place);
      const StringRef text = texts_.add(bytes_of(so_far));
      inputs_[kSoFar].set(0, &text, is_null);
      compute(1);
      if (fails(0)) return c_.fail(row);
      is_null = result_.is_null(0);
      so_far = view_of(result_.as<StringRef>()[0].bytes());
      texts_.clear();
    }
    if (!begun && !lambda_.skips_nulls) return c_.fail(row);
    if (is_null) return c_.set_null(row);
    to_[row] = c_.strings.add(bytes_of(so_far));
  }

  const StepContext& c_;
  const Lambda& lambda_;
  StringRef* to_ = nullptr;  ///< the results, by row
  Program::State state_;
  std::vector<Gathered> inputs_;
  std::size_t first_capture_ = 1;
  StringArena texts_;
  std::vector<std::uint32_t> rows_;  ///< of the elements that wait
  std::vector<std::string> kept_;    ///< list_filter: the JSON of the elements that wait
  std::vector<std::string> lists_;   ///< by row, without brackets
  VectorView result_;
};

void run_lambda(const StepContext& c) {
  LambdaRun(c).run();
}

constexpr Kernel kLambda{.name = "lambda",
                         .run = run_lambda,
                         .failure =
                             "a text is not a JSON array, the lambda has no result for an "
                             "element, or list_reduce() has no element to begin with",
                         .makes_nulls = true,
                         .decides_nulls = true};

/// A column of the body's graph.
NodeId input(Graph& graph, std::size_t column, const ColumnSchema& schema) {
  return graph.add(column_node(column, schema, {}, column != kPlace));
}

struct LambdaName {
  std::string_view name;
  LambdaUse use;
};
constexpr LambdaName kLambdaNames[] = {{"list_transform", LambdaUse::kTransform},
                                       {"list_apply", LambdaUse::kTransform},
                                       {"array_transform", LambdaUse::kTransform},
                                       {"array_apply", LambdaUse::kTransform},
                                       {"apply", LambdaUse::kTransform},
                                       {"list_filter", LambdaUse::kFilter},
                                       {"array_filter", LambdaUse::kFilter},
                                       {"filter", LambdaUse::kFilter},
                                       {"list_reduce", LambdaUse::kReduce},
                                       {"array_reduce", LambdaUse::kReduce},
                                       {"reduce", LambdaUse::kReduce}};

bool is_lambda(const Expression& tree) {
  return tree.kind == Kind::kFunction && tree.text == kLambdaCall;
}

/// Ends the body with the form in which the kernel takes its result, and makes the program.
Result<ColumnSchema> finish_body(Lambda& lambda, NodeId body, const ColumnSchema& element) {
  const Builder build(lambda.graph);
  ColumnSchema type;
  if (lambda.use == LambdaUse::kFilter) {
    PRESSO_ASSIGN(body, build.to_bool(body));
  } else if (lambda.use == LambdaUse::kTransform) {
    type = list_schema_of(build.at(body).schema);
    PRESSO_ASSIGN(body, as_json(build, body));
  } else {
    type = element;
    PRESSO_ASSIGN(body, build.cast(body, element));
    body = build.to_string(body);
  }
  lambda.program = Program(lambda.graph, {body});
  return type;
}

}  // namespace

bool takes_lambda(const Expression& call) {
  return std::any_of(call.arguments.begin(), call.arguments.end(), is_lambda);
}

Result<NodeId> bind_lambda(Binder& outer, const Expression& expression) {
  const auto* const found =
      std::find_if(std::begin(kLambdaNames), std::end(kLambdaNames),
                   [&](const LambdaName& each) { return each.name == expression.text; });
  const auto& arguments = expression.arguments;
  if (found == std::end(kLambdaNames)) {
    return refused(expression.text +
                   "() takes no lambda; list_transform, list_filter and "
                   "list_reduce do");
  }
  auto lambda = std::make_shared<Lambda>();
  lambda->use = found->use;
  lambda->has_initial = arguments.size() == 3 && found->use == LambdaUse::kReduce;
  const std::size_t least = found->use == LambdaUse::kReduce ? 2 : 1;
  const bool fits = (arguments.size() == 2 || lambda->has_initial) && is_lambda(arguments[1]) &&
                    arguments[1].arguments.size() > least &&
                    arguments[1].arguments.size() <= least + 2;
  if (!fits) {
    return refused(expression.text + "() takes a list and a lambda of " + std::to_string(least) +
                   " or " + std::to_string(least + 1) + " parameters");
  }
  const Builder& build = outer.builder();
  PRESSO_ASSIGN(const NodeId list, outer.bind(arguments[0]));
  const std::string name = expression.text;
  PRESSO_TRY(check_list(Call{build, name, {list}}));
  const ColumnSchema list_type = build.at(list).schema;
  ColumnSchema element = element_schema(list_type.fields);
  std::vector<NodeId> inputs = {build.to_string(list)};
  if (lambda->has_initial) {
    PRESSO_ASSIGN(const NodeId initial, outer.bind(arguments[2]));
    inputs.push_back(build.to_string(initial));
  }
  const Builder inner(lambda->graph);
  LambdaBinder binder(outer, lambda->graph);
  const std::vector<Expression>& parts = arguments[1].arguments;
  std::size_t next = 0;
  for (const std::size_t column : {kSoFar, kElement, kPlace}) {
    if (column == kSoFar && found->use != LambdaUse::kReduce) continue;
    if (next + 1 == parts.size()) break;
    const bool is_json = column != kPlace && element.text == ValueText::kRawJson;
    NodeId value = input(lambda->graph, column,
                         is_json            ? element
                         : column == kPlace ? schema_of(Family::kInteger)
                                            : schema_of(Family::kString));
    if (column != kPlace && !is_json) {
      PRESSO_ASSIGN(value, element_as(inner, value, element));
    }
    binder.add_parameter(parts[next++].text, value);
  }
  PRESSO_ASSIGN(const NodeId body, binder.bind(parts.back()));
  PRESSO_ASSIGN(const ColumnSchema type, finish_body(*lambda, body, element));
  inputs.insert(inputs.end(), binder.captures().begin(), binder.captures().end());
  const LambdaUse use = lambda->use;
  const NodeId result =
      build.call(kLambda,
                 use == LambdaUse::kFilter      ? list_type
                 : use == LambdaUse::kTransform ? type
                                                : schema_of(Family::kString),
                 std::move(inputs), std::move(lambda),
                 to_text(arguments[1]) + '/' + std::to_string(static_cast<int>(use)));
  return use == LambdaUse::kReduce ? element_as(build, result, type) : Result<NodeId>(result);
}

Result<NodeId> sum_of_list(const Call& call) {
  PRESSO_TRY(check_list(call));
  ColumnSchema element = element_schema(call.at(0).schema.fields);
  if (is_string(element.type)) element = schema_of(Family::kDouble);
  auto lambda = std::make_shared<Lambda>();
  lambda->use = LambdaUse::kReduce;
  lambda->skips_nulls = true;
  const Builder inner(lambda->graph);
  const NodeId so_far = input(lambda->graph, kSoFar, schema_of(Family::kString));
  const NodeId text = input(lambda->graph, kElement, schema_of(Family::kString));
  const bool is_whole = family_of(element.type) == Family::kInteger;
  const bool is_exact = is_whole || family_of(element.type) == Family::kDecimal;
  if (is_exact) {
    const Byte scale = element.scale;
    element = schema_of(Family::kDecimal, is_whole ? Byte{0} : scale);
  }
  PRESSO_ASSIGN(const NodeId first, element_as(inner, so_far, element));
  PRESSO_ASSIGN(const NodeId second, element_as(inner, text, element));
  PRESSO_ASSIGN(const NodeId sum, inner.arithmetic(Step::kAdd, first, second));
  PRESSO_ASSIGN(const ColumnSchema type, finish_body(*lambda, sum, element));
  const NodeId result =
      call.build.call(kLambda, schema_of(Family::kString),
                      {call.build.to_string(call.arguments[0])}, std::move(lambda), "sum");
  return element_as(call.build, result, type);
}

}  // namespace presso::query
