// SPDX-License-Identifier: MIT
// One register knows all works, so that the end of the interpreter can cancel them and wait. All
// its members are guarded by its mutex. Tested by python/tests/test_works.py.
#include "python/src/running_work.h"

#include <pthread.h>

#include <exception>
#include <set>
#include <string>
#include <utility>

namespace presso::python {

/// The register of all works of the process.
class Works {
 public:
  using Shared = RunningWork::Shared;

  /// The register is never destroyed, because threads may end after main(). A forked process gets a
  /// new one, because threads that it does not have may have held the old one's mutex.
  static Works& all() {
    static std::atomic<Works*> works = [] {
      pthread_atfork(nullptr, nullptr, [] { works = new Works; });
      return new Works;
    }();
    return *works;
  }

  /// Returns false once the register is closed to this thread.
  bool add(const std::shared_ptr<Shared>& work) {
    const std::lock_guard lock(mutex_);
    if (is_closed_to_this_thread()) return false;
    running_.insert(work);
    return true;
  }
  /// Called by the work's own thread as its last act.
  void remove(const std::shared_ptr<Shared>& work) {
    const std::lock_guard lock(mutex_);
    running_.erase(work);
    changed_.notify_all();
  }
  /// Whether another thread has closed the register.
  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_to_this_thread();
  }
  /// Returns false once it is closed; otherwise end_call() must follow.
  bool begin_call() {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    ++calls_;
    return true;
  }
  /// Wakes the thread that waits for the end.
  void end_call() {
    const std::lock_guard lock(mutex_);
    --calls_;
    changed_.notify_all();
  }
  /// Cancels all works; those that this thread starts later are permitted, as atexit may need them.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    closer_ = std::this_thread::get_id();
    for (const auto& work : running_) work->cancelled = true;
  }
  /// Whether everything has ended; waits for that.
  bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return running_.empty() && calls_ == 0; });
  }

 private:
  /// The closing thread may still start works: a function registered with atexit may search.
  bool is_closed_to_this_thread() const {
    return is_closed_ && std::this_thread::get_id() != closer_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::shared_ptr<Shared>> running_;
  std::size_t calls_ = 0;
  bool is_closed_ = false;
  std::thread::id closer_;
};

// The join may take until the work looks at its flag.
RunningWork::~RunningWork() {
  cancel();
  if (thread_.joinable()) thread_.join();
}

// The work is registered before its thread begins, so that close() cannot miss it.
Status RunningWork::start(Body body) {
  if (!Works::all().add(shared_)) {
    return make_error(ErrorCode::kCancelled, "the interpreter is ending");
  }
  try {
    thread_ = std::thread([shared = shared_, body = std::move(body)] {
      // The state is shared, because the owner may be gone before the thread has ended.
      body(shared->cancelled);
      {
        const std::lock_guard lock(shared->mutex);
        shared->has_ended = true;
        shared->changed.notify_all();
      }
      Works::all().remove(shared);
    });
    // The system had no thread left.
  } catch (const std::exception& problem) {
    Works::all().remove(shared_);
    return make_error(ErrorCode::kIo, std::string("cannot start a thread: ") + problem.what());
  }
  return {};
}

/// Without a limit it waits for the end.
bool RunningWork::wait(std::optional<std::chrono::milliseconds> at_most) {
  std::unique_lock lock(shared_->mutex);
  const auto has_ended = [this] { return shared_->has_ended; };
  if (at_most) return shared_->changed.wait_for(lock, *at_most, has_ended);
  shared_->changed.wait(lock, has_ended);
  return true;
}

void close_works() {
  Works::all().close();
}

bool works_are_closed() {
  return Works::all().is_closed();
}

bool wait_for_works(std::chrono::milliseconds at_most) {
  return Works::all().wait(at_most);
}

// The call is counted before Python is entered.
PythonCall::PythonCall() : is_allowed_(Works::all().begin_call()) {}

PythonCall::~PythonCall() {
  if (is_allowed_) Works::all().end_call();
}

}  // namespace presso::python
