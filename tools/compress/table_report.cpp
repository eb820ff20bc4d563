// SPDX-License-Identifier: MIT
// -v is for people and may change; the names in the JSON are an interface and stay. Tested by
// tests/cli/test_table.py.
#include "tools/compress/table_report.h"

#include <nlohmann/json.hpp>

#include "format/columns/text_encoding.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/io/column_file.h"
#include "tools/io/progress.h"

namespace presso::cli {

/// The ratio with two digits; 0 for an empty output.
std::string ratio_text(std::uint64_t plain, std::uint64_t compressed) {
  const double ratio =
      compressed == 0 ? 0 : static_cast<double>(plain) / static_cast<double>(compressed);
  return decimal_text(ratio, 2);
}

/// Both sizes in bytes with their ratio.
std::string summary_text(std::uint64_t plain, std::uint64_t compressed) {
  return grouped(plain) + " -> " + grouped(compressed) + " bytes, ratio " +
         ratio_text(plain, compressed);
}

std::string bad_rows_text(const TableSummary& summary, const std::string& bad_rows) {
  const char* const are = summary.bad_rows == 1 ? " row is in " : " rows are in ";
  return grouped(summary.bad_rows) + are + bad_rows +
         " and not in the table; the first: " + summary.first_bad_row;
}

/// For --verbose: each column's type and why it has it, and where the time went.
void describe_table(const std::string& name, const TableSummary& summary, std::uint64_t bytes,
                    double seconds) {
  verbose(name, dialect_words(summary));
  for (std::size_t i = 0; i < summary.findings.size(); ++i) {
    const ColumnSchema& column = summary.schema.columns[i];
    const ColumnFinding& found = summary.findings[i];
    verbose(name, "column " + column.name + ": " + type_name(column) + ", " + grouped(found.nulls) +
                      " nulls" + (found.why.empty() ? "" : "; " + found.why));
    for (const NestedField& field : column.fields.all()) {
      verbose(name, "field " + column.name + field.path + ": " + field_type_name(field));
    }
  }
  if (summary.schema.text.kind == TextKind::kNone) {
    verbose(name, summary_text(bytes, summary.compressed_bytes) + ", " + grouped(summary.rows) +
                      " rows, " + grouped(summary.row_groups) + " row groups, " +
                      grouped(summary.plain_bytes) + " bytes of values, " +
                      rate_text(static_cast<double>(summary.plain_bytes) / seconds));
    return;
  }
  const TableSeconds& work = summary.seconds;
  // Shares are of the processor time of all threads.
  const double all = work.inferring + work.parsing + work.sorting + work.coding;
  const auto share = [all](double part) { return decimal_text(100 * part / all, 0) + " %"; };
  verbose(name, summary_text(bytes, summary.compressed_bytes) + ", " + grouped(summary.rows) +
                    " rows, " + grouped(summary.exact_lines) + " of them kept as text, " +
                    grouped(summary.row_groups) + " row groups, " +
                    rate_text(static_cast<double>(summary.plain_bytes) / seconds) + ", " +
                    decimal_text(all, 3) + " s of work: types " + share(work.inferring) +
                    ", parsing and comparing " + share(work.parsing) +
                    (work.sorting > 0 ? ", sorting " + share(work.sorting) : "") + ", coding " +
                    share(work.coding));
  if (summary.spilled_bytes > 0) {
    verbose(name, grouped(summary.spilled_bytes) + " bytes went through temporary files to sort");
  }
}

namespace {

using Json = nlohmann::ordered_json;

/// A text that is missing is null and not an empty string, so that programs can tell them apart.
Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

/// A byte as a text; null for none.
Json byte_or_null(Byte byte) {
  return byte == 0 ? Json() : Json(std::string(1, static_cast<char>(byte)));
}

/// How delimited text is written, and JSON is not.
Json delimited_json(const TableSummary& summary) {
  const TextForm& form = summary.schema.text;
  return {{"kind", "delimited"},
          {"delimiter", byte_or_null(form.delimiter)},
          {"quote", byte_or_null(form.quote)},
          {"escape", byte_or_null(summary.escape)},
          {"comment", byte_or_null(summary.comment)},
          {"trailing_delimiter", form.trailing_delimiter},
          {"carriage_return", form.carriage_return},
          {"null", form.null_text},
          {"header", summary.has_header},
          {"header_why", text_or_null(summary.header_why)}};
}

/// How the text is written; an encoding only if it is not UTF-8.
Json dialect_json(const TableSummary& summary) {
  const TextForm& form = summary.schema.text;
  if (form.kind == TextKind::kNone) return {{"kind", summary.file_kind}};
  Json json = form.kind == TextKind::kJsonLines ? Json{{"kind", "json"}} : delimited_json(summary);
  if (form.encoding != TextEncoding::kUtf8) json["encoding"] = encoding_name(form.encoding);
  return json;
}

/// What is known of each column once the text has been read.
Json columns_json(const TableSummary& summary) {
  Json columns = Json::array();
  for (std::size_t i = 0; i < summary.schema.columns.size(); ++i) {
    const ColumnSchema& column = summary.schema.columns[i];
    const ColumnFinding& found = summary.findings[i];
    columns.push_back({{"name", column.name},
                       {"type", type_name(column)},
                       {"values", found.values},
                       {"nulls", found.nulls},
                       {"null", column.null_text ? Json(*column.null_text) : Json()},
                       {"why", text_or_null(found.why)}});
    for (const NestedField& field : column.fields.all()) {
      columns.back()["fields"].push_back(
          {{"name", column.name + field.path}, {"type", field_type_name(field)}});
    }
  }
  return columns;
}

/// Names of columns may hold bytes that are not UTF-8, which JSON cannot carry.
std::string line_of(const Json& report) {
  return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// A byte between quotes, or its name.
std::string byte_words(Byte byte) {
  if (byte == '\t') return "a tab";
  return "'" + std::string(1, static_cast<char>(byte)) + "'";
}

}  // namespace

std::string dialect_words(const TableSummary& summary) {
  const TextForm& form = summary.schema.text;
  if (form.kind == TextKind::kNone) return std::string(words_of_kind(summary.file_kind));
  const std::string encoding =
      form.encoding == TextEncoding::kUtf8 ? "" : std::string(encoding_name(form.encoding)) + ", ";
  if (form.kind == TextKind::kJsonLines) return encoding + "JSON, an object for each row";
  return encoding + "delimiter " + byte_words(form.delimiter) +
         (summary.merges_delimiters ? " (any number of them)" : "") +
         (form.trailing_delimiter ? " also after the last field" : "") + ", " +
         (form.quote == 0 ? "no quotes" : "quote " + byte_words(form.quote)) +
         (summary.escape == 0 ? "" : ", escape " + byte_words(summary.escape)) +
         (summary.comment == 0 ? "" : ", comments begin with " + byte_words(summary.comment)) +
         (form.carriage_return ? ", lines end in CR LF" : "") +
         (form.null_text.empty() ? "" : ", null '" + form.null_text + "'") +
         (summary.has_header ? ", a header: " : ", no header: ") + summary.header_why;
}

/// One line of JSON about the compressed table (--report): its columns, and how long it took.
std::string table_report_json(const std::string& path, const TableSummary& summary,
                              double seconds) {
  return line_of({{"file", path},
                  {"rows", summary.rows},
                  {"row_groups", summary.row_groups},
                  {"exact", summary.schema.exact},
                  {"rows_kept_as_text", summary.exact_lines},
                  {"bad_rows", summary.bad_rows},
                  {"first_bad_row", text_or_null(summary.first_bad_row)},
                  {"plain_bytes", summary.plain_bytes},
                  {"compressed_bytes", summary.compressed_bytes},
                  {"dialect", dialect_json(summary)},
                  {"columns", columns_json(summary)},
                  {"notes", summary.notes},
                  {"seconds", seconds},
                  {"seconds_of_work",
                   {{"inferring", summary.seconds.inferring},
                    {"parsing", summary.seconds.parsing},
                    {"sorting", summary.seconds.sorting},
                    {"coding", summary.seconds.coding}}}});
}

std::string text_report_json(const std::string& path, const TableSummary& summary) {
  return line_of({{"file", path},
                  {"rows", summary.rows},
                  {"bad_rows", summary.bad_rows},
                  {"first_bad_row", text_or_null(summary.first_bad_row)},
                  {"plain_bytes", summary.plain_bytes},
                  {"dialect", dialect_json(summary)},
                  {"columns", columns_json(summary)},
                  {"notes", summary.notes}});
}

}  // namespace presso::cli
