// SPDX-License-Identifier: MIT
#include "scan/text/multiline.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "presso/ordered_pipeline.h"
#include "scan/matching/line_scan.h"

namespace presso::scan_detail {
namespace {

/// Where a NUL marks a file as binary before anything is found.
constexpr std::size_t kProbedBytes = 64u << 10;

std::optional<std::size_t> find_nul(Bytes text) {
  const auto found = std::find(text.begin(), text.end(), Byte{0});
  if (found == text.end()) return std::nullopt;
  return static_cast<std::size_t>(found - text.begin());
}

std::size_t mark_bytes(Bytes text) {
  constexpr Byte kByteOrderMark[3] = {0xEF, 0xBB, 0xBF};
  const bool marked = text.size() >= sizeof kByteOrderMark &&
                      std::memcmp(text.data(), kByteOrderMark, sizeof kByteOrderMark) == 0;
  return marked ? sizeof kByteOrderMark : 0;
}

std::uint64_t count_line_feeds(Bytes text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), Byte{'\n'}));
}

/// With one unfinished last line.
std::uint64_t count_lines(Bytes text) {
  const bool unfinished = !text.empty() && text.back() != '\n';
  return count_line_feeds(text) + (unfinished ? 1 : 0);
}

}  // namespace

MultilineScan::MultilineScan(const Matcher& matcher, const ScanOptions& options,
                             const LineCallback& on_line)
    : options_(options),
      on_line_(on_line),
      // Counts go on behind a NUL, but for kQuit.
      rule_(!on_line && options.binary != BinaryRule::kQuit ? BinaryRule::kText : options.binary),
      searcher_(matcher.searcher(options.level)),
      context_(matcher, options, static_cast<bool>(on_line)) {
  several_patterns_ = matcher.pattern_count() > 1;
  if (options.which_pattern) pattern_finder_ = matcher.pattern_finder();
}

bool MultilineScan::search(Bytes text, std::uint64_t offset) {
  if (stopped_) return false;
  text_ = text;
  offset_ = offset - removed_;
  visited_ = 0;
  counted_ = 0;
  if (std::exchange(first_, false)) {
    // Offsets do not count the mark.
    removed_ = mark_bytes(text);
    text_ = text.subspan(removed_);
    if (!settle_binary()) return false;
  } else {
    context_.cut();
  }
  summary_.plain_bytes += text.size();
  const Bytes all = text_;
  const std::uint64_t lines_at_begin = lines_before_;
  if (options_.limits_lines()) keep_wanted_lines();
  searcher_->start(text_);
  if (options_.invert) {
    search_inverted();
  } else {
    search_matching();
  }
  if (!stopped_ && context_.reporting()) report_context(text_.size(), context_.kind());
  if (options_.line_numbers || options_.limits_lines()) {
    lines_before_ = lines_at_begin + count_line_feeds(all);
  }
  return !stopped_;
}

/// False where a NUL in the first bytes ends the scan.
bool MultilineScan::settle_binary() {
  if (rule_ == BinaryRule::kText) return true;
  const auto nul = find_nul(text_.first(std::min(text_.size(), kProbedBytes)));
  if (!nul) return true;
  summary_.binary_offset = *nul;
  if (rule_ == BinaryRule::kQuit) stopped_ = true;
  return !stopped_;
}

/// Leaves of the text what lies in [first_line, last_line].
void MultilineScan::keep_wanted_lines() {
  std::uint64_t line = lines_before_ + 1;
  std::size_t begin = 0;
  for (; line < options_.first_line && begin < text_.size(); ++line) begin = line_end(text_, begin);
  std::size_t end = begin;
  lines_before_ = line - 1;
  for (; line <= options_.last_line && end < text_.size(); ++line) end = line_end(text_, end);
  text_ = text_.subspan(begin, end - begin);
  offset_ += begin;
}

// --- Matches to groups of lines -----------------------------------------------------------------

bool MultilineScan::goes_on() {
  if (options_.is_cancelled()) stopped_ = true;
  return !stopped_;
}

/// A group is held back until the next match is known to begin behind it.
void MultilineScan::search_matching() {
  std::optional<MatchSpan> group;
  const bool any_decides = !on_line_ && !options_.matches && options_.max_lines == 1;
  for (std::size_t at = 0; at < text_.size() && goes_on();) {
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
  if (group && !group->empty() && !stopped_) add_lines(*group);
}

/// What lies between matches, a line at a time.
void MultilineScan::search_inverted() {
  for (std::size_t at = 0; at < text_.size() && !stopped_;) {
    const std::optional<MatchSpan> match = searcher_->next(at);
    const MatchSpan matched = match ? lines_of(*match, at) : MatchSpan{text_.size(), text_.size()};
    while (at < matched.begin && goes_on()) {
      const MatchSpan line{at, line_end(text_, at)};
      add_lines(line);
      at = line.end;
    }
    at = std::max(at, matched.end);
  }
}

/// From the begin of the first line to behind the last. `floor`: where a line begins, at or before
/// the match; those of a long line need not look for its begin again and again.
MatchSpan MultilineScan::lines_of(const MatchSpan& match, std::size_t floor) const {
  const std::size_t begin = line_begin(text_, floor, match.begin);
  return {begin, match.end > begin ? end_of_lines(match.end) : line_end(text_, match.end)};
}

/// Of lines that a match ends in, of which it has at least one byte.
std::size_t MultilineScan::end_of_lines(std::size_t match_end) const {
  return text_[match_end - 1] == '\n' ? match_end : line_end(text_, match_end);
}

// --- Groups to the caller -----------------------------------------------------------------------

void MultilineScan::add_lines(const MatchSpan& lines) {
  if (context_.wanted()) {
    if (context_.reporting()) report_context(lines.begin, context_.kind());
    if (!stopped_) report_context_before(lines.begin);
    if (stopped_) return;
  }
  report_group(lines);
}

void MultilineScan::report_context_before(std::size_t begin) {
  std::uint64_t lines = 0;
  const std::size_t from = context_.before_begin(text_, visited_, begin, lines);
  if (lines == 0) return;
  visited_ = from;
  report_context(begin, LineKind::kBefore);
}

/// Lines from visited_ on that begin before `end`; behind a match as many as are asked for.
void MultilineScan::report_context(std::size_t end, LineKind kind) {
  while (visited_ < end && goes_on()) {
    if (kind == LineKind::kAfter && context_.after_left() == 0) return;
    const MatchSpan line{visited_, line_end(text_, visited_)};
    if (ended_by_nul(line)) {
      stopped_ = true;
      return;
    }
    matches_.clear();
    if (options_.invert && options_.matches) find_matches(line);
    if (kind == LineKind::kAfter) context_.followed();
    deliver(kind, line);
    if (limit_reached() && context_.after_left() == 0) stopped_ = true;
  }
}

void MultilineScan::report_group(const MatchSpan& lines) {
  const bool by_nul = ended_by_nul(lines);
  if (by_nul && rule_ == BinaryRule::kQuit) {
    stopped_ = true;
    return;
  }
  const bool limit_was_reached = limit_reached();
  matches_.clear();
  if (options_.matches && !options_.invert) find_matches(lines);
  ++groups_;
  summary_.lines += count_lines(text_.subspan(lines.begin, lines.end - lines.begin));
  summary_.matches += matches_.size();
  context_.matched(limit_was_reached);
  if (by_nul) {
    stopped_ = true;
    return;
  }
  if (on_line_) deliver(LineKind::kMatch, lines);
  visited_ = lines.end;
  if (limit_reached() && context_.after_left() == 0) stopped_ = true;
}

/// ripgrep counts what it prints at once; where it only counts, matches.
bool MultilineScan::limit_reached() const {
  const bool counts_matches = !on_line_ && options_.matches && !options_.invert;
  return (counts_matches ? summary_.matches : groups_) >= options_.max_lines;
}

void MultilineScan::deliver(LineKind kind, const MatchSpan& lines) {
  if (!goes_on()) return;
  MatchedLine line;
  line.kind = kind;
  line.text = text_.subspan(lines.begin, lines.end - lines.begin);
  line.offset = offset_ + lines.begin;
  if (options_.line_numbers) line.number = line_number(lines.begin);
  line.matches = matches_;
  if (options_.which_pattern) {
    tell_patterns(lines);
    line.patterns = patterns_;
  }
  line.after_gap = context_.gap_before(line.offset, line.text.size());
  visited_ = lines.end;
  if (!on_line_(line)) stopped_ = true;
}

/// Those that begin in `lines`; an empty one behind another, or behind the lines, is none.
void MultilineScan::find_matches(const MatchSpan& lines) {
  std::optional<std::size_t> last_end;
  for (std::size_t at = lines.begin; at < lines.end;) {
    const std::optional<MatchSpan> match = searcher_->next(at);
    if (!match || match->begin >= lines.end) return;
    at = match->end + (match->empty() ? 1 : 0);
    const bool repeats = match->empty() && last_end == match->end;
    last_end = match->end;
    if (repeats) continue;
    const std::size_t end = std::min(match->end, lines.end);
    matches_.push_back({match->begin - lines.begin, end - lines.begin});
  }
}

void MultilineScan::tell_patterns(const MatchSpan& lines) {
  patterns_.clear();
  if (!pattern_finder_ && several_patterns_) return;
  for (const MatchSpan& match : matches_) {
    const MatchSpan place{lines.begin + match.begin, lines.begin + match.end};
    patterns_.push_back(pattern_finder_ ? pattern_finder_->pattern_of(text_, place) : 0);
  }
}

/// Whether a NUL, instead of these lines being reported, ends the scan.
bool MultilineScan::ended_by_nul(const MatchSpan& lines) {
  if (rule_ == BinaryRule::kText) return false;
  if (!summary_.binary_offset) {
    const auto nul = find_nul(text_.subspan(lines.begin, lines.end - lines.begin));
    if (nul) summary_.binary_offset = offset_ + lines.begin + *nul;
  }
  const bool goes_on = options_.lines_behind_nul && rule_ != BinaryRule::kQuit;
  return summary_.binary_offset && !goes_on;
}

/// `at` never decreases within a text.
std::uint64_t MultilineScan::line_number(std::size_t at) {
  lines_before_ += count_line_feeds(text_.subspan(counted_, at - counted_));
  counted_ = at;
  return lines_before_ + 1;
}

// --- All of a file ------------------------------------------------------------------------------

namespace {

struct LoadedChunk {
  Chunk chunk;
  std::size_t bytes_in_place = 0;  ///< that are in the whole text already; then the chunk is empty
  std::optional<Error> error;      ///< of reading
};

/// Collects chunks and searches them where a damaged block or the end comes.
class WholeText {
 public:
  WholeText(ChunkSource& chunks, const Matcher& matcher, const ScanOptions& options,
            const LineCallback& on_line)
      : chunks_(chunks), options_(options), scan_(matcher, options, on_line) {}

  Status make_room(std::uint64_t bytes) {
    PRESSO_TRY(check_limit(bytes));
    text_.use_large_pages();
    text_.resize_discarding(static_cast<std::size_t>(bytes));
    text_.clear();
    room_ = bytes;
    return {};
  }

  /// Where a piece of plain text goes that room was made for; empty where there is none. May be
  /// asked for by all threads: plain text has no damaged blocks, so nothing moves.
  MutableBytes place_for(const FileRange& range) {
    if (range.begin + range.bytes > room_) return {};
    return {text_.data() + range.begin, range.bytes};
  }

  Result<bool> add(LoadedChunk loaded) {
    if (loaded.error) return std::move(*loaded.error);
    count_block(loaded.chunk);
    if (loaded.chunk.damage) return add_damage(std::move(*loaded.chunk.damage));
    PRESSO_TRY(check_limit(text_.size() + loaded.chunk.text.size()));
    if (text_.empty()) offset_ = loaded.chunk.offset;
    text_.grow(text_.size() + loaded.bytes_in_place);
    text_.append(loaded.chunk.text.bytes());
    if (options_.on_progress) options_.on_progress(offset_ + text_.size());
    chunks_.recycle(std::move(loaded.chunk.text));
    return true;
  }

  bool search() {
    const bool goes_on = scan_.search(text_.bytes(), offset_);
    offset_ += text_.size();
    text_.clear();
    return goes_on;
  }
  const ScanSummary& summary() { return scan_.summary(); }

 private:
  Status check_limit(std::uint64_t bytes) const {
    if (bytes <= options_.multiline_limit) return {};
    return make_error(ErrorCode::kUnsupported,
                      "its text is larger than " + std::to_string(options_.multiline_limit) +
                          " bytes, the limit for matches across lines, which need all of it in "
                          "memory");
  }

  Result<bool> add_damage(DamagedBlock damage) {
    const bool goes_on = search();
    if (options_.fail_fast) return std::move(damage.error);
    if (damage.plain_bytes == 0) damage.plain_offset = offset_;
    offset_ = damage.plain_offset + damage.plain_bytes;
    ++scan_.summary().damaged_blocks;
    if (goes_on && options_.on_damage) options_.on_damage(damage);
    return goes_on;
  }

  void count_block(const Chunk& chunk) {
    if (!chunk.is_block) return;
    ++scan_.summary().blocks;
    ++scan_.summary().blocks_read;
    scan_.summary().bytes_read += chunk.stored_bytes;
  }

  ChunkSource& chunks_;
  const ScanOptions& options_;
  MultilineScan scan_;
  Buffer text_;
  std::uint64_t room_ = 0;
  std::uint64_t offset_ = 0;
};

LoadedChunk load_chunk(ChunkSource& chunks, ChunkItem item, WholeText& whole) {
  LoadedChunk loaded;
  if (const auto* range = std::get_if<FileRange>(&item)) {
    const MutableBytes place = whole.place_for(*range);
    if (!place.empty()) {
      loaded.chunk.offset = range->begin;
      loaded.bytes_in_place = place.size();
      const Status status = chunks.load_into(*range, place);
      if (!status.ok()) loaded.error = status.error();
      return loaded;
    }
  }
  Result<Chunk> chunk = chunks.load(std::move(item));
  if (chunk.ok()) {
    loaded.chunk = std::move(*chunk);
  } else {
    loaded.error = std::move(chunk.error());
  }
  return loaded;
}

}  // namespace

Result<ScanSummary> scan_multiline(ChunkSource& chunks, const Matcher& matcher,
                                   const ScanOptions& options, const LineCallback& on_line,
                                   std::uint64_t expected_bytes) {
  WholeText whole(chunks, matcher, options, on_line);
  PRESSO_TRY(whole.make_room(expected_bytes));
  PipelineOptions pipeline;
  pipeline.threads = threads_or_all(options.threads);
  bool stopped = false;
  const Status status = run_ordered<ChunkItem, LoadedChunk>(
      pipeline,
      [&]() -> Result<std::optional<ChunkItem>> {
        if (options.is_cancelled()) return make_error(ErrorCode::kCancelled);
        return chunks.take();
      },
      [&](ChunkItem item, unsigned) { return load_chunk(chunks, std::move(item), whole); },
      [&](LoadedChunk loaded) -> Result<bool> {
        PRESSO_ASSIGN(const bool more, whole.add(std::move(loaded)));
        stopped = !more;
        return more;
      });
  if (!status.ok()) return status.error();
  if (!stopped) whole.search();
  if (options.is_cancelled()) return make_error(ErrorCode::kCancelled);
  return whole.summary();
}

}  // namespace presso::scan_detail
