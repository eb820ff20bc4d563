// SPDX-License-Identifier: MIT
// Parses units of 128 records of an unpacked Bit block, four a lane, as unit_parser.cuh does for
// the tokens of a Byte block. A record (unpacked_block.h) is a sequence in one word. There is one
// stream and no escapes, so a unit takes one load.
//
// In a *short* unit, as most are on text, four sequences never have more than 255 bytes or 63
// literals: all prefix sums share a word then. In the others lengths may be wide, and the block's
// last one has the literals after its last sequence.
#pragma once

#include "decompress/gpu/bit/unpacked_block.h"
#include "decompress/gpu/relay/unit_places.cuh"

namespace presso::gpu {

/// A lane's four records; zeros after the last one. parse() replaces a wide one's distance.
struct StoredRecords {
  u32 records[4];

  PRESSO_DEVICE u32 distance(u32 i) const { return record_distance(records[i]); }
};

/// kWrittenHere: the same kernel has written the records, so caches for data that never changes may
/// not be used.
template <bool kWrittenHere = false>
class RecordUnitParser : public UnitPlaces {
 public:
  using Stored = StoredRecords;

  PRESSO_DEVICE explicit RecordUnitParser(const BlockPlan& plan)
      : UnitPlaces(plan), records_(UnpackedBlock(plan).records) {}

  static PRESSO_DEVICE const Byte* literals_of(const BlockPlan& plan) {
    return UnpackedBlock(plan).literals;
  }

  PRESSO_DEVICE StoredRecords load(u32 unit) const {
    const u32 mine = unit * kUnitSequences + 4 * simt::lane();
    if (mine >= plan_.sequences) return {{0, 0, 0, 0}};
    const simt::Vec4 four = load(reinterpret_cast<const simt::Vec4*>(records_ + mine));
    return {{four.x, four.y, four.z, four.w}};
  }

  /// Positions count from the block's start.
  PRESSO_DEVICE void parse(u32 unit, StoredRecords& stored, const UnitRecord& record,
                           LaneSequences& lane) const {
    UnitLengths lengths;
    u32 bytes = 0, literals = 0, segments = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const bool has_match = stored.distance(i) != 0;
      lengths.literals[i] = record_literals(stored.records[i]);
      lengths.matches[i] = has_match ? record_match(stored.records[i]) + plan_.min_match : 0;
      literals += lengths.literals[i];
      bytes += lengths.literals[i] + lengths.matches[i];
      segments += u32{lengths.literals[i] != 0} + u32{has_match};
    }
    const bool is_last = unit == plan_.sequences / kUnitSequences;
    if (!simt::any(is_last || bytes > kShortBytes || literals > kShortLiterals)) {
      place_short(lengths, bytes | literals << 13 | segments << 24, record, lane);
      return;
    }
    if (simt::any(has_wide(stored))) replace_wide(stored, lengths);
    if (is_last) add_tail(unit, record, lengths);
    place(lengths, record, lane);
  }

 private:
  static PRESSO_DEVICE simt::Vec4 load(const simt::Vec4* from) {
    return kWrittenHere ? *from : simt::load_readonly(from);
  }

  static constexpr u32 kShortBytes = 255;
  static constexpr u32 kShortLiterals = 63;
  static_assert(kShortLiterals < kWideLength);
  static_assert(kShortBytes * kWarp < 1u << 13 && kShortLiterals * kWarp < 1u << 11);

  /// For units with at most 255 segments before any lane; the sum over all lanes may wrap.
  static PRESSO_DEVICE void place_short(const UnitLengths& lengths, u32 sums, const UnitRecord& at,
                                        LaneSequences& lane) {
    const u32 before = simt::inclusive_sum(sums) - sums;
    lane.literals = at.literals + ((before >> 13) & 0x7FFu);
    lane.segments = at.segments + (before >> 24);
    place_from(at.plain + (before & 0x1FFFu), lengths, lane);
  }

  static PRESSO_DEVICE bool has_wide(const StoredRecords& stored) {
    bool wide = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) wide |= is_wide_record(stored.records[i]);
    return wide;
  }

  PRESSO_DEVICE void replace_wide(StoredRecords& stored, UnitLengths& lengths) const {
    const auto* const entries = reinterpret_cast<const simt::Vec4*>(UnpackedBlock(plan_).wide);
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      if (!is_wide_record(stored.records[i])) continue;
      const simt::Vec4 wide = load(entries + stored.distance(i));
      lengths.literals[i] = wide.x;
      lengths.matches[i] = wide.z != 0 ? wide.y + plan_.min_match : 0;
      stored.records[i] = wide.z;
    }
  }

  const u32* records_;
};

}  // namespace presso::gpu
