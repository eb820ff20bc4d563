// SPDX-License-Identifier: MIT
// Tables joined on the emulated GPU by strings that are no dictionary's: the same answers as the
// CPU's, however row groups store them, and the same errors of damaged blocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "corpora/random.h"
#include "presso/device_table.h"
#include "presso/sql.h"
#include "tests/simt/damaged_columns.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/faulty_queries.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/queried_table.h"
#include "tests/support/sanitized.h"

namespace presso::query_string_keys_on_gpu_test {
namespace {

using namespace test;

constexpr const char* kStatements[] = {
    "select count(*) from facts join more on fact_key = more_key",
    "select count(*), sum(size), sum(facts.id) from facts join sides on fact_key = side_key",
    "select x, count(*), sum(size) from facts left join sides on fact_key = side_key group by x",
    "select x, count(*), count(side_id) from facts right join sides on fact_key = side_key "
    "group by x",
    "select x, y, count(*) from facts full join sides on fact_key = side_key and size < 40 "
    "group by x, y",
    "select x, count(*) from facts semi join sides on fact_key = side_key group by x",
    "select x, count(*) from facts semi join sides on fact_key = side_key and size > facts.x * 20 "
    "group by x",
    "select x, count(*), sum(id) from facts anti join sides on fact_key = side_key group by x",
    "select count(*), sum(z) from more anti join facts on more_key = fact_key",
    "select z, count(*) from more semi join facts on more_key = other_key group by z",
    // Several keys.
    "select x, count(*), sum(size) from facts join sides on fact_key = side_key and x = y "
    "group by x",
    "select x, count(*), sum(size) from facts full join sides on fact_key = side_key and x = y "
    "group by x",
    "select count(*), sum(id) from facts anti join sides on x = y and fact_key = side_key",
    // Build sides that are joined themselves, and keys of these.
    "select z, count(*), sum(x) from facts join sides on facts.id = sides.side_id join more on "
    "side_key = more_key group by z",
    "select z, count(*), sum(size) from facts left join sides on facts.id = sides.side_id left "
    "join more on side_key = more_key group by z",
    "select z, count(*), sum(size) from facts join sides on fact_key = side_key join more on "
    "other_key = more_key where size < 60 group by z",
    "select z, y, count(*) from facts join sides on fact_key = side_key join more on side_key = "
    "more_key group by z, y",
    // Groups by the strings that are joined, of either side: their numbers are dense then.
    "select side_key, count(*), sum(facts.id) from facts join sides on fact_key = side_key "
    "group by side_key",
    "select fact_key, count(*), sum(size) from facts join sides on fact_key = side_key "
    "group by fact_key",
    // Only the keys are read.
    "select count(*) from facts join sides on fact_key = side_key",
};

constexpr const char* kRowStatements[] = {
    "select facts.id, side_id, size from facts join sides on fact_key = side_key where size < 9",
    "select facts.id, z from facts left join more on fact_key = more_key",
    "select facts.id, side_id from facts full join sides on fact_key = side_key and x = y",
    "select facts.id from facts anti join sides on other_key = side_key",
};

using Form = KeyedTables::Form;

class StringKeys : public ::testing::TestWithParam<Form> {
 protected:
  static const KeyedTables& tables() {
    static const KeyedTables of_tokens(Form::kTokens);
    static const KeyedTables of_bytes(Form::kBytes);
    static const KeyedTables mixed(Form::kMixed);
    return GetParam() == Form::kTokens ? of_tokens : GetParam() == Form::kBytes ? of_bytes : mixed;
  }
  /// All of it is done on the device, which has numbered strings.
  static void expect_as_on_cpu(const char* statement, std::uint32_t seed, const char* on_device,
                               std::uint64_t hash_bits = ~std::uint64_t{0}) {
    SCOPED_TRACE(statement);
    const Query query = tables().query_of(statement);
    const Answer expected = answer_of(query, nullptr);
    ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->hash_bits = hash_bits;
    const Answer found = answer_of(query, make_emulated_query_device(faults, seed));
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(found.summary.on_device, on_device);
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    EXPECT_GE(found.summary.bytes_stored, found.summary.bytes_read);
    EXPECT_GT(faults->numbered, 1u);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
};

TEST_P(StringKeys, TablesHaveRowGroupsOfAllForms) {
  const Representation of_even =
      GetParam() == Form::kTokens ? Representation::kToken : Representation::kBytes;
  const Representation of_odd =
      GetParam() == Form::kBytes ? Representation::kBytes : Representation::kToken;
  const Table& facts = tables().table("facts");
  const Table& sides = tables().table("sides");
  EXPECT_EQ(form_of(facts, 0, "fact_key"), of_even);
  EXPECT_EQ(form_of(facts, 2, "fact_key"), of_odd);
  EXPECT_EQ(form_of(facts, 4, "fact_key"), of_even);
  EXPECT_EQ(form_of(facts, 1, "other_key"), of_odd);
  EXPECT_EQ(form_of(sides, 0, "side_key"), of_odd);
  EXPECT_EQ(form_of(sides, 2, "side_key"), of_even);
  EXPECT_EQ(form_of(tables().table("more"), 0, "more_key"), of_even);
  for (const char* const key : {"fact_key", "side_key"}) {
    const Table& table = key[0] == 'f' ? facts : sides;
    EXPECT_EQ(form_of(table, 1, key), Representation::kDictionary);
    EXPECT_EQ(form_of(table, 3, key), Representation::kNull);
  }
}

TEST_P(StringKeys, AnswerAsTheCpu) {
  std::uint32_t seed = 0;
  for (const char* const statement : kStatements) {
    expect_as_on_cpu(statement, ++seed, "joins, conditions and groups");
  }
}

TEST_P(StringKeys, GiveRowsAsTheCpu) {
  std::uint32_t seed = 0;
  for (const char* const statement : kRowStatements) {
    expect_as_on_cpu(statement, ++seed, "joins and conditions");
  }
}

/// Strings whose hashes are equal are told apart.
TEST_P(StringKeys, HashesMayBeEqual) {
  for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{3} << 62 | 1}) {
    expect_as_on_cpu(kStatements[0], 5, "joins, conditions and groups", bits);
  }
  expect_as_on_cpu(kStatements[10], 6, "joins, conditions and groups", 0x80000000000000F0u);
}

/// A statement of any kind about any two or three of the tables.
std::string random_statement(corpora::Random& random) {
  struct Side {
    const char* table;
    const char* keys[2];
    const char* number;
    const char* value;
  };
  static constexpr Side kSides[] = {{"facts", {"fact_key", "other_key"}, "x", "facts.id"},
                                    {"sides", {"side_key", "side_key"}, "y", "size"},
                                    {"more", {"more_key", "more_key"}, "z", "z"}};
  static const char* const kKinds[] = {"join",      "left join", "right join",
                                       "full join", "semi join", "anti join"};
  const std::uint32_t first = random.below(3);
  const Side& a = kSides[first];
  const Side& b = kSides[(first + 1 + random.below(2)) % 3];
  const std::uint32_t kind = random.below(6);
  std::string statement = std::string("select ") + a.number + ", count(*), sum(" + a.value + ")";
  if (kind < 4) statement += std::string(", max(") + b.value + ")";
  statement += std::string(" from ") + a.table + " " + kKinds[kind] + " " + b.table + " on " +
               a.keys[random.below(2)] + " = " + b.keys[random.below(2)];
  if (random.below(3) == 0) statement += std::string(" and ") + a.number + " = " + b.number;
  if (random.below(3) == 0) {
    statement += std::string(" and ") + b.value + " > " + std::to_string(random.below(60));
  }
  if (random.below(3) == 0) statement += std::string(" where ") + a.number + " < 3";
  return statement + " group by " + a.number;
}

TEST_P(StringKeys, RandomStatementsAnswerAsTheCpu) {
  corpora::Random random(9);
  for (std::uint32_t i = 0; i < (kIsSanitized ? 15u : 60u); ++i) {
    expect_as_on_cpu(random_statement(random).c_str(), i, "joins, conditions and groups");
  }
}

/// Tables that are in device memory are not read again.
TEST_P(StringKeys, TablesMayBeInDeviceMemory) {
  const auto faults = std::make_shared<EmulatedFaults>();
  {
    const auto device = make_emulated_query_device(faults);
    std::vector<gpu::DeviceTable> loaded;
    for (const char* const name : {"facts", "sides"}) {
      auto table = gpu::DeviceTable::load(device, {tables().table(name)}, {{}, 2});
      ASSERT_TRUE(table.ok()) << table.error().message();
      loaded.push_back(std::move(*table));
    }
    const std::uint64_t of_tables = faults->live_bytes;
    for (const std::size_t i : {1u, 2u, 3u, 4u, 5u, 6u, 17u}) {
      SCOPED_TRACE(kStatements[i]);
      const Query query = tables().query_of(kStatements[i]);
      const Answer found = answer_of(query, device);
      EXPECT_EQ(found.text, answer_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
      EXPECT_EQ(found.summary.bytes_read, 0u);
      EXPECT_EQ(faults->live_bytes, of_tables);
    }
    EXPECT_GT(faults->numbered, 6u);
  }
  EXPECT_EQ(faults->live_bytes, 0u);
}

TEST_P(StringKeys, LittleMemoryIsLeftToTheCpu) {
  const Query query = tables().query_of(kStatements[1]);
  const Answer expected = answer_of(query, nullptr);
  std::uint32_t on_device = 0, by_cpu = 0;
  for (std::uint64_t bytes = 1 << 16; bytes <= 1 << 24; bytes = bytes * 5 / 4) {
    SCOPED_TRACE(bytes);
    const auto faults = std::make_shared<EmulatedFaults>();
    const gpu::MemoryLimits limits{bytes, ~std::uint64_t{0}};
    const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
    if (found.text.substr(0, 6) == "error:") {
      // The limit leaves no room for a row group.
      EXPECT_NE(found.text.find("out of device memory"), std::string::npos) << found.text;
    } else {
      EXPECT_EQ(found.text, expected.text);
      ++(found.summary.why_cpu.empty() ? on_device : by_cpu);
    }
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
  EXPECT_GT(on_device, 1u);
  EXPECT_GT(by_cpu, 0u);
}

/// Nothing is left behind, and the answer is right where there is one.
TEST_P(StringKeys, EachAllocationAndLaunchMayFail) {
  const Query query = tables().query_of(kStatements[1]);
  expect_faults_are_told(query, 3);
}

INSTANTIATE_TEST_SUITE_P(Forms, StringKeys,
                         ::testing::Values(Form::kTokens, Form::kBytes, Form::kMixed),
                         [](const auto& form) {
                           return form.param == Form::kTokens  ? "Tokens"
                                  : form.param == Form::kBytes ? "Bytes"
                                                               : "Mixed";
                         });

/// Damages a column of one of the statement's tables.
std::map<ErrorCode, std::uint32_t> damage_one(const std::string& statement, MadeTable& probe,
                                              MadeTable& build, bool of_build, const char* column) {
  const auto parsed = parse_sql(statement);
  if (!parsed.ok()) return {};
  return damage(of_build ? build : probe, column, 24, 4, [&] {
    return Query::from(*parsed, statement, {*probe.table, *build.table});
  });
}

constexpr const char* kDamaged = "select count(*), sum(z) from a join b on probe_key = more_key";

TEST(StringKeysDamage, ErrorsAreTheCpus) {
  std::string csv = "probe_key,id\n";
  for (std::uint32_t i = 0; i < 2300; ++i) {
    csv += key_string(i * 3) + "," + std::to_string(i) + "\n";
  }
  MadeTable build(KeyedTables::make_more(Form::kTokens), 2300);
  MadeTable probe(csv, 2300);
  ASSERT_EQ(form_of(*build.table, 0, "more_key"), Representation::kToken);
  ASSERT_EQ(form_of(*probe.table, 0, "probe_key"), Representation::kToken);
  auto seen = damage_one(kDamaged, probe, build, true, "more_key");
  EXPECT_GT(seen[ErrorCode::kContentChecksum], 5u);
  EXPECT_GT(seen[ErrorCode::kBadLength], 3u);
}

TEST(StringKeysDamage, ErrorsOfBytesAreTheCpus) {
  const auto rows = [](const char* header, std::uint32_t factor) {
    std::string csv = header;
    for (std::uint32_t i = 0; i < 2000; ++i) {
      csv += (i % 7 == 3 ? "" : hex_string(i * factor)) + "," + std::to_string(i) + "\n";
    }
    return csv;
  };
  MadeTable build(rows("more_key,z\n", 7), 2300);
  MadeTable probe(rows("probe_key,id\n", 3), 2300);
  ASSERT_EQ(form_of(*build.table, 0, "more_key"), Representation::kBytes);
  ASSERT_EQ(form_of(*probe.table, 0, "probe_key"), Representation::kBytes);
  for (const bool of_build : {true, false}) {
    const char* const column = of_build ? "more_key" : "probe_key";
    std::map<ColumnStream, std::uint32_t> blocks;
    for (const BlockPlace& place : blocks_of(*(of_build ? build : probe).table, column)) {
      ++blocks[place.stream];
    }
    EXPECT_EQ(blocks.size(), 3u);  // validity, lengths, bytes
    auto seen = damage_one(kDamaged, probe, build, of_build, column);
    EXPECT_GT(seen[ErrorCode::kContentChecksum], 5u);
    EXPECT_GT(seen.size(), 2u);
  }
}

/// A join of two tables whose keys are bytes, with little pinned memory and with enough.
void expect_join_of_bytes(const std::string& facts, const std::string& sides,
                          std::uint32_t group_rows, std::uint64_t least_blocks) {
  MadeTable probe(facts, group_rows);
  MadeTable build(sides, group_rows);
  for (const auto& [table, column] : {std::pair{&probe, "probe_key"}, {&build, "more_key"}}) {
    ASSERT_EQ(form_of(*table->table, 0, column), Representation::kBytes);
    std::uint64_t blocks = 0;
    for (const BlockPlace& place : blocks_of(*table->table, column)) {
      blocks += place.stream == ColumnStream::kBytes ? 1 : 0;
    }
    EXPECT_GE(blocks, least_blocks);
  }
  const auto parsed = parse_sql(kDamaged);
  ASSERT_TRUE(parsed.ok());
  const Query query = Query::from(*parsed, kDamaged, {*probe.table, *build.table});
  const Answer expected = answer_of(query, nullptr);
  EXPECT_GT(expected.summary.rows_matched, 2u);
  constexpr std::uint64_t kLittle = std::uint64_t{1} << 22;
  for (const std::uint64_t pinned : {kLittle, ~std::uint64_t{0}}) {
    const auto faults = std::make_shared<EmulatedFaults>();
    const gpu::MemoryLimits limits{~std::uint64_t{0}, pinned};
    const Answer found = answer_of(query, make_emulated_query_device(faults, 1, limits));
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_GT(faults->numbered, 1u);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
}

/// Of several slices and blocks of text, the ends of which are not the same.
TEST(StringKeysOfBytes, RowGroupsMayBeLarge) {
  constexpr std::uint32_t kRows = 81000;
  const auto rows = [](const char* header, std::uint32_t factor) {
    std::string csv = header;
    for (std::uint32_t i = 0; i < kRows; ++i) {
      csv += (i % 11 == 3 ? "" : hex_string(i * factor)) + "," + std::to_string(i % 100) + "\n";
    }
    return csv;
  };
  expect_join_of_bytes(rows("probe_key,id\n", 3), rows("more_key,z\n", 2), kRows, 2);
}

/// A string that goes on in other blocks, and more bytes than pinned memory may have at a time.
TEST(StringKeysOfBytes, StringsMayBeLongerThanABlock) {
  const auto rows = [](const char* header, std::uint32_t last) {
    std::string csv = header;
    for (std::uint32_t i = 0; i < 400; ++i) {
      std::string key = hex_string(i * last);
      if (i % 100 == 99) {
        for (std::uint32_t part = 0; part < 150000; ++part) key += hex_string(part * 5 + i);
        key += i == 99 ? std::to_string(last) : "";  // the same but for this
      }
      csv += key + "," + std::to_string(i) + "\n";
    }
    return csv;
  };
  expect_join_of_bytes(rows("probe_key,id\n", 3), rows("more_key,z\n", 2), 400, 8);
}

}  // namespace
}  // namespace presso::query_string_keys_on_gpu_test
