// SPDX-License-Identifier: MIT
// Says in words why a text has a header or not, from what was found out in the end. Tested by
// tests/cli/test_reports.py.
#pragma once

#include <string>

#include "presso/compress_table.h"

namespace presso {

/// "`price` stands above values of type double", "was given", and the like; empty for JSON lines.
/// The schema, the findings and `has_header` of the summary must be set.
std::string header_reason(const TableTextOptions& options, const TableSummary& summary);

}  // namespace presso
