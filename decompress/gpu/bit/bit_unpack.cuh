// SPDX-License-Identifier: MIT
// The first stage of the Bit coding (FORMAT.md 13) on GPUs: a thread block of CUDA turns the
// payload of a Bit block in the layout of lanes into records and literals (unpacked_block.h).
// Blocks in the layout of sub-blocks never come here (plan.cuh). It also finds where each unit of
// 128 sequences begins, as survey.cuh does for Byte blocks. The decoders of the Byte coding then
// execute the records.
//
//   sizes     a thread for each lane; prefix sums tell where each lane's sub-stream begins
//   codes     the first warp reads the list, then a warp for each alphabet builds its tables
//   lanes     a thread for each lane, in as many rounds as needed (bit_lanes.cuh)
//   sums      prefix sums over the lanes give the units' places, and tell whether all fits
//
// Thread block b unpacks block b. Its number of warps, and which kernel takes which block, are
// set by a policy (policies.h). Shared memory: tables; in one place the lists of code lengths
// and later each thread's ring of words; each warp's stage of records. Synchronisation: a
// barrier for each prefix sum and each verdict.
//
// It takes Bit blocks in state kPlanned and leaves kPlanned if all is well, or kSurveyed if the
// relay decoder is to have the block; kFailed if the sequences do not fit, so that finish.cuh
// finds the first error; otherwise kBadPayloadSize, kBadTree or kBadBits. Tested by
// tests/simt/bit_unpack_test.cpp; benchmark: lab/programs/decompress_gpu/decode_rate.cpp.
#pragma once

#include "decompress/gpu/bit/bit_lanes.cuh"
#include "decompress/gpu/bit/block_prefix.cuh"
#include "decompress/gpu/plan/policies.h"

namespace presso::gpu {

template <class Tables, u32 kWarps, class Stage>
struct UnpackShared {
  Tables tables;
  union {
    CodeLists lists;
    WindowRing rings[kWarps * kWarpSize];
  };
  Stage stages[kWarps];
  u32 sums[2][kWarps];
  u32 wide;  ///< wide sequences that have an entry, or should have
};

/// `Tuning` is ManyBlocks or FewBlocks.
template <class Tuning, Unpacking kWhich>
class Unpacker {
 public:
  static constexpr UnpackTuning kTuning = Tuning::unpack_tuning(kWhich);
  static constexpr u32 kWarps = kTuning.warps;
  static constexpr u32 kThreads = kWarps * kWarpSize;
  using Tables =
      CodeTables<kTuning.limits.literal, kTuning.limits.command, kTuning.limits.sequence>;
  using Stage = RecordStage<kTuning.stage_steps>;
  using Shared = UnpackShared<Tables, kWarps, Stage>;

  PRESSO_DEVICE Unpacker(const BlockPlan& plan, Shared& shared)
      : plan_(plan),
        words_(plan),
        lanes_(1u << plan.bit.lanes_log2),
        units_(plan.survey != nullptr && unit_records_fit(plan) ? unit_records(plan) : nullptr),
        shared_(shared) {}

  /// Unpacks the block and returns its new state; the payload must not be empty.
  PRESSO_DEVICE u32 run() {
    if (!find_lanes()) return status_of(ErrorCode::kBadPayloadSize);
    if (!read_codes()) return status_of(ErrorCode::kBadTree);
    decode();
    if (simt::block_sync_or(bad_bits_)) return status_of(ErrorCode::kBadBits);
    if (simt::block_sync_or(bad_sums_) || !complete()) {
      if (shared_.wide > wide_room(plan_.plain_bytes)) list_wide_again();
      return kFailed;
    }
    if (simt::thread_in_block() == 0) pad();
    if (simt::thread_in_block() == 0 && units_ != nullptr &&
        plan_.sequences % kUnitSequences == 0) {
      units_[plan_.sequences / kUnitSequences] = at_;
    }
    return simt::block_sync_or(!suits_relay()) ? u32{kPlanned} : u32{kSurveyed};
  }

 private:
  PRESSO_DEVICE BlockPrefix prefix(u32 value, u32 most) {
    which_ = 1 - which_;
    return block_prefix<kWarps>(shared_.sums[which_], value, most);
  }

  PRESSO_DEVICE u32 payload_bits() const { return 8 * plan_.payload_bytes; }

  /// How many bits the lane's sub-stream has, at most 2^25.
  PRESSO_DEVICE u32 size_of(u32 lane) const {
    const u32 size_bits = plan_.bit.size_bits;
    return plan_.bit.least_bits + words_.bits(lane * size_bits, size_bits);
  }

  /// For kThreads lanes from `first` on: finds where this thread's lane begins and ends. `base`
  /// is where the first one begins, and becomes where the lane after them begins. False if that
  /// is beyond the payload's end.
  PRESSO_DEVICE bool place_lanes(u32 first, u32& base) {
    const u32 lane = first + simt::thread_in_block();
    const u32 size = lane < lanes_ ? size_of(lane) : 0;
    const BlockPrefix bits = prefix(size, payload_bits() + 1);
    begin_ = base + bits.before;
    end_ = begin_ + size;
    base += bits.all;
    return base <= payload_bits();
  }

  /// If there is a thread for every lane, begin_ and end_ stay valid afterwards.
  PRESSO_DEVICE bool find_lanes() {
    u32 base = 8 * plan_.bit.head_bytes;
    PRESSO_NO_UNROLL
    for (u32 first = 0; first < lanes_; first += kThreads) {
      if (!place_lanes(first, base)) return false;
    }
    return payload_bits() - base < 8;
  }

  PRESSO_DEVICE bool read_codes() {
    bool good = true;
    if (simt::thread_in_block() == 0) shared_.wide = 0;
    if (uniform_warp() == 0) {
      ListReader reader(words_, shared_.lists);
      good =
          reader.read(u32{plan_.bit.size_bits} << plan_.bit.lanes_log2, 8 * plan_.bit.head_bytes);
    }
    if (simt::block_sync_or(!good)) return false;
    TableBuilder<Tables> builder(plan_, shared_.lists, shared_.tables);
    PRESSO_NO_UNROLL
    for (u32 alphabet = uniform_warp(); alphabet < bit::kAlphabets; alphabet += kWarps) {
      if (!builder.build(alphabet)) good = false;
    }
    return !simt::block_sync_or(!good);
  }

  using Decoder = LaneDecoder<Tables, Stage>;

  PRESSO_DEVICE Decoder decoder() {
    return Decoder(plan_, words_, shared_.tables, shared_.rings[simt::thread_in_block()],
                   shared_.stages[simt::warp_in_block()], units_, &shared_.wide);
  }

  PRESSO_DEVICE void decode() {
    Decoder decoder = this->decoder();
    u32 base = 8 * plan_.bit.head_bytes;
    PRESSO_NO_UNROLL
    for (u32 first = 0; first < lanes_; first += kThreads) {
      if (lanes_ > kThreads) place_lanes(first, base);
      const u32 lane = first + simt::thread_in_block();
      LaneSums sums;
      if (lanes_ - first > simt::thread_in_block() / kWarpSize * kWarpSize) {
        const bool ends_well = decoder.decode(lane, begin_, sums) == end_;
        if (lane < lanes_ && !ends_well) bad_bits_ = true;
        if (lane + 1 == lanes_ && words_.bits(end_, payload_bits() - end_) != 0) bad_bits_ = true;
      }
      add_up(sums);
      if (lane < lanes_) decoder.move_units(lane, mine_);
    }
  }

  /// Leaves the sums before this thread's lane in mine_.
  PRESSO_DEVICE void add_up(const LaneSums& sums) {
    const bool bad = sums.bytes > plan_.plain_bytes || sums.lost != 0;
    bad_sums_ |= bad;
    farthest_ = sums.farthest > farthest_ ? sums.farthest : farthest_;
    mine_.plain = at_.plain;
    mine_.literals = at_.literals;
    mine_.segments = at_.segments;
    add(bad ? 0 : sums.bytes, mine_.plain, at_.plain);
    add(bad ? 0 : sums.literals, mine_.literals, at_.literals);
    add(bad ? 0 : sums.segments, mine_.segments, at_.segments);
  }

  /// Limits the sums: neither a lane nor the whole of a valid block has more of anything than
  /// plain bytes.
  PRESSO_DEVICE void add(u32 value, u32& mine, u32& at) {
    const u32 too_many = plan_.plain_bytes + 1;
    const BlockPrefix sums = prefix(value, too_many);
    mine += sums.before;
    at += sums.all;
    if (at > too_many) at = too_many;
  }

  /// Whether the literals after the last sequence fill the rest exactly.
  PRESSO_DEVICE bool complete() const {
    return at_.plain <= plan_.plain_bytes && at_.literals <= plan_.literals &&
           plan_.plain_bytes - at_.plain == plan_.literals - at_.literals;
  }

  /// There are too many wide sequences for the list, so their bytes cannot fit. One thread
  /// lists them again, lane after lane until the list is full, so that it has those before the
  /// first error.
  PRESSO_DEVICE void list_wide_again() {
    simt::block_sync();
    if (simt::thread_in_block() == 0) {
      shared_.wide = 0;
      Decoder decoder = this->decoder();
      u32 begin = 8 * plan_.bit.head_bytes;
      for (u32 lane = 0; lane < lanes_ && shared_.wide < wide_room(plan_.plain_bytes); ++lane) {
        decoder.list_wide(lane, begin);
        begin += size_of(lane);
      }
    }
  }

  /// Clears what is read together with the last records and literals.
  PRESSO_DEVICE void pad() const {
    const UnpackedBlock to(plan_);
    for (u32 i = plan_.sequences; i % 4 != 0; ++i) to.records[i] = 0;
    for (u32 i = plan_.literals; i % kUnpackedCellBytes != 0; ++i) to.literals[i] = 0;
  }

  PRESSO_DEVICE bool suits_relay() const {
    return units_ != nullptr && history_fits(plan_) && shared_.tables.far == 0 &&
           farthest_ <= Tuning::Relay::kMostDistance && simt::shared_memory_is_at_base() &&
           Tuning::choose(plan_.plain_bytes, plan_.sequences) == Organisation::kRelay;
  }

  const BlockPlan& plan_;
  PayloadWords words_;
  u32 lanes_;
  UnitRecord* units_;
  Shared& shared_;
  u32 which_ = 0;
  u32 begin_ = 0, end_ = 0;  // of this thread's lane, in bits
  UnitRecord mine_;          // before this thread's lane
  UnitRecord at_;            // before the next round of lanes
  u32 farthest_ = 0;
  bool bad_bits_ = false;
  bool bad_sums_ = false;
};

/// Called by all threads of the thread block. Writes and returns the block's new state, and
/// writes what the plan did not know.
template <class Tuning, Unpacking kWhich>
PRESSO_DEVICE u32 unpack_block(BlockPlan& plan, BlockPlan& plan_to, u32& status_to) {
  auto& shared =
      *reinterpret_cast<typename Unpacker<Tuning, kWhich>::Shared*>(simt::shared_memory());
  // An empty payload has no word to read.
  u32 state = status_of(plan.bit.least_bits > 0 ? ErrorCode::kBadPayloadSize : ErrorCode::kBadTree);
  if (plan.payload_bytes != 0) state = Unpacker<Tuning, kWhich>(plan, shared).run();
  if (state == kPlanned || state == kSurveyed || state == kFailed) {
    plan.far = shared.tables.far != 0 ? 1 : 0;
  }
  simt::block_sync();  // all have seen the old state
  if (simt::thread_in_block() == 0) {
    status_to = state;
    plan_to.far = plan.far;
  }
  return state;
}

/// Kernels for other blocks of the batch may run beside this one.
template <class Tuning, Unpacking kWhich>
PRESSO_DEVICE void unpack_body(BlockPlan* plans, u32* statuses) {
  simt::allow_next_kernel();
  const u32 block = simt::block_index();
  if (statuses[block] == kPlanned) {
    BlockPlan plan = plans[block];
    if (plan.is(Coding::kBit) && Tuning::unpacking(plan.bit) == kWhich) {
      unpack_block<Tuning, kWhich>(plan, plans[block], statuses[block]);
    }
  }
  simt::await_last_kernel();
}

}  // namespace presso::gpu
