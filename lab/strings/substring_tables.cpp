// SPDX-License-Identifier: MIT
#include "lab/strings/substring_tables.h"

#include <algorithm>

#include "scan/automaton/aho_corasick.h"

namespace presso::strings {
namespace {

std::vector<Byte> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

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
  constexpr std::size_t kMostStates = 65'535;
  const auto dfa =
      scan_detail::make_aho_corasick(patterns, scan_detail::Texts::kStrings, kMostStates);
  if (!dfa) {
    return make_error(ErrorCode::kInvalidArgument, "the automaton has more than 65535 states");
  }
  AhoCorasickTable made;
  made.class_of_.assign(dfa->class_of.begin(), dfa->class_of.end());
  made.classes_ = dfa->classes;
  made.states_ = dfa->states;
  made.start_ = dfa->start;
  made.first_accepting_ = dfa->first_matching;
  for (const std::uint32_t next : dfa->next) {
    made.next_.push_back(static_cast<std::uint16_t>(next));
  }
  return made;
}

}  // namespace presso::strings
