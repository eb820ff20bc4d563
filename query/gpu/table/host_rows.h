// SPDX-License-Identifier: MIT
// Build rows that the CPU makes because a pipeline cannot: the strings of small tables may be
// stored as text, and conditions may be of any kind. Host code that knows no device. Tested by
// tests/queries/joins.txt.
#pragma once

#include <vector>

#include "query/gpu/table/pipeline_builder.h"

namespace presso::gpu {

/// What a pipeline would write of a build side, in the order of the rows.
struct HostRows {
  std::vector<std::uint64_t> keys;
  std::vector<std::vector<std::int64_t>> columns;  ///< as StageUse::columns
};

/// `scan`: of the build side, started. kUnsupported: a key or a column that lookups and arrays do
/// not hold; other errors are those of the files, and kOutOfMemory.
Result<HostRows> rows_by_cpu(query::Execution& scan, const StageUse& use);

}  // namespace presso::gpu
