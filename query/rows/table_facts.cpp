// SPDX-License-Identifier: MIT
// Implements table_facts.h: types, ranges and nulls of tables' columns from the zones of their
// indexes. Zones are images (format/columns/zone_image.h), which are turned back into values here.
#include "query/rows/table_facts.h"

#include <algorithm>

#include "decompress/table/group_reader.h"
#include "format/columns/arrow_type.h"
#include "format/columns/schema.h"
#include "format/columns/zone_image.h"

namespace presso::query {
namespace {

/// Extends a range by a zone; returns false if the zone says nothing, and then the range is
/// unknown.
bool extend(Range& range, bool& begun, ColumnType type, const ColumnZone& zone) {
  if ((zone.flags & kZoneKnown) == 0) return false;
  if ((zone.flags & kZoneNoValue) != 0) return true;
  if (family_of(type) == Family::kDouble) {
    const double least = double_of_image(zone.least);
    const double most = double_of_image(zone.most);
    range.least_real = begun ? std::min(range.least_real, least) : least;
    range.most_real = begun ? std::max(range.most_real, most) : most;
  } else {
    const auto value = [type](std::uint64_t image) {
      return is_signed(type) ? Int128{static_cast<std::int64_t>(image ^ kTopBit)}
                             : static_cast<Int128>(image);
    };
    range.least = begun ? std::min(range.least, value(zone.least)) : value(zone.least);
    range.most = begun ? std::max(range.most, value(zone.most)) : value(zone.most);
  }
  begun = true;
  return true;
}

/// Decimals of 128 bits, truth values and strings have no range.
InputColumn input_column(const std::vector<Table>& tables, std::size_t column) {
  InputColumn input;
  input.schema = tables[0].schema().columns[column];
  input.name = input.schema.name;
  input.nullable = false;
  const ColumnType type = input.schema.type;
  const bool ranged =
      type != ColumnType::kDecimal128 && type != ColumnType::kBool && !is_string(type);
  bool known = ranged;
  bool begun = false;
  for (const Table& table : tables) {
    const TableIndex& index = TableAccess::index(table);
    // Where tables differ, values are handed to Arrow as the columns store them.
    input.schema.arrow_type =
        common_arrow_type(input.schema.arrow_type, table.schema().columns[column].arrow_type);
    for (const TableMember& member : index.members()) {
      const NestedFields& fields = member.schema.columns[column].fields;
      input.schema.fields = common_fields(input.schema.fields, fields);
    }
    for (std::uint64_t group = 0; group < index.groups().size(); ++group) {
      const ColumnZone& zone = index.zone(group, column);
      input.nullable = input.nullable || zone.nulls > 0;
      known = known && extend(input.range, begun, type, zone);
    }
  }
  input.range.known = known && begun;
  return input;
}

}  // namespace

std::uint64_t rows_of(const std::vector<Table>& tables) {
  std::uint64_t rows = 0;
  for (const Table& table : tables) rows += table.rows();
  return rows;
}

namespace {

/// Queries write dates, times and truth values in one form, whatever that of their file is.
ValueText answer_text(const ColumnSchema& column) {
  if (column.type == ColumnType::kTimestamp) return ValueText::kSpaceTime;
  const bool plain = column.type == ColumnType::kDate32 || column.type == ColumnType::kBool;
  return plain ? ValueText::kPlain : column.text;
}

}  // namespace

Result<std::vector<InputColumn>> input_columns(const std::vector<Table>& tables,
                                               const std::vector<std::string>& names) {
  for (std::size_t i = 1; i < tables.size(); ++i) {
    Status same = check_same_columns(tables[0].schema(), tables[i].schema());
    if (same.ok()) continue;
    const std::string name = i < names.size() ? names[i] : "table " + std::to_string(i + 1);
    return make_error(
        ErrorCode::kInvalidArgument,
        name + " " + same.error().what + "; 'presso join' combines tables with different columns");
  }
  std::vector<InputColumn> columns;
  for (std::size_t i = 0; i < tables[0].schema().columns.size(); ++i) {
    columns.push_back(input_column(tables, i));
    columns.back().schema.text = answer_text(columns.back().schema);
  }
  return columns;
}

std::vector<Physical> physical_of(const std::vector<InputColumn>& columns) {
  std::vector<Physical> physical;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const InputColumn& column = columns[i];
    physical.push_back(column_node(i, column.schema, column.range, column.nullable).physical);
  }
  return physical;
}

}  // namespace presso::query
