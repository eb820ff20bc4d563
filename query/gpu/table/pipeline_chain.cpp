// SPDX-License-Identifier: MIT
// PipelineBuilder: a program that consists of chains of columns only is run without registers in
// shared memory (ChainStep).
#include <algorithm>
#include <optional>
#include <vector>

#include "query/gpu/table/pipeline_builder.h"

namespace presso::gpu {
namespace {

using Kind = PipelineStep::Kind;
using Chain = std::vector<ChainStep>;

std::int64_t product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

bool is_same(const ChainStep& a, const ChainStep& b) {
  return a.kind == b.kind && a.column == b.column && a.is_code == b.is_code && a.times == b.times &&
         a.plus == b.plus;
}

bool begins_with(const Chain& chain, const Chain& with) {
  return with.size() <= chain.size() &&
         std::equal(with.begin(), with.end(), chain.begin(), is_same);
}

/// Any order in which chains with a common begin are neighbours, the shorter one first.
bool is_before(const Chain& a, const Chain& b) {
  const auto key = [](const ChainStep& step) {
    return std::tuple(step.kind, step.column, step.is_code, step.times, step.plus);
  };
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [&key](const ChainStep& left, const ChainStep& right) { return key(left) < key(right); });
}

/// times * (what the step stands for) + plus.
ChainStep scaled(ChainStep step, std::int64_t times, std::int64_t plus) {
  step.times = product(step.times, times);
  step.plus = sum(product(step.plus, times), plus);
  return step;
}

}  // namespace

/// What a program's values are made of.
class PipelineBuilder::ChainFinder {
 public:
  explicit ChainFinder(const std::vector<Value>& values) : values_(values) {}

  std::optional<Chain> of(std::size_t number) const {
    const Value& value = values_[number];
    const PipelineStep& step = value.step;
    if (step.kind == Kind::kLoad || step.kind == Kind::kLoadCode) {
      ChainStep load;
      load.column = step.column;
      load.is_code = step.kind == Kind::kLoadCode;
      load.times = 1;
      return Chain{load};
    }
    if (step.kind != Kind::kAdd && step.kind != Kind::kSubtract && step.kind != Kind::kMultiply) {
      return std::nullopt;
    }
    if (step.a_is_constant || step.b_is_constant) return with_constant(value);
    const auto a = of(value.from[0]);
    const auto b = of(value.from[1]);
    if (!a || !b) return std::nullopt;
    if (b->size() == 1) return joined(*a, step.kind, b->front());
    if (a->size() != 1 || step.kind == Kind::kSubtract) return std::nullopt;
    return joined(*b, step.kind, a->front());
  }

 private:
  static Chain joined(Chain chain, Kind kind, ChainStep by) {
    if (kind == Kind::kSubtract) by = scaled(by, -1, 0);
    by.kind = kind == Kind::kMultiply ? ChainStep::Kind::kMultiply : ChainStep::Kind::kAdd;
    chain.push_back(by);
    return chain;
  }

  std::optional<Chain> with_constant(const Value& value) const {
    const PipelineStep& step = value.step;
    auto chain = of(value.from[0]);
    if (!chain) return std::nullopt;
    std::int64_t times = 1;
    std::int64_t plus = 0;
    if (step.kind == Kind::kMultiply) {
      times = step.constant;
    } else if (step.kind == Kind::kAdd) {
      plus = step.constant;
    } else if (step.a_is_constant) {
      times = -1;
      plus = step.constant;
    } else {
      plus = product(step.constant, -1);
    }
    if (chain->size() == 1) {
      chain->front() = scaled(chain->front(), times, plus);
      return chain;
    }
    const auto append = [&chain](ChainStep::Kind kind, std::int64_t constant) {
      ChainStep by;
      by.kind = kind;
      by.plus = constant;
      chain->push_back(by);
    };
    if (times != 1) append(ChainStep::Kind::kMultiply, times);
    if (plus != 0) append(ChainStep::Kind::kAdd, plus);
    return chain;
  }

  const std::vector<Value>& values_;
};

/// Gives the pipeline a chain where one does what the program does: columns are never null, and no
/// step drops rows.
void PipelineBuilder::make_chain(Pipeline& pipeline) const {
  if (pipeline.place != GroupPlace::kDevice || nullable_ != 0 || !stages_.empty() || order_) return;
  if (std::any_of(values_.begin(), values_.end(),
                  [](const Value& value) { return !has_result(value.step.kind); })) {
    return;
  }
  const ChainFinder finder(values_);
  struct Wanted {
    Chain chain;
    std::size_t cell;
  };
  std::vector<Wanted> wanted;
  Chain all;
  if (group_) {
    const auto chain = finder.of(*group_);
    if (!chain) return;
    all = *chain;
    all.back().to = ChainStep::kGroup;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i].valid.is_everywhere() || cells_[i].part != RealPart::kNone) return;
    std::optional<Chain> chain = Chain();
    if (cells_[i].kind != PipelineCell::Kind::kCount) chain = finder.of(cells_[i].value);
    if (!chain) return;
    wanted.push_back({std::move(*chain), i});
  }
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Wanted& a, const Wanted& b) { return is_before(a.chain, b.chain); });
  const Chain* before = nullptr;
  for (const Wanted& one : wanted) {
    const bool goes_on = before != nullptr && begins_with(one.chain, *before);
    auto from = one.chain.begin();
    if (goes_on) from += static_cast<std::ptrdiff_t>(before->size());
    if (from == one.chain.end()) {
      ChainStep keep;
      keep.kind = ChainStep::Kind::kKeep;
      all.push_back(keep);
    }
    all.insert(all.end(), from, one.chain.end());
    all.back().to = static_cast<Byte>(one.cell);
    before = &one.chain;
  }
  if (all.empty() || all.size() > kMostChainSteps) return;
  std::copy(all.begin(), all.end(), pipeline.chain);
  pipeline.chain_steps = static_cast<Byte>(all.size());
  place_bytes(pipeline);
}

namespace {

/// How many bytes the lower half of a number has.
constexpr Byte kLowBytes = 4;

/// Bytes that hold all numbers from `least` to `most`; with their sign where `least` is negative.
Byte bytes_of_range(std::int64_t least, std::int64_t most) {
  Byte bytes = 1;
  for (; bytes < sizeof(std::int64_t); ++bytes) {
    const unsigned bits = 8u * bytes;
    const std::int64_t limit = std::int64_t{1} << (least < 0 ? bits - 1 : bits);
    if (-limit <= least && most < limit) break;
  }
  return bytes;
}

}  // namespace

/// Gives the cells of a chain their planes of bytes, where all are counts or sums of values whose
/// range is known, and there are planes enough. The first plane counts rows.
void PipelineBuilder::place_bytes(Pipeline& pipeline) const {
  std::uint32_t planes = 1;
  for (std::uint32_t i = 0; i < pipeline.chain_steps; ++i) {
    ChainStep& step = pipeline.chain[i];
    if (step.to == ChainStep::kNone || step.to == ChainStep::kGroup) continue;
    const Cell& cell = cells_[step.to];
    if (cell.kind == PipelineCell::Kind::kCount) continue;
    const bool is_low = cell.kind == PipelineCell::Kind::kSumLow;
    step.is_upper = cell.kind == PipelineCell::Kind::kSumHigh;
    const bool is_sum = cell.kind == PipelineCell::Kind::kSum || is_low || step.is_upper;
    if (!is_sum || cell.least > cell.most) return;
    step.is_signed = cell.least < 0 && !is_low;
    step.planes = bytes_of_range(cell.least, cell.most);
    if (is_low) step.planes = kLowBytes;
    // At least the sign.
    if (step.is_upper)
      step.planes = static_cast<Byte>(std::max<Byte>(step.planes, kLowBytes + 1) - kLowBytes);
    step.planes_at = static_cast<Byte>(planes);
    planes += step.planes;
    if (planes > kMostPlanes) return;
  }
  pipeline.planes = static_cast<Byte>(planes);
}

}  // namespace presso::gpu
