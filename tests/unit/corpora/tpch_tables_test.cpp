// SPDX-License-Identifier: MIT
// The value rules of the TPC-H specification, section 4.2.3, checked in the text itself at scale
// factor 0.01, and what the tables say of each other.
#include <array>
#include <map>
#include <set>

#include "tests/unit/corpora/table_text.h"

namespace presso::corpora::tpch_tables_test {
namespace {

constexpr std::array<const char*, 8> kNames = {"lineitem", "orders",   "customer", "part",
                                               "partsupp", "supplier", "nation",   "region"};

/// The tables at scale factor 0.01, each made once.
const std::vector<Fields>& rows_of(const std::string& name) {
  static std::map<std::string, std::vector<Fields>> tables;
  const auto [found, is_new] = tables.try_emplace(name);
  if (is_new) found->second = split_rows(make_text(name));
  return found->second;
}

/// Days since 1970-01-01.
int day_of(const std::string& date) {
  const auto number = [&](std::size_t at, std::size_t count) {
    return static_cast<int>(digits_of(date.substr(at, count)));
  };
  const std::chrono::year_month_day day{std::chrono::year{number(0, 4)},
                                        std::chrono::month{static_cast<unsigned>(number(5, 2))},
                                        std::chrono::day{static_cast<unsigned>(number(8, 2))}};
  EXPECT_TRUE(day.ok()) << date;
  return static_cast<int>(std::chrono::sys_days{day}.time_since_epoch().count());
}

std::int64_t retail_price(std::int64_t part) {
  return 90000 + (part / 10) % 20001 + 100 * (part % 1000);
}

void expect_between(std::int64_t value, std::int64_t least, std::int64_t most) {
  EXPECT_GE(value, least);
  EXPECT_LE(value, most);
}

/// Pairs of part and supplier that table partsupp has.
std::set<std::pair<std::string, std::string>> offers() {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Fields& row : rows_of("partsupp")) pairs.emplace(row[0], row[1]);
  return pairs;
}

TEST(TpchTables, HaveAsManyRowsAsTheScaleFactorSays) {
  EXPECT_EQ(rows_of("orders").size(), 15000u);
  EXPECT_EQ(rows_of("customer").size(), 1500u);
  EXPECT_EQ(rows_of("part").size(), 2000u);
  EXPECT_EQ(rows_of("partsupp").size(), 8000u);
  EXPECT_EQ(rows_of("supplier").size(), 100u);
  EXPECT_EQ(rows_of("nation").size(), 25u);
  EXPECT_EQ(rows_of("region").size(), 5u);
  EXPECT_NEAR(static_cast<double>(rows_of("lineitem").size()), 60000, 1000);
}

TEST(TpchTables, EveryRowHasTheColumnsThatAreNamed) {
  for (const char* name : kNames) {
    const std::string columns(make_table(name, 1)->columns());
    const std::size_t count = split(columns + ',', ',').size();
    for (const Fields& row : rows_of(name)) ASSERT_EQ(row.size(), count) << name;
  }
}

/// Guards the figures published for these tables: a change of the bytes must be meant.
TEST(TpchTables, AreTheSameBytesOnEveryMachine) {
  EXPECT_EQ(hash(make_text("lineitem")), 0x415121c3a9cba62du);
  EXPECT_EQ(hash(make_text("orders")), 0xbdf175649eb2a4d6u);
  EXPECT_EQ(hash(make_text("customer")), 0xcdaf91005d6c6461u);
  EXPECT_EQ(hash(make_text("part")), 0xe30d1cbc5652cb94u);
  EXPECT_EQ(hash(make_text("partsupp")), 0xe0e1c8c1f1c9ce60u);
  EXPECT_EQ(hash(make_text("supplier")), 0xf49a3a4af2dbcb3bu);
  EXPECT_EQ(hash(make_text("nation") + make_text("region")), 0xb31c6c0dea5a2f60u);
}

TEST(TpchTables, PartsMadeAloneAreThoseOfTheWhole) {
  for (const char* name : kNames) {
    const std::uint64_t rows = make_table(name, 1)->rows();
    const std::uint64_t middle = rows / 3 + 1;
    EXPECT_EQ(make_rows(name, 1, TableFormat::kCsv, 0, middle) +
                  make_rows(name, 1, TableFormat::kCsv, middle, rows),
              make_text(name, 1, TableFormat::kCsv))
        << name;
  }
}

TEST(TpchTables, OrderKeysAreEightOfEveryThirtyTwoAndGoUp) {
  std::int64_t last = 0;
  for (const Fields& row : rows_of("orders")) {
    const std::int64_t key = digits_of(row[0]);
    EXPECT_GT(key, last);
    EXPECT_LT(key % 32, 8);
    last = key;
  }
  EXPECT_EQ(last, 60000);
}

TEST(TpchTables, OtherKeysCountFromOne) {
  for (const char* name : {"customer", "part", "supplier"}) {
    std::int64_t key = 0;
    for (const Fields& row : rows_of(name)) EXPECT_EQ(digits_of(row[0]), ++key) << name;
  }
}

TEST(TpchTables, AThirdOfTheCustomersHasNoOrders) {
  std::set<std::int64_t> customers;
  for (const Fields& row : rows_of("orders")) {
    const std::int64_t customer = digits_of(row[1]);
    expect_between(customer, 1, 1500);
    EXPECT_NE(customer % 3, 0);
    customers.insert(customer);
  }
  EXPECT_GT(customers.size(), 990u);
}

TEST(TpchTables, EveryPartHasFourDifferentSuppliers) {
  EXPECT_EQ(offers().size(), rows_of("partsupp").size());
  for (const auto& [part, supplier] : offers()) {
    expect_between(digits_of(part), 1, 2000);
    expect_between(digits_of(supplier), 1, 100);
  }
}

TEST(TpchTables, ALineNamesASupplierWhoOffersItsPart) {
  const auto pairs = offers();
  for (const Fields& row : rows_of("lineitem")) {
    EXPECT_EQ(pairs.count({row[1], row[2]}), 1u) << row[1] << " of " << row[2];
  }
}

TEST(TpchTables, LinesHoldValuesInTheirRanges) {
  std::set<std::string> instructions;
  std::set<std::string> modes;
  for (const Fields& row : rows_of("lineitem")) {
    expect_between(digits_of(row[3]), 1, 7);
    expect_between(digits_of(row[4]), 1, 50);
    EXPECT_EQ(digits_of(row[5]), digits_of(row[4]) * retail_price(digits_of(row[1])));
    expect_between(digits_of(row[6]), 0, 10);
    expect_between(digits_of(row[7]), 0, 8);
    EXPECT_EQ(row[6].size(), 4u) << "two decimals";
    expect_between(static_cast<std::int64_t>(row[15].size()), 10, 43);
    instructions.insert(row[13]);
    modes.insert(row[14]);
  }
  EXPECT_EQ(instructions.size(), 4u);
  EXPECT_EQ(modes.size(), 7u);
}

TEST(TpchTables, LinesAreShippedAfterTheOrderAndFlaggedByDate) {
  std::map<std::string, int> ordered;
  for (const Fields& row : rows_of("orders")) ordered[row[0]] = day_of(row[4]);
  const int today = day_of("1995-06-17");
  for (const Fields& row : rows_of("lineitem")) {
    const int shipped = day_of(row[10]);
    const int received = day_of(row[12]);
    ASSERT_EQ(ordered.count(row[0]), 1u);
    expect_between(shipped - ordered[row[0]], 1, 121);
    expect_between(day_of(row[11]) - ordered[row[0]], 30, 90);
    expect_between(received - shipped, 1, 30);
    EXPECT_EQ(row[8] == "N", received > today);
    EXPECT_TRUE(row[8] == "N" || row[8] == "R" || row[8] == "A");
    EXPECT_EQ(row[9], shipped > today ? "O" : "F");
  }
}

TEST(TpchTables, AnOrderSaysWhatItsLinesSay) {
  std::map<std::string, std::int64_t> charges;
  std::map<std::string, std::set<std::string>> statuses;
  std::map<std::string, std::int64_t> lines;
  for (const Fields& row : rows_of("lineitem")) {
    EXPECT_EQ(digits_of(row[3]), ++lines[row[0]]) << "lines are numbered from 1";
    charges[row[0]] += digits_of(row[5]) * (100 - digits_of(row[6])) * (100 + digits_of(row[7]));
    statuses[row[0]].insert(row[9]);
  }
  ASSERT_EQ(charges.size(), rows_of("orders").size());
  for (const Fields& row : rows_of("orders")) {
    EXPECT_EQ(digits_of(row[3]), (charges[row[0]] + 5000) / 10000) << row[0];
    const std::set<std::string>& status = statuses[row[0]];
    EXPECT_EQ(row[2], status.size() == 2 ? "P" : *status.begin());
  }
}

TEST(TpchTables, OrdersHoldValuesInTheirRanges) {
  std::set<std::string> priorities;
  for (const Fields& row : rows_of("orders")) {
    expect_between(day_of(row[4]), day_of("1992-01-01"), day_of("1998-08-02"));
    priorities.insert(row[5]);
    EXPECT_TRUE(row[6].starts_with("Clerk#"));
    expect_between(digits_of(row[6].substr(6)), 1, 10);
    EXPECT_EQ(row[7], "0");
    expect_between(static_cast<std::int64_t>(row[8].size()), 19, 78);
  }
  EXPECT_EQ(priorities.size(), 5u);
}

TEST(TpchTables, PartsHoldValuesInTheirRanges) {
  std::set<std::string> types;
  std::set<std::string> containers;
  std::set<std::string> colours;
  for (const Fields& row : rows_of("part")) {
    const Fields name = split(row[1] + ' ', ' ');
    EXPECT_EQ(std::set<std::string>(name.begin(), name.end()).size(), 5u) << row[1];
    colours.insert(name.begin(), name.end());
    EXPECT_EQ(row[2].back(), row[3][row[3].size() - 2]) << "the brand's first digit is the maker";
    types.insert(row[4]);
    containers.insert(row[6]);
    expect_between(digits_of(row[5]), 1, 50);
    EXPECT_EQ(digits_of(row[7]), retail_price(digits_of(row[0])));
    expect_between(static_cast<std::int64_t>(row[8].size()), 5, 22);
  }
  EXPECT_EQ(types.size(), 150u);
  EXPECT_EQ(containers.size(), 40u);
  EXPECT_EQ(colours.size(), 92u);
}

TEST(TpchTables, CustomersAndSuppliersHaveAPhoneOfTheirNation) {
  for (const char* name : {"customer", "supplier"}) {
    for (const Fields& row : rows_of(name)) {
      const std::int64_t nation = digits_of(row[3]);
      expect_between(nation, 0, 24);
      EXPECT_EQ(digits_of(row[4].substr(0, 2)), nation + 10);
      EXPECT_EQ(row[4].size(), 15u);
      expect_between(static_cast<std::int64_t>(row[2].size()), 10, 40);
      expect_between(digits_of(row[5]), -99999, 999999);
    }
  }
}

TEST(TpchTables, EveryNationIsInARegion) {
  std::set<std::string> regions;
  for (const Fields& row : rows_of("nation")) regions.insert(row[2]);
  EXPECT_EQ(regions, (std::set<std::string>{"0", "1", "2", "3", "4"}));
}

/// The rates that TPC-H's queries 13 and 16 select by.
TEST(TpchTables, CommentsHoldWhatQueriesLookForAsOftenAsTheyShould) {
  std::size_t special = 0;
  const std::vector<Fields> orders = split_rows(make_text("orders", 10));
  for (const Fields& row : orders) {
    const std::size_t at = row[8].find("special");
    special += at != row[8].npos && row[8].find("requests", at) != row[8].npos ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(special) / static_cast<double>(orders.size()), 0.0107, 0.001);
  std::size_t complaints = 0;
  for (const Fields& row : split_rows(make_text("supplier", 100))) {
    const std::size_t at = row[6].find("Customer");
    complaints += at != row[6].npos && row[6].find("Complaints", at) != row[6].npos ? 1 : 0;
  }
  EXPECT_EQ(complaints, 5u);
}

TEST(TpchTables, CommentsAreAsLongAsTheSpecificationSays) {
  std::size_t line = 0;
  for (const Fields& row : rows_of("lineitem")) line += row[15].size();
  EXPECT_NEAR(static_cast<double>(line) / static_cast<double>(rows_of("lineitem").size()), 26.5,
              0.2);
  std::size_t order = 0;
  for (const Fields& row : rows_of("orders")) order += row[8].size();
  EXPECT_NEAR(static_cast<double>(order) / static_cast<double>(rows_of("orders").size()), 48.5,
              0.5);
}

TEST(TpchTables, LargeScalesStayInTheirRanges) {
  const auto rows =
      split_rows(make_rows("lineitem", 100'000, TableFormat::kTbl, 1'499'999'000, 1'500'000'000));
  EXPECT_EQ(rows.back()[0], "6000000000");
  for (const Fields& row : rows) {
    expect_between(digits_of(row[1]), 1, 200'000'000);
    expect_between(digits_of(row[2]), 1, 10'000'000);
  }
}

TEST(TpchTables, UnknownTablesAndScalesAreRefused) {
  EXPECT_EQ(make_table("lineitems", 1), nullptr);
  EXPECT_EQ(make_table("lineitem", 0), nullptr);
  EXPECT_EQ(make_table("lineitem", kMaxScaleHundredths + 1), nullptr);
}

}  // namespace
}  // namespace presso::corpora::tpch_tables_test
