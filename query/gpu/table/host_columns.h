// SPDX-License-Identifier: MIT
// Columns of build rows in pinned host memory, which kernels write and gather over PCIe, for build
// sides whose keys and lookup fill the device's memory; and the decision whether that is expected
// to take less time than making the build side in parts. The rates below are estimates and have not
// been measured. Host code that knows no device. Tested by
// tests/simt/query_host_columns_on_gpu_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace presso::gpu {

/// Bytes a second, thought for PCIe 5 and an H100's memory. None has been measured yet.
struct HostRates {
  double write = 20e9;     ///< by kernels to pinned memory, rows of a warp side by side
  double gather = 20e9;    ///< by kernels from there, a sector for each value
  double read = 20e9;      ///< the root's blocks to the device, from files that are cached
  double resident = 1e12;  ///< blocks that are decoded where they are
};

/// What columns in host memory take, or passes over the root in their place.
struct HostColumns {
  double row_bytes = 0;      ///< of a build row's columns
  double columns = 0;        ///< that a match gathers
  double rows = 0;           ///< of the build side that have them there
  double matches = 0;        ///< rows of the root that find one of these, expected
  double pass_bytes = 0;     ///< stored bytes of the root that each pass reads
  bool is_resident = false;  ///< these are in the device's memory
  double passes = 0;         ///< that host memory saves; infinite: there is no other way
};

inline double seconds_of_passes(const HostColumns& of, const HostRates& rates) {
  return of.passes * std::max(of.pass_bytes, 1.0) / (of.is_resident ? rates.resident : rates.read);
}

inline double seconds_on_host(const HostColumns& of, const HostRates& rates) {
  constexpr double kSectorBytes = 32;  // allow(bare-32): bytes
  return of.rows * of.row_bytes / rates.write +
         of.matches * of.columns * kSectorBytes / rates.gather;
}

/// The bytes of pinned memory that a query may have for such columns: half of its memory, or of
/// what the limit of pinned memory allows, if that is less.
constexpr std::uint64_t most_host_bytes(std::uint64_t memory_bytes, std::uint64_t pinned_bytes) {
  return std::min(memory_bytes, pinned_bytes) / 2;
}

}  // namespace presso::gpu
