// SPDX-License-Identifier: MIT
// The laboratory's kernels with lanes that are refilled as variants for the suites of strings and
// of text. A variant's number is its threshold: lanes take further rows where fewer have one.
#pragma once

#include <numeric>

#include "tests/simt/string_backend.h"
#include "tests/simt/text_backend.h"

namespace presso::gpu::test {

inline const std::vector<std::uint32_t>& refill_thresholds() {
  static const std::vector<std::uint32_t> thresholds{1, 20, kLanes};
  return thresholds;
}

/// `Backend`: one of strings, in the emulator or on a device. The kernel takes one layout.
template <class Backend>
class RefilledStringRuns : public Backend {
 public:
  std::vector<std::uint32_t> variants(StringLayout layout) const override {
    return layout == StringLayout::kClasses ? refill_thresholds() : std::vector<std::uint32_t>{};
  }
};

/// `Backend`: one of text.
template <class Backend>
class RefilledTextRuns : public Backend {
 public:
  std::vector<std::uint32_t> variants() const override { return refill_thresholds(); }
  std::vector<std::uint32_t> all_variants() const override {
    std::vector<std::uint32_t> thresholds(kLanes);
    std::iota(thresholds.begin(), thresholds.end(), 1);
    return thresholds;
  }
};

}  // namespace presso::gpu::test
