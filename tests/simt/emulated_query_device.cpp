// SPDX-License-Identifier: MIT
#include "tests/simt/emulated_query_device.h"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "query/gpu/join/lookup_steps.h"
#include "query/gpu/kernels/group_cells.cuh"
#include "query/gpu/kernels/group_merge.cuh"
#include "query/gpu/kernels/group_part_steps.h"
#include "query/gpu/kernels/row_bits.cuh"
#include "query/gpu/kernels/string_kernels.h"
#include "query/gpu/kernels/table_check.cuh"
#include "query/gpu/kernels/usual_vectors.cuh"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_joins.h"
#include "tests/simt/emulated_numbers.h"
#include "tests/simt/emulated_strings.h"
#include "tests/simt/faulty_launches.h"
#include "tests/support/cpu_batch.h"

namespace presso::test {
namespace {

using gpu::Event;
using gpu::Pipeline;
using gpu::Stream;
using simt::kWarpSize;

constexpr Byte kPoison = 0xA7;

/// Work is done when it is enqueued, so there is nothing to wait for. Several threads may give back
/// what they have, and copy.
class HostDevice final : public gpu::Device {
 public:
  explicit HostDevice(std::shared_ptr<EmulatedFaults> faults) : faults_(std::move(faults)) {}

  Result<Byte*> allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    PRESSO_TRY(faults_->next_allocation(bytes));
    return make(bytes);
  }
  void release(Byte* memory) override {
    const std::lock_guard lock(mutex_);
    drop(memory);
  }
  Result<Byte*> allocate_pinned(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    PRESSO_TRY(faults_->next_pinned_allocation(bytes));
    return make(bytes);
  }
  void release_pinned(Byte* memory) override {
    const std::lock_guard lock(mutex_);
    faults_->pinned_bytes -= sizes_[memory];
    drop(memory);
  }
  bool is_pinned(const Byte*, std::size_t) override { return true; }

  Result<Stream> create_stream() override { return handle<Stream>(); }
  void destroy_stream(Stream) override { drop_handle(); }
  Result<Event> create_event() override { return handle<Event>(); }
  void destroy_event(Event) override { drop_handle(); }

  Status copy_in(Byte* to, const Byte* from, std::size_t bytes, Stream) override {
    return copy(to, from, bytes);
  }
  Status copy_out(Byte* to, const Byte* from, std::size_t bytes, Stream) override {
    return copy(to, from, bytes);
  }
  Status copy_within(Byte* to, const Byte* from, std::size_t bytes, Stream) override {
    return copy(to, from, bytes);
  }
  Status record(Event, Stream) override { return {}; }
  Status stream_wait(Stream, Event) override { return {}; }
  Status wait(Event) override { return {}; }
  Status wait(Stream) override { return {}; }
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
  Handle handle() {
    const std::lock_guard lock(mutex_);
    ++faults_->live_handles;
    return reinterpret_cast<Handle>(++next_handle_);
  }
  void drop_handle() {
    const std::lock_guard lock(mutex_);
    --faults_->live_handles;
  }
  Byte* make(std::size_t bytes) {
    auto* const memory = static_cast<Byte*>(::operator new (bytes, std::align_val_t{256}));
    std::memset(memory, kPoison, bytes);
    faults_->live_bytes += bytes;
    sizes_[memory] = bytes;
    return memory;
  }
  void drop(Byte* memory) {
    faults_->live_bytes -= sizes_[memory];
    std::memset(memory, kPoison, sizes_[memory]);  // who still reads it finds nothing of use
    sizes_.erase(memory);
    ::operator delete (memory, std::align_val_t{256});
  }
  Status copy(Byte* to, const Byte* from, std::size_t bytes) {
    if (faults_->launched > faults_->launch) return make_error(ErrorCode::kDeviceLost);
    if (bytes != 0) std::memcpy(to, from, bytes);
    return {};
  }

  std::shared_ptr<EmulatedFaults> faults_;
  std::mutex mutex_;
  std::map<Byte*, std::size_t> sizes_;
  std::uintptr_t next_handle_ = 0;
};

struct EmulatedPartThreads {
  static constexpr std::uint32_t kCount = 64;
  static constexpr std::uint32_t kPlace = 64;
  static constexpr std::uint32_t kMove = 64;
  static constexpr std::uint32_t kMoveItems = 4;
  static constexpr std::uint32_t kSum = 64;
};

class EmulatedTableKernels final : public gpu::TableKernels {
 public:
  EmulatedTableKernels(Launches launches, std::shared_ptr<EmulatedFaults> faults)
      : run_(std::move(launches)), faults_(std::move(faults)) {}

  Status check(const gpu::IntegerBatch& batch, const std::uint32_t* entries, Stream) override {
    std::fill_n(batch.status, batch.count, gpu::kNoFault);
    PRESSO_TRY(run_("check", batch.count, gpu::kCheckWarps, sizeof(gpu::PayloadCheckShared),
                    [&] { gpu::check_payloads_body(batch); }));
    PRESSO_TRY(run_("vectors", batch.count * gpu::kIntegerParts, gpu::kIntegerWarps,
                    sizeof(gpu::IntegerShared<simt::u32>),
                    [&] { gpu::check_vectors_body<simt::u32>(batch, entries); }));
    PRESSO_TRY(run_("wide vectors", batch.count * gpu::kIntegerParts, gpu::kIntegerWarps,
                    sizeof(gpu::IntegerShared<simt::u64>),
                    [&] { gpu::check_vectors_body<simt::u64>(batch, entries); }));
    return run_("settle", (batch.count + 63) / 64, 2, 0,
                [&] { gpu::settle_body(batch.status, batch.count); });
  }
  Status clear_cells(const Pipeline& pipeline, Stream) override {
    return run_("clear", 2, 2, 0, [&] { gpu::clear_cells_body(pipeline); });
  }
  Status list_groups(const Pipeline& pipeline, const gpu::GroupList& list, Stream) override {
    return run_("groups", 2, 2, 0, [&] { gpu::list_groups_body(pipeline, list); });
  }
  gpu::GroupPartLimits group_part_limits() override { return faults_->group_parts; }
  Status sum_group_parts(const gpu::PartedRows& parts, Stream) override {
    ++faults_->parted;
    gpu::test::EmulatedJoins<Launches&> launcher(run_);
    return gpu::enqueue_group_parts<EmulatedPartThreads>(parts, launcher);
  }
  Status merge_groups(const gpu::GroupMerge& merge, Stream) override {
    ++faults_->merged;
    gpu::test::EmulatedJoins<Launches&> launcher(run_);
    return gpu::enqueue_merge<64>(merge, launcher);
  }
  Status decode_others(const gpu::QueryArguments& arguments, std::uint32_t, Stream) override {
    return run_("decode others", 2, gpu::kDecodeWarps, gpu::kDecodeWarps * sizeof(gpu::DecodeSpace),
                [&] { gpu::decode_others_body(arguments); });
  }
  Status find_vectors(const gpu::VectorFinding& finding, Stream) override {
    return run_("find vectors", 2, 2, 0, [&] { gpu::find_vectors_body(finding); });
  }
  Status measure_vectors(const gpu::VectorPacking& packing, Stream) override {
    return run_("measure vectors", 2, gpu::kPackingWarps,
                gpu::kPackingWarps * sizeof(gpu::PackingSpace),
                [&] { gpu::measure_vectors_body(packing); });
  }
  Status pack_vectors(const gpu::VectorPacking& packing, Stream) override {
    return run_("pack vectors", 2, gpu::kPackingWarps,
                gpu::kPackingWarps * sizeof(gpu::PackingSpace),
                [&] { gpu::pack_vectors_body(packing); });
  }
  Status clear(Byte* memory, std::size_t bytes, Stream) override {
    std::memset(memory, 0, bytes);
    return {};
  }
  /// Small, so that not many groups are too many for it.
  Result<std::uint32_t> most_shared_bytes() override { return std::uint32_t{96 << 10}; }
  /// Small, so that tables of groups have to grow.
  Result<std::uint64_t> cache_bytes() override { return std::uint64_t{8 << 10}; }
  Status build_lookup(const gpu::Lookup& to, const gpu::JoinRows& build, gpu::JoinTotals* totals,
                      Stream) override {
    gpu::test::EmulatedJoins<Launches&> launcher(run_);
    return gpu::enqueue_lookup(to, build, totals, launcher);
  }
  Status build_ascending(const gpu::Lookup& to, const gpu::AscendingBuild& build, Stream) override {
    gpu::test::EmulatedJoins<Launches&> launcher(run_);
    return gpu::enqueue_ascending(to, build, launcher);
  }
  Status count_rows_of_keys(const gpu::Lookup& in, const gpu::JoinRows& build,
                            std::uint32_t* counts, Stream) override {
    gpu::test::EmulatedJoins<Launches&> launcher(run_);
    return gpu::enqueue_counts(in, build, counts, launcher);
  }

 private:
  Launches run_;
  std::shared_ptr<EmulatedFaults> faults_;
};

class EmulatedStringKernels final : public gpu::StringKernels {
 public:
  EmulatedStringKernels(Launches launches, std::shared_ptr<EmulatedFaults> faults)
      : run_(std::move(launches)), faults_(std::move(faults)) {}

  Status decode_counts(const gpu::IntegerBatch& batch, bool verify, Stream) override {
    return decode<simt::u32>(batch, verify);
  }
  Status decode_lengths(const gpu::IntegerBatch& batch, bool verify, Stream) override {
    return decode<simt::u64>(batch, verify);
  }
  /// By the CPU, as blocks of files have tests of their own.
  Status decode_text(const gpu::BatchArguments& batch, Stream) override {
    return run_("text blocks", 1, 1, 0, [&] {
      if (simt::lane() == 0) decode_spans(batch, {});
    });
  }
  std::uint64_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes) override {
    return blocks + plain_bytes;
  }
  Status find(const gpu::StringBatch& batch, const gpu::StringOptions& options, Stream) override {
    count_tested(batch);
    gpu::test::EmulatedStrings launcher(run_);
    return enqueue_strings(batch, options, launcher);
  }
  Status test_text(const gpu::NumberBatch& rows, std::span<const gpu::TextTest> tests,
                   Stream) override {
    faults_->text_tests += tests.size();
    for (const gpu::TextTest& test : tests) count_tested(test.rows);
    gpu::test::EmulatedNumbers<Launches> launcher(run_);
    return enqueue_text_tests(rows, tests, launcher);
  }
  Status place_bits(const gpu::RowBits& bits, Stream) override {
    return run_("bits", bits.count, 3, 0, [&] { gpu::place_bits_body(bits); });
  }
  Status take_bits(const gpu::RowBits& bits, Stream) override {
    ++faults_->bits_taken;
    return run_("bits back", bits.source_count, 3, 0, [&] { gpu::take_bits_body(bits); });
  }
  Status test_left(const gpu::LeftRows& rows, Stream) override {
    ++faults_->left_tests;
    const simt::u32 before = *rows.tested;
    gpu::test::EmulatedStrings launcher(run_);
    PRESSO_TRY(enqueue_left_rows(rows, launcher));
    faults_->string_rows += *rows.tested - before;
    for (simt::u32 i = 0; i < rows.batch.count; ++i) {
      faults_->all_string_rows += rows.batch.blocks[i].rows;
    }
    return {};
  }
  Status place_steps(const gpu::StepBatch& batch, Stream) override {
    return gpu::test::EmulatedStrings(run_).steps(batch);
  }
  Status number_rows(const gpu::NumberBatch& batch, bool verify, Stream) override {
    gpu::NumberBatch masked = batch;
    masked.index.hash_bits = faults_->hash_bits;
    if (batch.strings.count != 0) ++faults_->numbered;
    gpu::test::EmulatedNumbers<Launches> launcher(run_);
    return enqueue_numbers(masked, verify, launcher);
  }
  Status number_entries(const gpu::EntryBatch& batch, Stream) override {
    gpu::EntryBatch masked = batch;
    masked.index.hash_bits = faults_->hash_bits;
    if (batch.count != 0) ++faults_->numbered;
    return gpu::test::EmulatedNumbers<Launches>(run_).entries(masked);
  }
  Status number_slices(const gpu::SliceBatch& batch, Stream) override {
    return gpu::test::EmulatedNumbers<Launches>(run_).slices(batch);
  }
  Status list_strings(const gpu::StringList& list, Stream) override {
    if (list.count != 0) ++faults_->listed;
    return gpu::test::EmulatedNumbers<Launches>(run_).list(list);
  }

 private:
  /// Before they are tested.
  void count_tested(const gpu::StringBatch& batch) {
    for (simt::u32 i = 0; i < batch.count; ++i) {
      const gpu::StringBlock& block = batch.blocks[i];
      faults_->all_string_rows += block.rows;
      if (!batch.tests_left) faults_->string_rows += block.rows;
      for (simt::u32 word = 0; batch.tests_left && word < gpu::row_words(block.rows); ++word) {
        faults_->string_rows += static_cast<unsigned>(std::popcount(block.bits[word]));
      }
    }
  }
  template <class T>
  Status decode(const gpu::IntegerBatch& batch, bool verify) {
    std::fill_n(batch.status, batch.count, gpu::kNoFault);
    if (verify) {
      PRESSO_TRY(run_("check", batch.count, gpu::kCheckWarps, sizeof(gpu::PayloadCheckShared),
                      [&] { gpu::check_payloads_body(batch); }));
    }
    PRESSO_TRY(run_("integers", batch.count * gpu::kIntegerParts, gpu::kIntegerWarps,
                    sizeof(gpu::IntegerShared<T>), [&] { gpu::decode_integers_body<T>(batch); }));
    return run_("settle", (batch.count + 63) / 64, 2, 0,
                [&] { gpu::settle_body(batch.status, batch.count); });
  }

  Launches run_;
  std::shared_ptr<EmulatedFaults> faults_;
};

}  // namespace

std::unique_ptr<gpu::Device> make_host_device(std::shared_ptr<EmulatedFaults> faults) {
  return std::make_unique<HostDevice>(std::move(faults));
}

std::shared_ptr<gpu::TableKernels> make_emulated_table_kernels(
    std::shared_ptr<EmulatedFaults> faults, std::uint32_t seed) {
  Launches launches(faults, seed);
  return std::make_shared<EmulatedTableKernels>(std::move(launches), std::move(faults));
}

std::shared_ptr<gpu::StringKernels> make_emulated_string_kernels(
    std::shared_ptr<EmulatedFaults> faults, std::uint32_t seed) {
  return std::make_shared<EmulatedStringKernels>(Launches(faults, seed), faults);
}

}  // namespace presso::test
