// SPDX-License-Identifier: MIT
// What stands between the two stages of the Bit coding, in temporary device memory: sequences as
// records of one word each, literals in their order. bit_unpack.cuh writes it, record parsers read
// it. Parts lie one after another, each from a multiple of 16 on:
//
//   records    u32 a sequence: bits 0-15 distance, 16-23 literals, 24-31 match value; zeros up to
//              a multiple of four
//   literals   bytes; zeros up to a multiple of 16
//   high       byte a sequence: bits 16-23 of its distance; written where the plan says `far`
//   wide       sequences whose lengths do not fit, in any order
//
// A record with both lengths 255 is that of a wide sequence; in place of the distance it has the
// number of its entry. Such a sequence has 255 bytes at least, or the block is faulty: so there are
// at most wide_room() of them in front of a block's first error. What a faulty block has after it
// may be missing.
#pragma once

#include "decompress/gpu/plan/block_plan.h"

namespace presso::gpu {

struct alignas(16) WideSequence {
  std::uint32_t literals;
  std::uint32_t match;  ///< value: less min_match
  std::uint32_t distance;
  std::uint32_t reserved;
};

/// Any length that is part of a record is less.
constexpr std::uint32_t kWideLength = 255;
constexpr std::uint32_t kFarDistance = 1u << 16;

/// The class of the least offset value that may stand for kFarDistance or more.
constexpr std::uint32_t kFirstFarOffset = 60;

PRESSO_HD constexpr bool is_wide_record(std::uint32_t record) {
  return record >= 0xFFFF0000u;
}

PRESSO_HD constexpr std::uint32_t pack_wide_record(std::uint32_t entry) {
  return 0xFFFF0000u | entry;
}

PRESSO_HD constexpr std::uint32_t record_distance(std::uint32_t record) {
  return record & 0xFFFFu;
}
PRESSO_HD constexpr std::uint32_t record_literals(std::uint32_t record) {
  return record >> 16 & 255u;
}
PRESSO_HD constexpr std::uint32_t record_match(std::uint32_t record) {
  return record >> 24;
}

PRESSO_HD constexpr std::uint32_t wide_room(std::uint32_t plain_bytes) {
  return plain_bytes / kWideLength + 1;
}
static_assert(wide_room(kMaxBlockBytes) <= 0x10000);

/// Where the parts begin.
struct UnpackedBlock {
  std::uint32_t* records;
  Byte* literals;
  Byte* high;
  WideSequence* wide;

  PRESSO_HD explicit UnpackedBlock(const BlockPlan& plan)
      : records(reinterpret_cast<std::uint32_t*>(plan.unpacked)),
        literals(plan.unpacked + cells(4 * plan.sequences)),
        high(literals + cells(plan.literals)),
        wide(reinterpret_cast<WideSequence*>(high + cells(plan.sequences))) {}

  /// The bytes of all parts together.
  static PRESSO_HD constexpr std::uint64_t bytes(std::uint32_t plain_bytes, std::uint32_t sequences,
                                                 std::uint32_t literals) {
    return std::uint64_t{cells(4 * sequences)} + cells(literals) + cells(sequences) +
           sizeof(WideSequence) * wide_room(plain_bytes);
  }

 private:
  /// The cells that `bytes` take.
  static PRESSO_HD constexpr std::uint32_t cells(std::uint32_t bytes) {
    return (bytes + kUnpackedCellBytes - 1) / kUnpackedCellBytes * kUnpackedCellBytes;
  }
};

/// The bytes that the plan of a block of this size has for an unpacked block.
PRESSO_HD constexpr std::uint64_t unpacked_bytes_of(std::uint32_t plain_bytes) {
  return std::uint64_t{claimed_segments_of(plain_bytes)} * kUnpackedCells * kUnpackedCellBytes;
}
static_assert(UnpackedBlock::bytes(1, 1, 1) <= unpacked_bytes_of(1));
static_assert(UnpackedBlock::bytes(kMaxBlockBytes, kMaxBitSequences, kMaxBlockBytes) <=
              unpacked_bytes_of(kMaxBlockBytes));

}  // namespace presso::gpu
