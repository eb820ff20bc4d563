// SPDX-License-Identifier: MIT
// Implements string_choice.h, the choice between walking every row of a token column and sweeping
// all codes first: counts what both kernels would do with the first rows of the column, and
// multiplies by measured times.
#include "query/gpu/strings/string_choice.h"

#include <algorithm>

#include "query/gpu/strings/string_batch.h"

namespace presso::gpu {
namespace {

/// Times of a kernel in picoseconds, with all multiprocessors of an H100 at work: fitted to
/// gpu-strings.csv.
struct Cost {
  double code;  ///< the time for each code of all rows
  double row;   ///< the time for each row
  double step;  ///< the time for each step of a lane; lanes of a warp wait for the longest row
};
constexpr Cost kSweepCost = {1.13, 0.73, 2.4};
constexpr Cost kClassCost = {0.79, 1.40, 0.37};
constexpr Cost kWideCost = {0.79, 1.40, 1.0};

/// Counts the steps of warps if rows come one after another, 32 for each warp: every lane counts
/// the steps of the longest row.
class WarpSteps {
 public:
  void add(std::uint32_t steps) {
    longest_ = std::max(longest_, steps);
    if (++rows_ == kLanes) finish();
  }
  void finish() {
    steps_ += std::uint64_t{longest_} * kLanes;
    longest_ = rows_ = 0;
  }
  double steps() const { return static_cast<double>(steps_); }

 private:
  std::uint64_t steps_ = 0;
  std::uint32_t longest_ = 0;
  std::uint32_t rows_ = 0;
};

/// Counts the work of both kernels on the sample.
class Trial {
 public:
  Trial(const TokenFunctions& functions, const StringSample& sample)
      : functions_(functions), sample_(sample), words_(sweep_words(functions)) {
    std::uint32_t begin = 0;
    for (std::size_t row = 0; row < sample.counts.size(); ++row) {
      const std::uint32_t end = begin + sample.counts[row];
      const std::uint32_t steps = steps_of(begin, end);
      walked_.add((steps + kWordCodes - 1) / kWordCodes * kWordCodes);
      if (is_suspect(begin, end)) suspects_.add(steps);
      if ((row + 1) % kRowTile == 0) suspects_.finish();
      begin = end;
    }
    suspects_.finish();
    walked_.finish();
  }

  double sweep() const { return of(kSweepCost, suspects_); }
  double walk(const Cost& cost) const { return of(cost, walked_); }

 private:
  /// How many codes a lane takes before it checks whether it is done.
  static constexpr std::uint32_t kWordCodes = 4;

  /// Returns the number of codes after which the row's state is decided, or all of them.
  std::uint32_t steps_of(std::uint32_t begin, std::uint32_t end) const {
    std::uint32_t state = functions_.start;
    std::uint32_t at = begin;
    while (at < end && state < functions_.first_decided) {
      state = functions_.step(state, sample_.codes[at++]);
    }
    return at - begin;
  }
  /// Whether HitWindow (row_sweep.cuh) would find a hit among these codes.
  bool is_suspect(std::uint32_t begin, std::uint32_t end) const {
    for (std::uint32_t at = begin; at < end; ++at) {
      const std::uint32_t before = at == 0 ? 1u << 31 : words_[sample_.codes[at - 1]];
      if ((before >> 16 & words_[sample_.codes[at]]) != 0) return true;
    }
    return false;
  }
  double of(const Cost& cost, const WarpSteps& steps) const {
    return cost.code * static_cast<double>(sample_.codes.size()) +
           cost.row * static_cast<double>(sample_.counts.size()) + cost.step * steps.steps();
  }

  const TokenFunctions& functions_;
  const StringSample& sample_;
  std::vector<std::uint32_t> words_;
  WarpSteps walked_;
  WarpSteps suspects_;
};

}  // namespace

StringLayout choose_layout(const TokenFunctions& functions, const StringSample& sample) {
  const bool has_classes = fits(StringLayout::kClasses, functions);
  const StringLayout walk = has_classes ? StringLayout::kClasses : StringLayout::kWide;
  if (sample.counts.empty()) return walk;
  const Trial trial(functions, sample);
  const double walked = trial.walk(has_classes ? kClassCost : kWideCost);
  return trial.sweep() < walked ? StringLayout::kSweep : walk;
}

}  // namespace presso::gpu
