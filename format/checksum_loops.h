// SPDX-License-Identifier: MIT
// The parts of checksums that cost time: XXH3 of whole segments, several words at once, and of long
// inputs. Results are equal at all CPU levels. Measured in decompress/cpu/NOTES.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace presso::checksum_detail {

/// The size of a segment, kChecksumSegmentBytes.
constexpr std::size_t kSegmentBytes = 1024;

/// One set a level; loops_for() of format/cpu_loops.h picks one.
struct ChecksumLoops {
  /// Writes the hash of each of `count` segments that stand at `plain`, at any alignment.
  void (*hash_segments)(const std::uint8_t* plain, std::size_t count, std::uint64_t* hashes);
  /// XXH3 of all bytes: the library's code, compiled for the level.
  std::uint64_t (*hash)(const std::uint8_t* bytes, std::size_t size);

  static const ChecksumLoops portable, avx2, avx512;
};

}  // namespace presso::checksum_detail
