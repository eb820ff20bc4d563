// SPDX-License-Identifier: MIT
// Measures how the time for bringing tables from files to a device is spent, by phase, for lab
// programs (query_gpu_rate --phases, load_rate).
#pragma once

#include <cstdint>

namespace presso::gpu {

/// In seconds.
struct LoadTimes {
  // Of all threads together:
  double opening = 0;      ///< directories of row groups, and lists of their blocks
  double reading = 0;      ///< blocks, to pinned memory
  double pinned_wait = 0;  ///< for pinned memory, which copies to the device have to leave first
  // Of the thread that runs the query:
  double beginning = 0;   ///< parts: row groups are opened together, memory is allocated
  double read_wait = 0;   ///< reading together with the threads, until a part has been read
  double check_wait = 0;  ///< until the device has the rest of a part, and has checked it
  double running = 0;     ///< what is done with the part: kernels, what they need and give
  std::uint64_t parts = 0;

  LoadTimes& operator+=(const LoadTimes& more) {
    opening += more.opening;
    reading += more.reading;
    pinned_wait += more.pinned_wait;
    beginning += more.beginning;
    read_wait += more.read_wait;
    check_wait += more.check_wait;
    running += more.running;
    parts += more.parts;
    return *this;
  }
};

}  // namespace presso::gpu
