// SPDX-License-Identifier: MIT
// Columns of tables that stay in device memory are brought to one form (usual_columns.h): whatever
// they were stored as, each row's value is base + divisor * number, and each bit says what it must.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "query/gpu/table/usual_columns.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/no_string_kernels.h"
#include "tests/simt/queried_table.h"

namespace presso::usual_vectors_test {
namespace {

using namespace test;
using gpu::LoadedTable;
using Number = std::int64_t;
using Rows = std::vector<std::optional<Number>>;

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0} / 2;
constexpr std::uint32_t kRows = 11'500;
constexpr std::uint32_t kGroupRows = 5000;

/// A column, by what its rows are; `random` is another one for each.
struct Made {
  const char* name;
  std::function<std::optional<Number>(std::uint32_t row, corpora::Random& random)> value;
  unsigned width = 65;  ///< that the column is to get; 65: whatever it takes

  friend std::ostream& operator<<(std::ostream& to, const Made& made) { return to << made.name; }
};

std::optional<Number> as_number(std::uint64_t bits) {
  return static_cast<Number>(bits);
}

std::vector<Made> all_columns() {
  return {
      {"one width", [](auto, auto& random) { return as_number(random.next() & 0xFFF); }, 12},
      {"a width for each vector",
       [](auto row, auto& random) {
         return as_number(random.next() & ((2u << (row / kVectorRows % 10)) - 1));
       },
       10},
      {"negative numbers",
       [](auto row, auto& random) {
         return Number{-70'000} - static_cast<Number>(random.next() & (0xFFu << (row / 2000)));
       }},
      {"ascending", [](auto row, auto&) { return as_number(17 + 3 * std::uint64_t{row}); }},
      {"ascending by uneven steps",
       [](auto row, auto& random) {
         return as_number(1000 * std::uint64_t{row} + random.below(99));
       }},
      {"descending over zero", [](auto row, auto&) { return Number{5000} - Number{row}; }},
      {"runs", [](auto row, auto&) { return as_number(row / 37 * 7919 % 1000); }},
      {"one value", [](auto, auto&) { return Number{-42}; }, 0},
      {"one value for each vector", [](auto row, auto&) { return as_number(row / kVectorRows); }},
      {"few exceptions",
       [](auto, auto& random) {
         return as_number(random.below(200) == 0 ? random.next() >> 30 : random.next() & 7);
       }},
      {"one vector far out",
       [](auto row, auto& random) {
         return as_number(row / kVectorRows == 2 ? random.next() >> 9 : random.next() & 63);
       }},
      {"hundreds", [](auto, auto& random) { return as_number(100 * random.below(5000)); }},
      {"sixties and nineties",
       [](auto row, auto& random) {
         return as_number((row < kGroupRows ? 60 : 90) * (3 + random.below(500)));
       }},
      {"33 bits", [](auto, auto& random) { return as_number(random.next() >> 31); }, 33},
      {"40 bits below zero",
       [](auto, auto& random) { return -static_cast<Number>(random.next() >> 24); }},
      {"50 bits, thousands",
       [](auto, auto& random) { return as_number(1000 * (random.next() >> 20)); }},
      {"64 bits", [](auto, auto& random) { return as_number(random.next()); }, 64},
      {"both ends",
       [](auto row, auto&) {
         return row % 2 == 0 ? std::numeric_limits<Number>::min()
                             : std::numeric_limits<Number>::max();
       },
       64},
      {"few nulls",
       [](auto, auto& random) {
         return random.below(300) == 0 ? std::nullopt : as_number(random.next() & 0xFF);
       }},
      {"many nulls",
       [](auto, auto& random) {
         return random.below(3) != 0 ? std::nullopt : as_number(random.next() & 0xFF);
       }},
      {"runs of nulls, ascending",
       [](auto row, auto&) { return row / 500 % 2 == 0 ? std::nullopt : as_number(row); }},
      {"a row group of nulls",
       [](auto row, auto& random) {
         return row < kGroupRows ? std::nullopt : as_number(random.next() & 0xFF);
       }},
  };
}

Rows rows_of(const Made& column) {
  corpora::Random random(kRows + column.width);
  Rows rows;
  for (std::uint32_t row = 0; row < kRows; ++row) rows.push_back(column.value(row, random));
  return rows;
}

std::string csv_of(const Rows& rows) {
  std::string csv = "row,v\n";
  for (std::uint32_t row = 0; row < kRows; ++row) {
    csv += std::to_string(row) + ",";
    if (rows[row]) csv += std::to_string(*rows[row]);
    csv += "\n";
  }
  return csv;
}

/// A table on the emulated device.
class Resident {
 public:
  Resident(const Table& table, std::uint64_t most_bytes)
      : memory_(*device_, {most_bytes, kNoLimit}), tables_{table} {
    const gpu::WantsRows all = [](const GroupReader&, std::uint32_t,
                                  std::uint32_t) -> Result<bool> { return true; };
    gpu::TableLoader loader(space_, tables_, {1}, counters_, 1, all);
    auto loaded = loader.load_all();
    if (!loaded.ok()) {
      EXPECT_EQ(loaded.error().code, ErrorCode::kDeviceMemory);
      return;
    }
    table_ = std::move(**loaded);
    is_there_ = true;
    const Status made = gpu::UsualColumns::make(space_, table_);
    EXPECT_TRUE(made.ok());
  }
  bool is_there() const { return is_there_; }
  const LoadedTable& table() const { return table_; }

 private:
  std::shared_ptr<EmulatedFaults> faults_ = std::make_shared<EmulatedFaults>();
  std::unique_ptr<gpu::Device> device_ = make_host_device(faults_);
  std::shared_ptr<gpu::TableKernels> kernels_ = make_emulated_table_kernels(faults_);
  NoStringKernels strings_;
  gpu::Memory memory_;
  gpu::PinnedPieces pinned_{memory_};
  gpu::OwnedStream stream_ = std::move(*gpu::make_stream(*device_));
  gpu::RunSpace space_{memory_, *kernels_, strings_, pinned_, stream_.get()};
  std::vector<Table> tables_;
  ReadCounters counters_;
  LoadedTable table_;
  bool is_there_ = false;
};

/// Bits of a lane's stream of words.
std::uint64_t bits_of_lane(const std::uint32_t* words, unsigned width, unsigned row) {
  std::uint64_t value = 0;
  for (unsigned bit = 0; bit < width; ++bit) {
    const unsigned at = row / kLanes * width + bit;
    const std::uint32_t word = words[at / 32 * kLanes + row % kLanes];  // allow(bare-32): bits
    value |= std::uint64_t{word >> at % 32 & 1} << bit;                 // allow(bare-32): bits
  }
  return value;
}

/// A row's value by its vector's place.
Number value_at(const gpu::PackedPlace& place, const gpu::UsualForm& form, unsigned row,
                unsigned rows) {
  constexpr unsigned kLow = 32;  // allow(bare-32): bits
  std::uint64_t number = bits_of_lane(place.words, std::min<unsigned>(form.width, kLow), row);
  if (form.width > kLow) {
    const std::uint32_t* const high = place.words + (rows + kLanes - 1) / kLanes * kLanes;
    number |= bits_of_lane(high, form.width - kLow, row) << kLow;
  }
  return static_cast<Number>(place.base + form.divisor * number);
}

class UsualVectors : public ::testing::TestWithParam<Made> {};

TEST_P(UsualVectors, HaveEachRow) {
  const Rows rows = rows_of(GetParam());
  const MadeTable made(csv_of(rows), kGroupRows);
  const Resident resident(*made.table, kNoLimit);
  ASSERT_TRUE(resident.is_there());
  const LoadedTable& table = resident.table();
  ASSERT_TRUE(table.form_of(0));
  const gpu::UsualForm& form = *table.form_of(0);
  if (GetParam().width <= 64) {
    EXPECT_EQ(form.width, GetParam().width);
  }
  std::uint64_t others = 0;
  std::size_t row = 0;
  for (const gpu::TableBlock& block : table.blocks_of(0)) {
    ASSERT_NE(block.places, nullptr);
    for (std::uint32_t vector = 0; vector < vectors_of(block.rows); ++vector) {
      const gpu::PackedPlace& place = block.places[vector];
      const unsigned n = vector_rows(block.rows, vector);
      if (place.words == nullptr) ++others;
      const std::uint32_t* const valid =
          block.valid_places == nullptr ? nullptr : block.valid_places[vector];
      for (unsigned i = 0; i < n; ++i, ++row) {
        const bool is_null = valid != nullptr && (valid[i / kLanes] >> i % kLanes & 1) == 0;
        ASSERT_EQ(is_null, !rows[row].has_value()) << row;
        if (is_null || place.words == nullptr) continue;
        ASSERT_EQ(value_at(place, form, i, n), *rows[row]) << row;
      }
    }
  }
  EXPECT_EQ(row, kRows);
  EXPECT_EQ(form.others, others);
  EXPECT_EQ(others, std::string(GetParam().name) == "one vector far out" ? 1u : 0u);
}

/// Without memory for that they stay as they are.
TEST_P(UsualVectors, NeedMemory) {
  const MadeTable made(csv_of(rows_of(GetParam())), kGroupRows);
  unsigned as_stored = 0;
  for (std::uint64_t limit = 16 << 10; limit < 8 << 20; limit += limit / 4) {
    const Resident resident(*made.table, limit);
    if (!resident.is_there() || resident.table().form_of(0)) continue;
    ++as_stored;
    EXPECT_EQ(resident.table().blocks_of(0)[0].places, nullptr);
  }
  EXPECT_GT(as_stored, 0u);
}

INSTANTIATE_TEST_SUITE_P(Columns, UsualVectors, testing::ValuesIn(all_columns()));

/// Doubles whose vectors differ are decoded; those of which most have one form stay as they are.
TEST(UsualDoubles, AreValuesWhereTheyDiffer) {
  corpora::Random random(7);
  for (const bool differ : {false, true}) {
    std::vector<double> values;
    std::string csv = "row,v\n";
    for (std::uint32_t row = 0; row < kRows; ++row) {
      const double digits = static_cast<double>(random.below(1000)) / 100;
      // Every second vector has no decimal form.
      const bool is_odd = differ && row / kVectorRows % 2 == 1;
      values.push_back(is_odd ? std::sqrt(digits) : digits);
      char text[32];  // allow(bare-32): a number's characters
      std::snprintf(text, sizeof text, "%.17g", values.back());
      csv += std::to_string(row) + "," + text + "\n";
    }
    const MadeTable made(csv, kGroupRows);
    const Resident resident(*made.table, kNoLimit);
    ASSERT_TRUE(resident.is_there());
    std::size_t row = 0;
    for (const gpu::TableBlock& block : resident.table().blocks_of(0)) {
      ASSERT_TRUE(block.floating);
      ASSERT_EQ(block.is_plain, differ);
      const auto* const there = reinterpret_cast<const double*>(block.words);
      for (std::uint32_t i = 0; differ && i < block.rows; ++i) {
        ASSERT_EQ(there[i], values[row + i]) << row + i;
      }
      row += block.rows;
    }
    EXPECT_EQ(row, kRows);
  }
}

TEST(BestWidth, LeavesOutFewVectorsThatAreMuchWider) {
  std::vector<Byte> widths(1000, 9);
  widths.resize(1004, 30);
  EXPECT_EQ(gpu::best_width(widths), 9);
  widths.resize(1400, 30);
  EXPECT_EQ(gpu::best_width(widths), 30);
  widths.push_back(gpu::VectorPacking::kNoWidth);
  EXPECT_EQ(gpu::best_width(widths), 30);
  EXPECT_EQ(gpu::best_width({gpu::VectorPacking::kNoWidth}), 0);
}

}  // namespace
}  // namespace presso::usual_vectors_test
