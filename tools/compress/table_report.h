// SPDX-License-Identifier: MIT
// What presso compress says about a table that it has made: -v for people, --report json for
// programs. Tested by tests/cli/test_table.py. The line of JSON has one object, with null for what
// is not known.
#pragma once

#include <string>

#include "presso/compress_table.h"

namespace presso::cli {

/// Sizes and ratio in one text, "1,000 -> 250 bytes, ratio 4.00".
std::string summary_text(std::uint64_t plain, std::uint64_t compressed);
/// How the text is written and whether it has a header, in one line.
std::string dialect_words(const TableSummary& summary);
/// The warning about rows that were written to the file `bad_rows`; empty if there are none.
std::string bad_rows_text(const TableSummary& summary, const std::string& bad_rows);
/// With -v: prints a line for each column and where the time went.
void describe_table(const std::string& name, const TableSummary& summary, std::uint64_t bytes,
                    double seconds);
/// The report as a line of JSON, with its line end. Texts that are not UTF-8 get replacement
/// characters. The second one is that of a text which is not stored, without what storing tells.
std::string table_report_json(const std::string& path, const TableSummary& summary, double seconds);
std::string text_report_json(const std::string& path, const TableSummary& summary);

}  // namespace presso::cli
