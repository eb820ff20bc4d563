// SPDX-License-Identifier: MIT
// The structs of Apache Arrow's C data, C stream and C device data interfaces, by which libraries
// in one process hand columns to each other without copying: their layout is fixed for ever, so no
// library of Arrow's is needed. https://arrow.apache.org/docs/format/CDataInterface.html and
// CDeviceDataInterface.html there say what each member means. The guards are the published ones:
// another library's declarations may stand beside these, in either order.
#pragma once

#include <cstdint>
#include <utility>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {

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

/// Owns one of the structs: what it holds is released when it goes. `Struct`: ArrowSchema,
/// ArrowArray, ArrowArrayStream or ArrowDeviceArrayStream. (An ArrowDeviceArray is released by its
/// member `array`.)
template <class Struct>
class ArrowOwner {
 public:
  ArrowOwner() = default;
  /// Takes over from `from`, which counts as released after it.
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
  /// For a function that fills it; what was held is released.
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
