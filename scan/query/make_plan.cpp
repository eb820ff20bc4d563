// SPDX-License-Identifier: MIT
#include "scan/query/make_plan.h"

#include <algorithm>
#include <cmath>

#include "scan/query/filter_run.h"
#include "scan/query/table_facts.h"

namespace presso::query {
namespace {

using Kind = Filter::Kind;

constexpr std::uint64_t kLeastRowsForSample = 1u << 20;
constexpr std::uint32_t kSampleSlices = 8;
constexpr std::uint32_t kSampleVectors = 8;  ///< of a slice

/// Bytes a row of a column, as stored, and of its strings' text; over the first row group.
struct ColumnWeight {
  double stored = 1;
  double text = 8;
  Representation representation = Representation::kPlain;
  double distinct = 0;
};

ColumnWeight weigh(const GroupReader& group, std::size_t column) {
  ColumnWeight weight;
  const auto rows = static_cast<double>(std::max<std::uint32_t>(group.rows(), 1));
  const ColumnChunk& chunk = group.chunk(column);
  weight.stored = static_cast<double>(group.cost(column, 0, group.rows()).bytes) / rows;
  weight.text = static_cast<double>(chunk.value_bytes) / rows;
  weight.representation = chunk.representation;
  weight.distinct = chunk.distinct;
  return weight;
}

/// The share of [least, most] that intervals take, as if values were spread evenly.
double share_of(const IntervalSet& intervals, std::uint64_t least, std::uint64_t most) {
  const double width = static_cast<double>(most - least) + 1;
  double share = 0;
  for (const Interval& interval : intervals.intervals()) {
    if (interval.least > most || interval.most < least) continue;
    const std::uint64_t low = std::max(interval.least, least);
    const std::uint64_t high = std::min(interval.most, most);
    share += (static_cast<double>(high - low) + 1) / width;
  }
  return std::min(share, 1.0);
}

class Estimator {
 public:
  Estimator(const GroupReader& group, const QueryRates& rates) : group_(group), rates_(rates) {}

  double selectivity(const Filter& filter) const {
    switch (filter.kind) {
      case Kind::kTrue:
        return 1;
      case Kind::kFalse:
        return 0;
      case Kind::kIntervals: {
        const ColumnZone zone = group_.zone(filter.column, 0, group_.rows());
        if ((zone.flags & kZoneKnown) == 0 || (zone.flags & kZoneNoValue) != 0) return 0.3;
        return share_of(filter.intervals, zone.least, zone.most);
      }
      case Kind::kText: {
        double share = 0.1;
        if (!filter.test->exact_strings().empty()) {
          const double distinct = std::max(weigh(group_, filter.column).distinct, 1.0);
          share =
              std::min(1.0, static_cast<double>(filter.test->exact_strings().size()) / distinct);
        }
        return filter.negated ? 1 - share : share;
      }
      case Kind::kNull: {
        const double nulls = static_cast<double>(group_.chunk(filter.column).nulls) /
                             std::max<double>(group_.rows(), 1);
        return filter.negated ? 1 - nulls : nulls;
      }
      case Kind::kExpression:
        return 0.3;
      default: {
        const bool conjunction = filter.kind == Kind::kAnd;
        double share = 1;
        for (const Filter& part : filter.parts) {
          share *= conjunction ? selectivity(part) : 1 - selectivity(part);
        }
        return conjunction ? share : 1 - share;
      }
    }
  }

  ConditionCost cost(const Filter& filter) const {
    ConditionCost cost;
    switch (filter.kind) {
      case Kind::kIntervals:
        cost.vector_ns =
            rates_.compare_ns * static_cast<double>(filter.intervals.intervals().size());
        cost.read_ns = rates_.read_ns * weigh(group_, filter.column).stored;
        break;
      case Kind::kText:
        cost = text_cost(filter);
        break;
      case Kind::kNull:
        cost.vector_ns = rates_.bitmap_ns;
        break;
      case Kind::kExpression:
        for (const std::size_t column : filter.program->inputs()) {
          const ColumnWeight weight = weigh(group_, column);
          cost.read_ns += rates_.read_ns * weight.stored;
          cost.vector_ns += rates_.decode_ns;
          if (weight.representation == Representation::kToken ||
              weight.representation == Representation::kBytes) {
            cost.vector_ns += rates_.byte_ns * weight.text;
          }
        }
        cost.row_ns = rates_.compute_ns * static_cast<double>(filter.program->steps() + 2);
        break;
      default:
        for (const Filter& part : filter.parts) {
          const ConditionCost one = this->cost(part);
          cost.vector_ns += one.vector_ns;
          cost.row_ns += one.row_ns;
          cost.read_ns += one.read_ns;
        }
        break;
    }
    return cost;
  }

 private:
  ConditionCost text_cost(const Filter& filter) const {
    ConditionCost cost;
    const ColumnWeight weight = weigh(group_, filter.column);
    cost.read_ns = rates_.read_ns * weight.stored;
    if (weight.representation == Representation::kDictionary) {
      cost.vector_ns = 2 * rates_.compare_ns;
    } else {
      cost.vector_ns = (rates_.byte_ns + filter.test->byte_cost_ns()) * weight.text;
      cost.saved_by_pass = 0.15 * cost.vector_ns;
    }
    return cost;
  }

  const GroupReader& group_;
  const QueryRates& rates_;
};

}  // namespace

std::vector<Condition> conditions_of(const BoundQuery& query) {
  Builder build(*query.input);
  std::vector<Condition> conditions;
  const auto all = build.all_of(query.conditions);
  Filter filter = make_filter(*query.input, *all);
  std::vector<Filter> parts;
  if (filter.kind == Kind::kAnd) {
    parts = std::move(filter.parts);
  } else if (filter.kind != Kind::kTrue) {
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

namespace {

/// Tests each condition alone on vectors from all over the tables.
Result<ConditionSample> take_sample(const std::vector<Table>& tables, const BoundQuery& query,
                                    const std::vector<Condition>& conditions) {
  ConditionSample sample;
  sample.bits.resize(conditions.size());
  SliceReader reader(physical_of(query.columns));
  FilterRunner runner;
  std::uint64_t groups = 0;
  for (const Table& table : tables) groups += table.row_groups();
  const std::uint64_t stride = std::max<std::uint64_t>(1, groups / kSampleSlices);
  std::uint64_t number = 0;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    for (std::uint64_t group = 0; group < tables[table].row_groups(); ++group, ++number) {
      if (number % stride != stride / 2) continue;
      auto context = std::make_shared<GroupContext>();
      PRESSO_ASSIGN(context->reader, GroupReader::open(tables[table], group));
      context->table = table;
      const std::uint32_t slices = (context->reader->rows() + kSliceRows - 1) / kSliceRows;
      const std::uint32_t first = slices / 2 * kSliceRows;
      const Slice slice{context, first, std::min(kSliceRows, context->reader->rows() - first)};
      reader.open(slice);
      reader.expect_all_vectors(false);
      const std::uint32_t full = slice.rows / kBatchRows;
      const std::uint32_t step = std::max(1u, full / kSampleVectors);
      std::uint64_t alive[kBatchWords];
      std::fill_n(alive, kBatchWords, ~std::uint64_t{0});
      for (std::uint32_t vector = step / 2; vector < full; vector += step) {
        for (std::size_t i = 0; i < conditions.size(); ++i) {
          std::uint64_t found[kBatchWords];
          PRESSO_TRY(runner.test(conditions[i].filter, reader, vector, alive, found));
          sample.bits[i].insert(sample.bits[i].end(), found, found + kBatchWords);
        }
        ++sample.vectors;
      }
    }
  }
  return sample;
}

double share_of_sample(const ConditionSample& sample, std::size_t condition) {
  std::uint64_t rows = 0;
  for (const std::uint64_t word : sample.bits[condition]) {
    rows += static_cast<std::uint64_t>(std::popcount(word));
  }
  return std::max(static_cast<double>(rows), 0.3) / (1024.0 * sample.vectors);
}

}  // namespace

Result<PlannerInput> planner_input(const std::vector<Table>& tables, const BoundQuery& query,
                                   const std::vector<Condition>& conditions,
                                   const QueryRates& rates) {
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
    return input;
  }
  PRESSO_ASSIGN(const auto group, GroupReader::open(*first, 0));
  const Estimator estimator(*group, rates);
  if (count > 1 && rows >= kLeastRowsForSample) {
    PRESSO_ASSIGN(input.sample, take_sample(tables, query, conditions));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Filter& filter = conditions[i].filter;
    input.costs.push_back(estimator.cost(filter));
    input.selectivities.push_back(input.sample.vectors != 0 ? share_of_sample(input.sample, i)
                                                            : estimator.selectivity(filter));
  }
  return input;
}

Result<FilterPlan> make_filter_plan(const std::vector<Table>& tables, const BoundQuery& query,
                                    const QueryOptions& options) {
  FilterPlan plan;
  plan.conditions = conditions_of(query);
  const std::size_t count = plan.conditions.size();
  if (count == 0) return plan;
  PRESSO_ASSIGN(const PlannerInput input,
                planner_input(tables, query, plan.conditions, options.rates));
  PlanShape shape;
  if (options.plan.plan.empty()) {
    shape = choose_plan(input);
  } else {
    PRESSO_ASSIGN(std::vector<FilterPass> passes, parse_plan(options.plan.plan, count));
    shape = cost_of(input, std::move(passes));
  }
  for (FilterPass& pass : shape.passes) {
    if (options.plan.rows != PlanChoice::Rows::kAuto) {
      pass.as_list = options.plan.rows == PlanChoice::Rows::kList;
    }
  }
  plan.passes = std::move(shape.passes);
  plan.cost_ns = shape.cost_ns;
  plan.selectivity = shape.selectivity;
  for (std::size_t i = 0; i < count; ++i) {
    const ConditionCost& cost = input.costs[i];
    plan.conditions[i].selectivity = input.selectivities[i];
    plan.conditions[i].cost_ns = cost.vector_ns + cost.row_ns + cost.read_ns;
  }
  return plan;
}

}  // namespace presso::query
