// SPDX-License-Identifier: MIT
// Pieces come to a device whole and unmixed, however few slots they go through; the fake device
// copies at its own pace, so that a slot that is filled too early shows.
#include "query/gpu/table/pinned_ring.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <optional>

#include "query/gpu/table/task_queue.h"
#include "tests/support/fake_device.h"

namespace presso::pinned_ring_test {
namespace {

using gpu::PinnedRing;
using gpu::TaskQueue;
using gpu::Tasks;
using test::FakeCounts;
using test::FakeFaults;

constexpr std::uint64_t kSlotBytes = 4096;
constexpr std::size_t kBatches = 4;
constexpr std::uint64_t kBatchBytes = kSlotBytes / kBatches;

/// A device with memory for some pieces.
class Way {
 public:
  Way(std::size_t slots, std::size_t pieces, const FakeFaults& faults = {})
      : device_(test::make_fake_device(counts_, faults).device),
        memory_(*device_, {}),
        stream_(std::move(*gpu::make_stream(*device_))),
        there_(std::move(*memory_.allocate(pieces * kSlotBytes))),
        ring_(std::in_place, memory_, stream_.get()) {
    ring_->set_slots(kSlotBytes, slots);
    EXPECT_TRUE(ring_->reserve(pieces).ok());
    for (std::size_t i = 0; i < pieces; ++i) {
      PinnedRing::Piece& piece = pieces_.emplace_back();
      piece.there = there_.get() + i * kSlotBytes;
      piece.bytes = kSlotBytes;
      piece.batches = kBatches;
    }
  }
  ~Way() {
    static_cast<void>(device_->wait(stream_.get()));
    pieces_.clear();
    ring_.reset();
    there_ = {};
    EXPECT_EQ(counts_->misuses, 0u);
  }

  /// Of a batch: its bytes are the piece's number.
  Status fill(std::size_t item) {
    PinnedRing::Piece& piece = pieces_[item / kBatches];
    const auto to = ring_->begin(piece);
    if (to.ok()) {
      std::memset(*to + item % kBatches * kBatchBytes, static_cast<int>(item / kBatches % 251),
                  kBatchBytes);
    }
    Status sent = ring_->end(piece);
    return to.ok() ? std::move(sent) : Status(to.error());
  }
  std::size_t count() const { return pieces_.size() * kBatches; }
  PinnedRing& ring() { return *ring_; }
  PinnedRing::Piece& piece(std::size_t number) { return pieces_[number]; }
  const FakeCounts& counts() const { return *counts_; }

  void expect_all_there() {
    std::vector<Byte> here(pieces_.size() * kSlotBytes);
    auto pinned = memory_.allocate_pinned(here.size());
    ASSERT_TRUE(pinned.ok());
    ASSERT_TRUE(device_->copy_out(pinned->get(), there_.get(), here.size(), stream_.get()).ok());
    ASSERT_TRUE(device_->wait(stream_.get()).ok());
    std::memcpy(here.data(), pinned->get(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      ASSERT_EQ(here[i], static_cast<Byte>(i / kSlotBytes % 251)) << i;
    }
  }

 private:
  std::shared_ptr<FakeCounts> counts_ = std::make_shared<FakeCounts>();
  std::unique_ptr<gpu::Device> device_;
  gpu::Memory memory_;
  gpu::OwnedStream stream_;
  gpu::DeviceMemory there_;
  std::optional<PinnedRing> ring_;
  std::deque<PinnedRing::Piece> pieces_;
};

class PinnedRings : public ::testing::TestWithParam<std::pair<unsigned, std::size_t>> {};

TEST_P(PinnedRings, PiecesArriveWhole) {
  const auto [threads, slots] = GetParam();
  TaskQueue queue(threads);
  for (int round = 0; round < 5; ++round) {
    Way way(slots, 60);
    Tasks tasks(way.count(), [&](std::size_t item) { EXPECT_TRUE(way.fill(item).ok()); });
    queue.add(tasks);
    queue.finish(tasks);
    way.expect_all_there();
    EXPECT_LE(way.counts().most_pinned_bytes, (slots + 60) * kSlotBytes);
    EXPECT_EQ(way.counts().pinned_allocations, slots + 1);
  }
}

/// What has been dropped half way leaves no slot taken.
TEST_P(PinnedRings, SlotsAreFreeAgainWhenPiecesAreGivenUp) {
  const auto [threads, slots] = GetParam();
  TaskQueue queue(threads);
  Way way(slots, 40);
  const std::size_t half = 20 * kBatches;
  Tasks first(half, [&](std::size_t item) { EXPECT_TRUE(way.fill(item).ok()); });
  queue.add(first);
  queue.drop(first);
  for (std::size_t i = 0; i < 20; ++i) way.ring().give_up(way.piece(i));
  Tasks second(half, [&](std::size_t item) { EXPECT_TRUE(way.fill(half + item).ok()); });
  queue.add(second);
  queue.finish(second);
}

/// Nobody waits for ever for what is not sent.
TEST_P(PinnedRings, ALostDeviceIsAnErrorForEachPieceFromThenOn) {
  const auto [threads, slots] = GetParam();
  TaskQueue queue(threads);
  FakeFaults faults;
  faults.copy = 3;
  Way way(slots, 40, faults);
  std::vector<Status> done(way.count());
  Tasks tasks(way.count(), [&](std::size_t item) { done[item] = way.fill(item); });
  queue.add(tasks);
  queue.finish(tasks);
  std::size_t lost = 0;
  for (const Status& one : done) {
    if (one.ok()) continue;
    EXPECT_EQ(one.error().code, ErrorCode::kDeviceLost);
    ++lost;
  }
  EXPECT_GE(lost, 37u);
}

INSTANTIATE_TEST_SUITE_P(ThreadsAndSlots, PinnedRings,
                         ::testing::Values(std::pair{1u, 2}, std::pair{2u, 2}, std::pair{5u, 2},
                                           std::pair{5u, 7}));

TEST(PinnedRing, MakesNoMoreSlotsThanPieces) {
  Way way(8, 3);
  EXPECT_EQ(way.counts().pinned_allocations, 3u);
  EXPECT_TRUE(way.ring().reserve(2).ok());
  EXPECT_EQ(way.counts().pinned_allocations, 5u);
  EXPECT_TRUE(way.ring().reserve(100).ok());
  EXPECT_EQ(way.counts().pinned_allocations, 8u);
}

}  // namespace
}  // namespace presso::pinned_ring_test
