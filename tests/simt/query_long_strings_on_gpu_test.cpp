// SPDX-License-Identifier: MIT
// Strings that are longer than a block of text, and tables with so many strings that only the
// device numbers them; and in which forms the tables of tests/queries store their strings.
#include <gtest/gtest.h>

#include <string>

#include "presso/sql.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/query_file.h"
#include "tests/simt/stored_blocks.h"
#include "tests/simt/string_query_cases.h"

namespace presso::query_long_strings_on_gpu_test {
namespace {

using namespace test;
using Form = KeyedTables::Form;

std::uint64_t blocks_of_text(const Table& table, const char* column) {
  std::uint64_t blocks = 0;
  for (const BlockPlace& place : blocks_of(table, column)) {
    blocks += place.stream == ColumnStream::kBytes ? 1 : 0;
  }
  return blocks;
}

/// Rows of which every hundredth has a string of that many parts more, which differs in its end.
std::string long_rows(const char* header, std::uint32_t factor, std::uint32_t parts) {
  std::string csv = header;
  for (std::uint32_t i = 0; i < 300; ++i) {
    std::string key = hex_string(i * factor);
    for (std::uint32_t part = 0; i % 100 == 99 && part < parts; ++part) {
      key += hex_string(part * 5 + i);
    }
    if (i == 99) key += "!" + std::to_string(factor);
    if (i == 199) key += "!?";
    csv += key + "," + std::to_string(i) + "\n";
  }
  return csv;
}

/// With little pinned memory, of which a string takes more, and with enough. Returns how often
/// strings were given back where there is little.
std::uint64_t expect_as_on_cpu(const Query& query) {
  const Answer expected = answer_of(query, nullptr);
  EXPECT_GT(expected.summary.rows_matched, 0u);
  std::uint64_t listed = 0;
  for (const std::uint64_t pinned : {~std::uint64_t{0}, std::uint64_t{1} << 21}) {
    const auto faults = std::make_shared<EmulatedFaults>();
    const gpu::MemoryLimits limits{~std::uint64_t{0}, pinned};
    const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
    EXPECT_TRUE(found.text == expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
    listed = faults->listed;
  }
  return listed;
}

TEST(LongStringsOnGpu, AreFoundByConditions) {
  const MadeTable made(long_rows("key,id\n", 3, 25'000), 300);
  ASSERT_EQ(form_of(*made.table, 0, "key"), Representation::kBytes);
  EXPECT_GE(blocks_of_text(*made.table, "key"), 6u);
  for (const char* const where :
       {"key like '%!3'", "key not like '%!%'", "key matches '[!][?]$'"}) {
    SCOPED_TRACE(where);
    const Query query = query_of(*made.table, {where, "", "count(*), sum(id)"});
    const Answer found = answer_of(query, make_emulated_query_device());
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
  }
}

TEST(LongStringsOnGpu, AreKeysOfJoins) {
  const MadeTable probe(long_rows("probe_key,id\n", 3, 75'000), 300);
  const MadeTable build(long_rows("more_key,z\n", 2, 75'000), 300);
  ASSERT_EQ(form_of(*build.table, 0, "more_key"), Representation::kBytes);
  EXPECT_GE(blocks_of_text(*build.table, "more_key"), 8u);
  const std::string statement = "select count(*), sum(z) from a join b on probe_key = more_key";
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok());
  expect_as_on_cpu(Query::from(*parsed, statement, {*probe.table, *build.table}));
}

TEST(LongStringsOnGpu, ComeBackAsKeysOfGroups) {
  const MadeTable made(long_rows("key,id\n", 1, 75'000), 300);
  EXPECT_GT(expect_as_on_cpu(query_of(*made.table, {"", "key", "count(*), sum(id)"})), 1u);
}

/// The CPU numbers no strings of tables with more than a million rows: the device does, also those
/// of joined tables, or says why it cannot.
TEST(LargeTablesOnGpu, HaveTheirStringsNumberedThere) {
  constexpr std::uint32_t kRows = 1'000'100;
  std::string csv = "key,large_id\n";
  for (std::uint32_t i = 0; i < kRows; ++i) {
    csv += (i % 50 == 7 ? "" : hex_string(i)) + "," + std::to_string(i) + "\n";
  }
  const MadeTable large(csv, 1u << 20);
  ASSERT_EQ(form_of(*large.table, 0, "key"), Representation::kBytes);
  Query limited = Query::from(*large.table);
  limited.group_by("key").aggregate("count(*)").limit(3);
  const gpu::MemoryLimits limits{std::uint64_t{1} << 20, ~std::uint64_t{0}};
  const Answer little = answer_of(limited, make_emulated_query_device(nullptr, 1, limits));
  EXPECT_EQ(little.text, answer_of(limited, nullptr).text);
  EXPECT_EQ(little.summary.why_cpu,
            "keys that are strings for which there may be too little device memory");
  std::string few = "id,n\n";
  for (std::uint32_t i = 0; i < 3000; ++i) {
    few += std::to_string(i * 400) + "," + std::to_string(i % 7) + "\n";
  }
  const MadeTable small(few, 2300);
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

TEST(TablesOfStrings, HaveRowGroupsOfAllForms) {
  for (const Form form : {Form::kTokens, Form::kBytes, Form::kMixed}) {
    const KeyedTables tables(form);
    const auto of_even = form == Form::kTokens ? Representation::kToken : Representation::kBytes;
    const auto of_odd = form == Form::kBytes ? Representation::kBytes : Representation::kToken;
    const Table& facts = tables.table("facts");
    const Table& sides = tables.table("sides");
    EXPECT_EQ(form_of(facts, 0, "fact_key"), of_even);
    EXPECT_EQ(form_of(facts, 2, "fact_key"), of_odd);
    EXPECT_EQ(form_of(facts, 4, "fact_key"), of_even);
    EXPECT_EQ(form_of(facts, 1, "other_key"), of_odd);
    EXPECT_EQ(form_of(sides, 0, "side_key"), of_odd);
    EXPECT_EQ(form_of(sides, 2, "side_key"), of_even);
    EXPECT_EQ(form_of(tables.table("more"), 0, "more_key"), of_even);
    EXPECT_EQ(form_of(facts, 1, "fact_key"), Representation::kDictionary);
    EXPECT_EQ(form_of(facts, 3, "fact_key"), Representation::kNull);
    EXPECT_EQ(form_of(sides, 1, "side_key"), Representation::kDictionary);
    EXPECT_EQ(form_of(sides, 3, "side_key"), Representation::kNull);
  }
}

TEST(TablesOfStrings, HaveTokensBeforeAndAfterOtherForms) {
  QueryTables tables = query_tables("tokens", "5000/2300");
  const Table made = tables.files("t")[0];
  EXPECT_EQ(form_of(made, 0, "comment"), Representation::kToken);
  EXPECT_EQ(form_of(made, 0, "note"), Representation::kToken);
  EXPECT_EQ(form_of(made, 0, "mixed"), Representation::kDictionary);
  EXPECT_EQ(form_of(made, 1, "mixed"), Representation::kToken);
  EXPECT_EQ(form_of(made, 2, "mixed"), Representation::kNull);
  // Blocks of tokens end within slices.
  const Table of_long = tables.files("long")[0];
  const auto reader = GroupReader::open(of_long, 0);
  ASSERT_TRUE(reader.ok());
  const auto blocks = (*reader)->blocks_of(*of_long.find_column("comment"), ColumnStream::kTokens,
                                           0, static_cast<std::uint32_t>(of_long.rows()));
  ASSERT_GT(blocks.end - blocks.first, 2u);
  EXPECT_NE((*reader)->begin_of(blocks.first + 1) % kMaxIntegerRows, 0u);
  // Text of several blocks and slices.
  QueryTables of_strings = query_tables("strings", "bytes");
  const Table large = of_strings.files("large")[0];
  EXPECT_EQ(form_of(large, 0, "key"), Representation::kBytes);
  EXPECT_GE(blocks_of_text(large, "key"), 2u);
}

}  // namespace
}  // namespace presso::query_long_strings_on_gpu_test
