// SPDX-License-Identifier: MIT
// Queues the lines that a scan finds in one file after another. A thread of its own runs the scan
// and puts batches into a short queue; if the queue is full, the thread waits. So memory stays
// small however slowly Python takes the lines. Tested by python/tests/test_scan.py. It applies to
// lines and to Arrow's streams; counting needs no queue.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "presso/line_parts.h"
#include "presso/scanner.h"
#include "python/src/gpu_library.h"
#include "python/src/last.h"
#include "python/src/line_rules.h"
#include "python/src/opened_file.h"
#include "python/src/running_work.h"

namespace presso::python {

/// A place that could not be searched, for scans that go on after damage.
struct DamagedPlace {
  std::size_t file = 0;
  DamagedBlock block;
};

/// The sums over all files of a scan.
struct ScanTotals {
  std::uint64_t lines = 0;
  std::uint64_t matches = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t blocks_skipped = 0;
  std::uint64_t bytes_read = 0;
  std::vector<DamagedPlace> damage;
  std::string why_cpu;  ///< why not all was searched on the GPU that was asked for

  void add(const ScanSummary& found);
};

/// An error, and the number of the file that it is about.
struct FileFailure {
  std::size_t file = 0;
  Error error;
};

/// A scan that may be run any number of times; its uses share it and do not change it.
struct ScanJob {
  std::vector<OpenedFile> files;
  /// The part of the only file, if not all of it is searched.
  std::optional<LinePart> part;
  Pattern pattern;
  ScanOptions options;
  std::shared_ptr<Last<ScanTotals>> last;           ///< what a use that came to its end has found
  std::shared_ptr<Last<FileFailure>> failure = {};  ///< of Arrow's streams
  std::shared_ptr<const GpuPattern> gpu = {};  ///< the same pattern for a GPU that is to search
};

/// Searches a job's files, or the part of its file, on a GPU if the job has one. For one use of the
/// job, by one thread.
class Searches {
 public:
  /// Keeps the job by reference.
  explicit Searches(const ScanJob& job);
  /// Searches one file with this job's pattern. Errors: those of the search and of the device.
  Result<ScanSummary> search(const RandomAccess& file, const ScanOptions& options,
                             const LineCallback& on_line = {});
  /// The reason why the CPU searched the first file that the GPU did not, or empty.
  const std::string& why_cpu() const { return why_cpu_; }

 private:
  /// Only the first reason is kept, as it explains the rest.
  void note(const std::string& why_cpu) {
    if (why_cpu_.empty()) why_cpu_ = why_cpu;
  }

  const ScanJob& job_;
  std::optional<GpuSearch> gpu_;
  std::string why_cpu_;
};

/// A file whose reads fail with kCancelled when its work is cancelled, and which fails for good
/// after one read has failed: a file that cannot be read for now must not be taken for one without
/// an index. Any thread may read.
class GuardedAccess final : public RandomAccess {
 public:
  /// Keeps both by reference.
  GuardedAccess(const RandomAccess& file, const std::atomic<bool>& cancelled)
      : file_(file), cancelled_(cancelled) {}
  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    if (cancelled_) return make_error(ErrorCode::kCancelled);
    if (has_failed_) return failure();
    Status read = file_.read_at(offset, into);
    if (!read.ok() && !is_damage(read.error().code)) fail(read.error());
    return read;
  }
  /// The error of the first read that failed, which explains those after it.
  Status failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  void fail(const Error& error) const {
    const std::lock_guard lock(mutex_);
    if (!has_failed_.exchange(true)) failure_ = error;
  }

  const RandomAccess& file_;
  const std::atomic<bool>& cancelled_;
  mutable std::atomic<bool> has_failed_{false};
  mutable std::mutex mutex_;
  mutable Status failure_;
};

/// Error kUnsupported, with advice, where another program has compressed the file: nothing would be
/// found in its bytes. Reads the first of them.
Status check_not_packed(const RandomAccess& file);

/// Searches the files one after another, with ScanJob::options; max_lines is for all files
/// together. `scan_file(file, options)` searches one. `at` is set to the number of the file that it
/// has come to. Stops at the first file that cannot be searched; `at` then names it.
template <class ScanFile>
Result<ScanTotals> scan_files(const ScanJob& job, const std::atomic<bool>& cancelled,
                              std::size_t& at, const ScanFile& scan_file) {
  ScanTotals totals;
  for (at = 0; at < job.files.size() && totals.lines < job.options.max_lines; ++at) {
    ScanOptions options = job.options;
    options.max_lines -= totals.lines;
    options.cancelled = &cancelled;
    options.on_damage = [&](const DamagedBlock& block) { totals.damage.push_back({at, block}); };
    PRESSO_ASSIGN(const SharedAccess file, job.files[at].open());
    if (options.times || options.records) set_latest(options, file->modified());
    const GuardedAccess guarded(*file, cancelled);
    PRESSO_TRY(check_not_packed(guarded));
    const Result<ScanSummary> found = scan_file(guarded, options);
    if (!found.ok()) return with_advice(found.error(), options);
    // A failed read may have looked like a file without an index, so it is asked for here.
    PRESSO_TRY(guarded.failure());
    if (cancelled) return make_error(ErrorCode::kCancelled);
    totals.add(*found);
  }
  return totals;
}

/// The queue between the scan's thread and one reader.
class LineQueue {
 public:
  // A batch of lines of one file; a batch never mixes files.
  struct Batch {
    std::size_t file = 0;
    LineBatch lines;
  };
  // next() gives a batch, the end, the error, or nothing yet.
  enum class State { kBatch, kEnd, kFailed, kWaiting };
  /// The longest that a batch is held back: it is handed over when it is full, or when this much
  /// time has passed since the last one.
  static constexpr auto kLatency = std::chrono::milliseconds(10);

  explicit LineQueue(std::shared_ptr<const ScanJob> job) : job_(std::move(job)) {}
  LineQueue(const LineQueue&) = delete;
  LineQueue& operator=(const LineQueue&) = delete;

  const ScanJob& job() const { return *job_; }
  /// Waits for the next batch, at most for `wait`, and returns kWaiting if none came. The thread
  /// begins with the first call. At kEnd the totals are in the job. After kEnd and kFailed the same
  /// state is returned again.
  State next(Batch& to, std::chrono::milliseconds wait);
  /// The error, after kFailed.
  const FileFailure& failure() const { return *failure_; }

 private:
  /// The searching thread: all files in order, batch by batch. It runs until the end, the first
  /// error, or cancel().
  void run(const std::atomic<bool>& cancelled);
  Result<ScanSummary> scan_file(Searches& searches, std::size_t number, const RandomAccess& access,
                                ScanOptions options);
  bool is_late() const { return std::chrono::steady_clock::now() - last_put_ >= kLatency; }
  /// Hands a batch over; waits while the queue is full. False once nobody takes them.
  bool put(std::size_t file, LineBatch& lines);

  std::shared_ptr<const ScanJob> job_;
  bool started_ = false;
  std::chrono::steady_clock::time_point last_put_;  // of the work's thread

  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable room_;
  std::deque<Batch> batches_;
  std::optional<FileFailure> failure_;
  ScanTotals totals_;
  bool ended_ = false;

  /// The thread uses all other members, so this is the first one to be destroyed.
  RunningWork work_;
};

}  // namespace presso::python
