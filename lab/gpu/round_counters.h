// SPDX-License-Identifier: MIT
// What multi-round resolution counts of a block (sources: S7.20), under the rule of rounds that
// resolve.cuh states. Groups are the decoder's steps of 32 sequences. Host and device.
#pragma once

#include <array>
#include <cstdint>

namespace presso::gpu::lab {

struct RoundCounters {
  /// Each resolves the first pending match of a step.
  static constexpr std::uint32_t kMaxRounds = 32;  // allow(bare-32): host code knows no warps

  std::uint32_t groups;              ///< also those without matches, which take no round
  std::uint32_t rounds[kMaxRounds];  ///< [r - 1]: groups that took r rounds
  std::uint32_t bytes[kMaxRounds];   ///< [r - 1]: match bytes resolved in round r
};

/// Counters of many blocks, on the host.
class RoundTotals {
 public:
  void add(const RoundCounters& block) {
    groups_ += block.groups;
    for (std::uint32_t i = 0; i < RoundCounters::kMaxRounds; ++i) {
      rounds_[i] += block.rounds[i];
      bytes_[i] += block.bytes[i];
      iterations_ += std::uint64_t{i + 1} * block.rounds[i];
    }
  }

  std::uint64_t groups() const { return groups_; }
  /// Groups that took `round` rounds, 1 to kMaxRounds.
  std::uint64_t groups_with(std::uint32_t round) const { return rounds_[round - 1]; }
  /// Rounds of all groups together.
  std::uint64_t iterations() const { return iterations_; }
  double mean_rounds() const { return ratio(iterations_, groups_); }
  /// Bytes that all groups resolved in their round `round`, over all iterations: Figure 7.10b.
  double mean_bytes(std::uint32_t round) const { return ratio(bytes_[round - 1], iterations_); }

 private:
  static double ratio(std::uint64_t sum, std::uint64_t count) {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }

  std::uint64_t groups_ = 0;
  std::uint64_t iterations_ = 0;
  std::array<std::uint64_t, RoundCounters::kMaxRounds> rounds_{};
  std::array<std::uint64_t, RoundCounters::kMaxRounds> bytes_{};
};

}  // namespace presso::gpu::lab
