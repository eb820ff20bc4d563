// SPDX-License-Identifier: MIT
// The fast decoders of the Byte coding, one per CPU level, and the plain struct they work on. They
// say only whether a block is sound; where it is not, the reference decoder finds the error code.
#pragma once

#include <cstdint>

namespace presso {

/// A validated payload (decompress/payload.h) with the room around it: every stream may be
/// over-read and `out` over-written by kWideCopy bytes.
struct ByteBlockJob {
  const std::uint8_t* offsets;
  const std::uint8_t* tokens;
  const std::uint8_t* far;
  const std::uint8_t* literal_escapes;
  const std::uint8_t* match_escapes;
  const std::uint8_t* long_lengths;
  const std::uint8_t* literals;
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

bool decode_byte_block_portable(const ByteBlockJob& job);
#if defined(__x86_64__)
bool decode_byte_block_avx2(const ByteBlockJob& job);
bool decode_byte_block_avx512(const ByteBlockJob& job);
#endif

}  // namespace presso
