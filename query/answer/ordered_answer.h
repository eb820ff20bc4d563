// SPDX-License-Identifier: MIT
// Rows without groups in the order in which they lie in the tables: each slice's are made and
// encoded by one thread, and written when those before them have been. Slices of which joins make
// very many rows wait unmade until it is their turn, so that memory stays bounded.
// Tested through tests/unit/query/{query_test,join_test}.cpp.
#pragma once

#include "query/run/execution.h"

namespace presso::query {

/// The whole answer: `program` gives its columns. Joins are prepared, and need one pass.
Status run_in_order(Execution& execution, const Program& program, ResultSink& sink);

}  // namespace presso::query
