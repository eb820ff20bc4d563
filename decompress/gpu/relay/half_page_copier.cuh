// SPDX-License-Identifier: MIT
// Copies half pages of 2 KiB: the work of the relay decoder's copiers. Sources: S7.6, S7.7, S7.16,
// S7.17.
//
// A *segment* is the literal run of a sequence or its match. Parsers (relay_parser.cuh) have marked
// the byte where each begins and filled a *slot* that says how far back its bytes are; slots are
// numbered in order. A page's literals are in the ring too, ahead of its own bytes.
//
// Each lane of the eight copying warps owns eight bytes of a half page, four in each half of its
// warp's chunk: so the sources of 32 lanes' n-th bytes, mostly side by side, lie in different
// banks. A half page takes two steps, each of which ends with a barrier:
//
//   first wave   the sum of the marks up to a byte numbers its slot; the lane gathers byte by byte
//                and stores once
//   second wave  bytes whose source lies in the same half page are gathered again. The half page
//                goes to global memory from registers. Marks of the next half page are summed up
//
// Two waves are enough because the tile rule promises it (FORMAT.md 6.3), for tiles of 2 KiB or
// more. A block that lies about its rule decodes to wrong bytes, no worse.
//
// Back: ring positions are taken modulo kRing, and a byte of a segment has its source `back` below
// it: a match its distance, a literal run kRing less what its literals lie ahead. A slot is
// kSlotBias - back; that of a match which overlaps itself within a half page has a value of its
// own.
#pragma once

#include <cstddef>

#include "decompress/gpu/plan/relay_layout.h"
#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

using simt::u32;
using simt::u64;

/// A slot is kSlotBias - back, or kSlotBias + kOverlapGap + distance of a match that overlaps
/// itself within a half page.
constexpr u32 kOverlapGap = 136;  ///< more than between a lane's first byte and its last
constexpr u32 kSlotBias = 65535 - kOverlapGap - (kHalfPageBytes - 1);
constexpr u32 kEachByte = 0x01010101u;

/// Initial slots: a slot that nobody fills points to bytes that may be read.
constexpr u32 kHarmlessSlots = (kSlotBias - kHalfPageBytes) * 0x00010001u;

template <class Policy, class Shared>
class HalfPageCopier {
 public:
  /// Loads the marks of the half page at `tables` (the offset of the page's tables in shared
  /// memory) and `in_page`, and publishes the sum of this warp's.
  PRESSO_DEVICE void prepare(Shared& shared, u32 tables, u32 in_page) {
    tables_ = tables;
    in_page_ = in_page;
    low_ = simt::load_shared<u32, kMarks>(tables + in_page + mine_);
    high_ = simt::load_shared<u32, kMarks + kHalf>(tables + in_page + mine_);
    const u32 sums = simt::dot4(low_, kEachByte, 0) | simt::dot4(high_, kEachByte, 0) << 16;
    const u32 upto = simt::inclusive_sum(sums);
    const u32 all = simt::shuffle(upto, simt::kWarpSize - 1);
    before_low_ = (upto - sums) & 0xFFFFu;
    before_high_ = (all & 0xFFFFu) + ((upto - sums) >> 16);
    if (simt::lane() == 0) {
      shared.warp_marks[simt::warp_in_block()] = (all & 0xFFFFu) + (all >> 16);
    }
  }

  /// The first wave of the half page that was prepared. `ring`: where it lies in the ring; `base`:
  /// sum of the page's marks before it, less those of one segment; becomes that of the next half
  /// page.
  PRESSO_DEVICE void first_wave(const Shared& shared, u32 ring, u32& base) {
    half_page_ = static_cast<int>(ring);
    place_ = ring + mine_;
    const u32 of_warp = simt::lane() < kCopiers ? shared.warp_marks[simt::lane()] : 0;
    const u32 below = simt::lane() < simt::warp_in_block() ? of_warp : 0;
    const u32 slot = tables_ + base + simt::reduce_add(below);
    base += simt::reduce_add(of_warp);
    constexpr u32 kUpTo[4] = {0x00000001u, 0x00000101u, 0x00010101u, 0x01010101u};
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      const u32 mine = i < 4 ? simt::dot4(low_, kUpTo[i % 4], slot + before_low_)
                             : simt::dot4(high_, kUpTo[i % 4], slot + before_high_);
      from_[i] = static_cast<int>(simt::load_shared<SegmentSlot, kSegmentSlots>(mine) + place_ -
                                  kSlotBias + at(i));
    }
    top_ = highest();
    if (simt::any(top_ > static_cast<int>(place_ + kOverlapGap))) {
      resolve_overlaps();
      top_ = highest();
    }
    u32 bytes[8];
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      const int highest_final = half_page_ - 1;
      bytes[i] =
          simt::load_shared<Byte, 0>(wrap(from_[i] < highest_final ? from_[i] : highest_final));
    }
    take(bytes);
    simt::store_shared_u32<0>(place_, values_[0]);
    simt::store_shared_u32<kHalf>(place_, values_[1]);
  }

  PRESSO_DEVICE void clear_marks() const {
    simt::store_shared_u32<kMarks>(tables_ + in_page_ + mine_, 0);
    simt::store_shared_u32<kMarks + kHalf>(tables_ + in_page_ + mine_, 0);
  }

  PRESSO_DEVICE bool has_near() const { return top_ >= half_page_; }

  /// The second wave: bytes whose source lies in the half page.
  PRESSO_DEVICE void second_wave() {
    u32 bytes[8];
    gather_all(bytes);
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      if (from_[i] >= half_page_) simt::store_shared_u8<0>(place_ + at(i), bytes[i]);
    }
    take(bytes);
  }

  /// Writes the half page to global memory at `to`. `valid`: the block's bytes from there on.
  PRESSO_DEVICE void flush(Byte* to, u32 valid) const {
    if (valid >= kHalfPageBytes) {
      simt::store_streaming(reinterpret_cast<u32*>(to + mine_), values_[0]);
      simt::store_streaming(reinterpret_cast<u32*>(to + mine_ + kHalf), values_[1]);
    } else {
      PRESSO_UNROLL
      for (u32 i = 0; i < 8; ++i) {
        const Byte byte = static_cast<Byte>(values_[i / 4] >> (8 * (i % 4)));
        if (mine_ + at(i) < valid) to[mine_ + at(i)] = byte;
      }
    }
  }

 private:
  static constexpr u32 kMarks = TableOffsets<Shared>::kMarks;
  static constexpr u32 kSegmentSlots = TableOffsets<Shared>::kSegmentSlots;
  static_assert(offsetof(Shared, ring) == 0);

  static constexpr u32 kHalf = kWarpBytes / 2;

  /// Where the i-th of a lane's bytes lies, counted from its first.
  static PRESSO_DEVICE constexpr u32 at(u32 i) { return i < 4 ? i : kHalf + i - 4; }

  static PRESSO_DEVICE u32 wrap(int place) {
    const u32 plain = static_cast<u32>(place);
    const u32 lap = plain + Policy::kRing;
    return plain < lap ? plain : lap;
  }

  PRESSO_DEVICE void gather_all(u32 (&bytes)[8]) const {
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) bytes[i] = simt::load_shared<Byte, 0>(wrap(from_[i]));
  }

  PRESSO_DEVICE int highest() const {
    int top = from_[0];
    PRESSO_UNROLL
    for (u32 i = 1; i < 8; ++i) top = from_[i] > top ? from_[i] : top;
    return top;
  }

  static PRESSO_DEVICE u32 four(const u32* bytes) {
    return simt::byte_permute(simt::byte_permute(bytes[0], bytes[1], 0x0040),
                              simt::byte_permute(bytes[2], bytes[3], 0x0040), 0x5410);
  }
  PRESSO_DEVICE void take(const u32 (&bytes)[8]) {
    values_[0] = four(bytes);
    values_[1] = four(bytes + 4);
  }

  PRESSO_DEVICE bool overlaps(u32 i) const {
    return from_[i] > static_cast<int>(place_ + kOverlapGap + at(i));
  }
  PRESSO_DEVICE u32 overlap_distance(u32 i) const {
    return static_cast<u32>(from_[i]) - (place_ + kOverlapGap + at(i));
  }

  /// Page position of the half page's last mark in half strips before the given one of the half
  /// page; the half page's start where there is none. Marks of the half page stay until the barrier
  /// after the first wave.
  PRESSO_DEVICE u32 last_mark_before(u32 half) const {
    for (; half > 0; --half) {
      const u32 from = in_page_ + (half - 1) * kHalf + 4 * simt::lane();
      const u32 marks = simt::load_shared<u32, kMarks>(tables_ + from);
      const u32 votes = simt::ballot(marks != 0);
      if (votes != 0) {
        return simt::shuffle(from + last_of(marks),
                             simt::kWarpSize - 1 - simt::count_leading_zeros(votes));
      }
    }
    return in_page_;
  }

  /// Index of the last byte that is not 0, if there is one.
  static PRESSO_DEVICE u32 last_of(u32 marks) {
    return 3 - simt::count_leading_zeros(marks | 1) / 8;
  }

  /// Bytes of matches that overlap themselves: from the repetition that is nearest and lies below
  /// the half page, or below the match if that begins in the half page.
  PRESSO_DEVICE void resolve_overlaps() {
    resolve_overlaps<0>(low_);
    resolve_overlaps<4>(high_);
  }

  /// Resolves the lane's bytes kFirst to kFirst + 3, which have these marks.
  template <u32 kFirst>
  PRESSO_DEVICE void resolve_overlaps(u32 marks) {
    const u32 x = in_page_ + mine_ + at(kFirst);
    const u32 below = simt::ballot(marks != 0) & ((1u << simt::lane()) - 1);
    const u32 owner = simt::kWarpSize - 1 - simt::count_leading_zeros(below | 1);
    const u32 other = simt::shuffle(x + last_of(marks), owner);
    const u32 before = last_mark_before(2 * simt::warp_in_block() + kFirst / 4);
    const u32 start = below != 0 ? other : before;
    u32 phase = 0;
    u32 back = 0;
    if (overlaps(kFirst) && (marks & 255) == 0) {
      const u32 distance = overlap_distance(kFirst);
      const u32 repetitions = (x - start) / distance;
      phase = x - start - repetitions * distance;
      back = (repetitions + 1) * distance;
    }
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      if (overlaps(kFirst + i)) {
        const u32 distance = overlap_distance(kFirst + i);
        if ((marks >> (8 * i) & 255) != 0) {
          phase = 0;
          back = distance;
        } else if (i > 0 && ++phase == distance) {
          phase = 0;
          back += distance;
        }
        from_[kFirst + i] = static_cast<int>(place_ + at(kFirst + i)) - static_cast<int>(back);
      }
    }
  }

  // Position in the half page of this lane's first byte.
  u32 mine_ = simt::warp_in_block() * kWarpBytes + 4 * simt::lane();
  u32 tables_ = 0, in_page_ = 0;
  u32 low_ = 0, high_ = 0;                // marks
  u32 before_low_ = 0, before_high_ = 0;  // sums of the chunk's marks before them
  int half_page_ = 0;
  u32 place_ = 0;
  int top_ = 0;    // highest of from_
  int from_[8];    // ring position of each byte's source; may be a lap too low
  u32 values_[2];  // the lane's bytes
};

/// The copying warps' work on a half page, from its first wave to where the next one may be
/// prepared. Sync: static void sync(), a barrier of these warps.
template <class Policy, class Shared, class Sync>
class HalfPageSteps {
 public:
  PRESSO_DEVICE explicit HalfPageSteps(Shared& shared) : shared_(shared) {}

  /// Prepares a half page; a barrier must follow.
  PRESSO_DEVICE void prepare(u32 tables, u32 in_page) { copier_.prepare(shared_, tables, in_page); }

  /// The half page that was prepared. `base`: see first_wave(). `left`: the block's bytes from the
  /// half page's start on, or below 0.
  PRESSO_DEVICE void copy(u32& base, Byte* out, u32 left) {
    copier_.first_wave(shared_, ring_, base);
    Sync::sync();
    copier_.clear_marks();
    if (copier_.has_near()) copier_.second_wave();
    if (static_cast<int>(left) > 0) copier_.flush(out, left);
    ring_ += kHalfPageBytes;
    if (ring_ == Policy::kRing) ring_ = 0;
  }

  /// Ring position of the next half page.
  PRESSO_DEVICE u32 ring() const { return ring_; }

 private:
  Shared& shared_;
  HalfPageCopier<Policy, Shared> copier_;
  u32 ring_ = 0;
};

/// Requests bytes for the ring from `place` on, which may be past its end; in one lane. Place,
/// source and count are multiples of 16.
template <class Policy, class Shared>
PRESSO_DEVICE void copy_to_ring(Shared& shared, u64& barrier, u32 place, u64 source, u32 bytes) {
  while (place >= Policy::kRing) place -= Policy::kRing;
  const u32 room = Policy::kRing - place;
  const u32 head = bytes < room ? bytes : room;
  const auto* const from = reinterpret_cast<const Byte*>(source);
  simt::bulk_expect(&barrier, bytes);
  simt::bulk_copy(&barrier, shared.ring + place, from, head);
  if (head < bytes) simt::bulk_copy(&barrier, shared.ring, from + head, bytes - head);
}

/// Makes the tables of both pages empty: no marks, and slots that do no harm. By all threads.
template <class Shared>
PRESSO_DEVICE void clear_tables(Shared& shared) {
  using Tables = typename Shared::Tables;
  for (u32 i = simt::thread_in_block(); i < sizeof shared.pages / 4; i += simt::block_threads()) {
    const bool is_mark = i % (sizeof(Tables) / 4) < sizeof(Tables::marks) / 4;
    reinterpret_cast<u32*>(shared.pages)[i] = is_mark ? 0 : kHarmlessSlots;
  }
}

}  // namespace presso::gpu
