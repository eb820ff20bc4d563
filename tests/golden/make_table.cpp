// SPDX-License-Identifier: MIT
// Makes a table file of delimited text, standard input to standard output, for tables_test.py and
// the golden files: reaches every type and small row groups without the presso command.
//
//   make_table GROUP_ROWS CODING [TYPE]...
// CODING, of blocks of bytes: 1 (Byte) or 3 (Bit). TYPE: of the columns in turn, as --schema takes
// it; "-" or nothing: what the values tell. Lines that begin with '#' are comments, fields that a
// row lacks are null.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "compress/table/csv_loader.h"
#include "compress/table/dialect.h"
#include "compress/table/row_group_encoder.h"
#include "compress/table/type_inference.h"
#include "format/columns/table_file.h"
#include "presso/checksum.h"
#include "presso/compress.h"

namespace presso {
namespace {

constexpr Byte kComment = '#';

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

Status take_types(char** types, TableSchema& schema) {
  for (ColumnSchema& column : schema.columns) {
    if (*types == nullptr) return {};
    const std::string type = *types++;
    if (type == "-") continue;
    PRESSO_ASSIGN(const ColumnSchema wanted, parse_type(type));
    column.type = wanted.type;
    column.scale = wanted.scale;
    column.precision = wanted.precision;
    column.unit = wanted.unit;
    column.zone = wanted.zone;
    column.valid_utf8 = false;
  }
  return {};
}

/// One text as a table.
class TableMaker {
 public:
  TableMaker(Bytes text, std::size_t group_rows, ByteSink& sink)
      : text_(text), group_rows_(group_rows), writer_(sink) {}

  Status make(Coding coding, char** types) {
    PRESSO_TRY(find_schema());
    PRESSO_TRY(take_types(types, schema_));
    PRESSO_TRY(writer_.begin(schema_, {{{"name", "golden.csv"}}}));
    CompressOptions options;
    options.coding = coding;
    RowGroupEncoder encoder(schema_, table_parameters(options));
    for (std::size_t begin = 0; begin < rows_.size();) {
      PRESSO_ASSIGN(const std::size_t end, group_end(begin));
      PRESSO_TRY(add_group(encoder, rows_.subspan(begin, end - begin)));
      begin = end;
    }
    return writer_.finish();
  }

 private:
  Status find_schema() {
    SniffOptions options;
    options.comment = kComment;
    PRESSO_ASSIGN(const SniffedText sniffed, sniff(text_, true, "golden.csv", options));
    first_line_ = sniffed.first_line;
    rows_ = text_.subspan(sniffed.form.head.size());
    dialect_ = dialect_of(sniffed.form, kComment);
    TypeInference inference(sniffed.names.size(), sniffed.form);
    RecordBatch batch;
    for (std::size_t at = 0; at < rows_.size();) {
      PRESSO_ASSIGN(at, tokenize(dialect_, rows_, at, kBatchRecords, true, batch, first_line_));
      inference.add(batch, rows_, first_line_);
    }
    schema_ = inference.finish(sniffed.names);
    return {};
  }

  /// The last group has what stands behind the last record.
  Result<std::size_t> group_end(std::size_t begin) const {
    RecordBatch batch;
    PRESSO_ASSIGN(std::size_t end,
                  tokenize(dialect_, rows_, begin, group_rows_, true, batch, first_line_));
    PRESSO_ASSIGN(const std::size_t behind,
                  tokenize(dialect_, rows_, end, 1, true, batch, first_line_));
    return batch.records() == 0 ? behind : end;
  }

  Status add_group(RowGroupEncoder& encoder, Bytes text) {
    PRESSO_ASSIGN(const LoadedRows loaded, load_rows(text, schema_, first_line_, {kComment, true}));
    std::vector<ColumnView> views;
    for (const ColumnData& column : loaded.columns) views.push_back(column.view());
    GroupText of_text;
    if (schema_.exact) {
      const auto lines = std::count(text.begin(), text.end(), Byte{'\n'});
      of_text = {text.size(), static_cast<std::uint64_t>(lines), checksum64(text), &loaded.exact};
    }
    const EncodedRowGroup encoded = encoder.encode(views, of_text);
    return writer_.add_row_group(encoded.directory, encoded.blocks.bytes());
  }

  Bytes text_;
  Bytes rows_;  ///< without the head
  std::size_t group_rows_;
  std::uint64_t first_line_ = 1;
  Dialect dialect_;
  TableSchema schema_;
  TableFileWriter writer_;
};

Status run(char** arguments) {
  PRESSO_ASSIGN(const std::vector<Byte> text, read_input());
  FdSink sink(1);
  const auto group_rows = static_cast<std::size_t>(std::strtoul(arguments[0], nullptr, 10));
  const auto coding = static_cast<Coding>(std::strtoul(arguments[1], nullptr, 10));
  return TableMaker(text, group_rows, sink).make(coding, arguments + 2);
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
