// SPDX-License-Identifier: MIT
// Checksums of the format (FORMAT.md 8), built on XXH3 (64 bits, seed 0).
//
// A block's content is hashed in segments of 1 KiB, each on its own, and the segment hashes, as an
// array of little-endian 64-bit words, are hashed once more. Segments make it verifiable in
// parallel: eight GPU lanes hold the eight accumulators of one segment, and a segment of at most
// 1 KiB never needs XXH3's scramble step.
#pragma once

#include <cstdint>
#include <memory>

#include "presso/bytes.h"
#include "presso/cpu.h"

namespace presso {

constexpr std::size_t kChecksumSegmentBytes = 1024;

/// XXH3-64 of the bytes as a whole: sections and headers.
std::uint64_t checksum64(Bytes bytes);
/// checksum64() of bytes that come in pieces.
class Checksum64 {
 public:
  Checksum64();
  void add(Bytes piece);
  /// The checksum of all pieces so far, joined.
  std::uint64_t value() const;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};
/// The low half of checksum64.
std::uint32_t checksum32(Bytes bytes);
/// The checksum of a block's uncompressed bytes by segments, as above; `plain` has at most
/// kMaxBlockBytes. `level` must be supported; it does not change the result.
std::uint64_t content_checksum(Bytes plain, CpuLevel level = cpu_level());

}  // namespace presso
