// SPDX-License-Identifier: MIT
// A progress bar on stderr with the share done, the rate and the time left. It is redrawn ten times
// a second at most, first after 0.3 s, and taken away at the end. Tested by
// tests/cli/test_frame.py.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace presso::cli {

/// The bar of one file.
class Progress {
 public:
  /// Draws only if `wanted` and stderr is a terminal. `total` is in bytes, 0 if it is not known.
  Progress(const std::string& name, std::uint64_t total, bool wanted);
  /// Takes the bar off the screen.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Tells that `done` of the total bytes are done; `plain` bytes set the rate. Called by one
  /// thread at a time.
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

/// The bar as text, for a terminal of `columns` columns.
std::string progress_line(const std::string& name, std::uint64_t done, std::uint64_t total,
                          std::uint64_t plain, double seconds, unsigned columns);
/// A rate in powers of 1000: "1.23 GB/s", "87 MB/s".
std::string rate_text(double bytes_per_second);

}  // namespace presso::cli
