// SPDX-License-Identifier: MIT
// Queries with so many groups that the emulated GPU makes them part by part give what they give on
// the CPU: the same rows in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "corpora/random.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/real_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_parts_on_gpu_test {
namespace {

using namespace test;

constexpr int kRows = 9000;

/// Keys of all 64 bits that are far apart, one of them in so many of ten rows; values that may be
/// null, negative, of more than 32 bits, or decimals.
std::string csv_of(unsigned usual_in_ten) {
  corpora::Random random(11 + usual_in_ten);
  const char* const kEnds[] = {"-9223372036854775808", "9223372036854775807", "-1", "0"};
  std::string csv = "key,near,small,maybe,wide,price\n";
  for (int i = 0; i < kRows; ++i) {
    const std::uint64_t key = std::uint64_t{random.below(4000)} * 2'148'914'691'236'517;
    if (random.below(10) < usual_in_ten) {
      csv += "77";
    } else if (random.below(50) == 0) {
      csv += kEnds[random.below(4)];
    } else {
      csv += std::to_string(static_cast<std::int64_t>(key));
    }
    const auto add = [&csv](const std::string& value) { csv.append(",").append(value); };
    // Of no more than 63 bits, so that it may be null.
    add(random.below(20) == 0 ? "" : std::to_string(std::uint64_t{random.below(5000)} << 36));
    add(std::to_string(static_cast<int>(random.below(2000)) - 1000));
    add(random.below(3) == 0 ? "" : std::to_string(random.below(1000)));
    add(std::to_string((std::int64_t{random.below(1u << 30)} << 24) - (1ll << 50)));
    add(std::to_string(random.below(1000)));
    csv.append(random.below(2) == 0 ? ".25" : ".50");
    csv += "\n";
  }
  return csv;
}

constexpr Asked kByParts[] = {
    {"", "key", "count(*)"},
    {"", "key", "sum(small)"},
    {"", "key", "count(*), sum(small), sum(wide), min(small), max(wide), avg(small)"},
    {"", "key", "count(maybe), sum(maybe), min(maybe), max(maybe), avg(maybe)"},
    {"small > -700", "key", "count(*), sum(small * 3 + wide)"},
    {"maybe > 100 and small < 900", "key", "sum(maybe), count(*)"},
    {"", "near", "count(*), sum(small)"},
    {"", "near, small", "count(*), max(maybe)"},
    {"small > wide", "near + 1, maybe", "count(small), sum(wide)"},
    {"", "key", "sum(price), avg(price), max(price * small)"},
};

class QueryByParts : public ::testing::TestWithParam<unsigned> {};

TEST_P(QueryByParts, AnswersAsTheCpu) {
  const MadeTable made(csv_of(GetParam()), 2500);
  std::uint32_t seed = 0;
  for (const Asked& asked : kByParts) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->group_parts.most_part_rows = kRows;
    const Answer found = answer_of(query, make_emulated_query_device(faults, ++seed));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(faults->parted, 1u);
    EXPECT_EQ(found.summary.passes, 2u);
    EXPECT_EQ(faults->live_bytes, 0u);
  }
}

/// A part that has too many rows for one thread block is found before it costs time: the table
/// grows in its place, as it did before.
TEST_P(QueryByParts, GivesUpWherePartsAreUneven) {
  const MadeTable made(csv_of(GetParam()), 2500);
  for (const Asked& asked : kByParts) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->group_parts.most_part_rows = 2;
    const Answer found = answer_of(query, make_emulated_query_device(faults));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(faults->parted, 1u);
    EXPECT_GT(found.summary.passes, 2u);
  }
}

/// Four parts, whose groups are far too many for shared memory.
TEST_P(QueryByParts, GoesThroughPartsAgainWhoseGroupsDoNotFit) {
  const MadeTable made(csv_of(GetParam()), 2500);
  for (const Asked& asked : kByParts) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->group_parts = {.table_bytes = 4096, .most_bits = 2, .most_part_rows = kRows};
    const Answer found = answer_of(query, make_emulated_query_device(faults));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(faults->parted, 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(UsualInTen, QueryByParts, ::testing::Values(0u, 6u));

class QueryByPartsFaults : public ::testing::Test {
 protected:
  static std::shared_ptr<EmulatedFaults> faults() {
    auto made = std::make_shared<EmulatedFaults>();
    made->group_parts.most_part_rows = kRows;
    return made;
  }

  MadeTable made{csv_of(0), 2500};
  // Few rows are left, so that a table of their groups takes less memory than words of all rows.
  const Query query =
      query_of(*made.table, {"small < -800", "key", "count(*), sum(small), max(wide)"});
  const std::string expected = answer_of(query, nullptr).text;
};

/// Rows of a table are read in several loads; where the limit leaves no room for all rows' words
/// the table of groups grows, or the query is the CPU's.
TEST_F(QueryByPartsFaults, MemoryMayBeLimited) {
  bool has_parted = false;
  bool has_grown = false;
  for (std::uint64_t bytes = 100'000; bytes < 3'000'000; bytes += bytes / 5) {
    SCOPED_TRACE(bytes);
    const auto limited = faults();
    const auto device = make_emulated_query_device(limited, 3, {.device_bytes = bytes});
    const Answer found = answer_of(query, device);
    if (found.text.substr(0, 6) == "error:") {
      EXPECT_NE(found.text.find("out of device memory"), std::string::npos) << found.text;
      continue;
    }
    EXPECT_EQ(found.text, expected);
    has_parted = has_parted || limited->parted != 0;
    has_grown = has_grown || (limited->parted == 0 && found.summary.why_cpu.empty());
  }
  EXPECT_TRUE(has_parted);
  EXPECT_TRUE(has_grown);
}

/// The limit says nothing of it: then a table of groups may do.
TEST_F(QueryByPartsFaults, TheDeviceMayHaveLess) {
  bool has_grown = false;
  for (std::uint64_t bytes = 300'000; bytes < 3'000'000; bytes += bytes / 8) {
    SCOPED_TRACE(bytes);
    const auto small = faults();
    small->device_bytes = bytes;
    const Answer found = answer_of(query, make_emulated_query_device(small, 4));
    has_grown = has_grown || (found.text == expected && small->parted == 0);
    if (found.text == expected) continue;
    EXPECT_EQ(found.text, "error: out of device memory: as the test wants it");
  }
  EXPECT_TRUE(has_grown);
}

TEST_F(QueryByPartsFaults, EachAllocationMayFail) {
  for (const bool pinned : {false, true}) {
    const auto whole = faults();
    ASSERT_EQ(answer_of(query, make_emulated_query_device(whole)).text, expected);
    ASSERT_EQ(whole->parted, 1u);
    const std::uint64_t count = pinned ? whole->pinned_allocations : whole->allocations;
    for (std::uint64_t i = 0; i < count; i += kIsSanitized ? 3 : 1) {
      const auto some = faults();
      (pinned ? some->pinned_allocation : some->allocation) = i;
      const Answer found = answer_of(query, make_emulated_query_device(some));
      EXPECT_EQ(found.text, std::string("error: out of ") + (pinned ? "" : "device ") +
                                "memory: as the test wants it");
      EXPECT_EQ(some->live_bytes, 0u);
      EXPECT_EQ(some->live_handles, 0u);
    }
  }
}

TEST_F(QueryByPartsFaults, TheDeviceMayBeLostAtAnyTime) {
  const auto whole = faults();
  ASSERT_EQ(answer_of(query, make_emulated_query_device(whole)).text, expected);
  for (std::uint64_t i = 0; i < whole->launches; i += kIsSanitized ? 3 : 1) {
    const auto lost = faults();
    lost->launch = i;
    const Answer found = answer_of(query, make_emulated_query_device(lost));
    EXPECT_NE(found.text.find("GPU failed"), std::string::npos) << found.text;
    EXPECT_EQ(lost->live_bytes, 0u);
  }
}

TEST_F(QueryByPartsFaults, DamagedBlocksAreReportedAsOnTheCpu) {
  corpora::Random random(5);
  int damaged = 0;
  constexpr int kFiles = kIsSanitized ? 5 : 60;
  for (int i = 0; i < kFiles; ++i) {
    std::vector<Byte> bytes = made.bytes;
    bytes[300 + random.below(static_cast<std::uint32_t>(bytes.size() - 2300))] ^=
        static_cast<Byte>(1 + random.below(255));
    const MemoryRandomAccess access(bytes);
    const auto table = Table::open(access);
    if (!table.ok()) continue;
    const Query broken = query_of(*table, {"", "key", "sum(small), max(wide)"});
    const std::string of_cpu = answer_of(broken, nullptr).text;
    EXPECT_EQ(answer_of(broken, make_emulated_query_device(faults())).text, of_cpu) << i;
    damaged += of_cpu.substr(0, 6) == "error:" ? 1 : 0;
  }
  EXPECT_GT(damaged, kFiles / 8);
}

/// Of tables a and b. `by_parts`: whether groups are made so.
void expect_as_on_cpu(const std::string& statement, const MadeTable& a, const MadeTable& b,
                      bool by_parts) {
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  const Query query = Query::from(*parsed, statement, {*a.table, *b.table});
  const Answer expected = answer_of(query, nullptr);
  ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
  const auto faults = std::make_shared<EmulatedFaults>();
  const Answer found = answer_of(query, make_emulated_query_device(faults));
  EXPECT_EQ(found.text, expected.text);
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
  EXPECT_EQ(faults->parted != 0, by_parts);
}

/// Rows that have several partners, which are in order by both numbers; those that come of build
/// rows at the end have pipelines of their own, and a table of groups.
TEST(QueryByPartsOfJoins, AnswersAsTheCpu) {
  std::string partners = "small,number\n";
  for (int i = 0; i < 900; ++i) {
    partners.append(std::to_string(i % 600 * 2 - 600)).append(",");
    partners.append(std::to_string(i * 7 % 900)).append("\n");
  }
  const MadeTable a(csv_of(0), 2500);
  const MadeTable b(partners, 1000);
  struct Joined {
    const char* keys;
    const char* join;
    bool by_parts;
  };
  for (const Joined& joined :
       {Joined{"key", "join", true}, Joined{"key", "left join", true},
        Joined{"near, number", "join", true}, Joined{"near, number", "left join", true},
        Joined{"near, number", "right join", false}, Joined{"near, number", "full join", false}}) {
    const std::string statement = "select " + std::string(joined.keys) +
                                  ", count(*), sum(wide), min(number), count(maybe)" + " from a " +
                                  joined.join + " b on a.small = b.small group by " + joined.keys;
    SCOPED_TRACE(statement);
    expect_as_on_cpu(statement, a, b, joined.by_parts);
  }
}

/// The program's steps are all that is tested first, once it does not look for groups any more.
TEST(QueryByPartsOfJoins, CountRowsOnceWhereJoinsAreTestedFirst) {
  std::string partners = "key,number\n";
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const std::uint64_t key = i * 2'148'914'691'236'517;
    partners.append(std::to_string(static_cast<std::int64_t>(key))).append(",");
    partners.append(std::to_string(i * 7 % 4000)).append("\n");
  }
  const MadeTable a(csv_of(0), 2500);
  const MadeTable b(partners, 1000);
  expect_as_on_cpu(
      "select a.key, count(*) from a semi join b on a.key = b.key and b.number < 600 "
      "group by a.key",
      a, b, true);
}

/// More pairs than there is memory for in parts: a larger table takes their groups.
TEST(QueryByPartsOfJoins, LeavePartsWhereRowsAreTooMany) {
  std::string rows = "key,one\n";
  for (std::uint64_t i = 0; i < 1200; ++i) {
    rows.append(std::to_string(i * 2'148'914'691'236'517 % (1ull << 60))).append(",1\n");
  }
  std::string partners = "one,number\n";
  for (int i = 0; i < 40; ++i) partners.append("1,").append(std::to_string(i)).append("\n");
  const MadeTable a(rows, 1000);
  const MadeTable b(partners, 1000);
  const std::string statement =
      "select key, count(*), sum(number) from a join b on a.one = b.one group by key";
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  const Query query = Query::from(*parsed, statement, {*a.table, *b.table});
  const auto faults = std::make_shared<EmulatedFaults>();
  const Answer found = answer_of(query, make_emulated_query_device(faults));
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "");
  const std::vector<std::string>& steps = faults->steps;
  EXPECT_NE(std::find(steps.begin(), steps.end(), "groups of parts"), steps.end());
  EXPECT_EQ(faults->parted, 0u);
}

/// Sums of doubles take several words a row; those of `pairs` find out on the way that they need
/// more limbs.
TEST(QueryByPartsOfDoubles, AnswersAsTheCpu) {
  constexpr std::uint32_t kReals = 6000;
  corpora::Random random(9);
  const auto key = [&](std::uint32_t) {
    return static_cast<std::int64_t>(random.below(3000) * 6'148'914'691'236'517ull);
  };
  const auto cents = [&](std::uint32_t) { return random.below(100'000) / 100.0 - 300; };
  const auto pairs = [](std::uint32_t row) {
    return (row % 2 == 0 ? 1.0 : -1.0) * (row % 7 == 0 ? 1e-20 : 1e20);
  };
  std::vector<std::pair<std::string, ColumnData>> columns;
  columns.emplace_back("key", column_of<std::int64_t>(ColumnType::kInt64, kReals, key));
  columns.emplace_back("cents", column_of<double>(ColumnType::kDouble, kReals, cents));
  columns.emplace_back("pairs", column_of<double>(ColumnType::kDouble, kReals, pairs));
  const TableOfColumns made(columns, 2000);
  const char* const kTooManyWords = "sum(pairs), sum(cents), sum(cents * 2)";
  for (const char* const aggregates :
       {"sum(cents), count(*)", "avg(cents), min(cents), max(pairs)", "sum(pairs)", kTooManyWords,
        "sum(cents * cents), min(pairs)"}) {
    SCOPED_TRACE(aggregates);
    const Query query = query_of(*made.table, {"", "key", aggregates});
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->group_parts.most_part_rows = kReals;
    const Answer found = bits_of(query, make_emulated_query_device(faults));
    EXPECT_EQ(found.text, bits_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    // Of too many words rows may have been parted while these were thought to have fewer.
    if (aggregates != kTooManyWords) {
      EXPECT_NE(faults->parted, 0u);
    }
  }
}

}  // namespace
}  // namespace presso::query_parts_on_gpu_test
