// SPDX-License-Identifier: MIT
// A pattern with the options of its search, for one file after another: lines one by one or in
// batches, and an end from another thread. On the CPU, or by what else searches files (a GPU:
// presso/scan_gpu.h).
//
//   presso::Scanner scanner(*pattern);
//   scanner.run_batches(file, [&](const presso::LineBatch& batch) { return take(batch); });
//   scanner.cancel();  // from any thread: the run ends with kCancelled
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "presso/scan.h"
#include "presso/scanned_file.h"

namespace presso {

/// Reported lines, one behind another in memory of their own. Valid during the callback; a caller
/// may move it away.
struct LineBatch {
  struct Line {
    std::uint64_t offset = 0;  ///< as in MatchedLine
    std::uint64_t number = 0;
    std::size_t begin = 0;  ///< in `text`
    std::size_t bytes = 0;
    std::size_t first_match = 0;  ///< in `matches`
    std::size_t match_count = 0;
    LineKind kind = LineKind::kMatch;
  };
  std::vector<Byte> text;
  std::vector<Line> lines;
  std::vector<MatchSpan> matches;  ///< within their line

  Bytes text_of(const Line& line) const { return Bytes(text).subspan(line.begin, line.bytes); }
  std::span<const MatchSpan> matches_of(const Line& line) const {
    return std::span(matches).subspan(line.first_match, line.match_count);
  }
};

/// In order, never concurrently, at least one line each. Return false to stop.
using BatchCallback = std::function<bool(LineBatch&)>;

/// Searches files for one pattern by other means than presso::scan(), with the same results. Calls
/// one at a time.
class FileSearch {
 public:
  virtual ~FileSearch() = default;
  /// As presso::scan(). What these means are not for, presso::scan() does.
  virtual Result<ScanSummary> scan(ScannedFile& file, const ScanOptions& options,
                                   const LineCallback& on_line) = 0;
  /// Why the last file was left to presso::scan(); nullopt where it was not.
  virtual std::optional<std::string> why_cpu() const = 0;
  /// For people: how it searches.
  virtual std::string describe() const = 0;
};

/// Runs one at a time; cancel() from any thread.
class Scanner {
 public:
  /// `options` without ScanOptions::cancelled, which is the scanner's.
  explicit Scanner(Pattern pattern, ScanOptions options = {});
  /// Files are searched by `files`, which is for the same pattern; streams by the CPU.
  Scanner(Pattern pattern, ScanOptions options, std::shared_ptr<FileSearch> files);

  /// As presso::scan(). Errors: likewise, and kCancelled.
  Result<ScanSummary> run(ByteSource& source, const LineCallback& on_line = {});
  Result<ScanSummary> run(const RandomAccess& file, const LineCallback& on_line = {});

  /// The same, lines in batches: `on_batch` is called when their text has `batch_bytes`, at the end
  /// with the rest, and before an error but kCancelled is returned.
  Result<ScanSummary> run_batches(ByteSource& source, const BatchCallback& on_batch,
                                  std::size_t batch_bytes = kBatchBytes);
  Result<ScanSummary> run_batches(const RandomAccess& file, const BatchCallback& on_batch,
                                  std::size_t batch_bytes = kBatchBytes);

  /// Ends the run under way soon, and at once every later one until reset(). Nothing is delivered
  /// any more: called from a callback, that call was the last.
  void cancel() { cancelled_->store(true); }
  void reset() { cancelled_->store(false); }

  static constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

 private:
  Pattern pattern_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  ///< where it is does not change with the scanner
  ScanOptions options_;
  std::shared_ptr<FileSearch> files_;
};

}  // namespace presso
