// SPDX-License-Identifier: MIT
// Parses a Byte-coded block (FORMAT.md 6) for the warp decoder: a group of 32 sequences a step, one
// a lane. Whatever is variable in size is found by counting votes: the n-th lane whose token has
// the far mark takes the n-th far byte, and in the same way escapes and long lengths; prefix sums
// give each lane where its literals lie and where its bytes go. Sources: S7.2, S7.5.
//
// The next group's tokens and offsets are requested one group ahead. Of each byte stream (far,
// literal escapes, match escapes) the next 32 bytes are in the warp's registers, one a lane, and
// renewed whenever some were used. Long lengths are rare; without any a group holds at most
// 32 * (15 + 254 + 15 + 63 + 254) = 19,232 bytes.
//
// Safety: next() says false before anything is accessed by a sequence that does not fit into the
// block, its literals or the dictionary. Streams that run out are found at the end, by complete():
// until then their bytes are clamped to the payload, and any value is safe.
#pragma once

#include "decompress/gpu/warp/group_places.cuh"

namespace presso::gpu {

class GroupParser : public GroupPlaces {
 public:
  PRESSO_DEVICE explicit GroupParser(const BlockPlan& plan)
      : GroupPlaces(plan),
        payload_(address_of(plan.payload)),
        last_byte_(plan.payload_bytes - 1),
        sequences_(plan.sequences),
        sequence_(simt::lane()),
        literal_bits_(plan.literal_bits),
        literal_limit_(pinned((1u << plan.literal_bits) - 1)),
        match_limit_(pinned((1u << (8u - plan.literal_bits - plan.far)) - 1)),
        far_(plan.far != 0) {
    u32 at = 3 * sequences_;
    start(far_bytes_, at);
    start(literal_escapes_, at += plan.far_offsets);
    start(match_escapes_, at += plan.literal_escapes);
    next_long_ = at + plan.match_escapes;
    fetch();
  }

  PRESSO_DEVICE u32 groups() const { return (sequences_ + kWarpSize - 1) / kWarpSize; }
  static PRESSO_DEVICE const Byte* literals_of(const BlockPlan& plan) {
    return plan.literal_bytes();
  }

  /// Parses the next group. False, in all lanes: the block is faulty.
  PRESSO_DEVICE bool next(LaneSequence& sequence) {
    const u32 token = token_;
    u32 distance = offset_;
    fetch();
    u32 literals = token & literal_limit_;
    u32 match = (token >> literal_bits_) & match_limit_;
    if (far_) {
      const bool marked = (token & 0x80) != 0;
      const u32 votes = simt::ballot(marked);
      if (votes != 0) {
        const u32 byte = take(far_bytes_, votes);
        if (marked) distance |= byte << 16;
      }
    }
    const bool with_long = extend(literals, match);
    const u32 length = distance != 0 ? match + min_match_ : 0;
    place(literals, length, distance, with_long, sequence);
    const bool lost_length = distance == 0 && match != 0;
    return !simt::any(lost_length || at_ > end_ || literals_used_ > literals_ ||
                      is_outside(sequence));
  }

  /// Called after the last group: whether the literals that are left fill the block, and all
  /// streams are used up.
  PRESSO_DEVICE bool complete(const BlockPlan& plan) const {
    u32 at = 3 * sequences_;
    bool good = literals_ - literals_used_ == end_ - at_;
    good = good && far_bytes_.next == (at += plan.far_offsets);
    good = good && literal_escapes_.next == (at += plan.literal_escapes);
    good = good && match_escapes_.next == (at += plan.match_escapes);
    return good && next_long_ == at + 2 * plan.long_lengths;
  }

 private:
  /// A stream of bytes that only some lanes use. `next` counts from the payload's start.
  struct ByteStream {
    u32 next;
    u32 fetched;  ///< of the 32 bytes from `next` on, this lane's
  };

  PRESSO_DEVICE u32 byte_at(u32 at) const {
    return simt::load_readonly(
        reinterpret_cast<const Byte*>(payload_ + (at < last_byte_ ? at : last_byte_)));
  }
  PRESSO_DEVICE void start(ByteStream& stream, u32 at) const {
    stream.next = at;
    stream.fetched = byte_at(at + simt::lane());
  }

  /// Uses up a byte for each lane in `votes`, a mask that is the same in all lanes. Returns its
  /// byte to each of these lanes; what the others get has no meaning.
  PRESSO_DEVICE u32 take(ByteStream& stream, u32 votes) const {
    const u32 byte = simt::shuffle(stream.fetched, simt::popcount(votes & below_));
    start(stream, stream.next + simt::popcount(votes));
    return byte;
  }

  /// Requests token and offset of the next group; none after the last sequence.
  PRESSO_DEVICE void fetch() {
    token_ = 0;
    offset_ = 0;
    if (sequence_ < sequences_) {
      offset_ =
          simt::load_readonly(reinterpret_cast<const std::uint16_t*>(payload_ + 2 * sequence_));
      token_ = simt::load_readonly(
          reinterpret_cast<const Byte*>(payload_ + (2 * sequences_ + sequence_)));
    }
    sequence_ += kWarpSize;
  }

  /// Continues codes at their limit. True, in all lanes, where a long length was among them.
  PRESSO_DEVICE bool extend(u32& literals, u32& match) {
    const bool more_literals = literals == literal_limit_;
    const bool more_match = match == match_limit_;
    const u32 literal_votes = simt::ballot(more_literals);
    const u32 match_votes = simt::ballot(more_match);
    bool with_long = false;
    // Only an escape of 255 leads to these values.
    const u32 long_literals = literal_limit_ + 255;
    const u32 long_match = match_limit_ + 255;
    if (literal_votes != 0) {
      const u32 byte = take(literal_escapes_, literal_votes);
      if (more_literals) literals += byte;
      with_long = simt::any(literals == long_literals);
    }
    if (match_votes != 0) {
      const u32 byte = take(match_escapes_, match_votes);
      if (more_match) match += byte;
      with_long |= simt::any(match == long_match);
    }
    if (with_long) extend_long(literals, match, literals == long_literals, match == long_match);
    return with_long;
  }

  /// Adds the long lengths, which follow escapes of 255, in stream order: by sequence, literals
  /// before match.
  PRESSO_DEVICE void extend_long(u32& literals, u32& match, bool long_literals, bool long_match) {
    const u32 literal_votes = simt::ballot(long_literals);
    const u32 match_votes = simt::ballot(long_match);
    u32 mine = next_long_ +
               2 * (simt::popcount(literal_votes & below_) + simt::popcount(match_votes & below_));
    if (long_literals) {
      literals += byte_at(mine) | byte_at(mine + 1) << 8;
      mine += 2;
    }
    if (long_match) match += byte_at(mine) | byte_at(mine + 1) << 8;
    next_long_ += 2 * (simt::popcount(literal_votes) + simt::popcount(match_votes));
  }

  u64 payload_;
  u32 last_byte_;
  u32 sequences_;
  u32 sequence_;  // of this lane in the group to be fetched next
  u32 literal_bits_;
  u32 literal_limit_;
  u32 match_limit_;
  bool far_;
  u32 token_;
  u32 offset_;
  ByteStream far_bytes_;
  ByteStream literal_escapes_;
  ByteStream match_escapes_;
  u32 next_long_;
};

}  // namespace presso::gpu
