// SPDX-License-Identifier: MIT
// Implements key_packing.h, the factors by which several key columns become one number: the last
// column has the factor 1, and each factor is the number of values of all columns after it.
#include "query/gpu/join/key_packing.h"

#include <limits>

namespace presso::gpu {

std::optional<KeyFactors> choose_factors(const std::vector<std::uint64_t>& lasts) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  KeyFactors to;
  to.factors.resize(lasts.size());
  for (std::size_t i = lasts.size(); i-- > 0;) {
    if (lasts[i] == 0) continue;  // one key only, which adds nothing
    if (to.last == kMost) return std::nullopt;
    to.factors[i] = to.last + 1;
    if (lasts[i] > (kMost - to.last) / to.factors[i]) return std::nullopt;
    to.last += lasts[i] * to.factors[i];
  }
  return to;
}

}  // namespace presso::gpu
