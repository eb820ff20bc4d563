// SPDX-License-Identifier: MIT
// Damaged files: a query on the device of tests reports the same block and code as on the CPU, or
// gives the same answer where what is damaged does not matter to it.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "presso/device_table.h"
#include "presso/sql.h"
#include "tests/simt/damaged_columns.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/query_cases.h"
#include "tests/simt/string_query_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_damage_on_gpu_test {
namespace {

using namespace test;
using Form = KeyedTables::Form;

/// Changes a byte of the file at a time. `parts`: groups are made part by part.
void expect_same_errors(const MadeTable& made, const Asked& asked, int files, bool parts) {
  const std::string sound = answer_of(query_of(*made.table, asked), nullptr).text;
  corpora::Random random(3);
  int damaged = 0;
  for (int i = 0; i < files; ++i) {
    std::vector<Byte> bytes = made.bytes;
    bytes[300 + random.below(static_cast<std::uint32_t>(bytes.size() - 2300))] ^=
        static_cast<Byte>(1 + random.below(255));
    const MemoryRandomAccess access(bytes);
    const auto table = Table::open(access);
    if (!table.ok()) continue;
    const Query query = query_of(*table, asked);
    const std::string of_cpu = answer_of(query, nullptr).text;
    const auto faults = std::make_shared<EmulatedFaults>();
    if (parts) faults->group_parts.most_part_rows = 1u << 16;
    EXPECT_EQ(answer_of(query, make_emulated_query_device(faults)).text, of_cpu) << i;
    damaged += of_cpu != sound ? 1 : 0;
  }
  EXPECT_GT(damaged, files / 8);
}

TEST(QueryDamage, ErrorsOfGroupsAreTheCpus) {
  const MadeTable made(make_csv(1500, 7), 700);
  expect_same_errors(made, {"", "word", "sum(price), avg(maybe)"}, kIsSanitized ? 8 : 150, false);
}

TEST(QueryDamage, ErrorsOfGroupsInPartsAreTheCpus) {
  std::string csv = "key,small,wide\n";
  corpora::Random random(11);
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t key = random.below(2000) * 2'148'914'691'236'517ull;
    csv += std::to_string(static_cast<std::int64_t>(key)) + "," +
           std::to_string(random.below(2000)) + "," + std::to_string(random.next() >> 20) + "\n";
  }
  expect_same_errors({csv, 1500}, {"", "key", "sum(small), max(wide)"}, kIsSanitized ? 5 : 60,
                     true);
}

/// Rows of a column of strings and of one of numbers; some strings are null.
std::string rows_of(const char* header, std::uint32_t rows, bool are_bytes, std::uint32_t factor) {
  std::string csv = header;
  for (std::uint32_t i = 0; i < rows; ++i) {
    csv += (i % 7 == 3  ? ""
            : are_bytes ? hex_string(i * factor)
                        : key_string(i * factor)) +
           "," + std::to_string(i) + "\n";
  }
  return csv;
}

/// Each block of the column, of all its streams, is damaged `times` times.
void expect_same_errors(MadeTable& made, const char* column, Representation form,
                        std::uint32_t times, const std::function<Query()>& query) {
  ASSERT_EQ(form_of(*made.table, 0, column), form);
  auto seen = damage(made, column, times, 3, query);
  EXPECT_GT(seen[ErrorCode::kContentChecksum], 5u);
  EXPECT_GT(seen.size(), 2u);
}

TEST(QueryDamage, ErrorsOfConditionsOnTokensAreTheCpus) {
  MadeTable made(make_string_csv(4000, 2000, 9), 2000);
  expect_same_errors(made, "note", Representation::kToken, 12,
                     [&] { return query_of(*made.table, {"note like '%special%requests%'"}); });
}

TEST(QueryDamage, ErrorsOfConditionsOnBytesAreTheCpus) {
  MadeTable made(rows_of("key,id\n", 4000, true, 7), 2000);
  expect_same_errors(made, "key", Representation::kBytes, 24,
                     [&] { return query_of(*made.table, {"key like '%ab%'"}); });
}

TEST(QueryDamage, ErrorsOfKeysOfGroupsAreTheCpus) {
  for (const bool are_bytes : {false, true}) {
    MadeTable made(rows_of("key,id\n", 2000, are_bytes, 7), 2300);
    const Representation form = are_bytes ? Representation::kBytes : Representation::kToken;
    expect_same_errors(made, "key", form, 24, [&] {
      return query_of(*made.table, {"", "key", "count(*), sum(id)"});
    });
  }
}

TEST(QueryDamage, ErrorsOfKeysOfJoinsAreTheCpus) {
  const std::string statement = "select count(*), sum(z) from a join b on probe_key = more_key";
  const auto parsed = parse_sql(statement);
  ASSERT_TRUE(parsed.ok());
  for (const bool are_bytes : {false, true}) {
    MadeTable build(rows_of("more_key,z\n", 1600, are_bytes, 7), 2300);
    MadeTable probe(rows_of("probe_key,id\n", 2000, are_bytes, 3), 2300);
    const auto query = [&] {
      return Query::from(*parsed, statement, {*probe.table, *build.table});
    };
    const Representation form = are_bytes ? Representation::kBytes : Representation::kToken;
    expect_same_errors(build, "more_key", form, 24, query);
    if (are_bytes) expect_same_errors(probe, "probe_key", form, 24, query);
  }
}

/// Text of tables in device memory is looked at by queries only.
TEST(QueryDamage, ErrorsOfTextInDeviceMemoryAreToldByQueries) {
  MadeTable made(rows_of("key,id\n", 4000, true, 1), 2000);
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
}  // namespace presso::query_damage_on_gpu_test
