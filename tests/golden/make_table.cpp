// SPDX-License-Identifier: MIT
// Makes a table file of delimited text or JSON lines, standard input to standard output, for
// tables_test.py and the golden files, without the presso command.
//
//   make_table GROUP_ROWS CODING [TYPE]...
// CODING, of blocks of bytes: 1 (Byte), 3 (Bit), or 0 for raw ones, as a quick writer makes them,
// which packs all integers. TYPE: of the columns in turn, as --schema takes
// it; "-" or nothing: what the values tell. In delimited text lines that begin with '#' are
// comments, and fields that a row lacks are null.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "presso/compress_table.h"

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

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: make_table GROUP_ROWS CODING [TYPE]...\n", stderr);
    return 2;
  }
  const presso::Status done = presso::run(arguments + 1);
  if (!done.ok()) std::fprintf(stderr, "make_table: %s\n", done.error().message().c_str());
  return done.ok() ? 0 : 2;
}
