// SPDX-License-Identifier: MIT
// Gathers what `presso info` shows of a table. Least and greatest values come from the zones of row
// groups, in which a value is an unsigned "image" of 64 bits that sorts like the value; strings
// keep their first eight bytes there. The directories of all row groups are read, a few kilobytes
// each, but no values. Tested by tests/cli/test_reports.py.
#include <algorithm>
#include <string>

#include "format/columns/value_text.h"
#include "format/columns/zone_image.h"
#include "presso/table.h"
#include "tools/info/archive_report.h"

namespace presso::cli {
namespace {

/// The first bytes of a string, as far as a zone keeps them; "..." if there may be more. A zero
/// byte ends it, because shorter strings are filled up with zeros.
std::string string_of_image(std::uint64_t image) {
  std::string text;
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto byte = static_cast<char>(image >> shift);
    if (byte == 0) return text;
    const bool printable = static_cast<unsigned char>(byte) >= ' ' && byte != 0x7F;
    text += printable ? byte : '?';
  }
  // A letter may have been cut in two.
  while (!text.empty() && (text.back() & 0x80) != 0) text.pop_back();
  return text + "...";
}

/// A value as text from its image in a zone; empty for types whose image does not tell it. Floats
/// are kept as doubles there, and signed numbers with their top bit reversed so that they sort as
/// unsigned ones.
std::string value_of_image(const ColumnSchema& column, std::uint64_t image) {
  if (is_string(column.type)) return string_of_image(image);
  // 128 bits do not fit into an image, which keeps the upper part only.
  if (column.type == ColumnType::kDecimal128) return {};
  Byte value[8];
  if (column.type == ColumnType::kDouble) {
    store<double>(value, double_of_image(image));
  } else if (column.type == ColumnType::kFloat) {
    store<float>(value, static_cast<float>(double_of_image(image)));
  } else {
    store<std::uint64_t>(value, is_signed(column.type) ? image ^ kTopBit : image);
  }
  char text[kMaxValueText];
  return {text, print_value(column, value, text)};
}

/// The names of the ways in which row groups store a column, joined by "+". Row groups choose the
/// way by their own values, so there may be several.
std::string stored_as(const ColumnStorage& storage) {
  std::string text;
  const auto add = [&text](std::uint64_t groups, const char* name) {
    if (groups == 0) return;
    text += (text.empty() ? "" : "+") + std::string(name);
  };
  add(storage.plain_groups, "plain");
  add(storage.dictionary_groups, "dictionary");
  add(storage.token_groups, "token");
  add(storage.bytes_groups, "bytes");
  add(storage.packed_groups, "rows");
  return text.empty() ? "-" : text;
}

/// A column's facts over all row groups. The number of distinct values is the greatest of all
/// groups, as their union is not known.
ColumnRow column_row(const presso::Table& table, std::size_t index, const ColumnStorage& storage) {
  const ColumnSchema& column = table.schema().columns[index];
  ColumnRow row;
  row.name = column.name;
  row.fields = column.fields;
  row.type = type_name(column);
  row.nulls = storage.nulls;
  row.distinct = storage.most_distinct;
  row.stored_as = stored_as(storage);
  row.stored_bytes = storage.stored_bytes;
  // A column has no zone in a group that is all null.
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  bool known = false;
  const auto add = [&](const ColumnSummary& summary) {
    if (!summary.has_zone) return;
    known = true;
    least = std::min(least, summary.least);
    most = std::max(most, summary.most);
  };
  add(storage.packed_range);
  for (std::uint64_t group = 0; group < table.row_groups(); ++group)
    add(table.column(group, index));
  if (known) {
    row.least = value_of_image(column, least);
    row.most = value_of_image(column, most);
  }
  return row;
}

}  // namespace

/// Reads what a file of columns says about itself. Errors: those of Table::open(); a rebuilt index
/// is no error.
Result<ArchiveReport> report_table(const std::string& path, const InputFile& input) {
  const FdRandomAccess file(input.fd(), input.size());
  PRESSO_ASSIGN(const presso::Table table, presso::Table::open(file));
  PRESSO_ASSIGN(const std::vector<ColumnStorage> storage, table.storage());
  ArchiveReport report;
  report.path = path;
  report.compressed_bytes = input.size();
  report.plain_bytes = table.text_bytes();
  report.version = kTableFormatVersion;
  report.members = table.members();
  report.metadata = table.metadata();
  report.coding = "table";
  report.rule = "-";
  report.filter = "-";
  report.index_rebuilt = table.rebuilt();
  // The number of lines is stored only if the text can be restored.
  if (table.schema().exact) report.lines = table.text_lines();
  TableFacts facts;
  facts.rows = table.rows();
  facts.row_groups = table.row_groups();
  facts.exact = table.schema().exact;
  for (std::size_t i = 0; i < storage.size(); ++i) {
    facts.columns.push_back(column_row(table, i, storage[i]));
  }
  report.table = std::move(facts);
  return report;
}

}  // namespace presso::cli
