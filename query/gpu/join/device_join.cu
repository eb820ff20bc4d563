// SPDX-License-Identifier: MIT
// Runs the steps of joins on a CUDA stream (join_steps.h). The kernels of joins themselves are
// compiled in instances/, one file for each source of keys, because nvcc compiles a file on one
// core; this file only picks the source. How threads map to data, shared memory and synchronisation
// are described at the kernels' bodies, in the .cuh files.
#include "query/gpu/join/device_join.h"

#include "decompress/gpu/runtime/current_device.h"
#include "query/gpu/join/column_steps.h"
#include "query/gpu/join/join_kernels.h"
#include "query/gpu/join/join_launcher.cuh"
#include "query/gpu/join/join_sources.h"

namespace presso::gpu {
namespace {

Status launch(const JoinPlan& plan, void* d_temporary, JoinWork work, const JoinPairs& pairs,
              CUstream_st* stream) {
  return with_key_source(plan, [&](const auto& source) {
    return launch_join(plan, source, d_temporary, work, pairs, stream);
  });
}

/// JoinKernels on a CUDA device; makes that device current for each call.
class CudaJoinKernels final : public JoinKernels {
 public:
  explicit CudaJoinKernels(int device) : device_(device) {}

  Status count(const JoinPlan& plan, void* d_temporary, Stream stream) override {
    const CurrentDevice current(device_);
    return count_join(plan, d_temporary, stream);
  }
  Status write(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
               Stream stream) override {
    const CurrentDevice current(device_);
    return write_join(plan, d_temporary, pairs, stream);
  }
  Status find_range(const KeyColumn& column, JoinKeyRange* d_range, Stream stream) override {
    const CurrentDevice current(device_);
    JoinLauncher launcher(stream);
    return enqueue_key_range(column, d_range, launcher);
  }
  Status pack(const PackedKeys& keys, Stream stream) override {
    const CurrentDevice current(device_);
    JoinLauncher launcher(stream);
    return enqueue_packed_keys(keys, launcher);
  }
  Status number(const KeyNumbers& keys, Stream stream) override {
    const CurrentDevice current(device_);
    JoinLauncher launcher(stream);
    return enqueue_key_numbers(keys, launcher);
  }
  Status copy_bits(const Byte* d_from, std::uint64_t first_bit, std::uint64_t bits,
                   std::uint32_t* d_to, Stream stream) override {
    const CurrentDevice current(device_);
    JoinLauncher launcher(stream);
    return enqueue_copied_bits(d_from, first_bit, bits, d_to, launcher);
  }
  Status write_presence(const std::uint32_t* d_rows, std::uint64_t count, std::uint32_t* d_bits,
                        Stream stream) override {
    const CurrentDevice current(device_);
    JoinLauncher launcher(stream);
    return enqueue_presence(d_rows, count, d_bits, launcher);
  }

 private:
  int device_;
};

}  // namespace

std::shared_ptr<JoinKernels> cuda_join_kernels(int device) {
  return std::make_shared<CudaJoinKernels>(device);
}

Status count_join(const JoinPlan& plan, void* d_temporary, CUstream_st* stream) {
  return launch(plan, d_temporary, JoinWork::kCount, {}, stream);
}

Status write_join(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                  CUstream_st* stream) {
  return launch(plan, d_temporary, JoinWork::kWrite, pairs, stream);
}

Status run_join(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                CUstream_st* stream) {
  return launch(plan, d_temporary, JoinWork::kJoin, pairs, stream);
}

Status DeviceJoin::count(void* d_temporary, CUstream_st* stream) const {
  PRESSO_TRY(plan_->check(d_temporary, {}));
  return count_join(*plan_, d_temporary, stream);
}

Status DeviceJoin::write(void* d_temporary, const JoinPairs& pairs, CUstream_st* stream) const {
  PRESSO_TRY(plan_->check(d_temporary, pairs));
  return write_join(*plan_, d_temporary, pairs, stream);
}

Status DeviceJoin::run(void* d_temporary, const JoinPairs& pairs, CUstream_st* stream) const {
  PRESSO_TRY(plan_->check(d_temporary, pairs));
  return run_join(*plan_, d_temporary, pairs, stream);
}

}  // namespace presso::gpu
