// SPDX-License-Identifier: MIT
// The dialect in words and the fields of the JSON are those of `presso compress --table -v` and
// `--report json` (tools/compress/table_report.h). Tested by tests/cli/test_reports.py.
#include "tools/info/text_report.h"

#include <algorithm>

#include "format/ascii.h"
#include "format/damaged_magic.h"
#include "tools/cli/bind.h"
#include "tools/cli/terminal_text.h"
#include "tools/columns/load_columns.h"
#include "tools/compress/table_input.h"
#include "tools/compress/table_report.h"
#include "tools/info/table.h"

namespace presso::cli {

bool is_name_of_rows(const std::string& path) {
  const std::string name = ascii::lower(without_compression_suffix(path));
  constexpr std::string_view kEndings[] = {".csv", ".tsv",   ".tab",    ".tbl",
                                           ".psv", ".jsonl", ".ndjson", ".json"};
  return !column_suffix(name).empty() ||
         std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

Result<TableSummary> report_text(const std::string& path, const InputFile& input,
                                 const TableFlags& flags, unsigned threads) {
  const FdRandomAccess file(input.fd(), input.size());
  Byte begun[kMagicEvidenceBytes];
  const auto got = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), sizeof begun));
  PRESSO_TRY(file.read_at(0, MutableBytes(begun, got)));
  PRESSO_TRY(check_is_plain(Bytes(begun, got), &file, path));
  TableOptions options = flags.options;
  options.text.name = without_compression_suffix(path);
  options.compress.threads = threads;
  // Text that comes back is not made here, so ways of writing are not compared.
  options.exact = false;
  std::uint64_t bad_bytes = 0;
  options.on_bad_rows = [&bad_bytes](Bytes rows) -> Status {
    bad_bytes += rows.size();
    return {};
  };
  PRESSO_ASSIGN(TableInput text, TableInput::open(input));
  PRESSO_ASSIGN(TableSummary summary, text.describe(options));
  summary.plain_bytes += bad_bytes;
  return summary;
}

std::string text_report(const std::string& path, const TableSummary& summary) {
  std::string out =
      terminal_text(path).text + ": " + grouped(summary.rows) +
      (summary.rows == 1 ? " row of " : " rows of ") + grouped(summary.schema.columns.size()) +
      (summary.schema.columns.size() == 1 ? " column, " : " columns, ") +
      grouped(summary.plain_bytes) +
      (summary.schema.text.kind == TextKind::kNone ? " bytes of values\n" : " bytes of text\n") +
      terminal_text(dialect_words(summary)).text + "\n";
  if (summary.bad_rows > 0) {
    out += grouped(summary.bad_rows) + (summary.bad_rows == 1 ? " row does" : " rows do") +
           " not fit; the first: " + terminal_text(summary.first_bad_row).text + "\n";
  }
  for (const std::string& note : summary.notes) out += terminal_text(note).text + "\n";
  Table table({"values", "nulls", "type", "column", "why"}, 2);
  for (std::size_t i = 0; i < summary.findings.size(); ++i) {
    const ColumnSchema& column = summary.schema.columns[i];
    const ColumnFinding& found = summary.findings[i];
    const bool has_word = found.nulls > 0 && column.null_text;
    table.add({grouped(found.values),
               grouped(found.nulls) + (has_word ? " '" + *column.null_text + "'" : ""),
               type_name(column), column.name, found.why});
    for (const NestedField& field : column.fields.all()) {
      table.add({"", "", field_type_name(field), column.name + field.path, ""});
    }
  }
  return out + table.text();
}

}  // namespace presso::cli
