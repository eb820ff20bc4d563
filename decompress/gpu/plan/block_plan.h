// SPDX-License-Identifier: MIT
// What a decoding kernel knows of a block before it looks at the payload: the block header, already
// validated, with its streams found (FORMAT.md 5, 6.1). plan_kernel writes one per block into
// temporary device memory; every other kernel reads them. Trivially copyable, host and device.
#pragma once

#include <cstdint>

#include "format/block_header.h"
#include "format/host_device.h"
#include "presso/error.h"
#include "presso/wire.h"

namespace presso::gpu {

/// A block's status word while a batch is on its way. Values below kPlanned are final: they are
/// ErrorCode. The kernels of a batch run one after another on one stream; each takes up the blocks
/// that an earlier one left in the state that it serves.
enum : std::uint32_t {
  kPlanned = 0x80000000u,   ///< header fine, not decoded yet
  kFailed = 0x80000001u,    ///< payload is faulty; finish_kernel finds the error code
  kSurveyed = 0x80000002u,  ///< planned, and the relay decoder has what it needs
  kDecoded = 0x80000003u,   ///< plain bytes are there, not compared with their checksum yet
};

/// The status of a block that is done.
PRESSO_HD constexpr std::uint32_t status_of(ErrorCode code) {
  return static_cast<std::uint32_t>(code);
}

/// The size of a segment: a block's content checksum is made of the hashes of its segments
/// (FORMAT.md 8).
constexpr std::uint32_t kHashSegmentBytes = 1024;

PRESSO_HD constexpr std::uint32_t segments_of(std::uint32_t plain_bytes) {
  return (plain_bytes + kHashSegmentBytes - 1) / kHashSegmentBytes;
}

/// What survey.cuh keeps of a block, in cells of 16 bytes: two for each unit of 128 sequences,
/// which take three bytes each, rounded up.
constexpr std::uint32_t kSurveyCellBytes = 16;
constexpr std::uint32_t kSurveyCells = 6;  ///< a claimed segment

/// One more than there are, for what every block has whatever its size.
PRESSO_HD constexpr std::uint32_t claimed_segments_of(std::uint32_t plain_bytes) {
  return segments_of(plain_bytes) + 1;
}
PRESSO_HD constexpr std::uint32_t survey_cells_of(std::uint32_t plain_bytes) {
  return kSurveyCells * claimed_segments_of(plain_bytes);
}

/// What bit_unpack.cuh makes of a Bit block (unpacked_block.h), in cells of 16 bytes: for a byte of
/// plain text at most a literal, a third of a sequence's record of four bytes and of its distance's
/// third byte, and a 255th of a wide sequence's cell.
constexpr std::uint32_t kUnpackedCellBytes = 16;
constexpr std::uint32_t kUnpackedCells = 175;  ///< a claimed segment

struct BlockPlan {
  const Byte* payload;     ///< 16-byte aligned, device memory, padded to a multiple of 16
  Byte* out;               ///< plain_bytes of room
  const Byte* dictionary;  ///< dictionary_bytes of content; nullptr: the block has none
  std::uint64_t content_checksum;
  std::uint64_t* segment_hashes;  ///< temporary: one for each KiB; nullptr: checksums are off
  Byte* survey;    ///< temporary: survey_cells_of(plain_bytes) cells; nullptr: there are none
  Byte* unpacked;  ///< temporary: kUnpackedCells for each claimed segment; Bit coding only
  std::uint32_t dictionary_bytes;
  std::uint32_t plain_bytes;
  std::uint32_t payload_bytes;
  std::uint32_t sequences;
  std::uint32_t literals;
  std::uint32_t far_offsets;
  std::uint32_t literal_escapes;
  std::uint32_t match_escapes;
  std::uint32_t long_lengths;  ///< u16 values
  BitFields bit;               ///< Bit coding only
  Byte coding;                 ///< Coding
  Byte rule;                   ///< DependencyRule
  Byte group_log2;
  Byte literal_bits;
  Byte far;  ///< 0 or 1. Bit coding: distances have a third byte; bit_unpack.cuh finds out
  Byte min_match;
  Byte reserved[14];

  PRESSO_HD bool is(Coding which) const { return coding == static_cast<Byte>(which); }

  PRESSO_HD const Byte* offsets() const { return payload; }
  PRESSO_HD const Byte* tokens() const { return payload + 2 * std::size_t{sequences}; }
  PRESSO_HD const Byte* far_bytes() const { return tokens() + sequences; }
  PRESSO_HD const Byte* literal_escape_bytes() const { return far_bytes() + far_offsets; }
  PRESSO_HD const Byte* match_escape_bytes() const {
    return literal_escape_bytes() + literal_escapes;
  }
  PRESSO_HD const Byte* long_length_bytes() const { return match_escape_bytes() + match_escapes; }
  PRESSO_HD const Byte* literal_bytes() const { return payload + payload_bytes - literals; }
};
static_assert(sizeof(BlockPlan) % 16 == 0);

/// Copies what a valid header says to `plan`, which must be all zeros.
PRESSO_HD inline void fill_plan(const BlockHeader& header, BlockPlan& plan) {
  plan.content_checksum = header.content_checksum;
  plan.plain_bytes = header.plain_bytes;
  plan.payload_bytes = header.payload_bytes;
  plan.sequences = header.sequences;
  plan.literals = header.literals;
  plan.far_offsets = header.far_offsets;
  plan.literal_escapes = header.literal_escapes;
  plan.match_escapes = header.match_escapes;
  plan.coding = static_cast<Byte>(header.coding);
  plan.rule = static_cast<Byte>(header.rule);
  plan.group_log2 = header.group_log2;
  plan.literal_bits = header.layout.literal_bits;
  plan.far = header.layout.far ? 1 : 0;
  plan.min_match = header.layout.min_match;
  plan.bit = header.bit;
}

/// Finds the stream of a Byte-coded block that takes what the others leave. False where that is
/// half a value.
PRESSO_HD inline bool find_long_lengths(const BlockHeader& header, BlockPlan& plan) {
  const auto others = static_cast<std::uint32_t>(presso::detail::fixed_stream_bytes(header));
  plan.long_lengths = (header.payload_bytes - others) / 2;
  return (header.payload_bytes - others) % 2 == 0;
}

/// The status of a block with a sound payload, all plain bytes of which have been written.
PRESSO_HD inline std::uint32_t decoded_status(const BlockPlan& plan) {
  return plan.segment_hashes == nullptr ? status_of(ErrorCode::kOk) : std::uint32_t{kDecoded};
}

/// The argument of the kernels that come after plan_kernel.
struct BlockBatch {
  BlockPlan* plans = nullptr;  ///< unspecified where the status is an error of the header
  std::uint32_t* status = nullptr;
  std::uint32_t blocks = 0;
};

}  // namespace presso::gpu
