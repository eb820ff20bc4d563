// SPDX-License-Identifier: MIT
#include "scan/gpu/strings/token_functions.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace presso::gpu {
namespace {

using scan_detail::Dfa;
using States = std::vector<std::uint16_t>;

/// The new number of each state of `dfa`.
States renumber(const Dfa& dfa) {
  const auto rank = [&](std::uint32_t state) {
    if (state == dfa.sink) return 2;
    if (state == dfa.dead) return 3;
    return state < dfa.first_matching ? 0 : 1;
  };
  std::vector<std::uint32_t> order(dfa.states);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
  States number(dfa.states);
  for (std::uint32_t i = 0; i < dfa.states; ++i) number[order[i]] = static_cast<std::uint16_t>(i);
  return number;
}

/// What tokens do to all states, each from what the front does that it shares with the one before.
class Walker {
 public:
  explicit Walker(const Dfa& dfa) : dfa_(dfa), after_(kMaxTokenBytes + 1, States(dfa.states)) {
    std::iota(after_[0].begin(), after_[0].end(), std::uint16_t{0});
  }

  /// The state of `dfa` that `token` leads each of its states to.
  const States& run(Bytes token) {
    std::size_t shared = 0;
    while (shared < token.size() && shared < last_.size() && token[shared] == last_[shared]) {
      ++shared;
    }
    for (std::size_t i = shared; i < token.size(); ++i) {
      const std::uint32_t column = dfa_.class_of[token[i]];
      const States& from = after_[i];
      States& to = after_[i + 1];
      for (std::uint32_t state = 0; state < dfa_.states; ++state) {
        to[state] =
            static_cast<std::uint16_t>(dfa_.next[std::size_t{from[state]} * dfa_.classes + column]);
      }
    }
    last_ = token;
    return after_[token.size()];
  }

 private:
  const Dfa& dfa_;
  std::vector<States> after_;  ///< by the number of bytes of the last token
  Bytes last_;
};

Error too_large() {
  return make_error(ErrorCode::kUnsupported, "the automaton is too large for a GPU");
}

}  // namespace

Result<TokenFunctions> token_functions(const Dfa& dfa, const TokenDictionary& tokens) {
  if (dfa.states > kMostFunctionCells / 256) return too_large();
  TokenFunctions made;
  made.states = dfa.states;
  made.tokens = tokens.size();
  const States number = renumber(dfa);
  const std::uint32_t decided = (dfa.sink < dfa.states ? 1 : 0) + (dfa.dead < dfa.states ? 1 : 0);
  made.start = number[dfa.start];
  made.first_decided = dfa.states - decided;
  made.end_matching = dfa.dead < dfa.states ? number[dfa.dead] : dfa.states;
  made.first_matching = dfa.first_matching - (dfa.dead < dfa.states ? 1 : 0);
  std::map<States, std::uint16_t> known;
  Walker walker(dfa);
  States column(dfa.states);
  for (std::uint32_t code = 0; code < tokens.size(); ++code) {
    const States& to = walker.run(tokens.token(code));
    for (std::uint32_t state = 0; state < dfa.states; ++state) {
      column[number[state]] = number[to[state]];
    }
    const auto found = known.emplace(column, static_cast<std::uint16_t>(made.classes));
    made.class_of[code] = found.first->second;
    if (!found.second) continue;
    made.next.insert(made.next.end(), column.begin(), column.end());
    ++made.classes;
    if (made.next.size() > kMostFunctionCells) return too_large();
  }
  return made;
}

}  // namespace presso::gpu
