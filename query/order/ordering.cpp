// SPDX-License-Identifier: MIT
// Implements ordering.h, ORDER BY with and without LIMIT. Threads collect rows independently. At
// the end all threads sort and merge them together. If some thread has written rows to a file, all
// rows go to files; these are merged to fewer while there are too many to hold a batch of each in
// memory, and the last ones as rows are asked for. Rows in memory are copied out by all threads, a
// batch each.
//
// Memory: three quarters belong to the threads, in equal parts, until the end; what they need
// besides rows and keys, and batches that come out, take the rest. Files are merged in half of it.
#include "query/order/ordering.h"

#include <algorithm>
#include <deque>

#include "format/threads/parallel.h"
#include "query/order/entry_merge.h"
#include "query/order/row_collector.h"
#include "query/order/run_merge.h"

namespace presso::query {
namespace {

/// The most rows of a batch that comes out, and the most runs that are merged at a time.
constexpr std::size_t kMostRows = std::size_t{kBatchRows} * 64;
constexpr std::size_t kMostRuns = 128;
/// Bytes of a batch in a file: large enough to be read in one go, small enough that one batch of
/// each run fits into memory.
constexpr std::uint64_t kMostBatchBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kLeastBatchBytes = std::uint64_t{4} << 10;

/// Adds a column for the row's number, which makes the order of equal keys that of the input, and
/// divides the memory among threads.
SortPlan plan_for(const OrderingPlan& plan) {
  SortPlan sort;
  sort.columns = plan.columns;
  sort.columns.push_back(Physical::kInt64);
  sort.keys = plan.keys;
  sort.limit = plan.limit;
  sort.thread_bytes = plan.memory_bytes / 4 * 3 / plan.threads;
  sort.chunk_bytes = sort.thread_bytes / 16;
  sort.batch_bytes = std::clamp(plan.memory_bytes / 512, kLeastBatchBytes, kMostBatchBytes);
  sort.temporary_directory = plan.temporary_directory;
  return sort;
}

/// The only implementation of Ordering.
class SortedRows final : public Ordering {
 public:
  explicit SortedRows(const OrderingPlan& plan)
      : threads_(plan.threads),
        memory_bytes_(plan.memory_bytes),
        plan_(plan_for(plan)),
        merge_memory_(memory_),
        left_(plan.limit) {
    for (unsigned i = 0; i < threads_; ++i) {
      collectors_.push_back(std::make_unique<RowCollector>(plan_, memory_));
    }
  }

  using Ordering::add;
  Status add(unsigned worker, const RowNumbers& numbers, std::span<const VectorView> columns,
             std::uint32_t count) override {
    return without_bad_alloc([&] { return collectors_[worker]->add(numbers, columns, count); });
  }

  /// The first call sorts; later ones hand out what is ready.
  Result<RowStore> next() override {
    return without_bad_alloc([&]() -> Result<RowStore> {
      if (!std::exchange(started_, true)) PRESSO_TRY(start());
      if (ready_.empty() && left_ > 0) PRESSO_TRY(in_files_ ? read_batch() : copy_batches());
      if (ready_.empty()) return empty();
      RowStore rows = std::move(ready_.front());
      ready_.pop_front();
      return rows;
    });
  }

  std::uint64_t peak_bytes() const override { return memory_.peak(); }
  std::uint64_t spilled_bytes() const override {
    std::uint64_t bytes = merged_bytes_;
    for (const auto& collector : collectors_) bytes += collector->spilled_bytes();
    return bytes;
  }
  std::string describe() const override;

 private:
  /// A batch without rows, with the caller's columns.
  RowStore empty() const { return RowStore({plan_.columns.begin(), plan_.columns.end() - 1}); }

  Status start();
  KeyCoding final_coding() const;
  Status sort_in_memory();
  std::vector<SourceRange> parts_to_sort(std::vector<RowSource>& sources) const;
  Status merge_files();
  Result<FileRun> merged(std::vector<FileRun> runs);
  std::size_t runs_at_once(const std::vector<FileRun>& runs) const;
  std::uint64_t rows_of_copies() const;
  Status copy_batches();
  Status read_batch();
  static void append_rows(std::span<const RowSource> sources, std::span<const SortEntry> picks,
                          RowGather& gather, RowStore& to);

  const unsigned threads_;
  const std::uint64_t memory_bytes_;
  const SortPlan plan_;
  MemoryCount memory_;
  std::vector<std::unique_ptr<RowCollector>> collectors_;
  HeldMemory merge_memory_;
  bool started_ = false;  ///< whether sorting has begun
  bool in_files_ = false;
  std::vector<RowSource> sources_;   ///< rows in memory
  EntryArray sorted_;                ///< the order of the rows in memory
  std::size_t next_ = 0;             ///< index in sorted_ of the next row to come out
  std::unique_ptr<RunMerge> merge_;  ///< rows in files
  std::size_t file_runs_ = 0;
  std::uint64_t merged_bytes_ = 0;  ///< bytes that were written when runs were merged to fewer
  std::uint64_t left_;              ///< rows that are wanted and did not come out yet
  std::deque<RowStore> ready_;
};

/// The text of --explain=analyze, so it is asked after the run.
std::string SortedRows::describe() const {
  std::string text = "sorted in memory";
  std::uint64_t bytes = spilled_bytes();
  if (plan_.limit != ~std::uint64_t{0}) {
    text = "the first " + grouped(plan_.limit) + (plan_.limit == 1 ? " row" : " rows");
  }
  if (bytes == 0) return text;
  const std::string runs = grouped(file_runs_) + (file_runs_ == 1 ? " run" : " runs");
  const std::string files = runs + " in temporary files";
  return plan_.limit != ~std::uint64_t{0} ? text + ", " + files : files;
}

/// One thread that has spilled decides for all: rows are then merged from files only.
Status SortedRows::start() {
  in_files_ = std::any_of(collectors_.begin(), collectors_.end(),
                          [](const auto& collector) { return collector->spilled(); });
  return in_files_ ? merge_files() : sort_in_memory();
}

/// All rows that are compared need one coding, so it is made from the ranges of all threads.
KeyCoding SortedRows::final_coding() const {
  KeyRanges ranges(plan_.columns, plan_.keys);
  for (const auto& collector : collectors_) {
    ranges.add(collector->ranges());
    ranges.add(collector->rows().ranges());
  }
  return KeyCoding(plan_.columns, plan_.keys, ranges);
}

/// Returns the rows of all threads, cut so that every thread has something to sort even if few
/// threads collected rows.
std::vector<SourceRange> SortedRows::parts_to_sort(std::vector<RowSource>& sources) const {
  std::uint64_t rows = 0;
  for (const auto& collector : collectors_) rows += collector->rows().rows();
  const std::uint64_t part_rows = std::max<std::uint64_t>(rows / threads_ + 1, 1);
  std::vector<SourceRange> parts;
  for (const auto& collector : collectors_) {
    auto first = static_cast<std::uint32_t>(sources.size());
    collector->rows().add_sources(sources);
    std::uint64_t taken = 0;
    for (std::uint32_t i = first; i < sources.size(); ++i) {
      taken += sources[i].rows;
      if (taken < part_rows && i + 1 < sources.size()) continue;
      parts.push_back({first, i + 1, collector->rows().in_order()});
      first = i + 1;
      taken = 0;
    }
  }
  return parts;
}

/// Parts are sorted in parallel, then merged in parallel.
Status SortedRows::sort_in_memory() {
  const KeyCoding coding = final_coding();
  const std::vector<SourceRange> parts = parts_to_sort(sources_);
  std::vector<RowKeys> keys(sources_.size());
  std::vector<EntryArray> runs(parts.size());
  std::uint64_t bytes = 0;
  for (const auto& collector : collectors_) bytes += collector->rows().sort_bytes();
  merge_memory_.set(bytes);
  PRESSO_TRY(for_each_in_parallel(parts.size(), threads_, [&](std::size_t i, unsigned) -> Status {
    runs[i] = sort_rows(coding, sources_, parts[i], keys);
    return {};
  }));
  const RowOrder order(sources_, coding.one_word() ? nullptr : keys.data());
  PRESSO_ASSIGN(sorted_, merge_entries(std::move(runs), order, threads_));
  merge_memory_.set(sorted_.size() * sizeof(SortEntry));
  return {};
}

/// Returns how many runs can be merged in half of the memory; at least two. A run takes two batches
/// and their keys.
std::size_t SortedRows::runs_at_once(const std::vector<FileRun>& runs) const {
  std::uint64_t largest = 1;
  for (const FileRun& run : runs) largest = std::max(largest, run.largest_batch);
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(memory_bytes_ / 2 / (4 * largest), 2, kMostRuns));
}

/// Spills what is still in memory, then merges runs until few enough are left.
Status SortedRows::merge_files() {
  PRESSO_TRY(for_each_in_parallel(collectors_.size(), threads_, [&](std::size_t i, unsigned) {
    return collectors_[i]->spill();
  }));
  std::deque<FileRun> runs;
  for (const auto& collector : collectors_) {
    for (FileRun& run : collector->take_runs()) runs.push_back(std::move(run));
  }
  file_runs_ = runs.size();
  // The oldest runs first, so that no run is merged again before all others have been.
  while (true) {
    const std::size_t most = runs_at_once({runs.begin(), runs.end()});
    if (runs.size() <= most) break;
    const std::size_t count = std::min(most, runs.size() - most + 1);
    const auto last = runs.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<FileRun> some(std::make_move_iterator(runs.begin()), std::make_move_iterator(last));
    runs.erase(runs.begin(), last);
    PRESSO_ASSIGN(FileRun run, merged(std::move(some)));
    runs.push_back(std::move(run));
  }
  merge_ = std::make_unique<RunMerge>(plan_.columns, final_coding());
  PRESSO_TRY(
      merge_->open({std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end())}));
  merge_memory_.set(merge_->memory_bytes());
  return {};
}

/// Merges some runs into one, in a file of its own; with a limit only the rows that are wanted.
Result<FileRun> SortedRows::merged(std::vector<FileRun> runs) {
  PRESSO_ASSIGN(TemporaryFile file, TemporaryFile::create(plan_.temporary_directory));
  RunMerge merge(plan_.columns, final_coding());
  PRESSO_TRY(merge.open(std::move(runs)));
  RunWriter writer(plan_.columns, std::make_shared<TemporaryFile>(std::move(file)),
                   plan_.batch_bytes);
  std::vector<SortEntry> picks;
  for (std::uint64_t left = plan_.limit; left > 0; left -= picks.size()) {
    picks.clear();
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(left, RunWriter::kMostRows));
    PRESSO_TRY(merge.next(most, picks));
    if (picks.empty()) break;
    PRESSO_TRY(writer.add(merge.sources(), picks));
    merge_memory_.set(merge.memory_bytes() + writer.memory_bytes());
  }
  FileRun run = writer.finish();
  merged_bytes_ += run.end - run.begin;
  return run;
}

/// Copies picked rows to a batch, a vector at a time.
void SortedRows::append_rows(std::span<const RowSource> sources, std::span<const SortEntry> picks,
                             RowGather& gather, RowStore& to) {
  for (std::size_t first = 0; first < picks.size(); first += kBatchRows) {
    gather.gather(sources,
                  picks.subspan(first, std::min<std::size_t>(kBatchRows, picks.size() - first)));
    to.append(gather.views(), gather.rows());
  }
}

/// Returns the rows of a batch such that all threads' batches together take an eighth of the
/// memory.
std::uint64_t SortedRows::rows_of_copies() const {
  std::uint64_t rows = 1;
  std::uint64_t bytes = 0;
  for (const auto& collector : collectors_) {
    rows += collector->rows().rows();
    bytes += collector->rows().bytes();
  }
  const std::uint64_t row_bytes = bytes / rows + 1;
  return std::clamp<std::uint64_t>(memory_bytes_ / 8 / threads_ / row_bytes, kBatchRows, kMostRows);
}

/// Copies as many batches as there are threads.
Status SortedRows::copy_batches() {
  const auto batch_rows = static_cast<std::size_t>(rows_of_copies());
  const std::uint64_t wanted = std::min<std::uint64_t>(left_, sorted_.size() - next_);
  const auto most = std::min<std::uint64_t>(wanted, std::uint64_t{threads_} * batch_rows);
  const auto picks =
      std::as_const(sorted_).entries().subspan(next_, static_cast<std::size_t>(most));
  std::vector<RowStore> batches((picks.size() + batch_rows - 1) / batch_rows);
  PRESSO_TRY(for_each_in_parallel(batches.size(), threads_, [&](std::size_t i, unsigned) -> Status {
    const std::size_t first = i * batch_rows;
    const auto rows = picks.subspan(first, std::min(batch_rows, picks.size() - first));
    batches[i] = empty();
    batches[i].reserve(rows.size());
    RowGather gather(batches[i].columns());
    append_rows(sources_, rows, gather, batches[i]);
    return {};
  }));
  next_ += picks.size();
  left_ = wanted - picks.size();
  for (RowStore& batch : batches) ready_.push_back(std::move(batch));
  return {};
}

/// Reads the next batch from the runs in files.
Status SortedRows::read_batch() {
  RowStore batch = empty();
  RowGather gather(batch.columns());
  std::vector<SortEntry> picks;
  while (left_ > 0 && batch.rows() < kMostRows && batch.bytes() <= memory_bytes_ / 8) {
    picks.clear();
    PRESSO_TRY(
        merge_->next(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kBatchRows)), picks));
    left_ = picks.empty() ? 0 : left_ - picks.size();
    append_rows(merge_->sources(), picks, gather, batch);
  }
  merge_memory_.set(merge_->memory_bytes() + batch.bytes());
  if (batch.rows() > 0) ready_.push_back(std::move(batch));
  return {};
}

}  // namespace

Result<std::unique_ptr<Ordering>> Ordering::make(const OrderingPlan& plan) {
  if (plan.keys.empty()) return make_error(ErrorCode::kInvalidArgument, "no key to sort by");
  for (const OrderKey& key : plan.keys) {
    if (key.column >= plan.columns.size()) {
      return make_error(ErrorCode::kInvalidArgument, "a key that is not a column");
    }
  }
  return without_bad_alloc([&]() -> Result<std::unique_ptr<Ordering>> {
    return std::unique_ptr<Ordering>(std::make_unique<SortedRows>(plan));
  });
}

}  // namespace presso::query
