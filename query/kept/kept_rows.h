// SPDX-License-Identifier: MIT
// Rows that one query has computed and that the next one reads as a table: the answer of a derived
// table, of a subquery, of a step of window functions. A quarter of QueryOptions::memory_bytes of
// them stay in memory, and what follows goes to a temporary file. Writing them costs about as much
// as copying them (plain_row_group.h). Tested by tests/unit/query/kept/kept_rows_test.cpp.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "format/columns/group_collector.h"
#include "format/columns/plain_row_group.h"
#include "format/columns/table_file.h"
#include "presso/query.h"
#include "query/kept/kept_file.h"

namespace presso::query {

/// A kept answer. Copies share the rows, which live as long as one of them.
struct KeptRows {
  std::shared_ptr<const KeptFile> file;  ///< what `table` reads from
  Table table;
  QuerySummary summary;  ///< of the query that made the rows; empty where no query did
};

/// Keeps an answer as a table, whose columns are those of the answer.
class KeepingSink final : public ResultSink {
 public:
  /// `row_number`: if it is not empty, a last column of that name and the type int64 is added,
  /// which numbers the rows from 0 in the order of the answer.
  explicit KeepingSink(const QueryOptions& options, std::string row_number = {});

  /// Error: kInvalidArgument where two columns have one name.
  Status begin(const TableSchema& schema) override;
  Result<Buffer> encode(const ResultBatch& batch) override;
  Result<bool> write(ResultBatch batch, Buffer encoded) override;
  /// Adds rows without a query; any number of rows in each call.
  Status add(std::span<const ColumnView> columns);
  /// Adds a row group of stored columns with the columns after them. No other rows may have been
  /// added by other functions.
  Status add_extended(PlainRowGroup& stored, std::span<const ColumnData> columns);
  /// Opens the table; once, after everything was written.
  Result<KeptRows> finish();

  std::uint64_t rows() const { return rows_; }

 private:
  std::unique_ptr<PlainRowGroup> encoded(std::span<const ColumnView> columns);
  Status add_group(PlainRowGroup& group);
  Status write_collected();

  std::string row_number_;
  std::shared_ptr<KeptFile> file_;
  TableFileWriter writer_;
  TableSchema schema_;  ///< of the answer, without the numbers
  std::optional<GroupCollector> collector_;
  /// By column: whether a dictionary was tried and was of no use, so that it is not tried again.
  std::unique_ptr<std::atomic<bool>[]> dictionary_lost_;
  std::mutex mutex_;
  std::map<const Byte*, std::unique_ptr<PlainRowGroup>> encoded_;
  std::uint64_t rows_ = 0;
};

/// Runs the query and keeps its answer. `row_number`: as for KeepingSink. Errors: those of
/// PreparedQuery::run() and of KeepingSink.
Result<KeptRows> keep(const PreparedQuery& query, const QueryOptions& options,
                      std::string row_number = {});
Result<KeptRows> keep(const Query& query, const QueryOptions& options, std::string row_number = {});

}  // namespace presso::query
