// SPDX-License-Identifier: MIT
// Automata for tests and benchmarks of line scans that need no pattern compiler, and the scalar
// scan that everything is compared with.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "scan/automaton/dfa.h"

namespace presso::test {

using scan_detail::LineDfa;
using scan_detail::LineDfaView;

/// Puts matching states last and fills what follows from the rest. `next` of [state][byte]; the
/// column of '\n' is set here.
inline LineDfa finish_line_dfa(std::vector<std::vector<std::uint32_t>> next,
                               const std::vector<bool>& matching, std::uint32_t start) {
  const auto states = static_cast<std::uint32_t>(next.size());
  std::vector<std::uint32_t> place(states);
  LineDfa dfa;
  for (const bool wanted : {false, true}) {
    if (wanted) dfa.first_matching = dfa.states;
    for (std::uint32_t state = 0; state < states; ++state) {
      if (matching[state] == wanted) place[state] = dfa.states++;
    }
  }
  dfa.start = place[start];
  std::map<std::vector<std::uint32_t>, std::uint32_t> classes;
  std::vector<std::vector<std::uint32_t>> columns;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::vector<std::uint32_t> column(states);
    for (std::uint32_t state = 0; state < states; ++state) {
      column[place[state]] = byte == '\n' ? dfa.start : place[next[state][byte]];
    }
    const auto [at, is_new] = classes.emplace(column, classes.size());
    if (is_new) columns.push_back(column);
    dfa.class_of[byte] = static_cast<Byte>(at->second);
  }
  dfa.classes = static_cast<std::uint32_t>(columns.size());
  dfa.sink = dfa.dead = states;
  for (std::uint32_t state = 0; state < states; ++state) {
    bool stays = true;
    for (std::uint32_t i = 0; i < dfa.classes; ++i) {
      dfa.next.push_back(columns[i][state]);
      if (i != dfa.class_of['\n'] && columns[i][state] != state) stays = false;
    }
    if (stays) (state >= dfa.first_matching ? dfa.sink : dfa.dead) = state;
  }
  return dfa;
}

/// Lines that hold one of `words`, and where there are any, one of `later` after it.
inline LineDfa words_dfa(const std::vector<std::string>& words,
                         const std::vector<std::string>& later = {}) {
  struct Trie {
    std::vector<std::map<Byte, std::uint32_t>> children{1};
    std::vector<bool> ends{false};
    std::vector<std::uint32_t> fail{0};
  };
  const auto build = [](const std::vector<std::string>& from) {
    Trie trie;
    for (const std::string& word : from) {
      std::uint32_t at = 0;
      for (const char letter : word) {
        const auto next = static_cast<std::uint32_t>(trie.children.size());
        const auto [child, is_new] = trie.children[at].emplace(static_cast<Byte>(letter), next);
        at = child->second;
        if (!is_new) continue;
        trie.children.emplace_back();
        trie.ends.push_back(false);
      }
      trie.ends[at] = true;
    }
    return trie;
  };
  std::vector<std::vector<std::uint32_t>> next;
  std::vector<bool> matching;
  const auto add = [&](const Trie& trie, std::uint32_t accepted) {
    const auto base = static_cast<std::uint32_t>(next.size());
    next.resize(base + trie.children.size(), std::vector<std::uint32_t>(256, base));
    matching.resize(next.size(), false);
    std::vector<std::uint32_t> queue{0}, fail(trie.children.size(), 0);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t at = queue[i];
      if (at != 0) next[base + at] = next[base + fail[at]];
      for (const auto& [byte, child] : trie.children[at]) {
        const std::uint32_t through = at == 0 ? base : next[base + at][byte];
        const bool ends = trie.ends[child] || through == accepted;
        next[base + at][byte] = ends ? accepted : base + child;
        if (ends) continue;
        fail[child] = through - base;
        queue.push_back(child);
      }
    }
  };
  const Trie first = build(words), second = build(later);
  const auto size = static_cast<std::uint32_t>(first.children.size());
  const auto second_size = static_cast<std::uint32_t>(later.empty() ? 0 : second.children.size());
  const std::uint32_t sink = size + second_size;
  add(first, later.empty() ? sink : size);
  if (!later.empty()) add(second, sink);
  next.emplace_back(256, sink);
  matching.resize(next.size(), false);
  matching[sink] = true;
  // States that nothing leads to (ends of words) do no harm.
  return finish_line_dfa(std::move(next), matching, 0);
}

/// Lines whose length is 0 modulo `states`: an automaton that forgets nothing.
inline LineDfa counting_dfa(std::uint32_t states) {
  std::vector<std::vector<std::uint32_t>> next;
  std::vector<bool> matching(states, false);
  for (std::uint32_t state = 0; state < states; ++state) {
    next.emplace_back(256, (state + 1) % states);
  }
  matching[0] = true;
  return finish_line_dfa(std::move(next), matching, 0);
}

/// Any automaton that keeps the contract, except that it is not minimal. `letters` are told apart.
inline LineDfa random_dfa(std::uint32_t states, const std::string& letters, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::uint32_t>> next(states, std::vector<std::uint32_t>(256));
  std::vector<bool> matching(states);
  const bool forgets = random() % 2 == 0;
  for (std::uint32_t state = 0; state < states; ++state) {
    matching[state] = random() % 3 == 0;
    const auto other = static_cast<std::uint32_t>(random() % states);
    for (std::uint32_t& to : next[state]) to = other;
    for (const char letter : letters) {
      const auto to = static_cast<std::uint32_t>(random() % states);
      next[state][static_cast<Byte>(letter)] = forgets ? to : (state + letter) % states;
    }
  }
  if (states > 2 && random() % 2 == 0) {
    const auto sink = static_cast<std::uint32_t>(random() % states);
    for (std::uint32_t& to : next[sink]) to = sink;
  }
  return finish_line_dfa(std::move(next), matching, static_cast<std::uint32_t>(random() % states));
}

/// What a scan must find: the ends of matching lines, and the state after the text.
struct ScalarScan {
  std::vector<std::uint64_t> ends;
  std::uint32_t state = 0;

  ScalarScan(const LineDfaView& dfa, Bytes text, bool complete, std::uint32_t state_in)
      : state(state_in) {
    for (std::uint64_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n' && state >= dfa.first_matching) ends.push_back(at);
      state = dfa.step(state, text[at]);
    }
    const bool unfinished = !text.empty() && text.back() != '\n';
    if (complete && unfinished && state >= dfa.first_matching) ends.push_back(text.size());
  }
};

}  // namespace presso::test
