// SPDX-License-Identifier: MIT
// A string per vector lane: every CPU level, table width, way to load text and unrolling selects
// the rows that the automaton accepts, on columns whose memory ends with the last string.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <random>
#include <string>

#include "corpora/string_data.h"
#include "lab/strings/predicate.h"
#include "lab/strings/regex_scan.h"
#include "lab/tests/string_cases.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::strings::regex_scan_test {
namespace {

using scan_test::as_bytes;

Dfa dfa_of(const Predicate& predicate) {
  auto dfa = compile(predicate);
  EXPECT_TRUE(dfa.ok()) << dfa.error().message();
  return std::move(*dfa);
}

std::vector<SelectOptions> all_options() {
  std::vector<SelectOptions> all;
  for (const CpuLevel level : supported_cpu_levels()) {
    for (const auto gather : {TextGather::kByte, TextGather::kWord, TextGather::kAligned}) {
      for (const unsigned unroll : {1u, 2u}) all.push_back({level, gather, unroll});
    }
  }
  for (const unsigned unroll : {1u, 2u}) {
    all.push_back({CpuLevel::kPortable, TextGather::kNone, unroll});
  }
  return all;
}

std::string describe(const SelectOptions& options) {
  return std::string(name(options.level)) + ", gather " +
         std::to_string(static_cast<int>(options.gather)) + ", unroll " +
         std::to_string(options.unroll);
}

/// The bytes at `misaligned` bytes after a multiple of 16, in an allocation that ends with them.
struct ExactBytes {
  ExactBytes(Bytes bytes, std::size_t misaligned)
      : memory(misaligned + bytes.size()), at(memory.data() + misaligned) {
    std::copy(bytes.begin(), bytes.end(), memory.begin() + static_cast<std::ptrdiff_t>(misaligned));
  }
  std::vector<Byte> memory;
  const Byte* at;
};

template <class Table, class Column>
std::vector<std::uint32_t> selected(const Table& table, const Column& column,
                                    const SelectOptions& options) {
  std::vector<std::uint32_t> ids(column.rows + kRowIdSlack);
  const auto count = select_rows(table.view(), column, options, ids);
  EXPECT_TRUE(count.ok()) << count.error().message();
  ids.resize(*count);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<std::uint32_t> wanted_rows(const Dfa& dfa, const StringColumnView& column) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < column.rows; ++i) {
    if (dfa.accepts(column.row(i))) rows.push_back(i);
  }
  return rows;
}

/// Both table widths where the narrow one holds the automaton.
template <class Column>
void expect_rows(const Dfa& dfa, const Column& column, std::optional<Byte> pad,
                 const std::vector<std::uint32_t>& wanted, const SelectOptions& options) {
  const auto wide = DfaTable32::make(dfa, pad);
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(selected(*wide, column, options), wanted) << describe(options) << ", 4 bytes";
  const auto narrow = DfaTable8::make(dfa, pad);
  ASSERT_TRUE(narrow.ok());
  EXPECT_EQ(selected(*narrow, column, options), wanted) << describe(options) << ", 1 byte";
}

StringColumn random_column(std::size_t rows, std::size_t longest, const std::string& letters,
                           unsigned seed) {
  std::mt19937 random(seed);
  StringColumn column;
  for (std::size_t i = 0; i < rows; ++i) {
    std::string string;
    for (std::size_t j = random() % (longest + 1); j > 0; --j) {
      string += letters[random() % letters.size()];
    }
    column.append(string);
  }
  return column;
}

const std::vector<Predicate>& predicates() {
  static const std::vector<Predicate> all = {
      contains("ab"),
      regex_match("(a|b)*c?"),
      all_of({contains("aa"), negation_of(contains("cb"))}),
      regex_match("[abc]{3,9}"),
      equals(""),
      any_of({}),
      all_of({}),
      negation_of(regex_search("c$")),
  };
  return all;
}

TEST(RegexScan, SelectsRowsOfAnyLength) {
  for (const std::size_t rows : {0u, 1u, 7u, 15u, 16u, 31u, 32u, 33u, 64u, 300u, 9000u}) {
    const StringColumn column = random_column(rows, 11, "abc", static_cast<unsigned>(rows));
    for (const Predicate& predicate : predicates()) {
      const Dfa dfa = dfa_of(predicate);
      const auto wanted = wanted_rows(dfa, column.view());
      for (const std::size_t misaligned : {0u, 1u, 3u}) {
        const ExactBytes bytes({column.view().bytes, column.view().size_bytes()}, misaligned);
        StringColumnView view = column.view();
        view.bytes = bytes.at;
        for (const auto& options : all_options()) {
          expect_rows(dfa, view, std::nullopt, wanted, options);
        }
        if (rows > 300) break;
      }
    }
  }
}

TEST(RegexScan, SelectsPaddedRowsOfEveryWidth) {
  for (std::uint32_t width = 1; width <= 40; ++width) {
    const StringColumn column = random_column(150, width, "abc", width);
    for (const Predicate& predicate : predicates()) {
      const Dfa dfa = dfa_of(predicate);
      const auto wanted = wanted_rows(dfa, column.view());
      for (const bool multiple_of_4 : {false, true}) {
        const auto padded =
            PaddedColumn::make(column.view(), {.width = width, .multiple_of_4 = multiple_of_4});
        ASSERT_TRUE(padded.ok());
        PaddedColumnView view = padded->view();
        const ExactBytes bytes({view.bytes, view.rows * view.width}, width % 4);
        view.bytes = bytes.at;
        for (const auto& options : all_options()) {
          expect_rows(dfa, view, view.pad, wanted, options);
        }
      }
    }
  }
}

TEST(RegexScan, AgreesOnTheCommonCases) {
  for (const auto& test : string_test::string_cases()) {
    StringColumn column;
    for (int i = 0; i < 40; ++i) column.append(i % 3 == 0 ? test.text : "");
    const Dfa dfa = dfa_of(contains_in_order(test.substrings));
    const auto wanted = wanted_rows(dfa, column.view());
    EXPECT_EQ(dfa.accepts(as_bytes(test.text)), test.matches) << test.text;
    for (const auto& options : all_options()) {
      expect_rows(dfa, column.view(), std::nullopt, wanted, options);
    }
  }
}

TEST(RegexScan, ReadsAllBytesAsUnsigned) {
  const Dfa dfa = dfa_of(regex_match("(?-u)[\\x80-\\xFF]+\\x00[\\x00-\\x7F]*"));
  std::mt19937 random(9);
  StringColumn column;
  for (int i = 0; i < 500; ++i) {
    std::string string;
    for (auto j = random() % 5; j > 0; --j) string += static_cast<char>(128 + random() % 128);
    if (random() % 2 == 0) string += '\0';
    for (auto j = random() % 5; j > 0; --j) string += static_cast<char>(random() % 130);
    column.append(string);
  }
  const auto wanted = wanted_rows(dfa, column.view());
  EXPECT_GT(wanted.size(), 50u);
  EXPECT_LT(wanted.size(), 400u);
  for (const auto& options : all_options()) {
    expect_rows(dfa, column.view(), std::nullopt, wanted, options);
  }
}

TEST(RegexScan, TakesUpTo254StatesInOneByte) {
  for (const std::uint32_t states : {127u, 128u, 129u, 200u, 254u, 255u, 256u}) {
    // a{n}: n + 1 states and the reject sink; reading to the last state takes n bytes.
    const auto n = static_cast<std::size_t>(states) - 2;
    const Dfa dfa = dfa_of(regex_match("a{" + std::to_string(n) + "}"));
    ASSERT_EQ(dfa.states, states);
    const auto narrow = DfaTable8::make(dfa);
    if (states > 255) {
      ASSERT_FALSE(narrow.ok());
      EXPECT_EQ(narrow.error().code, ErrorCode::kInvalidArgument);
      continue;
    }
    StringColumn column;
    for (std::size_t i = 0; i < 100; ++i) column.append(std::string(n - 50 + i, 'a'));
    for (const auto& options : all_options()) {
      expect_rows(dfa, column.view(), std::nullopt, {50}, options);
    }
  }
}

TEST(RegexScan, CutsColumnsIntoStretches) {
  const StringColumn column = random_column(2000, 30, "abc", 1);
  const auto padded = PaddedColumn::make(column.view());
  ASSERT_TRUE(padded.ok());
  const Dfa dfa = dfa_of(contains("abca"));
  const auto wanted = wanted_rows(dfa, column.view());
  for (const std::uint64_t bytes : {9u, 20u, 50u, 1000u, 4099u}) {
    for (SelectOptions options : all_options()) {
      options.chunk_bytes = bytes;
      expect_rows(dfa, column.view(), std::nullopt, wanted, options);
      expect_rows(dfa, padded->view(), Byte{0}, wanted, options);
    }
  }
}

/// Pages that are never written cost no memory; strings that fail at once are hardly read.
TEST(RegexScan, ReachesBehindTwoGibibytes) {
  constexpr std::uint64_t kWidth = 16'384;
  constexpr std::uint64_t kRows = 160'000;
  static_assert(kWidth * kRows > std::uint64_t{1} << 31);
  void* const memory = mmap(nullptr, kWidth * kRows, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const bytes = static_cast<Byte*>(memory);
  const std::vector<std::uint32_t> wanted = {7, 131'071, 131'072, 159'999};
  for (const std::uint32_t row : wanted) bytes[row * kWidth] = 'x';
  std::vector<std::uint64_t> offsets(kRows + 1);
  for (std::uint64_t i = 0; i <= kRows; ++i) offsets[i] = i * kWidth;
  const Dfa dfa = dfa_of(regex_search("^x"));
  const StringColumnView column{bytes, offsets.data(), kRows};
  const PaddedColumnView padded{bytes, kRows, kWidth, 'p'};
  for (const auto& options : all_options()) {
    expect_rows(dfa, column, std::nullopt, wanted, options);
    expect_rows(dfa, padded, Byte{'p'}, wanted, options);
  }
  munmap(memory, kWidth * kRows);
}

TEST(RegexScan, RefusesWhatDoesNotFit) {
  StringColumn column;
  column.append("a");
  const auto padded = PaddedColumn::make(column.view(), {.pad = 'p'});
  const Dfa dfa = dfa_of(contains("a"));
  const auto plain = DfaTable32::make(dfa);
  const auto with_pad = DfaTable32::make(dfa, Byte{'p'});
  std::vector<std::uint32_t> ids(1 + kRowIdSlack);
  const auto code = [](const Result<std::size_t>& result) {
    return result.ok() ? ErrorCode::kOk : result.error().code;
  };
  EXPECT_EQ(code(select_rows(plain->view(), column.view(), {}, ids)), ErrorCode::kOk);
  EXPECT_EQ(code(select_rows(plain->view(), padded->view(), {}, ids)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(select_rows(with_pad->view(), column.view(), {}, ids)),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(select_rows(with_pad->view(), padded->view(), {}, ids)), ErrorCode::kOk);
  ids.pop_back();
  EXPECT_EQ(code(select_rows(plain->view(), column.view(), {}, ids)), ErrorCode::kInvalidArgument);
  ids.resize(100);
  SelectOptions options;
  options.unroll = 3;
  EXPECT_EQ(code(select_rows(plain->view(), column.view(), options, ids)),
            ErrorCode::kInvalidArgument);
}

TEST(RegexScan, FindsUrls) {
  const Dfa dfa = dfa_of(regex_match(corpora::url_pattern()));
  EXPECT_EQ(dfa.states, 91u);
  corpora::Random random(11);
  StringColumn column;
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const bool whole = random.one_in(4);
    if (whole) wanted.push_back(i);
    const std::size_t length = 24 + random.below(40);
    column.append(whole ? corpora::url(random, length)
                        : corpora::broken_url(random, length, random.below(24)));
  }
  for (const auto& options : all_options()) {
    expect_rows(dfa, column.view(), std::nullopt, wanted, options);
  }
}

}  // namespace
}  // namespace presso::strings::regex_scan_test
