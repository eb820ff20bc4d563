// SPDX-License-Identifier: MIT
// Makes a table file of delimited text or JSON lines, standard input to standard output, for
// tables_test.py and the golden files, without the presso command.
//
//   make_table GROUP_ROWS[p] CODING [TYPE]...
//   make_table arrow
// With a `p`, row groups are packed where that is smaller.
// CODING, of blocks of bytes: 1 (Byte), 3 (Bit), or 0 for raw ones, as a quick writer makes them,
// which packs all integers. TYPE: of the columns in turn, as --schema takes
// it; "-" or nothing: what the values tell. In delimited text lines that begin with '#' are
// comments, and fields that a row lacks are null. With "arrow" the table is none of text: its
// columns have types of Arrow of every kind.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/columns/arrow_type.h"
#include "presso/arrow_abi.h"
#include "presso/compress_table.h"
#include "presso/table_writer.h"

namespace presso {
namespace {

Result<std::vector<Byte>> read_input() {
  std::vector<Byte> bytes;
  FdSource source(0);
  Byte part[65536];
  for (;;) {
    PRESSO_ASSIGN(const std::size_t got, source.read(part));
    if (got == 0) return bytes;
    bytes.insert(bytes.end(), part, part + got);
  }
}

Result<TableSummary> make(Bytes text, const TableOptions& options, ByteSink& sink) {
  MemorySource source(text);
  MemorySource types_from(text);
  return compress_table(source, &types_from, sink, options);
}

/// Types by place become types by name.
Status take_types(char** types, const TableSchema& found, TableOptions& options) {
  for (const ColumnSchema& column : found.columns) {
    if (*types == nullptr) return {};
    const std::string type = *types++;
    if (type == "-") continue;
    PRESSO_ASSIGN(ColumnSchema wanted, parse_type(type));
    wanted.name = column.name;
    options.types.push_back(std::move(wanted));
  }
  return {};
}

Status run(char** arguments) {
  PRESSO_ASSIGN(const std::vector<Byte> text, read_input());
  TableOptions options;
  options.text.name = "golden.csv";
  options.text.comment = text.empty() || text[0] == '{' ? Byte{0} : Byte{'#'};
  options.text.fill = true;
  options.group_rows = static_cast<std::uint32_t>(std::strtoul(arguments[0], nullptr, 10));
  options.packs = std::string_view(arguments[0]).ends_with('p');
  const auto coding = static_cast<Coding>(std::strtoul(arguments[1], nullptr, 10));
  options.quick = coding == Coding::kRaw;
  if (!options.quick) options.compress.coding = coding;
  options.compress.metadata = {{{"name", "golden.csv"}}};
  options.compress.threads = 1;
  if (arguments[2] != nullptr) {
    std::vector<Byte> nothing;
    VectorSink sink(nothing);
    PRESSO_ASSIGN(const TableSummary found, make(text, options, sink));
    PRESSO_TRY(take_types(arguments + 2, found.schema, options));
  }
  FdSink sink(1);
  auto made = make(text, options, sink);
  return made.ok() ? Status{} : Status{std::move(made.error())};
}

ArrowType type_of(std::string format, std::string name = {}, std::vector<ArrowType> children = {}) {
  return {std::move(format), std::move(name), ARROW_FLAG_NULLABLE, std::move(children), {}, {}};
}
ArrowType coded(ArrowType type, ArrowType values, std::string entries = {}) {
  type.dictionary.push_back(std::move(values));
  type.entries = std::move(entries);
  return type;
}

/// A type and two values of it.
struct TypedValues {
  ArrowType type;
  std::string_view first;
  std::string_view second;
};

std::vector<TypedValues> typed_values() {
  const ArrowType entries =
      type_of("+s", "entries", {type_of("tdm", "key"), type_of("tsn:Europe/Rome", "value")});
  const ArrowType lists = type_of("+vL", "b c", {type_of("g", "item")});
  const ArrowType runs = type_of("+r", "r", {type_of("i", "run_ends"), type_of("vz", "values")});
  return {
      {type_of("+l", "", {type_of("l", "item")}), "[1,null]", "[]"},
      {type_of("+s", "", {type_of("d:9,2", "a"), lists, runs}),
       R"({"a":1.50,"b c":[NaN,-0.0],"r":"00ff"})", R"({"a":null,"b c":null,"r":null})"},
      {type_of("+m", "", {entries}), R"({"2024-01-31":"1969-12-31T23:59:59.000000001Z"})", "{}"},
      {type_of("+w:1", "", {coded(type_of("S", "item"), type_of("u"))}), R"(["x"])", "[null]"},
      {coded(type_of("c"), type_of("U"), R"(["blue","green"])"), "red", "blue"},
      {type_of("vu"), "a", ""},
  };
}

/// One row group of three rows, the last of which is null.
Status make_arrow(ByteSink& sink) {
  TableSchema schema;
  std::vector<ColumnData> columns;
  for (const auto& [type, first, second] : typed_values()) {
    ColumnSchema& column = schema.columns.emplace_back(column_of(type));
    column.name = std::string("c").append(std::to_string(schema.columns.size()));
    column.arrow_type = serialise_arrow_type(type);
    ColumnData& data = columns.emplace_back();
    data.type = column.type;
    data.rows = 3;
    data.validity = {0b011};
    data.offsets.push_back(0);
    for (const std::string_view text : {first, second, std::string_view()}) {
      data.values.append({reinterpret_cast<const Byte*>(text.data()), text.size()});
      data.offsets.push_back(static_cast<std::int64_t>(data.values.size()));
    }
  }
  std::vector<ColumnView> views;
  for (const ColumnData& column : columns) views.push_back(column.view());
  TableWriterOptions options;
  options.compress.threads = 1;
  PRESSO_ASSIGN(TableWriter writer, TableWriter::open(sink, schema, options));
  PRESSO_TRY(writer.append(views));
  PRESSO_ASSIGN(const TableWriterSummary summary, writer.close());
  return summary.rows == 3 ? Status{} : make_error(ErrorCode::kIo, "rows");
}

Status run_arrow() {
  FdSink sink(1);
  return make_arrow(sink);
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  const bool arrow = count == 2 && std::string_view(arguments[1]) == "arrow";
  if (count < 3 && !arrow) {
    std::fputs("usage: make_table GROUP_ROWS[p] CODING [TYPE]...\n       make_table arrow\n",
               stderr);
    return 2;
  }
  const presso::Status done = arrow ? presso::run_arrow() : presso::run(arguments + 1);
  if (!done.ok()) std::fprintf(stderr, "make_table: %s\n", done.error().message().c_str());
  return done.ok() ? 0 : 2;
}
