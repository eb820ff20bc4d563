// SPDX-License-Identifier: MIT
// required_literals() and leading_bytes(). The first works from the leaves of the tree up: each
// piece of the pattern is either a small set of strings that it can be, or a list of clauses that
// it must contain. Neighbouring sets in a concatenation are multiplied out as long as few strings
// come of it; the branches of an alternation contribute one clause each, which are put together.
// Limits keep the work small; where they are exceeded, less is known.

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

/// The sum, which saturates at kUnbounded.
std::size_t sum(std::size_t a, std::size_t b) {
  return a > Extent::kUnbounded - b ? Extent::kUnbounded : a + b;
}
std::size_t product(std::size_t a, std::size_t b) {
  if (a == 0 || b == 0) return 0;
  return a > Extent::kUnbounded / b ? Extent::kUnbounded : a * b;
}
Extent operator+(const Extent& a, const Extent& b) {
  return {sum(a.bytes, b.bytes), sum(a.line_feeds, b.line_feeds)};
}
/// The larger one in each respect.
Extent larger(const Extent& a, const Extent& b) {
  return {std::max(a.bytes, b.bytes), std::max(a.line_feeds, b.line_feeds)};
}

/// A clause, and how much can stand before it in its piece.
struct PlacedClause {
  Clause clause;
  Extent before;
};

/// The facts about a piece of the pattern: the strings that it can be if these are few, else
/// what it must contain.
struct Piece {
  bool exact = false;
  Clause strings;                      ///< with exact; may hold the empty string
  std::vector<PlacedClause> required;  ///< otherwise
  bool first_is_prefix = false;
  Extent whole;
};

/// A piece that is one of these strings exactly.
Piece exactly(Clause strings) {
  Piece piece;
  piece.exact = true;
  piece.strings = std::move(strings);
  return piece;
}
Piece nothing_known() {
  return {};
}

/// Whether the clause says anything: it has strings and none of them is empty.
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

/// Makes two clauses agree in case, so that their strings can be put together: if one of them
/// ignores case, both do.
void agree_on_case(Clause& a, Clause& b) {
  if (a.ignore_ascii_case == b.ignore_ascii_case) return;
  for (Clause* clause : {&a, &b}) {
    clause->ignore_ascii_case = true;
    for (std::string& text : clause->any_of) to_lower(text);
  }
}

/// A class of characters as strings: {A, a} becomes one lower-case letter, other small sets their
/// characters. Nothing is known about large classes.
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

/// How long a character of the class is at most, and whether it may be a '\n'.
Extent extent_of_class(const Node& node) {
  if (node.ranges.empty()) return {};
  const bool is_byte = node.kind == Node::Kind::kByteClass;
  const bool has_line_feed =
      std::any_of(node.ranges.begin(), node.ranges.end(),
                  [](const CodeRange& range) { return range.low <= '\n' && '\n' <= range.high; });
  return {is_byte ? 1 : encoded(node.ranges.back().high).size(), has_line_feed ? 1u : 0u};
}

Extent extent_of_literal(const std::string& bytes) {
  return {bytes.size(), static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'))};
}

/// Gathers what a concatenation must contain. `run_` is the set of strings that the pieces since
/// the last cut can be together; it becomes a clause when the next piece cannot be joined to it.
class Joiner {
 public:
  /// Appends a piece to the concatenation. Exact strings are joined with the run before, as long as
  /// the products stay few; everything else ends the run.
  void add(Piece piece) {
    if (piece.exact && can_join(piece.strings)) {
      join(std::move(piece.strings));
      passed_ = passed_ + piece.whole;
      return;
    }
    flush();
    if (piece.exact) {
      run_ = std::move(piece.strings);
      passed_ = passed_ + piece.whole;
      return;
    }
    if (at_begin_ && piece.first_is_prefix) first_is_prefix_ = true;
    at_begin_ = false;
    for (PlacedClause& placed : piece.required) {
      take(std::move(placed.clause), passed_ + placed.before);
    }
    passed_ = passed_ + piece.whole;
    before_run_ = passed_;
  }

  /// The whole concatenation: exact if it was one run of strings, else the clauses that every match
  /// contains.
  Piece finish() {
    Piece piece;
    if (clauses_.empty() && at_begin_) {
      piece = exactly(std::move(run_));
    } else {
      flush();
      piece.required = std::move(clauses_);
      piece.first_is_prefix = first_is_prefix_ && !piece.required.empty();
    }
    piece.whole = passed_;
    return piece;
  }

  /// Ends the run: what stands before is known, what follows is not, as after the first round of
  /// "(ab)+".
  void cut() { flush(); }

 private:
  /// Whether multiplying `run_` with these strings stays within the limits.
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

  /// Joins each string of the run with each of the next piece.
  void join(Clause strings) {
    agree_on_case(run_, strings);
    Clause joined;
    joined.ignore_ascii_case = run_.ignore_ascii_case;
    for (const std::string& head : run_.any_of) {
      for (const std::string& tail : strings.any_of) joined.any_of.push_back(head + tail);
    }
    run_ = std::move(joined);
  }

  /// Makes the run a clause, if it says anything, and begins an empty run.
  void flush() {
    const bool stands_for_nothing = run_.any_of.size() == 1 && run_.any_of[0].empty();
    if (is_useful(run_)) {
      if (at_begin_) first_is_prefix_ = true;
      take(std::move(run_), before_run_);
    }
    if (!stands_for_nothing) at_begin_ = false;
    run_ = {{std::string()}, false};
    before_run_ = passed_;
  }

  void take(Clause clause, const Extent& before) {
    remove_duplicates(clause);
    if (clauses_.size() < kMostClauses) clauses_.push_back({std::move(clause), before});
  }

  Clause run_{{std::string()}, false};
  std::vector<PlacedClause> clauses_;
  Extent passed_;      ///< of all that was added
  Extent before_run_;  ///< of what was added before the run
  bool at_begin_ = true;
  bool first_is_prefix_ = false;
};

Piece piece_of(const Node& node);

Piece of_concat(const Node& node) {
  Joiner joiner;
  for (const Node& child : node.children) joiner.add(piece_of(child));
  return joiner.finish();
}

/// The clause that says most, which is the one whose shortest string is the longest.
PlacedClause* best_clause(std::vector<PlacedClause>& clauses) {
  const auto shortest = [](const Clause& clause) {
    std::size_t least = kLongest;
    for (const std::string& text : clause.any_of) least = std::min(least, text.size());
    return least;
  };
  PlacedClause* best = nullptr;
  for (PlacedClause& placed : clauses) {
    if (best == nullptr || shortest(placed.clause) > shortest(best->clause)) best = &placed;
  }
  return best;
}

/// Puts one clause of each branch of an alternation together: a match holds a string of one of
/// them. If one branch says nothing, nothing is known.
class BranchJoiner {
 public:
  /// Adds an alternative. Every alternative has to give a clause, which are united; where one has
  /// none, nothing is known of all.
  void add(Piece piece) {
    whole_ = larger(whole_, piece.whole);
    if (unknown_) return;
    PlacedClause exact{std::move(piece.strings), {}};
    PlacedClause* placed = &exact;
    if (!piece.exact) {
      exact_ = false;
      const bool prefix = piece.first_is_prefix && prefixes_;
      if (!prefix) prefixes_ = false;
      placed = prefix ? &piece.required[0] : best_clause(piece.required);
    }
    unknown_ = placed == nullptr ||
               all_.clause.any_of.size() + placed->clause.any_of.size() > kMostChoices;
    if (!unknown_) join(std::move(*placed));
  }

  /// What holds for all alternatives.
  Piece finish() {
    Piece piece;
    if (!unknown_ && exact_) {
      piece = exactly(std::move(all_.clause));
    } else if (!unknown_ && is_useful(all_.clause)) {
      piece.first_is_prefix = prefixes_;
      piece.required.push_back(std::move(all_));
    }
    piece.whole = whole_;
    return piece;
  }

 private:
  /// Unites the clause with those of the alternatives before.
  void join(PlacedClause placed) {
    Clause& all = all_.clause;
    agree_on_case(all, placed.clause);
    all.any_of.insert(all.any_of.end(), placed.clause.any_of.begin(), placed.clause.any_of.end());
    all_.before = larger(all_.before, placed.before);
  }

  PlacedClause all_;
  Extent whole_;
  bool exact_ = true;
  bool prefixes_ = true;
  bool unknown_ = false;
};

Piece of_alternate(const Node& node) {
  BranchJoiner joiner;
  for (const Node& child : node.children) joiner.add(piece_of(child));
  return joiner.finish();
}

/// A repetition must contain its body `min` times. Copies of the body are joined, so that (ab){3}
/// is known to be "ababab".
Piece of_repeat(const Node& node) {
  const Piece once = piece_of(node.children[0]);
  Joiner joiner;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(node.min, kLongest); ++i) {
    joiner.add(once);
  }
  if (node.min == 0 || node.min != node.max || node.min > kLongest) joiner.cut();
  Piece piece = node.min == 0 ? nothing_known() : joiner.finish();
  const std::size_t most = node.max == Node::kUnlimited ? Extent::kUnbounded : node.max;
  piece.whole = {product(once.whole.bytes, most), product(once.whole.line_feeds, most)};
  return piece;
}

Piece with_extent(Piece piece, const Extent& extent) {
  piece.whole = extent;
  return piece;
}

/// The strings that the node's matches contain, found from its children up.
Piece piece_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kEmpty:
    case Node::Kind::kLook:
      return exactly({{std::string()}, false});
    case Node::Kind::kLiteral:
      return with_extent(exactly({{node.bytes}, false}), extent_of_literal(node.bytes));
    case Node::Kind::kClass:
    case Node::Kind::kByteClass:
      return with_extent(of_class(node), extent_of_class(node));
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

/// Steps through everything that can be read from a program's start, in sets of instructions,
/// without regard to looks.
class LeadingBytes {
 public:
  explicit LeadingBytes(const Program& program)
      : program_(program), seen_(program.insts.size(), 0) {}

  /// The sets of bytes that the first, second, ... byte of a match may be, at most `most`; stops
  /// where a match may end.
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
  /// Fills `readers_` with the instructions that read the next byte. Returns false if a match may
  /// end here.
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

/// Walks the tree once; time grows with its size, as clauses have a limit. A clause is a set of
/// strings of which each match contains one.
PatternLiterals required_literals(const Node& root) {
  Joiner joiner;
  joiner.add(piece_of(root));
  joiner.cut();
  Piece piece = joiner.finish();
  PatternLiterals literals;
  for (PlacedClause& placed : piece.required) {
    literals.required.clauses.push_back(std::move(placed.clause));
    literals.before.push_back(placed.before);
  }
  literals.first_is_prefix = piece.first_is_prefix;
  literals.whole = piece.whole;
  return literals;
}

std::vector<std::bitset<256>> leading_bytes(const Program& program, std::size_t most) {
  return LeadingBytes(program).run(most);
}

}  // namespace presso::scan_detail
