// SPDX-License-Identifier: MIT
// Construction in three steps: the distinct bytes of the strings become classes, the strings become
// a trie whose missing transitions are filled in from suffixes (Aho and Corasick, 1975), and the
// trie becomes the table of dfa.h. Time and memory are proportional to nodes x classes; a node is
// one byte of a string that is no shared prefix.

#include "scan/automaton/aho_corasick.h"

#include <algorithm>

namespace presso::scan_detail {
namespace {

/// Maps each byte to a class, so that a row of the table has one entry for each byte that occurs in
/// a string and one for all the others together. Class 0 is that of the other bytes; if all 256
/// bytes occur there is no such class and numbering begins at 0 with the used bytes.
struct ByteClasses {
  std::array<Byte, 256> class_of{};
  std::uint32_t count = 1;

  ByteClasses(std::span<const std::string> strings, Texts texts) {
    std::array<bool, 256> used{};
    if (texts == Texts::kLines) used['\n'] = true;
    for (const std::string& string : strings) {
      for (const char byte : string) used[static_cast<Byte>(byte)] = true;
    }
    if (std::find(used.begin(), used.end(), false) == used.end()) count = 0;
    for (std::size_t byte = 0; byte < used.size(); ++byte) {
      if (used[byte]) class_of[byte] = static_cast<Byte>(count++);
    }
  }
};

/// The prefixes of the strings as nodes of a tree; node 0 is the root, the empty prefix. While
/// strings are added, `next_` holds only the tree's own edges; complete() then fills in every other
/// transition, after which the trie is a deterministic automaton.
class Trie {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kFound = kNone - 1;  ///< a string ends there

  explicit Trie(std::uint32_t classes) : classes_(classes) { add_node(); }

  /// Adds one string. Returns false, leaving the trie unusable, if it would need more than `most`
  /// nodes. A string that begins with another one adds nothing, since the shorter string is found
  /// first in every text that holds the longer one.
  bool add(const std::string& string, const ByteClasses& bytes, std::size_t most) {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < string.size(); ++i) {
      const std::size_t at =
          std::size_t{node} * classes_ + bytes.class_of[static_cast<Byte>(string[i])];
      if (next_[at] == kFound) return true;  // another string is a prefix
      if (i + 1 == string.size()) {
        next_[at] = kFound;
        return true;
      }
      if (next_[at] == kNone) {
        if (nodes() == most) return false;
        const std::uint32_t child = nodes();
        add_node();
        next_[at] = child;
      }
      node = next_[at];
    }
    return true;
  }

  /// Fills in the missing transitions. Nodes are visited breadth first, so that the longest proper
  /// suffix of a node, which is less deep, is complete before the node itself: a byte that the node
  /// has no edge for leads where it leads from that suffix. This resolves the failure links of the
  /// original algorithm once, and reading needs no loop.
  void complete() {
    std::vector<std::uint32_t> suffix_of(nodes(), 0);
    std::vector<std::uint32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t node = order[i];
      for (std::uint32_t byte = 0; byte < classes_; ++byte) {
        std::uint32_t& next = next_[std::size_t{node} * classes_ + byte];
        const std::uint32_t other =
            node == 0 ? 0 : next_[std::size_t{suffix_of[node]} * classes_ + byte];
        if (next == kNone || other == kFound) {
          next = other;
        } else if (next != kFound) {
          suffix_of[next] = other;
          order.push_back(next);
        }
      }
    }
  }

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(next_.size() / classes_); }
  const std::vector<std::uint32_t>& next() const { return next_; }

 private:
  void add_node() { next_.resize(next_.size() + classes_, kNone); }

  std::uint32_t classes_;
  /// A row for every node, with an entry for every class; `kNone` marks what complete() has to
  /// fill.
  std::vector<std::uint32_t> next_;
};

bool holds_empty(std::span<const std::string> strings) {
  return std::any_of(strings.begin(), strings.end(),
                     [](const std::string& string) { return string.empty(); });
}

/// The automaton that accepts everything, for sets that contain the empty string.
Dfa everything(const ByteClasses& bytes) {
  Dfa dfa;
  dfa.class_of = bytes.class_of;
  dfa.classes = bytes.count;
  dfa.states = dfa.dead = 1;
  dfa.next.assign(dfa.classes, 0);
  return dfa;
}

/// Copies the trie into the layout of dfa.h: the nodes do not match, the state after them is the
/// sink in which a string has been found, and there is no dead state. Over lines every state, also
/// the sink, goes back to the start on '\n'.
Dfa table_of(const Trie& trie, const ByteClasses& bytes, Texts texts) {
  Dfa dfa;
  dfa.class_of = bytes.class_of;
  dfa.classes = bytes.count;
  dfa.sink = dfa.first_matching = trie.nodes();
  dfa.states = dfa.dead = trie.nodes() + 1;
  dfa.next.reserve(std::size_t{dfa.states} * dfa.classes);
  for (const std::uint32_t next : trie.next()) {
    // Nodes that only lie after the end of another string are never entered.
    const std::uint32_t known = next == Trie::kNone ? 0 : next;
    dfa.next.push_back(known == Trie::kFound ? dfa.sink : known);
  }
  dfa.next.resize(std::size_t{dfa.states} * dfa.classes, dfa.sink);
  if (texts == Texts::kStrings) return dfa;
  for (std::size_t state = 0; state < dfa.states; ++state) {
    dfa.next[state * dfa.classes + dfa.class_of['\n']] = dfa.start;
  }
  return dfa;
}

}  // namespace

std::optional<Dfa> make_aho_corasick(std::span<const std::string> strings, Texts texts,
                                     std::size_t most_states) {
  const ByteClasses bytes(strings, texts);
  if (holds_empty(strings)) return everything(bytes);
  if (most_states < 2) return std::nullopt;
  Trie trie(bytes.count);
  for (const std::string& string : strings) {
    if (!trie.add(string, bytes, most_states - 1)) return std::nullopt;
  }
  trie.complete();
  return table_of(trie, bytes, texts);
}

}  // namespace presso::scan_detail
