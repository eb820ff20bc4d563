// SPDX-License-Identifier: MIT
// Decides which literal stands at a given place: the second half of a literal search, run on the
// candidates of a probe.
//
// Literals are kept sorted. The text is read forward while the range of literals that agree with it
// is narrowed by binary search, so that a place costs O(length x log count) whatever prefixes the
// literals share, and 10,000 of them need no automaton. Sets of eight literals and more are entered
// through a hash table of their first bytes (as many as the shortest literal has, two to eight),
// unless case is ignored, where the text is folded on the way. Invariant: literals are distinct, so
// at each depth at most one literal of the range ends, and it is the first. Immutable, so any
// number of threads may ask. Tested by tests/unit/scan/literal/scan_literal_test.cpp against a
// plain search.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "presso/bytes.h"
#include "presso/pattern.h"

namespace presso::scan_detail {

/// The literals of one pattern. If case is ignored, they are folded: each character is replaced by
/// the one that stands for all its cases (unicode.h).
class LiteralSet {
 public:
  /// `literals` are as given by the user; UTF-8 where options.ignore_case.
  LiteralSet(const std::vector<std::string>& literals, const PatternOptions& options);

  /// The end of the match that begins at `begin` <= text.size(), for the literal given first among
  /// those that stand there within their bounds. `from`: for kWord the character before a match
  /// must not begin before it, unless a line begins at the match (ripgrep 13's reading of -w).
  std::optional<std::size_t> match_at(Bytes text, std::size_t begin, std::size_t from) const;

 private:
  /// A literal as it is compared; `priority` is its place in the order given by the user, which
  /// decides among several that match at one place.
  struct Entry {
    std::string bytes;
    std::uint32_t priority = 0;
  };
  /// Entries [low, high) agree with the text so far.
  struct Range {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    bool empty() const { return low >= high; }
    bool is_one() const { return high - low == 1; }
  };
  /// Entries with the same first bytes.
  struct Prefix {
    std::uint64_t bytes = 0;
    Range range;
  };

  /// Narrows the range of sorted literals byte by byte.
  template <bool kFold>
  std::optional<std::size_t> find(Bytes text, std::size_t begin) const;
  std::optional<std::size_t> only_entry_at(Bytes text, std::size_t begin) const;
  /// Builds the hash table of prefixes, for many literals.
  void index_prefixes();
  /// The slot of a prefix in that table.
  std::size_t prefix_slot(std::uint64_t prefix) const;
  /// The literals that begin with the bytes at the place.
  Range range_of_prefix(Bytes text, std::size_t at) const;
  /// Whether the rest of the literal stands there.
  bool rest_stands_at(const Entry& entry, std::size_t depth, Bytes text, std::size_t at) const;
  /// The literals of a range that go on with `next`.
  Range narrow(Range range, std::size_t depth, Byte next) const;
  /// Whether what stands before the match allows it, for whole words and whole lines.
  bool begins_well(Bytes text, std::size_t begin, std::size_t from) const;
  /// Whether what stands after it allows it.
  bool ends_well(Bytes text, std::size_t end) const;
  bool ends_before_crlf(Bytes text, std::size_t end) const;

  std::vector<Entry> entries_;
  std::array<Range, 256> by_first_byte_{};
  // A hash table with open addressing, for many literals whose case counts.
  std::size_t prefix_bytes_ = 0;  ///< 2 to 8; 0: there is no table
  unsigned prefix_slots_log2_ = 0;
  std::vector<Prefix> prefixes_;
  bool ignore_case_;
  MatchBounds bounds_;
  bool crlf_;
};

}  // namespace presso::scan_detail
