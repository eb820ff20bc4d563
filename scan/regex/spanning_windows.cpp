// SPDX-License-Identifier: MIT
// SpanningWindows: samples the text, chooses strings, and makes windows around them as large as a
// match can be.
#include "scan/regex/spanning_windows.h"

#include <algorithm>

#include "scan/matching/line_scan.h"

namespace presso::scan_detail {
namespace {

/// A set of strings with more candidates than one in this many bytes costs more than the automaton
/// that reads everything.
constexpr std::size_t kBytesWorthACandidate = 48;
/// Limits in bytes are used up to here; beyond, limits in lines make smaller windows.
constexpr std::size_t kNear = std::size_t{4} << 10;
/// How many bytes more than the search advanced may be read in windows before they are given up.
constexpr std::size_t kReadAgain = std::size_t{256} << 10;

/// Where the line begins that is `lines` lines before that of `at`, or `floor` if that comes later.
std::size_t lines_before(Bytes text, std::size_t floor, std::size_t at, std::size_t lines) {
  std::size_t begin = line_begin(text, floor, at);
  for (; lines > 0 && begin > floor; --lines) begin = line_begin(text, floor, begin - 1);
  return begin;
}

/// The end, before its '\n', of the line that is `lines` lines after that of `at`.
std::size_t lines_after(Bytes text, std::size_t at, std::size_t lines) {
  std::size_t next = line_end(text, at);
  for (; lines > 0 && next < text.size(); --lines) next = line_end(text, next);
  const bool ends = lines == 0 && next > at && text[next - 1] == '\n';
  return ends ? next - 1 : next;
}

}  // namespace

SpanningWindows::SpanningWindows(const SpanningPlan& plan, CpuLevel level) : plan_(plan) {
  for (const SpanningPlan::Strings& strings : plan.strings) {
    strings_.push_back(strings.matcher->searcher(level));
  }
}

/// Takes another text and chooses, by samples of it, which strings lead.
void SpanningWindows::start(Bytes text) {
  text_ = text;
  asked_ = false;
  line_from_ = line_end_ = 0;
  passed_ = 0;
  read_ = 0;
  choose_leader();
  for (const std::size_t used : {leader_, second_}) {
    if (used != kNobody) strings_[used]->start(text);
  }
}

/// Counts the candidates of a set in up to eight samples of 16 KiB, spread over the text.
std::size_t SpanningWindows::candidates_in_samples(Searcher& strings) const {
  const bool all = text_.size() <= kSamples * kSampleBytes;
  const std::size_t samples = all ? 1 : kSamples;
  const std::size_t bytes = all ? text_.size() : kSampleBytes;
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const Bytes sample = text_.subspan(text_.size() / samples * i, bytes);
    strings.start(sample);
    for (auto found = strings.next(0); found; found = strings.next(found->begin + 1)) ++candidates;
  }
  return candidates;
}

/// Chooses the rarest set as the leader and, if there is one that most windows would be without, a
/// second set. There is no leader if all sets are frequent.
void SpanningWindows::choose_leader() {
  leader_ = second_ = kNobody;
  const std::size_t most = std::min(text_.size(), kSamples * kSampleBytes) / kBytesWorthACandidate;
  std::size_t least = most;
  std::size_t second_least = most / 8;
  for (std::size_t i = 0; i < strings_.size(); ++i) {
    const std::size_t candidates = candidates_in_samples(*strings_[i]);
    if (leader_ == kNobody ? candidates <= least : candidates < least) {
      if (leader_ != kNobody && least <= second_least) {
        second_ = leader_;
        second_least = least;
      }
      leader_ = i;
      least = candidates;
    } else if (candidates <= second_least) {
      second_ = i;
      second_least = candidates;
    }
  }
}

/// The first candidate of the leader at `from` or later; asking again with the same `from` costs
/// nothing.
std::optional<std::size_t> SpanningWindows::candidate_from(std::size_t from) {
  Searcher& strings = *strings_[leader_];
  if (asked_ && from < asked_from_) {
    strings.start(text_);
    asked_ = false;
  }
  if (!asked_ || (candidate_ && *candidate_ < from)) {
    const std::optional<MatchSpan> found = strings.next(from);
    candidate_ = found ? std::optional(found->begin) : std::nullopt;
  }
  asked_ = true;
  asked_from_ = from;
  return candidate_;
}

/// The next part of the text that may hold a match; nothing where there is none. If parts overlap
/// so much that text is read again and again, the rest of the text becomes one part.
std::optional<SpanningWindows::Window> SpanningWindows::next(std::size_t from) {
  const Window rest{from, text_.size(), text_.size(), text_.size()};
  if (leader_ == kNobody) return rest;
  const std::optional<std::size_t> candidate = candidate_from(from);
  if (!candidate) return std::nullopt;
  const Window window = around(from, *candidate);
  if (read_ > passed_ + kReadAgain) return Window{window.begin, rest.last, rest.end, rest.next};
  return window;
}

/// The window around a candidate. Every match that begins after `from` and at or before the
/// candidate reaches at least up to it, since the match holds one of the strings and the candidate
/// is the first.
SpanningWindows::Window SpanningWindows::around(std::size_t from, std::size_t candidate) {
  const Extent& before = plan_.strings[leader_].before;
  const Extent& whole = plan_.whole;
  Window window{from, candidate, text_.size(), candidate + 1};
  if (before.bytes < candidate) window.begin = std::max(from, candidate - before.bytes);
  if (before.line_feeds != Extent::kUnbounded && before.bytes > kNear) {
    const std::size_t begin = lines_before(text_, from, candidate, before.line_feeds);
    window.begin = std::max(window.begin, begin);
  }
  if (whole.bytes < text_.size() - candidate) window.end = candidate + whole.bytes;
  if (whole.line_feeds != Extent::kUnbounded && whole.bytes > kNear) {
    know_line(candidate);
    if (window_end_ <= window.end) {
      // Windows of the line's other candidates end there, too.
      window.end = window_end_;
      window.next = line_end_;
    }
  }
  if (window.end == text_.size()) window.last = window.next = text_.size();
  return window;
}

/// Finds the end of the candidate's line once for all candidates in it; the line may be all of the
/// text.
void SpanningWindows::know_line(std::size_t at) {
  if (at >= line_from_ && at < line_end_) return;
  line_from_ = at;
  line_end_ = line_end(text_, at);
  window_end_ = lines_after(text_, at, plan_.whole.line_feeds);
}

/// Whether the second set of strings occurs in the window. Asked before an automaton reads it.
bool SpanningWindows::may_match(const Window& window) {
  if (second_ == kNobody || window.end == text_.size()) return true;
  Searcher& other = *strings_[second_];
  other.start(text_.subspan(window.begin, window.end - window.begin));
  return other.next(0).has_value();
}

void SpanningWindows::note(std::size_t passed, std::size_t read) {
  passed_ += passed;
  read_ += read;
}

}  // namespace presso::scan_detail
