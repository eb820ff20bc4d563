// SPDX-License-Identifier: MIT
// A Team: threads that share the pieces of one task at a time. The pipeline reads and copies with
// one, since reading a batch into pinned memory is many times slower with one thread (7.5 GB/s from
// the page cache, 26 with four, 40 with eight).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "presso/error.h"

namespace presso::gpu {

/// A small pool for one caller. Pieces are handed out one by one under a mutex, so they should
/// take well over a microsecond each.
class Team {
 public:
  using Task = std::function<Status(std::size_t piece)>;

  /// The caller of run() is one of the `threads`; the others start with the first run that has work
  /// for them and wait between runs. If the system refuses threads, those that could be started do
  /// the work.
  explicit Team(unsigned threads) : threads_(threads == 0 ? 1 : threads) {}
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls task(0) to task(pieces - 1), each once, on any of the threads, and returns when all are
  /// done, with the error of the lowest piece that has one. One caller at a time; the task must not
  /// throw.
  Status run(std::size_t pieces, const Task& task);
  /// The number of threads that were asked for, at least 1, even if the system has refused some.
  unsigned threads() const { return threads_; }

 private:
  /// Makes the helping threads.
  void start();
  /// What a helping thread does until the end.
  void loop();
  /// Takes pieces until none is left; called and returns with the lock held.
  void work(std::unique_lock<std::mutex>& lock);

  unsigned threads_;
  std::mutex mutex_;
  std::condition_variable begun_, finished_;
  /// The task of the run under way, then its pieces: how many, the next to hand out, how many
  /// are done. All under mutex_.
  const Task* task_ = nullptr;
  std::size_t pieces_ = 0, next_ = 0, done_ = 0;
  std::size_t failed_piece_ = 0;
  Status failure_;
  bool stopping_ = false;
  std::vector<std::thread> helpers_;
};

/// Calls task(begin, end) for pieces of at most `piece_bytes` that cover the range from 0 to
/// `bytes`.
Status run_over_bytes(Team& team, std::uint64_t bytes, std::uint64_t piece_bytes,
                      const std::function<Status(std::uint64_t begin, std::uint64_t end)>& task);

}  // namespace presso::gpu
