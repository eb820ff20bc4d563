// SPDX-License-Identifier: MIT
// Sums, keys and conditions of columns of every kind of vector, put together at random: what chains
// of columns (chain.cuh), programs and sums without either give on the emulated GPU is what the CPU
// gives, in the same order.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/simt/emulated_query_device.h"
#include "tests/simt/real_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_chains_on_gpu_test {
namespace {

using namespace test;
using D = ColumnType;

/// Words that differ from row group to row group, so that their dictionaries do.
ColumnData words(std::uint32_t rows, const std::function<std::int64_t(std::uint32_t row)>& number) {
  ColumnData column;
  column.type = D::kUtf8;
  column.rows = rows;
  column.offsets.push_back(0);
  std::string all;
  for (std::uint32_t row = 0; row < rows; ++row) {
    all.append("word ").append(std::to_string(number(row)));
    column.offsets.push_back(static_cast<std::int64_t>(all.size()));
  }
  column.values.resize_discarding(all.size());
  std::memcpy(column.values.data(), all.data(), all.size());
  return column;
}

/// Integers of all widths: packed ones with a divisor, or next to the ends of their types, with
/// exceptions, in runs, rising, constant, and such that change from vector to vector; words whose
/// codes are packed, in runs, mostly the same, or constant.
TableOfColumns integers(std::uint32_t rows, std::uint32_t group_rows, unsigned seed) {
  corpora::Random random(seed);
  std::vector<std::pair<std::string, ColumnData>> columns;
  const auto add = [&]<class T>(const char* name, D type, T, auto&& value) {
    columns.emplace_back(name, column_of<T>(type, rows, [&](std::uint32_t row) {
                           return static_cast<T>(value(row));
                         }));
  };
  const auto below = [&](std::uint32_t limit) { return std::int64_t{random.below(limit)}; };
  std::int64_t run = 0;
  std::int64_t long_run = 0;
  std::int64_t walk = 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  add("a", D::kInt8, std::int8_t{}, [&](std::uint32_t) { return below(7) - 3; });
  add("b", D::kUint8, std::uint8_t{}, [&](std::uint32_t) { return 255 - below(3); });
  add("c", D::kInt16, std::int16_t{},
      [&](std::uint32_t) { return below(60) == 0 ? -32768 + below(9) : below(12); });
  add("d", D::kInt32, std::int32_t{}, [&](std::uint32_t) {
    if (below(25) == 0) run = below(5) - 2;
    return run;
  });
  add("e", D::kUint32, std::uint32_t{}, [&](std::uint32_t) { return 0xFFFFFFFF - below(9) * 7; });
  add("f", D::kInt64, std::int64_t{},
      [&](std::uint32_t) { return below(1000) * 3'000'000'019 - 1'000'000'000'000; });
  add("g", D::kInt64, std::int64_t{}, [&](std::uint32_t row) {
    const std::int64_t near = below(4);
    return row % 40 == 3 ? kMost - near : near * 5 - kMost;
  });
  add("h", D::kInt32, std::int32_t{}, [&](std::uint32_t) { return -17; });
  add("i", D::kInt64, std::int64_t{}, [&](std::uint32_t) { return walk += below(9); });
  add("j", D::kInt64, std::int64_t{}, [&](std::uint32_t) {
    if (below(70) == 0) long_run = below(4) * 2'000'000'000'000 - 3'000'000'000'000;
    return long_run;
  });
  add("k", D::kInt16, std::int16_t{}, [&](std::uint32_t row) {
    const std::uint32_t part = row / 1024 % 4;
    if (part == 0) return std::int64_t{4};
    if (part == 1) return below(30) == 0 ? below(11) : std::int64_t{2};
    return part == 2 ? std::int64_t{row / 60 % 11} : below(11);
  });
  add("l", D::kInt32, std::int32_t{},
      [&](std::uint32_t) { return below(3) == 0 ? below(1u << 31) : -below(1u << 31); });
  add("m", D::kDate32, std::int32_t{}, [&](std::uint32_t) { return 8000 + below(90); });
  columns.emplace_back(
      "n", with_nulls(column_of<std::int32_t>(
                          D::kInt32, rows,
                          [&](std::uint32_t) { return static_cast<std::int32_t>(below(50)) - 25; }),
                      random, 6));
  columns.emplace_back("s",
                       words(rows, [&](std::uint32_t row) { return below(5) + row / group_rows; }));
  columns.emplace_back("t", words(rows, [&](std::uint32_t) {
                         if (below(45) == 0) run = below(4);
                         return run;
                       }));
  columns.emplace_back("u", words(rows, [&](std::uint32_t row) {
                         return below(50) == 0 ? below(200) : row / 1024 % 3;
                       }));
  columns.emplace_back("v", words(rows, [&](std::uint32_t row) { return row / group_rows; }));
  // Below 100 in another share of the rows of each vector, so that warps list them here and not
  // there.
  static constexpr std::int64_t kRaised[] = {60, 90, 45, 30, 0, 55, 300};
  columns.emplace_back("w", column_of<std::int32_t>(D::kInt32, rows, [&](std::uint32_t row) {
                         return static_cast<std::int32_t>(below(100) + kRaised[row / 1024 % 7]);
                       }));
  return {columns, group_rows};
}

std::string pick(corpora::Random& random, std::span<const char* const> from) {
  return from[random.below(static_cast<std::uint32_t>(from.size()))];
}

std::string in_brackets(const std::string& left, const std::string& operation,
                        const std::string& right) {
  return std::string("(").append(left).append(operation).append(right).append(")");
}

/// A column, or one with a constant.
std::string factor(corpora::Random& random) {
  static constexpr const char* kColumns[] = {"a", "b", "c", "d", "e", "f", "h",
                                             "i", "j", "k", "l", "a", "k"};
  const std::string column = pick(random, kColumns);
  const std::string constant = std::to_string(random.below(9) == 0 ? 70'001 : random.below(6));
  switch (random.below(7)) {
    case 0:
      return in_brackets(constant, " - ", column);
    case 1:
      return in_brackets(column, " + ", constant);
    case 2:
      return in_brackets(column, " * ", constant);
    case 3:
      return in_brackets(column, " - ", constant);
    case 4:
      return std::string("-").append(column);
    default:
      return column;
  }
}

std::string aggregate(corpora::Random& random) {
  static constexpr const char* kKinds[] = {"sum", "sum", "sum", "avg", "min", "max", "count"};
  static constexpr const char* kOperations[] = {" * ", " * ", " + ", " - "};
  if (random.below(9) == 0) return "count(*)";
  if (random.below(12) == 0) return pick(random, kKinds) + "(g)";
  if (random.below(12) == 0) return pick(random, kKinds) + "(n)";
  std::string value = factor(random);
  for (std::uint32_t more = random.below(3); more > 0; --more) {
    const std::string next = factor(random);
    const std::string operation = pick(random, kOperations);
    value = random.below(2) == 0 ? in_brackets(value, operation, next)
                                 : in_brackets(next, operation, value);
  }
  return pick(random, kKinds) + in_brackets(value, "", "");
}

std::string condition(corpora::Random& random) {
  static constexpr const char* kConditions[] = {"a > 0",
                                                "b = 254",
                                                "c < 0",
                                                "c between 3 and 9",
                                                "d = 1 or d = -2",
                                                "e > 4294967250",
                                                "f between -900000000000 and 800000000000",
                                                "g > 0",
                                                "g < 0",
                                                "i < 9000",
                                                "i between 700 and 1100",
                                                "j > 0",
                                                "k = 4",
                                                "k in (2, 5, 7)",
                                                "l < -1000",
                                                "m > 1992-01-20",
                                                "n < 3",
                                                "n is null",
                                                "n is not null",
                                                "k <> 4 and c < 8",
                                                "h = -17",
                                                "(a = 1 or k = 2) and d >= 0",
                                                "s <> 'word 1'",
                                                "t in ('word 0', 'word 2')",
                                                "u = 'word 1'",
                                                "u like '%7'",
                                                "v < 'word 2'",
                                                "w < 100",
                                                "w < 100",
                                                "w < 110"};
  return pick(random, kConditions);
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

class RandomChainsOnGpu : public ::testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {
};

TEST_P(RandomChainsOnGpu, AnswerAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const TableOfColumns made = integers(rows, group_rows, rows);
  const TableOfColumns more = integers(rows / 2 + 1, group_rows, rows + 1);
  static constexpr const char* kKeys[] = {"a",     "d", "k",         "c", "b", "s",
                                          "k - 1", "m", "2 * a + d", "h", "n", "a + k",
                                          "t",     "u", "v",         "s", "t"};
  const auto faults = std::make_shared<EmulatedFaults>();
  corpora::Random random(rows);
  const std::uint32_t statements = kIsSanitized ? 60 : 240;
  std::uint32_t on_device = 0;
  for (std::uint32_t i = 0; i < statements; ++i) {
    std::vector<std::string> keys;
    for (std::uint32_t count = random.below(3); count > 0; --count) {
      keys.push_back(pick(random, kKeys));
    }
    if (keys.size() == 2 && keys[0] == keys[1]) keys.pop_back();
    std::vector<std::string> conditions;
    for (std::uint32_t count = random.below(3); count > 0; --count) {
      conditions.push_back(condition(random));
    }
    std::vector<std::string> aggregates;
    for (std::uint32_t count = random.below(5) + 1; count > 0; --count) {
      aggregates.push_back(aggregate(random));
    }
    const std::string where = joined(conditions, " and ");
    const std::string by = joined(keys, ", ");
    const std::string all = joined(aggregates, ", ");
    SCOPED_TRACE(where + " | " + by + " | " + all);
    Query query = random.below(3) == 0 ? Query::from({*made.table, *more.table}, {"one", "two"})
                                       : Query::from(*made.table);
    if (!where.empty()) query.where(where);
    if (!by.empty()) query.group_by(by);
    query.aggregate(all);
    const Answer expected = bits_of(query, nullptr);
    const Answer found = bits_of(query, make_emulated_query_device(faults, i));
    ASSERT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    EXPECT_EQ(faults->live_bytes, 0u);
    on_device += found.summary.why_cpu.empty() && expected.text.substr(0, 6) != "error:" ? 1 : 0;
  }
  EXPECT_GT(on_device, statements / 2);
  EXPECT_GT(faults->chains, rows > 1 ? statements / 4 : 0);
  EXPECT_GT(faults->byte_sums, rows > 1 ? statements / 60 : 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RandomChainsOnGpu,
                         ::testing::Values(std::pair{1u, 1000u}, std::pair{33u, 1000u},
                                           std::pair{4500u, 1500u}, std::pair{9000u, 1u << 20}));

/// A list of more rows than a chunk has is not in the rows' order, in which groups are found.
TEST(ListedRowsOnGpu, FindGroupsInTheOrderOfTheirFirstRows) {
  const std::uint32_t tables = kIsSanitized ? 8 : 40;
  for (std::uint32_t number = 0; number < tables; ++number) {
    corpora::Random random(number);
    const auto numbers = [&](std::uint32_t limit) {
      return column_of<std::int32_t>(D::kInt32, 2048, [&](std::uint32_t) {
        return static_cast<std::int32_t>(random.below(limit));
      });
    };
    std::vector<std::pair<std::string, ColumnData>> columns;
    columns.emplace_back("k", numbers(8));
    columns.emplace_back("share", numbers(1000));
    columns.emplace_back("x", numbers(1000));
    const TableOfColumns made{columns, 1u << 20};
    const auto faults = std::make_shared<EmulatedFaults>();
    for (const char* const asked : {"sum(x)", "sum(x * x)", "min(x), count(*)"}) {
      for (const char* const where : {"share < 300", "share < 480"}) {
        Query query = Query::from(*made.table);
        query.where(where).group_by("k").aggregate(asked);
        const Answer found = bits_of(query, make_emulated_query_device(faults, 0));
        EXPECT_EQ(found.summary.why_cpu, "");
        ASSERT_EQ(found.text, bits_of(query, nullptr).text) << asked << ", " << where;
      }
    }
    EXPECT_GT(faults->chains, 0u);
  }
}

/// Groups are few, all values have known ranges, and bytes of all of them fit: whatever is summed
/// comes of products of matrices.
TEST(SumsOfBytesOnGpu, HoldValuesOfAllWidthsAndSigns) {
  constexpr std::uint32_t kRows = 5000;
  corpora::Random random(11);
  std::vector<std::pair<std::string, ColumnData>> columns;
  const auto add = [&](const char* name, std::int64_t least, std::int64_t most) {
    const std::uint64_t span = static_cast<std::uint64_t>(most - least);
    columns.emplace_back(name, column_of<std::int64_t>(D::kInt64, kRows, [&](std::uint32_t row) {
                           if (row % 64 == 0) return row % 128 == 0 ? least : most;
                           const std::uint64_t bits =
                               std::uint64_t{random.below(1u << 31)} << 31 | random.below(1u << 31);
                           return least + static_cast<std::int64_t>(bits % (span + 1));
                         }));
  };
  add("k", 0, 7);
  add("l", -3, 3);
  add("m", 0, 8);
  add("a", 0, 255);
  add("b", -128, 127);
  add("c", -129, 127);
  add("d", 0, 65'536);
  add("e", -8'388'608, 8'388'607);
  add("f", 0, 0xFFFFFFFF);
  add("g", -(std::int64_t{1} << 39), (std::int64_t{1} << 39) - 1);
  add("h", -5, std::int64_t{1} << 50);
  add("w", -(std::int64_t{1} << 54), std::int64_t{1} << 54);
  const TableOfColumns made(columns, 1500);
  const Asked kAsked[] = {
      {"", "k", "sum(a), sum(b), sum(c), sum(d), sum(e), avg(f)"},
      {"a > 128", "l", "sum(g), sum(h), count(*)"},
      {"d < 3000", "k", "sum(w), sum(a), count(*)"},  // two cells, and few rows of a vector
      {"", "l", "sum(w), sum(a - b)"},
      {"b < 0 and a <> 7", "k", "sum(a * b), sum(a * b * c), sum(3 - a * b), sum(f + a)"},
      {"a = 300", "k", "sum(a)"},  // no row
      {"", "k", "count(*)"},
  };
  unsigned seed = 5;
  for (const Asked& asked : kAsked) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = bits_of(query, make_emulated_query_device(faults, ++seed));
    EXPECT_EQ(found.text, bits_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(faults->byte_sums != 0, found.summary.blocks_read != 0);
  }
  for (const Asked& asked :
       {Asked{"", "m", "sum(a)"}, Asked{"", "k", "sum(a), max(b)"},
        Asked{"", "k", "sum(g), sum(h), sum(f), sum(a)"}, Asked{"", "", "sum(a * b)"}}) {
    SCOPED_TRACE(std::string(asked.group_by) + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = bits_of(query, make_emulated_query_device(faults, ++seed));
    EXPECT_EQ(found.text, bits_of(query, nullptr).text);
    EXPECT_GT(faults->chains, 0u);
    EXPECT_EQ(faults->byte_sums, 0u) << "too many groups, planes, or other than sums";
  }
}

}  // namespace
}  // namespace presso::query_chains_on_gpu_test
