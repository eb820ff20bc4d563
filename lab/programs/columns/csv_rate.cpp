// SPDX-License-Identifier: MIT
// Rates of reading delimited text from memory on one thread, best of several runs:
//   csv_rate FILE [DELIMITER [TRAILING]]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "compress/table/text/csv_loader.h"
#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/type_inference.h"
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

template <class Action>
void each_batch(const Dialect& dialect, Bytes text, CpuLevel level, Action&& action) {
  RecordBatch batch;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = tokenize(dialect, text, at, kBatchRecords, true, batch, 1, level);
    if (!next.ok()) return static_cast<void>(std::puts(next.error().text().c_str()));
    action(batch);
    at = *next;
  }
}

void measure(Bytes text, const Dialect& dialect) {
  std::size_t records = 0;
  for (const CpuLevel level : {CpuLevel::kPortable, cpu_level()}) {
    report(level == CpuLevel::kPortable ? "tokenise, portable" : "tokenise", text, [&] {
      each_batch(dialect, text, level,
                 [&](const RecordBatch& batch) { records += batch.records(); });
    });
  }
  report("find the last record's end", text, [&] { records += *last_record_end(dialect, text); });
  TextForm form;
  form.kind = TextKind::kDelimited;
  form.delimiter = dialect.delimiter;
  form.trailing_delimiter = dialect.trailing_delimiter;
  RecordBatch head;
  const auto first = tokenize(dialect, text, 0, 1, true, head);
  if (!first.ok()) return;
  const std::size_t columns = head.fields.size();
  TableSchema schema;
  report("tokenise and infer", text, [&] {
    TypeInference inference(columns, form);
    each_batch(dialect, text.subspan(*first), cpu_level(),
               [&](const RecordBatch& batch) { inference.add(batch, text.subspan(*first), 2); });
    schema = inference.finish({});
  });
  for (const bool exact : {false, true}) {
    schema.exact = exact;
    report(exact ? "load, with the exact text" : "load", text, [&] {
      const auto rows = load_rows(text.subspan(*first), schema, 2);
      if (!rows.ok()) std::puts(rows.error().text().c_str());
      if (rows.ok() && exact) records += rows->exact.rows.size();
    });
  }
  for (const ColumnSchema& column : schema.columns) std::printf("%s ", type_name(column).c_str());
  std::printf("(%zu)\n", records);
}

}  // namespace
}  // namespace presso

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto text = presso::read_file(argv[1]);
  if (!text.ok()) return 1;
  presso::Dialect dialect;
  if (argc > 2) dialect.delimiter = static_cast<presso::Byte>(*argv[2]);
  dialect.trailing_delimiter = argc > 3;
  presso::measure(text->bytes(), dialect);
}
