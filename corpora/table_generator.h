// SPDX-License-Identifier: MIT
// Tables for tests and benchmarks of columns: TPC-H's eight, the Star Schema Benchmark's five, a
// web server's log and sensors' readings. Every row can be made without the rows before it, from
// the table's name, the scale and the row's number alone, so that parts may be made side by side
// and the bytes are the same on every machine. tests/unit/corpora/tpch_tables_test.cpp,
// ssb_tables_test.cpp and made_tables_test.cpp cover them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "corpora/random.h"
#include "corpora/row_writer.h"

namespace presso::corpora {

/// Not thread-safe: a thread has its own.
class TableGenerator {
 public:
  TableGenerator() = default;
  TableGenerator(const TableGenerator&) = delete;
  TableGenerator& operator=(const TableGenerator&) = delete;
  virtual ~TableGenerator() = default;

  /// How many rows there are; for lineitem and ssb_lineorder, how many orders, each with 1 to 7
  /// lines.
  virtual std::uint64_t rows() const = 0;
  /// The names of the columns, separated by commas.
  virtual std::string_view columns() const = 0;
  /// Writes row `row` < rows(), for lineitem and ssb_lineorder all lines of that order.
  virtual void append_row(std::uint64_t row, RowWriter& to) = 0;
};

/// `name` is lineitem, orders, customer, part, partsupp, supplier, nation, region, ssb_lineorder,
/// ssb_date, ssb_customer, ssb_supplier, ssb_part, weblog or sensor; null for any other. The scale
/// factor is `hundredths` / 100; `hundredths` is from 1 to kMaxScaleHundredths.
std::unique_ptr<TableGenerator> make_table(std::string_view name, std::uint64_t hundredths);
inline constexpr std::uint64_t kMaxScaleHundredths = 2'000'000;

/// Which numbers a stream of random numbers is for. Streams of different purpose or row are
/// independent of each other.
inline Random row_random(std::uint64_t purpose, std::uint64_t row) {
  const std::uint64_t mixed = Random(purpose).next();
  return Random(Random(mixed ^ row).next());
}

}  // namespace presso::corpora
