// SPDX-License-Identifier: MIT
#include "scan/regex/regex_matcher.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "scan/line_scan.h"
#include "scan/regex/lazy_dfa.h"
#include "scan/regex/line_counter.h"
#include "scan/regex/line_dfa_builder.h"
#include "scan/regex/pike.h"
#include "scan/regex/prefilter.h"

namespace presso::scan_detail {
namespace {

/// What a thread's searchers share. What only some searches need is made when one first does.
class Automata {
 public:
  Automata(Node root, const PatternOptions& options, Program forward)
      : root_(std::move(root)), options_(options), forward_(std::move(forward)) {
    PatternLiterals literals = required_literals(root_);
    if (options.engine == Engine::kAuto) prefilter_ = plan_prefilter(literals, forward_);
    required_ = std::move(literals.required);
  }

  const Program& forward() const { return forward_; }
  const PrefilterPlan& prefilter() const { return prefilter_; }
  const RequiredLiterals& required() const { return required_; }
  bool only_nfa() const { return options_.engine == Engine::kNfa; }
  const Node& root() const { return root_; }

  std::string describe() const {
    std::string text = "regular expression: ";
    if (only_nfa()) return text + "an NFA";
    text += prefilter_.literals
                ? "lines around strings that matches hold (" + prefilter_.literals->describe() + ")"
            : prefilter_.pair     ? "lines around two rare bytes of a match's begin"
            : prefilter_.sequence ? "lines around bytes like those that a match begins with"
                                  : "all text";
    return text + ", by a DFA that is made while it reads";
  }

  Result<Program> with_captures() const {
    ProgramOptions captures;
    captures.captures = true;
    captures.crlf = options_.crlf;
    captures.max_bytes = options_.max_bytes;
    return compile_program(root_, captures);
  }

  /// nullptr where it would be too large.
  const Program* backward() const {
    std::call_once(backward_once_, [&] {
      ProgramOptions reverse;
      reverse.reverse = true;
      reverse.crlf = options_.crlf;
      reverse.max_bytes = options_.max_bytes;
      Result<Program> made = compile_program(root_, reverse);
      if (made.ok()) backward_ = std::make_unique<const Program>(std::move(*made));
    });
    return backward_.get();
  }

  /// nullptr where the pattern has none.
  const LineCounter* counter() const {
    std::call_once(counter_once_, [&] {
      if (only_nfa()) return;
      const std::optional<LineDfa> dfa = make_line_dfa(forward_);
      if (dfa) counter_ = std::make_unique<const LineCounter>(*dfa);
    });
    return counter_.get();
  }

 private:
  Node root_;
  PatternOptions options_;
  Program forward_;
  PrefilterPlan prefilter_;
  RequiredLiterals required_;
  mutable std::once_flag backward_once_;
  mutable std::unique_ptr<const Program> backward_;
  mutable std::once_flag counter_once_;
  mutable std::unique_ptr<const LineCounter> counter_;
};

/// Whether a prefilter is worth its candidates, judged by those it has found so far.
class Worth {
 public:
  bool holds() const { return holds_; }
  void note(std::size_t candidates, std::size_t bytes) {
    candidates_ += candidates;
    bytes_ += bytes;
    if (candidates_ > 64 && candidates_ * kBytesWorthOne > bytes_) holds_ = false;
  }

 private:
  static constexpr std::size_t kBytesWorthOne = 48;

  std::size_t candidates_ = 0;
  std::size_t bytes_ = 0;
  bool holds_ = true;
};

class RegexSearcher final : public Searcher {
 public:
  RegexSearcher(const Automata& automata, CpuLevel level)
      : automata_(automata),
        ends_(automata.forward(), Determinizer::Mode::kFirst),
        exists_(automata.forward(), Determinizer::Mode::kExists),
        nfa_(automata.forward()) {
    if (automata.prefilter().exists()) prefilter_.emplace(automata.prefilter(), level);
  }

  void start(Bytes text) override {
    text_ = text;
    candidates_ = 0;
    use_prefilter_ = prefilter_ && worth_.holds();
    if (use_prefilter_) prefilter_->start(text);
  }

  std::optional<MatchSpan> next(std::size_t from) override {
    if (!use_prefilter_) return find(from, text_.size());
    while (from < text_.size()) {
      const Window window = next_window(from);
      if (window.begin >= text_.size()) break;
      const auto found = find(window.begin, window.end);
      if (found) return found;
      from = window.next;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> count_lines() override {
    if (automata_.only_nfa()) return std::nullopt;
    const bool filtered = use_prefilter_;
    const std::size_t found = filtered ? count_filtered() : count_all();
    if (filtered) worth_.note(candidates_, text_.size());
    return found;
  }

 private:
  /// What of a line is to be read for a candidate, and where to look for the next one. Its end is
  /// its '\n'.
  struct Window {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t next = 0;
  };

  Window next_window(std::size_t from) {
    const std::size_t candidate = prefilter_->next(from);
    if (candidate >= text_.size()) return {text_.size(), text_.size(), text_.size()};
    ++candidates_;
    const bool exact = automata_.prefilter().begins_match;
    const std::size_t begin = exact ? candidate : line_begin(text_, from, candidate);
    return window_from(begin, candidate);
  }
  Window window_from(std::size_t begin, std::size_t inside) const {
    const std::size_t next = line_end(text_, inside);
    const bool has_newline = next > 0 && text_[next - 1] == '\n' && next > inside;
    return {begin, has_newline ? next - 1 : next, next};
  }

  std::size_t count_filtered() {
    std::size_t found = 0;
    std::size_t from = 0;
    while (from < text_.size()) {
      const Window window = next_window(from);
      if (window.begin >= text_.size()) break;
      found += exists_in(window) ? 1 : 0;
      from = window.next;
    }
    return found;
  }

  std::size_t count_all() {
    if (const LineCounter* counter = automata_.counter()) return counter->count(text_);
    std::size_t found = 0;
    std::size_t from = 0;
    while (from < text_.size()) {
      const DfaAnswer answer = exists_.find_end(text_, from, text_.size());
      if (answer.kind == DfaAnswer::Kind::kNone) break;
      const std::size_t inside = std::min(answer.at, text_.size() - 1);
      const Window line = window_from(std::max(from, line_begin(text_, from, inside)), inside);
      const bool quit = answer.kind == DfaAnswer::Kind::kQuit;
      if (!quit || nfa_.find(text_, line.begin, line.end)) ++found;
      from = line.next;
    }
    return found;
  }

  bool exists_in(const Window& window) {
    const DfaAnswer answer = exists_.find_end(text_, window.begin, window.end);
    if (answer.kind != DfaAnswer::Kind::kQuit) return answer.kind == DfaAnswer::Kind::kAt;
    return nfa_.find(text_, window.begin, window.end).has_value();
  }

  /// The leftmost match in [begin, end].
  std::optional<MatchSpan> find(std::size_t begin, std::size_t end) {
    while (begin <= end) {
      if (automata_.only_nfa()) return nfa_.find(text_, begin, end);
      const DfaAnswer last = ends_.find_end(text_, begin, end);
      if (last.kind == DfaAnswer::Kind::kNone) return std::nullopt;
      if (last.kind == DfaAnswer::Kind::kAt) {
        if (const auto first = find_begin(begin, last.at)) return MatchSpan{*first, last.at};
      }
      // An automaton declined: this line is the NFA engine's.
      const std::size_t inside = std::min(last.at, text_.empty() ? 0 : text_.size() - 1);
      const Window line = window_from(std::max(begin, line_begin(text_, begin, inside)), inside);
      if (const auto found = nfa_.find(text_, line.begin, line.end)) return found;
      if (line.next <= begin) return std::nullopt;
      begin = line.next;
    }
    return std::nullopt;
  }

  /// Of the match that ends at `end`.
  std::optional<std::size_t> find_begin(std::size_t floor, std::size_t end) {
    if (!begins_) {
      const Program* const backward = automata_.backward();
      if (backward == nullptr) return std::nullopt;
      begins_.emplace(*backward, Determinizer::Mode::kLongest);
    }
    const DfaAnswer answer = begins_->find_begin(text_, floor, end);
    if (answer.kind != DfaAnswer::Kind::kAt) return std::nullopt;
    return answer.at;
  }

  const Automata& automata_;
  Bytes text_;
  LazyDfa ends_;
  LazyDfa exists_;
  std::optional<LazyDfa> begins_;
  PikeEngine nfa_;
  std::optional<Prefilter> prefilter_;
  Worth worth_;
  std::size_t candidates_ = 0;
  bool use_prefilter_ = false;
};

void gather_names(const Node& node, std::map<std::string, std::size_t, std::less<>>& names,
                  std::size_t& groups) {
  if (node.kind == Node::Kind::kGroup) {
    groups = std::max<std::size_t>(groups, node.capture);
    if (!node.name.empty()) names.emplace(node.name, node.capture);
  }
  for (const Node& child : node.children) gather_names(child, names, groups);
}

/// The NFA engine with captures, run from where a match is known to begin.
class RegexGroups final : public GroupFinder {
 public:
  RegexGroups(const Node& root, Program program) : program_(std::move(program)), engine_(program_) {
    std::size_t groups = 0;
    gather_names(root, names_, groups);
    found_.resize(groups + 1);
  }

  std::optional<std::size_t> number_of(std::string_view name) const override {
    const auto found = names_.find(name);
    if (found == names_.end()) return std::nullopt;
    return found->second;
  }

  std::span<const std::optional<MatchSpan>> groups(Bytes line, const MatchSpan& match) override {
    const std::size_t end = !line.empty() && line.back() == '\n' ? line.size() - 1 : line.size();
    std::fill(found_.begin(), found_.end(), std::nullopt);
    if (!engine_.find(line, match.begin, end, true)) return found_;
    const std::vector<std::size_t>& slots = engine_.slots();
    for (std::size_t i = 0; i < found_.size() && 2 * i + 1 < slots.size(); ++i) {
      if (slots[2 * i + 1] == PikeEngine::kNowhere) continue;
      found_[i] = MatchSpan{slots[2 * i], slots[2 * i + 1]};
    }
    return found_;
  }

 private:
  const Program program_;
  PikeEngine engine_;
  std::map<std::string, std::size_t, std::less<>> names_;
  std::vector<std::optional<MatchSpan>> found_;
};

class RegexMatcher final : public Matcher {
 public:
  RegexMatcher(Node root, const PatternOptions& options, Program forward)
      : automata_(std::move(root), options, std::move(forward)) {}

  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    return std::make_unique<RegexSearcher>(automata_, level);
  }
  std::unique_ptr<GroupFinder> group_finder() const override {
    Result<Program> program = automata_.with_captures();
    if (!program.ok()) return nullptr;
    return std::make_unique<RegexGroups>(automata_.root(), std::move(*program));
  }
  RequiredLiterals required() const override { return automata_.required(); }
  std::optional<LineAutomaton> line_automaton(std::size_t max_states) const override {
    std::optional<LineDfa> dfa = make_line_dfa(automata_.forward(), limits_of(max_states));
    if (!dfa) return std::nullopt;
    return LineAutomaton{std::move(*dfa)};
  }
  std::string describe() const override { return automata_.describe(); }

 private:
  Automata automata_;
};

}  // namespace

Result<std::shared_ptr<const Matcher>> make_regex_matcher(Node root,
                                                          const PatternOptions& options) {
  ProgramOptions forward;
  forward.crlf = options.crlf;
  forward.max_bytes = options.max_bytes;
  PRESSO_ASSIGN(Program program, compile_program(root, forward));
  return std::shared_ptr<const Matcher>(
      std::make_shared<RegexMatcher>(std::move(root), options, std::move(program)));
}

}  // namespace presso::scan_detail
