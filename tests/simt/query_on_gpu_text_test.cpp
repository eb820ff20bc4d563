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

namespace presso {
namespace {

using namespace test;

using Form = KeyedTables::Form;

/// Of `facts`; each matches some rows and not all.
constexpr const char* kConditions[] = {
    // All kinds of conditions, on a column without nulls and on one with them.
    "other_key like 'a%'",
    "other_key like '%7'",
    "other_key like '%ab%c%'",
    "other_key like '_b%'",
    "other_key not like '%1%'",
    "other_key ilike '%AB%'",
    "other_key matches '^[0-7a-f]'",
    "not (other_key matches '[02468a-n]$')",
    "other_key matches '(ab|cd).*(ef|[st]l)'",
    "other_key < '8'",
    "other_key >= 'c'",
    "other_key in ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f')",
    "other_key not in ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e')",
    "fact_key like '%a%'",
    "fact_key not like '%a%'",
    "fact_key <> ''",
    "fact_key = ''",
    "fact_key is not null and not (fact_key like '%e%')",
    "fact_key matches '^.{16}$'",
    "fact_key matches '^.{17,}$'",
    "not (fact_key > 'b')",
    // With others, under AND and OR, and several on one column.
    "other_key like '%a%' and x = 3",
    "other_key like 'a%' or x = 3 or fact_key is null",
    "(other_key like '%a%' or x > 3) and (fact_key like '%b%' or id < 3000)",
    "not (other_key like '%a%' and fact_key like '%b%')",
    "other_key like '%a%' and other_key like '%b%' and fact_key like '%c%' and fact_key like '%d%'",
    "other_key not like '%a%' and id < x * 3000",
    "fact_key like '%a%' and id between 2500 and 10000",
};

std::string statement_of(const char* condition, const char* rest = "") {
  return std::string("select count(*), sum(id), min(x), count(fact_key) from facts where ") +
         condition + rest;
}

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
  for (const char* const condition : kConditions) {
    const Answer found = expect_as_on_cpu(statement_of(condition), ++seed);
    EXPECT_EQ(found.summary.on_device, "conditions and groups");
    EXPECT_GT(found.summary.rows_matched, 0u) << condition;
    EXPECT_LT(found.summary.rows_matched, 5 * KeyedTables::kGroupRows - 100) << condition;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, ConditionsOnText, ::testing::Values(Form::kBytes, Form::kMixed),
                         [](const auto& form) {
                           return form.param == Form::kBytes ? "Bytes" : "Mixed";
                         });

}  // namespace
}  // namespace presso
