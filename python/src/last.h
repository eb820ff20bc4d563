// SPDX-License-Identifier: MIT
// Holds a value that the last one of many uses has left, such as the totals of a scan. Tested by
// python/tests/test_scan.py, which reads Scan.totals.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace presso::python {

/// A value under a lock, which the use that ends last has set. Thread-safe.
template <class T>
class Last {
 public:
  /// nullopt clears it.
  void set(std::optional<T> value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
  }
  /// A copy, as another thread may set it at any moment.
  std::optional<T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<T> value_;
};

}  // namespace presso::python
