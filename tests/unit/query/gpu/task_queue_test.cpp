// SPDX-License-Identifier: MIT
// Tasks are done once each, in their order, while their owner does something else.
#include "query/gpu/table/task_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace presso::task_queue_test {
namespace {

using gpu::TaskQueue;
using gpu::Tasks;

class TaskQueues : public ::testing::TestWithParam<unsigned> {};

TEST_P(TaskQueues, EachItemIsDoneOnce) {
  TaskQueue queue(GetParam());
  for (int round = 0; round < 50; ++round) {
    std::vector<std::atomic<int>> first(97);
    std::vector<std::atomic<int>> second(31);
    std::vector<std::atomic<int>> urgent(5);
    Tasks of_first(first.size(), [&](std::size_t i) { ++first[i]; });
    Tasks of_second(second.size(), [&](std::size_t i) { ++second[i]; });
    Tasks of_urgent(urgent.size(), [&](std::size_t i) { ++urgent[i]; });
    queue.add(of_first);
    queue.add(of_second);
    queue.add_first(of_urgent);
    queue.finish(of_urgent);
    for (const auto& times : urgent) EXPECT_EQ(times, 1);
    queue.finish(of_first);
    for (const auto& times : first) EXPECT_EQ(times, 1);
    queue.finish(of_second);
    for (const auto& times : second) EXPECT_EQ(times, 1);
  }
}

TEST_P(TaskQueues, WhatIsDroppedIsOverWhenThatReturns) {
  TaskQueue queue(GetParam());
  for (int round = 0; round < 200; ++round) {
    // Goes as soon as it has been dropped: who still worked on it would write to what is no more.
    auto done = std::make_unique<std::vector<std::atomic<int>>>(40);
    Tasks tasks(done->size(), [&](std::size_t i) { ++(*done)[i]; });
    Tasks behind(1, [](std::size_t) {});
    queue.add(tasks);
    queue.add(behind);
    queue.drop(tasks);
    int all = 0;
    for (const auto& times : *done) {
      EXPECT_LE(times, 1);
      all += times;
    }
    EXPECT_EQ(done->front() == 1, all > 0);
    done.reset();
    queue.finish(behind);
    queue.drop(behind);
  }
}

TEST_P(TaskQueues, NothingIsDoneAtOnce) {
  TaskQueue queue(GetParam());
  Tasks nothing(0, [](std::size_t) { ADD_FAILURE(); });
  queue.add(nothing);
  queue.finish(nothing);
  queue.drop(nothing);
}

INSTANTIATE_TEST_SUITE_P(Threads, TaskQueues, ::testing::Values(0u, 1u, 2u, 5u));

/// One thread does nothing before it is asked to, and then only that.
TEST(TaskQueue, OneThreadWorksWhereItWaits) {
  TaskQueue queue(1);
  std::string order;
  Tasks first(2, [&](std::size_t i) { order.append("a").append(std::to_string(i)); });
  Tasks second(1, [&](std::size_t) { order += "b"; });
  Tasks urgent(2, [&](std::size_t i) { order.append("c").append(std::to_string(i)); });
  queue.add(first);
  queue.add(second);
  queue.add_first(urgent);
  EXPECT_EQ(order, "");
  queue.finish(first);
  EXPECT_EQ(order, "a0a1");
  queue.drop(urgent);
  queue.finish(second);
  EXPECT_EQ(order, "a0a1b");
}

}  // namespace
}  // namespace presso::task_queue_test
