// SPDX-License-Identifier: MIT
// Runs queries on a GPU (query/run/query_device.h). Row groups come to the device in their stored
// form, as many at a time as fit; pipelines run over them, and groups or rows are copied back.
// Tables that are joined come first: pipelines of their own write their rows, of which lookups are
// made. Tables may also stay in the device's memory (resident_table.h). Tested by
// tests/queries/one_table.txt.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "decompress/gpu/runtime/memory.h"
#include "query/gpu/code/kernel_compiler.h"
#include "query/gpu/kernels/string_kernels.h"
#include "query/gpu/kernels/table_kernels.h"
#include "query/gpu/table/resident_table.h"
#include "query/run/query_device.h"

namespace presso::gpu {

struct AggregateChoice;
struct FoundGroups;
class PipelineRun;
struct QueryPipeline;

class QueryOnGpu final : public QueryDevice {
 public:
  /// `kept`: of memory, from a query to the next one (Memory). `compiler`: of kernels for a query;
  /// nullptr: there is none, and tables may be loaded but not queried.
  QueryOnGpu(std::unique_ptr<Device> device, std::shared_ptr<TableKernels> kernels,
             std::shared_ptr<StringKernels> strings, const MemoryLimits& limits,
             const MemoryLimits& kept, std::string name, int number = 0,
             std::shared_ptr<KernelCompiler> compiler = nullptr)
      : device_(std::move(device)),
        kernels_(std::move(kernels)),
        strings_(std::move(strings)),
        memory_(*device_, limits, kept),
        name_(std::move(name)),
        number_(number),
        compiler_(std::move(compiler)) {}

  std::string name() const override { return name_; }
  Result<query::RowStore> groups(query::Execution& execution,
                                 const query::GroupInput& input) override;
  Result<std::shared_ptr<const query::MatchedRows>> rows(query::Execution& execution) override;
  std::shared_ptr<const GroupReader> kept_group(const Table& table,
                                                std::uint64_t group) const override {
    return residents_.group(table, group);
  }
  bool has_in_memory(const std::vector<Table>& tables,
                     const std::vector<std::size_t>& columns) const override {
    return residents_.have_values(tables, columns);
  }
  Result<std::vector<query::RowStore>> joined_rows(
      query::Execution& execution, const std::vector<std::size_t>& columns) override;

  Memory& memory() { return memory_; }
  /// For tests, which have few rows.
  void set_sum_limits(const SumLimits& limits) { sums_ = limits; }
  void set_host_rates(const HostRates& rates) { rates_ = rates; }
  /// The times of all queries since they were last taken. Must not be called while a query runs.
  LoadTimes take_load_times() { return std::exchange(load_times_, {}); }
  /// As list_devices() counts.
  int number() const { return number_; }
  /// Loads tables for presso/device_table.h: queries find them as long as somebody has what this
  /// gives, which must go before this object. `columns`: of the tables; empty: all that can be
  /// there. Errors: those of ResidentTable::load(); kUnsupported: a column cannot be there.
  Result<std::shared_ptr<const ResidentTable>> load(std::vector<Table> tables,
                                                    std::vector<std::size_t> columns,
                                                    unsigned threads);

 private:
  RunSpace space(PinnedPieces& pinned, TaskQueue& queue, Stream stream,
                 QueryCosts* costs = nullptr) {
    return {memory_,      *kernels_, *strings_, pinned, stream, &residents_,
            &load_times_, &queue,    sums_,     rates_, costs,  compiler_.get()};
  }
  Result<query::RowStore> groups(const RunSpace& space, query::Execution& execution,
                                 const query::GroupInput& input, const AggregateChoice& choice);
  Result<FoundGroups> find_groups(const RunSpace& space, const QueryPipeline& groups,
                                  std::uint64_t matched, PipelineRun& run);
  Result<query::RowStore> answer(const RunSpace& space, query::Execution& execution,
                                 const query::GroupInput& input, const QueryPipeline& groups,
                                 FoundGroups& found);

  std::unique_ptr<Device> device_;
  std::shared_ptr<TableKernels> kernels_;
  std::shared_ptr<StringKernels> strings_;
  Memory memory_;
  ResidentTables residents_;
  KeptQueue queue_;
  LoadTimes load_times_;
  SumLimits sums_;
  HostRates rates_;
  std::string name_;
  int number_;
  std::shared_ptr<KernelCompiler> compiler_;
};

}  // namespace presso::gpu
