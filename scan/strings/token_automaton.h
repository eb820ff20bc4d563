// SPDX-License-Identifier: MIT
// The automaton over codes as a table whose entries are made when they are first asked for: of the
// states times 4,096 codes few are ever met, and making all would cost more than reading a row
// group. An entry is one number that every thread would compute alike, so threads may fill it at
// the same time without a lock.
// Tested by tests/unit/scan/strings/string_test_test.cpp.
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
  /// A state of the automaton over bytes, counted from 1.
  using State = std::uint32_t;

  /// Both are kept by reference. has_memory() says whether there was enough.
  CodeTable(const scan_detail::Dfa& automaton, const TokenDictionary& tokens)
      : automaton_(automaton),
        tokens_(tokens),
        entries_(static_cast<Entry*>(
            std::calloc(std::size_t{automaton.states} * kMaxTokens, sizeof(Entry)))) {}

  bool has_memory() const { return entries_ != nullptr; }

  State start() const { return automaton_.start + 1; }
  bool matches(State state) const { return state > automaton_.first_matching; }
  bool is_decided(State state) const {
    return (static_cast<unsigned>(state == automaton_.sink + 1) |
            static_cast<unsigned>(state == automaton_.dead + 1)) != 0;
  }
  State step(State state, std::uint16_t code) const {
    Entry& entry = entries_[std::size_t{state - 1} * kMaxTokens + code];
    const State next = entry.load(std::memory_order_relaxed);
    return next != 0 ? next : made(entry, state, code);
  }

 private:
  /// calloc() gives memory that costs nothing until it is touched; all bits 0 is the number 0.
  using Entry = std::atomic<std::uint16_t>;
  static_assert(sizeof(Entry) == sizeof(std::uint16_t) && Entry::is_always_lock_free);
  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };

  [[gnu::noinline, gnu::cold]] State made(Entry& entry, State state, std::uint16_t code) const {
    std::uint32_t to = state - 1;
    for (const Byte byte : tokens_.token(code)) to = automaton_.step(to, byte);
    entry.store(static_cast<std::uint16_t>(to + 1), std::memory_order_relaxed);
    return to + 1;
  }

  const scan_detail::Dfa& automaton_;
  const TokenDictionary& tokens_;
  std::unique_ptr<Entry[], Free> entries_;
};

}  // namespace presso::query
