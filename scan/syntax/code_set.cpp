// SPDX-License-Identifier: MIT
// All operations take time linear in the ranges of both sets, after sorting what was added since
// the last operation. Folding walks the table of case pairs (about 2,800 entries), not the code
// points of the set.
#include "scan/syntax/code_set.h"

#include <algorithm>
#include <iterator>

namespace presso::scan_detail {
namespace {

bool lower(const CodeRange& a, const CodeRange& b) {
  return a.low < b.low;
}

/// Appends a range that begins no earlier than the last one, and merges the two if they touch.
void append_range(std::vector<CodeRange>& ranges, CodeRange range) {
  if (!ranges.empty() && range.low <= ranges.back().high + 1) {
    ranges.back().high = std::max(ranges.back().high, range.high);
  } else {
    ranges.push_back(range);
  }
}

/// The union of two lists that ascend by `low`.
std::vector<CodeRange> united(const std::vector<CodeRange>& a, const std::vector<CodeRange>& b) {
  std::vector<CodeRange> result;
  result.reserve(a.size() + b.size());
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    const bool take_left = right == b.end() || (left != a.end() && left->low < right->low);
    append_range(result, take_left ? *left++ : *right++);
  }
  return result;
}

/// The intersection of two lists of disjoint ascending ranges.
std::vector<CodeRange> intersected(const std::vector<CodeRange>& a,
                                   const std::vector<CodeRange>& b) {
  std::vector<CodeRange> result;
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    const CodePoint low = std::max(left->low, right->low);
    const CodePoint high = std::min(left->high, right->high);
    if (low <= high) result.push_back({low, high});
    left->high < right->high ? ++left : ++right;
  }
  return result;
}

/// The complement of ascending ranges within 0 to `last`.
std::vector<CodeRange> negated(const std::vector<CodeRange>& ranges, CodePoint last) {
  std::vector<CodeRange> result;
  CodePoint next = 0;
  for (const CodeRange& range : ranges) {
    if (range.low > next) result.push_back({next, range.low - 1});
    next = range.high + 1;
  }
  if (next <= last) result.push_back({next, last});
  return result;
}

}  // namespace

void CodeSet::add(const CodeSet& other) {
  ranges_ = united(ranges_, other.ranges());
}

void CodeSet::intersect(const CodeSet& other) {
  ranges_ = intersected(ranges(), other.ranges());
}

void CodeSet::subtract(const CodeSet& other) {
  ranges_ = intersected(ranges(), negated(other.ranges(), kLastCodePoint));
}

void CodeSet::toggle(const CodeSet& other) {
  const std::vector<CodeRange> both = intersected(ranges(), other.ranges());
  const std::vector<CodeRange> either = united(ranges(), other.ranges());
  ranges_ = intersected(either, negated(both, kLastCodePoint));
}

void CodeSet::negate(CodePoint last) {
  ranges_ = negated(ranges(), last);
}

/// Adds all characters that differ from one of the set in case only (simple case folding). The
/// pairs are sorted, so ranges are looked up by binary search.
void CodeSet::fold_unicode() {
  const std::vector<CasePair>& pairs = case_pairs();
  std::vector<CodeRange> missing;
  auto pair = pairs.begin();
  for (const CodeRange& range : ranges()) {
    const auto before = [](const CasePair& entry, CodePoint low) { return entry.code < low; };
    pair = std::lower_bound(pair, pairs.end(), range.low, before);
    for (; pair != pairs.end() && pair->code <= range.high; ++pair) {
      if (!contains(pair->variant)) missing.push_back({pair->variant, pair->variant});
    }
  }
  added_ = std::move(missing);
}

/// Adds the other case of the set's ASCII letters.
void CodeSet::fold_ascii() {
  constexpr CodePoint kToLower = 'a' - 'A';
  CodeSet upper('A', 'Z');
  CodeSet lowered('a', 'z');
  upper.intersect(*this);
  lowered.intersect(*this);
  for (const CodeRange& range : upper.ranges()) add(range.low + kToLower, range.high + kToLower);
  for (const CodeRange& range : lowered.ranges()) add(range.low - kToLower, range.high - kToLower);
}

bool CodeSet::contains(CodePoint code) const {
  const std::vector<CodeRange>& all = ranges();
  const auto after = std::upper_bound(all.begin(), all.end(), CodeRange{code, code}, lower);
  return after != all.begin() && std::prev(after)->high >= code;
}

const std::vector<CodeRange>& CodeSet::ranges() const {
  if (!added_.empty()) settle();
  return ranges_;
}

void CodeSet::settle() const {
  std::sort(added_.begin(), added_.end(), lower);
  ranges_ = united(ranges_, added_);
  added_.clear();
}

}  // namespace presso::scan_detail
