// SPDX-License-Identifier: MIT
// What goes into a scan and what comes out of it: lines that are reported, options, a summary.
// The functions that take them are in presso/scan.h, presso/scanner.h and presso/scan_gpu.h.
//
// "The plain text" is the file's content, after decoding if it is compressed. All offsets and sizes
// are in bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "presso/bytes.h"
#include "presso/decompress.h"
#include "presso/error.h"
#include "presso/line_time.h"
#include "presso/pattern.h"

namespace presso {

/// Bytes [begin, end) of a line or a text.
struct MatchSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool empty() const { return begin == end; }
  friend bool operator==(const MatchSpan&, const MatchSpan&) = default;
};

/// Why a line is reported.
enum class LineKind {
  kMatch,   ///< it was asked for
  kBefore,  ///< ScanOptions::before_context
  kAfter,   ///< ScanOptions::after_context
  kOther,   ///< ScanOptions::passthru
};

/// A line that was asked for, or one of its neighbours. Text, matches and patterns belong to the
/// scan and are valid during the callback only.
///
/// With a pattern that spans lines, a kMatch may consist of several lines: those of matches that
/// share lines or follow each other; with ScanOptions::records each kind does. `number` is then
/// that of the first line.
struct MatchedLine {
  LineKind kind = LineKind::kMatch;
  bool after_gap = false;    ///< with context: lines between this and the last are left out
  Bytes text;                ///< with its line end, unless it is an unfinished last line
  std::uint64_t offset = 0;  ///< in the plain text, not counting a UTF-8 byte order mark
  std::uint64_t number = 0;  ///< counted from 1; 0 unless ScanOptions::line_numbers
  /// Places within `text`; empty unless ScanOptions::matches. With ScanOptions::invert only context
  /// lines have matches.
  std::span<const MatchSpan> matches;
  /// For each match the number of its pattern, from 0 in the order given; empty unless
  /// ScanOptions::which_pattern, and where regular expressions are too large to be asked one by
  /// one. Where several patterns match at one place, the first counts.
  std::span<const std::uint32_t> patterns;
  /// With ScanOptions::times, of a kMatch: the time of the line, or of the one before it that has
  /// one. Nanoseconds since 1970 in UTC, or without `has_zone` as clocks showed it.
  std::int64_t time = 0;
  bool has_zone = false;
};

/// Called in order, never concurrently, on any of the scan's threads. Return false to stop.
using LineCallback = std::function<bool(const MatchedLine&)>;

/// How binary files are treated. A file is binary if there is a NUL byte in the first 64 KiB of its
/// plain text, or in a line that is about to be given to the callback, context included. NUL bytes
/// in other places are not noticed, so lines before the one with the NUL byte may have been
/// reported. When lines are only counted (no callback), only the first 64 KiB are looked at, and
/// only with kQuit.
enum class BinaryRule {
  kText,       ///< Nothing: a NUL is a byte like any other.
  kMatchOnly,  ///< The first line that would be reported is counted in ScanSummary::lines but not
               ///< reported, and ends the scan: of a binary file one learns that it matches.
  kQuit,       ///< The scan ends quietly, without counting that line; after a NUL in the first
               ///< 64 KiB nothing is reported or counted at all.
};

/// The times whose lines are searched. A line without a time of its own has that of the line before
/// it; lines before the first one with a time have none. Times are nanoseconds since 1970.
struct TimeWindow {
  static constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

  /// since <= time < until.
  struct Range {
    std::int64_t since = kFirst;
    std::int64_t until = kLast;
  };
  Range moments;  ///< for lines that tell their zone, or seconds since 1970
  Range clocks;   ///< for others: the same as clocks showed it where the text was written
  TimeHint hint;  ///< the rest of how lines tell their time is found out
  /// Where lines tell no year, they are not later than a day after this.
  std::int64_t latest = 0;
  /// What a file itself says of that does not count.
  bool latest_is_given = false;
};

/// Which lines belong together as a *record*, such as a message and its stack trace. Lines before
/// the first that begins a record are one by themselves.
struct RecordRule {
  /// The default of `most_bytes`.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

  enum class Kind {
    kStart,   ///< a record begins at each line that `start` matches
    kIndent,  ///< a line that begins with a space or tab belongs to the line before it
    kJson,    ///< the same of a line that begins with a space, a tab, `}` or `]`
    kTime,    ///< a record begins at each line that has a time
  };
  Kind kind = Kind::kIndent;
  std::optional<Pattern> start = {};     ///< for kStart; of lines that line feeds end
  std::optional<TimeWindow> times = {};  ///< for kTime: how lines tell it; limits are ignored
  /// A record with a match must also have a line that each of `required` matches, and none that one
  /// of `forbidden` does. ScanOptions::invert inverts all of it.
  std::vector<Pattern> required = {};
  std::vector<Pattern> forbidden = {};
  /// A record that reaches across chunks of text (blocks of a compressed file, or 256 KiB) is kept
  /// in memory; one of which more than this has been kept is an error, kUnsupported.
  std::uint64_t most_bytes = kMostBytes;
};

/// A stretch of the plain text that could not be searched.
struct DamagedBlock {
  std::uint64_t plain_offset = 0;
  std::uint64_t plain_bytes = 0;  ///< 0 if not known, because the header is damaged too
  Error error;                    ///< holds the block's number and its offset in the file
  std::uint64_t lost_blocks = 1;  ///< as DecodedBlock::lost_blocks
};

/// Everything that a scan can be told, apart from the pattern. The defaults report each matching
/// line.
struct ScanOptions {
  unsigned threads = 0;  ///< 0: as many as the process may use
  /// How blocks are decoded. DecodeOptions::level also chooses the vector code that searches.
  DecodeOptions decode = {};
  bool invert = false;  ///< report the lines without a match
  bool line_numbers = false;
  /// Find every match in a line, not only the first: MatchedLine::matches, ScanSummary::matches.
  bool matches = false;
  /// With `matches`: say which of several patterns each match belongs to. Each match is then read
  /// once more, for regular expressions by a slow engine.
  bool which_pattern = false;
  std::uint64_t max_lines = ~std::uint64_t{0};  ///< stop after this many reported lines
  /// Lines before and after reported ones that are given to the callback too, in order and once.
  /// The lines after the last of max_lines are still given; a match among them is reported as one.
  /// Context does not reach across a damaged block. Up to before_context lines are kept in memory.
  std::uint64_t before_context = 0;
  std::uint64_t after_context = 0;
  bool passthru = false;  ///< give all lines, instead of context
  /// Search as if the text held only these lines, counted from 1. Offsets and line numbers remain
  /// those in the whole text.
  std::uint64_t first_line = 1;
  std::uint64_t last_line = ~std::uint64_t{0};
  /// Search only these blocks of a compressed file, counted from 0, as one text; lines are counted
  /// from the first of these blocks. Needs BinaryRule::kText. It is an error, kInvalidArgument, if
  /// the file ends before the first of them, but not if it ends before the last.
  std::uint64_t first_block = 0;
  std::uint64_t last_block = ~std::uint64_t{0};

  /// Search as if the text held only lines of these times; lines around those that are found may
  /// have any. Errors: kInvalidArgument if the text's first lines tell no time that is known,
  /// kUnsupported for a pattern that spans lines, or has lines that NUL bytes end.
  std::optional<TimeWindow> times = {};
  /// Select records in place of lines: one is selected if one of its lines matches, with `invert`
  /// if none does, and reported as one MatchedLine of several lines. Limits, context and counts are
  /// of records, too. With `times`, a record has the time of its first line that has one, and no
  /// blocks are left out by an index. Not together with first_line and last_line. Errors:
  /// kUnsupported for a pattern that spans lines, or has lines that NUL bytes end, and for a record
  /// that is too long; kInvalidArgument as for `times`.
  std::optional<RecordRule> records = {};

  bool wants_context() const { return before_context > 0 || after_context > 0 || passthru; }
  bool limits_blocks() const { return first_block > 0 || last_block != ~std::uint64_t{0}; }
  bool limits_lines() const { return first_line > 1 || last_line != ~std::uint64_t{0}; }
  /// Without effect for a pattern compiled with PatternOptions::null_data, where NUL ends lines.
  BinaryRule binary = BinaryRule::kText;
  /// With kMatchOnly: report the lines of a binary file all the same; only
  /// ScanSummary::binary_offset tells that it is one.
  bool lines_after_nul = false;
  /// With a pattern that spans lines: the most bytes of text that may be read into memory.
  std::uint64_t multiline_limit = std::uint64_t{1} << 30;
  /// End at the first damaged block, with its error. Otherwise intact blocks are searched, the hole
  /// ends the line before it, a new line begins after it, and line numbers are counted as if there
  /// were no lines in it.
  bool fail_fast = false;
  /// The scan ends with kCancelled soon after any thread has set this to true. At most a callback
  /// that is already being called is still finished. Kept by the caller.
  const std::atomic<bool>* cancelled = nullptr;
  bool is_cancelled() const { return cancelled != nullptr && cancelled->load(); }
  /// Called now and then, in order with the lines: bytes of plain text searched so far.
  std::function<void(std::uint64_t)> on_progress = {};
  /// Called for each damaged block, in order with the lines.
  std::function<void(const DamagedBlock&)> on_damage = {};
  /// Leave out blocks of a compressed file that cannot match according to its filters
  /// (FORMAT.md 7.4). Results are the same, except that damage in those blocks goes unnoticed.
  bool use_index = true;
  /// Called before anything is searched if the filters are damaged; every block is then read.
  std::function<void(const Error&)> on_bad_index = {};
};

/// What a scan found and read.
struct ScanSummary {
  std::uint64_t lines = 0;        ///< reported, and with BinaryRule::kMatchOnly the one held back
  std::uint64_t matches = 0;      ///< in these lines, with ScanOptions::matches
  std::uint64_t plain_bytes = 0;  ///< searched; if the scan ended early, up to the last line
  std::uint64_t damaged_blocks = 0;
  /// Offset of the first NUL byte that BinaryRule noticed.
  std::optional<std::uint64_t> binary_offset;
  // For compressed files, as far as the scan went:
  std::uint64_t blocks = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t bytes_read = 0;      ///< the stored size of the blocks that were read
  std::uint64_t blocks_skipped = 0;  ///< left out because of their filter
  /// Blocks that the filter let through although no match is in them; 0 if it was not used.
  std::uint64_t blocks_read_in_vain = 0;
  bool index_used = false;
};

}  // namespace presso
