// SPDX-License-Identifier: MIT
// Threads for work that continues while the thread that wants it does something else, such as
// reading the next part of a table while the device works on this one. Tested by
// tests/unit/query/gpu/task_queue_test.cpp.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace presso::gpu {

class TaskQueue;

/// Items of work, each of which is done once, by any thread. They are begun in their order. It must
/// have been finished or dropped before it goes, and must not move while it is in a queue.
class Tasks {
 public:
  /// `work` must not throw.
  Tasks(std::size_t count, std::function<void(std::size_t item)> work)
      : work_(std::move(work)), count_(count) {}
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

 private:
  friend class TaskQueue;

  std::function<void(std::size_t)> work_;
  // What follows changes under the queue's mutex.
  std::size_t count_;
  std::size_t begun_ = 0;
  std::size_t done_ = 0;
};

/// One thread at a time calls the functions; it is one of the `threads`, and works in
/// finish() only. The others start when there is work for them, and wait for more in between. Where
/// the system refuses threads, those there are do the work.
class TaskQueue {
 public:
  explicit TaskQueue(unsigned threads) : threads_(threads == 0 ? 1 : threads) {}
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  /// As many as were asked for.
  unsigned threads() const { return threads_; }
  /// Behind the tasks that wait, or before all of these. Kept by reference.
  void add(Tasks& tasks);
  void add_first(Tasks& tasks);
  /// Does what is left of them together with the others. Those that were added before should be
  /// done first, where they may have to wait for each other.
  void finish(Tasks& tasks);
  /// What has not begun is not done; waits for the rest.
  void drop(Tasks& tasks);

 private:
  using Lock = std::unique_lock<std::mutex>;

  void insert(Tasks& tasks, bool is_first);
  void start_threads();
  void loop();
  void work_on_one(Tasks& tasks, Lock& lock);
  void remove(const Tasks& tasks);

  unsigned threads_;
  std::vector<std::thread> helpers_;
  bool has_started_ = false;
  std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable done_;
  std::vector<Tasks*> waiting_;  ///< of which some items have not begun
  bool is_stopping_ = false;
};

/// Keeps a queue for the next query, since to start and end the threads of sixteen cores takes 0.7
/// ms. Queries that run at the same time have a queue each. Thread-safe.
class KeptQueue {
 public:
  /// A queue on loan. The destructor gives it back; no tasks may be in it then.
  class Lent {
   public:
    Lent(KeptQueue& from, std::unique_ptr<TaskQueue> queue)
        : from_(from), queue_(std::move(queue)) {}
    ~Lent() { from_.give_back(std::move(queue_)); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    TaskQueue& operator*() const { return *queue_; }

   private:
    KeptQueue& from_;
    std::unique_ptr<TaskQueue> queue_;
  };

  KeptQueue() = default;
  ~KeptQueue();
  KeptQueue(const KeptQueue&) = delete;
  KeptQueue& operator=(const KeptQueue&) = delete;

  /// Lends the kept queue if it has this number of threads, and a new queue otherwise.
  Lent lend(unsigned threads);

 private:
  void give_back(std::unique_ptr<TaskQueue> queue);

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::unique_ptr<TaskQueue> kept_;
};

}  // namespace presso::gpu
