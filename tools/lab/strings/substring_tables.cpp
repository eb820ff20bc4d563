// SPDX-License-Identifier: MIT
#include "tools/lab/strings/substring_tables.h"

#include <algorithm>
#include <numeric>

namespace presso::strings {
namespace {

std::vector<Byte> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

/// The trie of all patterns, then its failure links, by which missing children are filled in.
class Trie {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit Trie(std::span<const std::string> patterns) : class_of_(256, 0) {
    for (const std::string& pattern : patterns) {
      for (const char byte : pattern) class_of_[static_cast<Byte>(byte)] = 1;
    }
    // All 256 bytes may be in use; then no class is left for those of no pattern, or needed.
    const bool all = std::find(class_of_.begin(), class_of_.end(), Byte{0}) == class_of_.end();
    for (Byte& in_use : class_of_) in_use = in_use != 0 ? static_cast<Byte>(classes_++) : Byte{0};
    if (all) {
      std::iota(class_of_.begin(), class_of_.end(), Byte{0});
      classes_ = 256;
    }
    add_state();
  }

  /// False where there are too many states.
  bool add(const std::string& pattern, std::uint32_t most_states) {
    std::uint32_t state = 0;
    for (const char byte : pattern) {
      const std::size_t entry = state * std::size_t{classes_} + class_of_[static_cast<Byte>(byte)];
      if (next_[entry] == kNone) next_[entry] = add_state();
      state = next_[entry];
      if (states() > most_states) return false;
    }
    accepts_[state] = true;
    return true;
  }

  void resolve() {
    std::vector<std::uint32_t> fallback(states(), 0);
    std::vector<std::uint32_t> queue = {0};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t state = queue[i];
      if (accepts_[fallback[state]]) accepts_[state] = true;
      for (std::uint32_t symbol = 0; symbol < classes_; ++symbol) {
        std::uint32_t& child = next_[state * std::size_t{classes_} + symbol];
        const std::uint32_t other =
            state == 0 ? 0 : next_[fallback[state] * std::size_t{classes_} + symbol];
        if (child == kNone) {
          child = other;
        } else {
          fallback[child] = other;
          queue.push_back(child);
        }
      }
    }
  }

  std::uint32_t states() const { return static_cast<std::uint32_t>(accepts_.size()); }
  std::uint32_t classes() const { return classes_; }
  const std::vector<Byte>& class_of() const { return class_of_; }
  const std::vector<std::uint32_t>& next() const { return next_; }
  const std::vector<bool>& accepts() const { return accepts_; }

 private:
  std::uint32_t add_state() {
    accepts_.push_back(false);
    next_.resize(next_.size() + classes_, kNone);
    return states() - 1;
  }

  std::vector<Byte> class_of_;
  std::uint32_t classes_ = 1;
  std::vector<std::uint32_t> next_;
  std::vector<bool> accepts_;
};

}  // namespace

KmpTable::KmpTable(std::string_view pattern)
    : pattern_(bytes_of(pattern)), next_(std::max<std::size_t>(pattern.size(), 1), -1) {
  std::int32_t border = -1;  // of pattern[0, j)
  for (std::size_t j = 0; j + 1 < pattern_.size(); ++j) {
    while (border >= 0 && pattern_[j] != pattern_[static_cast<std::size_t>(border)]) {
      border = next_[static_cast<std::size_t>(border)];
    }
    next_[j + 1] = ++border;
  }
}

BoyerMooreTable::BoyerMooreTable(std::string_view pattern)
    : pattern_(bytes_of(pattern)), last_place_(256, -1), good_suffix_(pattern.size() + 1, 0) {
  for (std::size_t i = 0; i < pattern_.size(); ++i) {
    last_place_[pattern_[i]] = static_cast<std::int32_t>(i);
  }
  set_good_suffix();
}

/// border[i]: where the widest border of pattern[i, m) begins. A shift for pattern[j, m) is the
/// distance to its next occurrence to the left that another byte precedes (the strong rule), else
/// to the widest prefix of the pattern that ends in it.
void BoyerMooreTable::set_good_suffix() {
  const std::size_t m = pattern_.size();
  std::vector<std::size_t> border(m + 1, m + 1);
  std::size_t j = m + 1;
  for (std::size_t i = m; i > 0;) {
    while (j <= m && pattern_[i - 1] != pattern_[j - 1]) {
      if (good_suffix_[j] == 0) good_suffix_[j] = static_cast<std::int32_t>(j - i);
      j = border[j];
    }
    border[--i] = --j;
  }
  j = border[0];
  for (std::size_t i = 0; i <= m; ++i) {
    if (good_suffix_[i] == 0) good_suffix_[i] = static_cast<std::int32_t>(j);
    if (i == j) j = border[j];
  }
}

Result<AhoCorasickTable> AhoCorasickTable::make(std::span<const std::string> patterns) {
  constexpr std::uint32_t kMostStates = 65'535;
  Trie trie(patterns);
  for (const std::string& pattern : patterns) {
    if (trie.add(pattern, kMostStates)) continue;
    return make_error(ErrorCode::kInvalidArgument, "the automaton has more than 65535 states");
  }
  trie.resolve();
  std::vector<std::uint32_t> order(trie.states());
  std::iota(order.begin(), order.end(), 0u);
  const auto accepting = std::stable_partition(order.begin(), order.end(),
                                               [&](std::uint32_t s) { return !trie.accepts()[s]; });
  std::vector<std::uint16_t> number(trie.states());
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::uint16_t>(i);
  AhoCorasickTable made;
  made.class_of_ = trie.class_of();
  made.classes_ = trie.classes();
  made.states_ = trie.states();
  made.start_ = number[0];
  made.first_accepting_ = static_cast<std::uint32_t>(accepting - order.begin());
  for (const std::uint32_t state : order) {
    for (std::uint32_t symbol = 0; symbol < made.classes_; ++symbol) {
      made.next_.push_back(number[trie.next()[state * std::size_t{made.classes_} + symbol]]);
    }
  }
  return made;
}

}  // namespace presso::strings
