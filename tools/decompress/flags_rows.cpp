// SPDX-License-Identifier: MIT
// Rows are counted from 1, as people count lines; the library counts from 0. A range of another
// form than A-B and a column that the table lacks are kInvalidArgument. Tested by
// tests/cli/test_table.py.
#include "tools/decompress/flags_rows.h"

#include "format/suggest.h"
#include "tools/cli/bind.h"

namespace presso::cli {
namespace {

/// Splits the value of --columns at its commas: "a,b". Names that hold commas cannot be given. An
/// empty name is kept and then found to be no column.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// Parses "A-B", "A" or "A-", counted from 1.
Status parse_rows(const Given& given, RowFlags& flags) {
  constexpr std::uint64_t kMostRow = UINT64_MAX / 2;
  const std::string& text = given.value;
  const std::size_t dash = text.find('-');
  PRESSO_ASSIGN(flags.first_row,
                parse_number(given.spelled, text.substr(0, dash), 1, kMostRow, Unit::kCount));
  flags.last_row = flags.first_row;
  flags.has_rows = true;
  if (dash != text.npos && dash + 1 == text.size()) flags.last_row = UINT64_MAX;
  if (dash != text.npos && dash + 1 < text.size()) {
    PRESSO_ASSIGN(flags.last_row,
                  parse_number(given.spelled, text.substr(dash + 1), 1, kMostRow, Unit::kCount));
  }
  if (flags.last_row >= flags.first_row) return {};
  return make_error(ErrorCode::kInvalidArgument,
                    given.spelled + ": '" + text + "' is not of the form A-B with A not above B");
}

/// Applies `apply` and remembers how the flag was spelled, for errors about it. A file of bytes is
/// refused with that spelling.
Apply remembered(RowFlags& flags, Apply apply) {
  return [&flags, apply = std::move(apply)](const Given& given) {
    flags.given = given.spelled;
    return apply(given);
  };
}

/// The form in which rows are written: the one asked for, otherwise the text's own, otherwise CSV.
/// A table that was made from nothing, such as an answer, has no text of its own.
TextForm form_of(const std::string& format, const TextForm& own) {
  TextForm form;
  form.kind = TextKind::kDelimited;
  if (format == "tsv") form.delimiter = '\t';
  if (format == "jsonl") form.kind = TextKind::kJsonLines;
  return format.empty() && own.kind != TextKind::kNone ? own : form;
}

/// The error for an unknown name, with the one that was probably meant.
Error no_column(const std::string& name, const TableSchema& schema) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns) names.push_back(column.name);
  return make_error(ErrorCode::kInvalidArgument,
                    "has no column '" + name + "'" + did_you_mean(name, names));
}

}  // namespace

std::vector<Flag> row_flags(RowFlags& flags) {
  return {
      {.name = "columns",
       .value_name = "NAMES",
       .category = kTables,
       .brief = "of a table only these columns, in this order: a,b,c",
       .text = "Only their blocks are read. They go to standard output unless an output is named.",
       .apply = remembered(flags,
                           [&flags](const Given& given) -> Status {
                             flags.columns = split_names(given.value);
                             return {};
                           })},
      {.name = "rows",
       .value_name = "A-B",
       .category = kTables,
       .brief = "of a table only rows A to B, counted from 1",
       .text =
           "A alone is one row, A- is everything from A. Without --rows and --format a terminal "
           "shows 40 rows.",
       .apply =
           remembered(flags, [&flags](const Given& given) { return parse_rows(given, flags); })},
      {.name = "format",
       .value_name = "FORM",
       .category = kTables,
       .brief = "the form in which rows of a table are written: csv, tsv, jsonl, table, arrow",
       .text = "table is aligned, to be read. arrow is the stream format of Apache Arrow (IPC), as "
               "pyarrow.ipc.open_stream and others read it.",
       .choices = {"csv", "tsv", "jsonl", "table", "arrow"},
       .default_value = "as the text was",
       .apply = remembered(flags, text_into(flags.format))},
  };
}

Result<RowsOptions> rows_options(const RowFlags& flags, const presso::Table& table,
                                 unsigned threads) {
  RowsOptions options;
  for (const std::string& name : flags.columns) {
    const auto column = table.find_column(name);
    if (!column) return no_column(name, table.schema());
    options.columns.push_back(*column);
  }
  // From here on rows are counted from 0.
  options.first_row = flags.first_row - 1;
  if (options.first_row >= table.rows() && options.first_row > 0 && !table.cut_off()) {
    return make_error(ErrorCode::kInvalidArgument, "row " + grouped(flags.first_row) +
                                                       " is after the end: the file has " +
                                                       grouped(table.rows()) + " rows");
  }
  if (flags.last_row != UINT64_MAX) options.rows = flags.last_row - options.first_row;
  options.form = form_of(flags.format, table.schema().text);
  options.threads = threads;
  return options;
}

/// Arrow has no form of text, so only the selection is taken over.
ArrowOptions arrow_options(const RowsOptions& rows) {
  ArrowOptions options;
  options.columns = rows.columns;
  options.first_row = rows.first_row;
  options.rows = rows.rows;
  options.threads = rows.threads;
  return options;
}

}  // namespace presso::cli
