// SPDX-License-Identifier: MIT
// How fast a GPU answers a query whose columns are in its memory, as they are stored or in layouts
// that are not compressed. The table is loaded several times, so that it is larger than any cache,
// and queried as one.
//
//   table_gpu_rate [--layout NAME] [--plan TEXT] TABLE COPIES QUERY...
//
//   QUERY  "WHERE | GROUP BY | AGGREGATES", or a statement of SQL, in which TABLE is joined to
//   other
//          files
//   NAME   stored (default); narrow: arrays of 8, 16, 32 or 64 bits, what a column's values need;
//          int32: of 32 bits where these suffice, else of 64; words: likewise, but read as packed
//          values of 32 bits are
//   TEXT   how conditions are tested, as presso select has it: '1&&2' in one kernel, '1;2;' in
//          kernels of their own; each kernel is timed by itself, too. Columns are as stored.
//
// Build sides of joins are made once, before the clock starts; TABLE must be what is read in order.
// Each query runs once over one copy as it is stored, and its answer is compared with the CPU's;
// then over all copies, where each count and sum must be so many times that of one; then it is
// timed: median of 15 runs, from clearing the groups until they are there. Prints a line of CSV for
// each: query, rows, bytes read (of the blocks of the columns named; of other layouts their size),
// milliseconds, G rows/s, GB/s. With a plan a line that begins with # follows for each kernel: its
// conditions, bytes that it reads and writes at most (kernel_costs.h), median of its time.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "decompress/gpu/runtime/cuda_device.h"
#include "lab/programs/table_gpu/open_tables.h"
#include "lab/programs/table_gpu/rate_device.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso {
namespace {

Result<std::string> answer(const Query& query, const std::string& plan,
                           std::shared_ptr<QueryDevice> device, QuerySummary* summary) {
  QueryOptions options;
  options.plan.plan = plan;
  options.device = std::move(device);
  TextSink sink;
  PRESSO_ASSIGN(const QuerySummary done, query.run(options, sink));
  if (summary != nullptr) *summary = done;
  return sink.text;
}

Status measure(OpenTables& files, const Table& table, const RateOptions& options,
               const std::string& plan, const std::string& text) {
  PRESSO_ASSIGN(const Query query, query_of(files, table, text));
  QuerySummary of_cpu, of_gpu;
  PRESSO_ASSIGN(const std::string expected, answer(query, plan, nullptr, &of_cpu));
  PRESSO_ASSIGN(auto device, gpu::open_cuda_device(0));
  const auto kernels = gpu::cuda_table_kernels(0);
  const auto strings = gpu::cuda_string_kernels(0);
  const auto whole = std::make_shared<gpu::QueryOnGpu>(
      std::move(device), kernels, strings, gpu::MemoryLimits{}, gpu::MemoryLimits{0, 0}, "GPU");
  PRESSO_ASSIGN(const std::string found, answer(query, plan, whole, &of_gpu));
  if (!of_gpu.why_cpu.empty()) return make_error(ErrorCode::kUnsupported, of_gpu.why_cpu);
  if (found != expected) {
    return make_error(ErrorCode::kDeviceLost, "the GPU answers " + found.substr(0, 500) +
                                                  ", the CPU " + expected.substr(0, 500));
  }
  PRESSO_ASSIGN(auto timed, gpu::open_cuda_device(0));
  const auto rate = std::make_shared<RateDevice>(*timed, *kernels, *strings, options);
  PRESSO_TRY(answer(query, plan, rate, nullptr));
  if (rate->rows_read() == 0) {
    return make_error(ErrorCode::kDeviceLost, "it was not timed: " + rate->why_not());
  }
  if (rate->matched() != of_cpu.rows_matched * options.copies) {
    return make_error(ErrorCode::kDeviceLost, "copies match " + std::to_string(rate->matched()) +
                                                  " rows, one " +
                                                  std::to_string(of_cpu.rows_matched));
  }
  const double seconds = rate->median_seconds();
  std::cout << '"' << text << "\"," << rate->rows_read() << ',' << rate->bytes() << ','
            << seconds * 1e3 << ',' << static_cast<double>(rate->rows_read()) / seconds / 1e9 << ','
            << static_cast<double>(rate->bytes()) / seconds / 1e9 << std::endl;
  for (const gpu::KernelCost& kernel : rate->kernels()) {
    std::cout << "# " << kernel.text() << std::endl;
  }
  return {};
}

int run(std::vector<std::string> arguments) {
  RateOptions options;
  std::string plan;
  bool is_understood = true;
  while (is_understood && arguments.size() >= 2 && arguments[0].starts_with("--")) {
    if (arguments[0] == "--layout") {
      const auto layout = layout_named(arguments[1]);
      is_understood = layout.has_value();
      options.layout = layout.value_or(ColumnLayout::kStored);
    } else {
      is_understood = arguments[0] == "--plan";
      plan = arguments[1];
      options.times_kernels = true;
    }
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  is_understood =
      is_understood && (!options.times_kernels || options.layout == ColumnLayout::kStored);
  if (!is_understood || arguments.size() < 3) {
    std::cerr << "table_gpu_rate [--layout stored|narrow|int32|words] [--plan TEXT] TABLE COPIES "
                 "QUERY...\n";
    return 2;
  }
  OpenTables files;
  const auto table = files.open(arguments[0]);
  if (!table.ok()) {
    std::cerr << table.error().message() << '\n';
    return 1;
  }
  options.copies = static_cast<unsigned>(std::atoi(arguments[1].c_str()));
  std::cout << "query,rows,bytes,ms,G rows/s,GB/s\n";
  return measure_all(std::span(arguments).subspan(2), [&](const std::string& text) {
    return measure(files, *table, options, plan, text);
  });
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::run({arguments + 1, arguments + count});
}
