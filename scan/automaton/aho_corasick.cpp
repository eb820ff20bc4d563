// SPDX-License-Identifier: MIT
#include "scan/automaton/aho_corasick.h"

#include <algorithm>

namespace presso::scan_detail {
namespace {

/// Bytes of no string share class 0, if there are any.
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

/// The strings' prefixes as nodes. First it knows where the strings' bytes lead; complete() fills
/// in all other bytes. Node 0 is the root.
class Trie {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kFound = kNone - 1;  ///< a string ends there

  explicit Trie(std::uint32_t classes) : classes_(classes) { add_node(); }

  /// False where there would be more than `most` nodes.
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

  /// In order of depth: what a node does not know, the node of its longest proper suffix does.
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
  std::vector<std::uint32_t> next_;
};

bool holds_empty(std::span<const std::string> strings) {
  return std::any_of(strings.begin(), strings.end(),
                     [](const std::string& string) { return string.empty(); });
}

/// One state, which matches.
Dfa everything(const ByteClasses& bytes) {
  Dfa dfa;
  dfa.class_of = bytes.class_of;
  dfa.classes = bytes.count;
  dfa.states = dfa.dead = 1;
  dfa.next.assign(dfa.classes, 0);
  return dfa;
}

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
