// SPDX-License-Identifier: MIT
// The parallel driver keeps order, bounds what is in flight, and ends in every way it can end. Run
// under the thread sanitizer in CI (label parallel).
#include "presso/ordered_pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

namespace presso::ordered_pipeline_test {
namespace {

/// Something that work has to do for a while: more for some items than for others.
std::uint64_t grind(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uint64_t sum = seed;
  for (std::uint64_t rounds = random() % 2000; rounds > 0; --rounds) sum += random();
  return sum;
}

/// A run over 0, 1, 2 ... that records what happens.
struct Recorder {
  std::uint64_t items = 500;
  std::uint64_t produced = 0;
  std::vector<std::uint64_t> consumed;
  std::atomic<int> in_flight{0};
  std::atomic<int> most_in_flight{0};
  std::atomic<int> producing{0};
  std::atomic<int> consuming{0};

  using Item = std::unique_ptr<std::uint64_t>;  // movable only

  Result<std::optional<Item>> produce() {
    EXPECT_EQ(producing.fetch_add(1), 0);
    std::optional<Item> item;
    if (produced < items) {
      item = std::make_unique<std::uint64_t>(produced++);
      const int now = ++in_flight;
      if (now > most_in_flight) most_in_flight = now;
    }
    --producing;
    return item;
  }
  Item work(Item item) {
    EXPECT_NE(grind(*item), 1u);
    return item;
  }
  Result<bool> consume(Item item) {
    EXPECT_EQ(consuming.fetch_add(1), 0);
    consumed.push_back(*item);
    --in_flight;
    --consuming;
    return true;
  }
  void expect_in_order(std::uint64_t count) const {
    ASSERT_EQ(consumed.size(), count);
    for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(consumed[i], i);
  }
};

class OrderedPipelineTest : public ::testing::TestWithParam<unsigned> {
 protected:
  PipelineOptions options(unsigned in_flight = 0) const { return {GetParam(), in_flight}; }
  using Item = Recorder::Item;
};

TEST_P(OrderedPipelineTest, ConsumesEverythingInOrder) {
  Recorder recorder;
  std::atomic<unsigned> highest_worker{0};
  const Status status = run_ordered<Item, Item>(
      options(), [&] { return recorder.produce(); },
      [&](Item item, unsigned worker) {
        unsigned seen = highest_worker;
        while (worker > seen && !highest_worker.compare_exchange_weak(seen, worker)) {
        }
        return recorder.work(std::move(item));
      },
      [&](Item item) { return recorder.consume(std::move(item)); });
  EXPECT_TRUE(status.ok());
  recorder.expect_in_order(500);
  EXPECT_LT(highest_worker, std::max(1u, GetParam()));
}

TEST_P(OrderedPipelineTest, EndsWithoutInput) {
  Recorder recorder;
  recorder.items = 0;
  EXPECT_TRUE(
      (run_ordered<Item, Item>(
           options(), [&] { return recorder.produce(); }, [&](Item item, unsigned) { return item; },
           [&](Item item) { return recorder.consume(std::move(item)); }))
          .ok());
  EXPECT_TRUE(recorder.consumed.empty());
}

TEST_P(OrderedPipelineTest, HoldsNoMoreItemsThanAllowed) {
  for (const unsigned in_flight : {1u, 2u, 5u}) {
    Recorder recorder;
    ASSERT_TRUE((run_ordered<Item, Item>(
                     options(in_flight), [&] { return recorder.produce(); },
                     [&](Item item, unsigned) { return recorder.work(std::move(item)); },
                     [&](Item item) { return recorder.consume(std::move(item)); }))
                    .ok());
    recorder.expect_in_order(500);
    EXPECT_LE(recorder.most_in_flight, static_cast<int>(in_flight));
  }
}

TEST_P(OrderedPipelineTest, ReportsAProducersErrorBehindWhatCameBefore) {
  for (const std::uint64_t good : {0u, 1u, 40u}) {
    Recorder recorder;
    const Status status = run_ordered<Item, Item>(
        options(),
        [&]() -> Result<std::optional<Item>> {
          if (recorder.produced == good) return make_error(ErrorCode::kTruncated);
          return recorder.produce();
        },
        [&](Item item, unsigned) { return recorder.work(std::move(item)); },
        [&](Item item) { return recorder.consume(std::move(item)); });
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kTruncated);
    recorder.expect_in_order(good);
  }
}

TEST_P(OrderedPipelineTest, StopsAtAConsumersError) {
  Recorder recorder;
  const Status status = run_ordered<Item, Item>(
      options(), [&] { return recorder.produce(); },
      [&](Item item, unsigned) { return recorder.work(std::move(item)); },
      [&](Item item) -> Result<bool> {
        if (*item == 17) return make_error(ErrorCode::kNoSpace);
        return recorder.consume(std::move(item));
      });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kNoSpace);
  recorder.expect_in_order(17);
}

TEST_P(OrderedPipelineTest, TheConsumersErrorHidesALaterOneOfTheProducer) {
  Recorder recorder;
  const Status status = run_ordered<Item, Item>(
      options(),
      [&]() -> Result<std::optional<Item>> {
        if (recorder.produced == 12) return make_error(ErrorCode::kTruncated);
        return recorder.produce();
      },
      [&](Item item, unsigned) { return recorder.work(std::move(item)); },
      [&](Item item) -> Result<bool> {
        if (*item == 11) return make_error(ErrorCode::kContentChecksum);
        return recorder.consume(std::move(item));
      });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kContentChecksum);
}

TEST_P(OrderedPipelineTest, StopsEarlyWhereTheConsumerHasEnough) {
  Recorder recorder;
  recorder.items = ~std::uint64_t{0};
  const Status status = run_ordered<Item, Item>(
      options(), [&] { return recorder.produce(); },
      [&](Item item, unsigned) { return recorder.work(std::move(item)); },
      [&](Item item) -> Result<bool> {
        const bool more = *item < 99;
        EXPECT_TRUE(recorder.consume(std::move(item)).ok());
        return more;
      });
  EXPECT_TRUE(status.ok());
  recorder.expect_in_order(100);
}

TEST_P(OrderedPipelineTest, AnErrorOfTheProducerAfterTheConsumersStopDoesNotCount) {
  for (int run = 0; run < 50; ++run) {
    Recorder recorder;
    std::atomic<bool> stopping = false;
    const Status status = run_ordered<Item, Item>(
        options(),
        [&]() -> Result<std::optional<Item>> {
          if (recorder.produced == 0) return recorder.produce();
          // With two threads and more: usually ends just after consume has asked for the stop.
          while (!stopping) std::this_thread::yield();
          std::this_thread::sleep_for(std::chrono::microseconds(run));
          return make_error(ErrorCode::kTruncated);
        },
        [&](Item item, unsigned) { return item; },
        [&](Item item) -> Result<bool> {
          EXPECT_TRUE(recorder.consume(std::move(item)).ok());
          stopping = true;
          return false;
        });
    EXPECT_TRUE(status.ok());
    recorder.expect_in_order(1);
  }
}

TEST_P(OrderedPipelineTest, ReportsThatAStageRanOutOfMemory) {
  for (const int stage : {0, 1, 2}) {
    Recorder recorder;
    const auto fail_at = [&](int here, std::uint64_t item) {
      if (here == stage && item == 23) throw std::bad_alloc();
    };
    const Status status = run_ordered<Item, Item>(
        options(),
        [&] {
          fail_at(0, recorder.produced);
          return recorder.produce();
        },
        [&](Item item, unsigned) {
          fail_at(1, *item);
          return recorder.work(std::move(item));
        },
        [&](Item item) {
          fail_at(2, *item);
          return recorder.consume(std::move(item));
        });
    ASSERT_FALSE(status.ok()) << "stage " << stage;
    EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory);
    EXPECT_LE(recorder.consumed.size(), 23u);
    for (std::size_t i = 0; i < recorder.consumed.size(); ++i) EXPECT_EQ(recorder.consumed[i], i);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, OrderedPipelineTest, ::testing::Range(0u, 9u));

TEST(DefaultThreadCount, IsAtLeastOne) {
  EXPECT_GE(default_thread_count(), 1u);
}

TEST(RunTogether, RunsEachTaskOnce) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    std::atomic<int> first = 0, second = 0, third = 0;
    ASSERT_TRUE(run_together(
                    threads, [&] { ++first; }, [&] { ++second; }, [&] { ++third; })
                    .ok());
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 1);
    EXPECT_EQ(third, 1);
  }
}

TEST(RunTogether, SaysWhereThereIsNotEnoughMemory) {
  const Status status = run_together(
      2, [] { throw std::bad_alloc(); }, [] {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace presso::ordered_pipeline_test
