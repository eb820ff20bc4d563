// SPDX-License-Identifier: MIT
// Decodes one lane's sub-stream of a Bit block (FORMAT.md 13.5): sequences become records of one
// word (unpacked_block.h), literals bytes, and the sequences' lengths are summed up. It is the
// inner loop of bit_unpack.cuh. A lane of a block is decoded by one thread, and 32 neighbouring
// ones by a warp: so a *lane* is both here. It has a run of consecutive sequences and then, of n
// lanes, every n-th four of the literals. A sequence is *wide* if its lengths do not fit into a
// record.
//
// A step looks at 64 bits, which hold a whole sequence except for rare ones with long lengths.
// A table entry has its fields where shifts, which take their amount modulo 32, can use them
// without masks, and the number of bits that it consumes in its lowest seven bits, so that
// entries are simply added. Records leave by rows of a warp's lanes (RecordStage), literals
// four at a time: the lanes' places are far apart, and each store costs the same whatever its
// size is.
//
// Safety: tables give symbols of their alphabets for any bits, the window reads nothing outside
// of the payload, and places come from the header's counts. Bytes are limited after each
// sequence, which adds less than 2^24; the other sums can wrap only if bytes have reached their
// limit.
#pragma once

#include <cstddef>

#include "decompress/gpu/bit/bit_tables.cuh"
#include "decompress/gpu/plan/relay_layout.h"
#include "decompress/gpu/simt/global_memory.h"

namespace presso::gpu {

/// Sums over a lane's sequences.
struct LaneSums {
  u32 bytes = 0;
  u32 literals = 0;
  u32 segments = 0;  ///< literal runs and matches
  u32 farthest = 0;  ///< largest distance
  u32 lost = 0;      ///< not 0: there was a match length without an offset
};

/// Collects the records of a warp's lanes for kSteps steps, which then leave together: a lane's
/// records alone would go to memory in quarters of a cache line. In shared memory.
template <u32 kSteps_>
struct RecordStage {
  static constexpr u32 kSteps = kSteps_;
  static_assert(kWarpSize % kSteps == 0);
  u32 records[kWarpSize * kSteps];

  /// The place of a lane's record of a step. Lanes that write the same step, and lanes that
  /// read whole rows, use different banks.
  static PRESSO_DEVICE u32 place(u32 lane, u32 step) {
    return lane * kSteps + (step ^ lane / (kWarpSize / kSteps)) % kSteps;
  }
};

template <class Tables, class Stage>
class LaneDecoder {
 public:
  /// `units`: the block's unit records, or nullptr. `wide`: the number of wide sequences, in
  /// shared memory.
  PRESSO_DEVICE LaneDecoder(const BlockPlan& plan, const PayloadWords& words, const Tables& tables,
                            WindowRing& ring, Stage& stage, UnitRecord* units, u32* wide)
      : plan_(plan),
        to_(plan),
        words_(words),
        tables_(tables),
        ring_(ring),
        stage_(stage),
        units_(units),
        wide_(wide),
        base_(simt::shared_address(&tables)) {}

  /// Decodes the sub-stream from bit `begin` on; returns where it ends. Positions in the units that
  /// begin here count from the lane's first sequence. Called by whole warps; threads beyond the
  /// block's last lane have nothing to decode.
  PRESSO_DEVICE u32 decode(u32 lane, u32 begin, LaneSums& sums) {
    BitWindow from(words_, begin, ring_);
    decode_sequences<true>(from, lane, sums);
    if (lane >> plan_.bit.lanes_log2 == 0) decode_literals(from, lane);
    from.finish();
    return from.at();
  }

  /// Decodes the sequences once more, by one lane alone, so that its wide ones get entries
  /// again.
  PRESSO_DEVICE void list_wide(u32 lane, u32 begin) {
    BitWindow from(words_, begin, ring_);
    LaneSums sums;
    decode_sequences<false>(from, lane, sums);
    from.finish();
  }

  /// Adds the lane's starting position to the positions in its units.
  PRESSO_DEVICE void move_units(u32 lane, const UnitRecord& by) const {
    if (units_ == nullptr) return;
    const u32 first = (first_sequence(lane) + kUnitSequences - 1) / kUnitSequences;
    const u32 end = first_sequence(lane + 1);
    for (u32 unit = first; unit * kUnitSequences < end; ++unit) {
      units_[unit].plain += by.plain;
      units_[unit].literals += by.literals;
      units_[unit].segments += by.segments;
    }
  }

 private:
  /// A sequence's values before repeated distances are resolved.
  struct Values {
    u32 literals, match, offset;
  };

  struct LastDistances {
    u32 newest = bit::kFirstDistances[0];
    u32 second = bit::kFirstDistances[1];
    u32 third = bit::kFirstDistances[2];

    PRESSO_DEVICE u32 take(u32 offset) {
      static_assert(bit::kRepeats == 3);
      u32 distance = offset - bit::kRepeats;
      if (offset <= 3) distance = third;
      if (offset <= 2) distance = second;
      if (offset <= 1) distance = newest;
      if (offset >= 3) third = second;
      if (offset >= 2) second = newest;
      if (offset >= 1) newest = distance;
      return offset == 0 ? 0 : distance;
    }
  };

  /// Most bits of a code word and its extra bits.
  static constexpr u32 kMostOfLength = kMaxSequenceLimit + 18;
  static constexpr u32 kMostOfOffset = kMaxSequenceLimit + 21;

  PRESSO_DEVICE u32 run_length() const {
    return bit::run_length(plan_.sequences, plan_.bit.lanes_log2);
  }
  PRESSO_DEVICE u32 first_sequence(u32 lane) const {
    const u32 first = lane * run_length();
    return first < plan_.sequences ? first : plan_.sequences;
  }

  PRESSO_DEVICE u32 mask_of(u32 alphabet) const { return (1u << tables_.bits[alphabet]) - 1; }

  /// The table's entry for the next bits.
  template <u32 kAlphabet>
  PRESSO_DEVICE u32 look_up(u32 bits, u32 mask) const {
    constexpr u32 kTable =
        offsetof(Tables, values) + (kAlphabet - bit::kLiteralLengths) * sizeof(Tables::values[0]);
    return simt::load_shared_at<ValueEntry, kTable>(base_ +
                                                    u32{sizeof(ValueEntry)} * (bits & mask));
  }
  PRESSO_DEVICE u32 look_up_command(u32 bits) const {
    constexpr u32 kTable = offsetof(Tables, commands);
    return simt::load_shared_at<CommandEntry, kTable>(base_ + u32{sizeof(CommandEntry)} *
                                                                  (bits & commands_));
  }
  PRESSO_DEVICE u32 look_up_literal(u32 bits, u32 mask) const {
    constexpr u32 kTable = offsetof(Tables, literals);
    return simt::load_shared_at<LiteralEntry, kTable>(base_ +
                                                      u32{sizeof(LiteralEntry)} * (bits & mask));
  }

  /// The value of an entry with its extra bits, which come in `bits` after the code word.
  static PRESSO_DEVICE u32 value(u32 entry, u32 bits) {
    const u32 top_aligned = simt::funnel_shift_left(0, bits, 0u - entry);
    return simt::funnel_shift_left(top_aligned, entry >> 12, entry >> 7);
  }

  PRESSO_DEVICE Values take_values(BitWindow& from) const {
    static_assert(kMaxCommandLimit + 2 * kMostOfLength <= 2 * PayloadWords::kWordBits);
    NextBits next = from.peek();
    const u32 command = look_up_command(next.low);
    u32 used = command;
    next = next.behind(command);
    Values values{command >> 8 & 3u, command >> 12, bit::kCommandOffset};
    if (values.literals == bit::kLongLiterals) {
      const u32 entry = look_up<bit::kLiteralLengths>(next.low, literal_lengths_);
      values.literals += value(entry, next.low);
      next = next.behind(entry);
      used += entry;
    }
    if (values.match == bit::kLongMatch) {
      const u32 entry = look_up<bit::kMatchLengths>(next.low, mask_of(bit::kMatchLengths));
      values.match += value(entry, next.low);
      next = next.behind(entry);
      used += entry;
    }
    if ((used & 127u) > 2 * PayloadWords::kWordBits - kMostOfOffset) {
      from.skip(used);
      next = from.peek();
      used = 0;
    }
    if ((command >> 7 & 1) == 0) {
      const u32 entry = look_up<bit::kOffsets>(next.low, offsets_);
      values.offset = value(entry, next.low);
      used += entry;
    }
    from.skip(used);
    return values;
  }

  template <bool kByWarp>
  PRESSO_DEVICE void decode_sequences(BitWindow& from, u32 lane, LaneSums& sums) {
    LastDistances last;
    const bool far = tables_.far != 0;
    const u32 no_units = units_ == nullptr ? 1 : 0;
    const u64 high = address_of(to_.high);
    const u32 first = first_sequence(lane);
    const u32 count = first_sequence(lane + 1) - first;
    const u32 steps = kByWarp ? run_length() : count;
    PRESSO_NO_UNROLL
    for (u32 step = 0; step < steps; ++step) {
      if (step < count) {
        const u32 i = first + step;
        if (kByWarp && (i % kUnitSequences | no_units) == 0) {
          store_global(reinterpret_cast<u64>(units_ + i / kUnitSequences),
                       simt::Vec4{sums.bytes, sums.literals, sums.segments, 0});
        }
        const Values values = take_values(from);
        const u32 distance = last.take(values.offset);
        add_up(values, distance, sums);
        u32 record = record_of(values, distance);
        if ((values.literals | values.match) >= kWideLength) record = store_wide(values, distance);
        if (kByWarp) {
          stage_.records[Stage::place(simt::lane(), step % Stage::kSteps)] = record;
          if (far) store_global(high + i, static_cast<Byte>(distance >> 16));
        } else {
          store_global(reinterpret_cast<u64>(to_.records + i), record);
        }
      }
      from.end_step();
      if (kByWarp && (step % Stage::kSteps == Stage::kSteps - 1 || step + 1 == steps)) {
        store_records(lane - simt::lane(), step - step % Stage::kSteps);
      }
    }
  }

  /// Writes the records in the stage: those of `first_lane` and the lanes after it, from this
  /// step on.
  PRESSO_DEVICE void store_records(u32 first_lane, u32 step) const {
    simt::warp_sync();
    const u64 records = reinterpret_cast<u64>(to_.records);
    const u32 column = simt::lane() % Stage::kSteps;
    PRESSO_NO_UNROLL
    for (u32 i = simt::lane() / Stage::kSteps; i < kWarpSize; i += kWarpSize / Stage::kSteps) {
      const u32 mine = first_sequence(first_lane + i) + step + column;
      const u32 record = stage_.records[Stage::place(i, column)];
      if (mine < first_sequence(first_lane + i + 1)) store_global(records + u64{4} * mine, record);
    }
    simt::warp_sync();
  }

  /// Once the bytes exceed the block's, they stay at one more than it has.
  PRESSO_DEVICE void add_up(const Values& values, u32 distance, LaneSums& sums) const {
    const auto min_of = [](u32 a, u32 b) { return a < b ? a : b; };
    const u32 bytes =
        sums.bytes + values.literals + values.match + (distance != 0 ? u32{plan_.min_match} : 0);
    sums.bytes = min_of(bytes, plan_.plain_bytes + 1);
    sums.literals += values.literals;
    sums.segments += min_of(values.literals, 1) + min_of(distance, 1);
    sums.farthest = distance > sums.farthest ? distance : sums.farthest;
    sums.lost |= distance == 0 ? values.match : 0;
  }

  /// The record for short lengths: distance, then a byte each for literals and match.
  static PRESSO_DEVICE u32 record_of(const Values& values, u32 distance) {
    return simt::byte_permute(distance, simt::byte_permute(values.literals, values.match, 0x0040),
                              0x5410);
  }

  /// Stores a wide sequence and returns the record that refers to it. Some shorter ones come
  /// here, too.
  PRESSO_DEVICE u32 store_wide(const Values& values, u32 distance) {
    const u32 entry = simt::atomic_add(wide_, 1);
    if (entry >= wide_room(plan_.plain_bytes)) return pack_wide_record(0);
    store_global(reinterpret_cast<u64>(to_.wide + entry),
                 simt::Vec4{values.literals, values.match, distance, 0});
    return pack_wide_record(entry);
  }

  PRESSO_DEVICE void decode_literals(BitWindow& from, u32 lane) const {
    const u32 mask = mask_of(bit::kLiterals);
    const u32 step = bit::kLiteralsTogether << plan_.bit.lanes_log2;
    u32 at = bit::kLiteralsTogether * lane;
    PRESSO_NO_UNROLL
    for (; at + bit::kLiteralsTogether <= plan_.literals; at += step) {
      store_literals(at, take_four(from, mask));
      from.end_step();
    }
    if (at >= plan_.literals) return;
    u32 word = 0;
    for (u32 i = 0; i < plan_.literals - at; ++i) {
      const u32 entry = look_up_literal(from.peek().low, mask);
      word |= entry >> 8 << (8 * i);
      from.skip(entry);
    }
    store_literals(at, word);
  }

  PRESSO_DEVICE u32 take_four(BitWindow& from, u32 mask) const {
    static_assert(bit::kLiteralsTogether == 4 && 4 * kMaxLiteralLimit <= 64);
    const NextBits first = from.peek();
    const u32 a = look_up_literal(first.low, mask);
    const NextBits second = first.behind(a);
    const u32 b = look_up_literal(second.low, mask);
    const NextBits third = second.behind(b);
    const u32 c = look_up_literal(third.low, mask);
    const u32 d = look_up_literal(third.behind(c).low, mask);
    from.skip(a + b + c + d);
    return simt::byte_permute(simt::byte_permute(a, b, 0x0051), simt::byte_permute(c, d, 0x0051),
                              0x5410);
  }

  /// Stores four literals at once; there is room up to a multiple of four.
  PRESSO_DEVICE void store_literals(u32 at, u32 word) const {
    store_global(address_of(to_.literals) + at, word);
  }

  const BlockPlan& plan_;
  UnpackedBlock to_;
  const PayloadWords& words_;
  const Tables& tables_;
  WindowRing& ring_;
  Stage& stage_;
  UnitRecord* units_;
  u32* wide_;
  u32 base_;
  u32 commands_ = mask_of(bit::kCommands);
  u32 literal_lengths_ = mask_of(bit::kLiteralLengths);
  u32 offsets_ = mask_of(bit::kOffsets);
  // That of match lengths is made anew each time: one register more would be spilled.
};

}  // namespace presso::gpu
