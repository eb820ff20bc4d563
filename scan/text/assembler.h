// SPDX-License-Identifier: MIT
// The last stage of a search of lines. It takes chunks in order, which workers have searched on
// their own (searched_chunk.h), joins the lines that chunk borders cut (seam.h), and hands every
// text with its findings to the reporter (line_reporter.h).
//
// A line that borders cut is searched here as a text of its own: one short line for each chunk,
// however many chunks a line spans. At a damaged block (a *hole*) the line so far ends, and what
// follows the block begins a new line. For blocks that the index left out, the line counts grow by
// what the index knows of their line ends.
//
// Texts wait, as segments, while the binary check is undecided, which is for the first 64 KiB.
// Texts without findings pass, too, if lines around the found ones are wanted. Used by one thread.
// Tested by tests/unit/scan/text/scan_test.cpp with borders at every offset.
#pragma once

#include <deque>

#include "scan/text/line_reporter.h"
#include "scan/text/seam.h"
#include "scan/text/searched_chunk.h"
#include "scan/text/time_filter.h"

namespace presso::scan_detail {

/// What finds the records that the options ask for; nullopt where they do not. Refers to both.
std::optional<RecordBorders> record_borders(const ScanOptions& options,
                                            std::span<const MemberTimes> times);

/// What records with a match must meet, too. Refers to the options.
std::vector<RecordCondition> record_conditions(const ScanOptions& options);

/// Joins the chunks of one scan. Memory: the waiting segments and the unfinished line or record.
/// Where records are searched, the borders of chunks are those of records, and the seam (seam.h)
/// holds the record that chunks cut, and sometimes whole ones that follow it.
class Assembler {
 public:
  /// Keeps everything by reference. `times`: of each member, where the options ask for times, also
  /// those of records; none: the text's beginning shows how lines tell them, which is not for
  /// records.
  Assembler(const Matcher& matcher, const ScanOptions& options, const LineCallback& on_line,
            ChunkSource& chunks, std::span<const MemberTimes> times = {});
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;

  /// Takes the next chunk. Returns false if the scan need not go on, and the error of reading or,
  /// with fail_fast, of damage.
  Result<bool> add(SearchedChunk searched);
  /// Takes the next part of a file that a GPU has searched; returns as above. Not for options with
  /// limits of lines or with context, nor for a text that begins with a byte order mark.
  Result<bool> add(SearchedExcerpt excerpt);
  /// Ends the text after the last chunk. Not to be called if add() gave false or an error. It is a
  /// failure() if times are wanted and lines do not tell them.
  void finish();

  /// The counts as far as add() has come.
  ScanSummary summary() const;
  /// The error of reading a block that a line reaches into, if there was one.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  /// A searched text on its way to the reporter.
  struct Segment {
    Buffer buffer;
    bool is_chunk = false;     ///< the buffer came from the chunks' pool
    std::size_t begin = 0;     ///< where the text begins in the buffer
    std::size_t size = 0;      ///< of the text
    std::uint64_t offset = 0;  ///< of the text in the plain text
    std::uint64_t lines_before = 0;
    bool after_hole = false;  ///< a damaged block came before it
    Findings findings;

    Bytes text() const { return buffer.bytes().subspan(begin, size); }
  };

  // Until it is known how lines tell their time.
  Result<bool> add_to_sample(SearchedChunk searched);
  Result<bool> add_held();

  // Chunks to segments.
  /// Error: kInvalidArgument where times are asked for and lines do not tell them.
  Result<bool> add_known(SearchedChunk searched);
  Result<bool> add_damage(DamagedBlock damage, std::uint64_t lost_lines);
  /// Searches nothing itself: puts the chunk's head to the line at hand, and queues the rest.
  void add_text(SearchedChunk searched);
  /// Starts a line at a chunk's border, at this offset of the plain text.
  void begin_seam(std::uint64_t offset);
  /// Ends the line that borders have cut and searches it. `by_newline`: it is complete.
  bool close_seam(bool by_newline);
  /// Searches the line as a text of its own.
  bool search_seam();
  /// Tells the callback of damage.
  void report_hole(const DamagedBlock& damage);
  /// Counts a chunk to the summary if it is a block.
  void count_block(const Chunk& chunk);
  // Blocks that were left out (assembler_skipped.cpp).
  void add_skipped(const SkippedBlocks& skipped);
  void add_skipped_block(std::uint64_t block);
  void forget_times(std::uint64_t block);
  /// Whether the line begins in a block that has no line of a wanted time.
  bool begins_at_other_time() const;
  /// The last time in the blocks up to this one, which are read; nullopt if there is none, or if it
  /// is not wanted.
  std::optional<LineTime> last_time(std::uint64_t block);
  /// Reads the missing parts of the line, which the index had left out.
  void complete_seam();
  /// Appends one such part; false where it could not be read.
  bool append_part(const Seam::MissingPart& part);
  void count_read_part(std::uint64_t block, std::uint64_t stored_bytes);
  // Records (assembler_records.cpp).
  void add_skipped_of_records(const SkippedBlocks& skipped);
  bool begins_record_in(std::uint64_t block);
  void add_left_out(std::uint64_t block);
  /// Searches all records of the seam but the last one. Sets failure_ where that is too long.
  void shorten_seam();
  // Segments to the reporter.
  void push(Segment segment);
  /// Cuts the segment to the lines that were asked for by number.
  void keep_wanted_lines(Segment& segment);
  void report_waiting();
  void report(const Segment& segment);
  /// Gives the segment's buffer back to the source of chunks, which uses it again.
  void release(Segment& segment);

  const ScanOptions& options_;
  ChunkSource& chunks_;
  const LineScanOptions line_options_;
  const bool lacks_record_times_;               ///< which are asked for
  LineScanner scanner_;                         ///< for seams
  std::optional<RecordBorders> seam_records_;   ///< for shorten_seam()
  std::optional<LineScanner> context_scanner_;  ///< for the matches in context lines
  Findings context_findings_;
  LineReporter reporter_;
  std::optional<TimeFilter> times_;
  Buffer sample_;                    ///< the text's beginning, for times_
  std::vector<SearchedChunk> held_;  ///< that it came from
  ScanSummary summary_;              ///< counts that the reporter does not keep

  Seam seam_;
  std::uint64_t unmatched_blocks_ = 0;      ///< read, without a match unless the seam holds one
  std::uint64_t last_hole_ = Error::kNone;  ///< the last block for a seam that was damaged
  std::uint64_t last_missing_read_ = Error::kNone;  ///< the last block that was read for a seam
  std::optional<Error> failure_;
  std::uint64_t plain_end_ = 0;   ///< after the last chunk, as far as known
  std::uint64_t removed_ = 0;     ///< bytes of a byte order mark, which offsets do not count
  std::uint64_t line_count_ = 0;  ///< '\n' of all segments so far
  std::deque<Segment> waiting_;
  bool after_hole_ = false;
  bool past_last_line_ = false;  ///< ScanOptions::last_line was seen
};

}  // namespace presso::scan_detail
