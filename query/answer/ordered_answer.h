// SPDX-License-Identifier: MIT
// Writes rows without groups in the order of the tables. One thread makes and encodes the rows of a
// slice; they are written once all slices before it have been. If joins make more than 2^20 rows of
// a slice, these are made again when it is their turn and go directly to the sink, so that memory
// stays bounded at the cost of joining that slice twice. Tested through
// tests/unit/query/answer/query_test.cpp and tests/unit/query/run/join_test.cpp.
#pragma once

#include "query/run/execution.h"

namespace presso::query {

/// Runs the whole query; `program` computes the columns of its answer. Precondition: joins are
/// prepared and fit in one pass. Errors: those of reading, of failing expressions, and of the sink.
Status run_in_order(Execution& execution, const Program& program, ResultSink& sink);

}  // namespace presso::query
