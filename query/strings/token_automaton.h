// SPDX-License-Identifier: MIT
// The automaton over codes as a table whose entries are made when they are first asked for: of the
// states times 4,096 codes few are ever met, and making all would cost more than reading a row
// group. The first row is that of an unknown state and stays 0. An entry is one number that every
// thread would compute alike, so threads may fill it at the same time without a lock. Tested by
// tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "format/columns/token_dictionary.h"
#include "scan/automaton/dfa.h"

namespace presso::query {

class CodeTable {
 public:
  /// A state of the automaton over bytes, counted from 1, or kUnknown.
  using State = std::uint32_t;
  static constexpr State kUnknown = 0;

  /// Both are kept by reference. `backwards`: the automaton reads strings from their ends.
  /// has_memory() says whether there was enough.
  CodeTable(const scan_detail::Dfa& automaton, const TokenDictionary& tokens, bool backwards)
      : automaton_(automaton),
        tokens_(tokens),
        backwards_(backwards),
        entries_(static_cast<Entry*>(
            std::calloc((std::size_t{automaton.states} + 1) * kMaxTokens, sizeof(Entry)))) {}

  bool has_memory() const { return entries_ != nullptr; }

  State start() const { return automaton_.start + 1; }
  bool matches(State state) const { return state > automaton_.first_matching; }
  /// As a product, so that compilers make no branch of which of the two it is: rows are read one by
  /// one where the first codes decide them, this way or that.
  bool is_decided(State state) const {
    return (state ^ (automaton_.sink + 1)) * (state ^ (automaton_.dead + 1)) == 0;
  }
  State step(State state, std::uint16_t code) const {
    const State next = known_step(state, code);
    return next != kUnknown ? next : made(state, code);
  }
  /// kUnknown where the entry is not made yet, and from kUnknown on.
  State known_step(State state, std::uint16_t code) const {
    return entries_[std::size_t{state} * kMaxTokens + code].load(std::memory_order_relaxed);
  }

 private:
  /// calloc() gives memory that costs nothing until it is touched; all bits 0 is the number 0.
  using Entry = std::atomic<std::uint16_t>;
  static_assert(sizeof(Entry) == sizeof(std::uint16_t) && Entry::is_always_lock_free);
  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };

  [[gnu::noinline, gnu::cold]] State made(State state, std::uint16_t code) const {
    const Bytes token = tokens_.token(code);
    std::uint32_t to = state - 1;
    for (std::size_t i = 0; i < token.size(); ++i) {
      to = automaton_.step(to, token[backwards_ ? token.size() - 1 - i : i]);
    }
    entries_[std::size_t{state} * kMaxTokens + code].store(static_cast<std::uint16_t>(to + 1),
                                                           std::memory_order_relaxed);
    return to + 1;
  }

  const scan_detail::Dfa& automaton_;
  const TokenDictionary& tokens_;
  bool backwards_;
  std::unique_ptr<Entry[], Free> entries_;
};

}  // namespace presso::query
