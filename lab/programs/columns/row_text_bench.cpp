// SPDX-License-Identifier: MIT
// How fast one core prints rows (format/columns/row_text.h), as CSV: MB of text a second, the best
// of several rounds over 65,536 rows like those of TPC-H's lineitem (4 integers, 4 decimals, 3
// dates, 5 strings), in each form of text.
#include <cstdio>
#include <random>
#include <string>

#include "format/columns/row_text.h"
#include "presso/stopwatch.h"

namespace presso {
namespace {

constexpr std::uint64_t kRows = 65536;
constexpr int kRounds = 20;

class Lineitem {
 public:
  Lineitem() {
    numbers("orderkey", "int64", 1, 6'000'000);
    numbers("partkey", "int64", 1, 200'000);
    numbers("suppkey", "int64", 1, 10'000);
    numbers("linenumber", "int64", 1, 7);
    numbers("quantity", "decimal(18,2)", 100, 5000);
    numbers("extendedprice", "decimal(18,2)", 90'000, 10'494'950);
    numbers("discount", "decimal(18,2)", 0, 10);
    numbers("tax", "decimal(18,2)", 0, 8);
    words("returnflag", {"A", "N", "R"}, 1);
    words("linestatus", {"O", "F"}, 1);
    numbers("shipdate", "date", 8036, 10561);
    numbers("commitdate", "date", 8036, 10561);
    numbers("receiptdate", "date", 8036, 10561);
    words("shipinstruct", {"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}, 1);
    words("shipmode", {"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"}, 1);
    words("comment", {"carefully ", "final ", "deposits ", "sleep ", "ironic ", "furiously "}, 6);
  }

  const std::vector<ColumnSchema>& schemas() const { return schemas_; }
  std::vector<ColumnView> views() const {
    std::vector<ColumnView> views;
    for (const ColumnData& column : columns_) views.push_back(column.view());
    return views;
  }

 private:
  ColumnData& add(const char* name, const char* type) {
    ColumnSchema schema = *parse_type(type);
    schema.name = name;
    schemas_.push_back(schema);
    ColumnData& column = columns_.emplace_back();
    column.type = schema.type;
    column.rows = kRows;
    return column;
  }

  void numbers(const char* name, const char* type, std::int64_t least, std::int64_t most) {
    ColumnData& column = add(name, type);
    std::uniform_int_distribution<std::int64_t> any(least, most);
    const std::uint32_t bytes = value_bytes(column.type);
    column.values.grow(kRows * bytes);
    for (std::uint64_t row = 0; row < kRows; ++row) {
      store(column.values.data() + row * bytes, any(random_));  // the next value covers the rest
    }
  }

  /// 1 to `most` of them a row.
  void words(const char* name, const std::vector<std::string>& words, std::size_t most) {
    ColumnData& column = add(name, "utf8");
    column.offsets.push_back(0);
    for (std::uint64_t row = 0; row < kRows; ++row) {
      for (std::size_t count = 1 + random_() % most; count > 0; --count) {
        const std::string& word = words[random_() % words.size()];
        column.values.append({reinterpret_cast<const Byte*>(word.data()), word.size()});
      }
      column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
    }
  }

  std::mt19937_64 random_{22};
  std::vector<ColumnSchema> schemas_;
  std::vector<ColumnData> columns_;
};

/// Pieces of 8,192 rows into one buffer, as a command writes them.
void measure(const char* name, const TableSchema& schema, const std::vector<ColumnView>& columns) {
  Buffer out;
  double best = 1e9;
  std::size_t bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    bytes = 0;
    const Stopwatch watch;
    const RowPrinter printer(schema, columns);
    for (std::uint64_t row = 0; row < kRows; row += 8192) {
      out.clear();
      if (!printer.print(row, 8192, out).ok()) return;
      bytes += out.size();
    }
    best = std::min(best, watch.seconds());
  }
  const auto total = static_cast<double>(bytes);
  std::printf("%s,%.1f,%.0f,%.1f\n", name, total / kRows, total / best / 1e6, kRows / best / 1e6);
}

void measure_all() {
  const Lineitem table;
  TableSchema schema;
  schema.columns = table.schemas();
  schema.text.kind = TextKind::kDelimited;
  measure("csv", schema, table.views());
  schema.text.delimiter = '|';
  schema.text.trailing_delimiter = true;
  schema.text.quote = 0;
  measure("tbl", schema, table.views());
  schema.text = TextForm();
  schema.text.kind = TextKind::kDelimited;
  for (ColumnSchema& column : schema.columns) column.quoting = Quoting::kAlways;
  measure("csv_all_quoted", schema, table.views());
  schema.text.kind = TextKind::kJsonLines;
  measure("jsonl", schema, table.views());
}

}  // namespace
}  // namespace presso

int main() {
  std::printf("form,bytes_a_row,mb_s,m_rows_s\n");
  presso::measure_all();
}
