// SPDX-License-Identifier: MIT
// Implements task_queue.h: helpers are started when tasks first come. If the system refuses
// threads, the queue goes on with fewer, and the thread that waits does the work itself.
#include "query/gpu/table/task_queue.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace presso::gpu {

TaskQueue::~TaskQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  added_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

/// Only once: refused threads are not asked for again.
void TaskQueue::start_threads() {
  if (has_started_) return;
  has_started_ = true;
  try {
    helpers_.reserve(threads_ - 1);
    while (helpers_.size() + 1 < threads_) helpers_.emplace_back([this] { loop(); });
  } catch (const std::system_error&) {  // go on with fewer
  } catch (const std::bad_alloc&) {
  }
}

void TaskQueue::loop() {
  Lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    if (is_stopping_) return;
    work_on_one(*waiting_.front(), lock);
  }
}

void TaskQueue::work_on_one(Tasks& tasks, Lock& lock) {
  const std::size_t item = tasks.begun_++;
  if (tasks.begun_ == tasks.count_) remove(tasks);
  lock.unlock();
  tasks.work_(item);
  lock.lock();
  if (++tasks.done_ == tasks.count_) done_.notify_all();
}

void TaskQueue::remove(const Tasks& tasks) {
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &tasks), waiting_.end());
}

void TaskQueue::add(Tasks& tasks) {
  insert(tasks, false);
}

void TaskQueue::add_first(Tasks& tasks) {
  insert(tasks, true);
}

void TaskQueue::insert(Tasks& tasks, bool is_first) {
  if (tasks.count_ == 0) return;
  {
    const std::lock_guard lock(mutex_);
    waiting_.insert(is_first ? waiting_.begin() : waiting_.end(), &tasks);
  }
  start_threads();
  added_.notify_all();
}

void TaskQueue::finish(Tasks& tasks) {
  Lock lock(mutex_);
  while (tasks.begun_ < tasks.count_) work_on_one(tasks, lock);
  done_.wait(lock, [&tasks] { return tasks.done_ == tasks.count_; });
}

void TaskQueue::drop(Tasks& tasks) {
  Lock lock(mutex_);
  remove(tasks);
  tasks.count_ = tasks.begun_;
  done_.wait(lock, [&tasks] { return tasks.done_ == tasks.count_; });
}

/// A forked process does not have the threads and would wait for them for ever, so it leaks the
/// queue.
KeptQueue::~KeptQueue() {
  if (process_ != getpid()) static_cast<void>(kept_.release());
}

KeptQueue::Lent KeptQueue::lend(unsigned threads) {
  std::unique_ptr<TaskQueue> queue;
  {
    const std::lock_guard lock(mutex_);
    queue = std::move(kept_);
  }
  if (queue == nullptr || queue->threads() != std::max(threads, 1u)) {
    queue = std::make_unique<TaskQueue>(threads);
  }
  return {*this, std::move(queue)};
}

/// Keeps this queue. The one kept before ends its threads after the mutex has been released.
void KeptQueue::give_back(std::unique_ptr<TaskQueue> queue) {
  const std::lock_guard lock(mutex_);
  std::swap(kept_, queue);
}

}  // namespace presso::gpu
