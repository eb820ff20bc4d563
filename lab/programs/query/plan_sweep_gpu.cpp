// SPDX-License-Identifier: MIT
// Whether a GPU's planner picks a plan that is nearly the fastest (S4.12): plans of the conditions
// of plan_sweep (sweep_points.h) are run over tables that lie in the GPU's memory several times, so
// that no cache holds them (Figs 4.2, 4.4, 4.5, 4.7, 4.9 to 4.12 of the thesis, on a GPU).
//
// The GPU is calibrated twice, as presso info --calibrate does it, and the second calibration's
// rates are taken; how far the two differ goes to standard error. A plan's time is that of its
// kernels, the least of --runs runs in which plans take turns. Of more than --plans plans of a
// point, the picked one, the half that is best by the estimate, and others by chance are run. All
// plans of a point must match as many rows as the CPU finds in one copy, times the copies. Prints a
// CSV with a row for each point, in picoseconds a row; the summary goes to standard error.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/timing.h"
#include "lab/programs/query/sweep_points.h"
#include "lab/programs/query/sweep_tables.h"
#include "presso/device_table.h"
#include "query/filter/make_plan.h"
#include "query/plan/device_planner.h"
#include "query/plan/planner.h"
#include "query/rows/table_facts.h"
#include "tests/unit/query/answer/text_sink.h"
#include "tools/device/gpu_probes.h"

namespace presso::query {
namespace {

using namespace presso::harness;

struct Options {
  std::uint64_t rows = 2'000'000;
  std::uint64_t text_rows = 500'000;
  std::uint64_t copies = 64;
  int runs = 5;
  std::size_t plans = 20;
  std::string only_point;
};

/// A plan that is timed.
struct Timed {
  std::string text;
  double predicted_ns = 0;  ///< a row
  double seconds = std::numeric_limits<double>::infinity();
};

/// A table in memory, and copies of it in the GPU's.
class CopiedTable {
 public:
  CopiedTable(std::vector<Byte> file, std::uint64_t copies, std::shared_ptr<QueryDevice> device)
      : file_(std::move(file)),
        access_(file_),
        one_(value_or_exit(Table::open(access_))),
        all_(value_or_exit(
            gpu::DeviceTable::load(std::move(device), std::vector<Table>(copies, one_)))) {}

  const Table& one() const { return one_; }
  const std::vector<Table>& all() const { return all_.tables(); }

 private:
  std::vector<Byte> file_;
  MemoryRandomAccess access_;
  Table one_;
  gpu::DeviceTable all_;
};

Query count_of(const std::vector<Table>& tables, const Point& point) {
  Query query = Query::from(tables, std::vector<std::string>(tables.size(), "swept"));
  for (const std::string& condition : point.conditions) query.where(condition);
  query.aggregate("count(*)");
  return query;
}

/// The query's conditions as the planner sees them.
class Planning {
 public:
  Planning(const std::vector<Table>& tables, const Point& point, const GpuQueryRates& rates) {
    QuerySpec spec;
    for (const std::string& text : point.conditions) {
      spec.conditions.push_back({value_or_exit(parse_expression(text)), text});
    }
    auto columns = value_or_exit(input_columns(tables, {}));
    const BoundQuery bound =
        value_or_exit(bind_query(spec, {{std::move(columns), {}, rows_of(tables)}}));
    QueryOptions options;
    options.gpu_rates = rates;
    const FilterPlan picked = value_or_exit(make_filter_plan(tables, bound, options));
    picked_ = {plan_text(picked.on_device->kernels), picked.on_device->cost_ns()};
    input_ = value_or_exit(
        planner_input(tables, bound, picked.conditions, options.rates, options.gpu_rates));
  }

  const Timed& picked() const { return picked_; }

  /// The picked plan, then the best by the estimate, then some by chance.
  std::vector<Timed> plans(std::size_t most) const {
    std::vector<Timed> all;
    for (const PlanShape& shape : all_plans(input_)) {
      const std::string text = plan_text(shape.passes);
      if (text == picked_.text) continue;
      all.push_back({text, device_cost_of(input_, shape.passes).cost_ns()});
    }
    std::stable_sort(all.begin(), all.end(), [](const Timed& a, const Timed& b) {
      return a.predicted_ns < b.predicted_ns;
    });
    if (all.size() >= most) {
      corpora::Random random(3);
      draw(all, most / 2, most - 1, random);
      all.resize(most - 1);
    }
    all.insert(all.begin(), picked_);
    return all;
  }

 private:
  Timed picked_;
  PlannerInput input_;
};

/// Runs plans of one point.
class Runner {
 public:
  Runner(const CopiedTable& table, const Point& point, std::uint64_t copies,
         std::shared_ptr<QueryDevice> device)
      : query_(count_of(table.all(), point)), device_(std::move(device)) {
    TextSink sink;
    const Query of_cpu = count_of({table.one()}, point);
    expected_ = copies * value_or_exit(of_cpu.run({}, sink)).rows_matched;
  }

  std::uint64_t expected() const { return expected_; }

  void run(Timed& plan) {
    QueryOptions options;
    options.device = device_;
    options.plan.plan = plan.text;
    options.times_kernels = true;
    TextSink sink;
    const QuerySummary done = value_or_exit(query_.run(options, sink));
    if (!done.why_cpu.empty()) give_up(make_error(ErrorCode::kUnsupported, done.why_cpu));
    if (done.rows_matched != expected_) {
      give_up(make_error(ErrorCode::kContent, plan.text + " matches " +
                                                  std::to_string(done.rows_matched) +
                                                  " rows, not " + std::to_string(expected_)));
    }
    plan.seconds = std::min(plan.seconds, done.kernel_seconds);
  }

 private:
  const Query query_;
  const std::shared_ptr<QueryDevice> device_;
  std::uint64_t expected_ = 0;
};

/// Returns the picked plan's time as a multiple of the best one's.
double measure(const CopiedTable& table, const Point& point, const GpuQueryRates& rates,
               const Options& options, const std::shared_ptr<QueryDevice>& device, Report& report) {
  std::vector<Timed> timed = Planning(table.all(), point, rates).plans(options.plans);
  Runner runner(table, point, options.copies, device);
  corpora::Random random(4);
  std::vector<std::size_t> turn(timed.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  // The first round compiles and does not count.
  for (int round = 0; round <= options.runs; ++round) {
    draw(turn, 0, turn.size(), random);
    for (const std::size_t i : turn) {
      Timed warm_up = timed[i];
      runner.run(round == 0 ? warm_up : timed[i]);
    }
  }
  const auto rows = static_cast<double>(rows_of(table.all()));
  std::vector<double> predicted, measured;
  for (const Timed& plan : timed) {
    predicted.push_back(1e3 * plan.predicted_ns);
    measured.push_back(1e12 * plan.seconds / rows);
  }
  const auto [best, worst] = std::minmax_element(measured.begin(), measured.end());
  const auto best_plan = static_cast<std::size_t>(best - measured.begin());
  report.add({point.name, timed.size(), timed[0].text, fixed(measured[0], 3),
              fixed(predicted[0], 3), timed[best_plan].text, fixed(*best, 3),
              fixed(predicted[best_plan], 3), fixed(measured[0] / *best, 3),
              fixed(*worst / *best, 2), fixed(spearman(predicted, measured), 2),
              significant(static_cast<double>(runner.expected()) / rows, 2)});
  return measured[0] / *best;
}

/// Calibrates twice, says how far the rates differ, and returns the second ones.
GpuQueryRates calibrate() {
  const auto once = [] { return value_or_exit(cli::measure_gpu_queries(0)); };
  const cli::Measurements first = cli::to_measurements(once());
  const GpuQueryRates rates = once();
  double most = 0;
  std::string of;
  for (const auto& [name, rate] : cli::to_measurements(rates)) {
    // Only the first query of a process starts CUDA and the compiler.
    if (name == "start_seconds" || name == "compile_seconds") continue;
    const double difference = std::fabs(rate / first.at(name) - 1);
    std::fprintf(stderr, "%s %.4g, %.4g before\n", name.c_str(), rate, first.at(name));
    if (difference > most) {
      most = difference;
      of = name;
    }
  }
  std::fprintf(stderr, "calibrated twice: %s differs most, by %.1f %%\n", of.c_str(), 100 * most);
  return rates;
}

void sweep_all(const Options& options) {
  const GpuQueryRates rates = calibrate();
  const std::shared_ptr<QueryDevice> device = value_or_exit(cli::open_gpu_queries({}));
  const CopiedTable numbers(value_or_exit(make_number_table(options.rows)), options.copies, device);
  const CopiedTable texts(value_or_exit(make_text_table(options.text_rows)), options.copies,
                          device);
  Report report(Report::Form::kCsv,
                "point,plans,picked,picked_ps,picked_predicted_ps,best,best_ps,best_predicted_ps,"
                "picked_of_best,worst_of_best,spearman,selectivity");
  std::vector<double> ratios;
  for (const Point& point : all_points()) {
    if (point.name.find(options.only_point) == std::string::npos) continue;
    ratios.push_back(measure(point.text ? texts : numbers, point, rates, options, device, report));
  }
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  std::fprintf(stderr, "%zu points: picked / best: median %.3f, worst %.3f\n", ratios.size(),
               ratios[ratios.size() / 2], ratios.back());
}

}  // namespace
}  // namespace presso::query

int main(int count, char** arguments) {
  presso::query::Options options;
  presso::harness::CommandLine line("", "Times a GPU's plans of some conditions, as CSV.");
  line.add("--rows N", "rows of the table of numbers (2,000,000)", options.rows, 1);
  line.add("--text-rows N", "rows of the table with text (500,000)", options.text_rows, 1);
  line.add("--copies N", "of both tables (64)", options.copies, 1);
  line.add("--runs N", "runs of each plan (5)", options.runs, 1);
  line.add("--plans N", "plans of each point, at most (20)", options.plans, 2);
  line.add("--point TEXT", "only points whose names have this", options.only_point);
  line.parse(count, arguments, 0, 0);
  presso::query::sweep_all(options);
}
