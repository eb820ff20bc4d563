// SPDX-License-Identifier: MIT
// The structs of Apache Arrow's C data, C stream and C device data interfaces, by which libraries
// in one process hand columns to each other without copying. Their layout is fixed for ever, so no
// library of Arrow is needed. The meaning of each member is documented at
// https://arrow.apache.org/docs/format/CDataInterface.html and CDeviceDataInterface.html there. The
// guards are the published ones, so that another library's declarations may stand beside these, in
// either order.
//
// Ownership: whoever holds a struct whose `release` is not null must call it once. ArrowOwner,
// below, does so. Tested by tests/unit/compress/arrow and
// tests/unit/decompress/arrow/export_test.cpp.
#pragma once

#include <cstdint>
#include <utility>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {

/// The type of a column, or of a struct of columns. `format` is a short code: "l" is int64, "U" is
/// UTF-8 text with offsets of 64 bits.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

/// The values of a column. Buffers are, for numbers, the validity bitmap (may be null) and the
/// values.
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

extern "C" {

/// A sequence of arrays of one schema. get_next() returns 0 and a released array at the end.
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_STREAM_INTERFACE

#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_OPENCL 4
#define ARROW_DEVICE_VULKAN 7
#define ARROW_DEVICE_METAL 8
#define ARROW_DEVICE_VPI 9
#define ARROW_DEVICE_ROCM 10
#define ARROW_DEVICE_ROCM_HOST 11
#define ARROW_DEVICE_EXT_DEV 12
#define ARROW_DEVICE_CUDA_MANAGED 13
#define ARROW_DEVICE_ONEAPI 14
#define ARROW_DEVICE_WEBGPU 15
#define ARROW_DEVICE_HEXAGON 16

extern "C" {

typedef std::int32_t ArrowDeviceType;

/// An array whose buffers lie in the memory of a device. `sync_event` points to an event, for CUDA
/// a cudaEvent_t, that readers wait for.
struct ArrowDeviceArray {
  struct ArrowArray array;
  std::int64_t device_id;
  ArrowDeviceType device_type;
  void* sync_event;
  std::int64_t reserved[3];
};

}  // extern "C"

#endif  // ARROW_C_DEVICE_DATA_INTERFACE

#ifndef ARROW_C_DEVICE_STREAM_INTERFACE
#define ARROW_C_DEVICE_STREAM_INTERFACE

extern "C" {

/// As ArrowArrayStream, for arrays in the memory of one kind of device.
struct ArrowDeviceArrayStream {
  ArrowDeviceType device_type;
  int (*get_schema)(struct ArrowDeviceArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowDeviceArrayStream*, struct ArrowDeviceArray* out);
  const char* (*get_last_error)(struct ArrowDeviceArrayStream*);
  void (*release)(struct ArrowDeviceArrayStream*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_DEVICE_STREAM_INTERFACE

namespace presso {

/// Owns one of the structs and releases its content when it is destroyed. `Struct` is ArrowSchema,
/// ArrowArray, ArrowArrayStream or ArrowDeviceArrayStream. (An ArrowDeviceArray is released by its
/// member `array`.)
template <class Struct>
class ArrowOwner {
 public:
  ArrowOwner() = default;
  /// Moves the content out of `from`, which counts as released afterwards.
  explicit ArrowOwner(Struct& from) : held_(from) { from.release = nullptr; }
  ArrowOwner(ArrowOwner&& other) noexcept : ArrowOwner(other.held_) {}
  ArrowOwner& operator=(ArrowOwner&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~ArrowOwner() { reset(); }

  void reset() {
    if (held_.release != nullptr) held_.release(&held_);
    held_ = {};
  }
  /// Returns the struct for a function that fills it; what was held before is released.
  Struct* out() {
    reset();
    return &held_;
  }
  bool empty() const { return held_.release == nullptr; }
  Struct* get() { return &held_; }
  Struct* operator->() { return &held_; }
  const Struct* operator->() const { return &held_; }
  const Struct& operator*() const { return held_; }

 private:
  Struct held_ = {};
};

}  // namespace presso
