// SPDX-License-Identifier: MIT
// One of five files by whose compilation tests/house/build_time.py measures a machine. None
// changes.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

long sum_on_threads(const std::vector<std::vector<long>>& parts, unsigned count) {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<const std::vector<long>*> waiting;
  std::atomic<long> sum{0};
  for (const auto& part : parts) waiting.push_back(&part);
  std::vector<std::future<void>> workers;
  for (unsigned i = 0; i < count; ++i) {
    workers.push_back(std::async(std::launch::async, [&] {
      std::unique_lock lock(mutex);
      while (!waiting.empty()) {
        const std::vector<long>* part = waiting.front();
        waiting.pop_front();
        lock.unlock();
        for (const long value : *part) sum += value;
        lock.lock();
        changed.notify_one();
      }
    }));
  }
  for (auto& worker : workers) worker.wait();
  return sum;
}
