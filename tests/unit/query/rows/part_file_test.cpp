// SPDX-License-Identifier: MIT
#include "query/rows/part_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "corpora/random.h"

namespace presso::query::part_file_test {
namespace {

struct Row {
  std::int64_t number;
  std::string text;
  bool has_text;
  friend bool operator==(const Row&, const Row&) = default;
};

constexpr std::uint32_t kParts = 7;

std::uint32_t part_of_row(std::int64_t number) {
  return number % 11 == 0 ? PartFile::kNoPart : static_cast<std::uint32_t>(number * 5 % kParts);
}

Row row_of(std::int64_t number) {
  corpora::Random random(static_cast<std::uint64_t>(number) + 1);
  if (random.below(5) == 0) return {number, "", false};
  return {number, std::string(random.below(40), static_cast<char>('a' + number % 26)), true};
}

/// Adds the rows [first, end), batches of different sizes.
void add_rows(PartFile& file, std::int64_t first, std::int64_t end) {
  while (first < end) {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::int64_t>(end - first, 1 + first % kBatchRows));
    std::vector<Row> rows;
    std::vector<std::int64_t> numbers;
    std::vector<StringRef> texts;
    std::vector<std::uint32_t> parts;
    std::uint64_t validity[kBatchWords] = {};
    for (std::uint32_t i = 0; i < count; ++i) rows.push_back(row_of(first + i));
    for (std::uint32_t i = 0; i < count; ++i) {
      numbers.push_back(rows[i].number);
      texts.push_back({reinterpret_cast<const Byte*>(rows[i].text.data()), rows[i].text.size()});
      parts.push_back(part_of_row(rows[i].number));
      validity[i / 64] |= std::uint64_t{rows[i].has_text} << (i % 64);
    }
    const VectorView views[] = {{Physical::kInt64, numbers.data(), nullptr},
                                {Physical::kString, texts.data(), validity}};
    ASSERT_TRUE(file.add(views, parts.data(), count).ok());
    first += count;
  }
}

std::vector<Row> rows_of(const PartFile& file, std::uint32_t first, std::uint32_t end) {
  std::vector<Row> rows;
  RunBatch batch(file.columns());
  for (const PartFile::Batch& place : file.batches(first, end)) {
    std::uint64_t at = place.at;
    EXPECT_TRUE(batch.read(*place.file, at).ok());
    const RowSource source = batch.source();
    EXPECT_EQ(source.rows, place.rows);
    for (std::uint32_t i = 0; i < source.rows; ++i) {
      const Bytes text = source.columns[1].as<StringRef>()[i].bytes();
      const bool has_text = !source.columns[1].is_null(i);
      rows.push_back({source.columns[0].as<std::int64_t>()[i],
                      has_text ? std::string(text.begin(), text.end()) : "", has_text});
    }
  }
  return rows;
}

PartFilePlan plan_with(std::uint64_t bytes) {
  return {{Physical::kInt64, Physical::kString}, kParts, bytes, ""};
}

TEST(PartFile, GivesTheRowsOfAPartInTheOrderInWhichTheyCame) {
  for (const std::uint64_t bytes :
       {std::uint64_t{1}, std::uint64_t{5000}, std::uint64_t{1} << 20}) {
    PartFile file(plan_with(bytes));
    add_rows(file, 0, 20'000);
    ASSERT_TRUE(file.finish().ok());
    std::uint64_t all = 0;
    for (std::uint32_t part = 0; part < kParts; ++part) {
      std::vector<Row> expected;
      for (std::int64_t i = 0; i < 20'000; ++i) {
        if (part_of_row(i) == part) expected.push_back(row_of(i));
      }
      EXPECT_EQ(file.rows(part), expected.size());
      ASSERT_EQ(rows_of(file, part, part + 1), expected) << bytes << " bytes, part " << part;
      ASSERT_EQ(rows_of(file, part, part + 1), expected) << "again";
      all += expected.size();
    }
    EXPECT_EQ(file.rows(), all);
    EXPECT_GT(file.file_bytes(), all * 8);
    EXPECT_EQ(rows_of(file, 0, kParts).size(), all);
  }
}

TEST(PartFile, TakesRowsOfSeveralThreads) {
  PartFile file(plan_with(4000));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&file, i] { add_rows(file, i * 5000, (i + 1) * 5000); });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(file.finish().ok());
  for (std::uint32_t part = 0; part < kParts; ++part) {
    std::vector<Row> rows = rows_of(file, part, part + 1);
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return a.number < b.number; });
    std::vector<Row> expected;
    for (std::int64_t i = 0; i < 20'000; ++i) {
      if (part_of_row(i) == part) expected.push_back(row_of(i));
    }
    ASSERT_EQ(rows, expected);
  }
}

TEST(PartFile, HasNothingWhereNothingCame) {
  PartFile file(plan_with(1000));
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(file.rows(), 0u);
  EXPECT_EQ(file.file_bytes(), 0u);
  EXPECT_TRUE(file.batches(0, kParts).empty());
}

TEST(PartFile, NamesTheFolderThatTakesNoFile) {
  PartFilePlan plan = plan_with(1000);
  plan.temporary_directory = "/no/such/folder";
  PartFile file(std::move(plan));
  const std::int64_t number = 1;
  const StringRef text;
  const VectorView views[] = {{Physical::kInt64, &number, nullptr},
                              {Physical::kString, &text, nullptr}};
  const std::uint32_t part = 0;
  const Status added = file.add(views, &part, 1);
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.error().message().find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace presso::query::part_file_test
