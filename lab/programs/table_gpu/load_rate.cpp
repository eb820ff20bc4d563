// SPDX-License-Identifier: MIT
// The host's part of loading tables for a GPU, alone: the device's memory is memory that nobody
// writes to, and copies and kernels do nothing. So it runs, and can be profiled, where there is no
// GPU, and what it takes is what loading takes at least.
//
// Loads the columns of the table as often as COPIES says, each time opened anew; what is under way
// takes MOST_MIB at most. Files should be in the page cache. Prints a line of CSV: threads, row
// groups, parts, bytes, milliseconds (median of 9, after 2), GB/s, and milliseconds of phases
// (LoadTimes), those of all threads together first.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/tables.h"
#include "presso/stopwatch.h"
#include "query/gpu/table/query_on_gpu.h"

namespace presso {
namespace {

using namespace presso::harness;

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
  Status find_vectors(const gpu::VectorFinding&, gpu::Stream) override { return {}; }
  Status measure_vectors(const gpu::VectorPacking&, gpu::Stream) override { return {}; }
  Status pack_vectors(const gpu::VectorPacking&, gpu::Stream) override { return {}; }
  Status decode_others(const gpu::QueryArguments&, std::uint32_t, gpu::Stream) override {
    return {};
  }
  Status clear(Byte*, std::size_t, gpu::Stream) override { return {}; }
  Result<std::uint32_t> most_shared_bytes() override { return std::uint32_t{100'000}; }
  Result<std::uint64_t> cache_bytes() override { return std::uint64_t{50'000'000}; }
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
  Status take_bits(const gpu::RowBits&, gpu::Stream) override { return {}; }
  Status test_left(const gpu::LeftRows&, gpu::Stream) override { return {}; }
  Status place_steps(const gpu::StepBatch&, gpu::Stream) override { return {}; }
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

Result<std::vector<std::size_t>> numbers_of(const Table& table,
                                            std::span<const std::string> names) {
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) {
    const auto number = table.find_column(name);
    if (!number) return make_error(ErrorCode::kInvalidArgument, "there is no column " + name);
    numbers.push_back(*number);
  }
  return numbers;
}

void print(unsigned threads, const Loaded& median) {
  const gpu::LoadTimes& times = median.times;
  Report report(Report::Form::kCsv,
                "threads,row groups,parts,bytes,ms,GB/s,opening,reading,pinned wait,beginning,"
                "read wait,check wait,running");
  std::vector<Cell> row = {threads,
                           median.groups,
                           times.parts,
                           median.bytes,
                           fixed(median.ms, 4),
                           fixed(static_cast<double>(median.bytes) / median.ms / 1e6, 4)};
  for (const double seconds : {times.opening, times.reading, times.pinned_wait, times.beginning,
                               times.read_wait, times.check_wait, times.running}) {
    row.push_back(fixed(seconds * 1e3, 4));
  }
  report.add(row);
}

Status run(int count, char** arguments) {
  const CommandLine line("THREADS MOST_MIB COPIES FILE COLUMN...", "Loads columns without a GPU.");
  const std::vector<std::string> operands = line.parse(count, arguments, 5);
  const auto threads = static_cast<unsigned>(number_of(operands[0]).value_or(0));
  const auto most_bytes = static_cast<std::uint64_t>(number_of(operands[1]).value_or(0)) << 20;
  const int copies = static_cast<int>(number_of(operands[2]).value_or(0));
  if (threads == 0 || most_bytes == 0 || copies < 1) line.refuse("these are no numbers above 0");
  std::vector<Table> tables;
  for (int i = 0; i < copies; ++i) {
    PRESSO_ASSIGN(Table table, open_table(operands[3]));
    tables.push_back(std::move(table));
  }
  constexpr int kRuns = 9;
  constexpr int kWarmUps = 2;
  IdleDevice device;
  gpu::Memory memory(device, {}, {std::uint64_t{1} << 30, std::uint64_t{64} << 20});
  PRESSO_ASSIGN(const auto columns, numbers_of(tables[0], std::span(operands).subspan(4)));
  std::vector<Loaded> runs;
  for (int i = 0; i < kRuns + kWarmUps; ++i) {
    PRESSO_ASSIGN(const Loaded one, load(memory, tables, columns, threads, most_bytes));
    if (i >= kWarmUps) runs.push_back(one);
  }
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.ms < b.ms; });
  print(threads, runs[runs.size() / 2]);
  return {};
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::run(count, arguments));
}
