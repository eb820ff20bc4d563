// SPDX-License-Identifier: MIT
// Queries over tables that were loaded into the emulated GPU's memory give what they give on the
// CPU, and read no block of these tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "presso/device_table.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/query_cases.h"
#include "tests/simt/query_file.h"
#include "tests/simt/stored_blocks.h"
#include "tests/simt/string_query_cases.h"
#include "tests/support/sanitized.h"

namespace presso::device_table_test {
namespace {

using namespace test;
using gpu::DeviceTable;

/// An emulated device on which tables are loaded; all must be given back in the end.
class Loaded {
 public:
  explicit Loaded(std::uint32_t seed = 1) : device_(make_emulated_query_device(faults_, seed)) {}
  ~Loaded() {
    tables_.clear();
    EXPECT_EQ(faults_->live_bytes, 0u);
    EXPECT_EQ(faults_->live_handles, 0u);
  }

  const DeviceTable& load(std::vector<Table> tables, std::vector<std::string> columns = {}) {
    auto loaded = DeviceTable::load(device_, std::move(tables), {std::move(columns), 2});
    EXPECT_TRUE(loaded.ok()) << loaded.error().message();
    tables_.push_back(std::move(*loaded));
    return tables_.back();
  }

  const std::shared_ptr<QueryDevice>& device() const { return device_; }
  EmulatedFaults& faults() { return *faults_; }

 private:
  std::shared_ptr<EmulatedFaults> faults_ = std::make_shared<EmulatedFaults>();
  std::shared_ptr<QueryDevice> device_;
  std::vector<DeviceTable> tables_;
};

/// The CPU's answer, by the device alone, without reading.
void expect_from_memory(const Query& query, const std::shared_ptr<QueryDevice>& device) {
  const Answer expected = answer_of(query, nullptr);
  const Answer found = answer_of(query, device);
  EXPECT_EQ(found.text, expected.text);
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
  EXPECT_EQ(found.summary.rows, expected.summary.rows);
  EXPECT_EQ(found.summary.bytes_read, 0u);
  EXPECT_EQ(found.summary.blocks_read, 0u);
  EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_resident);
}

TEST(DeviceTable, HasTheTablesColumns) {
  const MadeTable made(make_csv(3000, 5), 1024);
  Loaded loaded;
  const DeviceTable& table = loaded.load({*made.table});
  EXPECT_EQ(table.rows(), 3000u);
  EXPECT_EQ(table.device_bytes(), loaded.faults().live_bytes);
  EXPECT_GT(table.bytes_read(), 0u);
  EXPECT_EQ(table.columns().size() + table.left_out().size(), made.table->schema().columns.size());
}

/// Nothing is wanted of them but that they are there.
TEST(DeviceTable, RowsMayHaveNoColumns) {
  const MadeTable made(make_csv(3000, 5), 1024);
  Loaded loaded;
  loaded.load({*made.table});
  Query query = Query::from(*made.table);
  query.where("run = 3").select("5 as five");
  expect_from_memory(query, loaded.device());
}

/// Numbers that are smaller in planes are decoded by the CPU on their way to the device.
TEST(DeviceTable, NumbersMayBeStoredInPlanes) {
  std::string csv = "id,price,word\n";
  for (int i = 0; i < 9000; ++i) {
    const int skewed = i * 37 % 101 * (i * 11 % 97);
    csv.append(std::to_string(i * i) + "," + std::to_string(skewed) + ".25," +
               std::to_string(i % 13 * (i % 5)) + "x\n");
  }
  const MadeTable planes(csv, 4000, {}, kMaxLevel);
  EXPECT_LT(planes.bytes.size(), MadeTable(csv, 4000).bytes.size());
  Loaded loaded;
  loaded.load({*planes.table});
  expect_from_memory(query_of(*planes.table, {"price > 1000", "word", "sum(price), max(id)"}),
                     loaded.device());
  expect_from_memory(
      query_of(*planes.table, {"id between 400 and 90000 and price < 77", "", "count(*)"}),
      loaded.device());
  Query rows = Query::from(*planes.table);
  rows.where("id < 5000 or price = 9312.25").select("id, price, word");
  EXPECT_EQ(answer_of(rows, loaded.device()).text, answer_of(rows, nullptr).text);
}

/// A column of several slices, of which zones leave one.
TEST(DeviceTable, SlicesThatZonesRuleOutAreNotLookedAt) {
  std::string csv = "id,value\n";
  constexpr int kRows = 300'000;
  for (int i = 0; i < kRows; ++i)
    csv.append(std::to_string(i) + "," + std::to_string(i % 7) + "\n");
  const MadeTable made(csv, 140'000);
  Loaded loaded;
  loaded.load({*made.table});
  const Query some = query_of(*made.table, {"id between 150000 and 160000", "", "sum(value)"});
  expect_from_memory(some, loaded.device());
  const Answer found = answer_of(some, loaded.device());
  // Of 3 + 3 + 1 slices with 2 columns each.
  EXPECT_EQ(found.summary.blocks_skipped, 12u);
  EXPECT_LT(found.summary.bytes_resident, found.summary.bytes_stored / 4);
  EXPECT_GT(found.summary.bytes_resident, 0u);
  expect_from_memory(query_of(*made.table, {"id > 130000 and id < 150000 or id > 299000"}),
                     loaded.device());
  expect_from_memory(query_of(*made.table, {"id > 500000", "value", "count(*)"}), loaded.device());
}

TEST(DeviceTable, MissingColumnsAreReadFromTheFile) {
  QueryTables tables = query_tables("one_table", "6000/2500");
  const Table made = tables.files("t")[0];
  Loaded loaded;
  const DeviceTable& table = loaded.load({made}, {"word", "price", "maybe", "word"});
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"word", "price", "maybe"}));
  EXPECT_TRUE(table.left_out().empty());
  expect_from_memory(query_of(made, {"maybe > 0", "word", "sum(price)"}), loaded.device());
  for (const std::string& statement : query_statements("one_table", "Groups")) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    const Answer found = answer_of(query, loaded.device());
    const Answer without = answer_of(query, make_emulated_query_device());
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(found.summary.bytes_stored, without.summary.bytes_stored);
    // The dictionaries of what is on the device are in host memory.
    const std::uint64_t looked_at = found.summary.bytes_read + found.summary.bytes_resident;
    EXPECT_LE(looked_at, without.summary.bytes_read);
    EXPECT_GE(found.summary.blocks_skipped, without.summary.blocks_skipped);
    const std::size_t where = std::min(statement.find(" where "), statement.size());
    if (statement.find("word", where) < statement.rfind(" group by ")) continue;
    EXPECT_EQ(looked_at, without.summary.bytes_read);
    EXPECT_EQ(found.summary.blocks_skipped, without.summary.blocks_skipped);
  }
  QueryOptions options;
  options.device = loaded.device();
  const auto explained = query_of(made, {"maybe > 0 and id < 4000", "word"}).explain(options, true);
  ASSERT_TRUE(explained.ok());
  EXPECT_NE(explained->find("2 columns were in its memory, read from the files: id"),
            std::string::npos)
      << *explained;
}

/// Some of the strings' columns in memory, others not; slices that are left out in front.
TEST(DeviceTable, StringsMayBeInBothPlaces) {
  QueryTables tables = query_tables("tokens", "6900/2300");
  const Table made = tables.files("t")[0];
  Loaded loaded(7);
  loaded.load({made}, {"note", "word"});
  for (const std::string& statement : query_statements("tokens", "Groups")) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    const Answer found = answer_of(query, loaded.device());
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
  }
  // Values of tokens are the CPU's.
  Query rows = Query::from(made);
  rows.where("note like '%final%'").select("note, id");
  EXPECT_EQ(answer_of(rows, loaded.device()).text, answer_of(rows, nullptr).text);
  EXPECT_EQ(answer_of(rows, loaded.device()).summary.on_device, "conditions");
  Loaded whole(8);
  whole.load({made});
  expect_from_memory(query_of(made, {"id > 3000 and note like '%final%'"}), whole.device());
}

/// Blocks of tokens end within slices.
TEST(DeviceTable, StringsOfSomeSlicesAreSearched) {
  const MadeTable made(make_string_csv(140'000, 1u << 20, 9), 1u << 20);
  Loaded loaded;
  loaded.load({*made.table}, {"id", "comment"});
  expect_from_memory(query_of(*made.table, {"comment like '%final%' and id >= 132000"}),
                     loaded.device());
  expect_from_memory(
      query_of(*made.table,
               {"comment not like '%special%requests%' and id between 66000 and 67000"}),
      loaded.device());
}

TEST(DeviceTable, SeveralFilesAreOneTable) {
  TableRecipe all;
  all.files = {"a", "b", "c"};
  TableRecipe two;
  two.files = {"c", "b"};
  QueryTables tables({{"a", {"mixed", 2500, 1024}},
                      {"b", {"mixed", 1200, 500}},
                      {"c", {"mixed", 900, 5000}},
                      {"t", all},
                      {"two", two}});
  const auto of = [&](const char* name) { return tables.files(name)[0]; };
  Loaded together(1), apart(2), some(3);
  EXPECT_EQ(together.load(tables.files("t")).rows(), 4600u);
  apart.load({of("c"), of("a")});
  apart.load({of("b")}, {"id", "word", "maybe", "price", "run", "walk", "wide"});
  some.load({of("a"), of("b")});
  for (std::string statement : query_statements("one_table", "Groups")) {
    SCOPED_TRACE(statement);
    const Query query = tables.query_of(statement);
    expect_from_memory(query, together.device());
    const std::string expected = answer_of(query, nullptr).text;
    EXPECT_EQ(answer_of(query, apart.device()).text, expected);
    const Answer read = answer_of(query, some.device());
    EXPECT_EQ(read.text, expected);
    EXPECT_EQ(read.summary.bytes_resident, 0u);
    statement.replace(statement.find(" from t"), 7, " from two");
    expect_from_memory(tables.query_of(statement), together.device());
  }
}

/// Alone, and beside one that has rows.
TEST(DeviceTable, MayHaveNoRows) {
  const MadeTable some("id,v\n1,20\n2,30\n", 1024);
  const MadeTable none("id,v\n", 1024, some.table->schema().columns);
  Loaded loaded;
  EXPECT_EQ(loaded.load({*none.table}).rows(), 0u);
  loaded.load({*some.table});
  for (const std::vector<Table>& tables :
       {std::vector{*none.table}, {*none.table, *some.table}, {*some.table, *none.table}}) {
    Query query = Query::from(tables);
    query.where("id > 1").aggregate("count(*), sum(v), max(id)");
    EXPECT_EQ(answer_of(query, loaded.device()).text, answer_of(query, nullptr).text);
  }
}

TEST(DeviceTable, OnlyJoinedTablesMayBeInMemory) {
  QueryTables tables = query_tables("joins", "3000/1024");
  Loaded loaded(6);
  loaded.load(tables.files("parts"), {"id", "size", "maker"});
  const Query query = tables.query_of(
      "select land, name, count(*), sum(price) from facts join parts on facts.part = parts.id join "
      "makers on parts.maker = makers.id where rating > 1 and size < 40 group by land, name");
  const Answer found = answer_of(query, loaded.device());
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_GT(found.summary.bytes_resident, 0u);
  EXPECT_GT(found.summary.bytes_read, 0u);
}

/// What a profiler shows.
TEST(DeviceTable, StepsHaveNames) {
  QueryTables tables = query_tables("joins", "3000/1024");
  const MadeTable made(make_string_csv(3000, 65536, 9), 65536);
  Loaded loaded;
  const auto steps_of = [&](const Query& query) {
    loaded.faults().steps.clear();
    EXPECT_EQ(answer_of(query, loaded.device()).summary.why_cpu, "");
    EXPECT_EQ(loaded.faults().open_steps, 0u);
    return loaded.faults().steps;
  };
  using Steps = std::vector<std::string>;
  loaded.load(tables.files("facts"));
  EXPECT_EQ(loaded.faults().steps, (Steps{"load table", "load blocks"}));
  EXPECT_EQ(steps_of(tables.query_of("select word, count(*) from facts join parts on facts.part = "
                                     "parts.id group by word")),
            (Steps{"build side", "load blocks", "pipeline", "pipeline", "groups back",
                   "groups in order"}));
  EXPECT_EQ(steps_of(tables.query_of(query_statements("joins", "Rows")[0])),
            (Steps{"build side", "load blocks", "pipeline", "pipeline", "rows back"}));
  EXPECT_EQ(
      steps_of(query_of(*made.table, {"comment like '%final%'", "word"})),
      (Steps{"load blocks", "automata", "strings", "pipeline", "groups back", "groups in order"}));
}

// --- what is in memory, and how long

TEST(DeviceTable, MemoryGoesWithTheLastHandle) {
  const MadeTable made(make_csv(3000, 7), 1024);
  const auto faults = std::make_shared<EmulatedFaults>();
  auto device = make_emulated_query_device(faults);
  auto loaded = DeviceTable::load(device, {*made.table});
  ASSERT_TRUE(loaded.ok());
  std::optional<DeviceTable> first = *loaded;
  DeviceTable second = *first;
  *loaded = second;
  EXPECT_EQ(faults->live_bytes, second.device_bytes());
  first.reset();
  EXPECT_EQ(faults->live_bytes, second.device_bytes());
  // The handle keeps the device.
  device.reset();
  auto other = make_emulated_query_device();
  auto replaced = DeviceTable::load(other, {*made.table}, {{"id"}, 1});
  ASSERT_TRUE(replaced.ok());
  *loaded = *replaced;
  second = *replaced;
  EXPECT_EQ(faults->live_bytes, 0u);
  // Nothing is in memory any more for whoever asks the first device again.
  EXPECT_EQ(second.columns(), std::vector<std::string>{"id"});
}

TEST(DeviceTable, QueriesReadFilesWhenItHasGone) {
  const MadeTable made(make_csv(3000, 7), 1024);
  const auto device = make_emulated_query_device();
  const Query query = query_of(*made.table, {"maybe > 0", "run", "sum(price)"});
  {
    const auto loaded = DeviceTable::load(device, {*made.table});
    ASSERT_TRUE(loaded.ok());
    expect_from_memory(query, device);
  }
  const Answer found = answer_of(query, device);
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_GT(found.summary.bytes_read, 0u);
  EXPECT_EQ(found.summary.bytes_resident, 0u);
}

/// Another thread copies and drops handles while queries run; the last one may be the query's.
TEST(DeviceTable, HandlesMayGoWhileQueriesRun) {
  const MadeTable made(make_csv(3000, 7), 1024);
  const auto faults = std::make_shared<EmulatedFaults>();
  {
    const auto device = make_emulated_query_device(faults);
    auto loaded = DeviceTable::load(device, {*made.table});
    ASSERT_TRUE(loaded.ok());
    std::optional<DeviceTable> last = std::move(*loaded);
    const Query query = query_of(*made.table, {"maybe > 0", "run", "sum(price)"});
    const std::string expected = answer_of(query, nullptr).text;
    std::atomic<int> done = 0;
    std::thread asking([&] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(answer_of(query, device).text, expected);
        ++done;
      }
    });
    while (done < 10) {
      const DeviceTable copy = *last;
      EXPECT_EQ(copy.rows(), 3000u);
    }
    last.reset();
    asking.join();
    EXPECT_EQ(faults->live_bytes, 0u);
  }
  EXPECT_EQ(faults->live_handles, 0u);
}

/// Every block of rows in the file is overwritten after the table was loaded.
TEST(DeviceTable, BlocksOfTheFileDoNotMatterAnyMore) {
  MadeTable made(make_string_csv(6900, 2300, 9), 2300);
  const Asked asked[] = {{"note like '%final%' and run > 2", "run", "count(*), sum(id)"},
                         {"word = 'AIR' or mixed like '%bold%'", "", "count(*), sum(run)"},
                         {"id > 100 and run < 5", "word", "count(*), sum(id)"}};
  Loaded loaded;
  loaded.load({*made.table});
  std::vector<std::string> expected;
  for (const Asked& one : asked) {
    expected.push_back(answer_of(query_of(*made.table, one), nullptr).text);
  }
  for (const char* const column : {"id", "run", "word", "comment", "note", "mixed"}) {
    for (const BlockPlace& place : blocks_of(*made.table, column)) {
      std::fill(made.bytes.begin() + static_cast<std::ptrdiff_t>(place.begin),
                made.bytes.begin() + static_cast<std::ptrdiff_t>(place.end), Byte{0xEE});
    }
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Query query = query_of(*made.table, asked[i]);
    EXPECT_EQ(answer_of(query, nullptr).text.substr(0, 6), "error:");
    const Answer found = answer_of(query, loaded.device());
    EXPECT_EQ(found.text, expected[i]);
    EXPECT_EQ(found.summary.bytes_read, 0u);
  }
}

TEST(DeviceTable, RefusesWhatItCannotLoad) {
  ColumnSchema wide;
  wide.name = "wide";
  wide.type = ColumnType::kDecimal128;
  wide.precision = 38;
  wide.scale = 2;
  const MadeTable made("id,wide\n1,123456789012345678901.25\n2,0.50\n", 65536, {wide});
  const MadeTable other("a,b\n1,2\n", 1000);
  const auto device = make_emulated_query_device();
  const auto error_of = [](const Result<DeviceTable>& loaded) {
    return loaded.ok() ? std::string() : loaded.error().message();
  };
  EXPECT_EQ(error_of(DeviceTable::load(device, {*made.table}, {{"id", "wide"}, 1})),
            "not supported: column wide: neither numbers of up to 64 bits nor codes");
  const auto rest = DeviceTable::load(device, {*made.table});
  ASSERT_TRUE(rest.ok()) << rest.error().message();
  ASSERT_EQ(rest->left_out().size(), 1u);
  EXPECT_EQ(rest->left_out()[0].name, "wide");
  EXPECT_EQ(error_of(DeviceTable::load(device, {*made.table}, {{"id", "nought"}, 1})),
            "invalid argument: there is no column 'nought'");
  EXPECT_EQ(error_of(DeviceTable::load(device, {})), "invalid argument: there is no table");
  EXPECT_NE(
      error_of(DeviceTable::load(device, {*made.table, *other.table})).find("table 2 differs from"),
      std::string::npos);
  EXPECT_EQ(error_of(DeviceTable::load(nullptr, {*made.table})),
            "invalid argument: tables are loaded to what open_query_gpu() gives");
}

TEST(DeviceTable, KeepsToTheLimitOfMemory) {
  const MadeTable made(make_csv(9000, 7), 1024);
  const Query query = query_of(*made.table, {"id < 100"});
  std::uint64_t stored = 0;
  std::uint64_t most = 0;
  {
    const auto device = make_emulated_query_device();
    const auto loaded = DeviceTable::load(device, {*made.table});
    stored = loaded->bytes_read();
    most = loaded->device_bytes();
  }
  // Columns that are brought to one form take more than what is stored, which they can do without.
  {
    const auto device = make_emulated_query_device({}, 1, {most - 1, ~std::uint64_t{0}});
    const auto loaded = DeviceTable::load(device, {*made.table});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_LT(loaded->device_bytes(), most);
    EXPECT_EQ(answer_of(query, device).text, answer_of(query, nullptr).text);
  }
  for (const std::uint64_t limit : {stored / 2, stored - 1}) {
    const auto faults = std::make_shared<EmulatedFaults>();
    const auto device = make_emulated_query_device(faults, 1, {limit, ~std::uint64_t{0}});
    const auto loaded = DeviceTable::load(device, {*made.table});
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().code, ErrorCode::kDeviceMemory);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
    // The device is as good as before.
    EXPECT_EQ(answer_of(query, device).text, answer_of(query, nullptr).text);
  }
}

/// What is left of device memory by a limit says how many rows are looked at together.
TEST(DeviceTable, LittleMemoryMeansManyParts) {
  const MadeTable made(make_string_csv(60'000, 20'000, 9), 20'000);
  const auto parts_of = [&](const std::vector<std::string>& columns, std::uint64_t left,
                            const char* step) {
    const auto faults = std::make_shared<EmulatedFaults>();
    std::uint64_t needed = 0;
    {
      const auto device = make_emulated_query_device();
      needed = DeviceTable::load(device, {*made.table}, {columns, 1})->device_bytes();
    }
    const auto device = make_emulated_query_device(faults, 1, {needed + left, ~std::uint64_t{0}});
    const auto loaded = DeviceTable::load(device, {*made.table}, {columns, 1});
    EXPECT_TRUE(loaded.ok());
    faults->steps.clear();
    const Query query =
        query_of(*made.table, {"comment like '%final%' and run > 0", "word", "count(*), sum(id)"});
    const Answer found = answer_of(query, device);
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    return std::count(faults->steps.begin(), faults->steps.end(), step);
  };
  EXPECT_EQ(parts_of({"id", "run", "word", "comment"}, 100'000'000, "pipeline"), 1);
  EXPECT_EQ(parts_of({"id", "run", "word", "comment"}, 600'000, "pipeline"), 3);
  // Columns that are not there are read in parts likewise.
  EXPECT_EQ(parts_of({"id", "word"}, 100'000'000, "load blocks"), 1);
  EXPECT_EQ(parts_of({"id", "word"}, 2'500'000, "load blocks"), 2);
  EXPECT_EQ(parts_of({"id", "word"}, 900'000, "load blocks"), 3);
}

/// More columns than a query may have; the last one is stored as tokens.
TEST(DeviceTable, MayHaveManyColumns) {
  const std::string some = make_string_csv(5000, 2500, 9);
  std::string csv;
  std::size_t begin = 0;
  for (int row = 0; begin < some.size(); ++row) {
    const std::size_t end = some.find('\n', begin);
    for (int i = 0; i < 40; ++i) {
      csv.append(row == 0 ? "c" : "").append(std::to_string(row == 0 ? i : row % (i + 2))) += ',';
    }
    csv.append(some, begin, end + 1 - begin);
    begin = end + 1;
  }
  const MadeTable made(csv, 2500);
  Loaded loaded;
  EXPECT_GT(loaded.load({*made.table}).columns().size(), 40u);
  expect_from_memory(
      query_of(*made.table, {"comment like '%final%' and c39 > 3", "word", "count(*), sum(c38)"}),
      loaded.device());
}

/// Codes of a vector are in three bits above a base that differs from vector to vector, and the
/// same strings have other codes in the second row group.
TEST(DeviceTable, MayHaveDictionariesThatAreLargerThanThoseOfTheirVectors) {
  constexpr int kVector = 1024;
  constexpr int kGroup = 5 * kVector;
  std::string csv = "word,n\n";
  std::uint32_t random = 1;
  for (int row = 0; row < 2 * kGroup + 300; ++row) {
    random = random * 1103515245 + 12345;
    const int vector = row / kVector % 5;
    const int number = (row < kGroup ? vector : 4 - vector) * 8 + static_cast<int>(random >> 29);
    csv += "word" + std::to_string(number) + "," + std::to_string(random >> 20 & 255) + "\n";
  }
  const MadeTable made(csv, kGroup);
  Loaded loaded;
  EXPECT_EQ(loaded.load({*made.table}).columns().size(), 2u);
  for (const char* const where : {"", "n > 100", "word <> 'word17' and word >= 'word2'"}) {
    expect_from_memory(query_of(*made.table, {where, "word", "count(*), sum(n)"}), loaded.device());
  }
}

// --- faults

class DeviceTableFaults : public ::testing::Test {
 protected:
  struct Fault {
    std::uint64_t EmulatedFaults::*which;
    std::uint64_t EmulatedFaults::*count;
    const char* message;
  };
  static constexpr Fault kFaults[] = {
      {&EmulatedFaults::allocation, &EmulatedFaults::allocations, "out of device memory"},
      {&EmulatedFaults::pinned_allocation, &EmulatedFaults::pinned_allocations, "out of memory"},
      {&EmulatedFaults::launch, &EmulatedFaults::launches, "GPU failed"}};
};

TEST_F(DeviceTableFaults, LoadingMayFailAnywhere) {
  const MadeTable made(make_string_csv(5000, 2500, 9), 2500);
  std::uint64_t without_form = 0;
  for (const Fault& fault : kFaults) {
    const auto whole = std::make_shared<EmulatedFaults>();
    ASSERT_TRUE(DeviceTable::load(make_emulated_query_device(whole), {*made.table}).ok());
    const std::uint64_t count = (*whole).*fault.count;
    ASSERT_GE(count, 1u);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto faults = std::make_shared<EmulatedFaults>();
      (*faults).*fault.which = i;
      const auto device = make_emulated_query_device(faults);
      const auto loaded = DeviceTable::load(device, {*made.table});
      if (loaded.ok()) {
        // A column stays as it is stored where there is no memory for another form of it.
        ASSERT_EQ(fault.which, &EmulatedFaults::allocation);
        faults->allocation = EmulatedFaults().allocation;
        const Query query = query_of(*made.table, {"id < 100"});
        EXPECT_EQ(answer_of(query, device).text, answer_of(query, nullptr).text);
        ++without_form;
        continue;
      }
      EXPECT_NE(loaded.error().message().find(fault.message), std::string::npos)
          << loaded.error().message();
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
    }
  }
  EXPECT_GT(without_form, 0u);
}

/// Columns in memory, and with `some` others that are read.
TEST_F(DeviceTableFaults, QueriesMayFailAnywhere) {
  const MadeTable made(make_string_csv(5000, 2500, 9), 2500);
  const Query query = query_of(*made.table, {"note not like '%final%'", "word", "sum(id)"});
  const std::string expected = answer_of(query, nullptr).text;
  for (const bool some : {false, true}) {
    for (const Fault& fault : kFaults) {
      const auto faults = std::make_shared<EmulatedFaults>();
      {
        const auto device = make_emulated_query_device(faults);
        const auto loaded = DeviceTable::load(
            device, {*made.table},
            {some ? std::vector<std::string>{"word"} : std::vector<std::string>(), 1});
        ASSERT_TRUE(loaded.ok());
        const std::uint64_t begin = (*faults).*fault.count;
        ASSERT_EQ(answer_of(query, device).text, expected);
        const std::uint64_t count = (*faults).*fault.count - begin;
        ASSERT_GE(count, 3u);
        for (std::uint64_t i = 0; i < count; ++i) {
          (*faults).*fault.which = (*faults).*fault.count + i;
          const Answer found = answer_of(query, device);
          (*faults).*fault.which = EmulatedFaults::kNever;
          EXPECT_EQ(found.text.substr(0, 6), "error:") << found.text;
          EXPECT_NE(found.text.find(fault.message), std::string::npos) << found.text;
          EXPECT_EQ(faults->live_bytes, loaded->device_bytes());
          EXPECT_EQ(faults->live_handles, 0u);
          // What is in memory is still right.
          EXPECT_EQ(answer_of(query, device).text, expected);
        }
      }
      EXPECT_EQ(faults->live_bytes, 0u);
    }
  }
}

/// One bit of each block, anywhere in it: as the CPU reports it.
TEST_F(DeviceTableFaults, DamagedBlocksAreReportedAsOnTheCpu) {
  MadeTable made(make_string_csv(5000, 2500, 9), 2500);
  const std::vector<Byte> sound = made.bytes;
  corpora::Random random(9);
  int damaged = 0;
  for (const char* const column : {"id", "run", "word", "note"}) {
    for (const BlockPlace& place : blocks_of(*made.table, column)) {
      for (int i = 0; i < 3; ++i) {
        const auto at =
            place.begin + random.below(static_cast<std::uint32_t>(place.end - place.begin));
        made.bytes[at] ^= static_cast<Byte>(1u << random.below(8));
        const auto loaded =
            DeviceTable::load(make_emulated_query_device(), {*made.table}, {{column}, 1});
        Query query = Query::from(*made.table);
        query.select(column);
        const Answer of_cpu = answer_of(query, nullptr);
        EXPECT_EQ(loaded.ok() ? "" : "error: " + loaded.error().message(),
                  of_cpu.text.substr(0, 6) == "error:" ? of_cpu.text : "");
        damaged += loaded.ok() ? 0 : 1;
        std::copy(sound.begin(), sound.end(), made.bytes.begin());
      }
    }
  }
  EXPECT_GT(damaged, 20);
}

}  // namespace
}  // namespace presso::device_table_test
