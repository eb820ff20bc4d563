// SPDX-License-Identifier: MIT
// presso.Query and presso.sql(): questions asked of tables, answered as Arrow batches.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "presso/query.h"

namespace presso::python {

/// Of how="left"; raises ArgumentError for other names.
JoinKind join_kind_of(const std::string& name);
/// What Query.run() tells.
nanobind::dict summary_of(const QuerySummary& summary);

void bind_query(nanobind::module_& module);

}  // namespace presso::python
