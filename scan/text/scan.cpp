// SPDX-License-Identifier: MIT
// The scan of one source, as a pipeline: chunks (chunk_source.h) are taken in order, decoded and
// searched by all threads (searched_chunk.h), joined in order (assembler.h) and reported
// (line_reporter.h). Errors end the scan after what was read before them has been reported. Tested
// by tests/unit/scan/text/scan_test.cpp.
#include "presso/scan.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "presso/line_parts.h"
#include "presso/ordered_pipeline.h"
#include "scan/blocks/line_parts.h"
#include "scan/blocks/member_times.h"
#include "scan/matching/null_data.h"
#include "scan/pattern/pattern_access.h"
#include "scan/text/assembler.h"
#include "scan/text/multiline.h"

namespace presso {
namespace {

using scan_detail::Assembler;
using scan_detail::Chunk;
using scan_detail::ChunkItem;
using scan_detail::ChunkSource;
using scan_detail::LineScanner;
using scan_detail::Matcher;
using scan_detail::MemberTimes;
using scan_detail::SearchedChunk;

/// The beginning of a text, which was read to learn how lines tell their time.
struct TextBegin {
  std::vector<Result<Chunk>> chunks;
  bool has_ended = false;  ///< there are no more
  std::vector<MemberTimes> times;
};

/// Reads it. Errors are those of the chunks.
TextBegin read_begin(ChunkSource& chunks, const TimeWindow& window) {
  TextBegin begin;
  Buffer sample;
  while (sample.size() < kTimeSampleBytes && !begin.has_ended) {
    Result<std::optional<ChunkItem>> item = chunks.take();
    begin.has_ended = !item.ok() || !*item;
    if (!item.ok()) begin.chunks.emplace_back(std::move(item.error()));
    if (begin.has_ended) break;
    const Result<Chunk>& chunk = begin.chunks.emplace_back(chunks.load(std::move(**item)));
    if (!chunk.ok()) begin.has_ended = true;
    if (!chunk.ok() || chunk->damage) continue;
    const Bytes text = chunk->text.bytes();
    const bool has_mark = chunk->offset == 0 && scan_detail::begins_with_mark(text);
    sample.append(text.subspan(has_mark ? scan_detail::kMarkBytes : 0));
  }
  begin.times = scan_detail::times_by_sample(sample.bytes(), window);
  return begin;
}

/// One run of a search of lines. Each worker has a scanner of its own; everything else is touched
/// by one thread at a time.
class ScanRun {
 public:
  ScanRun(ChunkSource& chunks, const Matcher& matcher, const ScanOptions& options,
          const LineCallback& on_line, std::span<const MemberTimes> times, TextBegin begin = {})
      : begin_(std::move(begin)),
        times_(times.empty() ? begin_.times : times),
        chunks_(chunks),
        matcher_(matcher),
        options_(options),
        has_callback_(static_cast<bool>(on_line)),
        assembler_(matcher, options, on_line, chunks, times_) {}

  /// Runs the pipeline: chunks are loaded and searched by all threads and handed to the assembler
  /// in order. Memory: some chunks for each thread.
  Result<ScanSummary> run() {
    PipelineOptions pipeline;
    pipeline.threads = threads_or_all(options_.threads);
    scanners_.resize(pipeline.threads);
    bool stopped = false;
    const Status status = run_ordered<Work, SearchedChunk>(
        pipeline, [&] { return take(); },
        [&](Work work, unsigned worker) { return search(std::move(work), worker); },
        [&](SearchedChunk searched) -> Result<bool> {
          PRESSO_ASSIGN(const bool more, assembler_.add(std::move(searched)));
          stopped = !more;
          return more;
        });
    // Also on an error: what was read before it is reported.
    if (!stopped) assembler_.finish();
    if (!status.ok()) return status.error();
    if (options_.is_cancelled()) return make_error(ErrorCode::kCancelled);
    if (assembler_.failure()) return *assembler_.failure();
    return assembler_.summary();
  }

 private:
  /// A chunk to be loaded, or one that has been.
  using Work = std::variant<ChunkItem, Result<Chunk>>;

  Result<std::optional<Work>> take() {
    if (options_.is_cancelled()) return make_error(ErrorCode::kCancelled);
    if (taken_ < begin_.chunks.size()) {
      return std::optional<Work>(std::move(begin_.chunks[taken_++]));
    }
    if (begin_.has_ended) return std::optional<Work>();
    PRESSO_ASSIGN(std::optional<ChunkItem> item, chunks_.take());
    if (!item) return std::optional<Work>();
    return std::optional<Work>(std::move(*item));
  }

  /// Loads and searches one chunk, on a worker thread. An error travels with the chunk, so that it
  /// is met in its place.
  SearchedChunk search(Work work, unsigned worker) {
    auto* const item = std::get_if<ChunkItem>(&work);
    Result<Chunk> chunk =
        item != nullptr ? chunks_.load(std::move(*item)) : std::move(std::get<Result<Chunk>>(work));
    if (!chunk.ok()) {
      SearchedChunk failed;
      failed.error = std::move(chunk.error());
      return failed;
    }
    if (matcher_.null_data()) {
      scan_detail::exchange_nul_and_line_feed(chunk->text.mutable_bytes());
    }
    return scan_detail::search_chunk(std::move(*chunk), scanner_of(worker));
  }

  /// The scanner of a worker, made by that worker when it first has something to do.
  LineScanner& scanner_of(unsigned worker) {
    auto& scanner = scanners_[worker];
    if (!scanner) {
      scanner = std::make_unique<LineScanner>(
          matcher_, scan_detail::line_scan_options(options_, has_callback_), options_.decode.level,
          scan_detail::record_borders(options_, times_), scan_detail::record_conditions(options_));
    }
    return *scanner;
  }

  TextBegin begin_;
  std::size_t taken_ = 0;  ///< of begin_.chunks
  const std::span<const MemberTimes> times_;
  ChunkSource& chunks_;
  const Matcher& matcher_;
  const ScanOptions& options_;
  bool has_callback_;
  Assembler assembler_;
  std::vector<std::unique_ptr<LineScanner>> scanners_;
};

/// The options with the rule for binary files switched off, where it cannot apply.
ScanOptions without_binary_rule(const ScanOptions& options) {
  ScanOptions result = options;
  result.binary = BinaryRule::kText;
  return result;
}

/// Runs the search that the pattern needs. `expected_bytes` is the size of the text, or 0 if it is
/// not known; `times`: of each member, where the options ask for times and it is known.
Result<ScanSummary> scan_chunks(ChunkSource& chunks, const Pattern& pattern,
                                const ScanOptions& options, const LineCallback& on_line,
                                std::uint64_t expected_bytes,
                                std::span<const MemberTimes> times = {}) {
  const Matcher& matcher = scan_detail::matcher_of(pattern);
  if (options.times && (matcher.spans_lines() || matcher.null_data())) {
    return make_error(ErrorCode::kUnsupported, "times are those of lines that line feeds end");
  }
  if (options.records && (matcher.spans_lines() || matcher.null_data())) {
    return make_error(ErrorCode::kUnsupported, "records are of lines that line feeds end");
  }
  if (matcher.spans_lines()) {
    return scan_detail::scan_multiline(chunks, matcher, options, on_line, expected_bytes);
  }
  TextBegin begin;
  const bool by_time = options.records && options.records->kind == RecordRule::Kind::kTime;
  if (by_time && times.empty())
    begin = read_begin(chunks, options.records->times.value_or(TimeWindow{}));
  // If the index of a file is used, the file holds no NUL byte where one would count
  // (block_index.cpp).
  if (matcher.null_data() || chunks.index() != nullptr) {
    return ScanRun(chunks, matcher, without_binary_rule(options), on_line, times).run();
  }
  return ScanRun(chunks, matcher, options, on_line, times, std::move(begin)).run();
}

}  // namespace

/// Scans a source of bytes that can be read once; it may be compressed or plain.
Result<ScanSummary> scan(ByteSource& source, const Pattern& pattern, const ScanOptions& options,
                         const LineCallback& on_line) {
  PRESSO_ASSIGN(const std::unique_ptr<ChunkSource> chunks,
                scan_detail::open_chunks(source, options));
  return scan_chunks(*chunks, pattern, options, on_line, 0);
}

Result<ScanSummary> scan(const RandomAccess& file, const Pattern& pattern,
                         const ScanOptions& options, const LineCallback& on_line) {
  PRESSO_ASSIGN(ScannedFile opened, ScannedFile::open(file));
  return scan(opened, pattern, options, on_line);
}

/// Scans a file at hand: only here can the index leave out blocks.
Result<ScanSummary> scan(ScannedFile& file, const Pattern& pattern, const ScanOptions& options,
                         const LineCallback& on_line) {
  // The index is asked before it is taken.
  const auto times = file.times(options);
  const std::unique_ptr<ChunkSource> chunks = scan_detail::open_chunks(file, pattern, options);
  // The text of a compressed file is larger than the file, but how much is not known.
  const std::uint64_t expected_bytes = options.limits_blocks() ? 0 : file.file().size();
  return scan_chunks(*chunks, pattern, options, on_line, expected_bytes, *times);
}

/// Scans those lines of a file that begin in the part's blocks.
Result<ScanSummary> scan_part(const RandomAccess& file, const LinePart& part,
                              const Pattern& pattern, const ScanOptions& options,
                              const LineCallback& on_line) {
  PRESSO_ASSIGN(const std::unique_ptr<ChunkSource> chunks,
                scan_detail::open_part_chunks(file, part, pattern, options));
  PRESSO_ASSIGN(ScanSummary found, scan_chunks(*chunks, pattern, options, on_line, 0));
  // Nothing was looked at if the plain text before the part was all there is.
  found.plain_bytes -= std::min(found.plain_bytes, part.begin);
  return found;
}

}  // namespace presso
