// SPDX-License-Identifier: MIT
// Tables with columns of doubles and floats, and answers of queries about them to the bit, for
// tests of queries on a GPU (query_doubles_on_gpu_test.cpp).
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "presso/sql.h"
#include "presso/table_writer.h"
#include "tests/simt/queried_table.h"

namespace presso::test {

/// The answer with the bits of all numbers, so that -0 differs from 0 and no digit is rounded.
class BitSink final : public ResultSink {
 public:
  Status begin(const TableSchema& of) override {
    schema_ = of;
    return {};
  }
  Result<bool> write(ResultBatch batch, Buffer) override {
    for (std::uint64_t row = 0; row < batch[0].rows; ++row) {
      for (const ColumnData& column : batch) text += text_of(column.view(), row) + ",";
      text.back() = '\n';
    }
    return true;
  }

  std::string text;

 private:
  static std::string text_of(const ColumnView& column, std::uint64_t row) {
    if (column.is_null(row)) return "null";
    if (is_string(column.type)) {
      const Bytes bytes = column.string(row);
      return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    const std::size_t width = value_bytes(column.type);
    std::string hex;
    for (std::size_t i = width; i-- > 0;) {
      const Byte byte = column.values[row * width + i];
      for (const unsigned digit : {byte / 16u, byte % 16u}) hex += "0123456789abcdef"[digit];
    }
    return hex;
  }

  TableSchema schema_;
};

inline Answer bits_of(const Query& query, std::shared_ptr<QueryDevice> device) {
  QueryOptions options;
  options.threads = 2;
  options.device = std::move(device);
  BitSink sink;
  const auto done = query.run(options, sink);
  if (!done.ok()) return {"error: " + done.error().message(), {}};
  return {sink.text, *done};
}

template <class T>
ColumnData column_of(ColumnType type, std::uint32_t rows,
                     const std::function<T(std::uint32_t row)>& value) {
  ColumnData column;
  column.type = type;
  column.rows = rows;
  column.values.resize_discarding(rows * sizeof(T));
  for (std::uint32_t row = 0; row < rows; ++row) {
    const T one = value(row);
    std::memcpy(column.values.data() + row * sizeof(T), &one, sizeof one);
  }
  return column;
}

/// Columns by name, written as a table.
struct TableOfColumns {
  TableOfColumns(const std::vector<std::pair<std::string, ColumnData>>& columns,
                 std::uint32_t group_rows) {
    TableSchema schema;
    std::vector<ColumnView> views;
    for (const auto& [name, column] : columns) {
      ColumnSchema& one = schema.columns.emplace_back();
      one.name = name;
      one.type = column.type;
      one.nullable = !column.validity.empty();
      views.push_back(column.view());
    }
    VectorSink sink(bytes);
    TableWriterOptions options;
    options.group_rows = group_rows;
    options.compress.threads = 1;
    auto writer = TableWriter::open(sink, schema, options);
    EXPECT_TRUE(writer.ok()) << writer.error().message();
    EXPECT_TRUE(writer->append(views).ok());
    EXPECT_TRUE(writer->close().ok());
    access = std::make_unique<MemoryRandomAccess>(bytes);
    table.emplace(*Table::open(*access));
  }

  std::vector<Byte> bytes;
  std::unique_ptr<MemoryRandomAccess> access;
  std::optional<Table> table;
};

/// A double with any sign and mantissa, and an exponent of that range.
inline double any_real(corpora::Random& random, int least_exponent, int most_exponent) {
  const double mantissa = 1.0 + static_cast<double>(random.below(1u << 30)) / (1u << 30) +
                          static_cast<double>(random.below(1u << 22)) / (1ull << 52);
  const auto span = static_cast<std::uint32_t>(most_exponent - least_exponent + 1);
  const double value = std::ldexp(mantissa, least_exponent + static_cast<int>(random.below(span)));
  return random.below(2) == 0 ? value : -value;
}

inline ColumnData with_nulls(ColumnData column, corpora::Random& random, std::uint32_t one_of) {
  column.validity.assign((column.rows + 7) / 8, 0);
  for (std::uint64_t row = 0; row < column.rows; ++row) {
    if (random.below(one_of) == 0) continue;
    column.validity[row / 8] = static_cast<Byte>(column.validity[row / 8] | 1u << (row % 8));
  }
  return column;
}

/// id, few (7 values), many (a third of the rows), far (any number); doubles: cents (decimals),
/// walk (packed otherwise), steps (runs), same (one value), usual (exponents close to each other),
/// zeros (signs of 0), maybe (nulls), and single (floats), lone (floats with nulls).
inline TableOfColumns usual_reals(std::uint32_t rows, std::uint32_t group_rows, unsigned seed) {
  corpora::Random random(seed);
  using D = ColumnType;
  double step = 0.125;
  std::vector<std::pair<std::string, ColumnData>> columns;
  const auto reals = [&](const char* name, const std::function<double(std::uint32_t)>& value) {
    columns.emplace_back(name, column_of<double>(D::kDouble, rows, value));
  };
  const auto integers = [&](const char* name,
                            const std::function<std::int64_t(std::uint32_t)>& value) {
    columns.emplace_back(name, column_of<std::int64_t>(D::kInt64, rows, value));
  };
  integers("id", [](std::uint32_t row) { return std::int64_t{row}; });
  integers("few", [&](std::uint32_t) { return std::int64_t{random.below(7)}; });
  integers("many", [&](std::uint32_t) { return std::int64_t{random.below(rows / 3 + 1)}; });
  integers("far", [&](std::uint32_t) {
    return std::int64_t{random.below(390)} * 23'456'789'012'345'678 - 4'611'686'018'427'387'904;
  });
  reals("cents", [&](std::uint32_t) { return static_cast<double>(random.below(2'000'000)) / 100; });
  reals("walk",
        [&](std::uint32_t row) { return row * 0.7310585786300049 + any_real(random, 0, 1); });
  reals("steps", [&](std::uint32_t) {
    if (random.below(40) == 0) step = any_real(random, -3, 3);
    return step;
  });
  reals("same", [](std::uint32_t) { return 0.1; });
  reals("usual", [&](std::uint32_t) { return any_real(random, -20, 18); });
  reals("zeros", [&](std::uint32_t) { return random.below(3) == 0 ? 0.0 : -0.0; });
  columns.emplace_back(
      "maybe", with_nulls(column_of<double>(D::kDouble, rows,
                                            [&](std::uint32_t) { return any_real(random, -6, 6); }),
                          random, 4));
  const auto single = [&](std::uint32_t) { return static_cast<float>(any_real(random, -9, 9)); };
  columns.emplace_back("single", column_of<float>(D::kFloat, rows, single));
  columns.emplace_back("lone", with_nulls(column_of<float>(D::kFloat, rows, single), random, 3));
  return {columns, group_rows};
}

/// few, many, and doubles: huge (all finite ones), wide (of 150 powers of two), tiny (denormal
/// ones), pairs (that cancel each other), special (with NaNs and infinities), nan_or_one, plus,
/// minus (with one infinity), floats (special ones), none (nulls only).
inline TableOfColumns hostile_reals(std::uint32_t rows, std::uint32_t group_rows, unsigned seed) {
  corpora::Random random(seed);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using D = ColumnType;
  std::vector<std::pair<std::string, ColumnData>> columns;
  const auto reals = [&](const char* name, const std::function<double(std::uint32_t)>& value) {
    columns.emplace_back(name, column_of<double>(D::kDouble, rows, value));
  };
  columns.emplace_back("few", column_of<std::int64_t>(D::kInt64, rows, [&](std::uint32_t row) {
                         return std::int64_t{row / 2 % 5};
                       }));
  columns.emplace_back("many", column_of<std::int64_t>(D::kInt64, rows, [&](std::uint32_t row) {
                         return std::int64_t{row / 2 % (rows / 6 + 1)};
                       }));
  reals("huge", [&](std::uint32_t) { return any_real(random, -1060, 1022); });
  reals("wide", [&](std::uint32_t) { return any_real(random, -90, 60); });
  reals("tiny", [&](std::uint32_t) { return any_real(random, -1074, -1000); });
  double other = 0;
  reals("pairs", [&](std::uint32_t row) {
    other = row % 2 == 0 ? any_real(random, -30, 20) : -other;
    return row % 97 == 0 ? std::nextafter(other, 0.0) : other;
  });
  reals("special", [&](std::uint32_t) {
    const std::array<double, 6> kinds = {nan, -nan, kInfinity, -kInfinity, -0.0, 1e300};
    return random.below(9) == 0 ? kinds[random.below(6)] : any_real(random, 0, 40);
  });
  reals("nan_or_one", [&](std::uint32_t row) { return row / 2 % 5 == 3 ? nan : 1.0; });
  reals("plus", [&](std::uint32_t) { return random.below(99) == 0 ? kInfinity : -2.5; });
  reals("minus", [&](std::uint32_t) { return random.below(99) == 0 ? -kInfinity : 2.5; });
  columns.emplace_back(
      "floats", column_of<float>(D::kFloat, rows, [&](std::uint32_t) {
        const std::array<float, 5> kinds = {
            std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::denorm_min(),
            -0.0f, -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max()};
        return random.below(5) == 0 ? kinds[random.below(5)] : 0.5f;
      }));
  ColumnData none = column_of<double>(D::kDouble, rows, [](std::uint32_t) { return 0.0; });
  none.validity.assign((rows + 7) / 8, 0);
  columns.emplace_back("none", std::move(none));
  return {columns, group_rows};
}

/// Of usual_reals().
inline constexpr Asked kAskedOfReals[] = {
    {"", "", "sum(cents), avg(cents), min(cents), max(cents), count(cents), count(*)"},
    {"", "", "sum(walk), avg(walk), min(walk), max(walk)"},
    {"", "", "sum(steps), min(steps), sum(same), avg(same)"},
    {"", "", "sum(usual), avg(usual), min(zeros), max(zeros), sum(zeros), avg(zeros)"},
    {"", "", "sum(maybe), avg(maybe), min(maybe), max(maybe), count(maybe)"},
    {"", "", "sum(single), avg(single), min(single), max(single)"},
    {"", "", "sum(lone), avg(lone), min(lone), max(lone), count(lone)"},
    {"walk between 100 and 700.5 and maybe < 3", "", "sum(usual), sum(maybe), max(single)"},
    {"id < 0", "", "sum(cents), avg(cents), min(cents), max(lone), count(*)"},
    {"", "few", "sum(cents), avg(cents), min(usual), max(usual), count(*)"},
    {"cents < 7000.25", "few", "sum(maybe), avg(lone), min(lone), max(maybe), min(zeros)"},
    {"", "many", "sum(usual), avg(usual), min(usual), max(usual)"},
    {"usual > 0", "many", "avg(maybe), max(maybe), count(maybe), sum(id)"},
    {"", "far", "sum(cents), avg(steps), min(walk), count(*)"},
    {"single < 1.5 and id < 1000", "far", "sum(lone), max(lone), sum(single)"},
    {"few = 3", "", "sum(walk), min(single), max(steps)"},
    {"id % 7 = 2", "few", "sum(walk), sum(single), max(lone)"},
    {"many < 3", "many", "sum(same), min(same), avg(usual)"},
};

inline constexpr Asked kExpressionsOfReals[] = {
    {"", "", "sum(cents * usual), avg(cents - walk), min(cents + 1e0), max(2e0 - walk)"},
    {"", "few", "sum(cents * (1 - same)), sum(cents * (1 - same) * (1 + walk)), count(*)"},
    {"", "few", "sum(cents * 0.07), avg(few * 1.5e0), max(id / 7), min(-usual)"},
    {"", "many", "sum(maybe * lone), max(abs(maybe)), count(maybe + lone), avg(-lone)"},
    {"usual * 3 < walk - 100", "", "count(*), sum(id)"},
    {"usual <> walk * 1e0 and single <= same * 5", "few", "count(*), sum(single / same)"},
    {"maybe / 3 >= lone and maybe is not null", "", "count(*), sum(maybe - lone)"},
    {"not (maybe > lone * 2)", "few", "count(*), avg(maybe)"},
    {"", "few", "sum(case when cents > 10000 then cents when few < 3 then 0.5e0 else -walk end)"},
    {"", "", "sum(case when usual > walk then 1 else 0 end), max(cast(usual as real))"},
    {"few / 2 > 1.25", "case when cents < walk * 20 then few else 9 end", "sum(few / 4), count(*)"},
    {"", "few", "sum(sqrt(few)), avg(round(few / 3, 2)), sum(cast(id as double) * id)"},
    {"zeros = -zeros", "few",
     "count(*), min(zeros * -1), max(-zeros), min(0 / cents), max(1 / zeros)"},
};

}  // namespace presso::test
