// SPDX-License-Identifier: MIT
// Implements row_collector.h, one thread's rows of an ORDER BY: with a limit only the first rows
// are kept whenever twice as many are there; if memory does not suffice, rows are sorted and
// written to a file.
#include "query/order/row_collector.h"

#include <algorithm>

namespace presso::query {
namespace {

/// Fewer rows are not pruned, as that would not pay.
constexpr std::uint64_t kFewRows = kBatchRows;

std::uint64_t bytes_of(std::span<const RowKeys> keys) {
  std::uint64_t bytes = 0;
  for (const RowKeys& of_source : keys) bytes += of_source.memory_bytes();
  return bytes;
}

}  // namespace

RowCollector::RowCollector(const SortPlan& plan, MemoryCount& memory)
    : plan_(plan),
      rows_(plan.columns, plan.keys, plan.chunk_bytes),
      ranges_(plan.columns, plan.keys),
      threshold_(plan.columns, plan.keys),
      gather_(plan.columns),
      held_(memory) {}

/// Adds the row numbers as a last column.
RowSource RowCollector::with_numbers(const RowNumbers& numbers, std::span<const VectorView> columns,
                                     std::uint32_t count) {
  numbers_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    numbers_[i] = static_cast<std::int64_t>(numbers[i]);
  }
  RowSource batch{{columns.begin(), columns.end()}, count};
  batch.columns.push_back({Physical::kInt64, numbers_.data(), nullptr});
  return batch;
}

/// Once a threshold is known, only rows that come before it are copied.
Status RowCollector::add(const RowNumbers& numbers, std::span<const VectorView> columns,
                         std::uint32_t count) {
  if (count == 0 || plan_.limit == 0) return {};
  const RowSource batch = with_numbers(numbers, columns, count);
  if (!threshold_.set()) {
    append(batch);
  } else {
    const std::span<const SortEntry> wanted = threshold_.before(batch);
    if (wanted.empty()) return {};
    gather_.gather({&batch, 1}, wanted);
    append({{gather_.views().begin(), gather_.views().end()}, gather_.rows()});
  }
  return make_room();
}

void RowCollector::append(const RowSource& batch) {
  rows_.append(batch.columns, batch.rows);
  held_.set(rows_.bytes());
}

/// The memory at the peak of sorting or pruning. With a limit, half of the rows are copied while
/// the others are still there.
std::uint64_t RowCollector::needed_bytes() const {
  const std::uint64_t copied = plan_.limit < rows_.rows() ? rows_.bytes() : 0;
  return rows_.bytes() + std::max(rows_.sort_bytes(), copied + rows_.sort_bytes() / 2);
}

/// Prunes if that helps, spills if it does not.
Status RowCollector::make_room() {
  const bool full = needed_bytes() > plan_.thread_bytes;
  const bool many = rows_.rows() >= kFewRows && rows_.rows() / 2 >= plan_.limit;
  if (many || (full && rows_.rows() > plan_.limit)) prune();
  // Half of the memory must be free afterwards, or the next batch would spill again.
  if (full && needed_bytes() > plan_.thread_bytes / 2) return spill();
  return {};
}

/// Keeps the first `limit` rows (quickselect) and sets the threshold to the last of them.
void RowCollector::prune() {
  std::vector<RowSource> sources;
  rows_.add_sources(sources);
  const KeyCoding coding(plan_.columns, plan_.keys, rows_.ranges());
  std::vector<RowKeys> keys(sources.size());
  EntryArray entries =
      make_entries(coding, sources, {0, static_cast<std::uint32_t>(sources.size())}, keys);
  held_.set(rows_.bytes() + entries.size() * sizeof(SortEntry) + bytes_of(keys));
  const RowOrder order(sources, coding.one_word() ? nullptr : keys.data());
  SortEntry* const last = entries.begin() + plan_.limit - 1;
  std::nth_element(entries.begin(), last, entries.end(), order);
  threshold_.set(sources[last->source], last->row);
  keep(sources, entries.entries().first(static_cast<std::size_t>(plan_.limit)));
}

/// Copies the kept rows in the order in which they lie, which is that of the input if all were in
/// it.
void RowCollector::keep(std::span<const RowSource> sources, std::span<const SortEntry> rows) {
  std::vector<SortEntry> kept(rows.begin(), rows.end());
  std::sort(kept.begin(), kept.end(), [](const SortEntry& a, const SortEntry& b) {
    return std::pair(a.source, a.row) < std::pair(b.source, b.row);
  });
  RowChunks chunks(plan_.columns, plan_.keys, plan_.chunk_bytes);
  for (std::size_t first = 0; first < kept.size(); first += kBatchRows) {
    const std::size_t count = std::min<std::size_t>(kBatchRows, kept.size() - first);
    gather_.gather(sources, std::span(kept).subspan(first, count));
    chunks.append(gather_.views(), gather_.rows());
  }
  held_.set(rows_.bytes() + chunks.bytes());
  rows_ = std::move(chunks);
  held_.set(rows_.bytes());
}

/// Every run is complete in itself: with a limit it has at most `limit` rows.
Status RowCollector::spill() {
  if (file_ == nullptr) {
    PRESSO_ASSIGN(TemporaryFile file, TemporaryFile::create(plan_.temporary_directory));
    file_ = std::make_shared<TemporaryFile>(std::move(file));
  }
  if (rows_.rows() == 0) return {};
  std::vector<RowSource> sources;
  rows_.add_sources(sources);
  const KeyCoding coding(plan_.columns, plan_.keys, rows_.ranges());
  std::vector<RowKeys> keys(sources.size());
  const EntryArray entries = sort_rows(
      coding, sources, {0, static_cast<std::uint32_t>(sources.size()), rows_.in_order()}, keys);
  RunWriter writer(plan_.columns, file_, plan_.batch_bytes);
  held_.set(rows_.bytes() + 2 * entries.size() * sizeof(SortEntry) + bytes_of(keys) +
            2 * plan_.batch_bytes);
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(plan_.limit, entries.size()));
  PRESSO_TRY(writer.add(sources, entries.entries().first(wanted)));
  runs_.push_back(writer.finish());
  spilled_bytes_ += runs_.back().end - runs_.back().begin;
  ranges_.add(rows_.ranges());
  rows_.clear();
  held_.set(0);
  return {};
}

}  // namespace presso::query
