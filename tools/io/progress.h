// SPDX-License-Identifier: MIT
// A progress bar on stderr: share done, rate, time left. Redrawn ten times a second at most.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace presso::cli {

class Progress {
 public:
  /// Draws only if `wanted` and stderr is a terminal. `total`: bytes, 0 if unknown.
  Progress(const std::string& name, std::uint64_t total, bool wanted);
  /// Takes the bar off the screen.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of total bytes; `plain` bytes set the rate. One caller at a time.
  void update(std::uint64_t done, std::uint64_t plain);

 private:
  using Clock = std::chrono::steady_clock;

  std::string name_;
  std::uint64_t total_;
  bool active_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_ = start_ + std::chrono::milliseconds(300);
};

/// The bar as text, for a terminal of `columns`.
std::string progress_line(const std::string& name, std::uint64_t done, std::uint64_t total,
                          std::uint64_t plain, double seconds, unsigned columns);
/// "1.23 GB/s", "87 MB/s": powers of 1000.
std::string rate_text(double bytes_per_second);

}  // namespace presso::cli
