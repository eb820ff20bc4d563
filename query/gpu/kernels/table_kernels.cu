// SPDX-License-Identifier: MIT
// Implements TableKernels (table_kernels.h), the kernels over tables in device memory, on CUDA. How
// threads map to data, and their use of shared memory and synchronisation, is described where the
// kernels' bodies are.
#include "decompress/gpu/runtime/current_device.h"
#include "decompress/gpu/runtime/kernel_launch.h"
#include "query/gpu/join/build_lookup.h"
#include "query/gpu/kernels/group_cells.cuh"
#include "query/gpu/kernels/group_part_kernels.h"
#include "query/gpu/kernels/table_check.cuh"
#include "query/gpu/kernels/table_kernels.h"
#include "query/gpu/kernels/usual_vectors.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kClearThreads = 256;
constexpr u32 kMostClearBlocks = 4096;
constexpr u32 kSettleThreads = 128;

__global__ void __launch_bounds__(kCheckWarps* kWarpSize) check_payloads(IntegerBatch batch) {
  check_payloads_body(batch);
}

template <class Word>
__global__ void __launch_bounds__(kIntegerWarps* kWarpSize)
    check_vectors(IntegerBatch batch, const u32* entries) {
  check_vectors_body<Word>(batch, entries);
}

__global__ void __launch_bounds__(kSettleThreads) settle_checks(u32* status, u32 count) {
  settle_body(status, count);
}

__global__ void __launch_bounds__(kClearThreads)
    clear_cells_kernel(__grid_constant__ const Pipeline of) {
  clear_cells_body(of);
}

__global__ void __launch_bounds__(kClearThreads)
    list_groups_kernel(__grid_constant__ const Pipeline of,
                       __grid_constant__ const GroupList list) {
  list_groups_body(of, list);
}

__global__ void __launch_bounds__(kDecodeWarps* kWarpSize)
    decode_others_kernel(__grid_constant__ const QueryArguments q) {
  decode_others_body(q);
}

__global__ void __launch_bounds__(kClearThreads)
    find_vectors_kernel(__grid_constant__ const VectorFinding of) {
  find_vectors_body(of);
}

__global__ void __launch_bounds__(kPackingWarps* kWarpSize)
    measure_vectors_kernel(__grid_constant__ const VectorPacking of) {
  measure_vectors_body(of);
}

__global__ void __launch_bounds__(kPackingWarps* kWarpSize)
    pack_vectors_kernel(__grid_constant__ const VectorPacking of) {
  pack_vectors_body(of);
}

class CudaTableKernels final : public TableKernels {
 public:
  explicit CudaTableKernels(int device) : device_(device) {}

  Status check(const IntegerBatch& batch, const u32* entries, Stream stream) override {
    const CurrentDevice current(device_);
    if (batch.count == 0) return {};
    PRESSO_TRY(gpu::check(
        cudaMemsetAsync(batch.status, 0xFF, batch.count * sizeof *batch.status, stream), "status"));
    check_payloads<<<batch.count, kCheckWarps * kWarpSize, sizeof(PayloadCheckShared), stream>>>(
        batch);
    PRESSO_TRY(launched("check_payloads"));
    PRESSO_TRY(check_width<u32>(batch, entries, stream));
    PRESSO_TRY(check_width<u64>(batch, entries, stream));
    settle_checks<<<(batch.count - 1) / kSettleThreads + 1, kSettleThreads, 0, stream>>>(
        batch.status, batch.count);
    return launched("settle_checks");
  }

  Status clear_cells(const Pipeline& pipeline, Stream stream) override {
    const CurrentDevice current(device_);
    const u32 blocks = clear_blocks(pipeline.groups * pipeline.group_words);
    clear_cells_kernel<<<blocks, kClearThreads, 0, stream>>>(pipeline);
    return launched("clear_cells");
  }

  Status list_groups(const Pipeline& pipeline, const GroupList& list, Stream stream) override {
    const CurrentDevice current(device_);
    const u32 blocks = clear_blocks(list.end - list.begin);
    list_groups_kernel<<<blocks, kClearThreads, 0, stream>>>(pipeline, list);
    return launched("list_groups");
  }

  GroupPartLimits group_part_limits() override {
    // Any thread block may have so much.
    constexpr std::uint32_t kUsualBytes = 48 << 10;
    const auto most = most_shared_bytes();
    return gpu::group_part_limits(most.ok() ? *most : kUsualBytes);
  }

  Status sum_group_parts(const PartedRows& parts, Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::sum_group_parts(parts, stream);
  }

  Status merge_groups(const GroupMerge& merge, Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::merge_groups(merge, stream);
  }

  Status clear(Byte* memory, std::size_t bytes, Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::check(cudaMemsetAsync(memory, 0, bytes, stream), "clearing device memory");
  }

  Result<std::uint32_t> most_shared_bytes() override {
    const CurrentDevice current(device_);
    PRESSO_ASSIGN(const int most, device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    return static_cast<std::uint32_t>(most);
  }

  Result<std::uint64_t> cache_bytes() override {
    const CurrentDevice current(device_);
    PRESSO_ASSIGN(const int bytes, device_attribute(cudaDevAttrL2CacheSize));
    return static_cast<std::uint64_t>(bytes);
  }

  Status decode_others(const QueryArguments& arguments, std::uint32_t vectors,
                       Stream stream) override {
    const CurrentDevice current(device_);
    const u64 warps = u64{vectors} * arguments.column_count;
    const u32 blocks = clear_blocks(warps * (kClearThreads / kDecodeWarps));
    decode_others_kernel<<<blocks, kDecodeWarps * kWarpSize, kDecodeWarps * sizeof(DecodeSpace),
                           stream>>>(arguments);
    return launched("decode_others");
  }

  Status find_vectors(const VectorFinding& finding, Stream stream) override {
    const CurrentDevice current(device_);
    const u64 vectors = u64{finding.column_count} * finding.table.slice_count * kSliceVectors;
    const u32 blocks = clear_blocks(std::max<u64>(vectors, SameRows::kWords));
    find_vectors_kernel<<<blocks, kClearThreads, 0, stream>>>(finding);
    return launched("find_vectors");
  }
  Status measure_vectors(const VectorPacking& packing, Stream stream) override {
    const CurrentDevice current(device_);
    const u64 warps = u64{packing.table.slice_count} * kSliceVectors;
    measure_vectors_kernel<<<packing_blocks(warps), kPackingWarps * kWarpSize,
                             kPackingWarps * sizeof(PackingSpace), stream>>>(packing);
    return launched("measure_vectors");
  }
  Status pack_vectors(const VectorPacking& packing, Stream stream) override {
    const CurrentDevice current(device_);
    pack_vectors_kernel<<<packing_blocks(packing.count), kPackingWarps * kWarpSize,
                          kPackingWarps * sizeof(PackingSpace), stream>>>(packing);
    return launched("pack_vectors");
  }

  Status build_lookup(const Lookup& to, const JoinRows& build, JoinTotals* totals,
                      Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::build_lookup(to, build, totals, stream);
  }
  Status build_ascending(const Lookup& to, const AscendingBuild& build, Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::build_ascending(to, build, stream);
  }
  Status count_rows_of_keys(const Lookup& in, const JoinRows& build, std::uint32_t* counts,
                            Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::count_rows_of_keys(in, build, counts, stream);
  }

 private:
  static u32 clear_blocks(u64 items) {
    return static_cast<u32>(
        std::min<u64>((items + kClearThreads - 1) / kClearThreads, kMostClearBlocks));
  }

  static u32 packing_blocks(u64 warps) {
    return clear_blocks(warps * (kClearThreads / kPackingWarps));
  }

  static Status launched(const char* kernel) { return gpu::check(cudaGetLastError(), kernel); }

  template <class Word>
  static Status check_width(const IntegerBatch& batch, const u32* entries, Stream stream) {
    PRESSO_TRY(allow_most_shared_memory(check_vectors<Word>, "check_vectors"));
    check_vectors<Word><<<batch.count * kIntegerParts, kIntegerWarps * kWarpSize,
                          sizeof(IntegerShared<Word>), stream>>>(batch, entries);
    return launched("check_vectors");
  }

  int device_;
};

}  // namespace

std::shared_ptr<TableKernels> cuda_table_kernels(int device) {
  return std::make_shared<CudaTableKernels>(device);
}

}  // namespace presso::gpu
