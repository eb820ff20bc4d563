// SPDX-License-Identifier: MIT
// The host's part of loading tables for a GPU, alone: the device's memory is memory that nobody
// writes to, and copies and kernels do nothing. So it runs, and can be profiled, where there is no
// GPU, and what it takes is what loading takes at least.
//
//   load_rate THREADS MOST_MIB COPIES FILE COLUMN...
//   load_rate THREADS query COPIES FILE "WHERE | GROUP BY | AGGREGATES"
//
// Loads the columns of so many copies of the table, each of which is opened anew; what is under way
// takes so many MiB at most. Or runs a query over them, whose answer is of no use, since the device
// finds nothing. Files should be in the page cache. Prints a line of CSV: threads, row groups,
// parts, bytes, milliseconds (median of 9, after 2), GB/s, and milliseconds of phases (LoadTimes),
// those of all threads together first.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "lab/programs/table_gpu/open_tables.h"
#include "presso/stopwatch.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso {
namespace {

/// Work is done when it is enqueued, since there is none.
class IdleDevice final : public gpu::Device {
 public:
  Result<Byte*> allocate(std::size_t bytes) override { return make(bytes); }
  void release(Byte* memory) override { drop(memory); }
  Result<Byte*> allocate_pinned(std::size_t bytes) override { return make(bytes); }
  void release_pinned(Byte* memory) override { drop(memory); }
  bool is_pinned(const Byte*, std::size_t) override { return true; }
  Result<gpu::Stream> create_stream() override { return handle<gpu::Stream>(); }
  void destroy_stream(gpu::Stream) override {}
  Result<gpu::Event> create_event() override { return handle<gpu::Event>(); }
  void destroy_event(gpu::Event) override {}
  Status copy_in(Byte*, const Byte*, std::size_t, gpu::Stream) override { return {}; }
  /// What checks of blocks say of those that are in order.
  Status copy_out(Byte* to, const Byte*, std::size_t bytes, gpu::Stream) override {
    std::memset(to, 0, bytes);
    return {};
  }
  Status copy_within(Byte*, const Byte*, std::size_t, gpu::Stream) override { return {}; }
  Status record(gpu::Event, gpu::Stream) override { return {}; }
  Status stream_wait(gpu::Stream, gpu::Event) override { return {}; }
  Status wait(gpu::Event) override { return {}; }
  Status wait(gpu::Stream) override { return {}; }

 private:
  static constexpr std::align_val_t kAlignment{256};

  template <class Handle>
  static Handle handle() {
    static int thing = 0;
    return reinterpret_cast<Handle>(&thing);
  }
  static Byte* make(std::size_t bytes) {
    return static_cast<Byte*>(::operator new(bytes, kAlignment));
  }
  static void drop(Byte* memory) { ::operator delete(memory, kAlignment); }
};

/// All blocks are in order.
class IdleKernels final : public gpu::TableKernels {
 public:
  Status check(const gpu::IntegerBatch&, const std::uint32_t*, gpu::Stream) override { return {}; }
  Status clear_cells(const gpu::Pipeline&, gpu::Stream) override { return {}; }
  Status list_groups(const gpu::Pipeline&, const gpu::GroupList&, gpu::Stream) override {
    return {};
  }
  gpu::GroupPartLimits group_part_limits() override { return {}; }
  Status sum_group_parts(const gpu::PartedRows&, gpu::Stream) override { return {}; }
  Status merge_groups(const gpu::GroupMerge&, gpu::Stream) override { return {}; }
  Status clear(Byte*, std::size_t, gpu::Stream) override { return {}; }
  Result<std::uint32_t> most_shared_bytes() override { return std::uint32_t{100'000}; }
  Result<std::uint64_t> cache_bytes() override { return std::uint64_t{50'000'000}; }
  Result<std::uint32_t> thread_blocks(const gpu::Pipeline&, const gpu::PipelineShape&) override {
    return std::uint32_t{1};
  }
  Status run(const gpu::Pipeline&, const gpu::PipelineShape&, std::uint64_t*, std::uint32_t,
             gpu::Stream) override {
    return {};
  }
  Status build_lookup(const gpu::Lookup&, const gpu::JoinRows&, gpu::JoinTotals*,
                      gpu::Stream) override {
    return {};
  }
  Status build_ascending(const gpu::Lookup&, const gpu::AscendingBuild&, gpu::Stream) override {
    return {};
  }
  Status count_rows_of_keys(const gpu::Lookup&, const gpu::JoinRows&, std::uint32_t*,
                            gpu::Stream) override {
    return {};
  }
};

class IdleStrings final : public gpu::StringKernels {
 public:
  Status decode_counts(const gpu::IntegerBatch&, bool, gpu::Stream) override { return {}; }
  Status decode_lengths(const gpu::IntegerBatch&, bool, gpu::Stream) override { return {}; }
  Status decode_text(const gpu::BatchArguments&, gpu::Stream) override { return {}; }
  std::uint64_t temporary_bytes(std::uint32_t, std::uint64_t) override { return 0; }
  Status find(const gpu::StringBatch&, const gpu::StringOptions&, gpu::Stream) override {
    return {};
  }
  Status test_text(const gpu::NumberBatch&, std::span<const gpu::TextTest>, gpu::Stream) override {
    return {};
  }
  Status place_bits(const gpu::RowBits&, gpu::Stream) override { return {}; }
  Status number_rows(const gpu::NumberBatch&, bool, gpu::Stream) override { return {}; }
  Status number_entries(const gpu::EntryBatch&, gpu::Stream) override { return {}; }
  Status number_slices(const gpu::SliceBatch&, gpu::Stream) override { return {}; }
  Status list_strings(const gpu::StringList&, gpu::Stream) override { return {}; }
};

struct Loaded {
  double ms = 0;
  std::uint64_t bytes = 0;
  std::uint64_t groups = 0;
  gpu::LoadTimes times;
};

struct Asked {
  std::string where;
  std::string group_by;
  std::string aggregates;
};

/// Of parts with | between them.
Asked asked_by(const std::string& text) {
  const std::size_t first = text.find('|');
  const std::size_t second = text.find('|', first + 1);
  if (second == std::string::npos) return {"", "", text};
  const auto trimmed = [&](std::size_t begin, std::size_t end) {
    while (begin < end && text[begin] == ' ') ++begin;
    while (begin < end && text[end - 1] == ' ') --end;
    return text.substr(begin, end - begin);
  };
  return {trimmed(0, first), trimmed(first + 1, second), trimmed(second + 1, text.size())};
}

Result<Loaded> load(gpu::Memory& memory, const std::vector<Table>& tables,
                    const std::vector<std::size_t>& columns, unsigned threads,
                    std::uint64_t most_bytes) {
  IdleKernels kernels;
  IdleStrings strings;
  gpu::PinnedPieces pinned(memory);
  PRESSO_ASSIGN(const gpu::OwnedStream stream, gpu::make_stream(memory.device()));
  const gpu::RunSpace space{memory, kernels, strings, pinned, stream.get()};
  ReadCounters counters;
  Loaded loaded;
  const Stopwatch time;
  const gpu::WantsRows all = [](const GroupReader&, std::uint32_t, std::uint32_t) -> Result<bool> {
    return true;
  };
  gpu::TableLoader loader(space, tables, columns, counters, threads, all);
  for (;;) {
    PRESSO_ASSIGN(const auto part, loader.next(most_bytes));
    if (!part) break;
    loaded.groups += part->groups().size();
  }
  loaded.ms = time.seconds() * 1e3;
  loaded.bytes = counters.bytes;
  loaded.times = loader.times();
  return loaded;
}

Result<Loaded> ask(gpu::QueryOnGpu& device, const std::vector<Table>& tables, const Asked& asked,
                   unsigned threads) {
  Query query = Query::from(tables);
  if (!asked.where.empty()) query.where(asked.where);
  if (!asked.group_by.empty()) query.group_by(asked.group_by);
  query.aggregate(asked.aggregates);
  QueryOptions options;
  options.threads = threads;
  // Not owned.
  options.device = std::shared_ptr<QueryDevice>(std::shared_ptr<QueryDevice>(), &device);
  TextSink sink;
  static_cast<void>(device.take_load_times());
  const Stopwatch time;
  PRESSO_ASSIGN(const QuerySummary summary, query.run(options, sink));
  Loaded loaded;
  loaded.ms = time.seconds() * 1e3;
  if (!summary.why_cpu.empty()) return make_error(ErrorCode::kUnsupported, summary.why_cpu);
  loaded.bytes = summary.bytes_read;
  loaded.times = device.take_load_times();
  for (const Table& table : tables) loaded.groups += table.row_groups();
  return loaded;
}

Result<std::vector<std::size_t>> numbers_of(const Table& table, char** begin, char** end) {
  std::vector<std::size_t> numbers;
  for (char** name = begin; name != end; ++name) {
    const auto& columns = table.schema().columns;
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const auto& column) { return column.name == *name; });
    if (found == columns.end()) return make_error(ErrorCode::kInvalidArgument, *name);
    numbers.push_back(static_cast<std::size_t>(found - columns.begin()));
  }
  return numbers;
}

Status measure(int count, char** arguments) {
  const auto threads = static_cast<unsigned>(std::atoi(arguments[1]));
  const bool is_query = std::string(arguments[2]) == "query";
  OpenTables files;
  std::vector<Table> tables;
  for (int i = 0; i < std::atoi(arguments[3]); ++i) {
    PRESSO_ASSIGN(Table table, files.open(arguments[4]));
    tables.push_back(std::move(table));
  }
  if (tables.empty()) return make_error(ErrorCode::kInvalidArgument, "copies");
  constexpr int kRuns = 9;
  constexpr int kWarmUps = 2;
  constexpr gpu::MemoryLimits kKept{std::uint64_t{1} << 30, std::uint64_t{64} << 20};
  IdleDevice device;
  gpu::Memory memory(device, {}, kKept);
  gpu::QueryOnGpu queries(std::make_unique<IdleDevice>(), std::make_shared<IdleKernels>(),
                          std::make_shared<IdleStrings>(), {}, kKept, "idle");
  std::vector<std::size_t> columns;
  if (!is_query) {
    PRESSO_ASSIGN(columns, numbers_of(tables[0], arguments + 5, arguments + count));
  }
  std::vector<Loaded> runs;
  for (int i = 0; i < kRuns + kWarmUps; ++i) {
    Loaded one;
    if (is_query) {
      PRESSO_ASSIGN(one, ask(queries, tables, asked_by(arguments[5]), threads));
    } else {
      const std::uint64_t most_bytes = std::strtoull(arguments[2], nullptr, 10) << 20;
      PRESSO_ASSIGN(one, load(memory, tables, columns, threads, most_bytes));
    }
    if (i >= kWarmUps) runs.push_back(one);
  }
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.ms < b.ms; });
  const Loaded& median = runs[runs.size() / 2];
  std::cout << "threads,row groups,parts,bytes,ms,GB/s,opening,reading,pinned wait,beginning,"
            << "read wait,check wait,running\n"
            << threads << ',' << median.groups << ',' << median.times.parts << ',' << median.bytes
            << ',' << median.ms << ',' << static_cast<double>(median.bytes) / median.ms / 1e6;
  const gpu::LoadTimes& times = median.times;
  for (const double seconds : {times.opening, times.reading, times.pinned_wait, times.beginning,
                               times.read_wait, times.check_wait, times.running}) {
    std::cout << ',' << seconds * 1e3;
  }
  std::cout << '\n';
  return {};
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  if (count < 6) {
    std::cerr << "load_rate THREADS MOST_MIB|query COPIES FILE COLUMN...|QUERY\n";
    return 2;
  }
  const presso::Status done = presso::measure(count, arguments);
  if (done.ok()) return 0;
  std::cerr << done.error().message() << '\n';
  return 1;
}
