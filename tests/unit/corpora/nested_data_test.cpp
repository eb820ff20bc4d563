// SPDX-License-Identifier: MIT
// The generator of nested data promises a depth. Here it is found from the bytes that each match
// reads; and the files it writes are ordinary ones.
#include "corpora/nested_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "presso/checksum.h"
#include "presso/decompress.h"

namespace presso::corpora::nested_data_test {
namespace {

constexpr std::uint32_t kStrings[] = {1, 2, 4, 8, 16, 32};

std::vector<Byte> content(const NestedData& data, std::uint64_t offset, std::size_t bytes) {
  std::vector<Byte> plain(bytes);
  data.render(offset, plain);
  return plain;
}

TEST(NestedData, IsTheSameOnEveryMachine) {
  std::vector<Byte> all;
  for (const std::uint32_t strings : kStrings) {
    const std::vector<Byte> plain = content(NestedData(strings), 0, 100000);
    all.insert(all.end(), plain.begin(), plain.end());
  }
  EXPECT_EQ(checksum64(all), 0xee39f28e67b5998du);
}

TEST(NestedData, IsRenderedInAnyPieces) {
  const NestedData data(4);
  const std::vector<Byte> whole = content(data, 0, 5000);
  for (const std::size_t offset : {0, 1, 16, 17, 1000, 4999}) {
    const std::vector<Byte> part = content(data, offset, 5000 - offset);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + offset)) << offset;
  }
}

/// The longest chain of matches in each group: a byte has the depth of the match that wrote it in
/// the same group, else 0; a match is one deeper than what it reads.
std::vector<std::uint32_t> group_depths(const std::vector<Byte>& plain,
                                        const Sequences& sequences) {
  std::vector<std::uint32_t> depths, of_byte(plain.size());
  std::size_t at = 0, group_start = 0;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (i % NestedData::kGroup == 0) {
      depths.push_back(0);
      group_start = at;
    }
    at += sequences[i].literals;
    std::uint32_t depth = 0;
    for (std::size_t from = at - sequences[i].distance; from < at; ++from) {
      const bool read = from < at - sequences[i].distance + sequences[i].match;
      if (read && from >= group_start) depth = std::max(depth, of_byte[from]);
    }
    for (std::uint32_t k = 0; k < sequences[i].match; ++k, ++at) {
      EXPECT_EQ(plain[at], plain[at - sequences[i].distance]);
      of_byte[at] = depth + 1;
    }
    depths.back() = std::max(depths.back(), depth + 1);
  }
  return depths;
}

TEST(NestedData, HasGroupsOfExactlyTheDepth) {
  for (const std::uint32_t strings : kStrings) {
    const NestedData data(strings);
    EXPECT_EQ(data.depth(), 32 / strings);
    for (const std::uint64_t offset : {0u, 16384u, 3000001u}) {
      const std::vector<Byte> plain = content(data, offset, 16384);
      const Sequences sequences = data.sequences(offset, 16384);
      const auto depths = group_depths(plain, sequences);
      EXPECT_GE(depths.size(), 16384 / NestedData::kRecordBytes / 32 - 2);
      EXPECT_EQ(sequences.size(), 32 * depths.size());
      EXPECT_EQ(depths, std::vector<std::uint32_t>(depths.size(), data.depth())) << strings;
    }
  }
}

TEST(NestedData, HasNoSequencesWhereNoGroupFits) {
  const NestedData data(32);
  EXPECT_TRUE(data.sequences(0, 1).empty());
  EXPECT_TRUE(data.sequences(5, 64 * 17).empty());
  EXPECT_EQ(data.sequences(0, 64 * 17).size(), 32u);
}

/// The longest match at `at` within the window, nearest first.
Sequence best_match(const std::vector<Byte>& plain, std::size_t at, std::uint32_t window) {
  Sequence best;
  for (std::uint32_t distance = 1; distance <= window; ++distance) {
    std::uint32_t length = 0;
    while (at + length < plain.size() && plain[at + length - distance] == plain[at + length]) {
      ++length;
    }
    if (length > best.match) best = {0, length, distance};
  }
  return best;
}

/// Within a short window nothing matches as long as the repetition before, and nothing at all where
/// literals are meant: an encoder finds the intended sequences.
TEST(NestedData, LeavesEncodersNoChoice) {
  for (const std::uint32_t strings : kStrings) {
    const NestedData data(strings);
    const std::uint32_t window = strings == 1 ? 4096 : 8192;
    const std::vector<Byte> plain = content(data, 0, window + 2000);
    std::size_t at = 0;
    for (const Sequence& sequence : data.sequences(0, window + 2000)) {
      const std::size_t match = at + sequence.literals;
      for (; at < match; ++at) {
        if (at >= window) {
          EXPECT_LT(best_match(plain, at, window).match, 4u) << strings << " at " << at;
        }
      }
      if (at >= window) {
        const Sequence best = best_match(plain, at, window);
        EXPECT_EQ(best.match, sequence.match) << strings << " at " << at;
        EXPECT_EQ(best.distance, sequence.distance) << strings << " at " << at;
      }
      at += sequence.match;
    }
    EXPECT_GT(at, window + 1000);
  }
}

class NestedFiles : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(All, NestedFiles, ::testing::ValuesIn(kStrings));

TEST_P(NestedFiles, DecodeToTheContent) {
  const NestedData data(GetParam());
  for (const std::size_t bytes : {0, 1, 600, 16384, 20001, 70000}) {
    for (const std::uint32_t block_bytes : {16384u, 20000u, kMaxBlockBytes}) {
      std::vector<Byte> file;
      VectorSink sink(file);
      ASSERT_TRUE(write_nested_file(data, bytes, block_bytes, sink).ok());
      const auto plain = decompress_buffer(file);
      ASSERT_TRUE(plain.ok()) << plain.error().message();
      EXPECT_TRUE(*plain == content(data, 0, bytes)) << bytes << " in blocks of " << block_bytes;
      if (bytes >= 16384) {
        EXPECT_LT(file.size(), bytes / 2) << "matches are stored as matches";
      }
    }
  }
}

}  // namespace
}  // namespace presso::corpora::nested_data_test
