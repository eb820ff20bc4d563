// SPDX-License-Identifier: MIT
// Rates of reading JSON lines from memory on one thread, best of several runs, and how many rows
// keep their text:
//   json_rate FILE
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "compress/table/text/json_inference.h"
#include "compress/table/text/json_loader.h"
#include "format/columns/row_text.h"
#include "format/columns/schema.h"
#include "presso/byte_stream.h"
#include "presso/stopwatch.h"

namespace presso {
namespace {

Result<Buffer> read_file(const char* path) {
  const int file = open(path, O_RDONLY);
  if (file < 0) return make_error(ErrorCode::kIo, "cannot open");
  FdSource source(file);
  Buffer text;
  text.resize_discarding(static_cast<std::size_t>(lseek(file, 0, SEEK_END)));
  lseek(file, 0, SEEK_SET);
  const auto size = read_fully(source, text.mutable_bytes());
  close(file);
  PRESSO_TRY(size);
  return text;
}

template <class Action>
void report(const char* what, Bytes text, Action&& action) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const Stopwatch watch;
    action();
    best = std::min(best, watch.seconds());
  }
  std::printf("%-28s %8.1f MB/s\n", what, static_cast<double>(text.size()) / best / 1e6);
}

void print_all(const TableSchema& schema, const LoadedRows& loaded, Bytes text) {
  std::vector<ColumnView> views;
  for (const ColumnData& column : loaded.columns) views.push_back(column.view());
  Buffer to;
  report("print", text, [&] {
    to.clear();
    const Status status = RowPrinter(schema, views, &loaded.exact).print(0, loaded.rows, to);
    if (!status.ok()) std::puts(status.error().text().c_str());
  });
  const bool same = std::equal(text.begin(), text.end(), to.data(), to.data() + to.size());
  std::puts(same ? "the same bytes" : "OTHER BYTES");
}

void measure(Bytes text) {
  std::size_t rows = 0;
  report("tokenise", text, [&] {
    JsonBatch batch;
    for (std::size_t at = 0; at < text.size();) {
      at = tokenize_json(text, at, kBatchRecords, batch);
      rows += batch.rows();
    }
  });
  const auto form = sniff_json(text);
  if (!form) return static_cast<void>(std::puts("no JSON lines"));
  text = text.subspan(form->head.size());
  Result<TableSchema> schema = TableSchema();
  report("tokenise and infer", text, [&] {
    JsonInference inference(*form);
    inference.add(text, 1);
    schema = inference.finish();
  });
  if (!schema.ok()) return static_cast<void>(std::puts(schema.error().text().c_str()));
  Result<LoadedRows> loaded = LoadedRows();
  for (const bool exact : {false, true}) {
    schema->exact = exact;
    report(exact ? "load, with the exact text" : "load", text,
           [&] { loaded = load_json_rows(text, *schema, 1); });
    if (!loaded.ok()) return static_cast<void>(std::puts(loaded.error().text().c_str()));
  }
  print_all(*schema, *loaded, text);
  std::map<std::string, int> types;
  for (const ColumnSchema& column : schema->columns) {
    ++types[type_name(column) + (column.text == ValueText::kRawJson ? " (JSON)" : "")];
  }
  for (const auto& [type, count] : types) std::printf("%s: %d  ", type.c_str(), count);
  std::printf(
      "\n%llu rows, %zu keep their text (%zu bytes), %zu orders of keys, schema %zu bytes\n",
      static_cast<unsigned long long>(loaded->rows), loaded->exact.rows.size(),
      loaded->exact.bytes.size(), schema->text.json_orders.size(),
      serialise_schema(*schema).size());
}

}  // namespace
}  // namespace presso

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto text = presso::read_file(argv[1]);
  if (!text.ok()) return 1;
  presso::measure(text->bytes());
}
