// SPDX-License-Identifier: MIT
#include "scan/automaton/literal_automaton.h"

#include <algorithm>

namespace presso::scan_detail {
namespace {

/// Bytes of no string share class 0.
struct ByteClasses {
  std::vector<Byte> class_of = std::vector<Byte>(256);
  std::uint32_t count = 1;

  explicit ByteClasses(const std::vector<std::string>& strings) {
    std::vector<bool> used(256);
    used['\n'] = true;
    for (const std::string& string : strings) {
      for (const char byte : string) used[static_cast<Byte>(byte)] = true;
    }
    if (std::find(used.begin(), used.end(), false) == used.end()) count = 0;  // there are none
    for (std::size_t byte = 0; byte < used.size(); ++byte) {
      if (used[byte]) class_of[byte] = static_cast<Byte>(count++);
    }
  }
};

/// Where the strings' bytes lead, and once complete, all bytes. Node 0 is the root.
class Trie {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kFound = kNone - 1;  ///< a string ends there

  explicit Trie(std::uint32_t classes) : classes_(classes) { add_node(); }

  /// False where there would be more than `most` nodes.
  bool add(const std::string& string, const ByteClasses& bytes, std::size_t most) {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < string.size(); ++i) {
      const std::size_t at = node * classes_ + bytes.class_of[static_cast<Byte>(string[i])];
      if (next_[at] == kFound) return true;  // another one is a begin of it
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

  /// In order of depth: what a node does not know, its longest proper end does.
  void complete() {
    std::vector<std::uint32_t> ends(nodes(), 0);
    std::vector<std::uint32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t node = order[i];
      for (std::uint32_t byte = 0; byte < classes_; ++byte) {
        std::uint32_t& next = next_[node * classes_ + byte];
        const std::uint32_t other = node == 0 ? 0 : next_[ends[node] * classes_ + byte];
        if (next == kNone || other == kFound) {
          next = other;
        } else if (next != kFound) {
          ends[next] = other;
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

}  // namespace

std::optional<LineDfa> line_dfa_of_strings(const std::vector<std::string>& strings,
                                           std::size_t max_states) {
  const bool has_empty = std::any_of(strings.begin(), strings.end(),
                                     [](const std::string& string) { return string.empty(); });
  const std::size_t most = std::min<std::size_t>(max_states, 65'535);
  if (strings.empty() || has_empty || most < 2) return std::nullopt;
  const ByteClasses bytes(strings);
  Trie trie(bytes.count);
  for (const std::string& string : strings) {
    if (!trie.add(string, bytes, most - 1)) return std::nullopt;
  }
  trie.complete();
  LineDfa dfa;
  dfa.class_of = bytes.class_of;
  dfa.classes = bytes.count;
  dfa.sink = dfa.first_matching = trie.nodes();
  dfa.states = trie.nodes() + 1;
  dfa.next.reserve(std::size_t{dfa.states} * dfa.classes);
  for (const std::uint32_t next : trie.next()) {
    const std::uint32_t known = next == Trie::kNone ? 0 : next;  // of nodes that nothing leads to
    dfa.next.push_back(static_cast<std::uint16_t>(known == Trie::kFound ? dfa.sink : known));
  }
  dfa.next.resize(std::size_t{dfa.states} * dfa.classes, static_cast<std::uint16_t>(dfa.sink));
  for (std::uint32_t state = 0; state < dfa.states; ++state) {
    dfa.next[std::size_t{state} * dfa.classes + dfa.class_of['\n']] = 0;
  }
  return dfa;
}

}  // namespace presso::scan_detail
