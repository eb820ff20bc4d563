// SPDX-License-Identifier: MIT
// Implements group_spill.h, the way of grouping that needs least memory: keys and arguments of all
// rows go to a temporary file, sorted by parts of the keys' hashes, and each part is grouped as it
// is read back. Sorting reuses the external sort of query/order with its memory limit and files.
#include "query/answer/group_spill.h"

#include <bit>
#include <cmath>

#include "query/values/hash.h"

namespace presso::query {
namespace {

/// A word that is equal for keys that are equal: all NaNs are, and so are -0 and +0. Unequal keys
/// may share it, since it only selects a part.
std::uint64_t word_of(const VectorView& key, std::uint32_t row) {
  switch (key.physical) {
    case Physical::kBool:
      return key.as<Byte>()[row];
    case Physical::kInt64:
      return static_cast<std::uint64_t>(key.as<std::int64_t>()[row]);
    case Physical::kInt128: {
      const auto value = static_cast<Uint128>(key.as<Int128>()[row]);
      return hash_pair(static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64));
    }
    case Physical::kDouble: {
      const double value = key.as<double>()[row];
      if (std::isnan(value)) return 1;
      return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
    }
    default:
      return hash_bytes(key.as<StringRef>()[row].bytes());
  }
}

}  // namespace

/// Rows that wait in `file`, one part's groups, and `ordering` each have a memory limit of their
/// own.
Status GroupSpill::run(Ordering& ordering, std::uint64_t memory_bytes) {
  plan_.memory_bytes = memory_bytes;
  PRESSO_ASSIGN(const auto file, Ordering::make(file_plan(memory_bytes)));
  PRESSO_TRY(write_rows(*file));
  PRESSO_TRY(read_parts(*file, ordering));
  execution_.summary.spilled_bytes += file->spilled_bytes();
  return {};
}

/// Hashes the keys of each row and maps the hash to a part. All rows of a group get the same part.
void GroupSpill::parts_of(const std::vector<VectorView>& keys, std::uint32_t count,
                          std::vector<std::int64_t>& parts) const {
  std::vector<std::uint64_t> hashes(count, 0);
  for (const VectorView& key : keys) {
    for (std::uint32_t i = 0; i < count; ++i) {
      // All NULLs are one key, as GROUP BY has it.
      hashes[i] = hash_pair(hashes[i], key.is_null(i) ? kHashKey : word_of(key, i));
    }
  }
  parts.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) parts[i] = part_of(hashes[i], plan_.parts);
}

/// The layout of the temporary file: keys, arguments, the row's number, the part. Sorted by the
/// part.
OrderingPlan GroupSpill::file_plan(std::uint64_t memory_bytes) const {
  OrderingPlan plan;
  for (const KeySpec& key : plan_.keys) plan.columns.push_back(key.physical);
  for (std::size_t i = 0; i < query().aggregates.size(); ++i) {
    if (query().aggregates[i].argument) plan.columns.push_back(plan_.aggregates[i].given());
  }
  plan.columns.push_back(Physical::kInt64);
  // The only sort key is the part, so rows within a part keep no particular order.
  plan.keys = {{plan.columns.size(), false, false}};
  plan.columns.push_back(Physical::kInt64);
  plan.threads = execution_.threads;
  plan.memory_bytes = memory_bytes;
  plan.temporary_directory = execution_.options.temporary_directory;
  return plan;
}

/// Reads the tables once, on all threads, and adds each row to the file.
Status GroupSpill::write_rows(Ordering& file) {
  std::vector<GroupInput::Views> views(execution_.threads);
  std::vector<std::vector<std::int64_t>> parts(execution_.threads);
  std::vector<std::vector<std::int64_t>> numbers(execution_.threads);
  return run_all(execution_, input_.program(),
                 [&](unsigned worker, const RowBatch& batch) -> Status {
                   GroupInput::Views& own = views[worker];
                   PRESSO_TRY(input_.set_views(own, batch));
                   const std::uint32_t count = batch.count;
                   // Aggregates without an argument, count(*), need no column.
                   std::vector<VectorView> columns = own.keys;
                   for (std::size_t i = 0; i < query().aggregates.size(); ++i) {
                     if (query().aggregates[i].argument) columns.push_back(own.arguments[i]);
                   }
                   numbers[worker].resize(count);
                   for (std::uint32_t i = 0; i < count; ++i) {
                     numbers[worker][i] = static_cast<std::int64_t>(batch.numbers[i]);
                   }
                   parts_of(own.keys, count, parts[worker]);
                   columns.push_back({Physical::kInt64, numbers[worker].data(), nullptr});
                   columns.push_back({Physical::kInt64, parts[worker].data(), nullptr});
                   return file.add(worker, batch.numbers, columns, count);
                 });
}

/// A grouping for the rows of one part, on one thread. The smallest row number is an additional
/// aggregate: it gives groups the order of their first rows.
Result<std::unique_ptr<Grouping>> GroupSpill::grouping_of_part() const {
  GroupingPlan plan = plan_;
  plan.parts = 1;
  plan.threads = 1;
  AggregateSpec first_row;
  first_row.kind = AggregateKind::kMin;
  plan.aggregates.push_back(first_row);
  return Grouping::make(plan);
}

/// Finishes the current part, if any, and hands its groups over.
Status GroupSpill::close_part(std::unique_ptr<Grouping>& grouping, Ordering& ordering) {
  if (grouping == nullptr) return {};
  how_ = grouping->describe();
  PRESSO_ASSIGN(const RowStore groups, grouping->finish());
  grouping.reset();
  execution_.summary.groups += groups.rows();
  std::vector<VectorView> views(groups.columns().size());
  for (std::uint64_t first = 0; first < groups.rows(); first += kBatchRows) {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, groups.rows() - first));
    for (std::size_t i = 0; i < views.size(); ++i) views[i] = groups.view(i, first);
    PRESSO_TRY(ordering.add(0, first, nullptr, views, count));
  }
  return {};
}

/// Adds `count` rows, all of one part, from row `first` of a batch of the file. `number` is the
/// position of the first row in the file.
Status GroupSpill::add_rows_of_part(Grouping& grouping, const RowStore& rows, std::uint64_t first,
                                    std::uint32_t count, std::uint64_t number) {
  std::size_t column = 0;
  std::vector<VectorView> keys(plan_.keys.size());
  for (VectorView& key : keys) key = rows.view(column++, first);
  std::vector<VectorView> arguments(query().aggregates.size() + 1);
  for (std::size_t i = 0; i < query().aggregates.size(); ++i) {
    if (query().aggregates[i].argument) arguments[i] = rows.view(column++, first);
  }
  arguments.back() = rows.view(column, first);
  return grouping.add(0, {number, nullptr}, keys, arguments, count);
}

/// Reads the sorted file and groups each part as its rows pass.
Status GroupSpill::read_parts(Ordering& file, Ordering& ordering) {
  std::unique_ptr<Grouping> grouping;
  std::int64_t part = -1;
  std::uint64_t number = 0;
  while (true) {
    PRESSO_ASSIGN(const RowStore rows, file.next());
    if (rows.rows() == 0) break;
    const std::size_t parts = rows.columns().size() - 1;
    for (std::uint64_t at = 0; at < rows.rows();) {
      const std::int64_t of = rows.at<std::int64_t>(parts, at);
      // The file is sorted by part: a new number means that the part before is complete.
      if (of != part) {
        PRESSO_TRY(close_part(grouping, ordering));
        PRESSO_ASSIGN(grouping, grouping_of_part());
        part = of;
      }
      std::vector<std::uint64_t> chosen;
      while (at < rows.rows() && chosen.size() < kBatchRows &&
             rows.at<std::int64_t>(parts, at) == part) {
        chosen.push_back(at++);
      }
      const auto count = static_cast<std::uint32_t>(chosen.size());
      PRESSO_TRY(add_rows_of_part(*grouping, rows.picked(chosen), 0, count, number));
      number += count;
    }
  }
  return close_part(grouping, ordering);
}

}  // namespace presso::query
