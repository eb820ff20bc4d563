// SPDX-License-Identifier: MIT
// Conditions on strings that row groups store as bytes, in all or in some of them, on the emulated
// GPU: the same answers as the CPU's, and the same errors of damaged blocks.
#include <gtest/gtest.h>

#include <string>

#include "corpora/random.h"
#include "presso/device_table.h"
#include "tests/simt/damaged_columns.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/faulty_queries.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/queried_table.h"
#include "tests/support/sanitized.h"

namespace presso::query_on_gpu_text_test {
namespace {

using namespace test;

using Form = KeyedTables::Form;

constexpr const char* kOfTwoColumns =
    "(other_key like '%a%' or x > 3) and (fact_key like '%b%' or id < 3000)";

class ConditionsOnText : public ::testing::TestWithParam<Form> {
 protected:
  static const KeyedTables& tables() {
    static const KeyedTables of_bytes(Form::kBytes);
    static const KeyedTables mixed(Form::kMixed);
    return GetParam() == Form::kBytes ? of_bytes : mixed;
  }
  /// All of it is done on the device, which has tested text.
  static Answer expect_as_on_cpu(const std::string& statement, std::uint32_t seed) {
    SCOPED_TRACE(statement);
    const Query query = tables().query_of(statement);
    const Answer expected = answer_of(query, nullptr);
    EXPECT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, make_emulated_query_device(faults, seed));
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(found.summary.device, "the emulator");
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
    EXPECT_GT(faults->text_tests, 0u);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
    return found;
  }
};

TEST_P(ConditionsOnText, AnswerAsTheCpu) {
  std::uint32_t seed = 0;
  for (const char* const condition : kTextConditions) {
    const Answer found = expect_as_on_cpu(text_statement(condition), ++seed);
    EXPECT_EQ(found.summary.on_device, "conditions and groups");
    EXPECT_GT(found.summary.rows_matched, 0u) << condition;
    EXPECT_LT(found.summary.rows_matched, 5 * KeyedTables::kGroupRows - 100) << condition;
  }
}

TEST_P(ConditionsOnText, GroupsAndJoinsAnswerAsTheCpu) {
  constexpr const char* kStatements[] = {
      "select fact_key, count(*), sum(id) from facts where other_key like '%a%' group by fact_key",
      "select x, count(*), max(id) from facts where fact_key like '%a%' or x = 2 group by x",
      "select other_key, count(*) from facts where other_key matches '^[a-f]' group by other_key",
      "select x, count(*), sum(size) from facts join sides on fact_key = side_key "
      "where other_key like '%b%' group by x",
      "select x, count(*), sum(size) from facts join sides on facts.id = side_id "
      "where side_key like '%a%' and fact_key not like '%b%' group by x",
      "select x, count(*), sum(size) from facts left join sides on facts.id = side_id "
      "and side_key like '%a%' group by x",
      "select x, count(*) from facts semi join sides on facts.id = side_id "
      "and side_key not like '%a%' where other_key like '%c%' group by x",
      "select x, count(*), sum(z) from facts join more on other_key = more_key "
      "where more_key like '%a%' group by x",
  };
  std::uint32_t seed = 100;
  for (const char* const statement : kStatements) {
    EXPECT_GT(expect_as_on_cpu(statement, ++seed).summary.rows_matched, 0u) << statement;
  }
}

TEST_P(ConditionsOnText, RowsAreTheCpus) {
  std::uint32_t seed = 200;
  for (const char* const statement :
       {"select id, x from facts where other_key like '%a%b%'",
        "select id from facts where fact_key not like '%a%' and x <> 1 order by id desc limit 50",
        "select facts.id, side_id from facts join sides on facts.id = side_id "
        "where side_key like '%a%' and other_key like '%b%'"}) {
    EXPECT_GT(expect_as_on_cpu(statement, ++seed).summary.rows_matched, 0u) << statement;
  }
}

/// Up to four conditions on strings, under AND, OR and NOT, beside others.
std::string random_condition(corpora::Random& random, std::uint32_t depth) {
  static constexpr const char* kPatterns[] = {"a%", "%b", "%c%", "_d%", "%e%f%", "%1%2%", "%"};
  static constexpr const char* kExpressions[] = {"^[a-c]", "[0-9]{3}", "(ab|cd|st|al)", "[^x]x"};
  if (depth > 0) {
    const std::string left = random_condition(random, depth - 1);
    const std::string right = random_condition(random, depth - 1);
    const char* const joined = random.below(2) == 0 ? ") and (" : ") or (";
    return (random.below(4) == 0 ? "not ((" : "((") + left + joined + right + "))";
  }
  const std::string column = random.below(2) == 0 ? "fact_key" : "other_key";
  switch (random.below(6)) {
    case 0:
      return column + (random.below(2) == 0 ? " < '" : " >= '") + "0369cfkpt"[random.below(9)] +
             "'";
    case 1:
      return column + " matches '" + kExpressions[random.below(4)] + "'";
    case 2:
      return random.below(2) == 0 ? "x < 3" : "fact_key is null";
    default:
      return column + (random.below(2) == 0 ? " like '" : " not like '") +
             kPatterns[random.below(7)] + "'";
  }
}

TEST_P(ConditionsOnText, RandomConditionsAnswerAsTheCpu) {
  corpora::Random random(11);
  std::uint32_t tested = 0;
  for (std::uint32_t i = 0; i < (kIsSanitized ? 12u : 50u); ++i) {
    const std::string statement = text_statement(random_condition(random, random.below(3)).c_str());
    SCOPED_TRACE(statement);
    const Query query = tables().query_of(statement);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, make_emulated_query_device(faults, i));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    tested += faults->text_tests > 0 ? 1 : 0;
  }
  EXPECT_GT(tested, kIsSanitized ? 8u : 35u);
}

/// Tables that are in device memory are not read again, but for columns that are not there.
TEST_P(ConditionsOnText, TablesMayBeInDeviceMemory) {
  const auto faults = std::make_shared<EmulatedFaults>();
  {
    const auto device = make_emulated_query_device(faults);
    auto loaded = gpu::DeviceTable::load(device, {tables().table("facts")}, {{}, 2});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    auto some = gpu::DeviceTable::load(device, {tables().table("sides")}, {{"side_id"}, 2});
    ASSERT_TRUE(some.ok()) << some.error().message();
    const std::uint64_t of_tables = faults->live_bytes;
    std::uint64_t tests = 0;
    for (std::size_t i = 0; i < std::size(kTextConditions); i += 4) {
      SCOPED_TRACE(kTextConditions[i]);
      const Query query = tables().query_of(text_statement(kTextConditions[i]));
      const Answer found = answer_of(query, device);
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_EQ(found.summary.bytes_read, 0u);
      EXPECT_GT(faults->text_tests, tests);
      EXPECT_EQ(faults->live_bytes, of_tables);
      tests = faults->text_tests;
    }
    const Query query = tables().query_of(
        "select count(*), sum(side_id) from sides where side_key like '%a%' and y < 4");
    const Answer found = answer_of(query, device);
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_GT(found.summary.bytes_read, 0u);
    EXPECT_GT(found.summary.bytes_resident, 0u);
    EXPECT_EQ(faults->live_bytes, of_tables);
  }
  EXPECT_EQ(faults->live_bytes, 0u);
}

/// With less memory there are more batches, and with too little the CPU answers or it is an error.
TEST_P(ConditionsOnText, LittleMemoryIsLeftToTheCpu) {
  const Query query = tables().query_of(text_statement(kOfTwoColumns));
  const Answer expected = answer_of(query, nullptr);
  std::uint32_t on_device = 0, by_cpu = 0;
  std::uint64_t least_tests = ~std::uint64_t{0};
  std::uint64_t most_tests = 0;
  for (std::uint64_t bytes = 1 << 16; bytes <= 1 << 24; bytes = bytes * 5 / 4) {
    SCOPED_TRACE(bytes);
    const auto faults = std::make_shared<EmulatedFaults>();
    const gpu::MemoryLimits limits{bytes, ~std::uint64_t{0}};
    const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
    if (found.text.substr(0, 6) == "error:") {
      EXPECT_NE(found.text.find("out of device memory"), std::string::npos) << found.text;
    } else {
      EXPECT_EQ(found.text, expected.text);
      ++(found.summary.why_cpu.empty() ? on_device : by_cpu);
      if (found.summary.why_cpu.empty()) {
        least_tests = std::min(least_tests, faults->text_tests);
        most_tests = std::max(most_tests, faults->text_tests);
      } else {
        EXPECT_EQ(found.summary.why_cpu,
                  "conditions on strings that are stored as bytes, for which there may be too "
                  "little device memory");
      }
    }
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
  EXPECT_GT(on_device, 1u);
  EXPECT_GT(by_cpu, 0u);
  EXPECT_GT(most_tests, least_tests);
}

TEST_P(ConditionsOnText, EachAllocationAndLaunchMayFail) {
  expect_faults_are_told(
      tables().query_of(text_statement(kOfTwoColumns, " and other_key not like '%7'")), 3);
}

INSTANTIATE_TEST_SUITE_P(Forms, ConditionsOnText, ::testing::Values(Form::kBytes, Form::kMixed),
                         [](const auto& form) {
                           return form.param == Form::kBytes ? "Bytes" : "Mixed";
                         });

// --- row groups of several slices and blocks

constexpr std::uint32_t kManyRows = 81000;

std::string many_rows() {
  std::string csv = "key,id\n";
  for (std::uint32_t i = 0; i < kManyRows; ++i) {
    csv += (i % 11 == 3 ? "" : hex_string(i * 3)) + "," + std::to_string(i) + "\n";
  }
  return csv;
}

std::uint64_t blocks_of_text(const MadeTable& made) {
  std::uint64_t blocks = 0;
  for (const BlockPlace& place : blocks_of(*made.table, "key")) {
    blocks += place.stream == ColumnStream::kBytes ? 1 : 0;
  }
  return blocks;
}

/// Of several slices and blocks of text, the ends of which are not the same.
TEST(ConditionsOnLargeText, RowGroupsMayBeLarge) {
  const MadeTable made(many_rows(), kManyRows);
  ASSERT_EQ(form_of(*made.table, 0, "key"), Representation::kBytes);
  EXPECT_GE(blocks_of_text(made), 2u);
  // The second one wants rows of the last slice only.
  for (const char* const where : {"key like '%ab%'", "key not like '%ab%' and id > 70000"}) {
    const Query query = query_of(*made.table, {where, "", "count(*), sum(id), min(id), max(id)"});
    const Answer expected = answer_of(query, nullptr);
    EXPECT_GT(expected.summary.rows_matched, 100u);
    const Answer found = answer_of(query, make_emulated_query_device());
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
  }
}

/// A string that goes on in other blocks.
TEST(ConditionsOnLargeText, StringsMayBeLongerThanABlock) {
  std::string csv = "key,id\n";
  for (std::uint32_t i = 0; i < 400; ++i) {
    std::string key = hex_string(i * 3);
    if (i == 99 || i == 199) {
      for (std::uint32_t part = 0; part < 25000; ++part) key += hex_string(part * 5 + i);
      key += i == 99 ? "!" : i == 199 ? "!?" : "";
    }
    csv += key + "," + std::to_string(i) + "\n";
  }
  const MadeTable made(csv, 400);
  ASSERT_EQ(form_of(*made.table, 0, "key"), Representation::kBytes);
  EXPECT_GE(blocks_of_text(made), 6u);
  for (const char* const where : {"key like '%!'", "key not like '%!%'", "key matches '[!][?]$'"}) {
    const Query query = query_of(*made.table, {where, "", "count(*), sum(id)"});
    const Answer expected = answer_of(query, nullptr);
    EXPECT_GT(expected.summary.rows_matched, 0u);
    const Answer found = answer_of(query, make_emulated_query_device());
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
  }
}

/// Several files of one table, whose rows are numbered through.
TEST(ConditionsOnLargeText, TablesMayBeSeveralFiles) {
  const MadeTable first(KeyedTables::make_facts(Form::kBytes, 1), KeyedTables::kGroupRows);
  const MadeTable second(KeyedTables::make_facts(Form::kTokens, 2), KeyedTables::kGroupRows);
  Query query = Query::from({*first.table, *second.table});
  query.where("other_key like '%a%' or fact_key like '%b%'").aggregate("count(*), sum(id)");
  const Answer found = answer_of(query, make_emulated_query_device());
  EXPECT_EQ(found.text, answer_of(query, nullptr).text);
  EXPECT_EQ(found.summary.why_cpu, "");
}

// --- damage

TEST(ConditionsOnTextDamage, ErrorsAreTheCpus) {
  std::string csv = "key,id\n";
  for (std::uint32_t i = 0; i < 5000; ++i) {
    csv += (i % 7 == 3 ? "" : hex_string(i * 7)) + "," + std::to_string(i) + "\n";
  }
  MadeTable made(csv, 2500);
  ASSERT_EQ(form_of(*made.table, 1, "key"), Representation::kBytes);
  auto seen =
      damage(made, "key", 24, 4, [&made] { return query_of(*made.table, {"key like '%ab%'"}); });
  EXPECT_GT(seen[ErrorCode::kContentChecksum], 5u);
  EXPECT_GT(seen.size(), 2u);
}

/// Text of tables in device memory is looked at by queries only: they say what the CPU says.
TEST(ConditionsOnTextDamage, TextInDeviceMemoryIsCheckedByQueries) {
  std::string csv = "key,id\n";
  for (std::uint32_t i = 0; i < 5000; ++i) csv += hex_string(i) + "," + std::to_string(i) + "\n";
  MadeTable made(csv, 2500);
  std::uint32_t damaged = 0;
  for (const BlockPlace& place : blocks_of(*made.table, "key")) {
    if (place.stream != ColumnStream::kBytes) continue;
    const std::vector<Byte> sound = made.bytes;
    made.bytes[(place.begin + place.end) / 2] ^= Byte{4};
    const auto device = make_emulated_query_device();
    const auto loaded = gpu::DeviceTable::load(device, {*made.table}, {{"key"}, 2});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    const Query query = query_of(*made.table, {"key like '%ab%'"});
    const auto expected = run_query(query, nullptr);
    const auto found = run_query(query, device);
    made.bytes = sound;
    ASSERT_FALSE(expected.ok());
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().message(), expected.error().message());
    ++damaged;
  }
  EXPECT_EQ(damaged, 2u);
}

}  // namespace
}  // namespace presso::query_on_gpu_text_test
