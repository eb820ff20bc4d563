// SPDX-License-Identifier: MIT
// Implements make_plan.h: collects the planner's input and turns its choice into a FilterPlan. The
// estimates from the first row group stand for all of them; a sample corrects the selectivities
// where tables are large enough to pay for one.
#include "query/filter/make_plan.h"

#include <algorithm>
#include <set>

#include "format/columns/bit_copy.h"
#include "query/filter/condition_sample.h"
#include "query/plan/condition_cost.h"
#include "query/plan/device_planner.h"
#include "query/rows/table_facts.h"

namespace presso::query {
namespace {

/// The fewest rows for which a sample is drawn: smaller tables are scanned faster than sampled. A
/// single condition needs no sample, since there is nothing to choose.
constexpr std::uint64_t kLeastRowsForSample = 1u << 20;
/// The least time that a GPU must need for all conditions before a sample is drawn for it. It takes
/// less than a picosecond to compare a row's number, and a sample costs 0.3 to 1.3 ms.
constexpr double kLeastDeviceNsForSample = 250e3;

/// Replaces estimated selectivities by those counted in the sample. They refer to the rows of
/// slices that zones do not rule out. A condition that no sampled row fulfils gets its estimate,
/// lowered according to how many rows were seen.
void count_sample(SampledConditions& sampled, PlannerInput& input) {
  input.live_share = sampled.live_share;
  input.sample = std::move(sampled.rows);
  const double rows = kBatchRows * static_cast<double>(input.sample.vectors);
  for (std::size_t i = 0; i < input.selectivities.size() && rows > 0; ++i) {
    double found = 0;
    for (const std::uint64_t word : input.sample.bits[i]) found += ones_of(word);
    double& share = input.selectivities[i];
    share = found > 0 ? found / rows : share / (1 + rows * share);
  }
}

/// Scales the cost of a condition by the share of slices in which it is evaluated: where zones
/// prove that all rows fulfil it, it costs nothing.
void scale(ConditionCost& cost, double by) {
  for (double* part :
       {&cost.vector_ns, &cost.row_ns, &cost.read_ns, &cost.dense_ns, &cost.sparse_ns}) {
    *part *= by;
  }
}

void scale(DeviceCost& cost, double by) {
  for (double* part :
       {&cost.vector_ns, &cost.row_ns, &cost.read_ns, &cost.once_ns, &cost.strings_ns}) {
    *part *= by;
  }
}

/// Nanoseconds for each row if no condition before leaves any out.
double sum_of(const DeviceCost& cost) {
  return cost.vector_ns + cost.row_ns + cost.read_ns + cost.once_ns + cost.strings_ns;
}

/// Bytes of files that a GPU processes at a time (query/gpu/table/loaded_table.cpp). All kernels
/// are started once for each such part, which the cost of a start is spread over.
constexpr double kPartBytes = 1 << 26;

/// Constants of the GPU's cost model. `rows` is the number of rows to test, and `row_bytes` the
/// stored bytes of one row in all columns that conditions read.
DeviceFigures device_figures(const GpuQueryRates& rates, double rows, double row_bytes) {
  DeviceFigures figures;
  figures.branch_ns = rates.branch_ns;
  figures.pass_ns = rates.pass_ns;
  const double part_rows = row_bytes > 0 ? kPartBytes / row_bytes : rows;
  figures.launch_ns = rates.kernel_ns / std::max(std::min(rows, part_rows), 1.0);
  return figures;
}

/// The stored bytes of one row, summed over the columns that any condition reads, each counted
/// once.
double bytes_of_row(const GroupReader& group, const std::vector<Condition>& conditions) {
  std::set<std::size_t> columns;
  for (const Condition& condition : conditions) {
    for (const std::size_t column : columns_of(condition.filter)) columns.insert(column);
  }
  double bytes = 0;
  for (const std::size_t column : columns) {
    bytes += static_cast<double>(group.cost(column, 0, group.rows()).bytes);
  }
  return bytes / std::max<double>(group.rows(), 1);
}

/// The GPU's plan: the plan that the user asked for with its predicted cost, or the cheapest one.
DevicePlan device_plan(const PlannerInput& input, const PlanChoice& asked,
                       const std::vector<FilterPass>& passes) {
  if (!asked.plan.empty()) return device_cost_of(input, passes);
  return choose_device_plan(input, asked.rows != PlanChoice::Rows::kList);
}

}  // namespace

std::vector<Condition> conditions_of(const BoundQuery& query) {
  Builder build(*query.input);
  std::vector<Condition> conditions;
  const auto all = build.all_of(query.conditions);
  Filter filter = make_filter(*query.input, *all);
  std::vector<Filter> parts;
  if (filter.kind == Filter::Kind::kAnd) {
    parts = std::move(filter.parts);
  } else if (filter.kind != Filter::Kind::kTrue) {
    parts.push_back(std::move(filter));
  }
  std::vector<std::string> names;
  for (const InputColumn& column : query.columns) names.push_back(column.name);
  for (Filter& part : parts) {
    Condition condition;
    condition.text = describe(part, *query.input, names);
    condition.filter = std::move(part);
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

Result<PlannerInput> planner_input(const std::vector<Table>& tables, const BoundQuery& query,
                                   const std::vector<Condition>& conditions,
                                   const QueryRates& rates,
                                   const std::optional<GpuQueryRates>& gpu_rates, bool is_for_gpu) {
  const std::size_t count = conditions.size();
  std::uint64_t rows = 0;
  const Table* first = nullptr;
  for (const Table& table : tables) {
    rows += table.rows();
    if (first == nullptr && table.row_groups() > 0) first = &table;
  }
  PlannerInput input;
  input.rates = rates;
  if (first == nullptr) {
    input.costs.resize(count);
    input.selectivities.assign(count, 1);
    if (gpu_rates) input.device = DeviceFigures{std::vector<DeviceCost>(count)};
    return input;
  }
  PRESSO_ASSIGN(const auto group, GroupReader::open(*first, 0));
  const ConditionEstimator estimator(*group, rates);
  for (const Condition& condition : conditions) {
    input.selectivities.push_back(estimator.selectivity(condition.filter));
    input.by_rows.push_back(tests_by_rows(*group, condition.filter));
  }
  std::vector<DeviceCost> device_costs;
  double device_ns = 0;
  if (gpu_rates || is_for_gpu) {
    const GpuQueryRates device_rates = gpu_rates.value_or(GpuQueryRates());
    for (const Condition& condition : conditions) {
      device_costs.push_back(device_cost(*group, device_rates, condition.filter));
      device_ns += static_cast<double>(rows) * sum_of(device_costs.back());
    }
  }
  SampledConditions sampled;
  sampled.open_shares.assign(count, 1);
  const bool is_soon_done = is_for_gpu && device_ns < kLeastDeviceNsForSample;
  if (count > 1 && rows >= kLeastRowsForSample && !is_soon_done) {
    PRESSO_ASSIGN(sampled, sample_conditions(tables, physical_of(query.columns), conditions));
    count_sample(sampled, input);
  }
  for (std::size_t i = 0; i < count; ++i) {
    input.costs.push_back(estimator.cost(conditions[i].filter, input.selectivities[i]));
    scale(input.costs[i], sampled.open_shares[i]);
  }
  if (!gpu_rates) return input;
  input.device = device_figures(*gpu_rates, input.live_share * static_cast<double>(rows),
                                bytes_of_row(*group, conditions));
  input.device->costs = std::move(device_costs);
  for (std::size_t i = 0; i < count; ++i) scale(input.device->costs[i], sampled.open_shares[i]);
  return input;
}

Result<FilterPlan> make_filter_plan(const std::vector<Table>& tables, const BoundQuery& query,
                                    const QueryOptions& options) {
  FilterPlan plan;
  plan.conditions = conditions_of(query);
  const std::size_t count = plan.conditions.size();
  if (count == 0) return plan;
  PRESSO_ASSIGN(const PlannerInput input,
                planner_input(tables, query, plan.conditions, options.rates, options.gpu_rates,
                              options.device != nullptr));
  PlanShape shape;
  if (options.plan.plan.empty()) {
    shape = choose_plan(input);
  } else {
    PRESSO_ASSIGN(std::vector<FilterPass> passes, parse_plan(options.plan.plan, count));
    shape = cost_of(input, std::move(passes));
    plan.writes_rows = options.plan.plan.ends_with(';');
  }
  if (input.device) plan.on_device = device_plan(input, options.plan, shape.passes);
  for (FilterPass& pass : shape.passes) {
    if (options.plan.rows != PlanChoice::Rows::kAuto) {
      pass.as_list = options.plan.rows == PlanChoice::Rows::kList;
    }
  }
  plan.passes = std::move(shape.passes);
  plan.cost_ns = shape.cost_ns;
  plan.live_share = input.live_share;
  plan.selectivity = shape.selectivity;
  for (std::size_t i = 0; i < count; ++i) {
    const ConditionCost& cost = input.costs[i];
    plan.conditions[i].selectivity = input.selectivities[i];
    plan.conditions[i].by_rows = !input.by_rows.empty() && input.by_rows[i];
    plan.conditions[i].cost_ns =
        cost.vector_ns + cost.row_ns + cost.read_ns +
        (cost.sparse_ns > 0 ? std::min(cost.dense_ns, cost.sparse_ns) : cost.dense_ns);
  }
  return plan;
}

}  // namespace presso::query
