// SPDX-License-Identifier: MIT
// Times a query where others would answer it: over several copies of the table in device memory,
// in one of several layouts. What the copies give is compared with what one gives that is as
// stored. Tests: tests/simt/plain_columns_test.cpp.
#pragma once

#include <vector>

#include "lab/programs/table_gpu/table_copies.h"
#include "query/gpu/table/build_sides.h"
#include "query/gpu/table/kernel_costs.h"
#include "query/run/query_device.h"

namespace presso {

struct RateOptions {
  unsigned copies = 1;
  ColumnLayout layout = ColumnLayout::kStored;
  int runs = 15;
  bool times_kernels = false;               ///< each by itself, as stored
  gpu::KernelCompiler* compiler = nullptr;  ///< of the query's code
};

class RateDevice final : public QueryDevice {
 public:
  /// All are kept by reference.
  RateDevice(gpu::Device& device, gpu::TableKernels& kernels, gpu::StringKernels& strings,
             RateOptions options)
      : memory_(device, {}), kernels_(kernels), strings_(strings), options_(options) {}

  std::string name() const override { return "rate"; }
  /// Always an error, so that the CPU answers; kUnsupported, "it was timed", where all went well.
  Result<query::RowStore> groups(query::Execution& execution,
                                 const query::GroupInput& input) override;
  Result<std::shared_ptr<const query::MatchedRows>> rows(query::Execution&) override {
    return make_error(ErrorCode::kUnsupported, "groups are timed");
  }
  Result<std::vector<query::RowStore>> joined_rows(query::Execution&,
                                                   const std::vector<std::size_t>&) override {
    return make_error(ErrorCode::kUnsupported, "groups are timed");
  }

  // Once it was timed, else zeros.
  std::uint64_t matched() const { return found_.matched; }
  std::uint64_t rows_read() const { return rows_read_; }
  std::uint64_t bytes() const { return bytes_; }
  double median_seconds() const { return median_; }
  /// Of one run, with medians of the times; empty: RateOptions::times_kernels is not set.
  const gpu::KernelCosts& kernels() const { return costs_; }
  /// Why it was not timed.
  const std::string& why_not() const { return why_not_; }

 private:
  struct Found {
    std::uint64_t matched = 0;
    gpu::GroupRecords groups;
  };
  /// What a kernel needs beside the pipeline and the table, and what kernels before it do.
  struct Prepared;

  Status measure(query::Execution& execution, const query::GroupInput& input);
  Status prepare(const gpu::RunSpace& space, const query::Execution& execution,
                 const gpu::PipelineBuilder& builder, const TableCopies& tables, unsigned copies,
                 Prepared& made);
  Status prepare_before(const gpu::RunSpace& space, const query::Execution& execution,
                        const gpu::PipelineBuilder& builder, const TableCopies& tables,
                        unsigned copies, Prepared& made);
  Status enqueue_before(Prepared& prepared, const TableCopies& tables, unsigned copies,
                        gpu::KernelMeter& meter);
  void take_times(const std::vector<gpu::KernelCosts>& of_runs);
  bool find_room(const gpu::RunSpace& space, gpu::QueryPipeline& made) const;
  Result<double> run(const gpu::RunSpace& space, gpu::QueryPipeline& made,
                     const TableCopies& tables, unsigned copies, Prepared& prepared, Found* found,
                     gpu::KernelCosts* costs);
  static Status list(const gpu::RunSpace& space, const gpu::Pipeline& pipeline,
                     const gpu::DeviceMemory& memory);
  Status compare(const gpu::Pipeline& pipeline, const Found& one) const;

  static constexpr std::uint64_t kMostListBytes = std::uint64_t{1} << 30;

  gpu::Memory memory_;
  gpu::TableKernels& kernels_;
  gpu::StringKernels& strings_;
  RateOptions options_;
  Found found_;
  double median_ = 0;
  gpu::KernelCosts costs_;
  std::uint64_t most_rows_ = 0;
  std::uint64_t rows_read_ = 0;
  std::uint64_t bytes_ = 0;
  std::string why_not_;
};

}  // namespace presso
