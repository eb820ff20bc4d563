// SPDX-License-Identifier: MIT
// Compiles the parser's tree into a program (Thompson's construction, 1968). It works from the end
// of the pattern to its beginning: a piece is compiled when it is known what follows it, so that
// only loops have to be closed afterwards, and equal tails of characters are shared. Counted
// repetitions are written out, so a program can be far larger than its pattern; `max_bytes` limits
// it. The recursion is as deep as groups are nested, which the parser limits.
#include <algorithm>
#include <bitset>
#include <map>
#include <memory>
#include <utility>

#include "scan/automaton/code_automaton.h"
#include "scan/automaton/program.h"

namespace presso::scan_detail {
namespace {

/// Compiles one program and is used up by that. Once `too_large_` is set the remaining pieces are
/// skipped and compile() returns the error.
class Compiler {
 public:
  explicit Compiler(const ProgramOptions& options) : options_(options) {
    program_.reversed = options.reverse;
  }

  /// Compiles the roots as alternatives, the first one preferred; alternative i ends in a kMatch
  /// with the number i. Error kInvalidArgument: the program would exceed max_bytes.
  Result<Program> compile(std::span<const Node> roots) {
    std::vector<InstId> starts;
    for (const Node& root : roots) {
      InstId end =
          add({.op = Inst::Op::kMatch, .first = static_cast<std::uint32_t>(starts.size())});
      if (options_.captures) end = save(1, end);
      starts.push_back(piece(root, end));
    }
    InstId start = starts.size() == 1 ? starts[0] : split(starts);
    if (options_.captures) start = save(0, start);
    program_.start = start;
    program_.unanchored = unanchored(start);
    if (too_large_) {
      return make_error(ErrorCode::kInvalidArgument,
                        "the pattern is too large once its repetitions are written out: lower "
                        "their counts, or turn Unicode off where ASCII will do");
    }
    set_classes();
    return std::move(program_);
  }

 private:
  /// Compiles `node` so that it goes on to `next`, and returns the instruction at which it begins.
  /// When reading in reverse, `next` stands before the node in the text.
  InstId piece(const Node& node, InstId next) {
    if (too_large_) return next;
    switch (node.kind) {
      case Node::Kind::kEmpty:
        return next;
      case Node::Kind::kLiteral:
        return literal(node, next);
      case Node::Kind::kClass:
        return code_class(node, next);
      case Node::Kind::kByteClass:
        return byte_class(node, next);
      case Node::Kind::kLook:
        return look(node.look, next);
      case Node::Kind::kRepeat:
        return repeat(node, next);
      case Node::Kind::kGroup:
        return group(node, next);
      case Node::Kind::kConcat:
        return concat(node, next);
      case Node::Kind::kAlternate:
        return alternate(node, next);
    }
    return next;
  }

  /// Appends an instruction and checks the size limit.
  InstId add(Inst inst) {
    if (bytes_used() > options_.max_bytes) too_large_ = true;
    program_.insts.push_back(inst);
    return static_cast<InstId>(program_.insts.size() - 1);
  }
  std::size_t bytes_used() const {
    return program_.insts.size() * sizeof(Inst) + program_.targets.size() * sizeof(InstId) +
           program_.transitions.size() * sizeof(Transition);
  }

  InstId save(std::uint32_t slot, InstId next) {
    program_.slots = std::max(program_.slots, slot + 1);
    return add({.op = Inst::Op::kSave, .next = next, .first = slot});
  }

  /// Adds an instruction that reads one byte, and notes where classes of bytes must be cut for it.
  InstId bytes(std::span<const Transition> transitions) {
    Inst inst{.op = Inst::Op::kBytes};
    inst.first = static_cast<std::uint32_t>(program_.transitions.size());
    inst.count = static_cast<std::uint32_t>(transitions.size());
    program_.transitions.insert(program_.transitions.end(), transitions.begin(), transitions.end());
    for (const Transition& transition : transitions) {
      cut_before_.set(transition.low);
      cut_before_.set(transition.high + 1u);
    }
    return add(inst);
  }
  InstId one_byte(Byte low, Byte high, InstId next) {
    const Transition transition{low, high, next};
    return bytes({&transition, 1});
  }

  /// A choice among `targets`, in order of preference.
  InstId split(std::span<const InstId> targets) {
    const InstId id = open_split(targets.size());
    std::copy(targets.begin(), targets.end(), program_.targets.begin() + program_.insts[id].first);
    return id;
  }
  /// A choice whose targets are set later, by close_split(), because the loop's body has to know
  /// the choice's number first.
  InstId open_split(std::size_t count) {
    Inst inst{.op = Inst::Op::kSplit};
    inst.first = static_cast<std::uint32_t>(program_.targets.size());
    inst.count = static_cast<std::uint32_t>(count);
    program_.targets.resize(program_.targets.size() + count);
    return add(inst);
  }
  /// Sets both targets of a loop's choice: into `body` again, or on to `next`. A greedy loop
  /// prefers the body.
  void close_split(InstId id, InstId body, InstId next, bool greedy) {
    InstId* const targets = program_.targets.data() + program_.insts[id].first;
    targets[0] = greedy ? body : next;
    targets[1] = greedy ? next : body;
  }
  InstId optional(InstId body, InstId next, bool greedy) {
    const InstId id = open_split(2);
    close_split(id, body, next, greedy);
    return id;
  }

  InstId literal(const Node& node, InstId next) {
    const auto step = [&](char c) {
      const auto byte = static_cast<Byte>(c);
      next = one_byte(byte, byte, next);
    };
    if (options_.reverse) {
      std::for_each(node.bytes.begin(), node.bytes.end(), step);
    } else {
      std::for_each(node.bytes.rbegin(), node.bytes.rend(), step);
    }
    return next;
  }

  InstId byte_class(const Node& node, InstId next) {
    std::vector<Transition> transitions;
    for (const CodeRange& range : node.ranges) {
      transitions.push_back({static_cast<Byte>(range.low), static_cast<Byte>(range.high), next});
    }
    return bytes(transitions);
  }

  /// Copies the automaton of the class into the program. The automaton is made once for each
  /// distinct class of the pattern, but its instructions are copied for each place, since each
  /// leads to another `next`.
  InstId code_class(const Node& node, InstId next) {
    const CodeAutomaton& automaton = automaton_of(node.ranges);
    std::vector<InstId> placed;
    for (const CodeAutomaton::State& state : automaton.states) {
      std::vector<Transition> transitions;
      for (const CodeAutomaton::Edge& edge : state) {
        const bool ends = edge.to == CodeAutomaton::kEnd;
        transitions.push_back({edge.low, edge.high, ends ? next : placed[edge.to]});
      }
      placed.push_back(bytes(transitions));
    }
    std::vector<InstId> begins;
    for (const std::uint32_t state : automaton.begins) begins.push_back(placed[state]);
    return begins.size() == 1 ? begins[0] : split(begins);
  }

  const CodeAutomaton& automaton_of(const std::vector<CodeRange>& ranges) {
    std::vector<CodePoint> key;
    for (const CodeRange& range : ranges) key.insert(key.end(), {range.low, range.high});
    const auto [place, is_new] = automata_.try_emplace(std::move(key));
    if (is_new) place->second = make_code_automaton(ranges, options_.reverse);
    return place->second;
  }

  /// Adds the test of a look. With crlf, `$` may also stand before "\r\n": then an optional '\r' is
  /// read as a part of the look, and cut_at_return() takes it off the match later.
  InstId look(Look look, InstId next) {
    program_.looks |= look_bit(look);
    InstId id = add({.op = Inst::Op::kLook, .look = look, .next = next});
    const bool may_follow_return = options_.crlf && look == Look::kLineEnd;
    if (!may_follow_return) return id;
    if (options_.reverse) {  // read from the line's end: the place, then perhaps '\r'
      const InstId carriage = one_byte('\r', '\r', next);
      const InstId either = optional(carriage, next, false);
      program_.insts[id].next = either;
      return id;
    }
    return optional(one_byte('\r', '\r', id), id, false);
  }

  InstId concat(const Node& node, InstId next) {
    if (options_.reverse) {
      for (const Node& child : node.children) next = piece(child, next);
    } else {
      for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
        next = piece(*child, next);
      }
    }
    return next;
  }

  InstId alternate(const Node& node, InstId next) {
    std::vector<InstId> targets;
    for (const Node& child : node.children) targets.push_back(piece(child, next));
    return split(targets);
  }

  InstId group(const Node& node, InstId next) {
    const Node& inside = node.children[0];
    if (!options_.captures) return piece(inside, next);
    return save(2 * node.capture, piece(inside, save(2 * node.capture + 1, next)));
  }

  /// x{min,max}. An unlimited repetition becomes min - 1 copies and a loop; a limited one becomes
  /// copies that may each be skipped.
  InstId repeat(const Node& node, InstId next) {
    const Node& body = node.children[0];
    if (node.max == Node::kUnlimited) {
      next = node.min == 0 ? star(body, node.greedy, next) : plus(body, node.greedy, next);
      return copies(body, node.min == 0 ? 0 : node.min - 1, next);
    }
    const InstId after = next;
    for (std::uint32_t i = node.min; i < node.max && !too_large_; ++i) {
      next = optional(piece(body, next), after, node.greedy);
    }
    return copies(body, node.min, next);
  }

  InstId copies(const Node& body, std::uint32_t count, InstId next) {
    for (std::uint32_t i = 0; i < count && !too_large_; ++i) next = piece(body, next);
    return next;
  }

  /// x+: the body, then the choice to enter it again.
  InstId plus(const Node& body, bool greedy, InstId next) {
    const InstId again = open_split(2);
    const InstId first = piece(body, again);
    close_split(again, first, next, greedy);
    return first;
  }

  /// x*. If the body can match the empty string, it must not be entered again from its own end
  /// without reading, which would be an endless loop: (x*)* is compiled as ((x*)+)?, an optional
  /// loop of at least one turn, which keeps the order of preference.
  InstId star(const Node& body, bool greedy, InstId next) {
    if (is_nullable(body)) return optional(plus(body, greedy, next), next, greedy);
    const InstId again = open_split(2);
    close_split(again, piece(body, again), next, greedy);
    return again;
  }

  /// A start from which a match may begin at any place: a lazy loop over all bytes before the
  /// pattern.
  InstId unanchored(InstId start) {
    const InstId again = open_split(2);
    const InstId any = one_byte(0, 255, again);
    close_split(again, start, any, true);
    return again;
  }

  /// Numbers the classes of bytes that no transition and no look of the program tells apart. All
  /// tables of the engines are indexed by them, so fewer classes mean smaller tables.
  void set_classes() {
    if ((program_.looks & kWordLooks) != 0) {
      for (unsigned byte = 1; byte < 128; ++byte) {
        if (is_word(byte) != is_word(byte - 1)) cut_before_.set(byte);
      }
      cut_before_.set(128);
    }
    cut_before_.set('\n');
    cut_before_.set('\n' + 1);
    std::uint32_t number = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (byte > 0 && cut_before_.test(byte)) ++number;
      program_.class_of[byte] = static_cast<Byte>(number);
    }
    program_.classes = number + 1;
  }
  ProgramOptions options_;
  Program program_;
  std::bitset<257> cut_before_;
  std::map<std::vector<CodePoint>, CodeAutomaton> automata_;
  bool too_large_ = false;
};

bool all_nullable(const Node& node) {
  return std::all_of(node.children.begin(), node.children.end(), is_nullable);
}

}  // namespace

// Instructions have few transitions mostly, where a linear search is faster than a binary one.
const Transition* Program::transition_on(const Inst& inst, Byte byte) const {
  const Transition* const begin = transitions.data() + inst.first;
  const Transition* const end = begin + inst.count;
  const Transition* const found =
      inst.count <= 8
          ? std::find_if(begin, end, [&](const Transition& t) { return t.high >= byte; })
          : std::lower_bound(begin, end, byte,
                             [](const Transition& t, Byte wanted) { return t.high < wanted; });
  return found != end && found->low <= byte ? found : nullptr;
}

// Looks count as empty: they read nothing. The answer is about the tree alone, not about any text.
bool is_nullable(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kEmpty:
    case Node::Kind::kLook:
      return true;
    case Node::Kind::kLiteral:
    case Node::Kind::kClass:
    case Node::Kind::kByteClass:
      return false;
    case Node::Kind::kRepeat:
      return node.min == 0 || all_nullable(node);
    case Node::Kind::kGroup:
    case Node::Kind::kConcat:
      return all_nullable(node);
    case Node::Kind::kAlternate:
      return std::any_of(node.children.begin(), node.children.end(), is_nullable);
  }
  return false;
}

Result<Program> compile_program(const Node& root, const ProgramOptions& options) {
  return Compiler(options).compile({&root, 1});
}

Result<Program> compile_program(std::span<const Node> roots, const ProgramOptions& options) {
  return Compiler(options).compile(roots);
}

}  // namespace presso::scan_detail
