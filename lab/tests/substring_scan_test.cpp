// SPDX-License-Identifier: MIT
// All engines for substrings in order select the same rows, on columns whose memory ends with the
// last string.
#include "lab/strings/substring_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "corpora/string_data.h"
#include "lab/strings/regex_scan.h"
#include "lab/tests/string_cases.h"

namespace presso::strings::substring_scan_test {
namespace {

using Substrings = std::vector<std::string>;

std::vector<std::uint32_t> wanted_rows(const Substrings& substrings,
                                       const StringColumnView& column) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < column.rows; ++i) {
    const std::string text(column.row(i).begin(), column.row(i).end());
    if (string_test::in_order(substrings, text)) rows.push_back(i);
  }
  return rows;
}

/// The bytes in an allocation of their size.
struct ExactColumn {
  explicit ExactColumn(const StringColumnView& from)
      : bytes(from.bytes, from.bytes + from.size_bytes()), view(from) {
    view.bytes = bytes.data();
  }
  std::vector<Byte> bytes;
  StringColumnView view;
};

bool may_decline(SubstringEngine engine, CpuLevel level, const Substrings& substrings) {
  const bool vector = engine == SubstringEngine::kVector;
  const bool instruction = engine == SubstringEngine::kStringInstruction;
  if (vector || instruction) {
    const bool too_long =
        std::any_of(substrings.begin(), substrings.end(),
                    [](const std::string& substring) { return substring.size() > 16; });
    return level == CpuLevel::kPortable || (instruction && too_long);
  }
  return engine == SubstringEngine::kSweep && (substrings.empty() || substrings[0].empty());
}

void expect_all_agree(const Substrings& substrings, const StringColumnView& column) {
  const ExactColumn exact(column);
  const auto wanted = wanted_rows(substrings, column);
  for (const SubstringEngine engine : all_substring_engines()) {
    for (const CpuLevel level : supported_cpu_levels()) {
      const auto scan = SubstringScan::make(substrings, engine, level);
      ASSERT_NE(scan.ok(), may_decline(engine, level, substrings)) << name(engine);
      if (!scan.ok()) {
        EXPECT_EQ(scan.error().code, ErrorCode::kUnsupported);
        continue;
      }
      std::vector<std::uint32_t> ids(column.rows + kRowIdSlack);
      ids.resize((*scan)->select(exact.view, ids));
      std::sort(ids.begin(), ids.end());
      ASSERT_EQ(ids, wanted) << name(engine) << ", " << name(level);
    }
  }
}

TEST(SubstringScan, AgreesOnTheCommonCases) {
  for (const auto& test : string_test::string_cases()) {
    StringColumn column;
    for (int i = 0; i < 40; ++i) column.append(i % 3 == 1 ? test.text : "");
    column.append(test.text);
    expect_all_agree(test.substrings, column.view());
  }
}

TEST(SubstringScan, AgreesOnAllShortStrings) {
  StringColumn column;
  for (const std::string& text : string_test::all_strings("ab", 8)) column.append(text);
  for (const std::string& one : string_test::all_strings("ab", 3)) {
    for (const std::string& other : string_test::all_strings("ab", 2)) {
      expect_all_agree({one, other}, column.view());
    }
  }
  expect_all_agree({}, column.view());
  expect_all_agree({"ab", "", "ba", "ab"}, column.view());
}

/// Every distance from a register's end, and from the column's.
TEST(SubstringScan, FindsMatchesAtEveryPlace) {
  for (const std::size_t size : {1u, 2u, 7u, 15u, 16u, 17u, 33u, 150u}) {
    const std::string substring = std::string(size - 1, 'x') + 'y';
    StringColumn column;
    for (std::size_t before = 0; before < 70; ++before) {
      column.append(std::string(before, 'x') + substring + std::string(before % 5, 'x'));
      column.append(std::string(before, 'y') + substring.substr(1));
    }
    expect_all_agree({substring}, column.view());
    expect_all_agree({substring, "x"}, column.view());
  }
}

/// What looks like a match across the border of two rows is none.
TEST(SubstringScan, KeepsRowsApart) {
  StringColumn column;
  for (const char* row : {"ab", "cab", "", "c", "abc", "abcab", "cabcabc"}) column.append(row);
  expect_all_agree({"abc"}, column.view());
  expect_all_agree({"ca", "b"}, column.view());
}

TEST(SubstringScan, AgreesOnCommentsAndCountsThem) {
  corpora::Random random(13);
  StringColumn column;
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const bool hit = random.one_in(20);
    const Substrings inserted = hit ? Substrings{"special", "requests"} : Substrings{};
    if (hit) wanted.push_back(i);
    column.append(corpora::comment(random, 20 + random.below(60), inserted));
  }
  EXPECT_EQ(wanted_rows({"special", "requests"}, column.view()), wanted);
  expect_all_agree({"special", "requests"}, column.view());
  expect_all_agree({"special", "packages"}, column.view());
  expect_all_agree({"s", "l", "y"}, column.view());
}

}  // namespace
}  // namespace presso::strings::substring_scan_test
