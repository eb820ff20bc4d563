// SPDX-License-Identifier: MIT
// Implements token_functions.h: what each token of a dictionary does to each state of an automaton
// over bytes. Tokens are sorted, so each is run from the end of the front that it shares with the
// token before, for all states at once; a hash table then finds the tokens that act alike.
#include "query/gpu/strings/token_functions.h"

#include <functional>
#include <numeric>
#include <string_view>

#include "query/gpu/strings/state_order.h"

namespace presso::gpu {
namespace {

using scan_detail::Dfa;
using States = std::vector<std::uint16_t>;

/// Computes where tokens lead all states, each from the front that it shares with the token before.
/// States have the numbers of the table that is made: number[i] is that of the automaton's state i.
class Walker {
 public:
  Walker(const Dfa& dfa, const States& number)
      : dfa_(dfa), steps_(dfa.classes, States(dfa.states)), after_(kMaxTokenBytes + 1, number) {
    std::iota(after_[0].begin(), after_[0].end(), std::uint16_t{0});
    for (std::uint32_t state = 0; state < dfa.states; ++state) {
      for (std::uint32_t column = 0; column < dfa.classes; ++column) {
        const std::uint32_t to = dfa.next[std::size_t{state} * dfa.classes + column];
        steps_[column][number[state]] = number[to];
      }
    }
  }

  /// Returns the state to which `token` leads each state; valid until the next call.
  const States& run(Bytes token) {
    std::size_t shared = 0;
    while (shared < token.size() && shared < last_.size() && token[shared] == last_[shared]) {
      ++shared;
    }
    for (std::size_t i = shared; i < token.size(); ++i) {
      const std::uint16_t* const step = steps_[dfa_.class_of[token[i]]].data();
      const std::uint16_t* const from = after_[i].data();
      std::uint16_t* const to = after_[i + 1].data();
      for (std::uint32_t state = 0; state < dfa_.states; ++state) to[state] = step[from[state]];
    }
    last_ = token;
    return after_[token.size()];
  }

 private:
  const Dfa& dfa_;
  std::vector<States> steps_;  ///< for each class of bytes, where a byte leads each state
  std::vector<States> after_;  ///< after each number of bytes of the last token, the same
  Bytes last_;
};

/// Finds the class of tokens that do the same to all states, by an open-addressing hash table of
/// classes with linear probing.
class KnownClasses {
 public:
  /// Returns the class of a token that leads the states of `made` to `to`; adds a class if it is
  /// new.
  std::uint16_t class_of(const States& to, TokenFunctions& made) {
    const std::string_view bytes = bytes_of(to.data(), made.states);
    std::size_t place = std::hash<std::string_view>()(bytes) % kPlaces;
    for (; places_[place] != kNone; place = (place + 1) % kPlaces) {
      const std::size_t first = std::size_t{places_[place]} * made.states;
      if (bytes_of(made.next.data() + first, made.states) == bytes) return places_[place];
    }
    places_[place] = static_cast<std::uint16_t>(made.classes++);
    made.next.insert(made.next.end(), to.begin(), to.end());
    return places_[place];
  }

 private:
  static constexpr std::size_t kPlaces = 2 * kMaxTokens;  ///< at most half of them are ever used
  static constexpr std::uint16_t kNone = kMaxTokens;

  static std::string_view bytes_of(const std::uint16_t* states, std::size_t count) {
    return {reinterpret_cast<const char*>(states), count * sizeof *states};
  }

  std::vector<std::uint16_t> places_ = std::vector<std::uint16_t>(kPlaces, kNone);
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
  KnownClasses known;
  Walker walker(dfa, number);
  for (std::uint32_t code = 0; code < tokens.size(); ++code) {
    made.class_of[code] = known.class_of(walker.run(tokens.token(code)), made);
    if (made.next.size() > kMostFunctionCells) return too_large();
  }
  return made;
}

}  // namespace presso::gpu
