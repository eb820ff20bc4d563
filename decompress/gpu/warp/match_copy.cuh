// SPDX-License-Identifier: MIT
// Copies of single matches by a team of lanes: one lane, eight, or the whole warp. Sources: S7.5
// to S7.7, S7.17.
//
// A match that overlaps itself (distance < length) repeats the `distance` bytes before it: byte k
// is byte k mod distance of its source, so its lanes do not wait for one another. Each lane carries
// k mod distance along, which costs two remainders a match and none a byte.
//
// Where the template argument kWidth (WarpPolicy::kMatchBytes) is 2, 4, 8 or 16, lanes copy words
// of that many bytes, which are aligned in the destination; where it is 1, they copy bytes. A
// source that is aligned otherwise is joined from the 4-byte words around it where those lie in the
// block, or else from bytes. Words are possible where the source ends before the match begins, or
// where one lane copies alone and the distance is at least the width: each word is then stored
// before it is read again. All other matches are copied by bytes.
//
// Nothing here synchronises. The callers do, between a match and one that reads its bytes
// (resolve.cuh).
#pragma once

#include "decompress/gpu/warp/group_places.cuh"

namespace presso::gpu {

/// The match of a sequence; `to` is a position as in group_places.cuh.
struct Match {
  u32 to;
  u32 length;  ///< in bytes; 0: the sequence has no match
  u32 distance;
};

/// Returns the number, in the batch, of the block that this warp decodes: one warp takes one block.
PRESSO_DEVICE u32 block_of_warp() {
  return simt::block_index() * (simt::block_threads() / kWarpSize) + uniform_warp();
}

/// A match as addresses in memory.
struct MatchPlace {
  u64 source;
  u64 to;
  u32 length;
  u32 distance;
  bool whole_words;  ///< the source, extended to whole 4-byte words, lies in the block
};

/// Where a block's positions are in memory.
struct BlockMemory {
  u64 base;           ///< address of position 0
  u64 to_dictionary;  ///< what to add for sources in the dictionary, which precedes the block
  u32 origin;         ///< position of the block's first byte
  u32 end;

  PRESSO_DEVICE explicit BlockMemory(const BlockPlan& plan) {
    origin = static_cast<u32>(address_of(plan.out) % 16);
    end = origin + plan.plain_bytes;
    base = address_of(plan.out) - origin;
    to_dictionary = address_of(plan.dictionary) + plan.dictionary_bytes - origin - base;
  }

  PRESSO_DEVICE MatchPlace place(const Match& match) const {
    const bool outside = match.distance > match.to - origin;
    const u32 from = match.to - match.distance;  // wraps around where outside; not used then
    return {base + (outside ? to_dictionary : 0) + match.to - match.distance, base + match.to,
            match.length, match.distance,
            !outside && from / 4 * 4 >= origin && (from + match.length + 3) / 4 * 4 <= end};
  }
};

namespace detail {

PRESSO_DEVICE void copy_byte(u64 to, u64 source) {
  store_global(to, load_global<Byte>(source));
}

/// Copies bytes [from, to) of a match that does not overlap itself; the lane is number `rank` of a
/// team of `team` lanes.
PRESSO_DEVICE void copy_bytes(const MatchPlace& match, u32 from, u32 to, u32 rank, u32 team) {
  for (u32 k = from + rank; k < to; k += team) copy_byte(match.to + k, match.source + k);
}

/// Copies a match that overlaps itself.
PRESSO_DEVICE void repeat_bytes(const MatchPlace& match, u32 rank, u32 team) {
  const u32 step = team % match.distance;
  u32 from = rank % match.distance;
  for (u32 k = rank; k < match.length; k += team) {
    copy_byte(match.to + k, match.source + from);
    from += step;
    if (from >= match.distance) from -= match.distance;
  }
}

template <u32 kWidth>
struct WordOf;
template <>
struct WordOf<2> {
  using type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using type = u32;
};
template <>
struct WordOf<8> {
  using type = simt::Vec2;
};
template <>
struct WordOf<16> {
  using type = simt::Vec4;
};

/// The four bytes at any address, from the two words around them or one by one.
PRESSO_DEVICE u32 four_bytes(u64 address, bool whole_words) {
  if (whole_words) {
    const u64 aligned = address & ~u64{3};
    const u32 shift = static_cast<u32>(address & 3) * 8;
    const u32 low = load_global<u32>(aligned);
    return shift == 0 ? low : simt::funnel_shift_right(low, load_global<u32>(aligned + 4), shift);
  }
  u32 word = 0;
  PRESSO_UNROLL
  for (u32 i = 0; i < 4; ++i) word |= u32{load_global<Byte>(address + i)} << (8 * i);
  return word;
}

template <u32 kWidth>
PRESSO_DEVICE void copy_word(u64 to, u64 source, bool whole_words) {
  using Word = typename WordOf<kWidth>::type;
  if (source % kWidth == 0) {
    store_global(to, load_global<Word>(source));
  } else if constexpr (kWidth == 2) {
    const u32 low = load_global<Byte>(source);
    store_global(to, static_cast<Word>(low | u32{load_global<Byte>(source + 1)} << 8));
  } else {
    u32 words[kWidth / 4];
    PRESSO_UNROLL
    for (u32 i = 0; i < kWidth / 4; ++i) words[i] = four_bytes(source + 4 * i, whole_words);
    if constexpr (kWidth == 4) store_global(to, words[0]);
    if constexpr (kWidth == 8) store_global(to, Word{words[0], words[1]});
    if constexpr (kWidth == 16) store_global(to, Word{words[0], words[1], words[2], words[3]});
  }
}

template <u32 kWidth>
PRESSO_DEVICE void copy_words(const MatchPlace& match, u32 rank, u32 team) {
  const u32 to_border = static_cast<u32>(0 - match.to) & (kWidth - 1);
  const u32 head = to_border < match.length ? to_border : match.length;
  const u32 body_end = head + (match.length - head) / kWidth * kWidth;
  copy_bytes(match, 0, head, rank, team);
  for (u32 k = head + rank * kWidth; k < body_end; k += team * kWidth) {
    copy_word<kWidth>(match.to + k, match.source + k, match.whole_words);
  }
  copy_bytes(match, body_end, match.length, rank, team);
}

}  // namespace detail

/// `rank`: this lane's number in its team of `team` lanes, which all call this for the same match.
template <u32 kWidth>
PRESSO_DEVICE void copy_match(const MatchPlace& match, u32 rank, u32 team) {
  if constexpr (kWidth > 1) {
    if (match.distance >= match.length || (team == 1 && match.distance >= kWidth)) {
      detail::copy_words<kWidth>(match, rank, team);
      return;
    }
  }
  if (match.distance >= match.length) {
    detail::copy_bytes(match, 0, match.length, rank, team);
  } else {
    detail::repeat_bytes(match, rank, team);
  }
}

}  // namespace presso::gpu
