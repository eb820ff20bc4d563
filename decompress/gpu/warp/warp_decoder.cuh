// SPDX-License-Identifier: MIT
// The warp decoder: one warp decodes a block, 32 sequences a step, window and output in global
// memory. This is Gompresso's organisation (sources: S7.5 to S7.7); strategies are in resolve.cuh.
// It takes every valid block that is not raw, so it also serves where a faster kernel declines.
//
// A step: parse 32 sequences (group_parser.cuh, or record_group_parser.cuh where a Bit block has
// been unpacked), copy literals and the matches that depend on nothing in the group
// (segment_copy.cuh), execute the others as the strategy says.
//
// Threads to data: warp w of thread block b decodes block b * warps + w. Shared memory: a
// SegmentTable a warp. Synchronisation: within warps only; warps may exit at any time.
//
// Takes up Byte and unpacked Bit blocks whose status is kPlanned and leaves kOk, kDecoded or
// kFailed; all other blocks keep their status. A faulty block may have bytes written to its own
// output; nothing else is written, and nothing read outside of payload, dictionary and output. A
// block that lies about its dependency rule decodes to wrong bytes, no worse. Tested by
// tests/simt/warp_decoder_test.cpp.
#pragma once

#include "decompress/gpu/warp/group_parser.cuh"
#include "decompress/gpu/warp/record_group_parser.cuh"
#include "decompress/gpu/warp/resolve.cuh"
#include "decompress/gpu/warp/run_copy.cuh"
#include "decompress/gpu/warp/segment_copy.cuh"

namespace presso::gpu {

/// kCopyBytes: output bytes a lane writes at once in the segment copy, 1 to 16.
/// kCopiesInFlight: how many of these it gathers before it stores any.
/// kMatchBytes: the same for matches copied by themselves, 1 to 16.
/// Counter: what counts rounds.
template <u32 kCopyBytes_, u32 kCopiesInFlight_, u32 kMatchBytes_, class Counter_ = NoRoundCounter>
struct WarpPolicy {
  static constexpr u32 kCopyBytes = kCopyBytes_;
  static constexpr u32 kCopiesInFlight = kCopiesInFlight_;
  static constexpr u32 kMatchBytes = kMatchBytes_;
  using Counter = Counter_;
};

/// The widths that were fastest on an H200 (NOTES.md).
using ChosenWarpPolicy = WarpPolicy<1, 4, 1>;

/// Parser: GroupParser or RecordGroupParser.
template <class Resolve, class Policy, class Parser>
class WarpDecoder {
 public:
  PRESSO_DEVICE WarpDecoder(const BlockPlan& plan, SegmentTable& table)
      : plan_(plan),
        parser_(plan),
        memory_(plan),
        literals_(address_of(Parser::literals_of(plan))),
        table_(table),
        copy_(table, parser_.below()) {
    table.clear();
    simt::warp_sync();
  }

  /// False where the block is faulty.
  PRESSO_DEVICE bool decode() {
    PRESSO_NO_UNROLL
    for (u32 group = parser_.groups(); group != 0; --group) {
      const u32 from = parser_.at();
      LaneSequence sequence;
      if (!parser_.next(sequence)) return false;
      decode_group(sequence, from);
    }
    if (!parser_.complete(plan_)) return false;
    copy_tail();
    return true;
  }

  PRESSO_DEVICE const typename Policy::Counter& counter() const { return counter_; }

 private:
  PRESSO_DEVICE void decode_group(const LaneSequence& sequence, u32 from) {
    const Match match{sequence.to(), sequence.length, sequence.distance};
    const bool outside = parser_.in_dictionary(match.to, match.distance);
    const bool left =
        match.length != 0 && (!Resolve::kFirstWaveInCopy ||
                              (!outside && match.to - match.distance + match.length > from));
    const u32 matches = simt::ballot(match.length != 0);
    const u64 literal_source = literals_ - (sequence.at - sequence.literals_before);
    if (!Policy::Counter::kCounts && matches == 0 && parser_.at() - from >= kLongRunBytes) {
      copy_run(memory_.base + from, literal_source + from, parser_.at() - from);
      simt::warp_sync();
      return;
    }
    u64 match_source = memory_.base - match.distance;
    if (outside) match_source += memory_.to_dictionary;
    copy_.run(memory_.base, sequence, matches, literal_source, skip_if(left, match_source), from,
              parser_.at());
    simt::warp_sync();
    const u32 pending = simt::ballot(left);
    if (Policy::Counter::kCounts || pending != 0) {
      Resolve::template resolve<Policy>(plan_, memory_, {match, matches, pending}, counter_);
      simt::warp_sync();
    }
  }

  /// Copies the literals after the last sequence.
  PRESSO_DEVICE void copy_tail() {
    copy_run(memory_.base + parser_.at(), literals_ + parser_.literals_used(),
             memory_.end - parser_.at());
  }

  const BlockPlan& plan_;
  Parser parser_;
  BlockMemory memory_;
  u64 literals_;
  SegmentTable& table_;
  SegmentCopy<Policy> copy_;
  typename Policy::Counter counter_;
};

namespace detail {

/// False where the block is faulty.
template <class Resolve, class Policy, class Parser>
PRESSO_DEVICE bool decode_by_warp(const BlockPlan& plan, SegmentTable& table) {
  return WarpDecoder<Resolve, Policy, Parser>(plan, table).decode();
}

}  // namespace detail

/// kBit: whether it takes Bit blocks, too, which must have been unpacked (bit_unpack.cuh).
template <class Resolve, class Policy, bool kBit = true>
PRESSO_DEVICE void warp_decoder_body(const BlockPlan* plans, u32* status, u32 blocks) {
  const u32 block = block_of_warp();
  if (block >= blocks || status[block] != kPlanned) return;
  const BlockPlan& plan = plans[block];
  const bool is_bit = kBit && plan.is(Coding::kBit);
  if (!is_bit && !plan.is(Coding::kByte)) return;
  SegmentTable& table = reinterpret_cast<SegmentTable*>(simt::shared_memory())[uniform_warp()];
  bool good = false;
  if constexpr (kBit) {
    if (is_bit) {
      good = detail::decode_by_warp<Resolve, Policy, RecordGroupParser>(plan, table);
    }
  }
  if (!is_bit && plan.payload_bytes != 0) {  // nothing can be plain bytes, nor be clamped to
    good = detail::decode_by_warp<Resolve, Policy, GroupParser>(plan, table);
  }
  if (simt::lane() == 0) status[block] = good ? decoded_status(plan) : u32{kFailed};
}

}  // namespace presso::gpu
