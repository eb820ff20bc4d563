// SPDX-License-Identifier: MIT
#include "presso/ordered_pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <optional>
#include <vector>

namespace presso {
namespace {

/// Counts who is inside at once.
class Occupancy {
 public:
  class Visit {
   public:
    explicit Visit(Occupancy& place) : place_(place) {
      const int now = ++place_.now_;
      if (now > place_.highest_) place_.highest_ = now;
    }
    ~Visit() { --place_.now_; }

   private:
    Occupancy& place_;
  };
  int highest() const { return highest_; }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> highest_{0};
};

struct Made {
  Status status;
  std::vector<int> consumed;
  int produced = 0;
};

/// Makes 0, 1, ... until `end`, adds 1000 to each, takes until `accept` is false.
template <class Produce, class Consume>
Made run(unsigned threads, unsigned in_flight, Produce produce, Consume accept) {
  Made made;
  made.status = run_ordered<int, int>(
      {threads, in_flight},
      [&]() -> Result<std::optional<int>> { return produce(made.produced++); },
      [](int item, unsigned) { return item + 1000; },
      [&](int outcome) -> Result<bool> {
        made.consumed.push_back(outcome);
        return accept(outcome);
      });
  return made;
}

auto up_to(int end) {
  return [end](int number) -> Result<std::optional<int>> {
    return number < end ? std::optional<int>(number) : std::nullopt;
  };
}
const auto kTakeAll = [](int) -> Result<bool> { return true; };

std::vector<int> thousand_and(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1000);
  return numbers;
}

class OrderedPipelineTest : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Threads, OrderedPipelineTest, testing::Values(1u, 2u, 3u, 8u));

TEST_P(OrderedPipelineTest, ConsumesEveryItemInOrder) {
  const Made made = run(GetParam(), 0, up_to(5000), kTakeAll);
  EXPECT_TRUE(made.status.ok());
  EXPECT_EQ(made.consumed, thousand_and(5000));
}

TEST_P(OrderedPipelineTest, EndsWithoutItems) {
  const Made made = run(GetParam(), 0, up_to(0), kTakeAll);
  EXPECT_TRUE(made.status.ok());
  EXPECT_TRUE(made.consumed.empty());
}

TEST_P(OrderedPipelineTest, ReportsAnErrorOfProduceAfterAllItemsBeforeIt) {
  const auto produce = [](int number) -> Result<std::optional<int>> {
    if (number == 700) return make_error(ErrorCode::kTruncated);
    return std::optional<int>(number);
  };
  const Made made = run(GetParam(), 0, produce, kTakeAll);
  ASSERT_FALSE(made.status.ok());
  EXPECT_EQ(made.status.error().code, ErrorCode::kTruncated);
  EXPECT_EQ(made.consumed, thousand_and(700));
}

TEST_P(OrderedPipelineTest, StopsAtAnErrorOfConsume) {
  const auto accept = [](int outcome) -> Result<bool> {
    if (outcome == 1300) return make_error(ErrorCode::kNoSpace);
    return true;
  };
  const Made made = run(GetParam(), 0, up_to(100000), accept);
  ASSERT_FALSE(made.status.ok());
  EXPECT_EQ(made.status.error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(made.consumed, thousand_and(301));
}

TEST_P(OrderedPipelineTest, StopsWithoutErrorWhereConsumeSaysSo) {
  const Made made =
      run(GetParam(), 0, up_to(100000), [](int outcome) -> Result<bool> { return outcome < 1300; });
  EXPECT_TRUE(made.status.ok());
  EXPECT_EQ(made.consumed, thousand_and(301));
}

TEST_P(OrderedPipelineTest, HoldsNoMoreItemsThanAskedFor) {
  std::atomic<int> waiting{0};
  std::atomic<bool> exceeded{false};
  const auto produce = [&](int number) -> Result<std::optional<int>> {
    if (number == 3000) return std::optional<int>();
    if (++waiting > 5) exceeded = true;
    return std::optional<int>(number);
  };
  const auto accept = [&](int) -> Result<bool> {
    --waiting;
    return true;
  };
  const Made made = run(GetParam(), 5, produce, accept);
  EXPECT_EQ(made.consumed.size(), 3000u);
  EXPECT_FALSE(exceeded);
}

TEST_P(OrderedPipelineTest, NeverRunsTwoProducesOrTwoConsumesAtOnce) {
  Occupancy producing;
  Occupancy consuming;
  const auto produce = [&](int number) -> Result<std::optional<int>> {
    const Occupancy::Visit visit(producing);
    return number < 3000 ? std::optional<int>(number) : std::nullopt;
  };
  const auto accept = [&](int) -> Result<bool> {
    const Occupancy::Visit visit(consuming);
    return true;
  };
  EXPECT_TRUE(run(GetParam(), 0, produce, accept).status.ok());
  EXPECT_EQ(producing.highest(), 1);
  EXPECT_EQ(consuming.highest(), 1);
}

TEST_P(OrderedPipelineTest, GivesEachWorkerItsOwnIndex) {
  std::vector<std::atomic<int>> inside(GetParam());
  std::atomic<bool> shared{false};
  const Status status = run_ordered<int, int>(
      {GetParam()},
      [next = 0]() mutable -> Result<std::optional<int>> {
        return next < 3000 ? std::optional<int>(next++) : std::nullopt;
      },
      [&](int item, unsigned worker) {
        if (++inside.at(worker) != 1) shared = true;
        --inside.at(worker);
        return item;
      },
      kTakeAll);
  EXPECT_TRUE(status.ok());
  EXPECT_FALSE(shared);
}

}  // namespace
}  // namespace presso
