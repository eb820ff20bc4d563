// SPDX-License-Identifier: MIT
// Takes the longest token at each position of a string, and gathers codes until there are 1,024,
// which are then packed as lane_packing.h says: 12 words for each of 32 lanes.
#include "compress/columns/token_encoder.h"

#include <algorithm>
#include <array>

namespace presso {
namespace {

/// The next 16 bytes of a string, with zeros after `end`, which is the end of all strings'
/// memory.
inline TokenKey load_text(const Byte* at, const Byte* end) {
  if (end - at >= static_cast<std::ptrdiff_t>(kMaxTokenBytes)) [[likely]] {
    return load_token_key(at);
  }
  Byte text[kMaxTokenBytes] = {};
  std::copy(at, end, text);
  return load_token_key(text);
}

/// Appends the packed words of `n` codes. The codes after them, up to a multiple of 32, are
/// zeroed.
void pack(std::uint16_t* codes, std::uint32_t n, Buffer& payload) {
  const std::uint32_t words = lane_words(n, kTokenBits);
  const std::uint32_t steps = (n + kLanes - 1) / kLanes;
  std::fill(codes + n, codes + std::size_t{steps} * kLanes, std::uint16_t{0});
  std::array<std::uint32_t, kTokenVectorWords> packed{};
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint32_t bit = step * kTokenBits;
    std::uint32_t* const low = packed.data() + bit / 32 * kLanes;
    const std::uint16_t* const from = codes + std::size_t{step} * kLanes;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      low[lane] |= std::uint32_t{from[lane]} << bit % 32;
    }
    if (bit % 32 + kTokenBits <= 32) continue;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      low[kLanes + lane] = std::uint32_t{from[lane]} >> (32 - bit % 32);
    }
  }
  payload.append({reinterpret_cast<const Byte*>(packed.data()), words * sizeof packed[0]});
}

}  // namespace

// Strings are parsed greedily, as FSST does it (Boncz, Neumann and Leis, 2020).
TokenEncoder::TokenEncoder(const TokenDictionary& dictionary)
    : matcher_(dictionary), codes_(kVectorRows) {}

/// Codes of consecutive rows share vectors, so a vector boundary may lie inside of a row.
void TokenEncoder::encode(const ColumnView& strings, std::uint64_t first_row, std::uint64_t rows,
                          std::vector<std::uint32_t>& counts, Buffer& payload) {
  counts.resize(rows);
  payload.clear();
  const std::int64_t* const offsets = strings.offsets + first_row;
  const Byte* const memory_end = strings.values + strings.offsets[strings.rows];
  std::uint32_t waiting = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    const Byte* at = strings.values + offsets[row];
    const Byte* const end = strings.values + offsets[row + 1];
    std::uint32_t count = 0;
    for (; at < end; ++count) {
      const auto match =
          matcher_.longest(load_text(at, memory_end), static_cast<std::uint64_t>(end - at));
      at += match.length;
      codes_[waiting++] = static_cast<std::uint16_t>(match.code);
      if (waiting == kVectorRows) {
        pack(codes_.data(), waiting, payload);
        waiting = 0;
      }
    }
    counts[row] = count;
  }
  if (waiting > 0) pack(codes_.data(), waiting, payload);
}

}  // namespace presso
