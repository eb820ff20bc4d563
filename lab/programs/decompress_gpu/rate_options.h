// SPDX-License-Identifier: MIT
// The command line of decode_rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/gpu/variants.h"

namespace presso::gpu::bench {

/// A strategy of the product, or a variant of the laboratory.
struct NamedStrategy {
  std::string_view name;
  Strategy value;
  std::optional<lab::Variant> variant = {};
};
inline constexpr NamedStrategy kStrategyNames[] = {
    {"auto", Strategy::kAuto},
    {"sc", Strategy::kMultiRound, lab::Variant::kSequential},
    {"mrr", Strategy::kMultiRound},
    {"mrr-multikernel", Strategy::kMultiRound, lab::Variant::kMultiRoundKernels},
    {"de", Strategy::kDependencyFree},
    {"fused", Strategy::kAuto, lab::Variant::kFused}};

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
