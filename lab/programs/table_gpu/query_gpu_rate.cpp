// SPDX-License-Identifier: MIT
// How long whole queries take by the library, in a process that has begun: on the CPU, on a GPU
// that reads files, and on a GPU that has the tables in its memory (presso/device_table.h).
//
//   query_gpu_rate [--phases] STATEMENT...
//
// Files should be in the page cache. Each statement's answers must all be those of the CPU. Prints
// a line of CSV for each: statement, rows of all tables, stored bytes of the columns that it names,
// milliseconds of the three (median of 7, after 2), stored GB/s of the second, milliseconds that
// loading all columns of the tables takes, the bytes of these, and what the third has still read of
// the files: strings of small tables are numbered on the CPU. With --phases there are, for the
// queries from files, milliseconds of what loading consists of (LoadTimes, the mean of all runs)
// behind these, those of all threads together first.
#include <algorithm>
#include <iostream>

#include "lab/programs/table_gpu/open_tables.h"
#include "presso/device_table.h"
#include "presso/query_gpu.h"
#include "presso/stopwatch.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso {
namespace {

struct Measured {
  double ms = 0;
  std::string answer;
  QuerySummary summary;
  gpu::LoadTimes phases;  ///< of so many runs
  int runs = 0;
};

/// `device`: what open_query_gpu() gives, or nullptr for the CPU.
gpu::LoadTimes take_phases(const std::shared_ptr<QueryDevice>& device) {
  auto* const on_gpu = dynamic_cast<gpu::QueryOnGpu*>(device.get());
  return on_gpu != nullptr ? on_gpu->take_load_times() : gpu::LoadTimes();
}

Result<Measured> measure(const Query& query, const std::shared_ptr<QueryDevice>& device) {
  constexpr int kRuns = 7;
  constexpr int kWarmUps = 2;
  Measured measured;
  std::vector<double> times;
  for (int i = 0; i < kRuns + kWarmUps; ++i) {
    QueryOptions options;
    options.device = device;
    TextSink sink;
    if (i == kWarmUps) take_phases(device);
    const Stopwatch time;
    PRESSO_ASSIGN(measured.summary, query.run(options, sink));
    if (i >= kWarmUps) times.push_back(time.seconds() * 1e3);
    if (i != 0 && sink.text != measured.answer) {
      return make_error(ErrorCode::kDeviceLost, "runs have different answers");
    }
    measured.answer = std::move(sink.text);
  }
  if (device != nullptr && !measured.summary.why_cpu.empty()) {
    return make_error(ErrorCode::kUnsupported, measured.summary.why_cpu);
  }
  std::sort(times.begin(), times.end());
  measured.ms = times[times.size() / 2];
  measured.phases = take_phases(device);
  measured.runs = kRuns;
  return measured;
}

void print_phases(const gpu::LoadTimes& all, int runs) {
  for (const double seconds : {all.opening, all.reading, all.pinned_wait, all.beginning,
                               all.read_wait, all.check_wait, all.running}) {
    std::cout << ',' << seconds * 1e3 / runs;
  }
  std::cout << ',' << static_cast<double>(all.parts) / runs;
}

Status measure(const std::string& text, const std::shared_ptr<QueryDevice>& device,
               bool with_phases) {
  OpenTables files;
  PRESSO_ASSIGN(const Statement statement, statement_of(files, text));
  PRESSO_ASSIGN(const Measured cpu, measure(statement.query, nullptr));
  PRESSO_ASSIGN(const Measured from_files, measure(statement.query, device));
  const Stopwatch time;
  std::vector<gpu::DeviceTable> loaded;
  std::uint64_t loaded_bytes = 0;
  for (const Table& table : statement.tables) {
    PRESSO_ASSIGN(gpu::DeviceTable one, gpu::DeviceTable::load(device, {table}));
    loaded_bytes += one.device_bytes();
    loaded.push_back(std::move(one));
  }
  const double load_ms = time.seconds() * 1e3;
  PRESSO_ASSIGN(const Measured resident, measure(statement.query, device));
  if (from_files.answer != cpu.answer || resident.answer != cpu.answer) {
    return make_error(ErrorCode::kDeviceLost, "the GPU has another answer than the CPU");
  }
  const auto bytes = static_cast<double>(from_files.summary.bytes_stored);
  std::cout << '"' << text << "\"," << cpu.summary.rows_in << ',' << from_files.summary.bytes_stored
            << ',' << cpu.ms << ',' << from_files.ms << ',' << resident.ms << ','
            << bytes / from_files.ms / 1e6 << ',' << load_ms << ',' << loaded_bytes << ','
            << resident.summary.bytes_read;
  if (with_phases) print_phases(from_files.phases, from_files.runs);
  std::cout << std::endl;
  return {};
}

int run(std::vector<std::string> statements) {
  const bool with_phases = !statements.empty() && statements[0] == "--phases";
  if (with_phases) statements.erase(statements.begin());
  if (statements.empty()) {
    std::cerr << "query_gpu_rate [--phases] STATEMENT...\n";
    return 2;
  }
  const auto device = gpu::open_query_gpu();
  if (!device.ok()) {
    std::cerr << device.error().message() << '\n';
    return 1;
  }
  std::cout << "query,rows,bytes,cpu ms,gpu files ms,gpu resident ms,files GB/s,load ms,"
            << "loaded bytes,resident bytes read";
  if (with_phases) {
    std::cout << ",threads' opening ms,threads' reading ms,threads' pinned wait ms,beginning ms,"
              << "read wait ms,check wait ms,running ms,parts";
  }
  std::cout << std::endl;
  return measure_all(statements,
                     [&](const std::string& text) { return measure(text, *device, with_phases); });
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::run({arguments + 1, arguments + count});
}
