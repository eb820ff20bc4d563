// SPDX-License-Identifier: MIT
// The automaton over token codes as a table that is filled on demand: of the states times 4,096
// codes only few are ever met, and filling all would cost more than reading a row group. An entry
// is the state after the bytes of a token. Row 0 belongs to an unknown state and stays 0. Every
// thread would compute the same number for an entry, so threads may fill it at the same time
// without a lock. Tested by tests/unit/query/strings/string_test_test.cpp.
//
// Example: in the automaton of LIKE '%special%' the entry of (start, code of `spe`) is the state
// after "spe". The first row that has this code makes the entry with three steps of the automaton
// over bytes; every later row takes it with one load.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "format/columns/token_dictionary.h"
#include "scan/automaton/dfa.h"

namespace presso::query {

/// The table for one automaton and one token dictionary. Thread-safe.
class CodeTable {
 public:
  /// A state of the automaton over bytes, counted from 1, or kUnknown.
  using State = std::uint32_t;
  static constexpr State kUnknown = 0;

  /// Both are kept by reference. `backwards`: the automaton reads strings from their ends. If
  /// memory does not suffice has_memory() is false, and the table must not be used.
  CodeTable(const scan_detail::Dfa& automaton, const TokenDictionary& tokens, bool backwards)
      : automaton_(automaton),
        tokens_(tokens),
        backwards_(backwards),
        entries_(static_cast<Entry*>(
            std::calloc((std::size_t{automaton.states} + 1) * kMaxTokens, sizeof(Entry)))) {}

  bool has_memory() const { return entries_ != nullptr; }

  State start() const { return automaton_.start + 1; }
  bool matches(State state) const { return state > automaton_.first_matching; }
  /// Whether no further code can change the answer. It is a product, so that compilers make no
  /// branch of which state it is: some rows are decided one way and some the other, which cannot be
  /// predicted.
  bool is_decided(State state) const {
    return (state ^ (automaton_.sink + 1)) * (state ^ (automaton_.dead + 1)) == 0;
  }
  /// Returns the state after `code`, making the entry if it is new.
  State step(State state, std::uint16_t code) const {
    const State next = known_step(state, code);
    return next != kUnknown ? next : made(state, code);
  }
  /// Returns kUnknown if the entry has not been made, and from kUnknown.
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

  /// Computes an entry by reading the token's bytes.
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
