// SPDX-License-Identifier: MIT
// Implements program.h, which computes expressions for vectors of up to 1,024 rows: laying out
// registers, running steps one after another, and finding the step at which a failure began.
#include "query/compute/program.h"

#include <algorithm>
#include <bit>

#include "query/compute/steps.h"

namespace presso::query {
namespace {

/// Sets the nulls and failures of a result to the union of those of its operands. It clears what
/// the register held from the last vector, so it is called with no operands for steps that decide
/// themselves.
void merge_marks(Register& to, std::span<const Register* const> from) {
  to.has_nulls = to.has_failures = false;
  for (const Register* source : from) {
    if (source->has_nulls) {
      if (!to.has_nulls) std::fill_n(to.validity, kBatchWords, ~std::uint64_t{0});
      to.has_nulls = true;
      for (std::uint32_t i = 0; i < kBatchWords; ++i) to.validity[i] &= source->validity[i];
    }
    if (source->has_failures) {
      if (!to.has_failures) std::fill_n(to.failures, kBatchWords, std::uint64_t{0});
      to.has_failures = true;
      for (std::uint32_t i = 0; i < kBatchWords; ++i) to.failures[i] |= source->failures[i];
    }
  }
  if (!to.has_failures) std::fill_n(to.failures, kBatchWords, std::uint64_t{0});
}

using RunStep = void (*)(const StepContext&);

/// Relies on the order of the enum Step.
RunStep runner_of(Step step) {
  if (step <= Step::kPower) return run_arithmetic_step;
  if (step <= Step::kPrint) return run_conversion_step;
  if (step <= Step::kInIntegers) return run_comparison_step;
  if (step <= Step::kCoalesce) return run_truth_step;
  if (step <= Step::kPosition) return run_string_step;
  if (step <= Step::kJsonValid) return run_json_step;
  if (step == Step::kBucket) return run_bucket_step;
  if (step == Step::kTry) return run_truth_step;
  if (step == Step::kCall) return [](const StepContext& c) { c.node.kernel->run(c); };
  return run_date_step;
}

/// All rows at once, as constants are never filled again.
template <class T>
void fill(Register& to, T value) {
  std::fill_n(to.make<T>(), kBatchRows, value);
}

/// Strings are copied to the state's arena, so that a state does not depend on the graph's texts.
void fill_constant(const Node& node, StringArena& strings, Register& to) {
  to.physical = node.physical;
  to.has_nulls = node.is_null;
  if (node.is_null) std::fill_n(to.validity, kBatchWords, std::uint64_t{0});
  switch (node.physical) {
    case Physical::kBool:
      return fill(to, static_cast<Byte>(node.integer));
    case Physical::kInt64:
      return fill(to, static_cast<std::int64_t>(node.integer));
    case Physical::kInt128:
      return fill(to, node.integer);
    case Physical::kDouble:
      return fill(to, node.real);
    case Physical::kString:
      return fill(to, node.is_null ? StringRef{}
                                   : strings.add({reinterpret_cast<const Byte*>(node.text.data()),
                                                  node.text.size()}));
  }
}

}  // namespace

std::string failure_text(const Node& node) {
  switch (node.step) {
    case Step::kDivideInteger:
    case Step::kModulo:
      return "division by zero, or a quotient that does not fit";
    case Step::kParse:
      return "a text is not of type " + type_name(node.schema);
    case Step::kToInt64:
    case Step::kRealToInteger:
      return "a value does not fit into " + type_name(node.schema);
    case Step::kSquareRoot:
      return "the square root of a negative number";
    case Step::kCall:
      return std::string(node.kernel->failure) + (node.prepared ? "" : node.test_key);
    default:
      return "a result does not fit into " + type_name(node.schema) +
             (node.family == Family::kDecimal ? " (38 digits)" : "");
  }
}

Program::Program(const Graph& graph, std::vector<NodeId> results)
    : Program(graph, results, graph.columns_of(results)) {}

/// A node that several results share gets one register and is computed once.
Program::Program(const Graph& graph, std::vector<NodeId> results, std::vector<std::size_t> inputs)
    : graph_(&graph), results_(std::move(results)), inputs_(std::move(inputs)) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> register_of(graph.nodes().size(), kNone);
  std::unordered_map<std::size_t, std::size_t> input_of;
  for (std::size_t i = 0; i < inputs_.size(); ++i) input_of.emplace(inputs_[i], i);
  for (const NodeId id : results_) {
    place(id, input_of, register_of);
    result_registers_.push_back(register_of[id]);
  }
}

/// Gives a node, and what it needs before it, a register. Depth: that of the expression.
void Program::place(NodeId id, const std::unordered_map<std::size_t, std::size_t>& input_of,
                    std::vector<std::uint32_t>& register_of) {
  if (register_of[id] != ~std::uint32_t{0}) return;
  const Node& node = graph_->at(id);
  for (const NodeId argument : node.arguments) place(argument, input_of, register_of);
  const auto number = static_cast<std::uint32_t>(node_of_.size());
  register_of[id] = number;
  node_of_.push_back(id);
  if (node.kind == Node::Kind::kConstant) {
    constants_.emplace_back(id, number);
  } else if (node.kind == Node::Kind::kColumn) {
    const auto found = input_of.find(node.column);
    loads_.emplace_back(found != input_of.end() ? found->second : inputs_.size(), number);
  } else {
    Instruction instruction{id, number, {}};
    for (const NodeId argument : node.arguments) {
      instruction.from.push_back(register_of[argument]);
    }
    steps_.push_back(std::move(instruction));
  }
}

Program::State::State(const Program& program) : registers_(program.node_of_.size()) {
  for (const auto& [id, number] : program.constants_) {
    fill_constant(program.graph_->at(id), constants_, registers_[number]);
  }
}

/// Inputs are not copied: their registers point to the caller's values. Validity is copied, as its
/// last words must be complete (the caller's end at `count`).
std::optional<Failure> Program::run(State& state, std::span<const VectorView> inputs,
                                    std::uint32_t count, std::span<VectorView> results) const {
  // Strings of the last run end here, and with them the views that it returned.
  state.strings_.clear();
  for (const auto& [input, number] : loads_) {
    Register& to = state.registers_[number];
    to.physical = inputs[input].physical;
    to.values = inputs[input].values;
    to.has_nulls = inputs[input].validity != nullptr;
    if (!to.has_nulls) continue;
    const std::uint32_t words = (count + 63) / 64;
    std::copy_n(inputs[input].validity, words, to.validity);
    // Rows after `count` count as valid, so that merging whole words needs no mask.
    std::fill(to.validity + words, to.validity + kBatchWords, ~std::uint64_t{0});
  }
  std::vector<const Register*>& from = state.from_;
  // One step after the other for the whole vector; operands are complete before their users run.
  for (const Instruction& step : steps_) {
    const Node& node = graph_->at(step.node);
    Register& to = state.registers_[step.to];
    from.clear();
    for (const std::uint32_t number : step.from) from.push_back(&state.registers_[number]);
    to.physical = node.physical;
    const bool decides =
        decides_nulls(node.step) || (node.kernel != nullptr && node.kernel->decides_nulls);
    merge_marks(to, decides ? std::span<const Register* const>() : from);
    const StepContext context{
        node,
        {!node.arguments.empty() ? &graph_->at(node.arguments[0]) : nullptr,
         node.arguments.size() > 1 ? &graph_->at(node.arguments[1]) : nullptr},
        to,
        from,
        count,
        state.strings_};
    runner_of(node.step)(context);
  }
  std::optional<Failure> failure;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Register& of = state.registers_[result_registers_[i]];
    results[i] = of.view();
    if (!of.has_failures) continue;
    for (std::uint32_t row = 0; row < count; ++row) {
      if ((of.failures[row / 64] >> (row % 64) & 1) == 0) continue;
      // Only the first failed row of each result matters; the earliest among the results is
      // reported.
      if (!failure || row < failure->row) {
        failure = {row, failure_of(state, origin_of(state, results_[i], row), row)};
      }
      break;
    }
  }
  return failure;
}

const std::uint64_t* Program::failures(const State& state, std::size_t result) const {
  const Register& of = state.registers_[result_registers_[result]];
  return of.has_failures ? of.failures : nullptr;
}

/// What went wrong at a node, for messages. Of JSON the text is shown.
std::string Program::failure_of(const State& state, NodeId id, std::uint32_t row) const {
  const Node& node = graph_->at(id);
  if (node.step < Step::kJsonExtract || node.step > Step::kJsonValid) return failure_text(node);
  const auto value_of = [&](NodeId argument) {
    const auto place = std::find(node_of_.begin(), node_of_.end(), argument);
    const Register& of = state.registers_[static_cast<std::size_t>(place - node_of_.begin())];
    return of.as<StringRef>()[row].bytes();
  };
  const Bytes path = node.arguments.size() > 1 ? value_of(node.arguments[1]) : Bytes();
  return json_failure(value_of(node.arguments[0]), path);
}

/// Follows a failed row down to the step at which it first failed, for the error message. It is
/// slow, but is called for a single row only.
NodeId Program::origin_of(const State& state, NodeId id, std::uint32_t row) const {
  for (const NodeId argument : graph_->at(id).arguments) {
    const auto place = std::find(node_of_.begin(), node_of_.end(), argument);
    const Register& of = state.registers_[static_cast<std::size_t>(place - node_of_.begin())];
    if (of.has_failures && (of.failures[row / 64] >> (row % 64) & 1) != 0) {
      return origin_of(state, argument, row);
    }
  }
  return id;
}

}  // namespace presso::query
