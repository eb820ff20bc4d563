// SPDX-License-Identifier: MIT
// MultilineSearch: finds matches one after another and joins those whose lines touch.
#include "scan/text/multiline_search.h"

#include <algorithm>
#include <utility>

#include "scan/matching/line_scan.h"
#include "scan/text/searched_chunk.h"

namespace presso::scan_detail {
namespace {

/// The number of lines, an unfinished last line included.
std::uint64_t count_lines(Bytes text) {
  const bool unfinished = !text.empty() && text.back() != '\n';
  return count_line_feeds(text) + (unfinished ? 1 : 0);
}

}  // namespace

/// Arguments are kept by reference.
MultilineSearch::MultilineSearch(const Matcher& matcher, const ScanOptions& options,
                                 const LineCallback& on_line)
    : options_(options),
      only_counts_(!on_line),
      crlf_(matcher.crlf()),
      searcher_(matcher.searcher(options.decode.level)),
      reporter_(matcher, options, on_line) {
  // As in ripgrep, if matches are counted, the limit is one of matches.
  if (only_counts_ && options.matches && !options.invert) reporter_.limit_matches();
  if (!options.invert || !options.matches) return;
  reporter_.set_context_matches([this](Bytes, const MatchSpan& line) {
    find_matches(line);
    return std::span<const MatchSpan>(matches_);
  });
}

/// Searches one text that begins at `offset`; a further call is for the text after damage. False
/// where no more is wanted.
bool MultilineSearch::search(Bytes text, std::uint64_t offset) {
  if (reporter_.stopped()) return false;
  text_ = text;
  const bool after_hole = !first_;
  const std::uint64_t begin = offset - removed_;
  if (std::exchange(first_, false)) {
    if (begins_with_mark(text)) removed_ = kMarkBytes;
    text_ = text.subspan(removed_);
    if (!settle_binary()) return false;
  }
  const Bytes all = text_;
  const std::uint64_t lines_before_all = line_count_;
  const std::size_t left_out = keep_wanted_lines();
  counted_ = 0;
  reporter_.begin_text(text_, begin + left_out, line_count_, after_hole);
  searcher_->start(text_);
  if (options_.invert) {
    search_inverted();
  } else {
    search_matching();
  }
  reporter_.end_text();
  if (options_.line_numbers || options_.limits_lines()) {
    line_count_ = lines_before_all + count_line_feeds(all);
  }
  return !reporter_.stopped();
}

/// Cuts the text to the lines in [first_line, last_line]; returns how many bytes were taken off in
/// front.
std::size_t MultilineSearch::keep_wanted_lines() {
  if (!options_.limits_lines()) return 0;
  const WantedLines wanted = wanted_lines(text_, line_count_, options_);
  text_ = text_.subspan(wanted.place.begin, wanted.place.end - wanted.place.begin);
  line_count_ = wanted.before;
  return wanted.place.begin;
}

/// Looks for a NUL in the first bytes. Returns false if one ends the scan.
bool MultilineSearch::settle_binary() {
  reporter_.binary().probe(text_);
  reporter_.binary().end_probe();
  if (reporter_.binary().ends_scan()) reporter_.stop();
  return !reporter_.stopped();
}

/// Searches for matching lines. A group of lines is held back until the next match is known to
/// begin after it.
void MultilineSearch::search_matching() {
  std::optional<MatchSpan> group;
  const bool any_decides = only_counts_ && !options_.matches && options_.max_lines == 1;
  for (std::size_t at = 0; at < text_.size() && reporter_.goes_on();) {
    const std::optional<MatchSpan> match = searcher_->next(at);
    if (!match) break;
    at = match->end + (match->empty() ? 1 : 0);
    if (!group || match->begin >= group->end) {
      const MatchSpan lines = lines_of(*match, group ? group->end : 0);
      if (group && group->end == lines.begin) {
        group->end = lines.end;
      } else {
        if (group) add_lines(*group);
        group = lines;
      }
    } else if (match->end > group->end) {
      group->end = end_of_lines(match->end);
    }
    if (any_decides) break;
  }
  if (group && !group->empty() && !reporter_.stopped()) add_lines(*group);
}

/// Reports what lies between matches, one line at a time.
void MultilineSearch::search_inverted() {
  for (std::size_t at = 0; at < text_.size() && !reporter_.stopped();) {
    const std::optional<MatchSpan> match = searcher_->next(at);
    const MatchSpan matched = match ? lines_of(*match, at) : MatchSpan{text_.size(), text_.size()};
    while (at < matched.begin && reporter_.goes_on()) {
      const MatchSpan line{at, line_end(text_, at)};
      add_lines(line);
      at = line.end;
    }
    at = std::max(at, matched.end);
  }
}

/// The lines of a match, from the beginning of the first to the end of the last. `floor` is where
/// some line begins, at or before the match; it saves looking for the beginning of a long line
/// again for each of its matches.
MatchSpan MultilineSearch::lines_of(const MatchSpan& match, std::size_t floor) const {
  const std::size_t begin = line_begin(text_, floor, match.begin);
  return {begin, match.end > begin ? end_of_lines(match.end) : line_end(text_, match.end)};
}

/// The end of the last line of a match that has at least one byte in it.
std::size_t MultilineSearch::end_of_lines(std::size_t match_end) const {
  return text_[match_end - 1] == '\n' ? match_end : line_end(text_, match_end);
}

/// Reports lines that one match, or several that share lines, lie in.
void MultilineSearch::add_lines(const MatchSpan& lines) {
  FoundLines found;
  found.place = lines;
  found.count = count_lines(text_.subspan(lines.begin, lines.end - lines.begin));
  if (options_.line_numbers) found.before = lines_before(lines.begin);
  if (options_.matches && !options_.invert) {
    find_matches(lines);
    found.matches = matches_;
  }
  reporter_.report(found);
}

/// Finds the matches that begin in `lines`. An empty one right after another, or after the lines,
/// does not count.
void MultilineSearch::find_matches(const MatchSpan& lines) {
  matches_.clear();
  std::optional<std::size_t> last_end;
  for (std::size_t at = lines.begin; at < lines.end;) {
    const std::optional<MatchSpan> match = searcher_->next(at);
    if (!match || match->begin >= lines.end) return;
    at = match->end + (match->empty() ? 1 : 0);
    const std::optional<MatchSpan> shown = crlf_ ? cut_at_return(text_, *match) : match;
    if (!shown || (shown->empty() && last_end == shown->end)) continue;
    last_end = shown->end;
    const std::size_t end = std::min(shown->end, lines.end);
    matches_.push_back({shown->begin - lines.begin, end - lines.begin});
  }
}

/// The number of lines of the plain text before `at`, which must not decrease within a text.
std::uint64_t MultilineSearch::lines_before(std::size_t at) {
  line_count_ += count_line_feeds(text_.subspan(counted_, at - counted_));
  counted_ = at;
  return line_count_;
}

}  // namespace presso::scan_detail
