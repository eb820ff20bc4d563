// SPDX-License-Identifier: MIT
// The rows of a build side in device memory, with their keys: all of them, or those of one part of
// the keys. A pipeline writes them, or the CPU if no pipeline can. Tested by
// tests/queries/joins.txt.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "query/gpu/table/host_rows.h"
#include "query/gpu/table/table_run.h"
#include "query/rows/table_facts.h"

namespace presso::gpu {

/// Where a build side's rows are.
struct RowMemory {
  DeviceMemory keys;
  DeviceMemory values;            ///< of `columns`
  PinnedMemory host_values;       ///< in place of `values`, where they are in host memory
  std::vector<RowArray> columns;  ///< as StageUse::columns
  DeviceMemory numbers;           ///< of 64 bits, by which rows are in order, beside all columns
};

/// The order of a table's rows that were written in any.
struct RowOrder {
  const std::uint64_t* numbers = nullptr;  ///< device memory; null: they are in order as they are
  std::uint64_t limit = 0;                 ///< numbers are below; each row has one of its own
};

struct BuildRows {
  std::uint64_t rows = 0;   ///< that there are
  bool fit = false;         ///< else there is nothing but their number
  unsigned order_bits = 0;  ///< of RowColumn::kOrder; the same of all parts
  RowMemory memory;
  std::optional<RowOrder> order;  ///< where it was asked for, and could be had
};

/// The bytes of a bitmap with a bit for each row, in whole slices.
constexpr std::uint64_t mark_bytes(std::uint64_t rows) {
  return (rows / kMaxIntegerRows + 1) * kMaxIntegerRows / 8;
}

/// The lookup of so many rows, which has an array only where that leaves room for all else.
LookupPlan plan_lookup(const RunSpace& space, const StageUse& use, std::uint64_t rows,
                       const std::optional<LookupPlan::Range>& range);

/// The bytes of the wanted columns of `rows` build rows.
std::uint64_t column_bytes(const StageUse& use, std::uint64_t rows);

/// How many rows of a build side, with all that belongs to it, may take half of what is left of
/// device memory: the tables that are joined to it need the other half. `table_rows`: of the table
/// whose rows they are. `range`: of their keys. `host_bytes`: of host memory, where columns are
/// there.
std::uint64_t most_rows_that_fit(const RunSpace& space, const StageUse& use,
                                 std::uint64_t table_rows,
                                 const std::optional<LookupPlan::Range>& range,
                                 const std::optional<std::uint64_t>& host_bytes);

class BuildRowMaker {
 public:
  /// All are kept by reference. `host_bytes`: of pinned host memory, for columns of these rows and
  /// of build sides that are joined to them before.
  BuildRowMaker(const RunSpace& space, query::Execution& parent, ColumnCodes& codes,
                const StageUse& use, std::uint64_t host_bytes)
      : space_(space), parent_(parent), codes_(codes), use_(use), host_bytes_(host_bytes) {}

  /// Those whose keys are in `part`, which are in `range` or beside all keys; may be called for one
  /// part after another. `rows`: how many there are, where they have been counted; nothing is
  /// allocated for more. Adds to the parent's summary and notes. Waits. Errors: kUnsupported where
  /// neither a pipeline nor the CPU makes them; those of run_over_tables().
  Result<BuildRows> make(const KeyInterval& part, const std::optional<LookupPlan::Range>& range,
                         const std::optional<std::uint64_t>& rows);
  /// Whether columns of what is made from now on are in host memory; at first they are in device
  /// memory.
  void put_columns(bool on_host) { on_host_ = on_host; }
  bool are_on_host() const { return on_host_; }
  std::uint64_t host_bytes() const { return host_bytes_; }
  /// How many may be made at a time: as most_rows_that_fit() says, and as has been found.
  std::uint64_t most_rows(const std::optional<LookupPlan::Range>& range) const {
    return std::min(most_found(),
                    most_rows_that_fit(space_, use_, table_rows(), range, own_host_bytes()));
  }
  std::uint64_t most_found() const { return are_on_host() ? most_on_host_ : most_rows_; }
  void set_most_rows(std::uint64_t rows) {
    std::uint64_t& most = are_on_host() ? most_on_host_ : most_rows_;
    most = std::min(most, rows);
  }
  /// Where no limit is set, it turns out now how much memory there is. `rows`: for which there was
  /// none. Whether to try again with an eighth of them, which leaves room for a lookup and tables.
  bool tries_fewer(const Error& error, std::uint64_t rows);
  /// What has to be said of who made them; empty: a pipeline.
  const std::string& who() const { return who_; }

 private:
  template <class Work>
  Status with_scan(const Work& work);
  Status write(query::Execution& scan, BuildRows& made);
  Result<std::uint64_t> run(query::Execution& scan, const PipelineBuilder& builder,
                            const Pipeline& pipeline) const;
  Status copy(BuildRows& made);
  Status copy_column(const std::vector<std::int64_t>& values, const RowArray& to) const;
  Result<bool> make_room(std::uint64_t rows, bool numbers, BuildRows& made);
  static void direct(Pipeline& pipeline, const PipelineBuilder& builder, BuildRows& made);

  /// What columns of these rows may take there; nothing: they are in device memory.
  std::optional<std::uint64_t> own_host_bytes() const {
    if (!on_host_) return std::nullopt;
    return host_bytes_ - std::min(host_bytes_, nested_bytes_);
  }
  std::uint64_t host_bytes_of_nested() const;
  /// The rows of the build side's table, before conditions and joins.
  std::uint64_t table_rows() const {
    return query::rows_of(parent_.sources[use_.stage->build.root]);
  }

  const RunSpace& space_;
  query::Execution& parent_;
  ColumnCodes& codes_;
  const StageUse& use_;
  std::string who_;
  std::uint64_t most_rows_ = kMostLookupRows;
  std::uint64_t most_on_host_ = kMostLookupRows;  ///< with columns there
  std::uint64_t host_bytes_;
  std::uint64_t nested_bytes_ = 0;  ///< of these, what columns of nested build sides have
  bool on_host_ = false;
  bool by_pipeline_ = false;           ///< as it was for the part before
  std::optional<HostRows> host_rows_;  ///< of all parts, where the CPU makes them
  bool has_notes_ = false;             ///< those of later parts would be the same
  KeyInterval part_;                   ///< that is made
  std::optional<LookupPlan::Range> range_;
  std::optional<std::uint64_t> counted_;  ///< rows of the part
};

}  // namespace presso::gpu
