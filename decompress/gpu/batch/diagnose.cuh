// SPDX-License-Identifier: MIT
// Finds out why a payload is faulty. One thread walks the sequences of a block that no decoder
// could finish, in state kFailed or still kPlanned, in the order of FORMAT.md 6.2 and 13.6,
// copies nothing, and writes the code of the first error: the same that the CPU's reference
// decoder reports. So decoding kernels may find errors in any order, and only need to notice
// one. Damage is rare and a walk ends at the first error, so one slow thread
// (about a hundred nanoseconds a sequence) is good enough. For Bit blocks it walks the output
// of bit_unpack.cuh.
//
// Invariant: for any payload whose header is valid, a walk ends within `sequences` steps and
// reads only inside the payload or its unpacked form. tests/simt/diagnose_test.cpp compares it
// with the CPU's decoders.
#pragma once

#include "decompress/gpu/bit/unpacked_block.h"
#include "decompress/gpu/plan/block_plan.h"
#include "decompress/gpu/simt/simt.h"
#include "presso/error.h"

namespace presso::gpu {

/// The positions of a sequential decoder: output and literals used.
class BlockWalk {
 public:
  PRESSO_HD explicit BlockWalk(const BlockPlan& plan) : plan_(plan) {}

  PRESSO_HD ErrorCode step(std::uint32_t literals, std::uint32_t match, std::uint32_t distance) {
    const ErrorCode code = take_literals(literals);
    if (code != ErrorCode::kOk) return code;
    if (distance == 0) return match == 0 ? ErrorCode::kOk : ErrorCode::kBadOffset;
    return take_match(match + plan_.min_match, distance);
  }

  /// Checks the end of the block; call it after the last sequence.
  PRESSO_HD ErrorCode finish() {
    const ErrorCode code = take_literals(plan_.literals - literals_used_);
    if (code != ErrorCode::kOk) return code;
    return at_ == plan_.plain_bytes ? ErrorCode::kOk : ErrorCode::kBadLength;
  }

 private:
  PRESSO_HD ErrorCode take_literals(std::uint32_t count) {
    if (count > plan_.literals - literals_used_) return ErrorCode::kBadLiterals;
    if (count > plan_.plain_bytes - at_) return ErrorCode::kBadLength;
    literals_used_ += count;
    at_ += count;
    return ErrorCode::kOk;
  }

  PRESSO_HD ErrorCode take_match(std::uint32_t length, std::uint32_t distance) {
    if (length > plan_.plain_bytes - at_) return ErrorCode::kBadLength;
    if (distance > at_) {  // it lies in the dictionary, as a whole
      const std::uint32_t before_block = distance - at_;
      if (before_block > plan_.dictionary_bytes || length > before_block) {
        return ErrorCode::kBadOffset;
      }
    }
    at_ += length;
    return ErrorCode::kOk;
  }

  const BlockPlan& plan_;
  std::uint32_t at_ = 0;
  std::uint32_t literals_used_ = 0;
};

/// Walks the tokens of a Byte block.
class PayloadWalk {
 public:
  PRESSO_HD explicit PayloadWalk(const BlockPlan& plan)
      : plan_(plan),
        block_(plan),
        literal_limit_((1u << plan.literal_bits) - 1),
        match_limit_((1u << (8u - plan.literal_bits - plan.far)) - 1) {}

  /// The first error of the payload; kOk if there is none.
  PRESSO_HD ErrorCode run() {
    for (std::uint32_t sequence = 0; sequence < plan_.sequences; ++sequence) {
      const ErrorCode code = step(sequence);
      if (code != ErrorCode::kOk) return code;
    }
    const ErrorCode code = block_.finish();
    if (code != ErrorCode::kOk) return code;
    const bool used_up =
        far_used_ == plan_.far_offsets && literal_escapes_used_ == plan_.literal_escapes &&
        match_escapes_used_ == plan_.match_escapes && longs_used_ == plan_.long_lengths;
    return used_up ? ErrorCode::kOk : ErrorCode::kBadEscapes;
  }

 private:
  PRESSO_HD ErrorCode step(std::uint32_t sequence) {
    const std::uint32_t token = plan_.tokens()[sequence];
    std::uint32_t literals = token & literal_limit_;
    std::uint32_t match = (token >> plan_.literal_bits) & match_limit_;
    std::uint32_t distance = word16(plan_.offsets(), sequence);
    if (plan_.far != 0 && (token & 0x80) != 0) {
      if (far_used_ == plan_.far_offsets) return ErrorCode::kBadEscapes;
      distance |= std::uint32_t{plan_.far_bytes()[far_used_++]} << 16;
    }
    if (!extend(literals, literal_limit_, plan_.literal_escape_bytes(), plan_.literal_escapes,
                literal_escapes_used_) ||
        !extend(match, match_limit_, plan_.match_escape_bytes(), plan_.match_escapes,
                match_escapes_used_)) {
      return ErrorCode::kBadEscapes;
    }
    return block_.step(literals, match, distance);
  }

  /// A length that reaches its limit in the token continues in an escape byte and, at 255, in a
  /// long length.
  PRESSO_HD bool extend(std::uint32_t& length, std::uint32_t limit, const Byte* escapes,
                        std::uint32_t count, std::uint32_t& used) {
    if (length != limit) return true;
    if (used == count) return false;
    const std::uint32_t escape = escapes[used++];
    length += escape;
    if (escape != 255) return true;
    if (longs_used_ == plan_.long_lengths) return false;
    length += word16(plan_.long_length_bytes(), longs_used_++);
    return true;
  }

  /// Value `index` of a stream of 16-bit values, read byte by byte, since long lengths may begin at
  /// any address.
  PRESSO_HD static std::uint32_t word16(const Byte* words, std::uint32_t index) {
    const Byte* at = words + 2 * std::size_t{index};
    return at[0] | std::uint32_t{at[1]} << 8;
  }

  const BlockPlan& plan_;
  BlockWalk block_;
  std::uint32_t literal_limit_;
  std::uint32_t match_limit_;
  std::uint32_t far_used_ = 0;
  std::uint32_t literal_escapes_used_ = 0;
  std::uint32_t match_escapes_used_ = 0;
  std::uint32_t longs_used_ = 0;
};

/// Walks the records of a Bit block whose sub-streams are right. After the first error they may
/// be anything.
PRESSO_HD inline ErrorCode walk_records(const BlockPlan& plan) {
  const UnpackedBlock unpacked(plan);
  BlockWalk block(plan);
  for (std::uint32_t i = 0; i < plan.sequences; ++i) {
    const std::uint32_t record = unpacked.records[i];
    std::uint32_t distance = record_distance(record);
    ErrorCode code = ErrorCode::kBadLength;
    if (is_wide_record(record)) {
      if (distance >= wide_room(plan.plain_bytes)) return code;  // there is none without an error
      const WideSequence& wide = unpacked.wide[distance];
      code = block.step(wide.literals, wide.match, wide.distance);
    } else {
      if (plan.far != 0) distance |= std::uint32_t{unpacked.high[i]} << 16;
      code = block.step(record_literals(record), record_match(record), distance);
    }
    if (code != ErrorCode::kOk) return code;
  }
  return block.finish();
}

/// The error code of a block that no decoder could finish; never kOk. kUnsupported stands for a
/// payload in which nothing is wrong: a correct decoder never leaves such a block, so no input
/// leads here, and tests treat it as a defect.
PRESSO_HD inline ErrorCode diagnose(const BlockPlan& plan) {
  if (plan.is(Coding::kRaw)) return ErrorCode::kUnsupported;
  const ErrorCode code = plan.is(Coding::kBit) ? walk_records(plan) : PayloadWalk(plan).run();
  return code == ErrorCode::kOk ? ErrorCode::kUnsupported : code;
}

}  // namespace presso::gpu
