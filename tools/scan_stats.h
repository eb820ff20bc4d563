// SPDX-License-Identifier: MIT
// What `presso scan --stats` prints behind the results: ripgrep's lines, then what the blocks of
// compressed files and their filters had to do with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "presso/scan.h"

namespace presso::cli {

class ScanStats {
 public:
  /// A file that was searched; `invert`: selected lines are those without a match.
  void add(const ScanSummary& summary, std::chrono::duration<double> seconds, bool invert);
  /// `printed`: bytes written to standard output so far.
  std::string text(std::uint64_t printed) const;

 private:
  ScanSummary sum_;
  std::uint64_t files_ = 0;
  std::uint64_t files_with_matches_ = 0;
  std::uint64_t files_with_index_ = 0;
  std::chrono::duration<double> searching_{0};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace presso::cli
