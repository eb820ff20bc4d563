// SPDX-License-Identifier: MIT
// A query whose names have been looked up, together with what all of its runs share: copies of the
// tables that keep their directories, and the plan of the conditions on the root, the table that is
// read row by row. Public classes (Query, PreparedQuery) are thin wrappers around it. Tested by
// tests/unit/query/answer/prepared_query_test.cpp.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "query/run/execution.h"

namespace presso::query {

/// Shared by runs, on any threads, and by streams that outlive the query.
struct Preparation {
  /// `tables` are those that `query` was bound to; share_directories() should have been called on
  /// them.
  Preparation(Sources tables, BoundQuery query, const QueryOptions& asked)
      : sources(std::move(tables)), bound(std::move(query)), options(asked) {}

  /// A run that can be started. `asked` are `options`, or options that differ from them only in who
  /// may cancel the run. Errors: those of planning.
  Result<Execution> begin(const QueryOptions& asked, CodedResults codes = {},
                          bool is_analyzed = false);

  const Sources sources;
  const BoundQuery bound;
  QueryOptions options;
  /// Results that streams give as dictionary codes, as `options` ask for.
  CodedResults coded;

 private:
  /// The plan of the conditions on the root, which is made on first use and kept. Thread-safe.
  Result<FilterPlan> plan_of_root();

  /// Guards plan_.
  std::mutex mutex_;
  std::optional<FilterPlan> plan_;
};

/// Makes copies of tables keep the directories of row groups that were read, within 1/16 of the
/// query's memory and at most 64 MiB, so that planning, forecasting and running read each directory
/// once.
void share_directories(Sources& sources, const QueryOptions& options);

/// Runs the whole query into `sink`. kOutOfMemory is returned if memory cannot be allocated.
Status run_bound(Execution& execution, ResultSink& sink);

/// Wraps the sink that the answer is written to, to change batches on the way.
using WrapSink = std::function<std::unique_ptr<ResultSink>(ResultSink& sink)>;
/// Opens the answer as a stream, which shares ownership of the preparation. `schema` describes what
/// `wrap` writes; without `wrap`, which may be empty, the answer goes to the stream as it is.
Status stream(std::shared_ptr<Preparation> prepared, const TableSchema& schema,
              const WrapSink& wrap, ArrowArrayStream& out);

}  // namespace presso::query
