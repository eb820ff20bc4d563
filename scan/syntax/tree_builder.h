// SPDX-License-Identifier: MIT
// Puts a tree together from left to right; the parsers of regular expressions and of LIKE call it.
// It merges neighbouring literals, leaves out what has no effect, and keeps the depth of the tree,
// and its size with repetitions written out, within limits. Calls take the offset that an error of
// theirs will carry. Tested by tests/unit/scan/syntax/regex_parser_test.cpp.
#pragma once

#include <optional>

#include "scan/syntax/cursor.h"

namespace presso::scan_detail {

/// The largest size of a tree beyond the length of its pattern. Classes count by their ranges,
/// everything else by bytes, and repetitions as often as they repeat at most.
constexpr std::uint32_t kMaxExpandedSize = 1u << 22;

/// Builds one tree. Errors are kInvalidArgument: the tree is too large or too deep.
class TreeBuilder {
 public:
  /// `pattern_bytes` is the pattern's size, which the tree's size may exceed by kMaxExpandedSize.
  explicit TreeBuilder(std::size_t pattern_bytes);

  /// Adds one character (or byte), which a repetition takes as a whole.
  Status add_literal(std::string_view bytes, Letters letters, std::size_t at);
  /// Adds a set of bytes or of code points; surrogates are left out of the latter.
  Status add_set(CodeSet set, bool of_bytes, std::size_t at);
  /// Adds places that have to hold, all of them at one point.
  Status add_looks(const std::vector<Look>& looks, std::size_t at);
  /// Repeats what was added last; there must be something (can_repeat()).
  Status repeat(std::uint32_t min, std::uint32_t max, bool greedy, std::size_t at);
  /// Whether there is an expression to repeat.
  bool can_repeat() const { return frames_.back().last.height != 0; }
  /// Ends the item, so that repeat() has nothing to repeat.
  void end_item();
  /// Ends an alternative and begins the next one.
  void alternate();
  /// Begins a group; `capture` is 0 for one without a number.
  Status open(std::uint32_t capture, std::string name, std::size_t at);
  /// Ends the group that was opened last.
  Status close(std::size_t at);
  /// How many groups are open.
  std::uint32_t depth() const { return static_cast<std::uint32_t>(frames_.size()) - 1; }
  /// Returns the tree. All groups must be closed.
  Node finish();

 private:
  struct Measure {
    std::uint64_t size = 0;    ///< counted as for kMaxExpandedSize
    std::uint32_t height = 0;  ///< groups and repetitions within each other, and one more
  };
  /// An open group, or the whole pattern at the bottom of the stack.
  struct Frame {
    std::vector<Node> items;
    std::vector<Node> alternatives;
    Measure total;
    Measure last;
    std::size_t last_bytes = 0;  ///< of the literal in items.back() that is still growing, or 0
    std::uint32_t capture = 0;
    std::string name;
  };

  /// Adds a node with its size.
  Status add(Node node, Measure measure, std::size_t at);
  /// Counts the size to the group at hand and checks the limit.
  Status measure(Measure measure, std::size_t at);
  /// Error: kInvalidArgument where the pattern written out is too large.
  Status check_size(std::size_t at) const;
  /// Takes the last item off, for a repetition. Of a joined literal it takes the last character
  /// alone.
  Node take_last();

  std::vector<Frame> frames_;
  std::uint64_t size_ = 0;
  std::uint64_t max_size_;
};

}  // namespace presso::scan_detail
