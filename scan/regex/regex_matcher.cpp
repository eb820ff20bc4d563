// SPDX-License-Identifier: MIT
#include "scan/regex/regex_matcher.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "scan/automaton/line_dfa.h"
#include "scan/matching/line_scan.h"
#include "scan/matching/null_data.h"
#include "scan/regex/bitset_engine.h"
#include "scan/regex/lazy_dfa.h"
#include "scan/regex/line_counter.h"
#include "scan/regex/pike.h"
#include "scan/regex/prefilter.h"
#include "scan/regex/spanning_windows.h"

namespace presso::scan_detail {
namespace {

/// What a thread's searchers share. What only some searches need is made when one first does.
class Automata {
 public:
  Automata(Node root, const PatternOptions& options, Program forward, bool spans_lines)
      : root_(std::move(root)),
        options_(options),
        forward_(std::move(forward)),
        spans_lines_(spans_lines) {
    PatternLiterals literals = required_literals(root_);
    const bool filtered = options.engine == Engine::kAuto;
    if (filtered && spans_lines) spanning_ = plan_spanning(literals);
    if (filtered && spanning_.strings.empty()) prefilter_ = plan_prefilter(literals, forward_);
    // Blocks are left out by lines only.
    if (!spans_lines) required_ = std::move(literals.required);
  }

  const Program& forward() const { return forward_; }
  const PrefilterPlan& prefilter() const { return prefilter_; }
  const SpanningPlan& spanning() const { return spanning_; }
  const RequiredLiterals& required() const { return required_; }
  Engine engine() const { return options_.engine; }
  bool only_nfa() const { return options_.engine == Engine::kNfa; }
  bool spans_lines() const { return spans_lines_; }
  bool null_data() const { return options_.null_data; }
  const Node& root() const { return root_; }

  std::string describe() const {
    std::string text = "regular expression: ";
    if (spans_lines_) text = "regular expression across lines: ";
    if (only_nfa()) return text + "an NFA";
    if (spans_lines_) {
      text += describe_spanning();
      return text + ", by a DFA that is made while it reads";
    }
    if (engine() == Engine::kBitset) {
      return text + "sets of " + std::to_string(bits()->positions) + " positions as bits";
    }
    text += !prefilter_.literals.empty()
                ? "lines around strings that matches hold (" + describe_literals() + ")"
            : prefilter_.pair     ? "lines around two rare bytes of a match's begin"
            : prefilter_.sequence ? "lines around bytes like those that a match begins with"
                                  : "all text";
    return text + ", by a DFA that is made while it reads";
  }

  Result<Program> of_each(std::span<const Node> patterns) const {
    ProgramOptions each;
    each.crlf = options_.crlf;
    each.max_bytes = options_.max_bytes;
    return compile_program(patterns, each);
  }

  std::string describe_spanning() const {
    if (spanning_.strings.empty()) {
      return prefilter_.exists() ? "as far as a prefilter finds candidates" : "all text";
    }
    return std::string(spanning_.whole.is_bounded() ? "around" : "as far as there are") +
           " strings that matches hold";
  }

  std::string describe_literals() const {
    std::string text;
    for (const PrefilterPlan::Literals& literals : prefilter_.literals) {
      text += (text.empty() ? "" : ", and ") + literals.matcher->describe();
    }
    return text;
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

  /// nullptr where it would be too large, or another engine was asked for.
  const BitAutomaton* bits() const {
    std::call_once(bits_once_, [&] {
      if (engine() != Engine::kAuto && engine() != Engine::kBitset) return;
      Result<BitAutomaton> made = make_bit_automaton(forward_, options_.max_bytes);
      if (!made.ok()) {
        bits_error_ = std::move(made.error());
        return;
      }
      bits_ = std::make_unique<const BitAutomaton>(std::move(*made));
    });
    return bits_.get();
  }
  /// Why bits() is nullptr.
  const Error& bits_error() const { return bits_error_; }

  /// nullptr where the pattern has none.
  const LineCounter* counter() const {
    std::call_once(counter_once_, [&] {
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
  SpanningPlan spanning_;
  RequiredLiterals required_;
  bool spans_lines_;
  mutable std::once_flag backward_once_;
  mutable std::unique_ptr<const Program> backward_;
  mutable std::once_flag bits_once_;
  mutable std::unique_ptr<const BitAutomaton> bits_;
  mutable Error bits_error_;
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
        ends_(automata.forward(), Determinizer::Mode::kFirst, LazyDfa::kDefaultLimit,
              automata.spans_lines()),
        exists_(automata.forward(), Determinizer::Mode::kExists),
        nfa_(automata.forward()) {
    if (automata.prefilter().exists()) prefilter_.emplace(automata.prefilter(), level);
    if (!automata.spanning().strings.empty()) windows_.emplace(automata.spanning(), level);
    ends_.may_give_up(automata.engine() == Engine::kAuto);
    exists_.may_give_up(automata.engine() == Engine::kAuto);
    if (automata.engine() == Engine::kBitset) use_bits();
  }

  void start(Bytes text) override {
    text_ = text;
    candidates_ = 0;
    candidate_ = 0;
    asked_from_ = 0;
    use_prefilter_ = prefilter_ && worth_.holds();
    if (use_prefilter_) prefilter_->start(text);
    if (windows_) windows_->start(text);
    if (bits_) bits_->start(text);
  }

  std::optional<MatchSpan> next(std::size_t from) override {
    if (windows_) return next_in_windows(from);
    if (!use_prefilter_) return find(from, text_.size());
    if (automata_.spans_lines()) return next_across_lines(from);
    while (from < text_.size()) {
      const Window window = next_window(from);
      if (window.begin >= text_.size()) break;
      if (prefilter_->may_match(window.begin, window.end)) {
        if (const auto found = find(window.begin, window.end)) return found;
      }
      from = window.next;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> count_lines() override {
    if (automata_.only_nfa()) return std::nullopt;
    const bool filtered = use_prefilter_;
    const std::size_t found = filtered ? count_filtered() : count_all();
    if (filtered && prefilter_->is_settled()) worth_.note(candidates_, text_.size());
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

  /// `from` may decrease here. Without a candidate there is no match; where candidates are begins,
  /// none lies before the first.
  std::optional<MatchSpan> next_across_lines(std::size_t from) {
    if (from < asked_from_) {
      prefilter_->start(text_);
      candidate_ = 0;
    }
    asked_from_ = from;
    if (candidate_ < from || candidate_ == 0) candidate_ = prefilter_->next(from);
    if (candidate_ >= text_.size()) return std::nullopt;
    return find(prefilter_->begins_match() ? candidate_ : from, text_.size());
  }

  std::optional<MatchSpan> next_in_windows(std::size_t from) {
    while (const std::optional<SpanningWindows::Window> window = windows_->next(from)) {
      const bool may = windows_->may_match(*window);
      const auto found = may ? find(window->begin, window->end) : std::nullopt;
      // Of one that begins behind the candidate the window may not hold all.
      const bool trusted = found && found->begin <= window->last;
      const std::size_t next = trusted ? found->end : found ? window->last + 1 : window->next;
      windows_->note(next - from, trusted ? found->end - window->begin
                                  : may   ? window->end - window->begin
                                          : 0);
      if (trusted) return found;
      from = next;
      if (from >= text_.size()) break;
    }
    return std::nullopt;
  }

  Window next_window(std::size_t from) {
    const std::size_t candidate = prefilter_->next(from);
    if (candidate >= text_.size()) return {text_.size(), text_.size(), text_.size()};
    ++candidates_;
    const std::size_t begin =
        prefilter_->begins_match() ? candidate : line_begin(text_, from, candidate);
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
      const bool may = prefilter_->may_match(window.begin, window.end);
      found += may && exists_in(window) ? 1 : 0;
      from = window.next;
    }
    return found;
  }

  std::size_t count_all() {
    if (!only_bits()) {
      if (const LineCounter* counter = automata_.counter()) return counter->count(text_);
    }
    std::size_t found = 0;
    std::size_t from = 0;
    while (from < text_.size()) {
      const DfaAnswer answer = first_end(from);
      if (answer.kind == DfaAnswer::Kind::kNone) break;
      const std::size_t inside = std::min(answer.at, text_.size() - 1);
      const Window line = window_from(std::max(from, line_begin(text_, from, inside)), inside);
      const bool quit = answer.kind == DfaAnswer::Kind::kQuit;
      if (!quit || exists_where_declined(exists_, line)) ++found;
      from = line.next;
    }
    return found;
  }

  /// Where a match could be known to exist, from `from` on.
  DfaAnswer first_end(std::size_t from) {
    using Kind = DfaAnswer::Kind;
    if (!only_bits()) return exists_.find_end(text_, from, text_.size());
    const std::optional<std::size_t> end = bits_->first_end(from, text_.size());
    return end ? DfaAnswer{Kind::kAt, *end} : DfaAnswer{};
  }

  bool exists_in(const Window& window) {
    if (only_bits()) return bits_->first_end(window.begin, window.end).has_value();
    const DfaAnswer answer = exists_.find_end(text_, window.begin, window.end);
    if (answer.kind != DfaAnswer::Kind::kQuit) return answer.kind == DfaAnswer::Kind::kAt;
    return exists_where_declined(exists_, window);
  }

  /// The answers of the engines that decline nothing.
  bool exists_where_declined(LazyDfa& declined, const Window& line) {
    look_for_another(declined);
    if (bits_) return bits_->first_end(line.begin, line.end).has_value();
    return nfa_.find(text_, line.begin, line.end).has_value();
  }
  std::optional<MatchSpan> find_where_declined(LazyDfa& declined, const Window& line) {
    look_for_another(declined);
    return bits_ ? bits_->find(line.begin, line.end) : nfa_.find(text_, line.begin, line.end);
  }

  /// Where there are no bit sets an automaton that gave up has to go on.
  void look_for_another(LazyDfa& declined) {
    use_bits();
    if (!bits_) declined.may_give_up(false);
  }
  void use_bits() {
    if (bits_ || automata_.bits() == nullptr) return;
    bits_.emplace(*automata_.bits());
    bits_->start(text_);
  }
  /// From here on.
  bool only_bits() const {
    const bool asked = automata_.engine() == Engine::kBitset;
    return bits_ && (asked || ends_.gave_up() || exists_.gave_up());
  }

  /// The leftmost match in [begin, end].
  std::optional<MatchSpan> find(std::size_t begin, std::size_t end) {
    while (begin <= end) {
      if (automata_.only_nfa()) return nfa_.find(text_, begin, end);
      if (only_bits()) return bits_->find(begin, end);
      const DfaAnswer last = ends_.find_end(text_, begin, end);
      if (last.kind == DfaAnswer::Kind::kNone) return std::nullopt;
      const bool ended = last.kind == DfaAnswer::Kind::kAt;
      if (ended) {
        if (const auto first = find_begin(begin, last.at)) return MatchSpan{*first, last.at};
      }
      if (automata_.spans_lines()) return nfa_.find(text_, begin, end);
      // An automaton declined this line.
      const std::size_t inside = std::min(last.at, text_.empty() ? 0 : text_.size() - 1);
      const Window line = window_from(std::max(begin, line_begin(text_, begin, inside)), inside);
      LazyDfa& declined = ended && begins_ ? *begins_ : ends_;
      if (const auto found = find_where_declined(declined, line)) return found;
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
      begins_->may_give_up(automata_.engine() == Engine::kAuto);
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
  std::optional<BitsetEngine> bits_;
  std::optional<Prefilter> prefilter_;
  std::optional<SpanningWindows> windows_;
  Worth worth_;
  std::size_t candidates_ = 0;
  std::size_t candidate_ = 0;  ///< the first behind asked_from_, across lines
  std::size_t asked_from_ = 0;
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
  /// `null_data`: the pattern's NUL bytes and line feeds are exchanged (scan/matching/null_data.h),
  /// those of reported lines are not.
  RegexGroups(const Node& root, Program program, bool null_data)
      : program_(std::move(program)), engine_(program_), null_data_(null_data) {
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
    std::fill(found_.begin(), found_.end(), std::nullopt);
    if (null_data_) {
      exchanged_.assign(line.begin(), line.end());
      exchange_nul_and_line_feed(exchanged_);
      line = exchanged_;
    }
    if (!engine_.find(line, match.begin, match.end, true)) return found_;
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
  const bool null_data_;
  std::vector<Byte> exchanged_;
  std::map<std::string, std::size_t, std::less<>> names_;
  std::vector<std::optional<MatchSpan>> found_;
};

/// Each pattern by itself, within the looks around all of them.
std::vector<Node> separate(const Node& root) {
  if (root.kind == Node::Kind::kAlternate) return root.children;
  std::vector<Node> patterns;
  for (const Node& child : root.children[1].children) {
    Node pattern;
    pattern.kind = Node::Kind::kConcat;
    pattern.children = {root.children[0], child, root.children[2]};
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

/// Asks the NFA engine about the text of a known match.
class RegexPatterns final : public PatternFinder {
 public:
  explicit RegexPatterns(Program program) : program_(std::move(program)), engine_(program_) {}

  std::uint32_t pattern_of(Bytes line, const MatchSpan& match) override {
    return engine_.find(line, match.begin, match.end, true) ? engine_.pattern() : 0;
  }

 private:
  const Program program_;
  PikeEngine engine_;
};

class RegexMatcher final : public Matcher {
 public:
  RegexMatcher(Node root, std::size_t patterns, const PatternOptions& options, Program forward,
               bool spans_lines)
      : automata_(std::move(root), options, std::move(forward), spans_lines), patterns_(patterns) {}

  /// The error of a pattern that is too large for the engine that was asked for.
  Status check() const {
    if (automata_.engine() != Engine::kBitset) return {};
    if (automata_.spans_lines()) {
      return make_error(ErrorCode::kInvalidArgument,
                        "the bitset engine searches within lines, not across them");
    }
    if (automata_.bits() == nullptr) return automata_.bits_error();
    return {};
  }

  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    return std::make_unique<RegexSearcher>(automata_, level);
  }
  std::unique_ptr<GroupFinder> group_finder() const override {
    Result<Program> program = automata_.with_captures();
    if (!program.ok()) return nullptr;
    return std::make_unique<RegexGroups>(automata_.root(), std::move(*program),
                                         automata_.null_data());
  }
  std::size_t pattern_count() const override { return patterns_; }
  std::unique_ptr<PatternFinder> pattern_finder() const override {
    if (patterns_ < 2) return nullptr;
    Result<Program> program = automata_.of_each(separate(automata_.root()));
    if (!program.ok()) return nullptr;
    return std::make_unique<RegexPatterns>(std::move(*program));
  }
  RequiredLiterals required() const override { return automata_.required(); }
  bool spans_lines() const override { return automata_.spans_lines(); }
  std::optional<LineAutomaton> line_automaton(std::size_t max_states) const override {
    if (automata_.spans_lines()) return std::nullopt;
    std::optional<LineDfa> dfa = make_line_dfa(automata_.forward(), {.states = max_states});
    if (!dfa) return std::nullopt;
    return LineAutomaton{std::move(*dfa)};
  }
  std::string describe() const override { return automata_.describe(); }

 private:
  Automata automata_;
  std::size_t patterns_;
};

}  // namespace

Result<std::shared_ptr<const Matcher>> make_regex_matcher(Node root, std::size_t patterns,
                                                          const PatternOptions& options,
                                                          bool spans_lines) {
  ProgramOptions forward;
  forward.crlf = options.crlf;
  forward.max_bytes = options.max_bytes;
  PRESSO_ASSIGN(Program program, compile_program(root, forward));
  auto matcher = std::make_shared<RegexMatcher>(std::move(root), patterns, options,
                                                std::move(program), spans_lines);
  PRESSO_TRY(matcher->check());
  return std::shared_ptr<const Matcher>(std::move(matcher));
}

}  // namespace presso::scan_detail
