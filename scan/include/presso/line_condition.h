// SPDX-License-Identifier: MIT
// Conditions on lines that no pattern can express, such as one on the fields of a JSON object. A
// Pattern takes them in (Pattern::with_condition(), Pattern::of_lines()), so that every search
// knows them: counts, context, inverted searches. Lines are tested on the threads that search, many
// at a time. presso/field_condition.h has the conditions of `presso scan --where`. Tested by
// tests/unit/scan/text/line_condition_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "presso/bytes.h"

namespace presso {

/// Immutable and thread-safe.
class LineCondition {
 public:
  /// The most lines that are tested at once.
  static constexpr std::size_t kMaxLines = 1024;

  /// Tests lines for one thread, and keeps scratch memory between calls.
  class Tester {
   public:
    virtual ~Tester() = default;
    /// Sets passes[i] to whether the condition holds for lines[i], which comes without its line
    /// feed. At most kMaxLines lines, as many as places in `passes`.
    virtual void test(std::span<const Bytes> lines, std::span<bool> passes) = 0;
  };

  virtual ~LineCondition() = default;
  /// A tester refers to its condition and must not outlive it.
  virtual std::unique_ptr<Tester> tester() const = 0;
  /// Sets of strings, of each of which every line that passes holds at least one; no string is
  /// empty. By one set or the other, the first ones preferred, lines are found that need a test,
  /// and an index skips blocks. Empty: nothing is known, and every line is tested.
  virtual std::vector<std::vector<std::string>> required() const { return {}; }
  /// How it is tested, in a few words for people.
  virtual std::string describe() const = 0;
};

}  // namespace presso
