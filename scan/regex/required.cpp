// SPDX-License-Identifier: MIT
#include "scan/regex/required.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace presso::scan_detail {
namespace {

using Clause = RequiredLiterals::Clause;

constexpr std::size_t kMostStrings = 64;      ///< of a set that is still joined with others
constexpr std::size_t kMostChoices = 20'000;  ///< of an alternation
constexpr std::size_t kLongest = 64;          ///< bytes of a string
constexpr std::size_t kMostClauses = 32;

/// The strings that a piece can be, if few; else what it must contain.
struct Piece {
  bool exact = false;
  Clause strings;                ///< with exact; may hold the empty string
  std::vector<Clause> required;  ///< otherwise
  bool first_is_prefix = false;
};

Piece exactly(Clause strings) {
  Piece piece;
  piece.exact = true;
  piece.strings = std::move(strings);
  return piece;
}
Piece nothing_known() {
  return {};
}

bool is_useful(const Clause& clause) {
  return !clause.any_of.empty() && std::none_of(clause.any_of.begin(), clause.any_of.end(),
                                                [](const std::string& s) { return s.empty(); });
}

void remove_duplicates(Clause& clause) {
  std::sort(clause.any_of.begin(), clause.any_of.end());
  clause.any_of.erase(std::unique(clause.any_of.begin(), clause.any_of.end()), clause.any_of.end());
}

void to_lower(std::string& text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

/// Two clauses' strings can be put together when both are in lower case or neither is.
void agree_on_case(Clause& a, Clause& b) {
  if (a.ignore_ascii_case == b.ignore_ascii_case) return;
  for (Clause* clause : {&a, &b}) {
    clause->ignore_ascii_case = true;
    for (std::string& text : clause->any_of) to_lower(text);
  }
}

/// {A, a} as one lower-case letter; other small sets as their characters.
Piece of_class(const Node& node) {
  std::vector<CodePoint> codes;
  for (const CodeRange& range : node.ranges) {
    if (range.high - range.low >= 10 || codes.size() > 10) return nothing_known();
    for (CodePoint code = range.low; code <= range.high; ++code) codes.push_back(code);
  }
  Clause clause;
  const auto has = [&](CodePoint c) {
    return std::find(codes.begin(), codes.end(), c) != codes.end();
  };
  for (const CodePoint code : codes) {
    const bool upper = code >= 'A' && code <= 'Z' && has(code - 'A' + 'a');
    if (upper) clause.ignore_ascii_case = true;
    if (upper) continue;
    clause.any_of.push_back(node.kind == Node::Kind::kByteClass
                                ? std::string(1, static_cast<char>(code))
                                : encoded(code));
  }
  if (clause.ignore_ascii_case) {
    for (std::string& text : clause.any_of) to_lower(text);
    remove_duplicates(clause);
  }
  return exactly(std::move(clause));
}

/// Gathers what a concatenation must contain.
class Joiner {
 public:
  void add(Piece piece) {
    if (piece.exact && can_join(piece.strings)) {
      join(std::move(piece.strings));
      return;
    }
    flush();
    if (piece.exact) {
      run_ = std::move(piece.strings);
      return;
    }
    if (at_begin_ && piece.first_is_prefix) first_is_prefix_ = true;
    at_begin_ = false;
    for (Clause& clause : piece.required) take(std::move(clause));
  }

  Piece finish() {
    if (clauses_.empty() && at_begin_) return exactly(std::move(run_));
    flush();
    Piece piece;
    piece.required = std::move(clauses_);
    piece.first_is_prefix = first_is_prefix_ && !piece.required.empty();
    return piece;
  }

  /// What stands before is known, what follows is not: "(ab)+" after its first round.
  void cut() { flush(); }

 private:
  bool can_join(const Clause& strings) const {
    if (run_.any_of.size() * strings.any_of.size() > kMostStrings && run_.any_of.size() > 1 &&
        strings.any_of.size() > 1) {
      return false;
    }
    const auto longest = [](const Clause& clause) {
      std::size_t most = 0;
      for (const std::string& text : clause.any_of) most = std::max(most, text.size());
      return most;
    };
    return longest(run_) + longest(strings) <= kLongest;
  }

  void join(Clause strings) {
    agree_on_case(run_, strings);
    Clause joined;
    joined.ignore_ascii_case = run_.ignore_ascii_case;
    for (const std::string& head : run_.any_of) {
      for (const std::string& tail : strings.any_of) joined.any_of.push_back(head + tail);
    }
    run_ = std::move(joined);
  }

  void flush() {
    const bool stands_for_nothing = run_.any_of.size() == 1 && run_.any_of[0].empty();
    if (is_useful(run_)) {
      if (at_begin_) first_is_prefix_ = true;
      take(std::move(run_));
    }
    if (!stands_for_nothing) at_begin_ = false;
    run_ = {{std::string()}, false};
  }

  void take(Clause clause) {
    remove_duplicates(clause);
    if (clauses_.size() < kMostClauses) clauses_.push_back(std::move(clause));
  }

  Clause run_{{std::string()}, false};
  std::vector<Clause> clauses_;
  bool at_begin_ = true;
  bool first_is_prefix_ = false;
};

Piece piece_of(const Node& node);

Piece of_concat(const Node& node) {
  Joiner joiner;
  for (const Node& child : node.children) joiner.add(piece_of(child));
  return joiner.finish();
}

/// The clause that says most: the one whose shortest string is longest.
Clause* best_clause(std::vector<Clause>& clauses) {
  const auto shortest = [](const Clause& clause) {
    std::size_t least = kLongest;
    for (const std::string& text : clause.any_of) least = std::min(least, text.size());
    return least;
  };
  Clause* best = nullptr;
  for (Clause& clause : clauses) {
    if (best == nullptr || shortest(clause) > shortest(*best)) best = &clause;
  }
  return best;
}

/// Of each branch one clause, put together to one.
Piece of_alternate(const Node& node) {
  Clause all;
  bool exact = true;
  bool prefixes = true;
  for (const Node& child : node.children) {
    Piece piece = piece_of(child);
    Clause* clause = &piece.strings;
    if (!piece.exact) {
      exact = false;
      if (piece.first_is_prefix && prefixes) {
        clause = &piece.required[0];
      } else {
        prefixes = false;
        clause = best_clause(piece.required);
      }
    }
    if (clause == nullptr || all.any_of.size() + clause->any_of.size() > kMostChoices) {
      return nothing_known();
    }
    agree_on_case(all, *clause);
    all.any_of.insert(all.any_of.end(), clause->any_of.begin(), clause->any_of.end());
  }
  if (exact) return exactly(std::move(all));
  if (!is_useful(all)) return nothing_known();
  Piece piece;
  piece.first_is_prefix = prefixes;
  piece.required.push_back(std::move(all));
  return piece;
}

Piece of_repeat(const Node& node) {
  if (node.min == 0) return nothing_known();
  const Piece once = piece_of(node.children[0]);
  Joiner joiner;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(node.min, kLongest); ++i) {
    joiner.add(once);
  }
  if (node.min == node.max && node.min <= kLongest) return joiner.finish();
  joiner.cut();
  return joiner.finish();
}

Piece piece_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kEmpty:
    case Node::Kind::kLook:
      return exactly({{std::string()}, false});
    case Node::Kind::kLiteral:
      return exactly({{node.bytes}, false});
    case Node::Kind::kClass:
    case Node::Kind::kByteClass:
      return of_class(node);
    case Node::Kind::kRepeat:
      return of_repeat(node);
    case Node::Kind::kGroup:
      return piece_of(node.children[0]);
    case Node::Kind::kConcat:
      return of_concat(node);
    case Node::Kind::kAlternate:
      return of_alternate(node);
  }
  return nothing_known();
}

/// Steps through all that can be read from a program's start, in sets of instructions.
class LeadingBytes {
 public:
  explicit LeadingBytes(const Program& program)
      : program_(program), seen_(program.insts.size(), 0) {}

  std::vector<std::bitset<256>> run(std::size_t most) {
    std::vector<std::bitset<256>> sets;
    std::vector<InstId> from{program_.start};
    while (sets.size() < most && close(from) && !readers_.empty()) {
      std::bitset<256> bytes;
      from.clear();
      for (const InstId reader : readers_) {
        for (const Transition& transition : program_.transitions_of(program_.insts[reader])) {
          for (unsigned b = transition.low; b <= transition.high; ++b) bytes.set(b);
          from.push_back(transition.next);
        }
      }
      sets.push_back(bytes);
    }
    return sets;
  }

 private:
  /// Fills readers_; false where a match may end.
  bool close(std::vector<InstId> stack) {
    readers_.clear();
    ++generation_;
    while (!stack.empty()) {
      const InstId id = stack.back();
      stack.pop_back();
      if (std::exchange(seen_[id], generation_) == generation_) continue;
      const Inst& inst = program_.insts[id];
      if (inst.op == Inst::Op::kMatch) return false;
      if (inst.op == Inst::Op::kBytes) readers_.push_back(id);
      if (inst.op == Inst::Op::kLook || inst.op == Inst::Op::kSave) stack.push_back(inst.next);
      if (inst.op != Inst::Op::kSplit) continue;
      const auto targets = program_.targets_of(inst);
      stack.insert(stack.end(), targets.begin(), targets.end());
    }
    return true;
  }

  const Program& program_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t generation_ = 0;
  std::vector<InstId> readers_;
};

}  // namespace

PatternLiterals required_literals(const Node& root) {
  Joiner joiner;
  joiner.add(piece_of(root));
  joiner.cut();
  Piece piece = joiner.finish();
  PatternLiterals literals;
  literals.required.clauses = std::move(piece.required);
  literals.first_is_prefix = piece.first_is_prefix;
  return literals;
}

std::vector<std::bitset<256>> leading_bytes(const Program& program, std::size_t most) {
  return LeadingBytes(program).run(most);
}

}  // namespace presso::scan_detail
