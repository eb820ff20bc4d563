// SPDX-License-Identifier: MIT
// Things that take long to make, by a key, within a process: threads that ask for the same one make
// it once, the others wait for it. Tests: tests/unit/query/gpu/cubin_maker_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "presso/error.h"

namespace presso::gpu {

/// Keeps the last used ones. `Value` is copied out, so that it is cheap to copy and lives on where
/// somebody has it when it is dropped from here.
template <class Value>
class MadeOnce {
 public:
  explicit MadeOnce(std::size_t most) : most_(most) {}

  /// The value of `key`, which `make` returns as a Result<Value> where it is not here. An error is
  /// not kept: the next call makes it again.
  template <class Make>
  Result<Value> get(const std::string& key, const Make& make) {
    const std::shared_ptr<Slot> slot = slot_of(key);
    const std::lock_guard making(slot->making);
    if (!slot->value) {
      PRESSO_ASSIGN(slot->value, make());
    }
    return *slot->value;
  }

 private:
  struct Slot {
    std::mutex making;
    std::optional<Value> value;  // under `making`
    std::uint64_t used = 0;      // under the whole's `mutex_`
  };

  std::shared_ptr<Slot> slot_of(const std::string& key) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Slot>& slot = slots_[key];
    if (slot == nullptr) slot = std::make_shared<Slot>();
    slot->used = ++uses_;
    const std::shared_ptr<Slot> found = slot;
    if (slots_.size() > most_) {
      slots_.erase(std::min_element(slots_.begin(), slots_.end(), [](const auto& a, const auto& b) {
        return a.second->used < b.second->used;
      }));
    }
    return found;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::map<std::string, std::shared_ptr<Slot>> slots_;
};

}  // namespace presso::gpu
