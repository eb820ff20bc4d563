// SPDX-License-Identifier: MIT
// Elapsed time by the steady clock, for progress and statistics.
#pragma once

#include <algorithm>
#include <chrono>

namespace presso {

/// Measures from its construction on; it cannot be stopped.
class Stopwatch {
 public:
  /// Returns the seconds since construction, never 0, so that rates can be computed.
  double seconds() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return std::max(passed.count(), 1e-9);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace presso
