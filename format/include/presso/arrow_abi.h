// SPDX-License-Identifier: MIT
// The three structs of Apache Arrow's C data and C stream interfaces, by which libraries in one
// process hand columns to each other without copying: their layout is fixed for ever, so no library
// of Arrow's is needed. https://arrow.apache.org/docs/format/CDataInterface.html says what each
// member means. The guards are the published ones: another library's declarations may stand beside
// these, in either order.
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

namespace presso {

/// Owns one of the structs: what it holds is released when it goes. `Struct`: ArrowSchema,
/// ArrowArray or ArrowArrayStream.
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
