// SPDX-License-Identifier: MIT
// A query without its constants, as a text. Queries of one shape have the same code on a GPU,
// unless their columns are packed to other widths, so the text serves to tell whether that code has
// been compiled before (presso/query_compiler.h). Tested by
// tests/unit/query/run/query_forecast_test.cpp.
#pragma once

#include <string>

#include "query/plan/query_spec.h"

namespace presso::query {

/// The nodes of all conditions, joins, keys, aggregates and results with their types, and the bits
/// that each column's range takes. No names, no constants. About 20 bytes a node.
std::string query_shape(const BoundQuery& query);

}  // namespace presso::query
