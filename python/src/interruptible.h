// SPDX-License-Identifier: MIT
// Runs work without the interpreter's lock in such a way that Ctrl-C ends it. Tested by
// python/tests/test_works.py. Starting a thread costs more than decoding a block, so small reads do
// without (archive.cpp).
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <type_traits>

#include "python/src/errors.h"
#include "python/src/gil.h"
#include "python/src/running_work.h"

namespace presso::python {

/// How often the main thread looks for signals while it waits.
constexpr auto kSignalInterval = std::chrono::milliseconds(20);

/// Waits for the end of `work` without the lock, which this thread has when it calls. If a signal's
/// handler raises, the work is cancelled, and the exception goes on when the work has ended.
void wait_for(RunningWork& work);

/// To be called when the interpreter ends: cancels all works, lets none begin except on this
/// thread, and waits until they have ended and no thread calls Python any more, or a signal's
/// handler raises.
void end_works();

/// Runs `work(cancelled)`, which returns a Result, on a thread of its own without the lock, and
/// waits as wait_for() does. Returns what the work returned; a work that cannot begin is raised as
/// an error.
template <class Work>
auto interruptible(const Work& work) {
  using Value = std::invoke_result_t<Work, const std::atomic<bool>&>;
  std::optional<Value> result;
  std::exception_ptr failure;
  // `work` may throw std::bad_alloc, which becomes an error, and anything else, which is thrown
  // again on this thread.
  RunningWork running;
  const Status begun = running.start([&](const std::atomic<bool>& cancelled) {
    try {
      result.emplace(without_bad_alloc([&] { return work(cancelled); }));
    } catch (...) {
      failure = std::current_exception();
    }
  });
  if (!begun.ok()) {
    // This waits if the interpreter is ending.
    const GilReleased released;
  }
  check(begun);
  wait_for(running);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace presso::python
