// SPDX-License-Identifier: MIT
// Predicts what the build sides of joins will take, before a row is read or memory is allocated:
// from numbers of rows, expected selectivities, average sizes of the columns that are kept, and
// JoinTable::predict() (G16). Used by --explain and the forecast of times. Reads directories only.
// Tested by tests/unit/query/run/join_forecast_test.cpp.
#pragma once

#include <vector>

#include "query/filter/zone_counts.h"
#include "query/join/join_table.h"
#include "query/plan/join_plan.h"
#include "query/run/execution.h"
#include "query/run/memory_forecast.h"

namespace presso::query {

/// Averages for the rows of a build side.
struct BuildSizes {
  double rows = 0;
  /// Bytes in memory: the columns that are kept, and the key.
  double row_bytes = 0;
  /// Bytes of both sides' rows if they go through files.
  double file_bytes = 0;
  /// With more passes than this, rows go through files.
  std::size_t most_passes = kMostPasses;
  join::JoinKeyFacts keys;
  /// Strategy and threads.
  join::JoinTablePlan table;
};

/// The prediction for one build side, in rows and bytes.
struct BuildForecast {
  double rows = 0;
  /// All rows that are kept, with their keys.
  double rows_bytes = 0;
  /// The peak while the table of keys is built.
  double table_bytes = 0;
  JoinStrategy strategy = JoinStrategy::kAuto;
  /// Passes over the root, in each of which some of the keys are joined.
  std::uint32_t passes = 1;
  /// Bytes of both sides' rows in temporary files; 0 if none are needed.
  double file_bytes = 0;
  /// Memory for joins that is left before this build side is made.
  double left_bytes = 0;

  double memory_bytes() const { return rows_bytes + table_bytes; }
};
/// The prediction for a build side. `divided` says that another stage is divided already, so that
/// this one must use files if it does not fit. Pure function.
BuildForecast forecast_build(const BuildSizes& sizes, double left_bytes, bool divided);

/// A stage and what is known of its source.
struct StageForecast {
  const BoundStage* stage = nullptr;
  /// The tree that it belongs to, as stage `number`.
  const JoinTree* tree = nullptr;
  std::size_t number = 0;
  /// The source whose rows pass the stage: the root of the tree.
  std::size_t probe = 0;
  /// The conditions on the build side's own rows.
  FilterPlan plan;
  ZoneCounts zones;
  BuildForecast build;
  /// Rows of the probe side that come to the stage.
  double rows_in = 0;
  /// Rows that leave the stage.
  double rows_out = 0;
};

struct JoinForecast {
  /// Stages of build sides come before the stage that they build.
  std::vector<StageForecast> stages;
  /// Rows that leave the last stage.
  double rows = 0;
};
/// Predicts all stages. `needed` are the columns that are used after the joins, and `rows` the rows
/// of the root that come to the first stage. Errors: those of reading directories.
Result<JoinForecast> forecast_joins(const Execution& execution,
                                    const std::vector<std::size_t>& needed, double rows);

}  // namespace presso::query
