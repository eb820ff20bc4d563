// SPDX-License-Identifier: MIT
// Rows of a table for people: aligned as presso select shows an answer
// (tools/select/answer_sink.h), or the beginning of the text for a terminal. Only rows that are
// shown are read. Tested by tests/cli/test_table.py.
#pragma once

#include "presso/table.h"
#include "tools/select/answer_sink.h"

namespace presso::cli {

/// Writes these rows as an aligned table with the number of all of them. AlignedStyle::most_rows
/// leaves out those in the middle. Errors: those of Table::read() and of the sink.
Status write_aligned_rows(const presso::Table& table, const RowsOptions& rows,
                          const AlignedStyle& style, ByteSink& sink);

/// Writes the head of the text from which the table in `file` was made, and `lines` lines after it.
/// Errors: those of table_text() and of the sink.
Status write_first_lines(const presso::Table& table, const RandomAccess& file, std::uint64_t lines,
                         ByteSink& sink);

}  // namespace presso::cli
