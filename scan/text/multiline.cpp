// SPDX-License-Identifier: MIT
// scan_multiline(): all threads read and decode into one text, which is then searched by one. A
// text above ScanOptions::multiline_limit is kUnsupported. A damaged block ends the text before it,
// which is searched; with fail_fast the block's error then ends the scan.
#include "scan/text/multiline.h"

#include <utility>

#include "presso/ordered_pipeline.h"
#include "scan/text/multiline_search.h"

namespace presso::scan_detail {
namespace {

/// What a worker has made of a chunk.
struct LoadedChunk {
  Chunk chunk;
  std::size_t bytes_in_place = 0;  ///< read into the whole text already; then the chunk is empty
  std::optional<Error> error;      ///< of reading
};

/// Collects chunks into one text and has it searched when a damaged block or the end comes.
class WholeText {
 public:
  WholeText(ChunkSource& chunks, const Matcher& matcher, const ScanOptions& options,
            const LineCallback& on_line)
      : chunks_(chunks), options_(options), search_(matcher, options, on_line) {}

  /// Takes memory for that much text, in large pages where the system has them. Error: kUnsupported
  /// where it is over the limit.
  Status make_room(std::uint64_t bytes) {
    PRESSO_TRY(check_limit(bytes));
    text_.use_large_pages();
    text_.resize_discarding(static_cast<std::size_t>(bytes));
    text_.clear();
    room_ = bytes;
    return {};
  }

  /// The place in the text where a piece of plain text belongs, or an empty range if there is no
  /// room for it. All threads may call it: plain text has no damaged blocks, so nothing moves.
  MutableBytes place_for(const FileRange& range) {
    if (range.begin + range.bytes > room_) return {};
    return {text_.data() + range.begin, range.bytes};
  }

  /// Appends a chunk. Returns false if the scan need not go on.
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

  /// Searches the text that was gathered and forgets it; false where no more is wanted.
  bool search() {
    const bool goes_on = search_.search(text_.bytes(), offset_);
    summary_.plain_bytes += text_.size();
    offset_ += text_.size();
    text_.clear();
    return goes_on;
  }
  ScanSummary summary() const {
    ScanSummary summary = summary_;
    search_.add_to(summary);
    return summary;
  }

 private:
  /// Error: kUnsupported, with the limit in its text.
  Status check_limit(std::uint64_t bytes) const {
    if (bytes <= options_.multiline_limit) return {};
    return make_error(ErrorCode::kUnsupported,
                      "its text is larger than " + std::to_string(options_.multiline_limit) +
                          " bytes, the limit for matches across lines, which need all of it in "
                          "memory");
  }

  /// Searches the text before a damaged block and begins a new one after it.
  Result<bool> add_damage(DamagedBlock damage) {
    const bool goes_on = search();
    if (options_.fail_fast) return std::move(damage.error);
    if (damage.plain_bytes == 0) damage.plain_offset = offset_;
    offset_ = damage.plain_offset + damage.plain_bytes;
    ++summary_.damaged_blocks;
    if (goes_on && options_.on_damage) options_.on_damage(damage);
    return goes_on;
  }

  void count_block(const Chunk& chunk) {
    if (!chunk.is_block) return;
    ++summary_.blocks;
    ++summary_.blocks_read;
    summary_.bytes_read += chunk.stored_bytes;
  }

  ChunkSource& chunks_;
  const ScanOptions& options_;
  MultilineSearch search_;
  ScanSummary summary_;  ///< what is not the search's
  Buffer text_;
  std::uint64_t room_ = 0;
  std::uint64_t offset_ = 0;
};

/// The work of one thread: reads a chunk, straight into its place in the text where possible.
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

/// Reads the whole plain text into one buffer, decoding in parallel, and then searches it with one
/// thread; damage cuts it into texts of their own. Memory: the plain text.
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
