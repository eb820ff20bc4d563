// SPDX-License-Identifier: MIT
// <presso/table_writer.h>, <presso/arrow.h>, <presso/compress_arrow.h>: arrays become a table; it
// is read as an Arrow stream, here by hand as any library that speaks Arrow's C interface would;
// and a stream becomes a table again.
#include <presso/arrow.h>
#include <presso/compress_arrow.h>
#include <presso/table.h>
#include <presso/table_writer.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int complain(const presso::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

presso::TableSchema shop() {
  presso::ColumnSchema name;
  name.name = "name";
  name.valid_utf8 = true;  // checked when rows are appended
  presso::ColumnSchema price;
  price.name = "price";
  price.type = presso::ColumnType::kDouble;
  presso::TableSchema schema;
  schema.columns = {name, price};
  return schema;
}

presso::Status append_fruit(presso::TableWriter& writer) {
  const char names[] = "appleplumfig";
  const std::int64_t offsets[] = {0, 5, 9, 12};
  const double prices[] = {1.5, 0, 0.25};
  const presso::Byte priced[] = {0b101};  // the plum has no price
  presso::ColumnView columns[2];
  columns[0].type = presso::ColumnType::kUtf8;
  columns[0].rows = 3;
  columns[0].values = reinterpret_cast<const presso::Byte*>(names);
  columns[0].offsets = offsets;
  columns[1].type = presso::ColumnType::kDouble;
  columns[1].rows = 3;
  columns[1].values = reinterpret_cast<const presso::Byte*>(prices);
  columns[1].validity = priced;
  return writer.append(columns);
}

/// Knows nothing of presso but the published structs.
void print_batch(const ArrowArray& batch) {
  const ArrowArray& name = *batch.children[0];
  const ArrowArray& price = *batch.children[1];
  const auto* const offsets = static_cast<const std::int64_t*>(name.buffers[1]);
  const auto* const text = static_cast<const char*>(name.buffers[2]);
  const auto* const priced = static_cast<const unsigned char*>(price.buffers[0]);
  const auto* const prices = static_cast<const double*>(price.buffers[1]);
  for (std::int64_t row = 0; row < batch.length; ++row) {
    std::printf("%.*s: ", static_cast<int>(offsets[row + 1] - offsets[row]), text + offsets[row]);
    const bool has_price = priced == nullptr || (priced[row / 8] >> (row % 8) & 1) != 0;
    has_price ? std::printf("%g\n", prices[row]) : std::printf("no price\n");
  }
}

}  // namespace

int main() {
  std::vector<presso::Byte> stored;
  presso::VectorSink sink(stored);
  auto writer = presso::TableWriter::open(sink, shop());
  if (!writer.ok()) return complain(writer.error());
  auto appended = append_fruit(*writer);
  if (!appended.ok()) return complain(appended.error());
  const auto written = writer->close();
  if (!written.ok()) return complain(written.error());

  const presso::MemoryRandomAccess file(stored);
  const auto table = presso::Table::open(file);
  if (!table.ok()) return complain(table.error());
  presso::ArrowOwner<ArrowArrayStream> stream;
  auto exported = presso::export_stream(*table, {}, *stream.out());
  if (!exported.ok()) return complain(exported.error());
  for (;;) {
    presso::ArrowOwner<ArrowArray> batch;
    if (stream->get_next(stream.get(), batch.out()) != 0) return 1;
    if (batch.empty()) break;
    print_batch(*batch);
  }

  exported = presso::export_stream(*table, {}, *stream.out());
  if (!exported.ok()) return complain(exported.error());
  std::vector<presso::Byte> again;
  presso::VectorSink second(again);
  const auto imported = presso::compress_arrow(*stream.get(), second);
  if (!imported.ok()) return complain(imported.error());
  return again == stored ? 0 : 1;
}
