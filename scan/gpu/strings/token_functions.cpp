// SPDX-License-Identifier: MIT
#include "scan/gpu/strings/token_functions.h"

#include <map>
#include <numeric>

#include "scan/gpu/strings/state_order.h"

namespace presso::gpu {
namespace {

using scan_detail::Dfa;
using States = std::vector<std::uint16_t>;

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
  const StateOrder order = order_states(dfa);
  const States& number = order.number;
  made.start = order.start;
  made.first_decided = order.first_decided;
  made.end_matching = order.end_matching;
  made.first_matching = order.first_matching;
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
