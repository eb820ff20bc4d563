// SPDX-License-Identifier: MIT
// What each token of a dictionary (coding 5, FORMAT.md 17.1) does to each state of an automaton
// over bytes: the result is an automaton whose steps are codes, so that rows can be tested without
// their text. Most tokens do the same to all states. Tokens that act alike are a *class*; a few
// dozen classes stand for 4,096 tokens, whatever the number of states. The CPU computes such
// entries when it first meets a token (query/strings/token_automaton.h); a GPU needs all of them.
// States are numbered as in state_order.h.
//
// Tokens are sorted bytewise and share their fronts, so the effect of a front is computed once: 0.2
// ms for 16 states (measured on one core). Host code. Tested by
// tests/unit/query/gpu/string_table_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "format/columns/token_dictionary.h"
#include "presso/error.h"
#include "scan/automaton/dfa.h"

namespace presso::gpu {

/// The greatest product of classes and states: a table of 8 MiB, which kernels read through the
/// caches.
constexpr std::uint32_t kMostFunctionCells = 4u << 20;

/// The automaton over codes. `start` and the borders of states are those of StateOrder.
struct TokenFunctions {
  std::uint32_t states = 0;
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t end_matching = 0;   ///< all states from first_matching on match, up to this one
  std::uint32_t first_decided = 0;  ///< states from here on lead to themselves
  std::uint32_t classes = 0;
  std::uint32_t tokens = 0;                          ///< tokens of the dictionary
  std::array<std::uint16_t, kMaxTokens> class_of{};  ///< codes without a token have class 0
  std::vector<std::uint16_t> next;                   ///< [class * states + state]

  bool matches(std::uint32_t state) const {
    return first_matching <= state && state < end_matching;
  }
  std::uint32_t step(std::uint32_t state, std::uint32_t code) const {
    return next[std::size_t{class_of[code]} * states + state];
  }
};

/// Error: kUnsupported if there would be more than kMostFunctionCells cells. Memory: class_of and
/// next, at most 8 MiB.
Result<TokenFunctions> token_functions(const scan_detail::Dfa& dfa, const TokenDictionary& tokens);

}  // namespace presso::gpu
