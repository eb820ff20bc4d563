// SPDX-License-Identifier: MIT
// RowStore and StringArena against plain vectors of optional values.
#include "query/values/row_store.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "corpora/random.h"

namespace presso::query::row_store_test {
namespace {

using corpora::Random;

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}
std::string text_of(const StringRef& ref) {
  return {reinterpret_cast<const char*>(ref.data), static_cast<std::size_t>(ref.size)};
}

constexpr std::array kPhysical = {Physical::kBool, Physical::kInt64, Physical::kInt128,
                                  Physical::kDouble, Physical::kString};

/// A value of any physical form as text; nothing for null.
using Cell = std::optional<std::string>;
template <class T>
std::string raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// Rows of all five forms, made at random; what they hold, and views of them.
struct Batch {
  Batch(Random& random, std::uint32_t rows, std::uint32_t null_chance);
  std::vector<VectorView> views() const;

  std::vector<Byte> bools;
  std::vector<std::int64_t> integers;
  std::vector<Int128> wide;
  std::vector<double> doubles;
  std::vector<std::string> texts;
  std::vector<StringRef> refs;
  std::array<std::array<std::uint64_t, kBatchWords>, kPhysical.size()> validity{};
  std::array<bool, kPhysical.size()> nullable{};
  std::vector<std::array<Cell, kPhysical.size()>> cells;
};

Batch::Batch(Random& random, std::uint32_t rows, std::uint32_t null_chance) {
  cells.resize(rows);
  for (std::uint32_t row = 0; row < rows; ++row) {
    bools.push_back(static_cast<Byte>(random.below(2)));
    integers.push_back(static_cast<std::int64_t>(random.next()));
    wide.push_back(static_cast<Int128>(random.next()) << 64 | static_cast<Int128>(row));
    doubles.push_back(static_cast<double>(integers.back()) / 3);
    texts.emplace_back(random.skewed(40), static_cast<char>('a' + random.below(26)));
    cells[row] = {raw(bools[row]), raw(integers[row]), raw(wide[row]), raw(doubles[row]),
                  texts[row]};
  }
  for (const std::string& text : texts) refs.push_back({bytes_of(text).data(), text.size()});
  for (std::size_t column = 0; column < kPhysical.size(); ++column) {
    nullable[column] = null_chance != 0 && !random.one_in(3);
    for (std::uint64_t& word : validity[column]) word = random.next();  // bits past the end: any
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint64_t bit = std::uint64_t{1} << (row % 64);
      const bool null = nullable[column] && random.one_in(null_chance);
      std::uint64_t& word = validity[column][row / 64];
      word = null ? word & ~bit : word | bit;
      if (null) cells[row][column].reset();
    }
  }
}

std::vector<VectorView> Batch::views() const {
  const std::array<const void*, kPhysical.size()> values = {
      bools.data(), integers.data(), wide.data(), doubles.data(), refs.data()};
  std::vector<VectorView> views;
  for (std::size_t i = 0; i < kPhysical.size(); ++i) {
    views.push_back({kPhysical[i], values[i], nullable[i] ? validity[i].data() : nullptr});
  }
  return views;
}

Cell cell_of(const VectorView& view, std::uint32_t row) {
  if (view.is_null(row)) return std::nullopt;
  if (view.physical == Physical::kString) return text_of(view.as<StringRef>()[row]);
  const std::size_t width = physical_bytes(view.physical);
  return std::string(view.as<char>() + row * width, width);
}

using Cells = std::vector<std::array<Cell, kPhysical.size()>>;

void expect_holds(const RowStore& store, const Cells& cells) {
  ASSERT_EQ(store.rows(), cells.size());
  for (std::size_t column = 0; column < kPhysical.size(); ++column) {
    for (std::uint64_t row = 0; row < cells.size(); ++row) {
      const VectorView view = store.view(column, row / 64 * 64);
      ASSERT_EQ(cell_of(view, row % 64), cells[row][column]) << column << " " << row;
      ASSERT_EQ(store.is_null(column, row), !cells[row][column].has_value());
    }
  }
}

RowStore all_forms() {
  return RowStore({kPhysical.begin(), kPhysical.end()});
}

/// Batches of `sizes` rows in a store and as cells.
Cells fill(RowStore& store, Random& random, const std::vector<std::uint32_t>& sizes,
           std::uint32_t null_chance) {
  Cells cells;
  for (const std::uint32_t rows : sizes) {
    const Batch batch(random, rows, null_chance);
    store.append(batch.views(), rows);
    cells.insert(cells.end(), batch.cells.begin(), batch.cells.end());
  }
  return cells;
}

TEST(RowStore, HoldsBatchesOfAnySizeAndForm) {
  Random random(71);
  for (const std::uint32_t null_chance : {0u, 1u, 2u, 50u}) {
    RowStore store = all_forms();
    const Cells cells =
        fill(store, random, {1, 63, 64, 65, 0, 1024, 7, 1000, 1024, 128, 1}, null_chance);
    expect_holds(store, cells);
  }
}

TEST(RowStore, KeepsRandomBatches) {
  Random random(72);
  for (int run = 0; run < 30; ++run) {
    RowStore store = all_forms();
    std::vector<std::uint32_t> sizes(random.below(8));
    for (std::uint32_t& size : sizes) size = random.skewed(kBatchRows + 1);
    expect_holds(store, fill(store, random, sizes, 1 + random.skewed(200)));
  }
}

TEST(RowStore, TheFirstNullMayComeLate) {
  Random random(73);
  RowStore store = all_forms();
  Cells cells = fill(store, random, {100, 1024}, 0);
  for (std::size_t i = 0; i < kPhysical.size(); ++i) EXPECT_EQ(store.view(i, 0).validity, nullptr);
  const Cells more = fill(store, random, {77, 3}, 2);
  cells.insert(cells.end(), more.begin(), more.end());
  expect_holds(store, cells);
}

TEST(RowStore, BitsOfRowsThatDoNotExistAreSet) {
  RowStore store({Physical::kInt64});
  const std::int64_t value = 5;
  const std::uint64_t null = 0;
  const VectorView view{Physical::kInt64, &value, &null};
  store.append({&view, 1}, 1);
  EXPECT_EQ(*store.view(0, 0).validity, ~std::uint64_t{1});
}

TEST(RowStore, NullStringsAreEmptyAndTheirBytesAreNotRead) {
  RowStore store({Physical::kString});
  const StringRef nowhere{nullptr, 1000};
  const std::uint64_t null = 0;
  const VectorView view{Physical::kString, &nowhere, &null};
  store.append({&view, 1}, 1);
  EXPECT_EQ(store.at<StringRef>(0, 0).size, 0u);
}

TEST(RowStore, PicksRowsInAnyOrder) {
  Random random(74);
  Cells expected;
  RowStore picked;
  {
    RowStore store = all_forms();
    const Cells cells = fill(store, random, {1024, 300}, 9);
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < cells.size(); ++row) {
      if (!random.one_in(4)) rows.push_back(row);
    }
    for (std::size_t i = rows.size(); i > 1; --i) {
      std::swap(rows[i - 1], rows[random.below(static_cast<std::uint32_t>(i))]);
    }
    for (const std::uint64_t row : rows) expected.push_back(cells[row]);
    picked = store.picked(rows);
    EXPECT_EQ(store.picked({}).rows(), 0u);
  }
  expect_holds(picked, expected);
  const Cells more = fill(picked, random, {70}, 3);
  expected.insert(expected.end(), more.begin(), more.end());
  expect_holds(picked, expected);
}

TEST(RowStore, CountsItsMemory) {
  Random random(75);
  RowStore store = all_forms();
  EXPECT_EQ(store.bytes(), 0u);
  std::uint64_t needed = 0;
  for (const auto& row : fill(store, random, std::vector<std::uint32_t>(50, kBatchRows), 0)) {
    needed += 1 + 8 + 16 + 8 + 16 + row[4]->size();
  }
  EXPECT_GE(store.bytes(), needed);
  EXPECT_LE(store.bytes(), 2 * needed + (std::uint64_t{1} << 20));
}

TEST(RowStore, DoesNotMoveValuesWhileTheRoomThatWasReservedLasts) {
  Random random(77);
  RowStore store({kPhysical.begin(), kPhysical.end()});
  store.use_large_pages();
  store.reserve(10 * kBatchRows);
  std::vector<const void*> begins;
  for (std::size_t i = 0; i < kPhysical.size(); ++i) {
    begins.push_back(store.view(i, 0).values);
  }
  const Cells cells = fill(store, random, std::vector<std::uint32_t>(10, kBatchRows), 3);
  for (std::size_t i = 0; i < kPhysical.size(); ++i) {
    EXPECT_EQ(store.view(i, 0).values, begins[i]) << i;
  }
  expect_holds(store, cells);
}

TEST(RowStore, WithoutColumnsCountsRows) {
  RowStore store(std::vector<Physical>{});
  store.append({}, 1024);
  store.append({}, 3);
  EXPECT_EQ(store.rows(), 1027u);
}

TEST(StringArena, StringsStayWhereTheyAre) {
  Random random(76);
  StringArena arena;
  std::vector<std::pair<StringRef, std::string>> added;
  std::uint64_t total = 0;
  for (int i = 0; i < 5000; ++i) {
    // Lengths around the sizes of chunks now and then.
    const std::uint32_t sizes[] = {random.skewed(30), 4095 + random.below(4),
                                   (1u << 18) - 1 + random.below(3)};
    const std::size_t kind = i % 500 == 499 ? 2 : i % 50 == 49 ? 1 : 0;
    std::string text(sizes[kind], static_cast<char>('a' + i % 26));
    added.emplace_back(arena.add(bytes_of(text)), text);
    total += text.size();
  }
  for (const auto& [ref, text] : added) ASSERT_EQ(text_of(ref), text);
  EXPECT_GE(arena.bytes(), total);
  EXPECT_LE(arena.bytes(), 2 * total + (std::uint64_t{1} << 20));
  arena.clear();
  EXPECT_EQ(arena.bytes(), 0u);
  EXPECT_EQ(text_of(arena.add(bytes_of("again"))), "again");
}

}  // namespace
}  // namespace presso::query::row_store_test
