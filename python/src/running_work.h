// SPDX-License-Identifier: MIT
// Work on threads of its own, and those who can end it: its owner, Ctrl-C, and the end of the
// interpreter. Nothing here knows of Python. Tested by python/tests/test_works.py. A work costs one
// thread; there is no pool, since works are long.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "presso/error.h"

namespace presso::python {

/// A work that runs once, on a thread of its own. Used by one thread, except cancel().
class RunningWork {
 public:
  /// The work, which must end soon after `cancelled` has become true, and must not throw.
  using Body = std::function<void(const std::atomic<bool>& cancelled)>;

  RunningWork() : shared_(std::make_shared<Shared>()) {}
  /// Cancels the work and waits for its end.
  ~RunningWork();
  RunningWork(const RunningWork&) = delete;
  RunningWork& operator=(const RunningWork&) = delete;

  /// Starts the work. Errors: kIo if no thread is to be had; kCancelled if the interpreter is
  /// ending.
  Status start(Body body);
  /// May be called by any thread and any number of times.
  void cancel() { shared_->cancelled = true; }
  const std::atomic<bool>& cancelled() const { return shared_->cancelled; }
  /// Whether the work has ended; waits for that, at most for the given time.
  bool wait(std::optional<std::chrono::milliseconds> at_most = std::nullopt);

 private:
  friend class Works;
  struct Shared {
    std::atomic<bool> cancelled{false};
    std::mutex mutex;
    std::condition_variable changed;
    bool has_ended = false;
  };

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

/// To be called when the interpreter begins to end: cancels all works and lets none begin except
/// those of this thread. From then on no PythonCall is allowed.
void close_works();
/// Whether another thread has called close_works().
bool works_are_closed();
/// Whether no work is running and no PythonCall is being made; waits for that, at most for the
/// given time.
bool wait_for_works(std::chrono::milliseconds at_most);

/// A call of Python by a thread that is not the interpreter's. After close_works() the
/// interpreter's end waits for the calls that are being made.
class PythonCall {
 public:
  PythonCall();
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;
  /// False if the interpreter is ending; then Python must not be called.
  bool is_allowed() const { return is_allowed_; }

 private:
  bool is_allowed_;
};

/// Deletes objects that have threads, except in a process forked from the one that made them: there
/// the threads do not exist, and what they held is left as it is.
struct DeleteInItsProcess {
  pid_t process = getpid();
  bool is_here() const { return getpid() == process; }
  template <class T>
  void operator()(T* held) const {
    if (is_here()) delete held;
  }
};
template <class T>
using ProcessOwned = std::unique_ptr<T, DeleteInItsProcess>;

}  // namespace presso::python
