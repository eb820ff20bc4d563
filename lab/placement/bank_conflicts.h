// SPDX-License-Identifier: MIT
// How often the lanes of a warp want the same bank of shared memory at once (S3.3), of columns that
// say which slot of a table each row goes to, and columns to try that with. A slot is a word of 32
// bits, its bank is its number modulo 32; the rows that a warp reads in one instruction are a
// chunk, 32 that follow one another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace presso::lab {

inline constexpr std::uint32_t kBanks = 32;
inline constexpr std::uint32_t kChunkRows = 32;

/// Of one chunk. A round is an access that all banks make at once.
struct ChunkConflicts {
  std::uint32_t banks = 0;         ///< how many different ones
  std::uint32_t write_rounds = 0;  ///< the most rows of a bank: two writes of a slot are two
  std::uint32_t read_rounds = 0;   ///< the most different slots of a bank: a slot is read for all
};

/// `slots`: at most kChunkRows.
ChunkConflicts conflicts_of(std::span<const std::uint16_t> slots);

/// Means over all chunks, of which the last one may be shorter.
struct MeanConflicts {
  double banks = 0;
  double write_rounds = 0;
  double read_rounds = 0;
};
MeanConflicts mean_conflicts(std::span<const std::uint16_t> slots);

/// Codes 0 to items - 1, code i with a probability in proportion to 1 / (i + 1)^theta: evenly for
/// 0, by Zipf's law for 1. The same for the same seed.
std::vector<std::uint16_t> drawn_codes(std::uint64_t rows, std::uint32_t items, double theta,
                                       std::uint64_t seed);

/// Codes of which each chunk has 32 different ones, exactly `degree` of them, 1 to 32, in one bank
/// and the others alone in theirs (S3.10). `items`: at least 32 * degree. The same for the same
/// seed.
std::vector<std::uint16_t> conflicting_codes(std::uint64_t rows, std::uint32_t items,
                                             std::uint32_t degree, std::uint64_t seed);

}  // namespace presso::lab
