// SPDX-License-Identifier: MIT
// Puts a tree together from left to right: what the parsers of regular expressions and of LIKE
// call. Merges neighbouring literals, leaves out what has no effect, and keeps the tree's depth and
// its size with repetitions written out within limits. Calls take the offset for errors.
#pragma once

#include <optional>

#include "scan/syntax/cursor.h"

namespace presso::scan_detail {

/// Largest size of a tree beyond its pattern's length: classes count by their ranges, everything
/// else by bytes, and repetitions as often as they repeat at most.
constexpr std::uint32_t kMaxExpandedSize = 1u << 22;

class TreeBuilder {
 public:
  /// The pattern's size limits that of the tree.
  explicit TreeBuilder(std::size_t pattern_bytes);

  /// One character (or byte), which a repetition takes whole.
  Status add_literal(std::string_view bytes, Letters letters, std::size_t at);
  /// Surrogates are left out of code points.
  Status add_set(CodeSet set, bool of_bytes, std::size_t at);
  Status add_looks(const std::vector<Look>& looks, std::size_t at);
  /// Repeats what was added last.
  Status repeat(std::uint32_t min, std::uint32_t max, bool greedy, std::size_t at);
  bool can_repeat() const { return frames_.back().last.height != 0; }
  /// From here on repeat() has nothing to repeat.
  void end_item();
  /// Begins the next alternative.
  void alternate();
  /// Begins a group; `capture` is 0 for one without number.
  Status open(std::uint32_t capture, std::string name, std::size_t at);
  /// Ends the group that was opened last.
  Status close(std::size_t at);
  /// Groups that are open.
  std::uint32_t depth() const { return static_cast<std::uint32_t>(frames_.size()) - 1; }
  /// The tree; all groups are closed.
  Node finish();

 private:
  struct Measure {
    std::uint64_t size = 0;    ///< characters and places, with repetitions written out
    std::uint32_t height = 0;  ///< groups and repetitions within each other, and one
  };
  /// An open group, or the whole.
  struct Frame {
    std::vector<Node> items;
    std::vector<Node> alternatives;
    Measure total;
    Measure last;
    std::size_t last_bytes = 0;  ///< of the literal in items.back() that is still growing, or 0
    std::uint32_t capture = 0;
    std::string name;
  };

  Status add(Node node, Measure measure, std::size_t at);
  Status measure(Measure measure, std::size_t at);
  Status check_size(std::size_t at) const;
  Node take_last();

  std::vector<Frame> frames_;
  std::uint64_t size_ = 0;
  std::uint64_t max_size_;
};

}  // namespace presso::scan_detail
