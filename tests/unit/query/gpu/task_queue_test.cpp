// SPDX-License-Identifier: MIT
// Tasks are done once each, in their order, while their owner does something else.
#include "query/gpu/table/task_queue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace presso::task_queue_test {
namespace {

using gpu::KeptQueue;
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

std::size_t work_of(TaskQueue& queue) {
  std::atomic<std::size_t> done{0};
  Tasks tasks(50, [&](std::size_t) { ++done; });
  queue.add(tasks);
  queue.finish(tasks);
  return done;
}

TEST(KeptQueue, TheNextOneHasTheSameThreads) {
  KeptQueue kept;
  const TaskQueue* before = nullptr;
  {
    const KeptQueue::Lent first = kept.lend(3);
    before = &*first;
    EXPECT_EQ(work_of(*first), 50u);
  }
  const KeptQueue::Lent again = kept.lend(3);
  EXPECT_EQ(&*again, before);
  const KeptQueue::Lent beside = kept.lend(3);
  EXPECT_NE(&*beside, before);
  EXPECT_EQ(work_of(*again) + work_of(*beside), 100u);
}

TEST(KeptQueue, OtherNumbersOfThreadsHaveTheirOwn) {
  KeptQueue kept;
  for (const unsigned threads : {1u, 4u, 0u, 2u}) {
    const KeptQueue::Lent lent = kept.lend(threads);
    EXPECT_EQ((*lent).threads(), std::max(threads, 1u));
    EXPECT_EQ(work_of(*lent), 50u);
  }
}

/// The child has no threads that it could wait for.
TEST(KeptQueue, AForkedProcessEnds) {
  auto kept = std::make_unique<KeptQueue>();
  work_of(*kept->lend(4));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    kept.reset();
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace presso::task_queue_test
