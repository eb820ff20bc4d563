// SPDX-License-Identifier: MIT
// The last stage of a scan: takes chunks in order, searched on their own by the workers, joins the
// lines that chunk borders cut, applies the rule for binary files and hands lines to the caller.
//
// A chunk is cut at its first and its last '\n'. The worker searches what lies between (the inner
// text); what lies outside is joined with its neighbours here and searched as a text of its own
// (the seam), one short line a chunk, however many chunks a line spans. At a damaged block the line
// so far ends, and what follows begins a new line.
//
// Of blocks that were left out (block_index.h) only the place of their line ends is known. A line
// that lies in them partly is read there only where what is known of it may hold the begin of a
// literal that every match contains; nothing of the kind begins in what is not known.
//
// Texts with findings queue up as segments until the binary rule allows them to be reported: with
// BinaryRule::kText at once, else when the fill (fill_tracker.h) that they stand in is known to
// hold no NUL, at most 64 KiB or one long line later. Where lines around the found ones are wanted
// too, texts without findings queue up as well, and the last lines of one are kept for the next
// (context_lines.h). Tested by tests/unit/scan/text/scan_test.cpp with borders at every offset.
#pragma once

#include <deque>

#include "scan/blocks/chunk_source.h"
#include "scan/matching/line_scan.h"
#include "scan/text/context_lines.h"
#include "scan/text/fill_tracker.h"

namespace presso::scan_detail {

/// A chunk after the worker's search.
struct SearchedChunk {
  Chunk chunk;
  std::size_t text_begin = 0;   ///< > 0 behind a byte order mark
  std::size_t inner_begin = 0;  ///< behind the first '\n'
  std::size_t inner_end = 0;    ///< behind the last; inner_begin where there is only one
  bool has_newline = false;
  std::optional<std::size_t> nul;  ///< first NUL from text_begin on, where NULs end lines: now '\n'
  Findings findings;               ///< of the inner text
  std::optional<Error> error;      ///< of reading
};

/// Blocks that something else has searched as one text: it leaves of the lines behind the first
/// '\n' and before the last those that may have to be reported (scan/gpu).
struct SearchedExcerpt {
  std::uint64_t offset = 0;  ///< of the text within the plain text
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t stored_bytes = 0;
  bool has_newline = false;
  Buffer head;        ///< up to the first '\n', which it includes; all of it where there is none
  Buffer tail;        ///< behind the last
  Buffer lines;       ///< of those between, one behind another
  Findings findings;  ///< of `lines`, with FoundLine::moved; counts are those of all between
  Buffer probe;       ///< the text's first bytes, as far as BinaryRule::kMapped asks for them
};

/// How many bytes at a file's begin decide whether BinaryRule::kMapped takes it for binary.
constexpr std::uint64_t kMappedProbeBytes = 64u << 10;
/// Whether `text`, a file's begin, is UTF-8's byte order mark and what follows it.
bool begins_with_mark(Bytes text);

/// How lines are searched, by what the caller wants to know.
LineScanOptions line_scan_options(const ScanOptions& options, bool has_callback);

/// The worker's part: cuts the chunk and searches its inner text.
SearchedChunk search_chunk(Chunk chunk, BinaryRule rule, LineScanner& scanner);

class Assembler {
 public:
  Assembler(const Matcher& matcher, const ScanOptions& options, const LineCallback& on_line,
            ChunkSource& chunks);

  /// The next chunk; false when the scan need not go on.
  Result<bool> add(SearchedChunk searched);
  /// Likewise. Not with limits of lines or context, nor with a rule but kText and kMapped, nor for
  /// a text that begins with a byte order mark.
  Result<bool> add(SearchedExcerpt excerpt);
  /// After the last chunk. Not called where add() gave false or an error.
  void finish();

  /// As far as add() has come.
  ScanSummary summary() const;
  /// An error of reading a block that a line reaches into.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  /// A stretch of the unfinished line in a block that was left out.
  struct MissingPart {
    std::uint64_t block = 0;
    std::size_t begin = 0;  ///< in the block
    std::size_t end = 0;
    std::size_t at = 0;  ///< its place in seam_
  };

  /// A searched text, waiting.
  struct Segment {
    Buffer buffer;
    bool is_seam = false;      ///< the buffer is no chunk's
    std::size_t begin = 0;     ///< of the text within the buffer
    std::size_t size = 0;      ///< of the text
    std::uint64_t offset = 0;  ///< of the text within the plain text
    std::uint64_t first_line = 0;
    std::size_t reported = 0;         ///< of findings.found
    std::size_t settled = 0;          ///< with context: lines before here are reported or left out
    std::uint64_t settled_lines = 0;  ///< and so many of them there are
    bool behind_hole = false;         ///< a damaged block came before it
    Findings findings;

    Bytes text() const { return buffer.bytes().subspan(begin, size); }
    /// Within the plain text.
    std::uint64_t offset_of(const FoundLine& line) const {
      return offset + line.begin + line.moved;
    }
  };

  Result<bool> add_damage(DamagedBlock damage);
  void leave_mapping();
  void track(const SearchedChunk& searched);
  void track_mapped(Bytes text);
  void add_text(SearchedChunk searched);
  void add_skipped(SkippedBlocks skipped);
  void add_skipped_block(std::uint64_t block);
  bool close_seam(bool by_newline);
  bool search_seam();
  bool missing_parts_matter() const;
  void read_missing_parts();
  void report_hole(DamagedBlock damage);
  void count_block(const Chunk& chunk);
  bool seam_is_empty() const { return seam_.empty() && missing_.empty(); }
  void push(Segment segment);
  void release(Segment& segment);
  void keep_wanted_lines(Segment& segment);

  void flush(std::uint64_t before);
  void flush_counts(const Segment& segment);
  bool flush_lines(Segment& segment, std::uint64_t before);
  bool flush_with_context(Segment& segment, std::uint64_t before);
  bool flush_neighbours(Segment& segment, std::size_t end, std::uint64_t before);
  void report_with_before(const Segment& segment, const FoundLine& line);
  void report_kept(std::uint64_t wanted, std::uint64_t match_offset, std::uint64_t number);
  void report_one_before(Bytes line, std::uint64_t offset, std::uint64_t number,
                         std::uint64_t match_offset);
  void report_context(Bytes text, std::uint64_t offset, std::uint64_t number, LineKind kind);
  void count(const FoundLine& line);
  void report(const Segment& segment, const FoundLine& line);
  void tell_patterns(MatchedLine& line);
  void deliver(MatchedLine& line);
  bool ended_by_nul(Bytes line, std::uint64_t offset);
  void end_by_nul();
  bool wants_context() const { return context_.wanted(); }
  std::uint64_t safe_end() const;

  const ScanOptions& options_;
  const LineCallback& on_line_;
  ChunkSource& chunks_;
  LineScanOptions line_options_;
  LineScanner scanner_;
  ContextLines context_;
  ScanSummary summary_;

  Buffer seam_;  ///< the unfinished line
  std::uint64_t seam_offset_ = 0;
  std::vector<MissingPart> missing_;    ///< of the unfinished line, in order
  std::uint64_t unmatched_blocks_ = 0;  ///< read, without a match unless the seam holds one
  std::uint64_t last_missing_read_ = Error::kNone;
  std::optional<Error> failure_;
  std::uint64_t plain_end_ = 0;   ///< behind the last chunk, as far as known
  std::uint64_t removed_ = 0;     ///< bytes of a byte order mark: offsets do not count it
  std::uint64_t line_count_ = 0;  ///< '\n' of all segments pushed
  std::deque<Segment> waiting_;
  bool stopped_ = false;
  bool behind_hole_ = false;
  bool past_last_line_ = false;                    ///< ScanOptions::last_line was seen
  std::uint64_t reported_end_ = 0;                 ///< behind the last line that was looked at
  std::vector<Byte> exchanged_;                    ///< the line being reported, with null_data
  std::unique_ptr<PatternFinder> pattern_finder_;  ///< with which_pattern
  bool several_patterns_ = false;
  std::vector<std::uint32_t> patterns_;  ///< of the line's matches

  BinaryRule rule_;
  bool left_mapping_ = false;  ///< kMapped was asked for, but there is a byte order mark
  FillTracker fills_;
  std::uint64_t mapped_seen_ = 0;  ///< of the first 64 KiB
};

}  // namespace presso::scan_detail
