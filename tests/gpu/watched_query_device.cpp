// SPDX-License-Identifier: MIT
// The devices of tests/simt/emulated_query_device.h over a real GPU, so that the tests of queries
// in the emulator also ask what the hardware answers: counts what happens, fails where it is told
// to, and poisons memory that is allocated. Only the host's side of tests may touch its memory.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "decompress/gpu/runtime/cuda_device.h"
#include "presso/stopwatch.h"
#include "query/gpu/code/cuda_compiler.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_compiler.h"
#include "tests/simt/emulated_query_device.h"

namespace presso::test {
namespace {

using gpu::Event;
using gpu::Pipeline;
using gpu::Stream;

constexpr int kPoison = 0xA7;

/// Has no clock, as the emulator has none.
class WatchedDevice final : public gpu::Device {
 public:
  WatchedDevice(std::unique_ptr<gpu::Device> real, std::shared_ptr<EmulatedFaults> faults)
      : real_(std::move(real)), faults_(std::move(faults)) {}

  Result<Byte*> allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    PRESSO_TRY(faults_->next_allocation(bytes));
    PRESSO_ASSIGN(Byte* const memory, real_->allocate(bytes));
    PRESSO_ASSIGN(const gpu::OwnedStream stream, gpu::make_stream(*real_));
    if (cudaMemsetAsync(memory, kPoison, bytes, stream.get()) != cudaSuccess) {
      return make_error(ErrorCode::kDeviceLost);
    }
    PRESSO_TRY(real_->wait(stream.get()));
    return counted(memory, bytes);
  }
  void release(Byte* memory) override {
    drop(memory);
    real_->release(memory);
  }
  Result<Byte*> allocate_pinned(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    PRESSO_TRY(faults_->next_pinned_allocation(bytes));
    PRESSO_ASSIGN(Byte* const memory, real_->allocate_pinned(bytes));
    return counted(memory, bytes);
  }
  void release_pinned(Byte* memory) override {
    {
      const std::lock_guard lock(mutex_);
      faults_->pinned_bytes -= sizes_[memory];
    }
    drop(memory);
    real_->release_pinned(memory);
  }
  bool is_pinned(const Byte* memory, std::size_t bytes) override {
    return real_->is_pinned(memory, bytes);
  }

  Result<Stream> create_stream() override { return handle(real_->create_stream()); }
  void destroy_stream(Stream stream) override {
    drop_handle();
    real_->destroy_stream(stream);
  }
  Result<Event> create_event() override { return handle(real_->create_event()); }
  void destroy_event(Event event) override {
    drop_handle();
    real_->destroy_event(event);
  }
  Status copy_in(Byte* to, const Byte* from, std::size_t bytes, Stream stream) override {
    PRESSO_TRY(still_there());
    return real_->copy_in(to, from, bytes, stream);
  }
  Status copy_out(Byte* to, const Byte* from, std::size_t bytes, Stream stream) override {
    PRESSO_TRY(still_there());
    return real_->copy_out(to, from, bytes, stream);
  }
  Status copy_within(Byte* to, const Byte* from, std::size_t bytes, Stream stream) override {
    PRESSO_TRY(still_there());
    return real_->copy_within(to, from, bytes, stream);
  }
  Status record(Event event, Stream stream) override { return real_->record(event, stream); }
  Status stream_wait(Stream stream, Event event) override {
    return real_->stream_wait(stream, event);
  }
  Status wait(Event event) override { return real_->wait(event); }
  Status wait(Stream stream) override { return real_->wait(stream); }
  void begin_step(const char* name) override {
    const std::lock_guard lock(mutex_);
    ++faults_->open_steps;
    faults_->steps.emplace_back(name);
  }
  void end_step() override {
    const std::lock_guard lock(mutex_);
    --faults_->open_steps;
  }

 private:
  template <class Handle>
  Result<Handle> handle(Result<Handle> made) {
    const std::lock_guard lock(mutex_);
    if (made.ok()) ++faults_->live_handles;
    return made;
  }
  void drop_handle() {
    const std::lock_guard lock(mutex_);
    --faults_->live_handles;
  }
  Byte* counted(Byte* memory, std::size_t bytes) {
    faults_->live_bytes += bytes;
    sizes_[memory] = bytes;
    return memory;
  }
  void drop(Byte* memory) {
    const std::lock_guard lock(mutex_);
    faults_->live_bytes -= sizes_[memory];
    sizes_.erase(memory);
  }
  Status still_there() const {
    if (faults_->launched > faults_->launch) return make_error(ErrorCode::kDeviceLost);
    return {};
  }

  std::unique_ptr<gpu::Device> real_;
  std::shared_ptr<EmulatedFaults> faults_;
  std::mutex mutex_;
  std::map<Byte*, std::size_t> sizes_;
};

/// Counts launches, and refuses them from the one on that the test names.
class Launches {
 public:
  explicit Launches(std::shared_ptr<EmulatedFaults> faults) : faults_(std::move(faults)) {}

  Status next() {
    const std::lock_guard lock(faults_->launching);
    ++faults_->launched;
    if (faults_->launches++ >= faults_->launch) return make_error(ErrorCode::kDeviceLost);
    return {};
  }
  EmulatedFaults& faults() { return *faults_; }

 private:
  std::shared_ptr<EmulatedFaults> faults_;
};

class WatchedTableKernels final : public gpu::TableKernels {
 public:
  WatchedTableKernels(std::shared_ptr<gpu::TableKernels> real, Launches launches)
      : real_(std::move(real)), launches_(std::move(launches)) {}

  Status check(const gpu::IntegerBatch& batch, const std::uint32_t* entries,
               Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->check(batch, entries, stream);
  }
  Status clear_cells(const Pipeline& pipeline, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->clear_cells(pipeline, stream);
  }
  Status list_groups(const Pipeline& pipeline, const gpu::GroupList& list, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->list_groups(pipeline, list, stream);
  }
  gpu::GroupPartLimits group_part_limits() override { return launches_.faults().group_parts; }
  Status sum_group_parts(const gpu::PartedRows& parts, Stream stream) override {
    ++launches_.faults().parted;
    PRESSO_TRY(launches_.next());
    return real_->sum_group_parts(parts, stream);
  }
  Status merge_groups(const gpu::GroupMerge& merge, Stream stream) override {
    ++launches_.faults().merged;
    PRESSO_TRY(launches_.next());
    return real_->merge_groups(merge, stream);
  }
  Status decode_others(const gpu::QueryArguments& arguments, std::uint32_t vectors,
                       Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->decode_others(arguments, vectors, stream);
  }
  Status find_vectors(const gpu::VectorFinding& finding, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->find_vectors(finding, stream);
  }
  Status measure_vectors(const gpu::VectorPacking& packing, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->measure_vectors(packing, stream);
  }
  Status pack_vectors(const gpu::VectorPacking& packing, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->pack_vectors(packing, stream);
  }
  Status clear(Byte* memory, std::size_t bytes, Stream stream) override {
    return real_->clear(memory, bytes, stream);
  }
  Result<std::uint32_t> most_shared_bytes() override { return std::uint32_t{96 << 10}; }
  /// Small, as in the emulator, so that tables of groups have to grow.
  Result<std::uint64_t> cache_bytes() override { return std::uint64_t{8 << 10}; }
  Status build_lookup(const gpu::Lookup& to, const gpu::JoinRows& build, gpu::JoinTotals* totals,
                      Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->build_lookup(to, build, totals, stream);
  }
  Status build_ascending(const gpu::Lookup& to, const gpu::AscendingBuild& build,
                         Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->build_ascending(to, build, stream);
  }
  Status count_rows_of_keys(const gpu::Lookup& in, const gpu::JoinRows& build,
                            std::uint32_t* counts, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->count_rows_of_keys(in, build, counts, stream);
  }

 private:
  std::shared_ptr<gpu::TableKernels> real_;
  Launches launches_;
};

class WatchedStringKernels final : public gpu::StringKernels {
 public:
  WatchedStringKernels(std::shared_ptr<gpu::StringKernels> real, Launches launches)
      : real_(std::move(real)), launches_(std::move(launches)) {}

  Status decode_counts(const gpu::IntegerBatch& batch, bool verify, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->decode_counts(batch, verify, stream);
  }
  Status decode_lengths(const gpu::IntegerBatch& batch, bool verify, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->decode_lengths(batch, verify, stream);
  }
  Status decode_text(const gpu::BatchArguments& batch, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->decode_text(batch, stream);
  }
  std::uint64_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes) override {
    return real_->temporary_bytes(blocks, plain_bytes);
  }
  Status find(const gpu::StringBatch& batch, const gpu::StringOptions& options,
              Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->find(batch, options, stream);
  }
  Status test_text(const gpu::NumberBatch& rows, std::span<const gpu::TextTest> tests,
                   Stream stream) override {
    launches_.faults().text_tests += tests.size();
    PRESSO_TRY(launches_.next());
    return real_->test_text(rows, tests, stream);
  }
  Status place_bits(const gpu::RowBits& bits, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->place_bits(bits, stream);
  }
  Status take_bits(const gpu::RowBits& bits, Stream stream) override {
    ++launches_.faults().bits_taken;
    PRESSO_TRY(launches_.next());
    return real_->take_bits(bits, stream);
  }
  Status test_left(const gpu::LeftRows& rows, Stream stream) override {
    ++launches_.faults().left_tests;
    PRESSO_TRY(launches_.next());
    return real_->test_left(rows, stream);
  }
  Status place_steps(const gpu::StepBatch& batch, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->place_steps(batch, stream);
  }
  Status number_rows(const gpu::NumberBatch& batch, bool verify, Stream stream) override {
    if (batch.strings.count != 0) ++launches_.faults().numbered;
    PRESSO_TRY(launches_.next());
    return real_->number_rows(masked(batch), verify, stream);
  }
  Status number_entries(const gpu::EntryBatch& batch, Stream stream) override {
    if (batch.count != 0) ++launches_.faults().numbered;
    PRESSO_TRY(launches_.next());
    return real_->number_entries(masked(batch), stream);
  }
  Status number_slices(const gpu::SliceBatch& batch, Stream stream) override {
    PRESSO_TRY(launches_.next());
    return real_->number_slices(batch, stream);
  }
  Status list_strings(const gpu::StringList& list, Stream stream) override {
    if (list.count != 0) ++launches_.faults().listed;
    PRESSO_TRY(launches_.next());
    return real_->list_strings(list, stream);
  }

 private:
  template <class Batch>
  Batch masked(Batch batch) {
    batch.index.hash_bits = launches_.faults().hash_bits;
    return batch;
  }

  std::shared_ptr<gpu::StringKernels> real_;
  Launches launches_;
};

/// Adds a line with what compiling a source took, in milliseconds, to the file that the environment
/// variable PRESSO_COMPILE_TIMES names. Sources that were in memory take no time and are left out.
void note_compile_time(double seconds) {
  const char* const path = std::getenv("PRESSO_COMPILE_TIMES");
  if (path == nullptr || seconds < 1e-4) return;
  std::ofstream(path, std::ios::app) << 1e3 * seconds << "\n";
}

/// Fails where it is told to, and counts as the emulator's does.
class WatchedCompiler final : public gpu::KernelCompiler {
 public:
  WatchedCompiler(std::shared_ptr<gpu::KernelCompiler> real, std::shared_ptr<EmulatedFaults> faults)
      : real_(std::move(real)), faults_(std::move(faults)) {}

  Result<std::shared_ptr<gpu::CompiledKernels>> compile(const std::string& source) override {
    if (faults_->compilations++ >= faults_->compilation) {
      return make_error(ErrorCode::kNoDevice, "no kernels are compiled, as the test wants it");
    }
    known_.insert(source);
    faults_->sources = known_.size();
    const Stopwatch watch;
    auto compiled = real_->compile(source);
    note_compile_time(watch.seconds());
    return compiled;
  }

 private:
  std::shared_ptr<gpu::KernelCompiler> real_;
  std::shared_ptr<EmulatedFaults> faults_;
  std::set<std::string> known_;  ///< the sources that were asked for
};

std::unique_ptr<gpu::Device> open_real_device() {
  auto real = gpu::open_cuda_device(0);
  return real.ok() ? std::move(*real) : nullptr;
}

}  // namespace

std::unique_ptr<gpu::Device> make_host_device(std::shared_ptr<EmulatedFaults> faults) {
  return std::make_unique<WatchedDevice>(open_real_device(), std::move(faults));
}

std::shared_ptr<gpu::TableKernels> make_emulated_table_kernels(
    std::shared_ptr<EmulatedFaults> faults, std::uint32_t) {
  return std::make_shared<WatchedTableKernels>(gpu::cuda_table_kernels(0),
                                               Launches(std::move(faults)));
}

std::shared_ptr<gpu::StringKernels> make_emulated_string_kernels(
    std::shared_ptr<EmulatedFaults> faults, std::uint32_t) {
  return std::make_shared<WatchedStringKernels>(gpu::cuda_string_kernels(0),
                                                Launches(std::move(faults)));
}

std::shared_ptr<gpu::KernelCompiler> make_emulated_compiler(std::shared_ptr<EmulatedFaults> faults,
                                                            std::uint32_t, std::string) {
  return std::make_shared<WatchedCompiler>(gpu::cuda_kernel_compiler(0), std::move(faults));
}

}  // namespace presso::test
