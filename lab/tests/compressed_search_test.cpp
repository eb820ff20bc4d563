// SPDX-License-Identifier: MIT
// Counting a string in compressed blocks against decoding and counting, block by block.
#include "lab/compressed_search/compressed_search.h"

#include <gtest/gtest.h>

#include <random>

#include "corpora/string_data.h"
#include "presso/compress.h"

namespace presso::strings::compressed_search_test {
namespace {

std::uint64_t count_in(const std::string& text, const std::string& string) {
  std::uint64_t count = 0;
  for (std::size_t at = text.find(string); at != std::string::npos;
       at = text.find(string, at + 1)) {
    ++count;
  }
  return count;
}

std::vector<Byte> compressed(const std::string& text, const CompressOptions& options) {
  auto made = compress_buffer({reinterpret_cast<const Byte*>(text.data()), text.size()}, options);
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

template <class Look>
void for_each_block(const std::vector<Byte>& file, const Look& look) {
  MemorySource source(file);
  BlockStream stream(source, {});
  for (;;) {
    auto item = stream.next();
    ASSERT_TRUE(item.ok()) << item.error().message();
    if (!*item) return;
    look((*item)->block, (*item)->dictionary.get());
  }
}

std::string plain_of(const StoredBlock& block, const Dictionary* dictionary) {
  std::string plain(block.header.plain_bytes, 0);
  EXPECT_TRUE(reference_decode_block(block.header, block.payload.data(), dictionary, true,
                                     reinterpret_cast<Byte*>(plain.data()))
                  .ok());
  return plain;
}

/// Comments, runs and noise: matches near, far and overlapping themselves.
std::string mixed_text(std::size_t size, unsigned seed) {
  corpora::Random random(seed);
  std::string text;
  while (text.size() < size) {
    switch (random.below(8)) {
      case 0: {
        const std::string period = corpora::comment(random, 1 + random.below(9), {});
        text += corpora::repeated(period, random.below(3000));
        break;
      }
      case 1:
        for (int i = 0; i < 20; ++i) text += static_cast<char>(random.below(256));
        break;
      default:
        text += corpora::comment(random, 20 + random.below(60), {}) + "\n";
    }
  }
  text.resize(size);
  return text;
}

std::vector<std::string> strings_for(const std::string& text) {
  std::vector<std::string> strings = {"e",        "requests",           "carefully ", "the", "aa",
                                      "abababab", std::string(1, '\0'), "Q~Q",        "\n"};
  std::mt19937 random(6);
  for (const std::size_t size : {1u, 2u, 3u, 5u, 8u, 16u, 40u, 300u}) {
    for (int i = 0; i < 3; ++i)
      strings.push_back(text.substr(random() % (text.size() - 300), size));
  }
  return strings;
}

CompressOptions options_of(int level, DictionaryChoice::Mode dictionary) {
  CompressOptions options;
  options.level = level;
  options.coding = Coding::kByte;
  options.block_bytes = kMinBlockBytes;
  options.threads = 1;
  options.dictionary.mode = dictionary;
  options.dictionary.bytes = 4096;
  return options;
}

TEST(CompressedSearch, CountsWhatDecodingCounts) {
  const std::string text = mixed_text(60'000, 1);
  std::uint64_t counted = 0;
  bool with_dictionary = false;
  for (const int level : {1, 6, 12}) {
    for (const auto mode : {DictionaryChoice::Mode::kNone, DictionaryChoice::Mode::kSize}) {
      for_each_block(compressed(text, options_of(level, mode)), [&](const StoredBlock& block,
                                                                    const Dictionary* dictionary) {
        with_dictionary |= block.header.dictionary_id != 0;
        const std::string plain = plain_of(block, dictionary);
        for (const std::string& string : strings_for(text)) {
          const auto found = count_in_block(block.header, block.payload.data(), dictionary, string);
          ASSERT_TRUE(found.ok());
          ASSERT_EQ(found->occurrences, count_in(plain, string)) << string;
          ASSERT_LE(found->bytes_decoded, plain.size());
          counted += found->occurrences;
        }
      });
    }
  }
  EXPECT_TRUE(with_dictionary);
  EXPECT_GT(counted, 10'000u);
}

TEST(CompressedSearch, DecodesLittleOfLongMatchesAndNothingOfStrangers) {
  const std::string unit = mixed_text(3'000, 2);
  const std::string text = corpora::repeated(unit, kMinBlockBytes);
  for_each_block(compressed(text, options_of(6, DictionaryChoice::Mode::kNone)),
                 [&](const StoredBlock& block, const Dictionary* dictionary) {
                   const std::string string = unit.substr(1'000, 12);
                   const auto found =
                       count_in_block(block.header, block.payload.data(), dictionary, string);
                   ASSERT_TRUE(found.ok());
                   EXPECT_EQ(found->occurrences, count_in(text, string));
                   EXPECT_GE(found->occurrences, 3u);
                   EXPECT_LT(found->bytes_decoded, text.size() / 2);
                 });
  const std::string letters = corpora::repeated("only letters ", kMinBlockBytes);
  for_each_block(compressed(letters, options_of(6, DictionaryChoice::Mode::kNone)),
                 [&](const StoredBlock& block, const Dictionary* dictionary) {
                   const auto found =
                       count_in_block(block.header, block.payload.data(), dictionary, "le2");
                   ASSERT_TRUE(found.ok());
                   EXPECT_EQ(found->occurrences, 0u);
                   EXPECT_EQ(found->bytes_decoded, 0u);
                 });
}

TEST(CompressedSearch, SurvivesDamage) {
  const std::string text = mixed_text(kMinBlockBytes, 3);
  std::mt19937 random(8);
  int errors = 0;
  for_each_block(compressed(text, options_of(6, DictionaryChoice::Mode::kNone)),
                 [&](const StoredBlock& block, const Dictionary* dictionary) {
                   for (int round = 0; round < 2'000; ++round) {
                     std::vector<Byte> payload(block.payload.data(),
                                               block.payload.data() + block.header.payload_bytes);
                     for (int i = 0; i < 3; ++i) {
                       payload[random() % payload.size()] ^= static_cast<Byte>(1 + random() % 255);
                     }
                     const auto found =
                         count_in_block(block.header, payload.data(), dictionary, "the");
                     std::vector<Byte> out(block.header.plain_bytes);
                     payload.resize(payload.size() + Buffer::kSlack);
                     const Status decoded = reference_decode_block(block.header, payload.data(),
                                                                   dictionary, false, out.data());
                     const bool rule_only =
                         !decoded.ok() && decoded.error().code == ErrorCode::kDependencyRule;
                     if (!rule_only) {
                       ASSERT_EQ(found.ok(), decoded.ok());
                     }
                     if (!found.ok() && !rule_only) {
                       ASSERT_EQ(found.error().code, decoded.error().code);
                     }
                     if (found.ok() && decoded.ok()) {
                       const std::string plain(out.begin(), out.end());
                       ASSERT_EQ(found->occurrences, count_in(plain, "the"));
                     }
                     errors += !found.ok();
                   }
                 });
  EXPECT_GT(errors, 100);
}

TEST(CompressedSearch, RefusesWhatItCannotRead) {
  CompressOptions options = options_of(6, DictionaryChoice::Mode::kNone);
  options.coding = Coding::kBit;
  for_each_block(
      compressed(mixed_text(kMinBlockBytes, 4), options),
      [&](const StoredBlock& block, const Dictionary* dictionary) {
        ASSERT_EQ(block.header.coding, Coding::kBit);
        const auto bit = count_in_block(block.header, block.payload.data(), dictionary, "a");
        ASSERT_FALSE(bit.ok());
        EXPECT_EQ(bit.error().code, ErrorCode::kUnsupported);
        const auto empty = count_in_block(block.header, block.payload.data(), dictionary, "");
        ASSERT_FALSE(empty.ok());
        EXPECT_EQ(empty.error().code, ErrorCode::kInvalidArgument);
      });
}

}  // namespace
}  // namespace presso::strings::compressed_search_test
