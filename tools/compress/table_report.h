// SPDX-License-Identifier: MIT
// What presso compress says of a table that it made: -v for people, --report json for programs.
// Tested by tests/cli/test_table.py.
#pragma once

#include <string>

#include "presso/compress_table.h"

namespace presso::cli {

/// "1,000 -> 250 bytes, ratio 4.00"
std::string summary_text(std::uint64_t plain, std::uint64_t compressed);
/// With -v: columns, and where the time went.
void describe_table(const std::string& name, const TableSummary& summary, double seconds);
/// A line of JSON, with its line end.
std::string table_report_json(const std::string& path, const TableSummary& summary, double seconds);

}  // namespace presso::cli
