// SPDX-License-Identifier: MIT
// -v is for people and may change; the names in the JSON are an interface and stay. Tested by
// tests/cli/test_table.py.
#include "tools/compress/table_report.h"

#include <nlohmann/json.hpp>

#include "tools/cli/bind.h"
#include "tools/cli/message.h"
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

/// For --verbose: each column's type and why it has it, and where the time went.
void describe_table(const std::string& name, const TableSummary& summary, double seconds) {
  for (std::size_t i = 0; i < summary.findings.size(); ++i) {
    const ColumnSchema& column = summary.schema.columns[i];
    const ColumnFinding& found = summary.findings[i];
    verbose(name, "column " + column.name + ": " + type_name(column) + ", " + grouped(found.nulls) +
                      " nulls" + (found.why.empty() ? "" : "; " + found.why));
  }
  const TableSeconds& work = summary.seconds;
  // Shares are of the processor time of all threads.
  const double all = work.inferring + work.parsing + work.sorting + work.coding;
  const auto share = [all](double part) { return decimal_text(100 * part / all, 0) + " %"; };
  verbose(name, summary_text(summary.plain_bytes, summary.compressed_bytes) + ", " +
                    grouped(summary.rows) + " rows, " + grouped(summary.exact_lines) +
                    " of them kept as text, " + grouped(summary.row_groups) + " row groups, " +
                    rate_text(static_cast<double>(summary.plain_bytes) / seconds) + ", " +
                    decimal_text(all, 3) + " s of work: types " + share(work.inferring) +
                    ", parsing and comparing " + share(work.parsing) +
                    (work.sorting > 0 ? ", sorting " + share(work.sorting) : "") + ", coding " +
                    share(work.coding));
  if (summary.spilled_bytes > 0) {
    verbose(name, grouped(summary.spilled_bytes) + " bytes went through temporary files to sort");
  }
}

/// One line of JSON about the compressed table (--report): its columns, and how long it took.
std::string table_report_json(const std::string& path, const TableSummary& summary,
                              double seconds) {
  using Json = nlohmann::ordered_json;
  Json columns = Json::array();
  for (std::size_t i = 0; i < summary.schema.columns.size(); ++i) {
    const ColumnSchema& column = summary.schema.columns[i];
    const ColumnFinding& found = summary.findings[i];
    columns.push_back({{"name", column.name},
                       {"type", type_name(column)},
                       {"values", found.values},
                       {"nulls", found.nulls},
                       {"why", found.why.empty() ? Json() : Json(found.why)}});
  }
  // A text that is missing is null and not an empty string, so that programs can tell them apart.
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  const Json report = {{"file", path},
                       {"rows", summary.rows},
                       {"row_groups", summary.row_groups},
                       {"exact", summary.schema.exact},
                       {"rows_kept_as_text", summary.exact_lines},
                       {"bad_rows", summary.bad_rows},
                       {"first_bad_row", text_or_null(summary.first_bad_row)},
                       {"plain_bytes", summary.plain_bytes},
                       {"compressed_bytes", summary.compressed_bytes},
                       {"columns", std::move(columns)},
                       {"notes", summary.notes},
                       {"seconds", seconds},
                       {"seconds_of_work",
                        {{"inferring", summary.seconds.inferring},
                         {"parsing", summary.seconds.parsing},
                         {"sorting", summary.seconds.sorting},
                         {"coding", summary.seconds.coding}}}};
  // Names of columns may hold bytes that are not UTF-8, which JSON cannot carry.
  return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace presso::cli
