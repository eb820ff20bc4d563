// SPDX-License-Identifier: MIT
// A batch is handed over when it is full or late, whichever comes first, so that a slow search
// shows its first lines at once. Memory: four batches in the queue, one being filled and one with
// the reader. Tested by python/tests/test_scan.py and python/tests/test_leaks.py.
#include "python/src/line_queue.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "tools/io/foreign_source.h"

namespace presso::python {
namespace {

// The most batches that wait; the search then waits for the reader.
constexpr std::size_t kMostBatches = 4;
// A batch with this much of one of these is full.
constexpr std::size_t kMostLines = std::size_t{1} << 16;
constexpr std::size_t kMostMatches = std::size_t{1} << 20;
constexpr std::size_t kMostNameBytes = std::size_t{64} << 20;  // the name, for each line
/// Only one line in this many looks at the clock.
constexpr std::size_t kClockLines = 16;
/// How often a full queue checks whether anybody still wants more.
constexpr auto kPoll = std::chrono::milliseconds(10);

/// The name counts for each line, since Arrow's column of paths repeats it.
bool is_full(const LineBatch& lines, const std::string& name) {
  return lines.text.size() >= Scanner::kBatchBytes || lines.lines.size() >= kMostLines ||
         lines.lines.size() * name.size() >= kMostNameBytes || lines.matches.size() >= kMostMatches;
}

}  // namespace

Status check_not_packed(const RandomAccess& file) {
  std::array<Byte, cli::kForeignBytes> begun;
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), cli::kForeignBytes));
  PRESSO_TRY(file.read_at(0, {begun.data(), size}));
  PRESSO_ASSIGN(const cli::ForeignFormat format, cli::foreign_format({begun.data(), size}));
  switch (format) {
    case cli::ForeignFormat::kNone:
      return {};
    case cli::ForeignFormat::kGzip:
      return make_error(ErrorCode::kUnsupported,
                        "is compressed by gzip; gzip.open(path) can be searched in its place");
    default:
      return make_error(ErrorCode::kUnsupported,
                        "is compressed by zstd or lz4; a file object that decompresses it can be "
                        "searched in its place");
  }
}

/// Opens the GPU's engine if the job asks for one; parts of files are left to the CPU, and the
/// reason is noted. A part is some blocks of a file, and kernels search whole files. Times and
/// records are not among what the engine is told.
Searches::Searches(const ScanJob& job) : job_(job) {
  if (job.gpu == nullptr) return;
  if (job.part) {
    note("a part of a file is searched");
  } else if (job.options.times) {
    note("only lines of some time are asked for");
  } else if (job.options.records) {
    note("records of several lines are asked for");
  } else {
    gpu_.emplace(*job.gpu);
  }
}

/// Searches one file where the job says. Each search is counted to the totals by its caller. If
/// the CPU searches the file although a GPU was asked for, the reason is noted.
Result<ScanSummary> Searches::search(const RandomAccess& file, const ScanOptions& options,
                                     const LineCallback& on_line) {
  if (gpu_) {
    Result<ScanSummary> found = gpu_->scan(file, options, on_line);
    note(gpu_->why_cpu());
    return found;
  }
  if (job_.part) return scan_part(file, *job_.part, job_.pattern, options, on_line);
  return scan(file, job_.pattern, options, on_line);
}

/// Adds up over files. Damage and the reason for the CPU are kept apart, as they are not sums.
void ScanTotals::add(const ScanSummary& found) {
  lines += found.lines;
  matches += found.matches;
  plain_bytes += found.plain_bytes;
  blocks += found.blocks;
  blocks_read += found.blocks_read;
  blocks_skipped += found.blocks_skipped;
  bytes_read += found.bytes_read;
}

/// Waits for the next batch, at most `wait`, so that the caller can look for signals. The search is
/// started by the first call.
LineQueue::State LineQueue::next(Batch& to, std::chrono::milliseconds wait) {
  if (!started_) {
    started_ = true;
    // The thread starts here and not in the constructor, so that a scan that is never read costs
    // none.
    const Status begun =
        work_.start([this](const std::atomic<bool>& cancelled) { run(cancelled); });
    if (!begun.ok()) {
      ended_ = true;
      failure_ = {0, begun.error()};
    }
  }
  std::unique_lock lock(mutex_);
  if (!filled_.wait_for(lock, wait, [this] { return ended_ || !batches_.empty(); })) {
    return State::kWaiting;
  }
  // Batches that were found before an error are given out first.
  if (batches_.empty()) {
    if (failure_) return State::kFailed;
    job_->last->set(totals_);
    return State::kEnd;
  }
  to = std::move(batches_.front());
  batches_.pop_front();
  room_.notify_one();
  return State::kBatch;
}

/// The scan's thread: searches all files and leaves the totals or the error. Nothing may leave this
/// function: an exception would end the process.
void LineQueue::run(const std::atomic<bool>& cancelled) {
  std::size_t at = 0;
  std::optional<Error> error;
  try {
    Searches searches(*job_);
    const Result<ScanTotals> done =
        scan_files(*job_, cancelled, at, [&](const RandomAccess& file, const ScanOptions& options) {
          return scan_file(searches, at, file, options);
        });
    if (done.ok()) {
      totals_ = *done;
      totals_.why_cpu = searches.why_cpu();
    } else {
      error = done.error();
    }
  } catch (const std::bad_alloc&) {
    error = make_error(ErrorCode::kOutOfMemory);
  } catch (const std::exception& problem) {
    error = make_error(ErrorCode::kIo, problem.what());
  }
  const std::lock_guard lock(mutex_);
  // Totals and error are set under the lock, before the reader can see the end.
  if (error) failure_ = {at, std::move(*error)};
  ended_ = true;
  filled_.notify_all();
}

/// Searches one file and puts its lines into the queue in batches.
Result<ScanSummary> LineQueue::scan_file(Searches& searches, std::size_t number,
                                         const RandomAccess& access, ScanOptions options) {
  // Lines are copied, because the library's text is valid during the callback only.
  LineBatch batch;
  const auto take = [&](const MatchedLine& line) {
    const std::size_t begin = batch.text.size();
    batch.text.insert(batch.text.end(), line.text.begin(), line.text.end());
    batch.lines.push_back({line.offset, line.number, begin, line.text.size(), batch.matches.size(),
                           line.matches.size(), line.kind});
    batch.matches.insert(batch.matches.end(), line.matches.begin(), line.matches.end());
    const bool is_due = is_full(batch, job_->files[number].name) ||
                        (batch.lines.size() % kClockLines == 1 && is_late());
    return !is_due || put(number, batch);
  };
  // Progress comes on the same thread, between blocks, so that a batch does not grow old.
  options.on_progress = [&](std::uint64_t) {
    if (!batch.lines.empty() && is_late()) put(number, batch);
  };
  Result<ScanSummary> found = searches.search(access, options, take);
  if (!batch.lines.empty() && !work_.cancelled()) put(number, batch);
  return found;
}

/// Puts a batch into the queue, waiting for room. Returns false if nobody wants more. `lines` is
/// empty afterwards.
bool LineQueue::put(std::size_t file, LineBatch& lines) {
  std::unique_lock lock(mutex_);
  while (batches_.size() >= kMostBatches) {
    // The wait is limited, because cancel() only sets a flag and wakes nobody.
    if (work_.cancelled()) return false;
    room_.wait_for(lock, kPoll);
  }
  LineBatch next;
  if (lines.text.size() >= Scanner::kBatchBytes) {  // there will be as many
    next.text.reserve(lines.text.capacity());
    next.lines.reserve(lines.lines.capacity());
  }
  batches_.push_back({file, std::exchange(lines, std::move(next))});
  filled_.notify_one();
  last_put_ = std::chrono::steady_clock::now();
  return true;
}

}  // namespace presso::python
