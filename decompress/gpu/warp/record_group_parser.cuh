// SPDX-License-Identifier: MIT
// Parses the records of an unpacked Bit block (unpacked_block.h) for the warp decoder: a group of
// 32 sequences a step, one a lane; the next group's records are requested one group ahead.
// bit_unpack.cuh has found that all sequences fit into the block, and that the literals after the
// last one fill it: what is left to be checked is where matches read. Tested by
// tests/simt/batch_suite.cpp.
#pragma once

#include "decompress/gpu/bit/unpacked_block.h"
#include "decompress/gpu/warp/group_places.cuh"

namespace presso::gpu {

class RecordGroupParser : public GroupPlaces {
 public:
  PRESSO_DEVICE explicit RecordGroupParser(const BlockPlan& plan)
      : GroupPlaces(plan),
        block_(plan),
        sequences_(plan.sequences),
        sequence_(simt::lane()),
        far_(plan.far != 0) {
    fetch();
  }

  PRESSO_DEVICE u32 groups() const { return (sequences_ + kWarpSize - 1) / kWarpSize; }
  static PRESSO_DEVICE const Byte* literals_of(const BlockPlan& plan) {
    return UnpackedBlock(plan).literals;
  }

  /// Parses the next group. False, in all lanes: the block is faulty.
  PRESSO_DEVICE bool next(LaneSequence& sequence) {
    const u32 record = record_;
    u32 distance = record_distance(record) | high_ << 16;
    fetch();
    u32 literals = record_literals(record);
    u32 match = record_match(record);
    const bool with_wide = simt::any(is_wide_record(record));
    if (with_wide && is_wide_record(record)) {
      const WideSequence wide = load_wide(record_distance(record));
      literals = wide.literals;
      match = wide.match;
      distance = wide.distance;
    }
    place(literals, distance != 0 ? match + min_match_ : 0, distance, with_wide, sequence);
    return !simt::any(is_outside(sequence));
  }

  /// Always true, since bit_unpack.cuh has checked it.
  PRESSO_DEVICE bool complete(const BlockPlan&) const { return true; }

 private:
  /// Requests the next group's records; none after the last sequence.
  PRESSO_DEVICE void fetch() {
    record_ = 0;
    high_ = 0;
    if (sequence_ < sequences_) {
      record_ = simt::load_readonly(block_.records + sequence_);
      if (far_) high_ = simt::load_readonly(block_.high + sequence_);
    }
    sequence_ += kWarpSize;
  }

  PRESSO_DEVICE WideSequence load_wide(u32 entry) const {
    const auto* const entries = reinterpret_cast<const simt::Vec4*>(block_.wide);
    const simt::Vec4 wide = simt::load_readonly(entries + entry);
    return {wide.x, wide.y, wide.z, 0};
  }

  UnpackedBlock block_;
  u32 sequences_;
  u32 sequence_;  // of this lane in the group to be fetched next
  bool far_;
  u32 record_;
  u32 high_;
};

}  // namespace presso::gpu
