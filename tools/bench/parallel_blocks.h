// SPDX-License-Identifier: MIT
// Runs a function over all blocks of a bench input on several threads. Each thread takes one
// contiguous range, so that output is written from front to back, as it would be in real use.
// Threads are started anew at each call, which counts for all codecs alike. Tested by
// tests/cli/test_reports.py.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "presso/error.h"

namespace presso::cli {

/// Calls `work(begin, end, worker)` for disjoint ranges that cover [0, blocks), and returns one of
/// the errors if there are any. The calling thread takes the first range. `work` must not throw.
inline Status over_block_ranges(
    std::size_t blocks, unsigned threads,
    const std::function<Status(std::size_t, std::size_t, unsigned)>& work) {
  std::mutex mutex;
  std::optional<Error> failure;
  const auto run = [&](unsigned worker) {
    const std::size_t begin = blocks * worker / threads;
    // The ranges differ by one block at most.
    const std::size_t end = blocks * (worker + 1) / threads;
    Status done = work(begin, end, worker);
    if (done.ok()) return;
    const std::lock_guard lock(mutex);
    // Any of several errors will do; the measurement ends with it.
    failure = std::move(done.error());
  };
  std::vector<std::thread> helpers;
  for (unsigned worker = 1; worker < threads; ++worker) helpers.emplace_back(run, worker);
  run(0);
  for (std::thread& helper : helpers) helper.join();
  if (failure) return std::move(*failure);
  return {};
}

}  // namespace presso::cli
