// SPDX-License-Identifier: MIT
// How fast a GPU answers a query whose columns are in its memory, as they are stored or in layouts
// that are not compressed. The table is loaded several times, so that it is larger than any cache,
// and queried as one.
//
// A QUERY is "WHERE | GROUP BY | AGGREGATES", or a statement of SQL, in which TABLE is joined to
// other files. With --plan, whose TEXT says how conditions are tested as presso select has it
// ('1&&2' in one kernel, '1;2;' in kernels of their own), each kernel is timed by itself, too.
//
// Build sides of joins are made once, before the clock starts; TABLE must be what is read in order.
// Each query runs once over one copy as it is stored, and its answer is compared with the CPU's;
// then over all copies, where each count and sum must be that of one times the copies; then it is
// timed: median of 15 runs, from clearing the groups until they are there. Prints a line of CSV for
// each: query, rows, bytes read (of the blocks of the columns named; of other layouts their size),
// milliseconds, G rows/s, GB/s. With a plan a line that begins with # follows for each kernel: its
// conditions, bytes that it reads and writes at most (kernel_costs.h), median of its time.
#include <cstdio>
#include <string>
#include <vector>

#include "decompress/gpu/runtime/cuda_device.h"
#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/tables.h"
#include "lab/programs/table_gpu/rate_device.h"
#include "query/gpu/code/cuda_compiler.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso {
namespace {

using namespace presso::harness;

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

Status measure(const Table& table, RateOptions options, const std::string& plan,
               const std::string& text, Report& report) {
  PRESSO_ASSIGN(const Query query, query_of({table}, text));
  QuerySummary of_cpu, of_gpu;
  PRESSO_ASSIGN(const std::string expected, answer(query, plan, nullptr, &of_cpu));
  PRESSO_ASSIGN(auto device, gpu::open_cuda_device(0));
  const auto kernels = gpu::cuda_table_kernels(0);
  const auto strings = gpu::cuda_string_kernels(0);
  const auto compiler = gpu::cuda_kernel_compiler(0);
  options.compiler = compiler.get();
  const auto whole =
      std::make_shared<gpu::QueryOnGpu>(std::move(device), kernels, strings, gpu::MemoryLimits{},
                                        gpu::MemoryLimits{0, 0}, "GPU", 0, compiler);
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
  const auto rows = static_cast<double>(rate->rows_read());
  report.add({text, rate->rows_read(), rate->bytes(), fixed(seconds * 1e3, 5),
              fixed(rows / seconds / 1e9, 3),
              fixed(static_cast<double>(rate->bytes()) / seconds / 1e9, 3)});
  for (const gpu::KernelCost& kernel : rate->kernels()) {
    std::printf("# %s\n", kernel.text().c_str());
  }
  return {};
}

int run(int count, char** arguments) {
  RateOptions options;
  std::string plan;
  CommandLine line("TABLE COPIES QUERY...", "Times queries over tables in a GPU's memory, as CSV.");
  line.add(
      "--layout NAME",
      "stored (default); narrow: arrays of 8, 16, 32 or 64 bits; int32: of 32 bits where these "
      "suffice; words: of 32 bits, read as packed values",
      [&](const std::string& name) {
        const auto layout = layout_named(name);
        options.layout = layout.value_or(ColumnLayout::kStored);
        return layout.has_value();
      });
  line.add("--plan TEXT", "how conditions are tested; columns are as stored", plan);
  const std::vector<std::string> operands = line.parse(count, arguments, 3);
  options.times_kernels = !plan.empty();
  options.copies = static_cast<unsigned>(number_of(operands[1]).value_or(0));
  if (options.copies == 0) line.refuse("COPIES is a number");
  if (options.times_kernels && options.layout != ColumnLayout::kStored) {
    line.refuse("plans are for columns as they are stored");
  }
  const Table table = value_or_exit(open_table(operands[0]));
  Report report(Report::Form::kCsv, "query,rows,bytes,ms,G rows/s,GB/s");
  return measure_all(std::span(operands).subspan(2), [&](const std::string& text) {
    return measure(table, options, plan, text, report);
  });
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::run(count, arguments);
}
