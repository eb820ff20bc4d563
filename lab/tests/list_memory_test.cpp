// SPDX-License-Identifier: MIT
// The parts of the memory that the decoder with one kernel a round takes for its lists lie apart,
// in their alignment, and within its size.
#include <gtest/gtest.h>

#include "lab/gpu/variants.h"

namespace presso::gpu::lab {
namespace {

constexpr std::uint64_t kKib = 1024;

TEST(ListMemory, PartsDoNotOverlap) {
  for (const std::uint32_t blocks : {1u, 2u, 3u, 64u, 1000u}) {
    const ListMemory lists(blocks, 256 * kKib * blocks);
    EXPECT_GE(lists.ends(), lists.begins() + 4 * std::uint64_t{blocks});
    EXPECT_GE(lists.references(), lists.ends() + 4 * std::uint64_t{blocks});
    EXPECT_GE(lists.bytes(), lists.references() + 8 * lists.stride() * blocks);
    for (const std::uint64_t part : {lists.begins(), lists.ends(), lists.references()}) {
      EXPECT_EQ(part % MemoryParts::kAlignment, 0u);
    }
  }
}

/// A block has at most one sequence for every three bytes.
TEST(ListMemory, HasReferencesForEveryBlockOfEqualSize) {
  for (const std::uint64_t size :
       {std::uint64_t{1}, kKib - 1, kKib, kKib + 2, 256 * kKib, 4 * kKib * kKib}) {
    EXPECT_GE(ListMemory(10, 10 * size).stride(), size / 3) << size;
  }
}

}  // namespace
}  // namespace presso::gpu::lab
