// SPDX-License-Identifier: MIT
// Groups on the emulated GPU whose keys are strings that are no dictionary's: the same answers as
// the CPU's, however row groups store them, and the same errors of damaged blocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "presso/device_table.h"
#include "tests/simt/damaged_columns.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/faulty_queries.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/queried_table.h"
#include "tests/support/sanitized.h"

namespace presso::query_string_groups_on_gpu_test {
namespace {

using namespace test;
using Form = KeyedTables::Form;

class StringGroups : public ::testing::TestWithParam<Form> {
 protected:
  static const KeyedTables& tables() {
    static const KeyedTables of_tokens(Form::kTokens);
    static const KeyedTables of_bytes(Form::kBytes);
    static const KeyedTables mixed(Form::kMixed);
    return GetParam() == Form::kTokens ? of_tokens : GetParam() == Form::kBytes ? of_bytes : mixed;
  }
  /// All of it is done on the device, which has numbered strings, and gives those of groups back.
  /// `by_cpu`: a build side's are numbered by the CPU, as its table is small.
  static void expect_as_on_cpu(const Query& query, std::uint32_t seed, const char* on_device,
                               bool by_cpu = false) {
    const Answer expected = answer_of(query, nullptr);
    ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, make_emulated_query_device(faults, seed));
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(found.summary.on_device, on_device);
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    EXPECT_EQ(found.summary.groups, expected.summary.groups);
    EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
    EXPECT_EQ(faults->numbered == 0, by_cpu);
    // A single group may be that of nulls.
    EXPECT_TRUE(by_cpu || expected.summary.groups <= 1 || faults->listed > 0);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
};

TEST_P(StringGroups, OfOneTableAnswerAsTheCpu) {
  std::uint32_t seed = 0;
  for (const char* const statement : kStringGroups) {
    SCOPED_TRACE(statement);
    expect_as_on_cpu(tables().query_of(statement), ++seed, "conditions and groups");
  }
}

TEST_P(StringGroups, OfJoinedTablesAnswerAsTheCpu) {
  std::uint32_t seed = 0;
  for (const char* const statement : kJoinedStringGroups) {
    SCOPED_TRACE(statement);
    expect_as_on_cpu(tables().query_of(statement), ++seed, "joins, conditions and groups",
                     statement == kJoinedStringGroups[kGroupsOfSmallSide]);
  }
}

/// A statement with one key of strings at least, about `facts` and sometimes a table beside it.
std::string random_statement(corpora::Random& random) {
  struct Other {
    const char* table;
    const char* on;
    const char* keys[3];
    const char* value;
  };
  static constexpr Other kOthers[] = {
      {"sides", "fact_key = side_key", {"side_key", "y", "fact_key"}, "size"},
      {"sides", "facts.id = sides.side_id", {"side_key", "y", "size"}, "size"},
      {"sides", "other_key = side_key and size < 60", {"side_key", "y", "size"}, "side_id"},
      {"more", "other_key = more_key", {"more_key", "z", "other_key"}, "z"},
      {"more", "fact_key = more_key", {"more_key", "z", "fact_key"}, "z"}};
  static const char* const kKinds[] = {"join",      "left join", "right join",
                                       "full join", "semi join", "anti join"};
  static const char* const kOwnKeys[] = {"other_key", "x", "facts.id"};
  const bool is_joined = random.below(2) == 0;
  const Other& other = kOthers[random.below(5)];
  const std::uint32_t kind = random.below(6);
  const bool gives_both = is_joined && kind < 4;
  std::vector<std::string> keys = {random.below(2) == 0 ? "fact_key" : "other_key"};
  if (gives_both && random.below(2) == 0) keys = {other.keys[0]};
  if (random.below(2) == 0) {
    const bool is_own = !gives_both || random.below(2) == 0;
    keys.emplace_back(is_own ? kOwnKeys[random.below(3)] : other.keys[random.below(3)]);
    if (keys[0] == keys[1]) keys.pop_back();
    if (random.below(2) == 0) std::swap(keys.front(), keys.back());
  }
  const std::string all = keys.size() == 1 ? keys[0] : keys[0] + ", " + keys[1];
  std::string statement = "select " + all + ", count(*)";
  if (random.below(2) == 0) statement += ", sum(facts.id), min(x)";
  if (gives_both && random.below(2) == 0) statement += std::string(", max(") + other.value + ")";
  statement += " from facts";
  if (is_joined) {
    statement += std::string(" ") + kKinds[kind] + " " + other.table + " on " + other.on;
  }
  if (random.below(3) == 0) statement += " where x < 3 and facts.id > 1500";
  statement += " group by " + all;
  if (random.below(5) == 0) statement += " having count(*) > 1";
  return statement;
}

TEST_P(StringGroups, RandomStatementsAnswerAsTheCpu) {
  corpora::Random random(7);
  std::uint64_t numbered = 0, listed = 0;
  for (std::uint32_t i = 0; i < (kIsSanitized ? 12u : 40u); ++i) {
    const std::string statement = random_statement(random);
    SCOPED_TRACE(statement);
    const Query query = tables().query_of(statement);
    const Answer expected = answer_of(query, nullptr);
    ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, make_emulated_query_device(faults, i));
    ASSERT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
    numbered += faults->numbered > 0 ? 1 : 0;
    listed += faults->listed > 0 ? 1 : 0;
  }
  EXPECT_GT(numbered, kIsSanitized ? 8u : 30u);
  EXPECT_GT(listed, kIsSanitized ? 6u : 25u);
}

/// Strings whose hashes are equal are told apart, and come back as they are.
TEST_P(StringGroups, HashesMayBeEqual) {
  const Query query = tables().query_of(kStringGroups[4]);
  const auto faults = std::make_shared<EmulatedFaults>();
  faults->hash_bits = std::uint64_t{3} << 62 | 1;
  const Answer found = answer_of(query, make_emulated_query_device(faults, 2));
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "");
}

/// With little pinned memory strings come back in several parts.
TEST_P(StringGroups, StringsComeBackInParts) {
  for (const std::size_t statement : {1u, 8u}) {
    SCOPED_TRACE(kStringGroups[statement]);
    const Query query = tables().query_of(kStringGroups[statement]);
    std::uint64_t listed[2] = {};
    for (const std::uint64_t pinned : {std::uint64_t{1} << 18, ~std::uint64_t{0}}) {
      const auto faults = std::make_shared<EmulatedFaults>();
      const gpu::MemoryLimits limits{~std::uint64_t{0}, pinned};
      const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
      listed[pinned == ~std::uint64_t{0} ? 1 : 0] = faults->listed;
    }
    EXPECT_GT(listed[0], listed[1]);
  }
}

TEST_P(StringGroups, SeveralFilesAreOneTable) {
  const MadeTable again(KeyedTables::make_facts(GetParam(), 5), KeyedTables::kGroupRows);
  for (const char* const keys : {"fact_key", "other_key", "x, fact_key"}) {
    SCOPED_TRACE(keys);
    Query query = Query::from({tables().table("facts"), *again.table}, {"one", "two"});
    query.where("id > 100").group_by(keys).aggregate("count(*), sum(id)");
    expect_as_on_cpu(query, 3, "conditions and groups");
  }
}

/// Tables that are in device memory are not read again.
TEST_P(StringGroups, TablesMayBeInDeviceMemory) {
  const auto faults = std::make_shared<EmulatedFaults>();
  {
    const auto device = make_emulated_query_device(faults);
    std::vector<gpu::DeviceTable> loaded;
    for (const char* const name : {"facts", "sides", "more"}) {
      auto table = gpu::DeviceTable::load(device, {tables().table(name)}, {{}, 2});
      ASSERT_TRUE(table.ok()) << table.error().message();
      loaded.push_back(std::move(*table));
    }
    const std::uint64_t of_tables = faults->live_bytes;
    for (const char* const statement :
         {kStringGroups[0], kStringGroups[2], kStringGroups[4], kStringGroups[6],
          kJoinedStringGroups[0], kJoinedStringGroups[5], kJoinedStringGroups[8]}) {
      SCOPED_TRACE(statement);
      const Query query = tables().query_of(statement);
      const std::uint64_t listed = faults->listed;
      const Answer found = answer_of(query, device);
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_EQ(found.summary.bytes_read, 0u);
      EXPECT_EQ(faults->live_bytes, of_tables);
      EXPECT_GT(faults->listed, listed);
    }
  }
  EXPECT_EQ(faults->live_bytes, 0u);
}

TEST_P(StringGroups, LittleMemoryIsLeftToTheCpu) {
  std::uint32_t on_device = 0, by_cpu = 0, in_passes = 0;
  for (const char* const statement :
       {kStringGroups[4], kJoinedStringGroups[1], kJoinedStringGroups[3]}) {
    const Query query = tables().query_of(statement);
    const Answer expected = answer_of(query, nullptr);
    for (std::uint64_t bytes = 1 << 16; bytes <= 1 << 24; bytes = bytes * 3 / 2) {
      SCOPED_TRACE(std::string(statement) + ", " + std::to_string(bytes));
      const auto faults = std::make_shared<EmulatedFaults>();
      const gpu::MemoryLimits limits{bytes, ~std::uint64_t{0}};
      const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
      if (found.text.substr(0, 6) == "error:") {
        // The limit leaves no room for a row group.
        EXPECT_NE(found.text.find("out of device memory"), std::string::npos) << found.text;
      } else {
        EXPECT_EQ(found.text, expected.text);
        ++(found.summary.why_cpu.empty() ? on_device : by_cpu);
        in_passes += found.summary.why_cpu.empty() && found.summary.passes > 1 ? 1 : 0;
      }
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
    }
  }
  EXPECT_GT(on_device, 6u);
  EXPECT_GT(by_cpu, 0u);
  EXPECT_GT(in_passes, 0u);
}

/// Strings that repeat need no index that has room for as many as there are rows.
TEST(StringGroupsThatRepeat, TakeLittleMemory) {
  constexpr std::uint32_t kGroupRows = 2300, kRows = 10 * kGroupRows;
  corpora::Random random(4);
  std::string csv = "key,id\n";
  for (std::uint32_t i = 0; i < kRows; ++i) {
    csv += hex_string(random.below(1500)) + "," + std::to_string(i) + "\n";
  }
  const MadeTable made(csv, kGroupRows);
  ASSERT_EQ(form_of(*made.table, 0, "key"), Representation::kBytes);
  Query query = Query::from(*made.table);
  query.group_by("key").aggregate("count(*), sum(id)");
  const Answer expected = answer_of(query, nullptr);
  // What the index takes with room for all rows is to be no more than half.
  constexpr std::uint64_t kUsual = std::uint64_t{2} * kRows * 48;
  std::uint32_t on_device = 0, by_cpu = 0;
  for (std::uint64_t bytes = kUsual / 16; bytes < kUsual; bytes += kUsual / 16) {
    const auto faults = std::make_shared<EmulatedFaults>();
    const gpu::MemoryLimits limits{bytes, ~std::uint64_t{0}};
    const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
    EXPECT_EQ(found.text, expected.text);
    ++(found.summary.why_cpu.empty() ? on_device : by_cpu);
    EXPECT_EQ(faults->live_bytes, 0u);
  }
  EXPECT_GT(on_device, 3u);
  EXPECT_GT(by_cpu, 0u);
}

/// Nothing is left behind, and the answer is right where there is one.
TEST_P(StringGroups, EachAllocationAndLaunchMayFail) {
  const Query query = tables().query_of(kStringGroups[4]);
  expect_faults_are_told(query, 2);
}

INSTANTIATE_TEST_SUITE_P(Forms, StringGroups,
                         ::testing::Values(Form::kTokens, Form::kBytes, Form::kMixed),
                         [](const auto& form) {
                           return form.param == Form::kTokens  ? "Tokens"
                                  : form.param == Form::kBytes ? "Bytes"
                                                               : "Mixed";
                         });

// --- damage

TEST(StringGroupsDamage, ErrorsAreTheCpus) {
  for (const bool are_bytes : {false, true}) {
    std::string csv = "key,id\n";
    for (std::uint32_t i = 0; i < 2000; ++i) {
      const std::uint32_t number = i * 7 % 1500;
      csv += (i % 11 == 3 ? ""
              : are_bytes ? hex_string(number)
                          : key_string(number)) +
             "," + std::to_string(i) + "\n";
    }
    MadeTable made(csv, 2300);
    ASSERT_EQ(form_of(*made.table, 0, "key"),
              are_bytes ? Representation::kBytes : Representation::kToken);
    auto seen = damage(made, "key", 24, 6, [&] {
      Query query = Query::from(*made.table);
      query.group_by("key").aggregate("count(*), sum(id)");
      return query;
    });
    EXPECT_GT(seen[ErrorCode::kContentChecksum], 5u);
    EXPECT_GT(seen.size(), 2u);
  }
}

// --- strings that come back in several parts

/// Strings that are longer than what is copied at a time.
TEST(StringGroupsOfLongStrings, ComeBackAsTheyAre) {
  std::string csv = "key,id\n";
  for (std::uint32_t i = 0; i < 360; ++i) {
    const std::uint32_t number = i % 300;
    std::string key = hex_string(number);
    const std::uint32_t parts = number % 100 == 99 ? 150000 : number % 7 == 1 ? number : 0;
    for (std::uint32_t part = 0; part < parts; ++part) key += hex_string(part * 5 + number);
    csv += key + "," + std::to_string(i) + "\n";
  }
  const MadeTable made(csv, 400);
  ASSERT_EQ(form_of(*made.table, 0, "key"), Representation::kBytes);
  Query query = Query::from(*made.table);
  query.group_by("key").aggregate("count(*), sum(id)");
  const Answer expected = answer_of(query, nullptr);
  EXPECT_EQ(expected.summary.groups, 300u);
  for (const std::uint64_t pinned : {std::uint64_t{1} << 22, ~std::uint64_t{0}}) {
    const auto faults = std::make_shared<EmulatedFaults>();
    const gpu::MemoryLimits limits{~std::uint64_t{0}, pinned};
    const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
    EXPECT_TRUE(found.text == expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_GT(faults->listed, 1u);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
}

// --- large tables

/// The CPU numbers no strings of tables with more than a million rows: the device does, also those
/// of joined tables, or says why it cannot.
TEST(StringGroupsOfLargeTables, AreNumberedOnTheDevice) {
  constexpr std::uint32_t kRows = 1'000'100;
  std::string csv = "key,large_id\n";
  for (std::uint32_t i = 0; i < kRows; ++i) {
    csv += (i % 50 == 7 ? "" : hex_string(i)) + "," + std::to_string(i) + "\n";
  }
  const MadeTable large(csv, 1u << 20);
  ASSERT_EQ(form_of(*large.table, 0, "key"), Representation::kBytes);
  std::string few = "id,n\n";
  for (std::uint32_t i = 0; i < 3000; ++i) {
    few += std::to_string(i * 400) + "," + std::to_string(i % 7) + "\n";
  }
  const MadeTable small(few, 2300);
  {
    Query query = Query::from(*large.table);
    query.group_by("key").aggregate("count(*)").limit(3);
    const gpu::MemoryLimits limits{std::uint64_t{1} << 20, ~std::uint64_t{0}};
    const Answer found = answer_of(query, make_emulated_query_device(nullptr, 1, limits));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu,
              "keys that are strings for which there may be too little device memory");
  }
  const std::string statement =
      "select key, n, count(*) from small left join large on id = large_id group by key, n";
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok());
  const Query query = Query::from(*parsed, statement, {*small.table, *large.table});
  const auto faults = std::make_shared<EmulatedFaults>();
  const Answer found = answer_of(query, make_emulated_query_device(faults));
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "");
  EXPECT_GT(faults->numbered, 0u);
  EXPECT_GT(faults->listed, 0u);
  EXPECT_EQ(faults->live_bytes, 0u);
}

}  // namespace
}  // namespace presso::query_string_groups_on_gpu_test
