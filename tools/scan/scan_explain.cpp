// SPDX-License-Identifier: MIT
#include "tools/scan/scan_explain.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "presso/archive_reader.h"
#include "presso/ordered_pipeline.h"
#include "scan/blocks/block_index.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/info/archive_report.h"
#include "tools/io/progress.h"

namespace presso::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSampleBytes = std::uint64_t{2} << 20;
constexpr std::uint64_t kPieces = 8;
static_assert(kSampleBytes / kPieces <= kExplainedBytes);

std::string seconds_in_words(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g s", seconds);
  return text;
}

std::string rate(double bytes, double seconds) {
  return seconds > 0 ? rate_text(bytes / seconds) : "too fast to tell";
}

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// The best of a few runs over a text in memory, on one thread.
std::optional<double> time_scan(Bytes text, const Pattern& pattern, const ScanOptions& options,
                                const LineCallback& on_line) {
  constexpr int kRuns = 3;
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = Clock::now();
    if (!scan(MemoryRandomAccess(text), pattern, options, on_line).ok()) return std::nullopt;
    const double passed = nanoseconds_since(start);
    best = run == 0 ? passed : std::min(best, passed);
  }
  return best;
}

}  // namespace

void FileExplanation::before(const ScanInput& input) {
  if (input.file() == nullptr) {
    inform(name_,
           "read in order from one end to the other; its size is not known, so no time "
           "is predicted");
    spoken_of_ = true;
    return;
  }
  const std::optional<Extent> extent = extent_of(*input.file(), input.is_plain());
  if (!extent || extent->plain_bytes < kExplainedBytes) return;
  spoken_of_ = true;
  describe(*extent);
  if (options_.limits_blocks() || options_.limits_lines()) {
    return inform(name_, "predicted: nothing, as only some of its lines or blocks are searched");
  }
  const std::optional<Costs> costs = costs_of(*input.file(), *extent);
  if (costs) predict(*extent, *costs);
}

std::optional<FileExplanation::Extent> FileExplanation::extent_of(const RandomAccess& file,
                                                                  bool is_plain) const {
  Extent extent;
  if (is_plain) {
    extent.plain_bytes = extent.wanted_bytes = file.size();
    return extent;
  }
  const Result<ArchiveIndex> archive = ArchiveIndex::open(file);
  if (!archive.ok() || archive->block_count() == 0) return std::nullopt;
  extent.plain_bytes = extent.wanted_bytes = archive->plain_bytes();
  extent.blocks = extent.wanted_blocks = archive->block_count();
  const auto header = archive->read_block_header(extent.blocks / 2);
  if (header.ok()) extent.coding = cli::name(header->coding);
  std::optional<ArchiveIndex> spare;
  const scan_detail::RequiredLiterals& required = scan_detail::matcher_of(pattern_).required();
  const auto index = scan_detail::BlockIndex::open(file, required, options_, spare);
  if (!index) return extent;
  extent.has_index = true;
  extent.wanted_blocks = extent.wanted_bytes = 0;
  for (std::uint64_t block = 0; block < index->block_count(); ++block) {
    if (!index->wanted(block)) continue;
    ++extent.wanted_blocks;
    extent.wanted_bytes += index->plain_bytes(block);
  }
  return extent;
}

void FileExplanation::describe(const Extent& extent) const {
  std::string text = grouped(extent.plain_bytes) + " bytes of text";
  if (extent.blocks == 0) return inform(name_, text + ", plain");
  text += " in " + grouped(extent.blocks) + " blocks";
  if (!extent.coding.empty()) text += ", coding " + extent.coding;
  text += extent.has_index
              ? "; by the index " + grouped(extent.wanted_blocks) + " of them may hold a match"
              : "; no index that this pattern can use, all of them are read";
  inform(name_, text);
}

/// Pieces spread over the file, one behind the other. Each is read twice and the second time
/// counts: the first one may have to wait for the device.
std::optional<FileExplanation::Sample> FileExplanation::sample_of(const RandomAccess& file,
                                                                  const Extent& extent) const {
  DecodeOptions how;
  how.level = options_.level;
  how.verify = options_.verify;
  how.dictionaries = options_.dictionaries;
  std::optional<Result<CompressedFile>> compressed;
  if (extent.blocks > 0) {
    compressed.emplace(CompressedFile::open(file, how));
    if (!compressed->ok()) return std::nullopt;
  }
  Sample sample;
  const auto take = [&](std::uint64_t part) -> Result<Buffer> {
    if (compressed) return (**compressed).read_block(extent.blocks * part / (2 * kPieces));
    Buffer piece;
    piece.resize_discarding(kSampleBytes / kPieces);
    const std::uint64_t begin = (extent.plain_bytes - piece.size()) * part / (2 * kPieces);
    PRESSO_TRY(file.read_at(begin, piece.mutable_bytes()));
    return piece;
  };
  for (std::uint64_t i = 0; i < kPieces && sample.text.size() < kSampleBytes; ++i) {
    if (!take(2 * i + 1).ok()) return std::nullopt;
    const auto start = Clock::now();
    const Result<Buffer> piece = take(2 * i + 1);
    sample.nanoseconds += nanoseconds_since(start);
    if (!piece.ok()) return std::nullopt;
    sample.text.append(piece->bytes());
  }
  return sample;
}

std::optional<FileExplanation::Costs> FileExplanation::costs_of(const RandomAccess& file,
                                                                const Extent& extent) const {
  const std::optional<Sample> sample = sample_of(file, extent);
  if (!sample || sample->text.empty()) return std::nullopt;
  ScanOptions options;
  options.threads = 1;
  options.level = options_.level;
  options.null_data = options_.null_data;
  const Result<Pattern> nothing = Pattern::compile_literals({});
  if (!nothing.ok()) return std::nullopt;
  const auto without = time_scan(sample->text.bytes(), *nothing, options, {});
  options.invert = options_.invert;
  options.line_numbers = options_.line_numbers;
  options.matches = options_.matches;
  LineCallback on_line;
  if (prints_lines_) on_line = [](const MatchedLine&) { return true; };
  const auto with = time_scan(sample->text.bytes(), pattern_, options, on_line);
  if (!without || !with) return std::nullopt;
  const auto bytes = static_cast<double>(sample->text.size());
  return Costs{sample->nanoseconds / bytes, std::max(*with - *without, 0.0) / bytes};
}

void FileExplanation::predict(const Extent& extent, const Costs& costs) const {
  const unsigned threads = threads_or_all(options_.threads);
  const double searchers = pattern_.spans_lines() ? 1 : threads;
  const double seconds = static_cast<double>(extent.wanted_bytes) *
                         (costs.decoding / threads + costs.searching / searchers) * 1e-9;
  const double plain = static_cast<double>(extent.plain_bytes);
  inform(name_, "predicted for all of it on the CPU: " + seconds_in_words(seconds) + ", " +
                    rate(plain, seconds) + " (samples of it, on one thread: " +
                    (extent.blocks > 0 ? "decoding " : "reading ") +
                    rate(1, costs.decoding * 1e-9) + ", searching " +
                    rate(1, costs.searching * 1e-9) + "; threads: " + std::to_string(threads) +
                    (pattern_.spans_lines() ? ", one of which searches)" : ")"));
}

void FileExplanation::after(const FileResult& result) const {
  const ScanSummary& summary = result.summary;
  if (!spoken_of_ && summary.plain_bytes < kExplainedBytes) return;
  const double seconds = std::chrono::duration<double>(result.elapsed).count();
  std::string text = "actual: " + seconds_in_words(seconds) + ", " +
                     rate(static_cast<double>(summary.plain_bytes), seconds) + ", " +
                     grouped(summary.plain_bytes) + " bytes of text";
  if (summary.blocks > 0) {
    text += "; blocks: " + grouped(summary.blocks_read) + " read, " +
            grouped(summary.blocks_skipped) + " skipped by the index";
    if (summary.index_used) text += ", " + grouped(summary.blocks_read_in_vain) + " read in vain";
  }
  inform(name_, text);
}

}  // namespace presso::cli
