// SPDX-License-Identifier: MIT
// The object of the public interface (presso/scanner.h): a pattern with its options, run on sources
// and files, line by line or in batches, and cancelled from any thread. What it is run on is
// scan()'s business or, with a GPU, that of the FileSearch that it was given.

#include "presso/scanner.h"

#include <utility>

namespace presso {
namespace {

/// Gathers lines and hands them on when their text is long enough. This saves calls across a
/// language border.
class Batches {
 public:
  Batches(const BatchCallback& on_batch, std::size_t batch_bytes)
      : on_batch_(on_batch), batch_bytes_(batch_bytes) {}

  /// Copies the line into the batch; false where the caller wants no more.
  bool add(const MatchedLine& line) {
    LineBatch::Line added;
    added.offset = line.offset;
    added.number = line.number;
    added.begin = batch_.text.size();
    added.bytes = line.text.size();
    added.first_match = batch_.matches.size();
    added.match_count = line.matches.size();
    added.kind = line.kind;
    batch_.lines.push_back(added);
    batch_.text.insert(batch_.text.end(), line.text.begin(), line.text.end());
    batch_.matches.insert(batch_.matches.end(), line.matches.begin(), line.matches.end());
    return batch_.text.size() < batch_bytes_ || flush();
  }

  /// Hands the batch out, if it has lines; false where the caller wants no more.
  bool flush() {
    if (batch_.lines.empty() || stopped_) return !stopped_;
    stopped_ = !on_batch_(batch_);
    batch_.text.clear();
    batch_.lines.clear();
    batch_.matches.clear();
    return !stopped_;
  }

 private:
  const BatchCallback& on_batch_;
  std::size_t batch_bytes_;
  LineBatch batch_;
  bool stopped_ = false;
};

/// Runs a scan (`run`) whose lines are gathered in batches of about `batch_bytes` bytes. The last
/// batch is handed out even if the scan ends with an error, but not if it was cancelled.
template <class Run>
Result<ScanSummary> in_batches(const BatchCallback& on_batch, std::size_t batch_bytes,
                               const Run& run) {
  Batches batches(on_batch, batch_bytes);
  Result<ScanSummary> summary = run([&](const MatchedLine& line) { return batches.add(line); });
  const bool cancelled = !summary.ok() && summary.error().code == ErrorCode::kCancelled;
  if (!cancelled) batches.flush();
  return summary;
}

}  // namespace

Scanner::Scanner(Pattern pattern, ScanOptions options)
    : Scanner(std::move(pattern), std::move(options), nullptr) {}

Scanner::Scanner(Pattern pattern, ScanOptions options, std::shared_ptr<FileSearch> files)
    : pattern_(std::move(pattern)),
      cancelled_(std::make_shared<std::atomic<bool>>(false)),
      options_(std::move(options)),
      files_(std::move(files)) {
  options_.cancelled = cancelled_.get();
}

Result<ScanSummary> Scanner::run(ByteSource& source, const LineCallback& on_line) {
  return scan(source, pattern_, options_, on_line);
}

Result<ScanSummary> Scanner::run(const RandomAccess& file, const LineCallback& on_line) {
  PRESSO_ASSIGN(ScannedFile opened, ScannedFile::open(file));
  if (files_ != nullptr) return files_->scan(opened, options_, on_line);
  return scan(opened, pattern_, options_, on_line);
}

Result<ScanSummary> Scanner::run_batches(ByteSource& source, const BatchCallback& on_batch,
                                         std::size_t batch_bytes) {
  return in_batches(on_batch, batch_bytes,
                    [&](const LineCallback& on_line) { return run(source, on_line); });
}

Result<ScanSummary> Scanner::run_batches(const RandomAccess& file, const BatchCallback& on_batch,
                                         std::size_t batch_bytes) {
  return in_batches(on_batch, batch_bytes,
                    [&](const LineCallback& on_line) { return run(file, on_line); });
}

}  // namespace presso
