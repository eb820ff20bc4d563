// SPDX-License-Identifier: MIT
// Implements key_conditions.h: conditions on the scanned table that follow from the keys of build
// sides, as intervals of a column or as a BuildKeyTest. Costs and selectivities here are rough:
// they only place the condition among the others.
#include "query/run/key_conditions.h"

#include <algorithm>

#include "query/compute/node_text.h"
#include "query/run/build_key_test.h"
#include "query/run/explain.h"
#include "query/run/explain_joins.h"

namespace presso::query {
namespace {

// Nanoseconds for each row on one thread: testing codes or intervals, and looking up keys in a
// bitmap that the first or the second level of the cache holds, or in larger filters.
constexpr double kCodeNs = 0.3;
constexpr double kLookUpSmallNs = 0.5;
constexpr double kLookUpMediumNs = 1;
constexpr double kLookUpNs = 2;
constexpr std::uint64_t kSmallBytes = 32 << 10;
constexpr std::uint64_t kMediumBytes = 1 << 20;
/// A condition that costs this many times as much is tested after a condition on keys.
constexpr double kMuchMore = 4;
/// So is one that takes this many times as long to drop a row.
constexpr double kClearly = 1.5;

/// Whether the stage only selects rows of the probe side: semi or anti, without further conditions.
bool is_choosing(const BoundStage& stage) {
  const bool kind = stage.kind == StageKind::kProbeSemi || stage.kind == StageKind::kProbeAnti;
  return kind && stage.residual.empty();
}

/// The filter for rows whose column is outside of the intervals or, if `nullable`, NULL.
Filter outside_filter(std::size_t column, const IntervalSet& intervals, bool nullable) {
  Filter outside = interval_filter(column, intervals.complement());
  if (!nullable) return outside;
  Filter null;
  null.kind = Filter::Kind::kNull;
  null.column = column;
  Filter either;
  either.kind = Filter::Kind::kOr;
  either.parts = {std::move(outside), std::move(null)};
  return either;
}

/// The intervals that a key lies in, if it is an integer column and its keys form few intervals.
std::optional<IntervalSet> intervals_of(const Node& key, const BuiltStage& built) {
  const bool possible = key.kind == Node::Kind::kColumn && key.physical == Physical::kInt64;
  if (!possible || built.filter == nullptr) return std::nullopt;
  const auto ranges = built.filter->ranges(kMostIntervals);
  if (!ranges) return std::nullopt;
  IntervalSet all = IntervalSet::none();
  for (const join::KeyFilter::Range& range : *ranges) {
    all = all.union_with(integers_between(key.schema.type,
                                          Int128{built.keys.base()} + Int128{range.least},
                                          Int128{built.keys.base()} + Int128{range.most}));
  }
  return all;
}

/// The text for --explain.
std::string text_of(const Execution& execution, const BuiltStage& built, bool negated,
                    const std::string& form) {
  const BoundQuery& query = execution.query;
  const std::vector<std::string> names = shown_column_names(query);
  std::string text;
  for (const NodeId key : built.bound.probe_keys) {
    text += (text.empty() ? "" : ", ") + node_text(*query.input, key, names);
  }
  return text + (negated ? " not" : "") + " among the keys of " +
         query.joins->sources[built.bound.build.root].name + " (" + form + ")";
}

/// How keys are represented, for --explain.
std::string form_of(const BuiltStage& built) {
  if (built.filter != nullptr) return built.filter->describe();
  return grouped(built.keys.different()) + " different";
}

/// The cost of looking up a key in the filter of a build side.
double look_up_ns(const BuiltStage& built) {
  const bool is_bitmap = built.filter != nullptr && built.filter->exact();
  if (!is_bitmap || built.filter->bytes() > kMediumBytes) return kLookUpNs;
  return built.filter->bytes() > kSmallBytes ? kLookUpMediumNs : kLookUpSmallNs;
}

/// The share of the values in the range of the probe side's key that are keys of the build side;
/// 1 if the range is unknown.
double share_of_range(const Execution& execution, const BuiltStage& built) {
  const Node& key = execution.query.input->at(built.bound.probe_keys[0]);
  if (built.bound.probe_keys.size() > 1 || key.physical != Physical::kInt64 || !key.range.known) {
    return 1;
  }
  const double width = static_cast<double>(key.range.most - key.range.least) + 1;
  return std::min(1.0, static_cast<double>(built.rows_kept) / width);
}

/// The share of rows that are expected to pass: the share of its table's rows that the build side
/// has kept. A complete build side is expected to have a partner for every row, unless it has few
/// of the keys in the range of the probe side.
double share_of(const Execution& execution, const BuiltStage& built, bool negated) {
  constexpr double kUnknown = 0.5;
  const auto all = static_cast<double>(execution.query.joins->sources[built.bound.build.root].rows);
  const auto kept = static_cast<double>(built.rows_kept);
  double share = kept / all;
  if (kept >= all) {
    share = std::min(is_choosing(built.bound) ? kUnknown : 1, share_of_range(execution, built));
  }
  return negated ? 1 - share : share;
}

/// How long it takes on average to drop one row.
double drop_ns(double cost_ns, double share) {
  constexpr double kFewest = 1e-3;
  return cost_ns / std::max(kFewest, 1 - share);
}

}  // namespace

/// Checks what the header demands, one condition after another.
bool can_ask_in_scan(const BoundQuery& query, const JoinTree& tree, std::size_t stage) {
  const BoundStage& bound = tree.stages[stage];
  if (keeps_probe(bound.kind)) return false;
  if (bound.kind == StageKind::kProbeAnti && !is_choosing(bound)) return false;
  for (const NodeId key : bound.probe_keys) {
    // A row for which it would fail may be dropped before.
    if (query.input->may_fail(key)) return false;
  }
  const std::vector<std::size_t> columns = query.input->columns_of(bound.probe_keys);
  for (const std::size_t column : columns) {
    if (query.joins->source_of(column) != tree.root) return false;
  }
  for (std::size_t earlier = 0; earlier < stage; ++earlier) {
    // That stage must see all rows to know which of its own have no partner.
    if (gives_build_rows(tree.stages[earlier].kind)) return false;
  }
  return !columns.empty();
}

bool is_worth_asking(const BoundQuery& query, const JoinTree& tree, const BoundStage& stage,
                     double rows) {
  // A complete build side still drops rows if its table is this much smaller than the root.
  constexpr double kMuchLess = 8;
  if (is_choosing(stage)) return true;
  if (keeps_probe(stage.kind) || stage.kind == StageKind::kProbeAnti) return false;
  const auto& sources = query.joins->sources;
  const bool reduced =
      rows < static_cast<double>(sources[stage.build.root].rows) || !stage.build.stages.empty();
  return reduced || kMuchLess * rows < static_cast<double>(sources[tree.root].rows);
}

bool is_decided_by_scan(const Execution& execution, const BoundStage& stage, bool is_whole) {
  const auto number = static_cast<std::size_t>(&stage - execution.tree->stages.data());
  return is_choosing(stage) && execution.options.join_strategy == JoinStrategy::kAuto &&
         (is_whole || stage.kind == StageKind::kProbeSemi) &&
         can_ask_in_scan(execution.query, *execution.tree, number);
}

bool may_only_choose(const Execution& execution, const BuiltStage& built) {
  const BoundStage& stage = built.bound;
  const auto number = static_cast<std::size_t>(&stage - execution.tree->stages.data());
  return stage.kind == StageKind::kInner && stage.residual.empty() && built.columns.empty() &&
         built.keys.are_words() && built.is_worth_asking &&
         execution.options.join_strategy == JoinStrategy::kAuto &&
         can_ask_in_scan(execution.query, *execution.tree, number);
}

/// Chooses the form of the test: intervals if possible, else BuildKeyTest.
std::optional<KeyCondition> key_condition(const Execution& execution, std::size_t stage,
                                          const BuiltStage& built, bool is_parted) {
  const BoundStage& bound = built.bound;
  if (!built.is_worth_asking || !can_ask_in_scan(execution.query, *execution.tree, stage)) {
    return std::nullopt;
  }
  const Graph& graph = *execution.query.input;
  const Node& key = graph.at(bound.probe_keys[0]);
  const bool single = bound.probe_keys.size() == 1;
  const bool words = built.keys.are_words();
  if (words && built.filter == nullptr) return std::nullopt;
  const bool negated = bound.kind == StageKind::kProbeAnti;
  KeyCondition made;
  // An inner join without a table only chooses rows; see may_only_choose().
  made.decides =
      bound.kind == StageKind::kInner
          ? built.table == nullptr
          : (!words || built.filter->exact()) && is_decided_by_scan(execution, bound, !is_parted);
  // An inexact test must not be negated: it would drop rows that have no partner.
  if (negated && !made.decides) return std::nullopt;
  const bool is_string =
      single && key.kind == Node::Kind::kColumn && key.physical == Physical::kString;
  // The join itself looks these up as fast.
  if (!made.decides && !words && !is_string) return std::nullopt;
  Condition& condition = made.condition;
  // If the join looks the keys up anyway, the scan may stop asking.
  condition.is_optional = !made.decides;
  condition.cost_ns = is_string ? kCodeNs : look_up_ns(built);
  condition.selectivity = share_of(execution, built, negated);
  const std::size_t column = key.column - execution.first_column;
  const auto intervals = single ? intervals_of(key, built) : std::nullopt;
  if (intervals) {
    condition.cost_ns = kCodeNs;
    condition.filter = negated ? outside_filter(column, *intervals, key.nullable)
                               : interval_filter(column, *intervals);
    const std::size_t count = intervals->intervals().size();
    condition.text = text_of(execution, built, negated,
                             grouped(count) + (count == 1 ? " interval" : " intervals"));
    return made;
  }
  condition.filter.kind = Filter::Kind::kKeys;
  condition.filter.negated = negated;
  auto keys = std::make_shared<BuildKeyTest>(graph, built, execution.first_column, made.decides);
  condition.filter.key_columns = keys->columns();
  condition.filter.keys = std::move(keys);
  condition.text = text_of(execution, built, negated, form_of(built));
  return made;
}

void add_condition(FilterPlan& plan, Condition condition, bool is_given) {
  const std::size_t number = plan.conditions.size();
  const double much = kMuchMore * condition.cost_ns;
  const double long_time = kClearly * drop_ns(condition.cost_ns, condition.selectivity);
  plan.selectivity *= condition.selectivity;
  plan.cost_ns += condition.cost_ns;
  // The GPU's plan knows nothing of this condition.
  plan.on_device.reset();
  plan.conditions.push_back(std::move(condition));
  const auto is_costly = [&](const std::vector<std::size_t>& group) {
    double cost_ns = 0;
    double share = 1;
    bool is_much = false;
    for (const std::size_t i : group) {
      cost_ns += plan.conditions[i].cost_ns;
      share *= plan.conditions[i].selectivity;
      is_much = is_much || plan.conditions[i].cost_ns > much;
    }
    return is_much || drop_ns(cost_ns, share) > long_time;
  };
  for (auto pass = plan.passes.begin(); !is_given && pass != plan.passes.end(); ++pass) {
    const auto group = std::find_if(pass->groups.begin(), pass->groups.end(), is_costly);
    if (group == pass->groups.end()) continue;
    // A string condition that comes first in a pass may take the texts of the whole slice at once,
    // so it keeps its place and the new condition gets a pass before it.
    if (group != pass->groups.begin()) {
      pass->groups.insert(group, {number});
    } else {
      plan.passes.insert(pass, FilterPass{{{number}}, false});
    }
    return;
  }
  if (plan.passes.empty()) plan.passes.emplace_back();
  plan.passes.back().groups.push_back({number});
}

}  // namespace presso::query
