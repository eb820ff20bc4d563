// SPDX-License-Identifier: MIT
// Multi-round resolution with one kernel a round (sources: S7.8), to be compared with rounds
// inside one kernel, which are faster.
//
// list_references_body parses a block, writes all its literals and lists its matches in device
// memory. Each launch of resolve_round_body then executes one round: it reads the next 32 pending
// references of the block, so that all lanes have work however the matches were grouped, copies
// those whose source is final, and writes the others back. Everything before the first pending
// reference is final, as in resolve.cuh. That mark counts from the start of the block instead of
// the group, because references are listed in order and none before the first is pending.
//
// The references of a list from `begin` on are pending. A round takes the first 32 of them and
// stores those that have to wait, in order, in the last of these 32 places; `begin` moves on to the
// first of them. The first reference of a round is always executed, so rounds end.
//
// The host enqueues a fixed number of launches, at most one for each reference. A launch finds
// nothing to do for blocks that are finished. A block for which the launches did not suffice keeps
// the status kPlanned, and the warp decoder, which is enqueued after them, decodes it as a whole.
//
// A reference is one word: bits 0-21 block position, 22-38 length, 39-62 distance. Blocks with
// longer matches, which only the Bit coding can have, are left to the warp decoder.
#pragma once

#include "decompress/gpu/warp/group_parser.cuh"
#include "decompress/gpu/warp/match_copy.cuh"
#include "decompress/gpu/warp/record_group_parser.cuh"
#include "decompress/gpu/warp/segment_copy.cuh"

namespace presso::gpu::lab {

/// Temporary device memory of the kernels. A block has at most one sequence for every 3 plain
/// bytes, rounded up in the Bit coding.
struct ReferenceLists {
  u64* references;  ///< `stride` for each block
  u32* begin;       ///< one a block: the first pending reference
  u32* end;         ///< one a block
  u32 stride;
};

PRESSO_HD constexpr u32 references_of(u32 plain_bytes) {
  return plain_bytes / 3;
}

/// How many rounds the host enqueues for blocks of this size. A round executes at least one
/// reference of a block and at most 32; text has one in about nine bytes and gets through 20 or
/// more a round. More deeply nested blocks are left to the warp decoder.
constexpr u32 round_launches(u32 largest_plain_bytes) {
  return largest_plain_bytes / 64 < 8 ? 8 : largest_plain_bytes / 64;
}

constexpr u32 kLongestReference = (1u << 17) - 1;

PRESSO_HD constexpr u64 pack_reference(u32 position, u32 length, u32 distance) {
  return position | u64{length} << 22 | u64{distance} << 39;
}

PRESSO_DEVICE Match unpack_reference(u64 reference, u32 origin) {
  return {(static_cast<u32>(reference) & 0x3FFFFF) + origin,
          static_cast<u32>(reference >> 22) & 0x1FFFF, static_cast<u32>(reference >> 39)};
}

/// The first kernel, for one block. Parser: GroupParser or RecordGroupParser.
template <class Policy, class Parser>
class ReferenceLister {
 public:
  PRESSO_DEVICE ReferenceLister(const BlockPlan& plan, SegmentTable& table, u64* references)
      : plan_(plan), parser_(plan), memory_(plan), table_(table), references_(references) {
    table.clear();
    simt::warp_sync();
  }

  /// False where the block is faulty.
  PRESSO_DEVICE bool run() {
    const u64 literals = address_of(Parser::literals_of(plan_));
    SegmentCopy<Policy> copy(table_, parser_.below());
    for (u32 group = parser_.groups(); group != 0; --group) {
      const u32 from = parser_.at();
      LaneSequence sequence;
      if (!parser_.next(sequence)) return false;
      const u32 matches = simt::ballot(sequence.length != 0);
      copy.run(memory_.base, sequence, matches, literals - (sequence.at - sequence.literals_before),
               skip_if(true, 0), from, parser_.at());
      list(sequence, matches);
      simt::warp_sync();
    }
    if (!parser_.complete(plan_)) return false;
    const u64 tail = literals + parser_.literals_used() - parser_.at();
    for (u32 at = parser_.at() + simt::lane(); at < memory_.end; at += kWarpSize) {
      detail::copy_byte(memory_.base + at, tail + at);
    }
    return true;
  }

  PRESSO_DEVICE u32 listed() const { return listed_; }
  /// Whether all lengths fit.
  PRESSO_DEVICE bool is_whole() const { return is_whole_; }

 private:
  PRESSO_DEVICE void list(const LaneSequence& sequence, u32 matches) {
    if (simt::any(sequence.length > kLongestReference)) is_whole_ = false;
    if (sequence.length != 0) {
      references_[listed_ + simt::popcount(matches & parser_.below())] =
          pack_reference(sequence.to() - memory_.origin, sequence.length, sequence.distance);
    }
    listed_ += simt::popcount(matches);
  }

  const BlockPlan& plan_;
  Parser parser_;
  BlockMemory memory_;
  SegmentTable& table_;
  u64* references_;
  u32 listed_ = 0;
  bool is_whole_ = true;
};

/// What listing made of a block.
struct ListedBlock {
  u32 references;  ///< to be resolved
  u32 status;
};

template <class Policy, class Parser>
PRESSO_DEVICE ListedBlock list_block(const BlockPlan& plan, SegmentTable& table, u64* references) {
  ReferenceLister<Policy, Parser> lister(plan, table, references);
  if (!lister.run()) return {0, kFailed};
  if (!lister.is_whole()) return {0, kPlanned};
  return {lister.listed(), lister.listed() == 0 ? decoded_status(plan) : u32{kPlanned}};
}

/// Takes planned blocks. Those without matches are finished by this kernel, faulty ones become
/// kFailed. Shared memory: a SegmentTable a warp. kBit: whether it takes Bit blocks, too.
template <class Policy, bool kBit = true>
PRESSO_DEVICE void list_references_body(const BlockPlan* plans, u32* status, u32 blocks,
                                        const ReferenceLists& lists) {
  const u32 block = block_of_warp();
  if (block >= blocks) return;
  const BlockPlan& plan = plans[block];
  const bool planned = status[block] == kPlanned;
  const bool is_bit = kBit && planned && plan.is(Coding::kBit);
  const bool taken =
      planned && (is_bit || plan.is(Coding::kByte)) && plan.sequences <= lists.stride;
  simt::warp_sync();
  ListedBlock listed{0, kFailed};
  if (taken) {
    SegmentTable& table = reinterpret_cast<SegmentTable*>(simt::shared_memory())[uniform_warp()];
    u64* const references = lists.references + u64{lists.stride} * block;
    if constexpr (kBit) {
      if (is_bit) listed = list_block<Policy, RecordGroupParser>(plan, table, references);
    }
    if (!is_bit && plan.payload_bytes != 0) {
      listed = list_block<Policy, GroupParser>(plan, table, references);
    }
    if (simt::lane() == 0) status[block] = listed.status;
  }
  if (simt::lane() == 0) {
    lists.begin[block] = 0;
    lists.end[block] = listed.references;
  }
}

/// One round of each block that has pending references. A block that has none afterwards is
/// finished.
template <class Policy>
PRESSO_DEVICE void resolve_round_body(const BlockPlan* plans, u32* status, u32 blocks,
                                      const ReferenceLists& lists) {
  const u32 block = block_of_warp();
  if (block >= blocks) return;
  const u32 begin = lists.begin[block];
  const u32 end = lists.end[block];
  if (begin == end) return;
  const BlockMemory memory(plans[block]);
  u64* const window = lists.references + u64{lists.stride} * block + begin;
  const u32 count = end - begin < kWarpSize ? end - begin : kWarpSize;
  const bool active = simt::lane() < count;
  const u64 reference = active ? window[simt::lane()] : 0;
  const Match match = unpack_reference(reference, memory.origin);
  const u32 mark = simt::shuffle(match.to, 0);
  const u32 source_end = match.to - match.distance + match.length;
  const bool ready = match.distance > match.to - memory.origin ||
                     (source_end < match.to ? source_end : match.to) <= mark;
  if (active && ready) copy_match<Policy::kMatchBytes>(memory.place(match), 0, 1);
  const u32 survivors = simt::ballot(active && !ready);
  const u32 first = count - simt::popcount(survivors);
  if (active && !ready) {
    window[first + simt::popcount(survivors & ((1u << simt::lane()) - 1))] = reference;
  }
  if (simt::lane() == 0) {
    lists.begin[block] = begin + first;
    if (begin + first == end) status[block] = decoded_status(plans[block]);
  }
}

}  // namespace presso::gpu::lab
