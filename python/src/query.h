// SPDX-License-Identifier: MIT
// Binds presso.Query and presso.sql(): queries over tables, answered as Arrow batches. Tested by
// python/tests/test_tables.py and test_joined_parts.py. It declines a change of a query that is
// running.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "presso/query.h"

namespace presso::python {

/// The kind of join for how="left" and so on; raises ArgumentError for other names.
JoinKind join_kind_of(const std::string& name);
/// The figures of a query as Query.run() returns them.
nanobind::dict summary_of(const QuerySummary& summary);

void bind_query(nanobind::module_& module);

}  // namespace presso::python
