// SPDX-License-Identifier: MIT
// One pass checks everything, a second writes.
#include "tests/support/reference_token_decoder.h"

#include <algorithm>

namespace presso {
namespace {

/// Gathers the code bit by bit.
std::uint32_t code_at(Bytes payload, std::uint32_t i) {
  const Byte* const vector =
      payload.data() + std::size_t{i / kVectorRows} * kTokenVectorWords * sizeof(std::uint32_t);
  const std::uint32_t lane = i % kLanes;
  const std::uint32_t bit = i % kVectorRows / kLanes * kTokenBits;
  std::uint32_t code = 0;
  for (std::uint32_t b = bit; b < bit + kTokenBits; ++b) {
    const std::size_t word = b / 32 * kLanes + lane;
    code |= (load<std::uint32_t>(vector + word * sizeof(std::uint32_t)) >> b % 32 & 1) << (b - bit);
  }
  return code;
}

/// Everything that decode_tokens() refuses, with the same codes.
Status check(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
             std::span<const std::uint32_t> counts, std::size_t plain_bytes) {
  if (payload.size() != token_payload_bytes(codes)) {
    return make_error(ErrorCode::kBadPayloadSize, "token codes");
  }
  // In 64 bits: sums of 32-bit counts may pass 2^32.
  std::uint64_t counted = 0;
  for (const std::uint32_t count : counts) counted += count;
  if (counted != codes) return make_error(ErrorCode::kBadLength, "counts of token codes");
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < codes; ++i) {
    const std::uint32_t code = code_at(payload, i);
    if (code >= dictionary.size()) return make_error(ErrorCode::kBadOffset, "code without a token");
    bytes += dictionary.length(code);
  }
  if (bytes != plain_bytes) return make_error(ErrorCode::kBadLength, "tokens and plain size");
  return {};
}

}  // namespace

Status reference_decode_tokens(const TokenDictionary& dictionary, Bytes payload,
                               std::uint32_t codes, std::span<const std::uint32_t> counts,
                               MutableBytes bytes_out, std::int64_t* offsets_out,
                               std::int64_t first_offset) {
  PRESSO_TRY(check(dictionary, payload, codes, counts, bytes_out.size()));
  Byte* out = bytes_out.data();
  std::uint32_t at = 0;
  *offsets_out++ = first_offset;
  for (const std::uint32_t count : counts) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bytes token = dictionary.token(code_at(payload, at++));
      out = std::copy(token.begin(), token.end(), out);
    }
    *offsets_out++ = first_offset + (out - bytes_out.data());
  }
  return {};
}

}  // namespace presso
