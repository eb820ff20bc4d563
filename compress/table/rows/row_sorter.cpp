// SPDX-License-Identifier: MIT
// RowSorter: sorted runs wait in memory until they pass the limit. Then all of them go to the
// temporary file of level 0. Where the file of a level has too many runs, they are merged into one
// run of the next level (a log-structured merge), so that each row is written once a level. Tested
// by tests/unit/compress/table/row_sorter_test.cpp.
#include "compress/table/rows/row_sorter.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compress/table/rows/row_batch.h"

namespace presso {
namespace {

/// A run in memory, whose batches are given up as they are taken.
class HeldSource final : public BatchSource {
 public:
  explicit HeldSource(std::vector<Buffer> batches) : batches_(std::move(batches)) {}

  Result<bool> next(Buffer& into) override {
    if (next_ == batches_.size()) return false;
    // Moved out, so that memory falls as the merge goes on.
    into = std::move(batches_[next_++]);
    return true;
  }

 private:
  std::vector<Buffer> batches_;
  std::size_t next_ = 0;
};

/// A run in a part of a temporary file.
class FileSource final : public BatchSource {
 public:
  FileSource(const TemporaryFile& file, std::uint64_t begin, std::uint64_t end)
      : file_(file), at_(begin), end_(end) {}

  Result<bool> next(Buffer& into) override {
    if (at_ == end_) return false;
    Byte size[kBatchSizeBytes];
    // A batch begins with its own size.
    PRESSO_TRY(file_.read_at(at_, size));
    into.resize_discarding(batch_size(size));
    PRESSO_TRY(file_.read_at(at_, into.mutable_bytes()));
    at_ += into.size();
    return true;
  }

 private:
  const TemporaryFile& file_;
  std::uint64_t at_;
  std::uint64_t end_;
};

/// Appends a batch and notes the size of the largest one, by which the memory of a merge is
/// estimated.
void add_batch(RowSorter::SortedRun& run, Buffer batch) {
  run.bytes += batch.size();
  run.largest_batch = std::max<std::uint64_t>(run.largest_batch, batch.size());
  run.batches.push_back(std::move(batch));
}

}  // namespace

/// Keys are dropped after sorting; the merger makes them again from the batches.
RowSorter::SortedRun RowSorter::sort(std::span<const ColumnView> columns) const {
  SortedRun run;
  SortKeys keys(by_);
  keys.make(columns);
  const std::vector<std::uint32_t> order = sorted_rows(keys);
  // add_batch() never fails, so pack_rows() does not either.
  (void)pack_rows(schema_, {columns.begin(), columns.end()}, order, [&](Buffer batch) {
    add_batch(run, std::move(batch));
    return Status{};
  });
  return run;
}

/// The first run that does not fit sends all held ones to the file, so that either all runs are
/// in memory or all are in files.
Status RowSorter::add(SortedRun run) {
  if (levels_.empty() && held_bytes_ + run.bytes <= limits_.memory_bytes) {
    held_bytes_ += run.bytes;
    held_.push_back(std::move(run));
    return {};
  }
  for (SortedRun& held : held_) PRESSO_TRY(spill(std::exchange(held, {})));
  held_.clear();
  return spill(run);
}

/// Levels are made when they are first needed.
Result<RowSorter::Level*> RowSorter::level(std::size_t number) {
  if (number == levels_.size()) {
    PRESSO_ASSIGN(TemporaryFile file, TemporaryFile::create(limits_.temporary_directory));
    levels_.push_back(std::make_unique<Level>(Level{std::move(file), {}, 0}));
  }
  return levels_[number].get();
}

/// Writes a batch to a level's file and counts its bytes for the summary.
Status RowSorter::append(Level& level, const Buffer& batch) {
  PRESSO_TRY(level.file.append(batch.bytes()));
  spilled_bytes_ += batch.size();
  return {};
}

// Appends a run to the file of level 0.
Status RowSorter::spill(const SortedRun& run) {
  PRESSO_ASSIGN(Level* const first, level(0));
  const std::uint64_t begin = first->file.size();
  for (const Buffer& batch : run.batches) PRESSO_TRY(append(*first, batch));
  first->runs.push_back({begin, first->file.size()});
  first->batch_bytes += run.largest_batch;
  return settle(0);
}

/// Whether a level has too many runs to be merged at once, by number or by the memory of a
/// batch for each.
bool RowSorter::is_full(const Level& level) const {
  if (level.runs.size() < 2) return false;
  return level.runs.size() >= kMostRuns || level.batch_bytes > limits_.memory_bytes / 2;
}

// Merges a level that is full, which may fill the next one, and so on.
Status RowSorter::settle(std::size_t number) {
  while (number < levels_.size() && is_full(*levels_[number])) {
    PRESSO_TRY(merge_level(number));
    ++number;
  }
  return {};
}

/// Merges all runs of a level into one run of the next; then the level's file is emptied.
Status RowSorter::merge_level(std::size_t number) {
  Level& from = *levels_[number];
  PRESSO_ASSIGN(Level* const to, level(number + 1));
  std::vector<std::unique_ptr<BatchSource>> sources;
  add_sources(from, sources);
  PRESSO_ASSIGN(RunMerger merger, RunMerger::open(schema_, by_, std::move(sources)));
  const std::uint64_t begin = to->file.size();
  std::uint64_t largest = 0;
  std::vector<std::uint32_t> order;
  while (true) {
    PRESSO_ASSIGN(const std::vector<ColumnData> rows, merger.next());
    if (rows.front().rows == 0) break;
    std::vector<ColumnView> views;
    for (const ColumnData& column : rows) views.push_back(column.view());
    // The merger's rows are in order already: they are packed as they come.
    order.resize(static_cast<std::size_t>(rows.front().rows));
    std::iota(order.begin(), order.end(), 0u);
    PRESSO_TRY(pack_rows(schema_, std::move(views), order, [&](const Buffer& batch) {
      largest = std::max<std::uint64_t>(largest, batch.size());
      return append(*to, batch);
    }));
  }
  to->runs.push_back({begin, to->file.size()});
  to->batch_bytes += largest;
  from.runs.clear();
  from.batch_bytes = 0;
  return from.file.clear();
}

/// Adds a source for each run of a level, in the order in which they were written.
void RowSorter::add_sources(const Level& level, std::vector<std::unique_ptr<BatchSource>>& to) {
  for (const FileRun& run : level.runs) {
    to.push_back(std::make_unique<FileSource>(level.file, run.begin, run.end));
  }
}

/// Runs of higher levels come first: their rows stood before those of lower levels, and equal
/// keys keep the order of the text.
Result<RunMerger> RowSorter::merge() {
  std::vector<std::unique_ptr<BatchSource>> sources;
  for (SortedRun& run : held_) {
    sources.push_back(std::make_unique<HeldSource>(std::move(run.batches)));
  }
  held_.clear();
  for (std::size_t i = levels_.size(); i > 0; --i) add_sources(*levels_[i - 1], sources);
  return RunMerger::open(schema_, by_, std::move(sources));
}

}  // namespace presso
