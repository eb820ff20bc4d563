// SPDX-License-Identifier: MIT
// Lines that a scan finds in one file after another: a thread of its own runs the scan and puts
// batches into a short queue; where that is full it waits. Nothing here knows of Python.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "presso/scanner.h"
#include "tools/python/src/opened_file.h"

namespace presso::python {

/// Immutable; may be run any number of times.
struct ScanJob {
  std::vector<OpenedFile> files;
  Pattern pattern;
  ScanOptions options;
};

/// A place that could not be searched, where these do not end the scan.
struct DamagedPlace {
  std::size_t file = 0;
  DamagedBlock block;
};

struct ScanTotals {
  std::uint64_t lines = 0;
  std::uint64_t matches = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t blocks_skipped = 0;
  std::uint64_t bytes_read = 0;
};

/// An error, and which file it is about.
struct FileFailure {
  std::size_t file = 0;
  Error error;
};

class LineQueue {
 public:
  struct Batch {
    std::size_t file = 0;
    LineBatch lines;
  };
  enum class State { kBatch, kEnd, kFailed, kWaiting };

  explicit LineQueue(std::shared_ptr<const ScanJob> job) : job_(std::move(job)) {}
  /// Ends the scan and joins its thread.
  ~LineQueue();
  LineQueue(const LineQueue&) = delete;
  LineQueue& operator=(const LineQueue&) = delete;

  const ScanJob& job() const { return *job_; }
  /// Waits for the next batch, kWaiting: for so long in vain. The thread begins with the first
  /// call. After kEnd and kFailed the same again.
  State next(Batch& to, std::chrono::milliseconds wait);
  /// After kFailed.
  const FileFailure& failure() const { return *failure_; }

  /// After kEnd.
  const ScanTotals& totals() const { return totals_; }
  const std::vector<DamagedPlace>& damage() const { return damage_; }

 private:
  void run();
  std::optional<FileFailure> scan_all();
  Status scan_file(std::size_t number, std::uint64_t& lines_left);
  bool put(std::size_t file, LineBatch& lines);

  static constexpr std::size_t kMostBatches = 4;

  std::shared_ptr<const ScanJob> job_;
  std::atomic<bool> cancelled_{false};
  bool started_ = false;
  std::thread thread_;
  // Of the thread; read when it has ended.
  ScanTotals totals_;
  std::vector<DamagedPlace> damage_;

  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable room_;
  std::deque<Batch> batches_;
  std::optional<FileFailure> failure_;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace presso::python
