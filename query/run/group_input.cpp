// SPDX-License-Identifier: MIT
// Implements group_input.h, which prepares keys and arguments for grouping: decides which string
// keys are grouped by dictionary codes, makes the program that computes all others, plans the
// grouping, and bounds sums of doubles.
#include "query/run/group_input.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/run/query_device.h"

namespace presso::query {

/// Codes come first, since they decide what the program computes and how much memory is left.
Status GroupInput::prepare() {
  PRESSO_TRY(find_key_codes());
  make_program();
  return make_plan();
}

/// Keys that are string columns of an unjoined table get codes if their strings take at most a
/// quarter of the memory, divided among all keys.
Status GroupInput::find_key_codes() {
  for (const NodeId key : query().keys) {
    codes_.emplace_back();
    // Joined rows, and computed strings, are grouped by their text.
    if (execution_.joins != nullptr || !query().input->is_column(key)) continue;
    if (query().input->at(key).physical != Physical::kString) continue;
    const std::uint64_t most = execution_.memory_bytes / 4 / query().keys.size();
    PRESSO_ASSIGN(codes_.back(), KeyCodes::make(execution_.tables, query().input->at(key).column,
                                                most, group_opener(execution_)));
    if (codes_.back() != nullptr) code_bytes_ += codes_.back()->bytes();
  }
  return {};
}

/// One program computes everything that is not a code.
void GroupInput::make_program() {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < query().keys.size(); ++i) {
    if (codes_[i] == nullptr) nodes.push_back(query().keys[i]);
  }
  for (const AggregateCall& call : query().aggregates) {
    if (call.argument) nodes.push_back(*call.argument);
  }
  program_ = Program(*query().input, nodes);
  for (const auto& codes : codes_) {
    if (codes != nullptr) execution_.extra_columns.insert(codes->column());
  }
}

/// The plan for a Grouping: limits, keys with their ranges, and aggregates.
Status GroupInput::make_plan() {
  plan_.rows = execution_.summary.rows_in;
  plan_.threads = execution_.threads;
  plan_.memory_bytes = memory_bytes();
  plan_.strategy = execution_.options.group_strategy;
  for (std::size_t i = 0; i < query().keys.size(); ++i) plan_.keys.push_back(spec_of_key(i));
  std::vector<NodeId> unbounded;
  for (const AggregateCall& call : query().aggregates) {
    plan_.aggregates.push_back(aggregate_spec(call, unbounded));
  }
  return unbounded.empty() ? Status{} : find_bounds(unbounded);
}

/// The key's range; codes are numbers from 0 on.
KeySpec GroupInput::spec_of_key(std::size_t i) const {
  KeySpec spec = key_spec(query().keys[i]);
  if (codes_[i] != nullptr) {
    spec.physical = Physical::kInt64;
    spec.most = std::max<std::int64_t>(codes_[i]->count(), 1) - 1;
  }
  return spec;
}

KeySpec GroupInput::key_spec(NodeId id) const {
  KeySpec spec;
  const Node& node = query().input->at(id);
  spec.physical = node.physical;
  spec.nullable = node.nullable;
  if (node.physical == Physical::kInt64 && fits_int64(node.range)) {
    spec.least = static_cast<std::int64_t>(node.range.least);
    spec.most = static_cast<std::int64_t>(node.range.most);
  }
  return spec;
}

/// The aggregate's type and range. Sums of doubles are computed exactly in fixed point, whose unit
/// follows from the greatest argument; `unbounded` collects arguments for which none is known.
AggregateSpec GroupInput::aggregate_spec(const AggregateCall& call,
                                         std::vector<NodeId>& unbounded) const {
  AggregateSpec spec;
  spec.kind = call.kind;
  spec.gives_states = call.gives_states;
  if (!call.argument) return spec;
  if (call.of_states) {
    spec.takes_states = true;
    spec.argument = call.of_states->physical;
    spec.scale = call.of_states->scale;
    // A state may hold any doubles, but at most this many numbers.
    constexpr std::uint64_t kMostNumbers = 64;
    spec.fixed_point =
        fixed_point_for(std::numeric_limits<double>::max(), kMostNumbers * query().most_rows);
    return spec;
  }
  const Node& node = query().input->at(*call.argument);
  spec.argument = node.physical;
  if (node.family == Family::kDecimal) spec.scale = node.schema.scale;
  if (node.physical == Physical::kInt64 && fits_int64(node.range)) {
    spec.least = static_cast<std::int64_t>(node.range.least);
    spec.most = static_cast<std::int64_t>(node.range.most);
  }
  const bool sums = call.kind == AggregateKind::kSum || call.kind == AggregateKind::kAverage;
  if (sums && node.physical == Physical::kDouble) {
    const double most = std::max(std::fabs(node.range.least_real), std::fabs(node.range.most_real));
    if (node.range.known && std::isfinite(most)) {
      spec.fixed_point = unit_for(most);
    } else {
      unbounded.push_back(*call.argument);
    }
  }
  return spec;
}

/// The fixed-point unit for arguments of at most `most`, which itself may occur.
FixedPoint GroupInput::unit_for(double most) const {
  return fixed_point_for(std::nextafter(most, std::numeric_limits<double>::infinity()),
                         query().most_rows);
}

/// Finds the greatest absolute value of each argument in a pass over the tables, for arguments
/// whose range is unknown. Infinities and NaN are left out.
Status GroupInput::find_bounds(const std::vector<NodeId>& nodes) {
  const Program program(*query().input, nodes);
  std::vector<std::vector<double>> most(execution_.threads, std::vector<double>(nodes.size(), 0.0));
  PRESSO_TRY(run_all(execution_, program, [&](unsigned worker, const RowBatch& batch) -> Status {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const VectorView& view = batch.results[i];
      for (std::uint32_t row = 0; row < batch.count; ++row) {
        const double value = std::fabs(view.as<double>()[row]);
        if (std::isfinite(value) && value > most[worker][i] && !view.is_null(row)) {
          most[worker][i] = value;
        }
      }
    }
    return {};
  }));
  for (std::size_t call = 0; call < query().aggregates.size(); ++call) {
    const AggregateCall& of = query().aggregates[call];
    const bool sums = of.kind == AggregateKind::kSum || of.kind == AggregateKind::kAverage;
    const auto place =
        of.argument ? std::find(nodes.begin(), nodes.end(), *of.argument) : nodes.end();
    if (!sums || place == nodes.end()) continue;
    double greatest = 0;
    for (const auto& of_worker : most) {
      greatest = std::max(greatest, of_worker[static_cast<std::size_t>(place - nodes.begin())]);
    }
    plan_.aggregates[call].fixed_point = unit_for(greatest);
  }
  return {};
}

/// Codes are loaded from the slice, values are taken from the batch's results in order.
Status GroupInput::set_views(Views& views, const RowBatch& batch) const {
  views.codes.resize(codes_.size());
  views.keys.resize(codes_.size());
  views.arguments.resize(query().aggregates.size());
  std::size_t result = 0;
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    if (codes_[i] == nullptr) {
      views.keys[i] = batch.results[result++];
    } else {
      PRESSO_ASSIGN(views.keys[i],
                    codes_[i]->load(*batch.reader, batch.vector, *batch.selection, views.codes[i]));
    }
  }
  for (std::size_t i = 0; i < query().aggregates.size(); ++i) {
    if (query().aggregates[i].argument) views.arguments[i] = batch.results[result++];
  }
  return {};
}

}  // namespace presso::query
