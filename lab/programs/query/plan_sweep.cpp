// SPDX-License-Identifier: MIT
// Whether the planner picks a plan that is nearly the fastest, and whether its estimates are in the
// order of the times (S4.12): every plan of some conditions is run by FilterRunner over a table in
// memory, for selectivities from 0.001 to 0.9, equal and different ones, of columns without order,
// sorted, in runs, and correlated; and with LIKE on tokens as the last condition (Figs 4.2,
// 4.4-4.11 of the thesis, on a CPU).
//
// 8,000,000 rows of eight columns are packed into 120 MB, far more than the third-level cache has.
// Prints a CSV with a row for each point, in nanoseconds a row of the table, or with --plans for
// each plan; the summary goes to standard error. A time is a sum over slices, of each the least of
// --runs runs, in which plans take turns, so that other work on the machine hardly matters; the
// picked plan and six that were best are run five times as often again. Row groups are opened
// before. Of four conditions there are 365 plans: the picked one, the next 11 by the estimate and
// 60 others by chance are run. Constants of the model were chosen by points marked "tune" only,
// which "judge" points were not looked at for.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "format/columns/bit_copy.h"
#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/timing.h"
#include "lab/programs/query/sweep_points.h"
#include "lab/programs/query/sweep_tables.h"
#include "presso/stopwatch.h"
#include "query/filter/filter_run.h"
#include "query/filter/make_plan.h"
#include "query/plan/planner.h"
#include "query/rows/table_facts.h"

namespace presso::query {
namespace {

using namespace presso::harness;

struct Options {
  std::uint64_t rows = 8'000'000;
  std::uint64_t text_rows = 2'000'000;
  int runs = 3;
  std::string only_point;
  std::string only_plan;
  bool built_in = false;
  bool plans = false;
};

/// A plan that is timed.
struct Timed {
  PlanShape shape;
  std::vector<float> slice_ns = {};  ///< the least of all runs, by slice

  double ns() const { return std::accumulate(slice_ns.begin(), slice_ns.end(), 0.0); }
};

/// A table in memory whose row groups are opened.
class OpenTable {
 public:
  explicit OpenTable(std::vector<Byte> file)
      : file_(std::move(file)), access_(file_), tables_{value_or_exit(Table::open(access_))} {}

  const std::vector<Table>& tables() const { return tables_; }

  /// New ones for each query: they keep what was made for its conditions.
  std::vector<Slice> slices() const {
    std::vector<Slice> all;
    for (std::uint64_t group = 0; group < tables_[0].row_groups(); ++group) {
      auto context = std::make_shared<GroupContext>();
      context->reader = value_or_exit(GroupReader::open(tables_[0], group));
      context->first_row = context->reader->first_row();
      const std::uint32_t rows = context->reader->rows();
      for (std::uint32_t first = 0; first < rows; first += kSliceRows) {
        all.push_back({context, first, std::min(kSliceRows, rows - first)});
      }
    }
    return all;
  }

 private:
  std::vector<Byte> file_;
  MemoryRandomAccess access_;
  std::vector<Table> tables_;
};

BoundQuery bind(const OpenTable& table, const std::vector<std::string>& conditions) {
  QuerySpec spec;
  for (const std::string& text : conditions) {
    spec.conditions.push_back({value_or_exit(parse_expression(text)), text});
  }
  auto columns = value_or_exit(input_columns(table.tables(), {}));
  return value_or_exit(bind_query(spec, {{std::move(columns), {}, rows_of(table.tables())}}));
}

/// One point of the sweep: its conditions bound, the table's slices, and what runs plans.
class Sweep {
 public:
  Sweep(const OpenTable& table, const Point& point, const QueryRates& rates)
      : query_(bind(table, point.conditions)),
        slices_(table.slices()),
        reader_(physical_of(query_.columns)) {
    plan_.conditions = conditions_of(query_);
    const Stopwatch sampling;
    input_ = value_or_exit(planner_input(table.tables(), query_, plan_.conditions, rates));
    sample_seconds_ = sampling.seconds();
    for (const Slice& slice : slices_) rows_ += slice.rows;
  }

  const PlannerInput& input() const { return input_; }
  double rows() const { return static_cast<double>(rows_); }
  double sample_seconds() const { return sample_seconds_; }

  void run(Timed& timed) {
    plan_.passes = timed.shape.passes;
    timed.slice_ns.resize(slices_.size(), std::numeric_limits<float>::infinity());
    std::vector<std::uint64_t> bits(kSliceWords);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const Stopwatch time;
      reader_.open(slices_[i]);
      const Status done = runner_.run(plan_, reader_, bits.data());
      if (!done.ok()) give_up(done.error());
      timed.slice_ns[i] = std::min(timed.slice_ns[i], static_cast<float>(time.seconds() * 1e9));
      for (const std::uint64_t word : bits) found += ones_of(word);
    }
    if (found_ && *found_ != found)
      give_up(make_error(ErrorCode::kContent, "plans give different rows"));
    found_ = found;
  }

  double found_share() const { return static_cast<double>(found_.value_or(0)) / rows(); }

 private:
  BoundQuery query_;
  std::vector<Slice> slices_;
  SliceReader reader_;
  FilterRunner runner_;
  FilterPlan plan_;
  PlannerInput input_;
  std::uint64_t rows_ = 0;
  double sample_seconds_ = 0;
  std::optional<std::uint64_t> found_;
};

/// All plans; of many the best by the estimate and some by chance. The picked one comes first.
std::vector<Timed> plans_to_run(const PlannerInput& input, const std::string& only) {
  if (!only.empty()) {
    return {{cost_of(input, value_or_exit(parse_plan(only, input.costs.size())))}};
  }
  constexpr std::size_t kBest = 11;
  constexpr std::size_t kByChance = 60;
  std::vector<Timed> timed = {{choose_plan(input)}};
  const std::string picked = plan_text(timed[0].shape.passes);
  std::vector<PlanShape> all = all_plans(input);
  std::stable_sort(all.begin(), all.end(),
                   [](const PlanShape& a, const PlanShape& b) { return a.cost_ns < b.cost_ns; });
  if (all.size() > kBest + kByChance) {
    corpora::Random random(3);
    draw(all, kBest, kBest + kByChance, random);
    all.resize(kBest + kByChance);
  }
  for (PlanShape& shape : all) {
    if (plan_text(shape.passes) != picked) timed.push_back({std::move(shape)});
  }
  return timed;
}

/// Runs these plans, in another order each time.
void run_in_turns(Sweep& sweep, std::vector<Timed>& timed, std::vector<std::size_t> turn,
                  int runs) {
  corpora::Random random(4);
  for (int run = 0; run < runs; ++run) {
    draw(turn, 0, turn.size(), random);
    for (const std::size_t i : turn) sweep.run(timed[i]);
  }
}

void time_plans(Sweep& sweep, std::vector<Timed>& timed, int runs) {
  constexpr std::size_t kBest = 6;
  constexpr int kTimesAgain = 5;
  std::vector<std::size_t> turn(timed.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  run_in_turns(sweep, timed, turn, runs);
  std::sort(turn.begin() + 1, turn.end(),
            [&](std::size_t a, std::size_t b) { return timed[a].ns() < timed[b].ns(); });
  turn.resize(std::min(turn.size(), 1 + kBest));
  run_in_turns(sweep, timed, turn, kTimesAgain * runs);
}

/// What came of some points.
struct Summary {
  std::vector<double> ratios;        ///< picked / best
  std::vector<double> correlations;  ///< of points whose plans differ by a fifth and more
  std::vector<double> independent;   ///< predicted without a sample
  std::vector<double> linear;        ///< and by min(1,024 p, 1)
  std::vector<double> predicted;     ///< of all plans
  std::vector<double> measured;

  void print(const char* title) const {
    if (ratios.empty()) return;
    std::vector<double> sorted = ratios;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> rank = correlations;
    std::sort(rank.begin(), rank.end());
    std::fprintf(stderr,
                 "%s: %zu points, %zu plans; picked / best: median %.3f, worst %.3f; Spearman over "
                 "all %.3f (without a sample %.3f, by min() %.3f), in %zu points whose plans "
                 "differ: median %.3f, least %.3f\n",
                 title, ratios.size(), measured.size(), sorted[sorted.size() / 2], sorted.back(),
                 spearman(predicted, measured), spearman(independent, measured),
                 spearman(linear, measured), rank.size(), rank.empty() ? 0 : rank[rank.size() / 2],
                 rank.empty() ? 0 : rank[0]);
  }
};

void measure(const OpenTable& table, const Point& point, const QueryRates& rates,
             const Options& options, std::vector<Summary*> summaries, Report& report) {
  Sweep sweep(table, point, rates);
  std::vector<Timed> timed = plans_to_run(sweep.input(), options.only_plan);
  time_plans(sweep, timed, options.runs);
  std::vector<double> predicted, measured;
  std::size_t best = 0;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    predicted.push_back(timed[i].shape.cost_ns);
    measured.push_back(timed[i].ns() / sweep.rows());
    if (measured[i] < measured[best]) best = i;
  }
  const auto worst_plan = static_cast<std::size_t>(
      std::max_element(measured.begin(), measured.end()) - measured.begin());
  const double worst = measured[worst_plan];
  const double correlation = spearman(predicted, measured);
  const char* const set = point.judge ? "judge" : "tune";
  if (options.plans) {
    for (std::size_t i = 0; i < timed.size(); ++i) {
      report.add({set, point.name, plan_text(timed[i].shape.passes), fixed(predicted[i], 4),
                  fixed(measured[i], 4), i == 0 ? 1 : 0});
    }
  } else {
    report.add({set, point.name, timed.size(), plan_text(timed[0].shape.passes),
                fixed(measured[0], 3), fixed(predicted[0], 3), plan_text(timed[best].shape.passes),
                fixed(measured[best], 3), fixed(predicted[best], 3),
                fixed(measured[0] / measured[best], 3), fixed(worst / measured[best], 2),
                fixed(correlation, 2), significant(sweep.found_share(), 2),
                significant(timed[0].shape.selectivity, 2),
                fixed(sweep.sample_seconds() * 1e3, 1)});
  }
  PlannerInput input = sweep.input();
  input.sample = {};
  std::vector<double> independent, linear;
  for (const bool by_min : {false, true}) {
    input.linear_vectors = by_min;
    for (const Timed& plan : timed) {
      (by_min ? linear : independent).push_back(cost_of(input, plan.shape.passes).cost_ns);
    }
  }
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (Summary* summary : summaries) {
    append(summary->independent, independent);
    append(summary->linear, linear);
    summary->ratios.push_back(measured[0] / measured[best]);
    if (worst > 1.2 * measured[best]) summary->correlations.push_back(correlation);
    append(summary->predicted, predicted);
    append(summary->measured, measured);
  }
}

/// How long ten conditions take to be planned, with a sample and without.
void time_planning(const QueryRates& rates) {
  corpora::Random random(6);
  PlannerInput input;
  input.rates = rates;
  for (int i = 0; i < 10; ++i) {
    ConditionCost cost;
    cost.vector_ns = 0.05 + 0.01 * i;
    cost.read_ns = 0.2;
    input.costs.push_back(cost);
    input.selectivities.push_back(0.05 * (i + 1));
  }
  const auto least_ms = [&] {
    return 1e3 * best_seconds(5, Clock::kWall, [&] { choose_plan(input); });
  };
  const double without = least_ms();
  input.sample.vectors = 64;
  for (std::uint32_t end = 8; end <= 64; end += 8) input.sample.slice_ends.push_back(end);
  for (int i = 0; i < 10; ++i) {
    std::vector<std::uint64_t> bits(64 * kBatchWords);
    for (std::uint64_t& word : bits) word = random.next() | (i % 2 == 0 ? random.next() : 0);
    input.sample.bits.push_back(bits);
  }
  std::fprintf(stderr, "planning 10 conditions: %.3f ms, with a sample %.3f ms\n", without,
               least_ms());
}

void sweep_all(const Options& options) {
  const QueryRates rates = options.built_in ? QueryRates() : measure_query_rates();
  std::fprintf(stderr,
               "rates: compare %.3f decode %.3f compute %.3f byte %.3f list %.2f bitmap %.4f "
               "branch %.2f read %.3f together",
               rates.compare_ns, rates.decode_ns, rates.compute_ns, rates.byte_ns, rates.list_ns,
               rates.bitmap_ns, rates.branch_ns, rates.read_ns);
  for (const double rate : rates.together) std::fprintf(stderr, " %.3f", rate);
  std::fprintf(stderr, "\n");
  const OpenTable numbers(value_or_exit(make_number_table(options.rows)));
  const OpenTable texts(value_or_exit(make_text_table(options.text_rows)));
  Report report(Report::Form::kCsv,
                options.plans ? "set,point,plan,predicted_ns,measured_ns,picked"
                              : "set,point,plans,picked,picked_ns,picked_predicted_ns,best,best_ns,"
                                "best_predicted_ns,picked_of_best,worst_of_best,spearman,"
                                "selectivity,predicted_selectivity,sample_ms");
  Summary tuned, judged, all;
  for (const Point& point : all_points()) {
    if (point.name.find(options.only_point) == std::string::npos) continue;
    measure(point.text ? texts : numbers, point, rates, options,
            {point.judge ? &judged : &tuned, &all}, report);
  }
  tuned.print("tune");
  judged.print("judge");
  all.print("all");
  time_planning(rates);
}

}  // namespace
}  // namespace presso::query

int main(int count, char** arguments) {
  presso::query::Options options;
  presso::harness::CommandLine line("", "Times every plan of some conditions, as CSV.");
  line.add("--rows N", "rows of the table of numbers (8,000,000)", options.rows, 1);
  line.add("--text-rows N", "rows of the table with text (2,000,000)", options.text_rows, 1);
  line.add("--runs N", "runs of each plan (3)", options.runs, 1);
  line.add("--point TEXT", "only points whose names have this", options.only_point);
  line.add("--plan PLAN", "only this plan (for profiles)", options.only_plan);
  line.add("--built-in", "take rates as they are built in, do not measure them", options.built_in);
  line.add("--plans", "a row for each plan", options.plans);
  line.parse(count, arguments, 0, 0);
  presso::query::sweep_all(options);
}
