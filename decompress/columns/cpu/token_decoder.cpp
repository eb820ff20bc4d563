// SPDX-License-Identifier: MIT
// Decodes tokens vector by vector: unpacks 1,024 codes, copies their tokens noting where each ends,
// and looks up where rows end. Rows and codes are counted separately, so the copying loop knows
// nothing of rows.
#include "decompress/columns/cpu/token_decoder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "decompress/columns/cpu/integer_decoder.h"

namespace presso {
namespace {

static_assert(kVectorRows * kMaxTokenBytes < 1u << 16, "places in a vector's bytes have 16 bits");
/// What 32 codes may write at most.
constexpr std::uint32_t kStepBytes = kLanes * kMaxTokenBytes;

// Signed, because SSE2 has only the signed maximum.
using Codes = std::int16_t[kVectorRows];

/// Unpacks step `kStep` of all lanes; its place in the words is a constant.
template <std::uint32_t kStep>
inline void unpack_step(const std::uint32_t* words, std::int16_t* codes) {
  constexpr std::uint32_t kBit = kStep * kTokenBits;
  constexpr std::uint32_t kShift = kBit % 32;
  const std::uint32_t* const low = words + kBit / 32 * kLanes;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    std::uint32_t code = low[lane] >> kShift;
    if constexpr (kShift + kTokenBits > 32) code |= low[kLanes + lane] << (32 - kShift);
    codes[kStep * kLanes + lane] = static_cast<std::int16_t>(code % kMaxTokens);
  }
}

/// All steps, unrolled.
template <std::uint32_t... kSteps>
inline void unpack_steps(const std::uint32_t* words, std::int16_t* codes,
                         std::integer_sequence<std::uint32_t, kSteps...>) {
  (unpack_step<kSteps>(words, codes), ...);
}

/// Unpacks the `n` codes of a vector at `packed`; entries after them are undefined.
void unpack(const Byte* packed, std::uint32_t n, std::int16_t* codes) {
  std::uint32_t words[kTokenVectorWords];
  const std::size_t bytes = lane_words(n, kTokenBits) * sizeof words[0];
  std::memcpy(words, packed, bytes);
  std::memset(reinterpret_cast<Byte*>(words) + bytes, 0, sizeof words - bytes);
  unpack_steps(words, codes, std::make_integer_sequence<std::uint32_t, kVectorRows / kLanes>());
}

/// Whether all codes are below the number of tokens; one maximum over the vector.
bool names_tokens(const std::int16_t* codes, std::uint32_t n, std::uint32_t tokens) {
  std::int16_t largest = 0;
  for (std::uint32_t i = 0; i < n; ++i) largest = std::max(largest, codes[i]);
  return static_cast<std::uint32_t>(largest) < tokens;
}

/// The destination of the strings' bytes.
struct Output {
  Byte* begin;
  Byte* end;
  Byte* at;
};

/// Copies the tokens of `n` codes; ends[i] becomes the place where token i ends. Writes at most
/// 16 bytes after the output's end; false if the tokens do not fit.
bool copy_tokens(const TokenDictionary& dictionary, const std::int16_t* codes, std::uint32_t n,
                 Output& output, std::uint16_t* ends) {
  // Locals, since the stores below could change members in the compiler's eyes.
  const Byte* const slots = dictionary.slots();
  const Byte* const lengths = dictionary.lengths();
  Byte* const begin = output.at;
  Byte* const end = output.end;
  Byte* at = begin;
  std::uint32_t i = 0;
  // As long as 32 tokens of any length fit, nothing is checked within them.
  for (; i + kLanes <= n && end - at >= static_cast<std::ptrdiff_t>(kStepBytes);) {
    for (const std::uint32_t step_end = i + kLanes; i < step_end; ++i) {
      const auto code = static_cast<std::size_t>(codes[i]);
      std::memcpy(at, slots + code * kMaxTokenBytes, kMaxTokenBytes);
      at += lengths[code];
      ends[i] = static_cast<std::uint16_t>(at - begin);
    }
  }
  for (; i < n; ++i) {
    const auto code = static_cast<std::size_t>(codes[i]);
    if (lengths[code] > end - at) return false;
    std::memcpy(at, slots + code * kMaxTokenBytes, kMaxTokenBytes);
    at += lengths[code];
    ends[i] = static_cast<std::uint16_t>(at - begin);
  }
  output.at = at;
  return true;
}

/// Turns counts of codes into the rows' ends, vector by vector; rows may span vectors.
class RowEnds {
 public:
  RowEnds(std::span<const std::uint32_t> counts, std::int64_t first_offset, std::int64_t* offsets)
      : counts_(counts), offsets_(offsets) {
    offsets_[0] = first_offset;
  }

  /// `ends`: the ends of `n` further tokens, counted from `base`; ends[-1] must be 0.
  void advance(const std::uint16_t* ends, std::uint32_t n, std::int64_t base) {
    // Unsigned numbers wrap around, so rows that began in an earlier vector need no case of
    // their own.
    std::uint64_t code = open_;  // codes of this vector up to the row's end; before it: below 0
    for (; row_ < counts_.size(); ++row_) {
      const std::uint64_t row_end = code + counts_[row_];
      if (row_end > n) break;
      code = row_end;
      offsets_[row_ + 1] = base + ends[static_cast<std::ptrdiff_t>(code) - 1];
    }
    open_ = code - n;
  }

 private:
  std::span<const std::uint32_t> counts_;
  std::int64_t* offsets_;
  std::size_t row_ = 0;
  /// Where the current row begins, in codes from the next vector on: 0, or below 0 modulo 2^64.
  std::uint64_t open_ = 0;
};

Error no_token() {
  return make_error(ErrorCode::kBadOffset, "code without a token");
}

/// The error of a block whose tokens do not fit: a code without a token, here or further on, comes
/// first whatever the order of decoding.
Error misfit(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes) {
  Codes unpacked;
  while (codes > 0) {
    const std::uint32_t n = std::min(codes, kVectorRows);
    unpack(payload.data(), n, unpacked);
    if (!names_tokens(unpacked, n, dictionary.size())) {
      return no_token();
    }
    payload = payload.subspan(lane_words(n, kTokenBits) * sizeof(std::uint32_t));
    codes -= n;
  }
  return make_error(ErrorCode::kBadLength, "tokens do not add up to the plain size");
}

/// What can be checked before any code is looked at.
Status check_sizes(Bytes payload, std::uint32_t codes, std::span<const std::uint32_t> counts) {
  if (payload.size() != token_payload_bytes(codes)) {
    return make_error(ErrorCode::kBadPayloadSize, "payload of token codes");
  }
  if (std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) != codes) {
    return make_error(ErrorCode::kBadLength, "counts of token codes");
  }
  return {};
}

}  // namespace

// Vector by vector: codes, bytes and offsets of 1,024 codes stay in the first-level cache.
Status decode_tokens(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                     std::span<const std::uint32_t> counts, MutableBytes bytes_out,
                     std::int64_t* offsets_out, std::int64_t first_offset) {
  PRESSO_TRY(check_sizes(payload, codes, counts));
  Byte* const begin = bytes_out.data();
  Output output{begin, begin + bytes_out.size(), begin};
  RowEnds rows(counts, first_offset, offsets_out);
  Codes unpacked;
  std::uint16_t ends[1 + kVectorRows];
  ends[0] = 0;
  // Rows without codes at the beginning.
  rows.advance(ends + 1, 0, first_offset);
  for (std::uint32_t left = codes; left > 0;) {
    const std::uint32_t n = std::min(left, kVectorRows);
    const std::int64_t base = first_offset + (output.at - begin);
    unpack(payload.data(), n, unpacked);
    if (!names_tokens(unpacked, n, dictionary.size())) {
      return no_token();
    }
    if (!copy_tokens(dictionary, unpacked, n, output, ends + 1)) {
      return misfit(dictionary, payload, left);
    }
    rows.advance(ends + 1, n, base);
    payload = payload.subspan(lane_words(n, kTokenBits) * sizeof(std::uint32_t));
    left -= n;
  }
  if (output.at != output.end) return misfit(dictionary, {}, 0);
  return {};
}

// As decode_tokens(), but it begins within a vector and does not check the codes outside of its
// rows.
Result<std::size_t> decode_token_rows(const TokenDictionary& dictionary, Bytes payload,
                                      std::uint32_t codes, std::uint32_t first_code,
                                      std::span<const std::uint32_t> counts, MutableBytes bytes_out,
                                      std::int64_t* offsets_out, std::int64_t first_offset) {
  if (payload.size() != token_payload_bytes(codes)) {
    return make_error(ErrorCode::kBadPayloadSize, "payload of token codes");
  }
  const auto counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (first_code > codes || counted > codes - first_code) {
    return make_error(ErrorCode::kBadLength, "counts of token codes");
  }
  Byte* const begin = bytes_out.data();
  Output output{begin, begin + bytes_out.size(), begin};
  RowEnds rows(counts, first_offset, offsets_out);
  Codes unpacked;
  std::uint16_t ends[1 + kVectorRows];
  ends[0] = 0;
  rows.advance(ends + 1, 0, first_offset);
  std::uint32_t vector = first_code / kVectorRows * kVectorRows;
  // Codes of the first vector that belong to rows before.
  std::uint32_t skipped = first_code - vector;
  for (auto left = static_cast<std::uint32_t>(counted); left > 0; vector += kVectorRows) {
    const std::uint32_t n = std::min(codes - vector, kVectorRows);
    const std::uint32_t taken = std::min(n - skipped, left);
    const std::int64_t base = first_offset + (output.at - begin);
    unpack(payload.data() + std::size_t{vector / kVectorRows} * kTokenVectorWords * 4, n, unpacked);
    if (!names_tokens(unpacked + skipped, taken, dictionary.size())) return no_token();
    if (!copy_tokens(dictionary, unpacked + skipped, taken, output, ends + 1)) {
      return make_error(ErrorCode::kBadLength, "tokens do not add up to the plain size");
    }
    rows.advance(ends + 1, taken, base);
    left -= taken;
    skipped = 0;
  }
  return static_cast<std::size_t>(output.at - begin);
}

/// Unpacks codes by the loops for integers, which have versions for each CPU level: a vector of
/// codes is laid out like one of integers of kind 0.
Status unpack_token_part(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                         std::uint32_t first, std::uint32_t count, std::uint16_t* to,
                         CpuLevel level) {
  if (payload.size() != token_payload_bytes(codes)) {
    return make_error(ErrorCode::kBadPayloadSize, "payload of token codes");
  }
  if (first > codes || count > codes - first) {
    return make_error(ErrorCode::kBadLength, "counts of token codes");
  }
  // Codes look like integers of 2 bytes, base 0 and 12 bits.
  const IntegerParameters parameters{.width_bytes = 2, .rows = kVectorRows};
  IntegerVector vector;
  vector.entry.width = kTokenBits;
  const std::uint32_t begin = first / kVectorRows * kVectorRows;
  vector.words =
      payload.data() + std::size_t{begin / kVectorRows} * kTokenVectorWords * sizeof(std::uint32_t);
  for (std::uint32_t at = begin; at < first + count; at += kVectorRows) {
    vector.rows = std::min(codes - at, kVectorRows);
    std::uint16_t* const into = to + (at - begin);
    decode_integer_vector(parameters, vector, reinterpret_cast<Byte*>(into), level);
    const auto* unpacked = reinterpret_cast<const std::int16_t*>(into);
    if (!names_tokens(unpacked, vector.rows, dictionary.size())) return no_token();
    vector.words += kTokenVectorWords * sizeof(std::uint32_t);
  }
  return {};
}

// All of the block's codes.
Status unpack_tokens(const TokenDictionary& dictionary, Bytes payload, std::uint32_t codes,
                     std::uint16_t* to, CpuLevel level) {
  return unpack_token_part(dictionary, payload, codes, 0, codes, to, level);
}

}  // namespace presso
