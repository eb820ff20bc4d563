// SPDX-License-Identifier: MIT
// The first GPU of the machine for a program that measures: one owner of its memory, one stream
// that all work is on, and times by the GPU's own clock. Needs no CUDA header.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decompress/gpu/runtime/memory.h"
#include "lab/harness/timing.h"
#include "presso/byte_stream.h"
#include "presso/gpu_devices.h"

namespace presso::harness {

class Gpu {
 public:
  /// Errors: kNoDevice and others of open_cuda_device().
  static Result<std::unique_ptr<Gpu>> open();

  gpu::Device& device() { return *device_; }
  gpu::Memory& memory() { return memory_; }
  gpu::Stream stream() const { return stream_.get(); }

  /// At least one byte, not cleared.
  Result<gpu::DeviceMemory> allocate(std::uint64_t bytes) {
    return memory_.allocate(std::max<std::uint64_t>(bytes, 1));
  }
  /// Gives `memory` room for `bytes`; if it has less, its content is lost.
  Status reserve(gpu::DeviceMemory& memory, std::uint64_t bytes);
  template <class T>
  Result<gpu::DeviceMemory> copy_of(const std::vector<T>& from) {
    PRESSO_ASSIGN(gpu::DeviceMemory to, allocate(from.size() * sizeof(T)));
    PRESSO_TRY(copy_in(to.get(), from.data(), from.size() * sizeof(T)));
    return to;
  }
  /// Copies to the GPU and waits for it.
  Status copy_in(Byte* d_to, const void* from, std::uint64_t bytes);
  /// Repeats the first `period` bytes at `d_to` until there are `bytes`.
  Status repeat(Byte* d_to, std::uint64_t period, std::uint64_t bytes);
  /// Copies from the GPU and waits for it.
  Status copy_out(void* to, const void* d_from, std::uint64_t bytes);
  template <class T>
  Result<std::vector<T>> values(const void* d_from, std::size_t count) {
    std::vector<T> to(count);
    PRESSO_TRY(copy_out(to.data(), d_from, count * sizeof(T)));
    return to;
  }
  template <class T>
  Result<T> value(const void* d_from) {
    T to{};
    PRESSO_TRY(copy_out(&to, d_from, sizeof to));
    return to;
  }
  /// Enqueues a memset; with another byte than 0 it poisons results before they are checked.
  Status fill(void* d_to, int byte, std::uint64_t bytes);
  Status wait() { return device_->wait(stream()); }

  /// Milliseconds from an event before `work` is enqueued to one after it, in `runs` runs after
  /// some that do not count. `after` is called after each run, untimed.
  Result<Times> time(int runs, const std::function<Status()>& work,
                     const std::function<Status()>& after = {}, int warm_ups = 3);

  /// Bytes a second of bare copies of 64 MiB from pinned memory, or to it: the limit of PCIe.
  Result<double> copy_rate(bool to_gpu, int runs);
  /// Pinned memory of the host, with the bytes of `from` if it is not null.
  Result<gpu::PinnedMemory> pinned(std::uint64_t bytes, const RandomAccess* from = nullptr);

 private:
  explicit Gpu(std::unique_ptr<gpu::Device> device)
      : device_(std::move(device)), memory_(*device_, {}) {}

  std::unique_ptr<gpu::Device> device_;
  gpu::Memory memory_;
  gpu::OwnedStream stream_;
  gpu::OwnedEvent begin_, end_;
};

/// Where the memory begins, as a pointer to another type.
template <class T>
T* as(const gpu::DeviceMemory& memory) {
  return reinterpret_cast<T*>(memory.get());
}

}  // namespace presso::harness
