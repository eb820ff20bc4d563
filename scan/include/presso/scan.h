// SPDX-License-Identifier: MIT
// Searching compressed and plain text line by line on all CPU cores, results in order.
//
//   auto pattern = presso::Pattern::compile_literals({"error"});
//   auto result = presso::scan(source, *pattern, {}, [](const presso::MatchedLine& line) {
//     std::fwrite(line.text.data(), 1, line.text.size(), stdout);
//     return true;
//   });
//
// A presso file is recognised by its magic and decoded block by block; anything else is searched as
// it is. Memory is bounded by threads x a few blocks plus the longest line.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "presso/byte_stream.h"
#include "presso/cpu.h"
#include "presso/decompress.h"
#include "presso/error.h"
#include "presso/pattern.h"

namespace presso {

/// Bytes [begin, end) of a line or text.
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

/// A line that was asked for, or one of its neighbours. Everything in it is valid during the
/// callback only.
///
/// Of a pattern that spans lines a kMatch may be several lines: those of matches that share lines
/// or follow each other. `number` is then the first line's.
struct MatchedLine {
  LineKind kind = LineKind::kMatch;
  bool after_gap = false;    ///< with context: lines between this and the last are left out
  Bytes text;                ///< with its '\n', unless it is an unfinished last line
  std::uint64_t offset = 0;  ///< of its first byte in the plain text
  std::uint64_t number = 0;  ///< from 1; 0 unless ScanOptions::line_numbers
  /// Within text; empty unless ScanOptions::matches. With ScanOptions::invert those of context
  /// lines.
  std::span<const MatchSpan> matches;
  /// By match, the number of its pattern, from 0 in the order given; empty unless
  /// ScanOptions::which_pattern, and where regular expressions are too large to be asked one by
  /// one. Of patterns that match at one place the first counts.
  std::span<const std::uint32_t> patterns;
};

/// In order, never concurrently, on any of the scan's threads. Return false to stop.
using LineCallback = std::function<bool(const MatchedLine&)>;

/// What a NUL byte means: ripgrep's rules, which differ by how it reads a file. The buffer spoken
/// of is 64 KiB, rolled on at line ends.
enum class BinaryRule {
  kText,    ///< nothing (-a)
  kMapped,  ///< files named by the user: a NUL in the first 64 KiB or in a line to be reported
            ///< marks the file as binary; the first line to be reported then ends the scan
            ///< unreported. With a byte order mark: as kStream
  kStream,  ///< many files or pipes: NULs end lines; a NUL in a buffer marks the file as binary
            ///< from that buffer on; the first line to be reported there ends the scan unreported
  kStdin,   ///< standard input: as kStream, but the first buffer is 8 KiB
  kQuit,    ///< files found by recursion: the first buffer with a NUL ends the scan
};

/// A stretch that could not be searched.
struct DamagedBlock {
  std::uint64_t plain_offset = 0;
  std::uint64_t plain_bytes = 0;  ///< 0 where the header was damaged too: not known
  Error error;                    ///< block number and compressed offset are in it
};

struct ScanOptions {
  unsigned threads = 0;  ///< 0: all that the process may use
  CpuLevel level = cpu_level();
  bool invert = false;  ///< report the lines without a match
  bool line_numbers = false;
  /// Find every match in a line, not only the first: MatchedLine::matches, ScanSummary::matches.
  bool matches = false;
  /// With `matches`: say which of several patterns each is of. Costs one pattern's reading of the
  /// match once more, by the slow engine for regular expressions.
  bool which_pattern = false;
  std::uint64_t max_lines = ~std::uint64_t{0};  ///< stop after so many reported lines
  /// Neighbours of reported lines to be given to the callback too, in order and once. The lines
  /// behind the last of max_lines are given still; a match among them is reported as one. Context
  /// does not reach across a damaged block. Memory: that of before_context lines.
  std::uint64_t before_context = 0;
  std::uint64_t after_context = 0;
  bool passthru = false;  ///< give all lines, instead of context
  /// As if the text held only these lines, counted from 1; offsets and numbers stay those of all.
  std::uint64_t first_line = 1;
  std::uint64_t last_line = ~std::uint64_t{0};
  /// Only these blocks of a compressed file, counted from 0, as one text; lines are counted from
  /// the first of them. Asks for BinaryRule::kText. A file that ends before the first of them is
  /// an error, kInvalidArgument; one that ends before the last is not.
  std::uint64_t first_block = 0;
  std::uint64_t last_block = ~std::uint64_t{0};

  bool wants_context() const { return before_context > 0 || after_context > 0 || passthru; }
  bool limits_blocks() const { return first_block > 0 || last_block != ~std::uint64_t{0}; }
  bool limits_lines() const { return first_line > 1 || last_line != ~std::uint64_t{0}; }
  BinaryRule binary = BinaryRule::kText;
  /// Go on reporting behind a NUL (but with kQuit); ScanSummary::binary_offset is set still.
  bool lines_behind_nul = false;
  /// A NUL byte ends a line, and '\n' is a byte like any other. Asks for BinaryRule::kText and for
  /// a pattern compiled with PatternOptions::null_data.
  bool null_data = false;
  /// Of a pattern that spans lines: bytes of text that may be read into memory.
  std::uint64_t multiline_limit = std::uint64_t{1} << 30;
  bool verify = true;                   ///< compare blocks with their checksums
  KnownDictionaries dictionaries = {};  ///< for files that name theirs; kept by the caller
  /// Stop with the error of the first damaged block. Otherwise intact blocks are searched, the hole
  /// ends the line before it and begins a new line behind it, and lines are counted as if it held
  /// none.
  bool fail_fast = false;
  /// Once this is true, which any thread may make it, the scan ends with kCancelled. No callback is
  /// called any more, but for one that is about to be, and on_progress.
  const std::atomic<bool>* cancelled = nullptr;
  bool is_cancelled() const { return cancelled != nullptr && cancelled->load(); }
  /// Called now and then, in order with the lines: plain bytes searched so far.
  std::function<void(std::uint64_t)> on_progress = {};
  /// Called for each damaged block, in order with the lines.
  std::function<void(const DamagedBlock&)> on_damage = {};
  /// Leave out blocks of a compressed file that its filters say cannot match (FORMAT.md 7.4).
  /// Results are the same, but that damage of blocks left out goes unnoticed.
  bool use_index = true;
  /// Called, before anything is searched, where the filters are damaged; every block is read then.
  std::function<void(const Error&)> on_bad_index = {};
};

struct ScanSummary {
  std::uint64_t lines = 0;        ///< lines reported, or to be reported where a NUL ended the scan
  std::uint64_t matches = 0;      ///< within them, if ScanOptions::matches
  std::uint64_t plain_bytes = 0;  ///< searched; where the scan ended early, up to the last line
  std::uint64_t damaged_blocks = 0;
  /// Of the first NUL byte, where ScanOptions::binary made it count.
  std::optional<std::uint64_t> binary_offset;
  // Of a compressed file, as far as the scan went.
  std::uint64_t blocks = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t bytes_read = 0;      ///< what these take in the file
  std::uint64_t blocks_skipped = 0;  ///< by their filter
  /// Blocks that the filter let through and that hold no match; 0 where it was not used.
  std::uint64_t blocks_read_in_vain = 0;
  bool index_used = false;
};

/// Scans what is left of `source`. Without a callback lines are only counted, which is faster.
/// Synchronous; `source` is used by one thread at a time; several scans may run at once.
/// Errors: those of reading, of the container, and with fail_fast of blocks; before an error every
/// line in front of it has been reported. With a pattern that spans lines: kUnsupported for a text
/// above multiline_limit; lines are reported when all of the text, or all before a damaged block,
/// has been read.
Result<ScanSummary> scan(ByteSource& source, const Pattern& pattern,
                         const ScanOptions& options = {}, const LineCallback& on_line = {});
/// The same for a file; plain text is then read by all threads.
Result<ScanSummary> scan(const RandomAccess& file, const Pattern& pattern,
                         const ScanOptions& options = {}, const LineCallback& on_line = {});

}  // namespace presso
