// SPDX-License-Identifier: MIT
// What the host side of decoding and scanning needs of a GPU: memory, copies, streams, events.
// cuda_device.cpp is the real one. Everything above is written against this class and compiles
// without CUDA, so that tests run it where there is no GPU, over a device that works on the CPU and
// fails on command (tests/support/fake_device.h).
//
// Calls with a stream enqueue work and return; its failure may only show in a later call. All
// functions are thread-safe. Errors: kDeviceMemory, kOutOfMemory (pinned memory), kNoDevice,
// kDeviceLost; after kDeviceLost the only useful calls are those that release.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "presso/bytes.h"
#include "presso/error.h"

struct CUstream_st;  // cudaStream_t points to one
struct CUevent_st;   // cudaEvent_t points to one

namespace presso::gpu {

using Stream = CUstream_st*;
using Event = CUevent_st*;

/// Implemented by CudaDevice, and for tests by a device on the host. Functions that release
/// take nullptr-free handles of this device and report nothing.
class Device {
 public:
  virtual ~Device() = default;

  /// Device memory, 256-byte aligned, not cleared.
  virtual Result<Byte*> allocate(std::size_t bytes) = 0;
  virtual void release(Byte* d_memory) = 0;
  /// Page-locked host memory, which copies reach without a detour.
  virtual Result<Byte*> allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(Byte* memory) = 0;
  /// Whether all of [memory, memory + bytes) is pinned, whoever allocated it.
  virtual bool is_pinned(const Byte* memory, std::size_t bytes) = 0;

  virtual Result<Stream> create_stream() = 0;
  virtual void destroy_stream(Stream stream) = 0;
  virtual Result<Event> create_event() = 0;
  /// An event that seconds_between() may be asked about.
  virtual Result<Event> create_timed_event() { return create_event(); }
  virtual void destroy_event(Event event) = 0;
  /// What the device has taken from one event to another, as last recorded; both have happened. 0:
  /// it has no clock.
  virtual Result<double> seconds_between(Event from, Event to) {
    static_cast<void>(from);
    static_cast<void>(to);
    return 0.0;
  }

  /// From host memory. Only pinned memory is copied beside other work; `from` stays as it is
  /// until the copy is done.
  virtual Status copy_in(Byte* d_to, const Byte* from, std::size_t bytes, Stream stream) = 0;
  /// To host memory, under the same conditions.
  virtual Status copy_out(Byte* to, const Byte* d_from, std::size_t bytes, Stream stream) = 0;
  /// Within the device's memory; the two ranges may not overlap.
  virtual Status copy_within(Byte* d_to, const Byte* d_from, std::size_t bytes, Stream stream) = 0;

  /// `event` happens when all work enqueued on `stream` so far is done.
  virtual Status record(Event event, Stream stream) = 0;
  /// Work that is enqueued on `stream` from now on waits for `event` as last recorded.
  virtual Status stream_wait(Stream stream, Event event) = 0;
  /// The calling thread sleeps until `event`, as last recorded, has happened.
  virtual Status wait(Event event) = 0;
  /// The calling thread waits for everything enqueued on `stream`.
  virtual Status wait(Stream stream) = 0;

  /// A step of the calling thread, for profilers (Nsight Systems): steps may be within others, and
  /// end in the reverse order. Devices without a profiler do nothing.
  virtual void begin_step(const char* name) { static_cast<void>(name); }
  virtual void end_step() {}
};

/// A step that lasts as long as this object.
class DeviceStep {
 public:
  DeviceStep(Device& device, const char* name) : device_(device) { device.begin_step(name); }
  ~DeviceStep() { device_.end_step(); }
  DeviceStep(const DeviceStep&) = delete;
  DeviceStep& operator=(const DeviceStep&) = delete;

 private:
  Device& device_;
};

/// A handle of a device that is given back when its owner goes.
template <class Handle, void (Device::*kRelease)(Handle)>
class Owned {
 public:
  Owned() = default;
  Owned(Device& device, Handle handle) : device_(&device), handle_(handle) {}
  Owned(Owned&& other) noexcept { *this = std::move(other); }
  Owned& operator=(Owned&& other) noexcept {
    reset();
    device_ = other.device_;
    handle_ = std::exchange(other.handle_, Handle{});
    return *this;
  }
  ~Owned() { reset(); }

  void reset() {
    if (handle_ != Handle{}) (device_->*kRelease)(std::exchange(handle_, Handle{}));
  }
  Handle get() const { return handle_; }

 private:
  Device* device_ = nullptr;
  Handle handle_{};
};

using OwnedStream = Owned<Stream, &Device::destroy_stream>;
using OwnedEvent = Owned<Event, &Device::destroy_event>;

/// A stream that runs beside all others, the default stream included.
inline Result<OwnedStream> make_stream(Device& device) {
  PRESSO_ASSIGN(const Stream stream, device.create_stream());
  return OwnedStream(device, stream);
}

/// An event without a time.
inline Result<OwnedEvent> make_event(Device& device) {
  PRESSO_ASSIGN(const Event event, device.create_event());
  return OwnedEvent(device, event);
}

}  // namespace presso::gpu
