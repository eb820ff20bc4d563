// SPDX-License-Identifier: MIT
// Joins of which a build side does not fit into memory, and would take too many passes: its rows,
// and those that come to it, are written to temporary files, dealt out by hashes of their keys, and
// joined part by part. A part of the build side that does not fit by itself, because of a key of
// many rows, is joined in chunks, for each of which the rows that come to it are read again.
//
// Rows may come to several such stages: what comes out of one is written for the next.
// Source: hybrid hash joins (DeWitt et al. 1984), and columns.md 4.6 of our design for when.
// Tested by tests/unit/query/run/join_spill_test.cpp and tests/differential/join_oracle.py.
#pragma once

#include "query/run/execution.h"

namespace presso::query {

/// All rows, as run_all(), where JoinRun::spills().
Status run_spilled_joins(Execution& execution, const Program& program, const TakeOfWorker& take);

}  // namespace presso::query
