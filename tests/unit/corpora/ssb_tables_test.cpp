// SPDX-License-Identifier: MIT
// The value rules of the Star Schema Benchmark, checked in the text itself, and what the tables say
// of each other.
#include <array>
#include <map>
#include <set>

#include "tests/unit/corpora/table_text.h"

namespace presso::corpora::ssb_tables_test {
namespace {

constexpr std::array<const char*, 5> kNames = {"ssb_lineorder", "ssb_date", "ssb_customer",
                                               "ssb_supplier", "ssb_part"};

/// The tables at scale factor 0.01, each made once.
const std::vector<Fields>& rows_of(const std::string& name) {
  static std::map<std::string, std::vector<Fields>> tables;
  const auto [found, is_new] = tables.try_emplace(name);
  if (is_new) found->second = split_rows(make_text(name));
  return found->second;
}

std::set<std::string> values_of(const std::string& name, std::size_t column) {
  std::set<std::string> values;
  for (const Fields& row : rows_of(name)) values.insert(row[column]);
  return values;
}

void expect_between(std::int64_t value, std::int64_t least, std::int64_t most) {
  EXPECT_GE(value, least);
  EXPECT_LE(value, most);
}

TEST(SsbTables, HaveAsManyRowsAsTheScaleFactorSays) {
  EXPECT_EQ(make_table("ssb_lineorder", 1)->rows(), 15000u);
  EXPECT_EQ(rows_of("ssb_lineorder").size(), 59635u);
  EXPECT_EQ(rows_of("ssb_date").size(), 2557u);
  EXPECT_EQ(rows_of("ssb_customer").size(), 300u);
  EXPECT_EQ(rows_of("ssb_supplier").size(), 20u);
  EXPECT_EQ(rows_of("ssb_part").size(), 2000u);
}

TEST(SsbTables, PartsGrowWithTheLogarithmOfTheScaleFactor) {
  EXPECT_EQ(make_table("ssb_part", 50)->rows(), 100'000u);
  EXPECT_EQ(make_table("ssb_part", 100)->rows(), 200'000u);
  EXPECT_EQ(make_table("ssb_part", 199)->rows(), 200'000u);
  EXPECT_EQ(make_table("ssb_part", 200)->rows(), 400'000u);
  EXPECT_EQ(make_table("ssb_part", 10'000)->rows(), 1'400'000u);
  EXPECT_EQ(make_table("ssb_customer", 10'000)->rows(), 3'000'000u);
  EXPECT_EQ(make_table("ssb_supplier", 10'000)->rows(), 200'000u);
  EXPECT_EQ(make_table("ssb_lineorder", 10'000)->rows(), 150'000'000u);
}

TEST(SsbTables, EveryRowHasTheColumnsThatAreNamed) {
  for (const char* name : kNames) {
    const std::string columns(make_table(name, 1)->columns());
    const std::size_t count = split(columns + ',', ',').size();
    for (const Fields& row : rows_of(name)) ASSERT_EQ(row.size(), count) << name;
  }
}

/// Guards the figures published for these tables: a change of the bytes must be meant.
TEST(SsbTables, AreTheSameBytesOnEveryMachine) {
  EXPECT_EQ(hash(make_text("ssb_lineorder")), 0x22f7aa00053cff5cu);
  EXPECT_EQ(hash(make_text("ssb_date")), 0xe82d993318e35333u);
  EXPECT_EQ(hash(make_text("ssb_customer")), 0x00e4f06ded94d147u);
  EXPECT_EQ(hash(make_text("ssb_supplier")), 0xb8db8ba3147f1a65u);
  EXPECT_EQ(hash(make_text("ssb_part")), 0x086ae4515d0a31a3u);
}

TEST(SsbTables, ARowIsWhatItIsElsewhere) {
  const auto row = [](const char* name, std::uint64_t hundredths, std::uint64_t number) {
    return make_rows(name, hundredths, TableFormat::kCsv, number, number + 1);
  };
  EXPECT_EQ(row("ssb_lineorder", 10'000, 0),
            "1,1,674983,560500,142732,19961031,2-HIGH,0,3,468144,447311,9,426011,93628,5,19961224,"
            "MAIL\n");
  EXPECT_EQ(row("ssb_date", 1, 0),
            "19920101,\"January 1, 1992\",Wednesday,January,1992,199201,Jan1992,4,1,1,1,1,Winter,"
            "0,0,1,1\n");
  EXPECT_EQ(row("ssb_date", 10'000, 2556),
            "19981231,\"December 31, 1998\",Thursday,December,1998,199812,Dec1998,5,31,365,12,53,"
            "Christmas,0,1,0,1\n");
  EXPECT_EQ(row("ssb_customer", 10'000, 1),
            "2,Customer#000000002,FFChuX5cCjyUeh,ROMANIA  3,ROMANIA,EUROPE,29-667-491-4701,"
            "MACHINERY\n");
  EXPECT_EQ(row("ssb_supplier", 1, 1),
            "2,Supplier#000000002,g67EpGB GaowBUGZ5FA,BRAZIL   2,BRAZIL,AMERICA,12-898-132-1160"
            "\n");
  EXPECT_EQ(row("ssb_part", 10'000, 1'399'999),
            "1400000,moccasin purple,MFGR#2,MFGR#25,MFGR#2525,slate,MEDIUM PLATED NICKEL,47,LG "
            "JAR\n");
}

TEST(SsbTables, PartsMadeAloneAreThoseOfTheWhole) {
  for (const char* name : kNames) {
    const std::uint64_t rows = make_table(name, 1)->rows();
    const std::uint64_t middle = rows / 3 + 1;
    EXPECT_EQ(make_rows(name, 1, TableFormat::kCsv, 0, middle) +
                  make_rows(name, 1, TableFormat::kCsv, middle, rows),
              make_text(name, 1, TableFormat::kCsv))
        << name;
  }
}

TEST(SsbTables, KeysOfDimensionsCountFromOne) {
  for (const char* name : {"ssb_customer", "ssb_supplier", "ssb_part"}) {
    std::int64_t key = 0;
    for (const Fields& row : rows_of(name)) EXPECT_EQ(digits_of(row[0]), ++key) << name;
  }
}

TEST(SsbTables, LinesHoldValuesInTheirRanges) {
  const std::set<std::string> days = values_of("ssb_date", 0);
  for (const Fields& row : rows_of("ssb_lineorder")) {
    expect_between(digits_of(row[1]), 1, 7);
    expect_between(digits_of(row[2]), 1, 300);
    EXPECT_NE(digits_of(row[2]) % 3, 0) << "such customers have no orders";
    expect_between(digits_of(row[3]), 1, 2000);
    expect_between(digits_of(row[4]), 1, 20);
    expect_between(digits_of(row[5]), 19920101, 19980802);
    EXPECT_EQ(days.count(row[5]), 1u) << row[5];
    EXPECT_EQ(days.count(row[15]), 1u) << row[15];
    EXPECT_EQ(row[7], "0");
    expect_between(digits_of(row[8]), 1, 50);
    expect_between(digits_of(row[11]), 0, 10);
    expect_between(digits_of(row[14]), 0, 8);
  }
  EXPECT_EQ(values_of("ssb_lineorder", 6).size(), 5u);
  EXPECT_EQ(values_of("ssb_lineorder", 16).size(), 7u);
}

TEST(SsbTables, PricesFollowFromThePart) {
  for (const Fields& row : rows_of("ssb_lineorder")) {
    const std::int64_t part = digits_of(row[3]);
    const std::int64_t price = 90000 + (part / 10) % 20001 + 100 * (part % 1000);
    EXPECT_EQ(digits_of(row[9]), digits_of(row[8]) * price);
    EXPECT_EQ(digits_of(row[12]), digits_of(row[9]) * (100 - digits_of(row[11])) / 100);
    EXPECT_EQ(digits_of(row[13]), price * 6 / 10);
  }
}

TEST(SsbTables, LinesOfAnOrderAgreeOnIt) {
  std::map<std::string, std::set<Fields>> said;
  std::map<std::string, std::int64_t> totals;
  std::map<std::string, std::int64_t> lines;
  for (const Fields& row : rows_of("ssb_lineorder")) {
    EXPECT_EQ(digits_of(row[1]), ++lines[row[0]]) << "lines are numbered from 1";
    said[row[0]].insert({row[2], row[5], row[6], row[10]});
    totals[row[0]] += digits_of(row[12]) * (100 + digits_of(row[14])) / 100;
  }
  EXPECT_EQ(said.size(), 15000u);
  for (const auto& [order, facts] : said) {
    ASSERT_EQ(facts.size(), 1u) << order;
    EXPECT_EQ(digits_of((*facts.begin())[3]), totals[order]);
  }
}

TEST(SsbTables, ACityIsOneOfTenOfItsNation) {
  std::map<std::string, std::string> regions;
  for (const char* name : {"ssb_customer", "ssb_supplier"}) {
    for (const Fields& row : rows_of(name)) {
      std::string begin = row[4].substr(0, 9);
      begin.resize(9, ' ');
      EXPECT_EQ(row[3].substr(0, 9), begin);
      ASSERT_EQ(row[3].size(), 10u);
      expect_between(row[3][9], '0', '9');
      EXPECT_EQ(regions.emplace(row[4], row[5]).first->second, row[5]) << row[4];
      expect_between(static_cast<std::int64_t>(row[2].size()), 10, 25);
      EXPECT_EQ(row[6].size(), 15u);
    }
  }
  EXPECT_EQ(regions.size(), 25u);
  EXPECT_EQ(values_of("ssb_customer", 5).size(), 5u);
}

TEST(SsbTables, ABrandIsOneOfFortyOfItsCategory) {
  for (const Fields& row : rows_of("ssb_part")) {
    ASSERT_EQ(row[2].size(), 6u);
    ASSERT_EQ(row[3].size(), 7u);
    EXPECT_TRUE(row[3].starts_with(row[2]));
    EXPECT_TRUE(row[4].starts_with(row[3]));
    expect_between(digits_of(row[4].substr(7)), 1, 40);
    expect_between(digits_of(row[7]), 1, 50);
    EXPECT_EQ(row[1].find(row[5]), row[1].npos) << "the colour is none of the name";
  }
  EXPECT_EQ(values_of("ssb_part", 2).size(), 5u);
  EXPECT_EQ(values_of("ssb_part", 3).size(), 25u);
  EXPECT_GT(values_of("ssb_part", 4).size(), 800u);
  EXPECT_EQ(values_of("ssb_part", 6).size(), 150u);
  EXPECT_EQ(values_of("ssb_part", 8).size(), 40u);
}

TEST(SsbTables, ADayIsWhatTheCalendarSays) {
  std::string last;
  std::size_t leap_days = 0;
  for (const Fields& row : rows_of("ssb_date")) {
    EXPECT_LT(last, row[0]);
    last = row[0];
    const std::int64_t month = digits_of(row[10]);
    EXPECT_EQ(digits_of(row[0]), digits_of(row[4]) * 10'000 + month * 100 + digits_of(row[8]));
    EXPECT_EQ(digits_of(row[5]), digits_of(row[4]) * 100 + month);
    EXPECT_EQ(row[6], row[3].substr(0, 3) + row[4]);
    EXPECT_EQ(digits_of(row[11]), (digits_of(row[9]) - 1) / 7 + 1);
    EXPECT_EQ(row[13] == "1", row[2] == "Saturday");
    EXPECT_EQ(row[16] == "0", row[2] == "Saturday" || row[2] == "Sunday");
    leap_days += row[0].ends_with("0229") ? 1 : 0;
  }
  EXPECT_EQ(last, "19981231");
  EXPECT_EQ(leap_days, 2u);
  EXPECT_EQ(values_of("ssb_date", 12).size(), 5u);
}

TEST(SsbTables, UnknownTablesAreRefused) {
  EXPECT_EQ(make_table("ssb_", 1), nullptr);
  EXPECT_EQ(make_table("ssb_lineitem", 1), nullptr);
  EXPECT_EQ(make_table("ssb_part", 0), nullptr);
}

}  // namespace
}  // namespace presso::corpora::ssb_tables_test
