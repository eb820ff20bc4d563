// SPDX-License-Identifier: MIT
// A query that was looked up, with what its runs share.
// Tested by tests/unit/query/answer/prepared_query_test.cpp.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "query/run/execution.h"

namespace presso::query {

struct Preparation {
  /// `tables`: of the query that was bound; their directories should be kept (share_directories()).
  Preparation(Sources tables, BoundQuery query, const QueryOptions& asked)
      : sources(std::move(tables)), bound(std::move(query)), options(asked) {}

  /// A run that can be started. `asked`: `options`, or options that differ from these in who may
  /// cancel the run.
  Result<Execution> begin(const QueryOptions& asked, CodedResults codes = {},
                          bool is_analyzed = false);

  const Sources sources;
  const BoundQuery bound;
  QueryOptions options;
  CodedResults coded;  ///< of streams, as `options` ask for dictionaries

 private:
  /// How conditions on the root are tested, found once. Thread-safe.
  Result<FilterPlan> plan_of_root();

  std::mutex mutex_;
  std::optional<FilterPlan> plan_;
};

/// Has a query's copies of its tables keep the directories of row groups that are read, within a
/// part of the memory that it may take.
void share_directories(Sources& sources, const QueryOptions& options);

/// Gives the whole answer to `sink`.
Status run_bound(Execution& execution, ResultSink& sink);

/// What is written to in place of a sink.
using WrapSink = std::function<std::unique_ptr<ResultSink>(ResultSink& sink)>;
/// The answer as a stream, which keeps the preparation. `schema`: what `wrap` gives, which may be
/// empty.
Status stream(std::shared_ptr<Preparation> prepared, const TableSchema& schema,
              const WrapSink& wrap, ArrowArrayStream& out);

}  // namespace presso::query
