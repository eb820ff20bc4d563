// SPDX-License-Identifier: MIT
// Device by the CUDA runtime. Threads of a pipeline come and go, and the caller's own thread works
// too, so each call sets its device and puts back what was current before (current_device.h: one
// query where nothing changes). Only wait() blocks, and the release of memory, which CUDA delays
// until the device has no work.
#include "decompress/gpu/runtime/cuda_device.h"

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <string>

#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/runtime/current_device.h"

namespace presso::gpu {
namespace {

/// An error while something is given back has shown before or is of no interest any more. It is
/// only taken away from where the next check of a launch would find it.
void forget(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index) : index_(index) {}

  Result<Byte*> allocate(std::size_t bytes) override {
    const CurrentDevice current(index_);
    void* memory = nullptr;
    PRESSO_TRY(check(cudaMalloc(&memory, bytes), allocating(bytes, "device")));
    return static_cast<Byte*>(memory);
  }
  void release(Byte* d_memory) override {
    const CurrentDevice current(index_);
    forget(cudaFree(d_memory));
  }

  Result<Byte*> allocate_pinned(std::size_t bytes) override {
    const CurrentDevice current(index_);
    void* memory = nullptr;
    Status done =
        check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), allocating(bytes, "pinned"));
    if (done.ok()) return static_cast<Byte*>(memory);
    const bool refused = done.error().code == ErrorCode::kDeviceMemory;
    if (refused) done.error().code = ErrorCode::kOutOfMemory;
    return std::move(done.error());
  }
  // Errors of an earlier kernel would show here too; they are for the next call that returns a
  // Status.
  void release_pinned(Byte* memory) override {
    const CurrentDevice current(index_);
    forget(cudaFreeHost(memory));
  }
  /// Looks at the first and last byte only: CUDA would have to be asked about each page between.
  bool is_pinned(const Byte* memory, std::size_t bytes) override {
    return bytes > 0 && is_pinned(memory) && is_pinned(memory + bytes - 1);
  }

  Result<Stream> create_stream() override {
    const CurrentDevice current(index_);
    cudaStream_t stream = nullptr;
    PRESSO_TRY(check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream"));
    return stream;
  }
  void destroy_stream(Stream stream) override {
    const CurrentDevice current(index_);
    forget(cudaStreamDestroy(stream));
  }
  /// A thread that waits for an event sleeps: there are as many waiting threads as batches.
  Result<Event> create_event() override {
    return create_event(cudaEventBlockingSync | cudaEventDisableTiming);
  }
  Result<Event> create_timed_event() override { return create_event(cudaEventBlockingSync); }
  Result<double> seconds_between(Event from, Event to) override {
    const CurrentDevice current(index_);
    float milliseconds = 0;
    PRESSO_TRY(check(cudaEventElapsedTime(&milliseconds, from, to), "asking for the time"));
    return static_cast<double>(milliseconds) / 1e3;
  }
  void destroy_event(Event event) override {
    const CurrentDevice current(index_);
    forget(cudaEventDestroy(event));
  }

  Status copy_in(Byte* d_to, const Byte* from, std::size_t bytes, Stream stream) override {
    return copy(d_to, from, bytes, cudaMemcpyHostToDevice, stream, "copying blocks to the GPU");
  }
  Status copy_out(Byte* to, const Byte* d_from, std::size_t bytes, Stream stream) override {
    return copy(to, d_from, bytes, cudaMemcpyDeviceToHost, stream, "copying from the GPU");
  }
  Status copy_within(Byte* d_to, const Byte* d_from, std::size_t bytes, Stream stream) override {
    return copy(d_to, d_from, bytes, cudaMemcpyDeviceToDevice, stream, "copying on the GPU");
  }

  Status record(Event event, Stream stream) override {
    const CurrentDevice current(index_);
    return check(cudaEventRecord(event, stream), "recording an event");
  }
  Status stream_wait(Stream stream, Event event) override {
    const CurrentDevice current(index_);
    return check(cudaStreamWaitEvent(stream, event, 0), "ordering streams");
  }
  Status wait(Event event) override {
    const CurrentDevice current(index_);
    return check(cudaEventSynchronize(event), "waiting for the GPU");
  }
  Status wait(Stream stream) override {
    const CurrentDevice current(index_);
    return check(cudaStreamSynchronize(stream), "waiting for the GPU");
  }

  void begin_step(const char* name) override {
    nvtxEventAttributes_t step{};
    step.version = NVTX_VERSION;
    step.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    step.messageType = NVTX_MESSAGE_TYPE_ASCII;
    step.message.ascii = name;
    nvtxDomainRangePushEx(profiler_domain(), &step);
  }
  void end_step() override { nvtxDomainRangePop(profiler_domain()); }

 private:
  /// Under this name profilers show our steps. Without a profiler all of it is a few branches.
  static nvtxDomainHandle_t profiler_domain() {
    static const nvtxDomainHandle_t domain = nvtxDomainCreateA("presso");
    return domain;
  }
  Result<Event> create_event(unsigned flags) const {
    const CurrentDevice current(index_);
    cudaEvent_t event = nullptr;
    PRESSO_TRY(check(cudaEventCreateWithFlags(&event, flags), "making an event"));
    return event;
  }
  /// The text of an error: what was tried, and how much of it.
  static std::string allocating(std::size_t bytes, const char* kind) {
    return "allocating " + std::to_string(bytes) + " bytes of " + kind + " memory";
  }
  /// Memory that CUDA does not know makes an error on older versions, which must not stay for
  /// the next call.
  static bool is_pinned(const Byte* byte) {
    cudaPointerAttributes attributes{};
    const cudaError_t status = cudaPointerGetAttributes(&attributes, byte);
    forget(status);
    return status == cudaSuccess && attributes.type == cudaMemoryTypeHost;
  }
  /// Common to the three kinds of copy. Nothing is enqueued for no bytes.
  Status copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Stream stream,
              const char* doing) const {
    if (bytes == 0) return {};
    const CurrentDevice current(index_);
    return check(cudaMemcpyAsync(to, from, bytes, kind, stream), doing);
  }

  int index_;
};

}  // namespace

// The calling thread's current device is put back.
Result<std::unique_ptr<Device>> open_cuda_device(int index) {
  PRESSO_ASSIGN(const UsableDevices usable, usable_devices());
  if (index < 0 || index >= usable.count) {
    return make_error(ErrorCode::kInvalidArgument, "there is no GPU " + std::to_string(index) +
                                                       ", only " + std::to_string(usable.count));
  }
  const CurrentDevice unchanged;
  // Since CUDA 12 this starts CUDA on the device.
  PRESSO_TRY(check(cudaSetDevice(index), "starting device " + std::to_string(index)));
  return std::unique_ptr<Device>(std::make_unique<CudaDevice>(index));
}

}  // namespace presso::gpu
