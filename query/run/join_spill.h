// SPDX-License-Identifier: MIT
// Joins whose build side does not fit into memory and would take too many passes. The rows of the
// build side, and the rows that come to the stage, are written to temporary files, distributed over
// parts by a hash of their keys; the parts are then joined one after another. A part of the build
// side that does not fit by itself, because one key has very many rows, is joined in chunks, and
// for each chunk the part's probe rows are read again.
//
// Several stages may spill: the rows that leave one are written for the next. Every row is written
// and read back at least once for each stage that spills. Passes over the compressed tables are
// preferred as long as they are few: orders x lineitem in 3.7 MB took 2,862 ms through files and 61
// to 66 ms in 20 passes (query/NOTES.md). Source: hybrid hash joins (DeWitt et al. 1984). When
// files are used is decided by JoinRun. Tested by tests/unit/query/run/join_spill_test.cpp and
// tests/differential/join_oracle.py.
#pragma once

#include "query/run/execution.h"

namespace presso::query {

/// Makes all joined rows, as run_all() does, if JoinRun::spills(). Rows come out of order; their
/// numbers (NumberBits) tell the order. Errors: those of reading, of the disk, and kCancelled.
Status run_spilled_joins(Execution& execution, const Program& program, const TakeOfWorker& take);

}  // namespace presso::query
