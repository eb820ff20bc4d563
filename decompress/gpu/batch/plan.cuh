// SPDX-License-Identifier: MIT
// The first kernel of a batch: one thread for each block validates the 48 bytes of the block
// header and finds the payload's streams (FORMAT.md 5, 6.1), so that decoding kernels need not
// check again.
//
// The errors and their order are those of the CPU: parse_block_header_words() is the same
// source, and the checks after it are those that decode_block() makes before it looks at a
// payload. A header that contradicts its span, which comes from an index, is kBadIndex. Number
// and kind, which a span does not have, are compared by the caller.
//
// Room for segment hashes, survey records and unpacked Bit blocks is claimed block by block
// from one counter, so a batch needs only as much as its blocks have segments together, however
// their sizes differ. Which block gets which part depends on the order of threads; nothing else
// does.
//
// Invariant: a block in state kPlanned has streams within its span and a payload of whole 16-byte
// units after which nothing is read. Test: tests/simt/plan_test.cpp.
#pragma once

#include "decompress/gpu/checksum/xxh3.h"
#include "decompress/gpu/plan/block_plan.h"
#include "decompress/gpu/simt/simt.h"
#include "format/block_header.h"
#include "presso/gpu_batch.h"

namespace presso::gpu {

struct PlanArguments {
  BatchArguments batch;
  BlockPlan* plans = nullptr;  ///< one for each block; unspecified if the header is bad
  std::uint64_t* segment_hashes = nullptr;  ///< nullptr: checksums are off
  Byte* survey = nullptr;                   ///< cells of survey records; nullptr: none are needed
  Byte* unpacked = nullptr;                 ///< for Bit blocks; nullptr: there should be none
  std::uint64_t segments = 0;  ///< segments of the whole batch: hashes, and room for their cells
  std::uint64_t* claimed = nullptr;  ///< counter of claimed segments; zero before the kernel starts
};

namespace detail {

using simt::u32;
using simt::u64;

/// Loads the header from an address that is a multiple of 16.
PRESSO_DEVICE BlockHeaderFault load_block_header(const Byte* from, BlockHeader& header) {
  const auto* vectors = reinterpret_cast<const simt::Vec4*>(from);
  u32 words[kBlockHeaderWords];
  for (u32 i = 0; i < kBlockHeaderWords / 4; ++i) {
    const simt::Vec4 vector = simt::load_readonly(vectors + i);
    words[4 * i] = vector.x;
    words[4 * i + 1] = vector.y;
    words[4 * i + 2] = vector.z;
    words[4 * i + 3] = vector.w;
  }
  const auto checksum =
      static_cast<u32>(xxh3::hash_17_to_128(xxh3::WordReader{words}, kBlockHeaderBytes - 4));
  return parse_block_header_words(words, checksum, header);
}

/// Whether the host's table agrees with the header in what both tell.
PRESSO_DEVICE bool agrees(const BlockSpan& span, const BlockHeader& header) {
  const u32 stored_bytes = kBlockHeaderBytes + (header.payload_bytes + 15) / 16 * 16;
  return span.stored_bytes == stored_bytes && span.plain_bytes == header.plain_bytes;
}

/// False if the file has no dictionary of this id. An empty dictionary has an address, too.
PRESSO_DEVICE bool find_dictionary(const BatchArguments& batch, u32 id, BlockPlan& plan) {
  if (id == 0) return true;
  if (id > kMaxDictionaries || batch.d_dictionaries == nullptr) return false;
  plan.dictionary = batch.d_dictionaries[id].d_content;
  plan.dictionary_bytes = batch.d_dictionaries[id].bytes;
  return plan.dictionary != nullptr;
}

/// False if the batch has more segments than there is room for, or a Bit block that it should
/// not have.
PRESSO_DEVICE bool claim_segments(const PlanArguments& arguments, BlockPlan& plan) {
  if (plan.is(Coding::kBit) && arguments.unpacked == nullptr) return false;
  if (arguments.segment_hashes == nullptr && arguments.survey == nullptr &&
      arguments.unpacked == nullptr) {
    return true;
  }
  const u32 count = claimed_segments_of(plan.plain_bytes);
  const u64 first = simt::atomic_add(arguments.claimed, u64{count});
  if (arguments.segment_hashes != nullptr) plan.segment_hashes = arguments.segment_hashes + first;
  if (arguments.survey != nullptr) {
    plan.survey = arguments.survey + first * (kSurveyCells * kSurveyCellBytes);
  }
  if (plan.is(Coding::kBit)) {
    plan.unpacked = arguments.unpacked + first * (kUnpackedCells * kUnpackedCellBytes);
  }
  return first + count <= arguments.segments;
}

PRESSO_DEVICE ErrorCode plan_block(const PlanArguments& arguments, u32 block) {
  const BatchArguments& batch = arguments.batch;
  const BlockSpan span = batch.d_spans[block];
  if (span.stored_offset % 16 != 0 || span.stored_bytes < kBlockHeaderBytes) {
    return ErrorCode::kBadIndex;
  }
  const Byte* stored = batch.d_stored + span.stored_offset;
  BlockHeader header;
  const BlockHeaderFault fault = load_block_header(stored, header);
  if (fault != BlockHeaderFault::kNone) return code_of(fault);
  if (!agrees(span, header)) return ErrorCode::kBadIndex;
  if (header.coding == Coding::kBit && header.bit.layout != kLaneLayout) {
    return ErrorCode::kUnsupported;  // the CPU decodes it
  }
  if (header.plain_bytes > batch.largest_plain_bytes) return ErrorCode::kInvalidArgument;
  BlockPlan plan{};
  fill_plan(header, plan);
  plan.payload = stored + kBlockHeaderBytes;
  plan.out = batch.d_plain + span.plain_offset;
  if (header.coding != Coding::kRaw && !find_dictionary(batch, header.dictionary_id, plan)) {
    return ErrorCode::kMissingDictionary;
  }
  if (header.coding == Coding::kByte && !find_long_lengths(header, plan)) {
    return ErrorCode::kBadPayloadSize;
  }
  if (!claim_segments(arguments, plan)) return ErrorCode::kInvalidArgument;
  arguments.plans[block] = plan;
  return ErrorCode::kOk;
}

}  // namespace detail

/// Each thread of the grid takes a block. Writes every block's status: kPlanned, or an error
/// code.
PRESSO_DEVICE void plan_body(const PlanArguments& arguments) {
  const std::uint32_t block = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  if (block >= arguments.batch.blocks) return;
  const ErrorCode code = detail::plan_block(arguments, block);
  arguments.batch.d_status[block] = code == ErrorCode::kOk ? kPlanned : status_of(code);
}

}  // namespace presso::gpu
