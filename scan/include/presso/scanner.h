// SPDX-License-Identifier: MIT
// A pattern together with the options of its search, for one file after another. Lines come one by
// one or in batches, and another thread can end the search. Files are searched on the CPU, or by a
// FileSearch (on a GPU: presso/scan_gpu.h).
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

/// Reported lines with their text in one piece of memory. The batch is valid during the callback; a
/// callback that wants to keep it may move it away.
struct LineBatch {
  struct Line {
    std::uint64_t offset = 0;  ///< in the plain text, as MatchedLine::offset
    std::uint64_t number = 0;  ///< as MatchedLine::number
    std::size_t begin = 0;     ///< where the line begins in `text`
    std::size_t bytes = 0;
    std::size_t first_match = 0;  ///< in `matches`
    std::size_t match_count = 0;
    LineKind kind = LineKind::kMatch;
  };
  std::vector<Byte> text;
  std::vector<Line> lines;
  std::vector<MatchSpan> matches;  ///< matches of all lines, as places in their line

  Bytes text_of(const Line& line) const { return Bytes(text).subspan(line.begin, line.bytes); }
  std::span<const MatchSpan> matches_of(const Line& line) const {
    return std::span(matches).subspan(line.first_match, line.match_count);
  }
};

/// Called in order, never concurrently, with at least one line. Return false to stop.
using BatchCallback = std::function<bool(LineBatch&)>;

/// Searches files for one pattern by means other than presso::scan(), for example on a GPU, with
/// the same results. One call at a time.
class FileSearch {
 public:
  virtual ~FileSearch() = default;
  /// As presso::scan(), to which it leaves whatever it cannot search.
  virtual Result<ScanSummary> scan(ScannedFile& file, const ScanOptions& options,
                                   const LineCallback& on_line) = 0;
  /// Returns the reason why the last file was left to presso::scan(); nullopt if it was not.
  virtual std::optional<std::string> why_cpu() const = 0;
  /// For people: how it searches.
  virtual std::string describe() const = 0;
};

/// Runs searches that another thread may end. One run at a time; cancel() may be called from any
/// thread.
class Scanner {
 public:
  /// ScanOptions::cancelled is replaced by the scanner's own.
  explicit Scanner(Pattern pattern, ScanOptions options = {});
  /// Files are searched by `files`, made for the same pattern; streams by the CPU.
  Scanner(Pattern pattern, ScanOptions options, std::shared_ptr<FileSearch> files);

  /// As presso::scan(), with its errors and kCancelled.
  Result<ScanSummary> run(ByteSource& source, const LineCallback& on_line = {});
  Result<ScanSummary> run(const RandomAccess& file, const LineCallback& on_line = {});

  /// As run(), but lines come in batches. `on_batch` is called when the text of a batch has reached
  /// `batch_bytes`, with the rest at the end, and before any error except kCancelled is returned.
  Result<ScanSummary> run_batches(ByteSource& source, const BatchCallback& on_batch,
                                  std::size_t batch_bytes = kBatchBytes);
  Result<ScanSummary> run_batches(const RandomAccess& file, const BatchCallback& on_batch,
                                  std::size_t batch_bytes = kBatchBytes);

  /// Ends the current run soon, and every later one at once until reset(). Nothing is delivered any
  /// more; if cancel() is called from a callback, that was the callback's last call.
  void cancel() { cancelled_->store(true); }
  /// Allows runs again after cancel().
  void reset() { cancelled_->store(false); }

  static constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

 private:
  Pattern pattern_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  ///< its address stays when the scanner is moved
  ScanOptions options_;
  std::shared_ptr<FileSearch> files_;
};

}  // namespace presso
