// SPDX-License-Identifier: MIT
// In which forms the tables of tests/queries store their strings.
#include <gtest/gtest.h>

#include <string>

#include "tests/simt/keyed_tables.h"
#include "tests/simt/query_file.h"
#include "tests/simt/stored_blocks.h"
#include "tests/simt/string_query_cases.h"

namespace presso::query_string_forms_test {
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
  // Strings that go on in other blocks.
  const Table with_long = of_strings.files("with_long")[0];
  EXPECT_EQ(form_of(with_long, 0, "key"), Representation::kBytes);
  EXPECT_GE(blocks_of_text(with_long, "key"), 6u);
}

}  // namespace
}  // namespace presso::query_string_forms_test
