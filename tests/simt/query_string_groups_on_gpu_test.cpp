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
#include "tests/simt/keyed_tables.h"
#include "tests/simt/queried_table.h"
#include "tests/support/sanitized.h"

namespace presso {
namespace {

using namespace test;
using Form = KeyedTables::Form;

constexpr const char* kOfOneTable[] = {
    "select fact_key, count(*) from facts group by fact_key",
    "select other_key, sum(id), min(x), max(id), avg(id) from facts group by other_key",
    "select distinct fact_key from facts",
    "select distinct x, other_key from facts where id > 3000",
    "select fact_key, x, count(*), sum(id) from facts where x <> 2 group by fact_key, x",
    "select x, fact_key, count(*) from facts group by x, fact_key",
    "select fact_key, other_key, sum(x) from facts where id < 4000 group by fact_key, other_key",
    "select fact_key, count(*) as n from facts group by fact_key having count(*) > 1 "
    "order by n desc, fact_key limit 20",
    "select fact_key, id, count(*) from facts group by fact_key, id",
    // Of one form only, and of no row.
    "select fact_key, count(*) from facts where id between 2300 and 4599 group by fact_key",
    "select fact_key, count(*) from facts where id between 6900 and 9199 group by fact_key",
    "select fact_key, count(*) from facts where id < 0 group by fact_key",
};

constexpr std::size_t kOfBuildSide = 2;  ///< has no string that the device numbers
constexpr const char* kOfJoinedTables[] = {
    "select fact_key, count(*), sum(size) from facts join sides on fact_key = side_key "
    "group by fact_key",
    "select side_key, x, count(*) from facts join sides on fact_key = side_key "
    "group by side_key, x",
    "select side_key, count(*), sum(facts.id) from facts left join sides on facts.id = "
    "sides.side_id and size < 70 group by side_key",
    "select other_key, side_key, count(*) from facts join sides on facts.id = sides.side_id "
    "group by other_key, side_key",
    "select fact_key, count(*), sum(size) from facts right join sides on fact_key = side_key "
    "group by fact_key",
    "select fact_key, side_key, count(*), sum(size) from facts full join sides on fact_key = "
    "side_key and size < 40 group by fact_key, side_key",
    "select other_key, count(*) from facts semi join sides on fact_key = side_key "
    "group by other_key",
    "select fact_key, z, count(*) from facts left join more on fact_key = more_key "
    "group by fact_key, z",
    // By the build side's rows, of which each has another key.
    "select more_key, z, count(*), sum(x) from facts join more on other_key = more_key "
    "group by more_key, z",
    "select other_key, id, count(*) from facts join more on other_key = more_key "
    "group by other_key, id",
    "select side_key, more_key, count(*) from facts join sides on facts.id = sides.side_id left "
    "join more on side_key = more_key group by side_key, more_key",
};

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
  for (const char* const statement : kOfOneTable) {
    SCOPED_TRACE(statement);
    expect_as_on_cpu(tables().query_of(statement), ++seed, "conditions and groups");
  }
}

TEST_P(StringGroups, OfJoinedTablesAnswerAsTheCpu) {
  std::uint32_t seed = 0;
  for (const char* const statement : kOfJoinedTables) {
    SCOPED_TRACE(statement);
    expect_as_on_cpu(tables().query_of(statement), ++seed, "joins, conditions and groups",
                     statement == kOfJoinedTables[kOfBuildSide]);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, StringGroups,
                         ::testing::Values(Form::kTokens, Form::kBytes, Form::kMixed),
                         [](const auto& form) {
                           return form.param == Form::kTokens  ? "Tokens"
                                  : form.param == Form::kBytes ? "Bytes"
                                                               : "Mixed";
                         });

}  // namespace
}  // namespace presso
