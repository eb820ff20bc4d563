// SPDX-License-Identifier: MIT
// How fast a GPU answers a query whose columns are in its memory as they are stored. The table is
// loaded several times, so that it is larger than any cache, and queried as one.
//
//   table_gpu_rate TABLE COPIES QUERY...     QUERY: "WHERE | GROUP BY | AGGREGATES", or a statement
//                                            of SQL, in which TABLE is joined to other files
//
// Build sides of joins are made once, before the clock starts; TABLE must be what is read in order.
// Each query runs once over one copy, and its answer is compared with the CPU's; then over all
// copies, where each count and sum must be so many times that of one; then it is timed: median of
// 15 runs, from clearing the groups until they are there. Prints a line of CSV for each: query,
// rows, bytes read (of the blocks of the columns named), milliseconds, G rows/s, GB/s.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "decompress/gpu/runtime/cuda_device.h"
#include "presso/ordered_pipeline.h"
#include "presso/sql.h"
#include "presso/stopwatch.h"
#include "scan/gpu/table/build_sides.h"
#include "scan/gpu/table/query_on_gpu.h"
#include "scan/query/table_facts.h"
#include "tests/unit/scan/query/text_sink.h"

namespace presso {
namespace {

constexpr int kRuns = 15;

/// Several loaded copies as one table.
class Copies {
 public:
  Status load(const gpu::RunSpace& space, const std::vector<Table>& tables,
              const gpu::PipelineBuilder& builder, unsigned copies) {
    const std::vector<std::size_t>& columns = builder.columns();
    gpu::Device& device = space.device();
    const gpu::Stream stream = space.stream;
    std::vector<std::vector<gpu::TableBlock>> blocks;
    std::vector<gpu::TableSlice> slices;
    for (unsigned i = 0; i < copies; ++i) {
      gpu::TableLoader loader(space, tables, columns, counters_, default_thread_count(),
                              builder.string_columns());
      PRESSO_ASSIGN(auto table, loader.next(~std::uint64_t{0} / 2,
                                            [](const GroupReader&, std::uint32_t,
                                               std::uint32_t) -> Result<bool> { return true; }));
      if (!table) return make_error(ErrorCode::kInvalidArgument, "the table is empty");
      const std::size_t count = table->slices().size();
      std::vector<gpu::TableSlice> of_copy(count);
      blocks.emplace_back(count * columns.size());
      PRESSO_TRY(device.copy_out(reinterpret_cast<Byte*>(of_copy.data()),
                                 reinterpret_cast<const Byte*>(table->blocks().slices),
                                 count * sizeof of_copy[0], stream));
      PRESSO_TRY(device.copy_out(reinterpret_cast<Byte*>(blocks.back().data()),
                                 reinterpret_cast<const Byte*>(table->blocks().blocks),
                                 blocks.back().size() * sizeof(gpu::TableBlock), stream));
      PRESSO_TRY(device.wait(stream));
      slices.insert(slices.end(), of_copy.begin(), of_copy.end());
      tables_.push_back(std::move(*table));
    }
    std::vector<gpu::TableBlock> all;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      for (const auto& of_copy : blocks) {
        const auto begin =
            of_copy.begin() + static_cast<std::ptrdiff_t>(column * of_copy.size() / columns.size());
        all.insert(all.end(), begin,
                   begin + static_cast<std::ptrdiff_t>(of_copy.size() / columns.size()));
      }
    }
    const std::size_t slice_bytes = (slices.size() * sizeof slices[0] + 255) / 256 * 256;
    PRESSO_ASSIGN(memory_, space.memory.allocate(slice_bytes + all.size() * sizeof all[0]));
    PRESSO_TRY(device.copy_in(memory_.get(), reinterpret_cast<const Byte*>(slices.data()),
                              slices.size() * sizeof slices[0], stream));
    PRESSO_TRY(device.copy_in(memory_.get() + slice_bytes,
                              reinterpret_cast<const Byte*>(all.data()), all.size() * sizeof all[0],
                              stream));
    PRESSO_TRY(device.wait(stream));
    blocks_ = {reinterpret_cast<const gpu::TableSlice*>(memory_.get()),
               reinterpret_cast<const gpu::TableBlock*>(memory_.get() + slice_bytes),
               static_cast<std::uint32_t>(slices.size())};
    return {};
  }

  const gpu::DeviceTable& first() const { return tables_[0]; }
  std::vector<const gpu::DeviceTable*> all() const {
    std::vector<const gpu::DeviceTable*> tables;
    for (const gpu::DeviceTable& table : tables_) tables.push_back(&table);
    return tables;
  }
  const gpu::TableBlocks& blocks() const { return blocks_; }
  std::uint64_t bytes_read() const { return counters_.bytes; }
  std::uint64_t rows() const { return tables_[0].rows() * tables_.size(); }

 private:
  ReadCounters counters_;
  std::vector<gpu::DeviceTable> tables_;
  gpu::DeviceMemory memory_;
  gpu::TableBlocks blocks_;
};

/// Times a query where others would answer it.
class RateDevice final : public QueryDevice {
 public:
  RateDevice(gpu::Device& device, gpu::TableKernels& kernels, gpu::StringKernels& strings,
             unsigned copies)
      : memory_(device, {}), kernels_(kernels), strings_(strings), copies_(copies) {}

  std::string name() const override { return "rate"; }

  Result<query::RowStore> groups(query::Execution& execution,
                                 const query::GroupInput& input) override {
    PRESSO_ASSIGN(const gpu::OwnedStream stream, gpu::make_stream(memory_.device()));
    gpu::PinnedPieces pinned(memory_);
    const gpu::RunSpace space{memory_, kernels_, strings_, pinned, stream.get()};
    PRESSO_ASSIGN(const auto made, gpu::make_group_pipeline(space, execution, input,
                                                            execution.summary.rows_in * copies_));
    const gpu::PipelineBuilder& builder = made->builder;
    gpu::Pipeline& pipeline = made->pipeline;
    Copies copies;
    PRESSO_TRY(copies.load(space, execution.tables, builder, copies_));
    PRESSO_ASSIGN(gpu::LeafTables leaves,
                  builder.leaf_tables(copies.first(), query::physical_of(execution.scan.columns)));
    repeat_ranges(leaves, copies.first().slices().size());
    const gpu::CodeTables code_tables = builder.code_tables(copies.first());
    PRESSO_ASSIGN(const gpu::TableConditions conditions, builder.conditions_over(copies.first()));
    gpu::StringRows strings(memory_, strings_, stream.get());
    PRESSO_TRY(strings.prepare(copies.all(), conditions.strings));
    std::vector<double> seconds;
    for (int i = 0; i < kRuns + 2; ++i) {
      gpu::PipelineRun run(space);
      PRESSO_TRY(run.begin(pipeline));
      run.set_conditions(conditions.steps, strings);
      PRESSO_TRY(run.prepare(copies.first(), copies.blocks(), leaves, code_tables));
      PRESSO_TRY(memory_.device().wait(stream.get()));
      const Stopwatch time;
      PRESSO_TRY(strings.enqueue());
      PRESSO_TRY(run.enqueue());
      PRESSO_TRY(memory_.device().wait(stream.get()));
      PRESSO_ASSIGN(const bool is_full, run.is_full());
      if (is_full && builder.enlarge_table(pipeline)) {
        i = -1;
        continue;
      }
      if (is_full) return make_error(ErrorCode::kDeviceMemory, "its groups find no place");
      if (i >= 2) seconds.push_back(time.seconds());
      PRESSO_ASSIGN(matched, run.matched());
      if (pipeline.place == gpu::GroupPlace::kNone) continue;
      PRESSO_ASSIGN(const gpu::GroupRecords groups, run.groups());
    }
    PRESSO_TRY(strings.check());
    std::sort(seconds.begin(), seconds.end());
    median = seconds[seconds.size() / 2];
    rows_read = copies.rows();
    bytes = copies.bytes_read();
    return make_error(ErrorCode::kUnsupported, "it was timed");
  }

  Result<std::shared_ptr<const query::MatchedRows>> rows(query::Execution&) override {
    return make_error(ErrorCode::kUnsupported, "groups are timed");
  }

  std::uint64_t matched = 0;
  double median = 0;
  std::uint64_t rows_read = 0;
  std::uint64_t bytes = 0;

 private:
  void repeat_ranges(gpu::LeafTables& leaves, std::size_t slices) const {
    std::vector<gpu::LeafRange> ranges;
    for (std::size_t leaf = 0; leaf < leaves.ranges.size() / slices; ++leaf) {
      for (unsigned i = 0; i < copies_; ++i) {
        const auto begin = leaves.ranges.begin() + static_cast<std::ptrdiff_t>(leaf * slices);
        ranges.insert(ranges.end(), begin, begin + static_cast<std::ptrdiff_t>(slices));
      }
    }
    leaves.ranges = std::move(ranges);
  }

  gpu::Memory memory_;
  gpu::TableKernels& kernels_;
  gpu::StringKernels& strings_;
  unsigned copies_;
};

std::vector<std::string> parts_of(const std::string& query) {
  std::vector<std::string> parts(1);
  for (const char letter : query) {
    if (letter == '|') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  parts.resize(3);
  return parts;
}

/// Tables in files that stay open.
class OpenTables {
 public:
  Result<Table> open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (fd < 0 || fstat(fd, &about) != 0) {
      return make_error(ErrorCode::kIo, path + " cannot be read");
    }
    files_.push_back(
        std::make_unique<FdRandomAccess>(fd, static_cast<std::uint64_t>(about.st_size)));
    return Table::open(*files_.back());
  }

 private:
  std::vector<std::unique_ptr<FdRandomAccess>> files_;
};

Result<Query> query_of(OpenTables& files, const Table& table, const std::string& text) {
  if (text.rfind("select ", 0) == 0) {
    PRESSO_ASSIGN(const SqlQuery statement, parse_sql(text));
    std::vector<Table> tables;
    PRESSO_ASSIGN(Table first, files.open(statement.from.path));
    tables.push_back(std::move(first));
    for (const SqlJoin& join : statement.joins) {
      PRESSO_ASSIGN(Table other, files.open(join.source.path));
      tables.push_back(std::move(other));
    }
    return Query::from(statement, text, std::move(tables));
  }
  const std::vector<std::string> parts = parts_of(text);
  Query query = Query::from(table);
  if (parts[0].find_first_not_of(' ') != std::string::npos) query.where(parts[0]);
  if (parts[1].find_first_not_of(' ') != std::string::npos) query.group_by(parts[1]);
  query.aggregate(parts[2]);
  return query;
}

Result<std::string> answer(const Query& query, std::shared_ptr<QueryDevice> device,
                           QuerySummary* summary) {
  QueryOptions options;
  options.device = std::move(device);
  TextSink sink;
  PRESSO_ASSIGN(const QuerySummary done, query.run(options, sink));
  if (summary != nullptr) *summary = done;
  return sink.text;
}

Status measure(OpenTables& files, const Table& table, unsigned copies, const std::string& text) {
  PRESSO_ASSIGN(const Query query, query_of(files, table, text));
  QuerySummary of_cpu, of_gpu;
  PRESSO_ASSIGN(const std::string expected, answer(query, nullptr, &of_cpu));
  PRESSO_ASSIGN(auto device, gpu::open_cuda_device(0));
  const auto kernels = gpu::cuda_table_kernels(0);
  const auto strings = gpu::cuda_string_kernels(0);
  const auto whole = std::make_shared<gpu::QueryOnGpu>(std::move(device), kernels, strings,
                                                       gpu::MemoryLimits{}, "GPU");
  PRESSO_ASSIGN(const std::string found, answer(query, whole, &of_gpu));
  if (!of_gpu.why_cpu.empty()) return make_error(ErrorCode::kUnsupported, of_gpu.why_cpu);
  if (found != expected) {
    return make_error(ErrorCode::kDeviceLost, "the GPU answers " + found.substr(0, 500) +
                                                  ", the CPU " + expected.substr(0, 500));
  }
  PRESSO_ASSIGN(auto timed, gpu::open_cuda_device(0));
  const auto rate = std::make_shared<RateDevice>(*timed, *kernels, *strings, copies);
  PRESSO_TRY(answer(query, rate, nullptr));
  if (rate->rows_read == 0) return make_error(ErrorCode::kDeviceLost, "it was not timed");
  if (rate->matched != of_cpu.rows_matched * copies) {
    return make_error(ErrorCode::kDeviceLost, "copies match " + std::to_string(rate->matched) +
                                                  " rows, one " +
                                                  std::to_string(of_cpu.rows_matched));
  }
  const double gigabytes = static_cast<double>(rate->bytes) / 1e9;
  std::cout << '"' << text << "\"," << rate->rows_read << ',' << rate->bytes << ','
            << rate->median * 1e3 << ','
            << static_cast<double>(rate->rows_read) / rate->median / 1e9 << ','
            << gigabytes / rate->median << std::endl;
  return {};
}

int run(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "table_gpu_rate TABLE COPIES QUERY...\n";
    return 2;
  }
  OpenTables files;
  const auto table = files.open(arguments[1]);
  if (!table.ok()) {
    std::cerr << table.error().message() << '\n';
    return 1;
  }
  std::cout << "query,rows,bytes,ms,G rows/s,GB/s\n";
  int status = 0;
  for (int i = 3; i < count; ++i) {
    const Status done =
        measure(files, *table, static_cast<unsigned>(std::atoi(arguments[2])), arguments[i]);
    if (done.ok()) continue;
    std::cerr << arguments[i] << ": " << done.error().message() << '\n';
    status = 1;
  }
  return status;
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::run(count, arguments);
}
