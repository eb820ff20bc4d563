// SPDX-License-Identifier: MIT
// What the last of many uses has left behind.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace presso::python {

/// Thread-safe.
template <class T>
class Last {
 public:
  void set(std::optional<T> value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
  }
  std::optional<T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<T> value_;
};

}  // namespace presso::python
