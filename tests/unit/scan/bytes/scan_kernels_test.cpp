// SPDX-License-Identifier: MIT
// The kernels of every CPU level that this machine has, at every alignment and length around the
// register sizes, against a loop over bytes. Texts end where an allocation ends, so that a
// sanitizer sees any byte that is read after them.
#include "format/cpu_loops.h"
#include "scan/bytes/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace presso::scan_detail::scan_kernels_test {
namespace {

constexpr std::size_t kMaxLength = 330;

/// `size` bytes from a small alphabet, so that hits are frequent.
std::vector<Byte> some_text(std::size_t size, unsigned seed, unsigned letters) {
  std::mt19937 random(seed);
  std::vector<Byte> text(size);
  for (Byte& byte : text) byte = static_cast<Byte>('a' + random() % letters);
  return text;
}

/// All candidates, gathered batch by batch.
template <class Find, class Probe>
std::vector<std::size_t> sweep_all(Find find, const Probe& probe, const Byte* text,
                                   std::size_t from, std::size_t limit) {
  std::vector<std::size_t> all;
  CandidateBatch batch;
  while (from < limit) {
    batch.count = 0;
    from = find(probe, text, from, limit, batch);
    all.insert(all.end(), batch.at, batch.at + batch.count);
  }
  EXPECT_EQ(from, limit);
  return all;
}

class ScanKernels : public testing::TestWithParam<CpuLevel> {
 protected:
  const Kernels& under_test() const { return loops_for<Kernels>(GetParam()); }
};

TEST_P(ScanKernels, FindPairsAtEveryAlignmentAndLength) {
  for (const Byte mask : {Byte{0xFF}, Byte{0xDF}}) {
    PairProbe probe;
    probe.first = {1, mask, static_cast<Byte>('a' & mask)};
    probe.second = {7, 0xFF, 'b'};
    const std::size_t reach = 7;
    for (std::size_t size = reach + 1; size < kMaxLength; ++size) {
      const std::vector<Byte> text = some_text(size, static_cast<unsigned>(size), 3);
      const std::size_t from = size % 5;
      const std::size_t limit = size - reach;
      std::vector<std::size_t> expected;
      for (std::size_t p = from; p < limit; ++p) {
        if (text[p + 1] == 'a' && text[p + 7] == 'b') expected.push_back(p);
      }
      if (from >= limit) continue;
      ASSERT_EQ(sweep_all(under_test().find_pairs, probe, text.data(), from, limit), expected)
          << "size " << size << " mask " << int{mask};
    }
  }
}

TEST_P(ScanKernels, FindPairsFillsBatchAfterBatch) {
  PairProbe probe;
  probe.first = probe.second = {0, 0xFF, 'a'};
  const std::vector<Byte> text(5 * CandidateBatch::kCapacity + 13, Byte{'a'});
  const auto found = sweep_all(under_test().find_pairs, probe, text.data(), 0, text.size());
  ASSERT_EQ(found.size(), text.size());
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
}

TEST_P(ScanKernels, FindNibblesAtEveryAlignmentAndLength) {
  for (std::uint32_t width = 1; width <= NibbleProbe::kMaxWidth; ++width) {
    NibbleProbe probe;
    probe.width = width;
    probe.offset = 2;
    // Bucket 0 is "abc", bucket 1 "cba".
    for (std::uint32_t i = 0; i < width; ++i) {
      for (const auto& [byte, bucket] :
           {std::pair<Byte, Byte>("abc"[i], 1), std::pair<Byte, Byte>("cba"[i], 2)}) {
        probe.low[i][byte & 15] = static_cast<Byte>(probe.low[i][byte & 15] | bucket);
        probe.high[i][byte >> 4] = static_cast<Byte>(probe.high[i][byte >> 4] | bucket);
      }
    }
    const std::size_t reach = probe.offset + width - 1;
    for (std::size_t size = reach + 1; size < kMaxLength; ++size) {
      const std::vector<Byte> text = some_text(size, static_cast<unsigned>(size), 4);
      const std::size_t from = size % 3;
      const std::size_t limit = size - reach;
      std::vector<std::size_t> expected;
      for (std::size_t p = from; p < limit; ++p) {
        const auto at = text.begin() + static_cast<std::ptrdiff_t>(p + 2);
        if (std::equal(at, at + width, "abc") || std::equal(at, at + width, "cba")) {
          expected.push_back(p);
        }
      }
      if (from >= limit) continue;
      ASSERT_EQ(sweep_all(under_test().find_nibbles, probe, text.data(), from, limit), expected)
          << "size " << size << " width " << width;
    }
  }
}

TEST_P(ScanKernels, CountByteCountsEveryLength) {
  const std::vector<Byte> text = some_text(2000, 5, 3);
  for (std::size_t begin = 0; begin < 70; ++begin) {
    for (std::size_t size = 0; size < 600; size += 1 + size / 40) {
      const auto first = text.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto expected = std::count(first, first + static_cast<std::ptrdiff_t>(size), 'b');
      ASSERT_EQ(under_test().count_byte(text.data() + begin, size, 'b'),
                static_cast<std::size_t>(expected));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ScanKernels, testing::ValuesIn(supported_cpu_levels()),
                         [](const auto& level) { return std::string(name(level.param)); });

}  // namespace
}  // namespace presso::scan_detail::scan_kernels_test
