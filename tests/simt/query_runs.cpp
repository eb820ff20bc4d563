// SPDX-License-Identifier: MIT
#include "tests/simt/query_runs.h"

#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>
#include <sstream>
#include <utility>

#include "corpora/random.h"
#include "query/gpu/table/query_on_gpu.h"

namespace presso::test {
namespace {

/// Numbers, and ranges "FROM..TO*FACTOR".
std::vector<std::uint64_t> numbers_of(const std::string& text, bool takes_few) {
  std::vector<std::uint64_t> numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t dots = word.find("..");
    if (dots == std::string::npos) {
      numbers.push_back(std::stoull(word, nullptr, 0));
      continue;
    }
    const double factor = std::stod(word.substr(word.find('*') + 1));
    const double last = std::stod(word.substr(dots + 2));
    for (double number = std::stod(word); number <= last;) {
      numbers.push_back(static_cast<std::uint64_t>(number));
      number *= takes_few ? factor * factor : factor;
    }
  }
  return numbers;
}

template <class Value>
void multiply(std::vector<QueryRun>& runs, const std::vector<Value>& values,
              const std::function<void(QueryRun&, const Value&)>& set) {
  std::vector<QueryRun> all;
  for (const QueryRun& run : runs) {
    for (const Value& value : values) {
      all.push_back(run);
      set(all.back(), value);
    }
  }
  runs = std::move(all);
}

}  // namespace

GpuQueryRates rates_of(std::uint64_t number) {
  GpuQueryRates rates;
  if (number == 0) {
    rates.byte_ns = 1;
    rates.pass_ns = 0.1;
    rates.kernel_ns = 1e-9;
    return rates;
  }
  corpora::Random random(number);
  const auto any = [&random] { return std::pow(10.0, -static_cast<double>(random.below(8))); };
  rates.compare_ns.fill(any());
  for (double* const rate :
       {&rates.byte_ns, &rates.step_ns, &rates.branch_ns, &rates.pass_ns, &rates.kernel_ns}) {
    *rate = any();
  }
  return rates;
}

/// How many conditions the plan has that --explain tells of.
std::size_t conditions_of(const Query& query) {
  const auto told = query.explain(QueryOptions{}, false);
  const std::string begin = "where: plan ";
  const std::size_t at = told.ok() ? told->find(begin) : std::string::npos;
  if (at == std::string::npos || at != told->find("where: ")) return 0;
  std::size_t numbers = 0;
  for (std::size_t i = at + begin.size(); (*told)[i] != ','; ++i) {
    const auto is_digit = [&](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    numbers += is_digit((*told)[i]) && !is_digit((*told)[i - 1]) ? 1 : 0;
  }
  return numbers;
}

std::string random_plan(const Query& query, std::uint64_t seed) {
  static constexpr const char* kConnectors[] = {"&", "&&", ";"};
  corpora::Random random(seed);
  std::vector<std::size_t> order;
  for (std::size_t i = conditions_of(query); i > 0; --i) order.push_back(i);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  }
  std::string plan;
  for (const std::size_t condition : order) {
    if (!plan.empty()) plan += kConnectors[seed % 4 == 0 ? random.below(3) : seed % 4 - 1];
    plan += std::to_string(condition);
  }
  return seed % 4 == 3 && !plan.empty() ? plan + ";" : plan;
}

std::vector<QueryRun> runs_of(const QueryTest& test, bool takes_few) {
  std::vector<QueryRun> runs(1);
  using Number = std::uint64_t;
  const auto with = [&](const char* key, const std::function<void(QueryRun&, const Number&)>& set) {
    if (const auto found = test.runs.find(key); found != test.runs.end()) {
      multiply<Number>(runs, numbers_of(found->second, takes_few), set);
    }
  };
  with("limit", [](QueryRun& run, Number kibi) { run.limits.device_bytes = kibi << 10; });
  with("pinned", [](QueryRun& run, Number kibi) { run.limits.pinned_bytes = kibi << 10; });
  with("memory", [](QueryRun& run, Number kibi) { run.device_bytes = kibi << 10; });
  with("sum_rows", [](QueryRun& run, Number rows) { run.sum_rows = rows; });
  with("part_rows",
       [](QueryRun& run, Number rows) { run.part_rows = static_cast<std::uint32_t>(rows); });
  with("part_bits",
       [](QueryRun& run, Number bits) { run.part_bits = static_cast<std::uint32_t>(bits); });
  with("rates", [](QueryRun& run, Number number) { run.rates = number; });
  with("plans", [](QueryRun& run, Number seed) { run.plan = seed; });
  with("hash_bits", [](QueryRun& run, Number bits) { run.hash_bits = bits; });
  with("seed", [](QueryRun& run, Number seed) { run.seed = static_cast<std::uint32_t>(seed); });
  if (const auto found = test.runs.find("strategy"); found != test.runs.end()) {
    std::istringstream words(found->second);
    std::vector<std::string> names{std::istream_iterator<std::string>(words), {}};
    multiply<std::string>(runs, names, [](QueryRun& run, const std::string& name) {
      run.strategy = join_strategy_of(name);
    });
  }
  return runs;
}

std::string QueryRun::text() const {
  std::string text;
  const auto add = [&](const char* name, std::uint64_t value, std::uint64_t usual) {
    if (value != usual) text += std::string(" ") + name + " " + std::to_string(value);
  };
  add("limit", limits.device_bytes, kAll);
  add("pinned", limits.pinned_bytes, kAll);
  add("memory", device_bytes, kAll);
  add("sum_rows", sum_rows, 0);
  add("part_rows", part_rows.value_or(1), 1);
  add("hash_bits", hash_bits, kAll);
  add("plan", plan.value_or(kAll), kAll);
  add("rates", rates.value_or(kAll), kAll);
  add("strategy", static_cast<std::uint64_t>(strategy.value_or(JoinStrategy::kAuto)), 0);
  return text;
}

std::shared_ptr<EmulatedFaults> QueryRun::faults() const {
  auto faults = std::make_shared<EmulatedFaults>();
  faults->device_bytes = device_bytes;
  faults->hash_bits = hash_bits;
  if (part_rows) faults->group_parts.most_part_rows = *part_rows;
  if (part_bits) {
    faults->group_parts.most_bits = *part_bits;
    faults->group_parts.table_bytes = 4096;
  }
  return faults;
}

std::shared_ptr<QueryDevice> QueryRun::device(const std::shared_ptr<EmulatedFaults>& faults) const {
  auto device = make_emulated_query_device(faults, seed, limits);
  if (sum_rows != 0) {
    gpu::SumLimits sums;
    sums.halves = sums.limbs = sum_rows;
    dynamic_cast<gpu::QueryOnGpu&>(*device).set_sum_limits(sums);
  }
  return device;
}

QueryOptions QueryRun::options(const Query& query, std::shared_ptr<QueryDevice> device) const {
  QueryOptions options;
  options.threads = 2;
  options.device = std::move(device);
  if (strategy) options.join_strategy = *strategy;
  if (plan) options.plan.plan = random_plan(query, *plan);
  if (rates) options.gpu_rates = rates_of(*rates);
  return options;
}

}  // namespace presso::test
