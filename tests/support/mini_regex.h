// SPDX-License-Identifier: MIT
// Small regular expressions as line automata, for tests and benchmarks of scans only: bytes, '.',
// [classes], groups, alternatives, * + ? {m,n}, ^ at the very begin, by Thompson's construction and
// subsets, then merged by Moore. No errors: a pattern is the programmer's own. The compiler for
// users' patterns is another one (scan/regex).
#pragma once

#include <algorithm>
#include <bitset>

#include "tests/support/line_dfas.h"

namespace presso::test {

class MiniRegex {
 public:
  static LineDfa compile(const std::string& pattern) {
    MiniRegex regex(pattern);
    return regex.to_dfa();
  }

 private:
  using Letters = std::bitset<256>;
  struct Node {
    std::vector<std::uint32_t> free;  ///< edges that take no byte
    std::vector<std::pair<Letters, std::uint32_t>> edges;
  };
  struct Part {
    std::uint32_t begin, end;
  };
  using States = std::vector<std::uint32_t>;

  explicit MiniRegex(const std::string& pattern) : pattern_(pattern) {
    anchored_ = peek() == '^';
    if (anchored_) ++at_;
    whole_ = alternatives();
  }

  char peek() const { return at_ < pattern_.size() ? pattern_[at_] : '\0'; }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  std::uint32_t node() {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  void join(std::uint32_t from, std::uint32_t to) { nodes_[from].free.push_back(to); }

  Part alternatives() {
    const Part all{node(), node()};
    do {
      const Part one = sequence();
      join(all.begin, one.begin);
      join(one.end, all.end);
    } while (take('|'));
    return all;
  }
  Part sequence() {
    Part all{node(), 0};
    all.end = all.begin;
    while (at_ < pattern_.size() && peek() != '|' && peek() != ')') {
      const std::size_t begin = at_;
      Part one = atom();
      const std::size_t end = at_;
      one = repeated(one, begin, end);
      join(all.end, one.begin);
      all.end = one.end;
    }
    return all;
  }
  Part atom() {
    if (take('(')) {
      const Part inner = alternatives();
      take(')');
      return inner;
    }
    const Part one{node(), node()};
    nodes_[one.begin].edges.emplace_back(letters(), one.end);
    return one;
  }
  Letters letters() {
    Letters set;
    if (take('.')) {
      set.set();
    } else if (take('[')) {
      const bool negated = take('^');
      while (!take(']')) {
        const Byte first = one_byte();
        const Byte last = peek() == '-' && pattern_[at_ + 1] != ']' ? (++at_, one_byte()) : first;
        for (std::uint32_t byte = first; byte <= last; ++byte) set.set(byte);
      }
      if (negated) set.flip();
    } else {
      set.set(one_byte());
    }
    return set.reset('\n');
  }
  Byte one_byte() {
    take('\\');
    return static_cast<Byte>(pattern_[at_++]);
  }

  Part repeated(Part one, std::size_t begin, std::size_t end) {
    if (take('*')) return many(one, true);
    if (take('+')) return many(one, false);
    if (take('?')) return optional(one);
    if (!take('{')) return one;
    const std::uint32_t least = number();
    std::uint32_t most = least;
    const bool open = take(',') && peek() == '}';
    if (!open && peek() != '}') most = number();
    take('}');
    return counted(begin, end, least, open ? kNoEnd : most);
  }
  Part many(Part one, bool none_too) {
    join(one.end, one.begin);
    return none_too ? optional(one) : one;
  }
  Part optional(Part one) {
    const Part all{node(), node()};
    join(all.begin, one.begin);
    join(one.end, all.end);
    join(all.begin, all.end);
    return all;
  }
  Part counted(std::size_t begin, std::size_t end, std::uint32_t least, std::uint32_t most) {
    const std::size_t behind = at_;
    Part all{node(), 0};
    all.end = all.begin;
    const std::uint32_t copies = most == kNoEnd ? least + 1 : most;
    for (std::uint32_t i = 0; i < copies; ++i) {
      at_ = begin;
      Part one = atom();
      if (i >= least) one = most == kNoEnd ? many(one, true) : optional(one);
      join(all.end, one.begin);
      all.end = one.end;
    }
    at_ = behind;
    static_cast<void>(end);
    return all;
  }
  std::uint32_t number() {
    std::uint32_t value = 0;
    while (peek() >= '0' && peek() <= '9') {
      value = value * 10 + static_cast<std::uint32_t>(pattern_[at_++] - '0');
    }
    return value;
  }

  States closure(States states) const {
    std::vector<bool> seen(nodes_.size());
    for (const std::uint32_t state : states) seen[state] = true;
    for (std::size_t i = 0; i < states.size(); ++i) {
      for (const std::uint32_t to : nodes_[states[i]].free) {
        if (!seen[to]) states.push_back(to);
        seen[to] = true;
      }
    }
    std::sort(states.begin(), states.end());
    return states;
  }
  States step(const States& from, std::uint32_t byte) const {
    States to;
    if (!anchored_) to.push_back(whole_.begin);
    for (const std::uint32_t state : from) {
      for (const auto& [set, target] : nodes_[state].edges) {
        if (set[byte]) to.push_back(target);
      }
    }
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
    return closure(std::move(to));
  }

  LineDfa to_dfa() {
    std::map<States, std::uint32_t> numbers;
    std::vector<States> sets{closure({whole_.begin})};
    std::vector<std::vector<std::uint32_t>> next;
    std::vector<bool> matching;
    numbers.emplace(sets[0], 0);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      matching.push_back(std::binary_search(sets[i].begin(), sets[i].end(), whole_.end));
      next.emplace_back(256, static_cast<std::uint32_t>(i));
      for (std::uint32_t byte = 0; byte < 256 && !matching[i]; ++byte) {
        States to = step(sets[i], byte);
        const auto [at, is_new] = numbers.emplace(to, sets.size());
        if (is_new) sets.push_back(std::move(to));
        next[i][byte] = at->second;
      }
    }
    return merged(next, matching);
  }

  static LineDfa merged(const std::vector<std::vector<std::uint32_t>>& next,
                        const std::vector<bool>& matching) {
    std::vector<std::uint32_t> group(matching.begin(), matching.end());
    for (std::size_t groups = 0;;) {
      std::map<std::vector<std::uint32_t>, std::uint32_t> signatures;
      std::vector<std::uint32_t> finer(group.size());
      for (std::size_t state = 0; state < group.size(); ++state) {
        std::vector<std::uint32_t> signature{group[state]};
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
          signature.push_back(byte == '\n' ? 0 : group[next[state][byte]]);
        }
        finer[state] = signatures.emplace(std::move(signature), signatures.size()).first->second;
      }
      group = std::move(finer);
      if (signatures.size() == groups) break;
      groups = signatures.size();
    }
    const std::uint32_t count = *std::max_element(group.begin(), group.end()) + 1;
    std::vector<std::vector<std::uint32_t>> rows(count, std::vector<std::uint32_t>(256));
    std::vector<bool> ends(count);
    for (std::size_t state = 0; state < group.size(); ++state) {
      ends[group[state]] = matching[state];
      for (std::uint32_t byte = 0; byte < 256; ++byte) {
        rows[group[state]][byte] = group[next[state][byte]];
      }
    }
    return finish_line_dfa(std::move(rows), ends, group[0]);
  }

  static constexpr std::uint32_t kNoEnd = 0xFFFFFFFF;

  std::string pattern_;
  std::size_t at_ = 0;
  bool anchored_ = false;
  std::vector<Node> nodes_;
  Part whole_{};
};

}  // namespace presso::test
