// SPDX-License-Identifier: MIT
// A set of code points (or bytes) as ranges: what a character class is while it is being parsed.
// Adding is cheap; every other call first brings the ranges into order.
#pragma once

#include <vector>

#include "scan/syntax/parser.h"

namespace presso::scan_detail {

constexpr CodePoint kLastCodePoint = 0x10FFFF;
constexpr CodePoint kLastByte = 0xFF;

class CodeSet {
 public:
  CodeSet() = default;
  CodeSet(CodePoint low, CodePoint high) { add(low, high); }

  /// low <= high.
  void add(CodePoint low, CodePoint high) { added_.push_back({low, high}); }
  void add(const CodeSet& other);
  void intersect(const CodeSet& other);
  void subtract(const CodeSet& other);
  /// Keeps what is in one of the two only.
  void toggle(const CodeSet& other);
  /// Within 0 to `last`, which is not below any member.
  void negate(CodePoint last);
  /// Adds what differs from a member in case only.
  void fold_unicode();
  void fold_ascii();

  bool contains(CodePoint code) const;
  bool empty() const { return ranges().empty(); }
  /// Ascending, neither overlapping nor touching.
  const std::vector<CodeRange>& ranges() const;

 private:
  /// Sorts `added_` into `ranges_`.
  void settle() const;

  mutable std::vector<CodeRange> ranges_;
  mutable std::vector<CodeRange> added_;
};

}  // namespace presso::scan_detail
