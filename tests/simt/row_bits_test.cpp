// SPDX-License-Identifier: MIT
// Bits of rows come from blocks to slices, or back, whatever ends where, and nothing else is
// written.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "corpora/random.h"
#include "decompress/gpu/simt/emulator/emulator.h"
#include "query/gpu/kernels/row_bits.cuh"

namespace presso::gpu::row_bits_test {
namespace {

constexpr u32 kPoison = 0xC5C5C5C5u;
constexpr u32 kSliceWords = kSliceVectors * kVectorSteps;

/// A row group's bits in blocks of up to `most_rows` rows, in words of exactly their size, behind
/// whose rows are ones.
struct Blocks {
  std::vector<bool> rows;
  std::vector<std::vector<u32>> words;
  std::vector<BitSource> sources;

  Blocks(u32 count, u32 most_rows, corpora::Random& random) {
    for (u32 row = 0; row < count; ++row) rows.push_back(random.below(3) == 0);
    for (u32 first = 0; first < count;) {
      const u32 size = std::min(1 + random.below(most_rows), count - first);
      std::vector<u32> bits((size + kWordBits - 1) / kWordBits, simt::kFullMask);
      for (u32 i = 0; i < size; ++i) {
        if (!rows[first + i]) bits[i / kWordBits] &= ~(1u << i % kWordBits);
      }
      words.push_back(std::move(bits));
      sources.push_back({nullptr, first, size, 0, 0});
      first += size;
    }
    for (std::size_t i = 0; i < sources.size(); ++i) sources[i].bits = words[i].data();
  }
  BitSlice slice(u32 first, u32 count) const {
    BitSlice of{0, 0, first, count};
    while (sources[of.first_source].first_row + sources[of.first_source].rows <= first) {
      ++of.first_source;
    }
    of.end_source = of.first_source;
    while (of.end_source < sources.size() && sources[of.end_source].first_row < first + count) {
      ++of.end_source;
    }
    return of;
  }
};

void expect_slice(const u32* found, const BitSlice& slice, const Blocks& blocks, bool negated) {
  const bool has_rows = slice.first_source < slice.end_source;
  const u32 words = vectors_of(slice.rows) * kVectorSteps;
  for (u32 word = 0; word < kSliceWords; ++word) {
    u32 expected = word < words ? 0 : kPoison;
    for (u32 bit = 0; word < words && bit < kWordBits; ++bit) {
      const u32 row = word * kWordBits + bit;
      if (has_rows && row < slice.rows && blocks.rows[slice.first_row + row] != negated) {
        expected |= 1u << bit;
      }
    }
    ASSERT_EQ(found[word], expected) << "rows " << slice.rows << ", word " << word;
  }
}

TEST(RowBits, ComeFromBlocksOfAnySize) {
  corpora::Random random(5);
  std::uint32_t seed = 0;
  for (const u32 most_rows : {1u, 7u, 33u, 1500u, 70000u}) {
    for (const u32 rows : {1u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 5000u}) {
      const u32 first = random.below(3000);
      const Blocks blocks(first + rows + random.below(100), most_rows, random);
      const BitSlice slices[] = {blocks.slice(first, rows), {0, 0, 0, rows}, blocks.slice(0, 1)};
      for (const bool negated : {false, true}) {
        std::vector<u32> found(3 * kSliceWords, kPoison);
        const RowBits of{blocks.sources.data(), slices, 3, 0, negated, found.data(), nullptr};
        simt::Options options;
        options.seed = ++seed;
        const simt::Report report =
            simt::run({3, 2 * kWarpSize, 0}, options, [&] { place_bits_body(of); });
        ASSERT_TRUE(report.ok()) << report.what;
        for (u32 i = 0; i < 3; ++i) {
          ASSERT_NO_FATAL_FAILURE(
              expect_slice(found.data() + i * kSliceWords, slices[i], blocks, negated));
        }
      }
    }
  }
}

std::vector<u32> random_words(std::size_t count, corpora::Random& random) {
  std::vector<u32> words(count);
  for (u32& word : words) word = random.below(1u << 16) << 16 | random.below(1u << 16);
  return words;
}

bool has_row(const std::vector<u32>& words, u32 row) {
  return (words[row / kWordBits] >> row % kWordBits & 1) != 0;
}

TEST(RowBits, OfRowsThatAreNotLeftAreNone) {
  corpora::Random random(6);
  const Blocks blocks(5000, 700, random);
  const BitSlice slices[] = {blocks.slice(40, 3000), {0, 0, 0, 500}};
  const std::vector<u32> left = random_words(2 * kSliceWords, random);
  for (const bool negated : {false, true}) {
    std::vector<u32> found(2 * kSliceWords, 0);
    const RowBits of{blocks.sources.data(), slices, 2, 0, negated, found.data(), left.data()};
    ASSERT_TRUE(simt::run({2, 2 * kWarpSize, 0}, {}, [&] { place_bits_body(of); }).ok());
    for (u32 row = 0; row < 3000; ++row) {
      ASSERT_EQ(has_row(found, row), blocks.rows[40 + row] != negated && has_row(left, row));
    }
    ASSERT_TRUE(
        std::all_of(found.begin() + kSliceWords, found.end(), [](u32 w) { return w == 0; }));
  }
}

/// Slices are where rows are wanted, so there may be none between two of them.
TEST(RowBits, GoBackToBlocksOfAnySize) {
  corpora::Random random(7);
  for (const u32 most_rows : {1u, 33u, 1500u, 200000u}) {
    Blocks blocks(most_rows == 1 ? 3000 : 200000, most_rows, random);
    const u32 rows = static_cast<u32>(blocks.rows.size());
    std::vector<BitSlice> slices;
    for (const u32 first : {0u, 2 * kMaxIntegerRows, 3 * kMaxIntegerRows}) {
      if (first < rows) slices.push_back({0, 0, first, std::min(rows - first, kMaxIntegerRows)});
    }
    const std::vector<u32> left = random_words(slices.size() * kSliceWords, random);
    for (BitSource& source : blocks.sources) {
      source.first_slice = 0;
      source.end_slice = static_cast<u32>(slices.size());
    }
    RowBits of;
    of.sources = blocks.sources.data();
    of.slices = slices.data();
    of.source_count = static_cast<u32>(blocks.sources.size());
    of.left = left.data();
    ASSERT_TRUE(
        simt::run({of.source_count, 2 * kWarpSize, 0}, {}, [&] { take_bits_body(of); }).ok());
    for (std::size_t i = 0; i < blocks.sources.size(); ++i) {
      const BitSource& source = blocks.sources[i];
      for (u32 bit = 0; bit < kWordBits * blocks.words[i].size(); ++bit) {
        const u32 row = source.first_row + bit;
        bool expected = false;
        for (std::size_t k = 0; k < slices.size(); ++k) {
          const bool is_in = bit < source.rows && slices[k].first_row <= row &&
                             row < slices[k].first_row + slices[k].rows;
          const u32 at = static_cast<u32>(k) * kSliceWords * kWordBits + row - slices[k].first_row;
          if (is_in) expected = has_row(left, at);
        }
        ASSERT_EQ(has_row(blocks.words[i], bit), expected) << most_rows << ", row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace presso::gpu::row_bits_test
