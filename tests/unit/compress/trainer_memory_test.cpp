// SPDX-License-Identifier: MIT
// How much memory training takes. A program of its own: it replaces operator new, which
// ThreadSanitizer does, too.
#include <gtest/gtest.h>

#include "compress/choose/dictionary_trainer.h"
#include "tests/support/largest_allocation.h"

namespace presso::trainer_memory_test {
namespace {

/// A run's string stands everywhere in it. Of some bytes its hash is among those that are counted.
TEST(TrainerMemory, RunsOfOneByteTakeNoMoreMemoryThanOtherText) {
  constexpr std::size_t kSize = 256u << 10;
  constexpr TrainingEffort kLittle{1u << 16, 16};
  for (unsigned byte = 32; byte < 64; ++byte) {
    const std::vector<Byte> run(kSize, static_cast<Byte>(byte));
    const std::vector<Bytes> documents{run, run};
    test::reset_largest_allocation();
    const auto segments = *select_segments(documents, 64u << 10, kLittle, 1);
    ASSERT_LE(test::largest_allocation(), 2u << 20) << byte;  // 2 x 2^18 x (1/5 + 1/32) x 12
    for (const DictionarySegment& segment : segments) ASSERT_LE(segment.length, 2048u);
  }
}

}  // namespace
}  // namespace presso::trainer_memory_test
