// SPDX-License-Identifier: MIT
// Entries sorted by digits beside std::stable_sort: every number of differing bits, in every place.
#include "query/order/entry_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "corpora/random.h"

namespace presso::query::entry_sort_test {
namespace {

using Entries = std::vector<SortEntry>;

Entries make_entries(std::size_t count, const std::function<std::uint64_t()>& word) {
  Entries entries;
  for (std::uint32_t i = 0; i < count; ++i) entries.push_back({word(), i % 7, i});
  return entries;
}

void expect_sorted(Entries entries) {
  Entries expected = entries;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const SortEntry& a, const SortEntry& b) { return a.word < b.word; });
  Entries scratch(entries.size());
  sort_entries(entries, scratch, nullptr);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_EQ(entries[i].word, expected[i].word) << i;
    ASSERT_EQ(entries[i].row, expected[i].row) << i;
    ASSERT_EQ(entries[i].source, expected[i].source) << i;
  }
}

TEST(EntrySort, SortsWordsWhateverBitsDiffer) {
  corpora::Random random(1);
  for (const std::size_t count : {0u, 1u, 2u, 24u, 25u, 1000u, 40000u, 100000u}) {
    for (unsigned bits = 1; bits <= 64; bits += count > 1000 ? 9 : 3) {
      for (unsigned shift = 0; shift + bits <= 64; shift += 11) {
        const std::uint64_t mask = (~std::uint64_t{0} >> (64 - bits)) << shift;
        const std::uint64_t others = random.next() & ~mask;
        expect_sorted(make_entries(count, [&] { return (random.next() & mask) | others; }));
      }
    }
  }
}

TEST(EntrySort, SortsSkewedWords) {
  corpora::Random random(2);
  for (const std::size_t count : {100u, 50000u, 150000u}) {
    // Nearly all equal but for one far away; most in one narrow range; few values far apart.
    expect_sorted(make_entries(count, [&] { return random.one_in(1000) ? random.next() : 5; }));
    expect_sorted(make_entries(
        count, [&] { return random.one_in(50) ? random.next() : random.below(100000); }));
    expect_sorted(make_entries(count, [&] { return std::uint64_t{1} << random.below(64); }));
    std::uint64_t next = 0;
    expect_sorted(make_entries(count, [&] { return ++next; }));
    expect_sorted(make_entries(count, [&] { return --next; }));
  }
}

/// Keys of strings, whose words follow each other.
void expect_strings_sorted(const std::vector<std::string>& texts) {
  std::vector<StringRef> refs;
  for (const std::string& text : texts) {
    refs.push_back({reinterpret_cast<const Byte*>(text.data()), text.size()});
  }
  const VectorView view{Physical::kString, refs.data(), nullptr};
  const Physical physical[] = {Physical::kString};
  const auto count = static_cast<std::uint32_t>(texts.size());
  RowKeys keys;
  KeyCoding(physical, {{0, false}}).make({&view, 1}, count, keys);
  Entries entries;
  for (std::uint32_t i = 0; i < count; ++i) entries.push_back({keys.word(i), 0, i});
  Entries scratch(count);
  sort_entries(entries, scratch, &keys);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < count; ++i) expected.push_back(i);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return texts[a] < texts[b]; });
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_EQ(entries[i].row, expected[i]) << i;
    ASSERT_EQ(entries[i].word, keys.word(expected[i])) << "the first word is there again";
  }
}

TEST(EntrySort, SortsStringsByTheWordsThatTellThemApart) {
  corpora::Random random(3);
  for (const std::uint32_t common : {0u, 5u, 64u, 2000u}) {
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i) {
      std::string text(common + random.below(3) * random.below(20), 'c');
      for (std::uint32_t k = random.below(12); k > 0; --k) {
        text += static_cast<char>(random.below(3));
      }
      texts.push_back(text);
    }
    expect_strings_sorted(texts);
  }
}

TEST(EntrySort, SortsStringsThatAreBeginsOfEachOther) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 2000; ++i) texts.push_back(std::string(i * 7 % 2000, 'a'));
  for (std::size_t i = 0; i < 100; ++i) texts.push_back(std::string(i * 7 % 100, '\0'));
  expect_strings_sorted(texts);
}

}  // namespace
}  // namespace presso::query::entry_sort_test
