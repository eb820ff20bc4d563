// SPDX-License-Identifier: MIT
#include "lab/harness/gpu.h"

#include "decompress/gpu/runtime/cuda_device.h"
#include "decompress/gpu/runtime/cuda_error.h"

namespace presso::harness {

Result<std::unique_ptr<Gpu>> Gpu::open() {
  PRESSO_ASSIGN(std::unique_ptr<gpu::Device> device, gpu::open_cuda_device(0));
  std::unique_ptr<Gpu> opened(new Gpu(std::move(device)));
  gpu::Device& made = *opened->device_;
  PRESSO_ASSIGN(opened->stream_, gpu::make_stream(made));
  for (gpu::OwnedEvent* event : {&opened->begin_, &opened->end_}) {
    PRESSO_ASSIGN(const gpu::Event timed, made.create_timed_event());
    *event = gpu::OwnedEvent(made, timed);
  }
  return opened;
}

Status Gpu::reserve(gpu::DeviceMemory& memory, std::uint64_t bytes) {
  if (bytes <= memory.bytes()) return {};
  memory.reset();
  PRESSO_ASSIGN(memory, allocate(bytes));
  return {};
}

Status Gpu::copy_in(Byte* d_to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return {};
  PRESSO_TRY(device_->copy_in(d_to, static_cast<const Byte*>(from), bytes, stream()));
  return wait();
}

Status Gpu::repeat(Byte* d_to, std::uint64_t period, std::uint64_t bytes) {
  for (std::uint64_t done = std::min(period, bytes); done < bytes;) {
    const std::uint64_t more = std::min(done, bytes - done);
    PRESSO_TRY(device_->copy_within(d_to + done, d_to, more, stream()));
    done += more;
  }
  return wait();
}

Status Gpu::copy_out(void* to, const void* d_from, std::uint64_t bytes) {
  PRESSO_TRY(
      device_->copy_out(static_cast<Byte*>(to), static_cast<const Byte*>(d_from), bytes, stream()));
  return wait();
}

Status Gpu::fill(void* d_to, int byte, std::uint64_t bytes) {
  return gpu::check(cudaMemsetAsync(d_to, byte, bytes, stream()), "filling memory of the GPU");
}

Result<Times> Gpu::time(int runs, const std::function<Status()>& work,
                        const std::function<Status()>& after, int warm_ups) {
  return harness::repeat(runs, warm_ups, [&]() -> Result<double> {
    PRESSO_TRY(device_->record(begin_.get(), stream()));
    PRESSO_TRY(work());
    PRESSO_TRY(device_->record(end_.get(), stream()));
    PRESSO_TRY(device_->wait(end_.get()));
    PRESSO_ASSIGN(const double seconds, device_->seconds_between(begin_.get(), end_.get()));
    if (after) PRESSO_TRY(after());
    return seconds * 1e3;
  });
}

Result<double> Gpu::copy_rate(bool to_gpu, int runs) {
  constexpr std::uint64_t kBytes = 64u << 20;
  constexpr int kCopies = 8;
  PRESSO_ASSIGN(const gpu::PinnedMemory host, pinned(kBytes));
  PRESSO_ASSIGN(const gpu::DeviceMemory there, allocate(kBytes));
  PRESSO_ASSIGN(const Times seconds, measure(runs, 1, [&]() -> Status {
                  for (int i = 0; i < kCopies; ++i) {
                    PRESSO_TRY(to_gpu
                                   ? device_->copy_in(there.get(), host.get(), kBytes, stream())
                                   : device_->copy_out(host.get(), there.get(), kBytes, stream()));
                  }
                  return wait();
                }));
  return kCopies * kBytes / seconds.median;
}

Result<gpu::PinnedMemory> Gpu::pinned(std::uint64_t bytes, const RandomAccess* from) {
  PRESSO_ASSIGN(gpu::PinnedMemory memory, memory_.allocate_pinned(bytes));
  if (from != nullptr) PRESSO_TRY(from->read_at(0, {memory.get(), bytes}));
  return memory;
}

}  // namespace presso::harness
