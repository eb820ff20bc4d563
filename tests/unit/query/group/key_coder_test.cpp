// SPDX-License-Identifier: MIT
// Codes of keys: equal where the keys are, different where they are not, and they lead back to
// them.
#include "query/group/key_coder.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>

namespace presso::query::grouping::key_coder_test {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
using Form = KeyCoder::Form;

KeySpec range(std::int64_t least, std::int64_t most, bool nullable = false) {
  return {Physical::kInt64, least, most, nullable};
}
KeySpec of(Physical physical, bool nullable = false) {
  return {physical, 0, -1, nullable};
}

TEST(KeyCoder, PacksIntoAsFewWordsAsRangesAllow) {
  const auto form = [](std::vector<KeySpec> keys) { return KeyCoder(std::move(keys)).form(); };
  EXPECT_EQ(form({}), Form::kWord);
  EXPECT_EQ(form({of(Physical::kInt64)}), Form::kWord);
  EXPECT_EQ(form({of(Physical::kInt64, true)}), Form::kPair);
  EXPECT_EQ(form({of(Physical::kDouble, true)}), Form::kWord);
  EXPECT_EQ(form({of(Physical::kBool, true), range(0, 1'000'000), range(5, 5)}), Form::kWord);
  EXPECT_EQ(form({of(Physical::kInt64), of(Physical::kDouble)}), Form::kPair);
  EXPECT_EQ(form({of(Physical::kInt64), of(Physical::kBool), of(Physical::kInt64)}), Form::kBytes);
  EXPECT_EQ(form({range(0, 0xFFFFFFFF), range(0, 0xFFFFFFFF)}), Form::kWord);
  EXPECT_EQ(form({range(0, 0xFFFFFFFF), range(0, 0x100000000)}), Form::kPair);
  EXPECT_EQ(form({of(Physical::kString)}), Form::kBytes);
  EXPECT_EQ(form({of(Physical::kInt128)}), Form::kBytes);
}

TEST(KeyCoder, KnowsHowManyCodesThereAre) {
  EXPECT_TRUE(KeyCoder({}).range() == 1);
  EXPECT_TRUE(KeyCoder({range(3, 3)}).range() == 1);
  EXPECT_TRUE(KeyCoder({range(3, 3, true)}).range() == 2);
  EXPECT_TRUE(KeyCoder({range(-1, 3), of(Physical::kBool, true)}).range() == 15);
  EXPECT_TRUE(KeyCoder({range(kLeast, kMost)}).range() == Uint128{1} << 64);
}

/// Keys of up to 64 rows, column by column.
struct Rows {
  std::vector<VectorView> views;
  std::vector<std::unique_ptr<std::uint64_t>> bitmaps;
  std::uint32_t count = 0;

  template <class T>
  void add(Physical physical, const std::vector<T>& values, std::uint64_t nulls = 0) {
    count = static_cast<std::uint32_t>(values.size());
    bitmaps.push_back(std::make_unique<std::uint64_t>(~nulls));
    views.push_back({physical, values.data(), nulls == 0 ? nullptr : bitmaps.back().get()});
  }
};

template <class Key>
bool are_equal(const Key& a, const Key& b) {
  return a == b;
}

/// Encodes, and decodes each column again: values as text, or "null".
template <class Key>
std::vector<std::vector<std::string>> there_and_back(const std::vector<KeySpec>& specs,
                                                     const Rows& rows) {
  const KeyCoder coder(specs);
  const auto codes = std::make_unique<KeyCodes>();
  coder.encode(rows.views, rows.count, *codes);
  const Key* keys = codes->keys(Key{});
  std::vector<std::uint64_t> to(rows.count);
  for (std::uint32_t i = 0; i < rows.count; ++i) to[i] = rows.count - 1 - i;
  std::vector<std::vector<std::string>> columns;
  for (std::size_t column = 0; column < specs.size(); ++column) {
    const std::size_t width = physical_bytes(specs[column].physical);
    std::vector<Byte> values(width * rows.count);
    std::vector<std::string> texts(rows.count, "?");
    coder.decode(column, keys, to.data(), rows.count, values.data(),
                 [&](std::uint64_t row) { texts[rows.count - 1 - row] = "null"; });
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (texts[i] == "null") continue;
      const Byte* at = values.data() + width * to[i];
      if (specs[column].physical == Physical::kString) {
        const auto ref = load<StringRef>(at);
        texts[i] = std::string(reinterpret_cast<const char*>(ref.data), ref.size);
      } else if (width == 1) {
        texts[i] = std::to_string(*at);
      } else {
        texts[i] = std::to_string(load<std::int64_t>(at));
      }
    }
    columns.push_back(std::move(texts));
  }
  return columns;
}

using Texts = std::vector<std::string>;

TEST(KeyCoder, LeadsBackToPackedKeys) {
  const std::vector<std::int64_t> a = {-5, 7, 0, 3}, constant = {9, 9, 9, 9};
  const std::vector<Byte> b = {1, 0, 1, 1};
  Rows rows;
  rows.add(Physical::kInt64, a, 0b0100);
  rows.add(Physical::kInt64, constant);
  rows.add(Physical::kBool, b, 0b1000);
  rows.add(Physical::kInt64, a);
  const std::vector<KeySpec> specs = {range(-5, 7, true), range(9, 9), of(Physical::kBool, true),
                                      range(-100, 100)};
  const auto columns = there_and_back<std::uint64_t>(specs, rows);
  EXPECT_EQ(columns[0], (Texts{"-5", "7", "null", "3"}));
  EXPECT_EQ(columns[1], (Texts{"9", "9", "9", "9"}));
  EXPECT_EQ(columns[2], (Texts{"1", "0", "1", "null"}));
  EXPECT_EQ(columns[3], (Texts{"-5", "7", "0", "3"}));
}

TEST(KeyCoder, LeadsBackToIntegersOfAnySize) {
  const std::vector<std::int64_t> a = {kLeast, kMost, 0, -1};
  Rows rows;
  rows.add(Physical::kInt64, a);
  EXPECT_EQ(there_and_back<std::uint64_t>({of(Physical::kInt64)}, rows)[0],
            (Texts{std::to_string(kLeast), std::to_string(kMost), "0", "-1"}));
  rows.add(Physical::kInt64, a, 0b0010);
  const auto columns =
      there_and_back<WordPair>({of(Physical::kInt64), range(kLeast, kMost - 1, true)}, rows);
  EXPECT_EQ(columns[1], (Texts{std::to_string(kLeast), "null", "0", "-1"}));
  EXPECT_EQ(there_and_back<WordPair>({of(Physical::kInt64, true)}, rows)[0],
            (Texts{std::to_string(kLeast), std::to_string(kMost), "0", "-1"}));
}

TEST(KeyCoder, LeadsBackToBytes) {
  const std::string texts[] = {"ab", "", "c"};
  std::vector<StringRef> refs, turned;
  for (const std::string& text : texts) {
    refs.push_back({reinterpret_cast<const Byte*>(text.data()), text.size()});
    turned.insert(turned.begin(), refs.back());
  }
  const std::vector<std::int64_t> a = {kLeast, kMost, 0};
  Rows rows;
  rows.add(Physical::kString, refs, 0b010);
  rows.add(Physical::kInt64, a, 0b001);
  rows.add(Physical::kString, turned);
  const auto columns = there_and_back<StringRef>(
      {of(Physical::kString, true), of(Physical::kInt64, true), of(Physical::kString)}, rows);
  EXPECT_EQ(columns[0], (Texts{"ab", "null", "c"}));
  EXPECT_EQ(columns[1], (Texts{"null", std::to_string(kMost), "0"}));
  EXPECT_EQ(columns[2], (Texts{"c", "", "ab"}));
}

TEST(KeyCoder, TellsNullsFromEmptyTextsAndTextsFromEachOther) {
  const std::string text = "abc";
  const auto* at = reinterpret_cast<const Byte*>(text.data());
  // ("ab", "c"), ("a", "bc"), ("", ""), (null, ""), ("", null)
  const std::vector<StringRef> first = {{at, 2}, {at, 1}, {}, {}, {}};
  const std::vector<StringRef> second = {{at + 2, 1}, {at + 1, 2}, {}, {}, {}};
  Rows rows;
  rows.add(Physical::kString, first, 0b01000);
  rows.add(Physical::kString, second, 0b10000);
  const KeyCoder coder({of(Physical::kString, true), of(Physical::kString, true)});
  const auto codes = std::make_unique<KeyCodes>();
  coder.encode(rows.views, rows.count, *codes);
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    for (std::uint32_t j = 0; j < rows.count; ++j) {
      EXPECT_EQ(codes->strings[i] == codes->strings[j], i == j) << i << j;
    }
  }
}

TEST(KeyCoder, TakesNansForEqualAndZerosToo) {
  const std::vector<double> values = {
      std::nan("1"), -std::nan("5"), 0.0, -0.0, 1.0, std::bit_cast<double>(0x7FF8000000000001u)};
  Rows rows;
  rows.add(Physical::kDouble, values, 0b010000);
  const auto codes = std::make_unique<KeyCodes>();
  KeyCoder({of(Physical::kDouble, true)}).encode(rows.views, rows.count, *codes);
  EXPECT_EQ(codes->words[0], codes->words[1]);
  EXPECT_EQ(codes->words[0], codes->words[5]);
  EXPECT_EQ(codes->words[2], codes->words[3]);
  EXPECT_NE(codes->words[0], codes->words[2]);
  EXPECT_NE(codes->words[4], codes->words[0]);
  const auto texts = there_and_back<std::uint64_t>({of(Physical::kDouble, true)}, rows)[0];
  EXPECT_EQ(texts[4], "null");
  EXPECT_EQ(texts[3], "0");
  EXPECT_NE(texts[5], "null");
}

}  // namespace
}  // namespace presso::query::grouping::key_coder_test
