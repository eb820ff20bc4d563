// SPDX-License-Identifier: MIT
// What presso info says of a text that is no presso file: what loading it as a table would find
// (presso/compress_table.h). The text is read to its end. Tested by
// tests/cli/test_reports.py.
#pragma once

#include <string>

#include "tools/compress/flags_table.h"
#include "tools/io/input_file.h"

namespace presso::cli {

/// Whether a file of this name holds rows as text, perhaps compressed by gzip, zstd or lz4:
/// `orders.csv.gz`.
bool is_name_of_rows(const std::string& path);

/// Reads the text. Errors: those of reading and of describe_table_text(), which name the line, and
/// kNotPresso for a damaged file of presso under such a name.
Result<TableSummary> report_text(const std::string& path, const InputFile& input,
                                 const TableFlags& flags, unsigned threads);

/// The facts for people: a few lines, and a table of the columns.
std::string text_report(const std::string& path, const TableSummary& summary);

}  // namespace presso::cli
