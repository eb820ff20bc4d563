// SPDX-License-Identifier: MIT
// The checksums of the format (FORMAT.md 8), both made of XXH3 (Collet's xxHash, 64 bits): one over
// a header or a whole section, and one over a block's content, which hashes segments of
// kChecksumSegmentBytes apart and then the list of their hashes, so that many lanes can work at
// once. Long inputs use the widest registers that the CPU has (checksum_loops.h); results are
// equal on all of them. Tested by tests/unit/format/checksum_test.cpp.
#include "presso/checksum.h"

#include <array>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/checksum_loops.h"
#include "format/cpu_loops.h"
#include "presso/wire.h"

namespace presso {

using checksum_detail::ChecksumLoops;
static_assert(checksum_detail::kSegmentBytes == kChecksumSegmentBytes);

/// Below kLong the call through a kernel of another file costs more than it gains.
std::uint64_t checksum64(Bytes bytes) {
  constexpr std::size_t kLong = 4096;
  if (bytes.size() < kLong) return XXH3_64bits(bytes.data(), bytes.size());
  return loops_for<ChecksumLoops>().hash(bytes.data(), bytes.size());
}

// On the heap, because XXH3's state has 576 bytes and is aligned to 64, which new keeps.
struct Checksum64::State {
  XXH3_state_t xxh3;
};

void Checksum64::Free::operator()(State* state) const {
  delete state;
}

Checksum64::Checksum64() : state_(new State) {
  XXH3_INITSTATE(&state_->xxh3);
  XXH3_64bits_reset(&state_->xxh3);
}

void Checksum64::add(Bytes piece) {
  XXH3_64bits_update(&state_->xxh3, piece.data(), piece.size());
}

std::uint64_t Checksum64::value() const {
  return XXH3_64bits_digest(&state_->xxh3);
}

std::uint32_t checksum32(Bytes bytes) {
  return static_cast<std::uint32_t>(checksum64(bytes));
}

/// `plain` holds at most kMaxBlockBytes. The last segment may be short; the library hashes it.
std::uint64_t content_checksum(Bytes plain, CpuLevel level) {
  std::array<std::uint64_t, kMaxBlockBytes / kChecksumSegmentBytes> segments;
  std::size_t count = plain.size() / kChecksumSegmentBytes;
  loops_for<ChecksumLoops>(level).hash_segments(plain.data(), count, segments.data());
  const Bytes rest = plain.subspan(count * kChecksumSegmentBytes);
  if (!rest.empty()) segments[count++] = XXH3_64bits(rest.data(), rest.size());
  return XXH3_64bits(segments.data(), count * sizeof segments[0]);
}

}  // namespace presso
