// SPDX-License-Identifier: MIT
// What the build sides of joins will take, told before a row is read or anything allocated, for
// --explain: from the number of rows, the share that conditions are expected to let pass, what the
// columns that are kept take on average, and JoinTable::predict() (G16).
// Tested by tests/unit/query/run/join_forecast_test.cpp.
#pragma once

#include <vector>

#include "query/filter/zone_counts.h"
#include "query/join/join_table.h"
#include "query/plan/join_plan.h"
#include "query/run/execution.h"
#include "query/run/memory_forecast.h"

namespace presso::query {

/// Averages of a build side's row.
struct BuildSizes {
  double rows = 0;
  double row_bytes = 0;                   ///< of the columns that are kept, and the key
  double file_bytes = 0;                  ///< of both sides' rows, if they go through files
  std::size_t most_passes = kMostPasses;  ///< beyond, rows go through files
  join::JoinKeyFacts keys;
  join::JoinTablePlan table;  ///< strategy and threads
};

struct BuildForecast {
  double rows = 0;
  double rows_bytes = 0;   ///< of all rows that are kept, with their keys
  double table_bytes = 0;  ///< while the table is made
  JoinStrategy strategy = JoinStrategy::kAuto;
  /// Over the root, each with some of the keys.
  std::uint32_t passes = 1;
  double file_bytes = 0;  ///< that both sides' rows take in temporary files; 0: there are none
  double left_bytes = 0;  ///< of the memory that joins may have, before this one

  double memory_bytes() const { return rows_bytes + table_bytes; }
};
/// `divided`: another stage does not fit either.
BuildForecast forecast_build(const BuildSizes& sizes, double left_bytes, bool divided);

/// A stage, with what is known of its source.
struct StageForecast {
  const BoundStage* stage = nullptr;
  const JoinTree* tree = nullptr;  ///< to which it belongs, as its stage `number`
  std::size_t number = 0;
  std::size_t probe = 0;  ///< the source whose rows pass it, which is the tree's root
  FilterPlan plan;        ///< the conditions on its rows alone
  ZoneCounts zones;
  BuildForecast build;
  double rows_in = 0;   ///< that come to the stage, of the probe side
  double rows_out = 0;  ///< that come out of the stage
};

struct JoinForecast {
  std::vector<StageForecast> stages;  ///< each behind those of its build side
  double rows = 0;                    ///< behind all of them
};
/// `needed`: the columns that are wanted behind the joins. `rows`: of the root that come to the
/// first stage.
Result<JoinForecast> forecast_joins(const Execution& execution,
                                    const std::vector<std::size_t>& needed, double rows);

}  // namespace presso::query
