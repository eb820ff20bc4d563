// SPDX-License-Identifier: MIT
// RegexSearcher: finds candidates, chooses the engine for the lines around them, and counts lines
// in the cheapest way.
#include "scan/regex/regex_searcher.h"

#include <algorithm>
#include <utility>

#include "scan/matching/line_scan.h"
#include "scan/regex/bitset_engine.h"
#include "scan/regex/lazy_dfa.h"
#include "scan/regex/pike.h"
#include "scan/regex/spanning_windows.h"

namespace presso::scan_detail {
namespace {

/// Decides whether a prefilter is worth its candidates, by the rate of those it has found so far:
/// it is given up for good once more than one comes in 48 bytes.
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

/// The search. Which engine answers may change while it runs (a prefilter that does not pay, an
/// automaton that gives up), but never the answer.
class RegexSearcher final : public Searcher {
 public:
  /// Every searcher has DFAs of its own, which grow while it reads; so one thread uses it.
  RegexSearcher(const RegexAutomata& automata, CpuLevel level)
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

  /// Takes another text. The states that the DFAs have made are kept.
  void start(Bytes text) override {
    text_ = text;
    candidates_ = 0;
    candidate_ = 0;
    asked_from_ = 0;
    known_from_ = known_end_ = 0;
    use_prefilter_ = prefilter_ && worth_.holds();
    if (use_prefilter_) prefilter_->start(text);
    if (windows_) windows_->start(text);
    if (bits_) bits_->start(text);
  }

  /// The leftmost match from `from` on. With a prefilter only lines with candidates are read.
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

  /// Counts in the cheapest way: by the prefilter, or the counter of lines. Returns nothing where
  /// the NFA alone may be used.
  std::optional<std::size_t> count_lines() override {
    if (automata_.only_nfa()) return std::nullopt;
    const bool filtered = use_prefilter_;
    const std::size_t found = filtered ? count_filtered() : count_all();
    if (filtered && prefilter_->is_settled()) worth_.note(candidates_, text_.size());
    return found;
  }

 private:
  /// The part of a line that is read for a candidate, up to its '\n', and where to look for the
  /// next candidate.
  struct Window {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t next = 0;
  };

  /// The next match where matches may span lines; `from` may decrease here. Without a candidate
  /// there is no match; if a match begins with its candidate, none begins before the first one.
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

  /// The next match for patterns across lines that have windows (spanning_windows.h).
  std::optional<MatchSpan> next_in_windows(std::size_t from) {
    while (const std::optional<SpanningWindows::Window> window = windows_->next(from)) {
      const bool may = windows_->may_match(*window);
      const auto found = may ? find(window->begin, window->end) : std::nullopt;
      // The window may not hold all of a match that begins after the candidate.
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

  /// The window around the next candidate; one at the end of the text if there is none.
  Window next_window(std::size_t from) {
    const std::size_t candidate = prefilter_->next(from);
    if (candidate >= text_.size()) return {text_.size(), text_.size(), text_.size()};
    ++candidates_;
    const std::size_t begin =
        prefilter_->begins_match() ? candidate : line_begin(text_, from, candidate);
    return window_from(begin, candidate);
  }
  Window window_from(std::size_t begin, std::size_t inside) {
    const std::size_t next = end_of_line(inside);
    const bool has_newline = next > 0 && text_[next - 1] == '\n' && next > inside;
    return {begin, has_newline ? next - 1 : next, next};
  }

  /// Answers as line_end() does, but it is looked for once for all candidates of a line, which may
  /// be all of the text.
  std::size_t end_of_line(std::size_t inside) {
    if (inside < known_from_ || inside >= known_end_) {
      known_from_ = inside;
      known_end_ = line_end(text_, inside);
    }
    return known_end_;
  }

  /// Counts matching lines among those that the prefilter finds.
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

  /// Counts matching lines of all the text: by the line counter if there is one, else by the
  /// automaton that only says whether there is a match.
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

  /// The first place at `from` or later at which it is known that a match exists.
  DfaAnswer first_end(std::size_t from) {
    using Kind = DfaAnswer::Kind;
    if (!only_bits()) return exists_.find_end(text_, from, text_.size());
    const std::optional<std::size_t> end = bits_->first_end(from, text_.size());
    return end ? DfaAnswer{Kind::kAt, *end} : DfaAnswer{};
  }

  /// Whether some match lies in the window; the bits or the NFA decide where the DFA declines.
  bool exists_in(const Window& window) {
    if (only_bits()) return bits_->first_end(window.begin, window.end).has_value();
    const DfaAnswer answer = exists_.find_end(text_, window.begin, window.end);
    if (answer.kind != DfaAnswer::Kind::kQuit) return answer.kind == DfaAnswer::Kind::kAt;
    return exists_where_declined(exists_, window);
  }

  /// Asks the engines that decline nothing.
  bool exists_where_declined(LazyDfa& declined, const Window& line) {
    look_for_another(declined);
    if (bits_) return bits_->first_end(line.begin, line.end).has_value();
    return nfa_.find(text_, line.begin, line.end).has_value();
  }
  std::optional<MatchSpan> find_where_declined(LazyDfa& declined, const Window& line) {
    look_for_another(declined);
    return bits_ ? bits_->find(line.begin, line.end) : nfa_.find(text_, line.begin, line.end);
  }

  /// Brings in bit sets after an automaton declined; without them an automaton that gave up has to
  /// go on.
  void look_for_another(LazyDfa& declined) {
    use_bits();
    if (!bits_) declined.may_give_up(false);
  }
  void use_bits() {
    if (bits_ || automata_.bits() == nullptr) return;
    bits_.emplace(*automata_.bits());
    bits_->start(text_);
  }
  /// Whether bit sets answer everything from here on.
  bool only_bits() const {
    const bool asked = automata_.engine() == Engine::kBitset;
    return bits_ && (asked || ends_.gave_up() || exists_.gave_up());
  }

  /// The leftmost match in [begin, end], by whichever engine answers at present.
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

  /// Where the match that ends at `end` begins; nullopt if the backward automaton declines or
  /// cannot be made.
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

  const RegexAutomata& automata_;
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
  std::size_t candidate_ = 0;  ///< the first from asked_from_ on, across lines
  std::size_t asked_from_ = 0;
  std::size_t known_from_ = 0;  ///< the line that holds text_[known_from_] ends at known_end_
  std::size_t known_end_ = 0;
  bool use_prefilter_ = false;
};

}  // namespace

std::unique_ptr<Searcher> make_regex_searcher(const RegexAutomata& automata, CpuLevel level) {
  return std::make_unique<RegexSearcher>(automata, level);
}

}  // namespace presso::scan_detail
