// SPDX-License-Identifier: MIT
// The command line of decode_rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/gpu_batch.h"

namespace presso::gpu::bench {

struct NamedStrategy {
  std::string_view name;
  Strategy value;
};
inline constexpr NamedStrategy kStrategyNames[] = {
    {"auto", Strategy::kAuto},         {"sc", Strategy::kSequential},
    {"mrr", Strategy::kMultiRound},    {"mrr-multikernel", Strategy::kMultiRoundKernels},
    {"de", Strategy::kDependencyFree}, {"fused", Strategy::kFused}};

struct RateOptions {
  std::vector<NamedStrategy> strategies;
  std::vector<bool> verify{false, true};
  std::uint64_t bytes = 1u << 30;
  std::vector<std::uint32_t> blocks{0};  ///< 0: all
  int runs = 15;
  std::string csv;
  std::string commit;
  bool nested = false;
  std::vector<std::string> files;
};

/// nullopt where an argument cannot be used: that is `complaint`.
std::optional<RateOptions> parse_rate_options(const std::vector<std::string>& arguments,
                                              std::string& complaint);

}  // namespace presso::gpu::bench
