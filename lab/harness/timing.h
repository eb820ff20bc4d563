// SPDX-License-Identifier: MIT
// Times of repeated work by a clock of the host. Tested by lab/tests/harness_test.cpp; what a GPU
// takes by its own clock is in gpu.h.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

#include "presso/error.h"

namespace presso::harness {

struct Times {
  double median = 0, best = 0, worst = 0;
};

/// The summary of at least one time, in any unit.
inline Times summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

/// The time that passes, or the processor time of this process or thread, which other work on the
/// machine disturbs less.
enum class Clock {
  kWall = CLOCK_MONOTONIC,
  kProcess = CLOCK_PROCESS_CPUTIME_ID,
  kThread = CLOCK_THREAD_CPUTIME_ID
};

/// Seconds since some moment.
inline double now(Clock clock) {
  timespec time{};
  clock_gettime(static_cast<clockid_t>(clock), &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds that `work` takes.
template <class Work>
double seconds_of(Clock clock, Work&& work) {
  const double begin = now(clock);
  work();
  return now(clock) - begin;
}

/// The least seconds of `runs` runs.
template <class Work>
double best_seconds(int runs, Clock clock, Work&& work) {
  double best = 1e300;
  for (int run = 0; run < runs; ++run) best = std::min(best, seconds_of(clock, work));
  return best;
}

/// The times that `time_once` returns in `runs` runs, after `warm_ups` whose times do not count.
inline Result<Times> repeat(int runs, int warm_ups,
                            const std::function<Result<double>()>& time_once) {
  std::vector<double> times;
  for (int run = -warm_ups; run < runs; ++run) {
    PRESSO_ASSIGN(const double time, time_once());
    if (run >= 0) times.push_back(time);
  }
  return summary(std::move(times));
}

/// Seconds of `runs` runs by the wall, after `warm_ups`.
inline Result<Times> measure(int runs, int warm_ups, const std::function<Status()>& work) {
  return repeat(runs, warm_ups, [&]() -> Result<double> {
    const double begin = now(Clock::kWall);
    PRESSO_TRY(work());
    return now(Clock::kWall) - begin;
  });
}

}  // namespace presso::harness
