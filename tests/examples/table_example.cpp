// SPDX-License-Identifier: MIT
// <presso/compress_table.h>, <presso/table.h>: CSV becomes typed columns; two columns of some rows
// are read back, then all of the text.
#include <presso/compress_table.h>
#include <presso/table.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int complain(const presso::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main() {
  const std::string text =
      "id,price,day\n1,2.50,2026-11-23\n2,0.75,2026-11-24\n3,9.00,2026-11-25\n";
  const presso::Bytes plain(reinterpret_cast<const presso::Byte*>(text.data()), text.size());

  // Types are found out from all rows, so the text is read twice.
  presso::MemorySource source(plain);
  presso::MemorySource types_from(plain);
  std::vector<presso::Byte> stored;
  presso::VectorSink sink(stored);
  const auto made = presso::compress_table(source, &types_from, sink, {});
  if (!made.ok()) return complain(made.error());

  const presso::MemoryRandomAccess file(stored);
  const auto table = presso::Table::open(file);
  if (!table.ok()) return complain(table.error());
  for (const presso::ColumnSchema& column : table->schema().columns) {
    std::printf("%s: %s\n", column.name.c_str(), presso::type_name(column).c_str());
  }

  // Rows 2 and 3 of the first row group: prices are integers, to be divided by 10^scale.
  const std::size_t wanted[] = {*table->find_column("id"), *table->find_column("price")};
  const auto columns = table->read(0, wanted, 1, 2);
  if (!columns.ok()) return complain(columns.error());
  for (std::uint64_t row = 0; row < 2; ++row) {
    const auto id = presso::load<std::int64_t>((*columns)[0].values.data() + 8 * row);
    const auto cents = presso::load<std::int64_t>((*columns)[1].values.data() + 8 * row);
    std::printf("%lld costs %lld cents\n", static_cast<long long>(id),
                static_cast<long long>(cents));
  }

  presso::MemorySource compressed(stored);
  std::vector<presso::Byte> again;
  presso::VectorSink text_sink(again);
  const auto read = presso::decompress_table(compressed, text_sink);
  if (!read.ok()) return complain(read.error());
  return again == std::vector<presso::Byte>(plain.begin(), plain.end()) ? 0 : 1;
}
