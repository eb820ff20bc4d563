// SPDX-License-Identifier: MIT
// A set of code points (or bytes) as ranges, which is how a character class is kept while it is
// parsed. Adding is cheap; every other call first brings the ranges into order, also const ones, so
// a set that threads share must have been asked for its ranges() once. Tested by
// tests/unit/scan/syntax/regex_class_test.cpp.
#pragma once

#include <vector>

#include "scan/syntax/parser.h"

namespace presso::scan_detail {

constexpr CodePoint kLastCodePoint = 0x10FFFF;
constexpr CodePoint kLastByte = 0xFF;

/// A set. Memory is proportional to its ranges, not to its members.
class CodeSet {
 public:
  CodeSet() = default;
  CodeSet(CodePoint low, CodePoint high) { add(low, high); }

  /// low <= high.
  void add(CodePoint low, CodePoint high) { added_.push_back({low, high}); }
  /// Union. Ranges are sorted and joined when ranges() is next called.
  void add(const CodeSet& other);
  /// Keeps what is in both.
  void intersect(const CodeSet& other);
  /// Takes away what is in `other`.
  void subtract(const CodeSet& other);
  /// Keeps what is in exactly one of the two sets.
  void toggle(const CodeSet& other);
  /// Replaces the set by its complement within 0 to `last`, which must not be below any member.
  void negate(CodePoint last);
  /// Adds what differs from a member in case only.
  void fold_unicode();
  /// See fold_unicode(); for ASCII letters only.
  void fold_ascii();

  /// Binary search; the ranges are brought in order first.
  bool contains(CodePoint code) const;
  bool empty() const { return ranges().empty(); }
  /// The members as ranges, ascending, neither overlapping nor touching.
  const std::vector<CodeRange>& ranges() const;

 private:
  /// Sorts `added_` and merges it into `ranges_`.
  void settle() const;

  mutable std::vector<CodeRange> ranges_;
  mutable std::vector<CodeRange> added_;
};

}  // namespace presso::scan_detail
