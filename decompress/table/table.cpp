// SPDX-License-Identifier: MIT
// Table: an opened table file, read by row groups and columns, and write_rows(), which prints
// rows in any form of text. The index is shared by copies of a Table; all reads are
// thread-safe. Tested by tests/unit/decompress/table and tests/cli/test_table.py.
#include "presso/table.h"

#include <algorithm>
#include <numeric>

#include "decompress/table/group_reader.h"
#include "format/columns/arranged_file.h"
#include "format/columns/header_line.h"
#include "format/columns/row_text.h"
#include "format/columns/table_file.h"
#include "presso/ordered_pipeline.h"

namespace presso {
namespace {

Error no_such_rows() {
  return make_error(ErrorCode::kInvalidArgument, "there are no such rows");
}

/// Rows that are decoded and printed together.
constexpr std::uint64_t kRowsAtOnce = 65536;
constexpr std::size_t kMostText = 64u << 20;

/// Rows of one row group, on their way to a thread.
struct RowsItem {
  std::uint64_t group;
  std::uint32_t first;
  std::uint32_t rows;
};

/// Rows with the first part of their text, up to about kMostText. Long names and long texts of
/// nulls can make any amount of text from a small file, so it is printed in parts.
struct PrintedRows {
  Status status;
  std::vector<ColumnData> columns;
  std::uint64_t printed = 0;  ///< rows whose text is printed
  Buffer text;

  /// Replaces `text` by that of the next rows.
  Status print_more(const TableSchema& schema) {
    std::vector<ColumnView> views;
    for (const ColumnData& column : columns) views.push_back(column.view());
    const RowPrinter printer(schema, views, nullptr, JsonBytes::kReplaced);
    text.clear();
    while (!done() && text.size() < kMostText) {
      const std::uint64_t rows = std::min(printer.batch_rows(), columns.front().rows - printed);
      PRESSO_TRY(printer.print(printed, rows, text));
      printed += rows;
    }
    return {};
  }
  bool done() const { return printed == columns.front().rows; }
};

}  // namespace

/// Opens by the index, or rebuilds it; rebuilt() and cut_off() tell.
Result<Table> Table::open(const RandomAccess& file, const DecodeOptions& options) {
  PRESSO_ASSIGN(TableIndex index, TableIndex::open(file));
  return Table(file, std::make_shared<const TableIndex>(std::move(index)), options);
}

Table::Table(const RandomAccess& file, std::shared_ptr<const TableIndex> index,
             const DecodeOptions& options)
    : file_(&file),
      index_(std::move(index)),
      options_(options),
      unpacked_(std::make_shared<UnpackedGroups>()) {}

const TableSchema& Table::schema() const {
  return index_->schema();
}

const Metadata& Table::metadata() const {
  return index_->members().front().metadata;
}

std::uint64_t Table::rows() const {
  return index_->rows();
}

std::uint64_t Table::row_groups() const {
  return index_->groups().size();
}

std::uint64_t Table::members() const {
  return index_->members().size();
}

std::uint64_t Table::text_bytes() const {
  return index_->text_bytes();
}

std::uint64_t Table::text_lines() const {
  return index_->text_lines();
}

bool Table::rebuilt() const {
  return index_->rebuilt();
}

bool Table::cut_off() const {
  return index_->cut_off();
}

// From the index; no part of the file is read.
RowGroupSummary Table::row_group(std::uint64_t group) const {
  const GroupPlace& place = index_->groups()[group];
  return {place.first_row, place.rows, place.text_bytes, place.stored_bytes};
}

// Also from the index. Without a zone nothing is known but the number of nulls.
ColumnSummary Table::column(std::uint64_t group, std::size_t column) const {
  const ColumnZone& zone = index_->zone(group, column);
  // A range of no value is none.
  const bool has_zone = (zone.flags & kZoneKnown) != 0 && (zone.flags & kZoneNoValue) == 0;
  return {zone.nulls, has_zone, zone.least, zone.most};
}

/// A table of some row groups, for splitting work; it shares the file.
Result<Table> Table::part(std::uint64_t first, std::uint64_t end) const {
  if (first >= end || end > row_groups()) {
    return make_error(ErrorCode::kInvalidArgument, "there are no such row groups");
  }
  return Table(*file_, std::make_shared<const TableIndex>(index_->part(first, end)), options_);
}

Result<Table> Table::arranged(std::vector<ArrangedColumn> columns) const {
  PRESSO_ASSIGN(auto file, ArrangedFile::make(*file_, *index_, std::move(columns)));
  const RandomAccess& bytes = *file;
  return Table(bytes, std::make_shared<const TableIndex>(TableIndex::arranged(std::move(file))),
               options_);
}

// Linear: tables have few columns, and names are looked up once a query.
std::optional<std::size_t> Table::find_column(std::string_view name) const {
  const auto& columns = schema().columns;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const ColumnSchema& column) { return column.name == name; });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

// Reads the directory anew for each call; queries keep it by GroupReader.
Result<std::vector<ColumnData>> Table::read(std::uint64_t group,
                                            std::span<const std::size_t> columns,
                                            std::uint32_t first, std::uint32_t rows) const {
  if (group >= row_groups()) return no_such_rows();
  const GroupPlace& place = index_->groups()[group];
  if (first > place.rows || rows > place.rows - first) return no_such_rows();
  PRESSO_ASSIGN(const auto directory, directory_of(*this, group));
  const RowGroupDecoder decoder = decoder_of(*this, group, *directory);
  std::vector<ColumnData> read;
  for (const std::size_t column : columns) {
    if (column >= schema().columns.size()) {
      return make_error(ErrorCode::kInvalidArgument, "there is no such column");
    }
    PRESSO_ASSIGN(ColumnData data, decoder.read(column, first, rows));
    read.push_back(std::move(data));
  }
  return read;
}

namespace {

/// Widens the range of a column's values by that of a row group.
void add_range(const ColumnZone& zone, ColumnSummary& range) {
  if (!has_range(zone)) return;
  range.least = range.has_zone ? std::min(range.least, zone.least) : zone.least;
  range.most = range.has_zone ? std::max(range.most, zone.most) : zone.most;
  range.has_zone = true;
}

}  // namespace

/// Sums over all directories, which are all read for it.
Result<std::vector<ColumnStorage>> Table::storage() const {
  std::vector<ColumnStorage> columns(schema().columns.size());
  for (std::uint64_t group = 0; group < row_groups(); ++group) {
    PRESSO_ASSIGN(const RowGroup directory, index_->read_directory(group));
    std::shared_ptr<const GroupDirectory> unpacked;
    if (directory.is_packed()) {
      PRESSO_ASSIGN(unpacked, directory_of(*this, group));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const ColumnChunk& chunk = directory.columns[i];
      ColumnStorage& column = columns[i];
      column.nulls += chunk.nulls;
      column.most_distinct = std::max<std::uint64_t>(column.most_distinct, chunk.distinct);
      for (std::uint32_t b = 0; b < chunk.blocks; ++b) {
        column.stored_bytes += directory.blocks[chunk.first_block + b].stored_bytes;
      }
      column.plain_groups += chunk.representation == Representation::kPlain ? 1 : 0;
      column.dictionary_groups += chunk.representation == Representation::kDictionary ? 1 : 0;
      column.token_groups += chunk.representation == Representation::kToken ? 1 : 0;
      column.bytes_groups += chunk.representation == Representation::kBytes ? 1 : 0;
      if (chunk.representation != Representation::kPacked) continue;
      ++column.packed_groups;
      column.most_distinct =
          std::max<std::uint64_t>(column.most_distinct, unpacked->row_group.columns[i].distinct);
      add_range(zone_of(unpacked->row_group, i), column.packed_range);
    }
  }
  return columns;
}

// Batches end where blocks of numbers end, so no block is decoded twice.
Status write_rows(const Table& table, const RowsOptions& options, ByteSink& sink) {
  std::vector<std::size_t> wanted = options.columns;
  if (wanted.empty()) {
    wanted.resize(table.schema().columns.size());
    std::iota(wanted.begin(), wanted.end(), std::size_t{0});
  }
  TableSchema schema;
  // The schema that is printed: wanted columns, in the caller's form of text.
  schema.text = options.form;
  schema.text.head.clear();
  schema.text.json_spacing = options.form.json_spacing.as_lines();
  if (!options.columns.empty()) schema.text.json_orders.clear();  // they number all columns
  for (const std::size_t column : wanted) {
    if (column >= table.schema().columns.size()) {
      return make_error(ErrorCode::kInvalidArgument, "there is no such column");
    }
    schema.columns.push_back(table.schema().columns[column]);
  }
  if (options.header && options.form.kind == TextKind::kDelimited) {
    const std::string line = header_line(schema);
    PRESSO_TRY(sink.write({reinterpret_cast<const Byte*>(line.data()), line.size()}));
  }

  std::uint64_t row = options.first_row;
  const std::uint64_t end =
      row + std::min(options.rows, table.rows() - std::min(row, table.rows()));
  std::uint64_t group = 0;
  const auto next = [&]() -> Result<std::optional<RowsItem>> {
    if (row >= end) return std::optional<RowsItem>();
    RowGroupSummary about = table.row_group(group);
    // Row groups are in order, so this passes each once.
    while (row >= about.first_row + about.rows) about = table.row_group(++group);
    const std::uint64_t first = row - about.first_row;
    // Up to where a block of numbers ends.
    const std::uint64_t to_block = kRowsAtOnce - first % kRowsAtOnce;
    const std::uint64_t rows = std::min({to_block, about.rows - first, end - row});
    row += rows;
    return std::optional(
        RowsItem{group, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(rows)});
  };
  const auto print = [&](RowsItem item, unsigned) {
    PrintedRows printed;
    auto columns = table.read(item.group, wanted, item.first, item.rows);
    if (!columns.ok()) {
      printed.status = std::move(columns.error());
      return printed;
    }
    printed.columns = std::move(*columns);
    printed.status = printed.print_more(schema);
    return printed;
  };
  const auto write = [&](PrintedRows printed) -> Result<bool> {
    PRESSO_TRY(std::move(printed.status));
    PRESSO_TRY(sink.write(printed.text.bytes()));
    // Further parts are printed here, in order, so that only one part is held.
    while (!printed.done()) {
      PRESSO_TRY(printed.print_more(schema));
      PRESSO_TRY(sink.write(printed.text.bytes()));
    }
    return true;
  };
  return run_ordered<RowsItem, PrintedRows>({threads_or_all(options.threads), 0}, next, print,
                                            write);
}

}  // namespace presso
