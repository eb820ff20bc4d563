// SPDX-License-Identifier: MIT
// Writes the bytes of a group of 32 sequences in order of their output position, not sequence by
// sequence: every lane is busy however long literal runs and matches are, and stores are coalesced.
//
// A *segment* is a literal run or a match that is not empty. Each has an entry with its *source*:
// the address that position 0 would come from, so that a byte at position p is found at source + p
// whether it is a literal, lies in the block or in the dictionary. A bitmap of the positions where
// segments start says which segment a byte belongs to: its rank is the number of starts up to it.
// Lanes set the bits after their two segments (an empty one sets a bit that another sets, too), a
// prefix sum over the words' population counts makes ranks cheap, and a lane needs one look-up for
// its first byte and a bit test for each further one.
//
// Bytes in front of the group, after it, and of segments to be skipped belong to entries that say
// so: they are neither read nor written. So no word that the group shares with its neighbours, or
// the block with other blocks, is ever stored as a whole.
//
// Per 128 bytes of output, 32 lanes x 1 byte cost four look-ups and four byte stores, but
// neighbouring bytes are gathered by neighbouring lanes, so a gather touches few cache lines; 32
// lanes x 4 bytes cost one look-up and one store, but each of the four gathers touches every
// segment's line. The width is a policy (sources: S7.17).
//
// Requires: sources are final, in other words end at or before the group's start, are literals or
// dictionary. Groups longer than the table's window are taken window by window.
// Synchronisation: two warp_syncs a window; the caller's warp_sync makes the bytes visible and
// separates this group's entries from the next one's.
#pragma once

#include "decompress/gpu/warp/group_places.cuh"

namespace presso::gpu {

/// 32 bytes of output, one word of the bitmap.
struct alignas(8) OutputRow {
  u32 starts;  ///< bit i: a segment starts at byte i
  u32 before;  ///< segments that start before this row, times the size of an entry
};

/// In shared memory, one a warp. Entry 0 stands for what precedes the group.
struct alignas(16) SegmentTable {
  static constexpr u32 kRowBytes = 32;  // allow(bare-32): bits of a word
  static constexpr u32 kWindowBytes = kWarpSize * kRowBytes;

  u64 sources[2 * kWarpSize + 2];
  OutputRow rows[kWarpSize];
  u32 starts[kWarpSize];  ///< all zero between windows

  /// Clears the table; called by the whole warp before the first group.
  PRESSO_DEVICE void clear();
  /// The entry of the segment that starts as the `rank`-th after the row's first byte.
  PRESSO_DEVICE const u64* entry(const OutputRow& row, u32 rank) const {
    return reinterpret_cast<const u64*>(reinterpret_cast<const Byte*>(sources) +
                                        (row.before + rank * sizeof(u64)));
  }
};

/// Where a source has this bit in its upper half, its segment is skipped: its bytes are neither
/// read nor written.
constexpr u32 kSkip = u32{1} << 31;

PRESSO_DEVICE bool is_skipped(u64 source) {
  return (source >> 32 & kSkip) != 0;  // allow(bare-32): bits
}
PRESSO_DEVICE u64 skip_if(bool condition, u64 source) {
  const u32 upper = condition ? kSkip : static_cast<u32>(source >> 32);  // allow(bare-32): bits
  return u64{upper} << 32 | static_cast<u32>(source);                    // allow(bare-32): bits
}

PRESSO_DEVICE void SegmentTable::clear() {
  starts[simt::lane()] = 0;
  if (simt::lane() == 0) sources[0] = skip_if(true, 0);
}

/// One byte of output on its way from memory to memory.
template <u32 kBytes>
class GatheredBytes;

template <>
class GatheredBytes<1> {
 public:
  /// `bit`: of the byte in its row.
  PRESSO_DEVICE void load(const SegmentTable& table, const OutputRow& row, u32 bit, u64 position) {
    source_ = *table.entry(row, simt::popcount(row.starts & ((2u << bit) - 1)));
    if (!is_skipped(source_)) value_ = load_global<Byte>(source_ + position);
  }
  PRESSO_DEVICE void store(u64 to) const {
    if (!is_skipped(source_)) store_global(to, value_);
  }

 private:
  u64 source_;
  Byte value_;
};

/// Several consecutive bytes, aligned to their number. Where one of them is to be skipped, each is
/// looked at by itself.
template <u32 kBytes>
class GatheredBytes {
 public:
  /// `bit`: of the first byte in its row. `position`: of the first byte.
  PRESSO_DEVICE void load(const SegmentTable& table, const OutputRow& row, u32 bit, u64 position) {
    const u64* entry = table.entry(row, simt::popcount(row.starts & ((2u << bit) - 1)));
    const u32 starts = row.starts >> bit;
    u64 source = *entry;
    u64 from[kBytes];
    from[0] = source + position;
    u64 all = source;
    PRESSO_UNROLL
    for (u32 i = 1; i < kBytes; ++i) {
      if ((starts >> i & 1) != 0) source = *++entry;
      all |= source;
      from[i] = source + position;
    }
    present_ = kAll;
    u32 bytes[kBytes];
    if (!is_skipped(all)) {
      PRESSO_UNROLL
      for (u32 i = 0; i < kBytes; ++i) bytes[i] = load_global<Byte>(from[i] + i);
    } else {
      PRESSO_UNROLL
      for (u32 i = 0; i < kBytes; ++i) {
        bytes[i] = 0;
        if (is_skipped(from[i])) {
          present_ &= ~(1u << i);
        } else {
          bytes[i] = load_global<Byte>(from[i] + i);
        }
      }
    }
    pack(bytes);
  }

  PRESSO_DEVICE void store(u64 to) const {
    if (present_ == kAll) {
      if constexpr (kBytes == 2) store_global(to, static_cast<std::uint16_t>(words_[0]));
      if constexpr (kBytes == 4) store_global(to, words_[0]);
      if constexpr (kBytes == 8) store_global(to, simt::Vec2{words_[0], words_[1]});
      if constexpr (kBytes == 16) {
        store_global(to, simt::Vec4{words_[0], words_[1], words_[2], words_[3]});
      }
      return;
    }
    PRESSO_UNROLL
    for (u32 i = 0; i < kBytes; ++i) {
      if ((present_ >> i & 1) == 0) continue;
      store_global(to + i, static_cast<Byte>(words_[i / 4] >> (i % 4 * 8)));
    }
  }

 private:
  static constexpr u32 kAll = (2u << (kBytes - 1)) - 1;

  PRESSO_DEVICE void pack(const u32 (&bytes)[kBytes]) {
    if constexpr (kBytes == 2) {
      words_[0] = simt::byte_permute(bytes[0], bytes[1], 0x0040);
    } else {
      PRESSO_UNROLL
      for (u32 i = 0; i < kBytes; i += 4) {
        words_[i / 4] =
            simt::byte_permute(simt::byte_permute(bytes[i], bytes[i + 1], 0x0040),
                               simt::byte_permute(bytes[i + 2], bytes[i + 3], 0x0040), 0x5410);
      }
    }
  }

  u32 words_[(kBytes + 3) / 4];
  u32 present_;  // bit i: byte i is there
};

/// Copies the segments of one group; each lane brings the sources of its two.
template <class Policy>
class SegmentCopy {
 public:
  PRESSO_DEVICE SegmentCopy(SegmentTable& table, u32 below) : table_(table), below_(below) {}

  /// `from`, `to`: the group's first position and the one after its last.
  PRESSO_DEVICE void run(u64 base, const LaneSequence& sequence, u32 matches, u64 literal_source,
                         u64 match_source, u32 from, u32 to) {
    enter_sources(sequence, matches, literal_source, match_source);
    u32 before = 0;
    u32 window = from & ~(SegmentTable::kRowBytes - 1);
    u32 first = 1u << from % SegmentTable::kRowBytes;
    PRESSO_NO_UNROLL
    do {
      mark(sequence.to(), window);
      mark(sequence.to() + sequence.length, window);
      simt::warp_sync();
      before = index_rows(first, to - window, before);
      first = 0;
      simt::warp_sync();
      copy_window(base, window, to);
      window += SegmentTable::kWindowBytes;
    } while (window < to);
  }

 private:
  static constexpr u32 kEntryBytes = sizeof(u64);
  static constexpr u32 kLaneBytes = Policy::kCopyBytes;
  static constexpr u32 kWarpBytes = kWarpSize * kLaneBytes;
  static constexpr u32 kStepBytes = kWarpBytes * Policy::kCopiesInFlight;
  static_assert(SegmentTable::kWindowBytes % kStepBytes == 0);

  PRESSO_DEVICE void enter_sources(const LaneSequence& sequence, u32 matches, u64 literal_source,
                                   u64 match_source) {
    const u32 runs = simt::ballot(sequence.literals != 0);
    u64* entry =
        table_.sources + 1 + simt::popcount(runs & below_) + simt::popcount(matches & below_);
    if (sequence.literals != 0) *entry++ = literal_source;
    if (sequence.length != 0) *entry++ = match_source;
    if (simt::lane() == kWarpSize - 1) reinterpret_cast<u32*>(entry)[1] = kSkip;
  }

  /// Sets the bit of a position. One outside of the window sets none: a word is or-ed with 0, so
  /// that there is no branch.
  PRESSO_DEVICE void mark(u32 position, u32 window) {
    const u32 bit = position - window;
    simt::atomic_or(&table_.starts[bit / SegmentTable::kRowBytes % kWarpSize],
                    bit < SegmentTable::kWindowBytes ? 1u << bit % SegmentTable::kRowBytes : 0);
  }

  /// A lane a row. `first`: the first row's bit where the group starts in this window. `end`: of
  /// the group. Returns `before` for the next window.
  PRESSO_DEVICE u32 index_rows(u32 first, u32 end, u32 before) {
    u32 starts = table_.starts[simt::lane()];
    table_.starts[simt::lane()] = 0;
    if (simt::lane() == 0) starts |= first;
    const u32 count = simt::popcount(starts);
    const u32 upto = simt::inclusive_sum(count);
    table_.rows[simt::lane()] = {starts, before + (upto - count) * kEntryBytes};
    if (end <= SegmentTable::kWindowBytes) return 0;
    return before + simt::shuffle(upto, kWarpSize - 1) * kEntryBytes;
  }

  /// Copies one window. What changes from step to step is the same in all lanes.
  PRESSO_DEVICE void copy_window(u64 base, u32 window, u32 to) {
    const u32 mine = simt::lane() * kLaneBytes;
    const u32 bit = mine % SegmentTable::kRowBytes;
    const u32 end =
        window + SegmentTable::kWindowBytes < to ? window + SegmentTable::kWindowBytes : to;
    const OutputRow* rows = table_.rows;
    PRESSO_NO_UNROLL
    for (u32 at = window; at < end; at += kStepBytes) {
      GatheredBytes<kLaneBytes> bytes[Policy::kCopiesInFlight];
      const OutputRow* const row = rows + mine / SegmentTable::kRowBytes;
      const u64 position = at + mine;
      PRESSO_UNROLL
      for (u32 i = 0; i < Policy::kCopiesInFlight; ++i) {
        bytes[i].load(table_, row[i * kLaneBytes], bit, position + i * kWarpBytes);
      }
      PRESSO_UNROLL
      for (u32 i = 0; i < Policy::kCopiesInFlight; ++i) {
        bytes[i].store(base + position + i * kWarpBytes);
      }
      rows += Policy::kCopiesInFlight * kLaneBytes;
    }
  }

  SegmentTable& table_;
  u32 below_;
};

}  // namespace presso::gpu
