// SPDX-License-Identifier: MIT
// Elapsed time, by the steady clock.
#pragma once

#include <algorithm>
#include <chrono>

namespace presso {

/// Runs from its construction on.
class Stopwatch {
 public:
  /// Never 0, so that rates can be taken.
  double seconds() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return std::max(passed.count(), 1e-9);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace presso
