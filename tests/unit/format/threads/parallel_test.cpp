// SPDX-License-Identifier: MIT
// A loop on several threads does each step once, and ends with the first error in order.
#include "format/threads/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

namespace presso {
namespace {

class ParallelLoop : public ::testing::TestWithParam<unsigned> {};

TEST_P(ParallelLoop, DoesEachStepOnceByAThreadThatThereIs) {
  const unsigned threads = GetParam();
  std::vector<std::atomic<int>> done(1000);
  std::atomic<bool> is_numbered = true;
  const Status status =
      for_each_in_parallel(done.size(), threads, [&](std::size_t i, unsigned worker) -> Status {
        ++done[i];
        if (worker >= threads) is_numbered = false;
        return {};
      });
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(is_numbered);
  for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
}

TEST_P(ParallelLoop, ReturnsTheFirstErrorInOrder) {
  const Status status =
      for_each_in_parallel(100, GetParam(), [](std::size_t i, unsigned) -> Status {
        if (i < 40) return {};
        return make_error(ErrorCode::kInvalidArgument, std::to_string(i));
      });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what, "40");
}

TEST_P(ParallelLoop, TurnsLackOfMemoryIntoAnError) {
  const Status status = for_each_in_parallel(3, GetParam(), [](std::size_t i, unsigned) -> Status {
    if (i == 1) throw std::bad_alloc();
    return {};
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory);
}

TEST_P(ParallelLoop, OfNoStepsDoesNothing) {
  EXPECT_TRUE(for_each_in_parallel(0, GetParam(), [](std::size_t, unsigned) -> Status {
                return make_error(ErrorCode::kInvalidArgument);
              }).ok());
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelLoop, ::testing::Values(1u, 2u, 5u));

}  // namespace
}  // namespace presso
