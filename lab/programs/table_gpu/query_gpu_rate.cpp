// SPDX-License-Identifier: MIT
// How long whole queries take by the library, in a process that has begun: on the CPU, on a GPU
// that reads files, and on a GPU that has the tables in its memory (presso/device_table.h).
//
// Files should be in the page cache. Each statement's answers must all be those of the CPU. Prints
// a line of CSV for each: statement, rows of all tables, stored bytes of the columns that it names,
// milliseconds of the three (median of 7, after 2), stored GB/s of the second, milliseconds that
// loading all columns of the tables takes, the bytes of these, and what the third has still read of
// the files: strings of small tables are numbered on the CPU. With --phases there are, for the
// queries from files, milliseconds of what loading consists of (LoadTimes, the mean of all runs)
// after these, those of all threads together first.
#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/tables.h"
#include "lab/harness/timing.h"
#include "presso/device_table.h"
#include "presso/query_gpu.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso {
namespace {

using namespace presso::harness;

constexpr int kRuns = 7;
constexpr int kWarmUps = 2;

struct Measured {
  double ms = 0;
  std::string answer;
  QuerySummary summary;
  gpu::LoadTimes phases;  ///< of all runs together
};

/// `device`: what open_query_gpu() gives, or nullptr for the CPU.
gpu::LoadTimes take_phases(const std::shared_ptr<QueryDevice>& device) {
  auto* const on_gpu = dynamic_cast<gpu::QueryOnGpu*>(device.get());
  return on_gpu != nullptr ? on_gpu->take_load_times() : gpu::LoadTimes();
}

Result<Measured> measure(const Query& query, const std::shared_ptr<QueryDevice>& device) {
  Measured measured;
  int run = 0;
  PRESSO_ASSIGN(const Times times, repeat(kRuns, kWarmUps, [&]() -> Result<double> {
                  QueryOptions options;
                  options.device = device;
                  TextSink sink;
                  if (run == kWarmUps) take_phases(device);
                  const double begin = now(Clock::kWall);
                  PRESSO_ASSIGN(measured.summary, query.run(options, sink));
                  const double end = now(Clock::kWall);
                  if (run++ != 0 && sink.text != measured.answer) {
                    return make_error(ErrorCode::kDeviceLost, "runs have different answers");
                  }
                  measured.answer = std::move(sink.text);
                  return (end - begin) * 1e3;
                }));
  if (device != nullptr && !measured.summary.why_cpu.empty()) {
    return make_error(ErrorCode::kUnsupported, measured.summary.why_cpu);
  }
  measured.ms = times.median;
  measured.phases = take_phases(device);
  return measured;
}

void add_phases(const gpu::LoadTimes& all, std::vector<Cell>& row) {
  for (const double seconds : {all.opening, all.reading, all.pinned_wait, all.beginning,
                               all.read_wait, all.check_wait, all.running}) {
    row.push_back(fixed(seconds * 1e3 / kRuns, 4));
  }
  row.push_back(fixed(static_cast<double>(all.parts) / kRuns, 2));
}

Status measure(const std::string& text, const std::shared_ptr<QueryDevice>& device,
               bool with_phases, Report& report) {
  PRESSO_ASSIGN(const Statement statement, statement_of(text));
  PRESSO_ASSIGN(const Measured cpu, measure(statement.query, nullptr));
  PRESSO_ASSIGN(const Measured from_files, measure(statement.query, device));
  const double begin = now(Clock::kWall);
  std::vector<gpu::DeviceTable> loaded;
  std::uint64_t loaded_bytes = 0;
  for (const Table& table : statement.tables) {
    PRESSO_ASSIGN(gpu::DeviceTable one, gpu::DeviceTable::load(device, {table}));
    loaded_bytes += one.device_bytes();
    loaded.push_back(std::move(one));
  }
  const double load_ms = (now(Clock::kWall) - begin) * 1e3;
  PRESSO_ASSIGN(const Measured resident, measure(statement.query, device));
  if (from_files.answer != cpu.answer || resident.answer != cpu.answer) {
    return make_error(ErrorCode::kDeviceLost, "the GPU has another answer than the CPU");
  }
  const std::uint64_t bytes = from_files.summary.bytes_stored;
  std::vector<Cell> row = {text,
                           cpu.summary.rows_in,
                           bytes,
                           fixed(cpu.ms, 4),
                           fixed(from_files.ms, 4),
                           fixed(resident.ms, 4),
                           fixed(static_cast<double>(bytes) / from_files.ms / 1e6, 4),
                           fixed(load_ms, 4),
                           loaded_bytes,
                           resident.summary.bytes_read};
  if (with_phases) add_phases(from_files.phases, row);
  report.add(row);
  return {};
}

int run(int count, char** arguments) {
  bool with_phases = false;
  CommandLine line("STATEMENT...", "Times whole queries by the CPU and by a GPU, as CSV.");
  line.add("--phases", "milliseconds of what loading consists of, too", with_phases);
  const std::vector<std::string> statements = line.parse(count, arguments, 1);
  const auto device = value_or_exit(gpu::open_query_gpu());
  std::string columns =
      "query,rows,bytes,cpu ms,gpu files ms,gpu resident ms,files GB/s,load ms,loaded bytes,"
      "resident bytes read";
  if (with_phases) {
    columns +=
        ",threads' opening ms,threads' reading ms,threads' pinned wait ms,beginning ms,"
        "read wait ms,check wait ms,running ms,parts";
  }
  Report report(Report::Form::kCsv, columns);
  return measure_all(statements, [&](const std::string& text) {
    return measure(text, device, with_phases, report);
  });
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::run(count, arguments);
}
