// SPDX-License-Identifier: MIT
// Implements run_merge.h, the merge of sorted runs in files: reads each run batch by batch, and
// finds the next row with a tree of losers.
#include "query/order/run_merge.h"

#include <utility>

namespace presso::query {

Status RunMerge::open(std::vector<FileRun> runs) {
  sources_.resize(2 * runs.size());
  keys_.resize(2 * runs.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) batches_.emplace_back(columns_);
  for (FileRun& in_file : runs) {
    Run run;
    run.in_file = std::move(in_file);
    runs_.push_back(std::move(run));
  }
  for (std::uint32_t run = 0; run < runs_.size(); ++run) PRESSO_TRY(load(run));
  for (const Run& run : runs_) heads_.push_back(run.ended() ? SortEntry{} : run.entries[run.at]);
  tree_.build(static_cast<std::uint32_t>(runs_.size()),
              [this](std::uint32_t a, std::uint32_t b) { return comes_first(a, b); });
  return {};
}

/// Reads the next batch of a run, if there is one, into the older of its two places.
Status RunMerge::load(std::uint32_t number) {
  Run& run = runs_[number];
  if (run.in_file.begin == run.in_file.end) {
    run.in_file.file.reset();
    return {};
  }
  const std::uint32_t before = run.entries.size() == 0 ? 2 * number + 1 : run.entries[0].source;
  const std::uint32_t source = before ^ 1;
  PRESSO_TRY(batches_[source].read(*run.in_file.file, run.in_file.begin));
  sources_[source] = batches_[source].source();
  coding_.make(sources_[source].columns, sources_[source].rows, keys_[source]);
  run.entries.resize(sources_[source].rows);
  for (std::uint32_t row = 0; row < sources_[source].rows; ++row) {
    run.entries[row] = {keys_[source].word(row), source, row};
  }
  run.at = 0;
  return {};
}

/// Runs that ended come last.
bool RunMerge::comes_first(std::uint32_t a, std::uint32_t b) const {
  if (runs_[a].ended() || runs_[b].ended()) {
    return runs_[b].ended() && (!runs_[a].ended() || a < b);
  }
  return RowOrder(sources_, coding_.one_word() ? nullptr : keys_.data())(heads_[a], heads_[b]);
}

/// The winner's head was taken: finds its next entry and the new winner. Returns false if the run's
/// next batch would replace rows that were handed out since the last call of next().
Result<bool> RunMerge::advance() {
  const std::uint32_t number = tree_.winner();
  Run& run = runs_[number];
  if (run.ended() && run.in_file.file != nullptr) {
    if (run.loaded) return false;
    run.loaded = true;
    PRESSO_TRY(load(number));
  }
  if (!run.ended()) heads_[number] = run.entries[run.at];
  tree_.replay([this](std::uint32_t a, std::uint32_t b) { return comes_first(a, b); });
  return true;
}

/// Stops early where a batch cannot be replaced yet.
Status RunMerge::next(std::size_t most, std::vector<SortEntry>& picks) {
  if (tree_.empty()) return {};
  for (Run& run : runs_) run.loaded = false;
  if (std::exchange(waiting_, false)) PRESSO_TRY(advance());
  for (std::size_t i = 0; i < most && !waiting_; ++i) {
    const std::uint32_t number = tree_.winner();
    if (runs_[number].ended()) break;
    picks.push_back(heads_[number]);
    ++runs_[number].at;
    PRESSO_ASSIGN(const bool advanced, advance());
    waiting_ = !advanced;
  }
  return {};
}

std::uint64_t RunMerge::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const Run& run : runs_) bytes += run.entries.size() * sizeof(SortEntry);
  for (const RunBatch& batch : batches_) bytes += batch.memory_bytes();
  for (const RowKeys& keys : keys_) bytes += keys.memory_bytes();
  return bytes;
}

}  // namespace presso::query
