// SPDX-License-Identifier: MIT
// The fast decoders of the Byte coding (FORMAT.md 6: no entropy code, streams of whole bytes), one
// for each CPU level, and the plain struct that they take. They only say whether a block is sound;
// if it is not, the reference decoder finds the error code. block_decoder.cpp picks one.
#pragma once

#include <cstdint>

#include "decompress/payload.h"

namespace presso {

/// A payload whose streams have been found (payload.h), with room around it: Buffer::kSlack bytes
/// may be read after its end, and written after the end of `out`.
struct ByteBlockJob {
  PayloadView streams;
  const std::uint8_t* payload_end;
  const std::uint8_t* dictionary_end;
  std::uint8_t* out;
  std::uint32_t dictionary_bytes;
  std::uint32_t plain_bytes;
  std::uint32_t sequences;
  std::uint32_t literal_bits;
  std::uint32_t min_match;
  bool has_far;
};

/// One set a level; loops_for() of format/cpu_loops.h picks one.
struct ByteBlockLoops {
  /// Decodes the whole block to `out`; all streams must be used up exactly. False if the block is
  /// not sound; `out` is then undefined.
  bool (*decode)(const ByteBlockJob& job);

  static const ByteBlockLoops portable, avx2, avx512;
};

}  // namespace presso
