// SPDX-License-Identifier: MIT
// Work without the GIL that Ctrl-C ends.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

namespace presso::python {

/// How often the thread that waits looks for signals.
constexpr auto kSignalInterval = std::chrono::milliseconds(20);

/// Runs `work` on a thread of its own, without the GIL, and gives what it returns. Meanwhile this
/// thread, which has the GIL, lets others have it and looks for signals: where a handler raises,
/// `cancelled` becomes true, `work` is waited for, and the exception goes on.
template <class Work>
std::invoke_result_t<Work> interruptible(std::atomic<bool>& cancelled, const Work& work) {
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::optional<std::invoke_result_t<Work>> result;
  std::exception_ptr failure;
  std::thread worker([&] {
    try {
      result.emplace(work());
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    has_ended = true;
    ended.notify_one();
  });
  std::optional<nanobind::python_error> raised;
  {
    const nanobind::gil_scoped_release release;
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kSignalInterval, [&] { return has_ended; })) {
      lock.unlock();
      {
        const nanobind::gil_scoped_acquire acquire;
        if (!raised && PyErr_CheckSignals() != 0) {
          raised.emplace();
          cancelled = true;
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised) throw std::move(*raised);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace presso::python
