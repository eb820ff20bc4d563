// SPDX-License-Identifier: MIT
// A batch of stored blocks laid out as on a device, for tests of kernel bodies: blocks one after
// another at multiples of 16 with nothing after the last, room for plain bytes at addresses of a
// chosen remainder with a gap between blocks that nobody may write to.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "decompress/gpu/batch/finish.cuh"
#include "decompress/gpu/batch/plan.cuh"
#include "decompress/gpu/bit/bit_unpack.cuh"
#include "decompress/gpu/simt/emulator/emulator.h"
#include "tests/simt/batch_case.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {

class TestBatch {
 public:
  static constexpr std::size_t kGapBytes = 48;
  static constexpr Byte kGap = 0xC5;

  explicit TestBatch(std::size_t out_remainder = 0) : remainder_(out_remainder) {}

  /// Before anything runs. `plain_bytes`: what the span says.
  void add(Bytes stored, std::uint32_t plain_bytes) {
    spans_.push_back({stored_bytes_.size(), plain_end_ + kGapBytes + remainder_,
                      static_cast<std::uint32_t>(stored.size()), plain_bytes});
    plain_end_ = round_up(spans_.back().plain_offset + plain_bytes, 16);
    stored_bytes_.insert(stored_bytes_.end(), stored.begin(), stored.end());
    largest_ = std::max(largest_, plain_bytes);
  }
  void set_dictionary(std::uint32_t id, Bytes content) {
    dictionaries_.resize(kMaxDictionaries + 1);
    contents_.push_back(std::make_unique<presso::test::PlacedBytes>(content, 0));
    dictionaries_[id] = {contents_.back()->data(), static_cast<std::uint32_t>(content.size())};
  }

  BlockSpan& span(std::size_t block) { return spans_[block]; }
  std::uint32_t& largest_plain_bytes() { return largest_; }
  /// How many segments' hashes there is room for; else as many as the blocks have.
  void limit_segments(std::uint64_t segments) { segments_ = segments; }
  std::uint64_t claimed_segments() const { return claimed_; }
  std::size_t size() const { return spans_.size(); }

  void run_plan(std::uint32_t threads = 64) {
    allocate();
    PlanArguments arguments;
    arguments.batch.d_stored = stored_->data();
    arguments.batch.d_plain = plain_->data();
    arguments.batch.d_spans = spans_.data();
    arguments.batch.blocks = blocks();
    arguments.batch.largest_plain_bytes = largest_;
    if (!dictionaries_.empty()) arguments.batch.d_dictionaries = dictionaries_.data();
    arguments.batch.d_status = status_.data();
    arguments.plans = plans_.data();
    arguments.segment_hashes = verify ? hashes_.data() : nullptr;
    arguments.survey = survey_->data();
    arguments.unpacked = unpacked_->data();
    arguments.segments = segments_ ? *segments_ : hashes_.size();
    arguments.claimed = &claimed_;
    launch((blocks() + threads - 1) / threads, threads, [&] { plan_body(arguments); });
  }
  void run_finish(std::uint32_t grid, std::uint32_t threads) {
    launch(grid, threads, [&] { finish_body(view()); });
  }
  template <class Tuning>
  void run_unpack() {
    if constexpr (Tuning::kTellsLanesApart) run_unpack<Tuning, Unpacking::kFewLanes>();
    run_unpack<Tuning, Unpacking::kManyLanes>();
    run_unpack<Tuning, Unpacking::kLargeTables>();
  }
  template <class Tuning, Unpacking kWhich>
  void run_unpack() {
    launch(
        blocks(), Unpacker<Tuning, kWhich>::kThreads,
        [&] { unpack_body<Tuning, kWhich>(plans_.data(), status_.data()); },
        sizeof(typename Unpacker<Tuning, kWhich>::Shared));
  }
  void launch(std::uint32_t grid, std::uint32_t threads, const std::function<void()>& body,
              std::size_t shared_bytes = 0) {
    const simt::Report report = simt::run(
        {.grid = grid, .block_threads = threads, .shared_bytes = shared_bytes}, options, body);
    EXPECT_TRUE(report.ok()) << report.what;
  }

  BlockBatch view() { return {plans_.data(), status_.data(), blocks()}; }
  std::uint32_t& status(std::size_t block) { return status_[block]; }
  const BlockPlan& plan(std::size_t block) const { return plans_[block]; }
  MutableBytes out(std::size_t block) {
    return {plain_->data() + spans_[block].plain_offset, spans_[block].plain_bytes};
  }
  const Byte* stored(std::size_t block) const {
    return stored_->data() + spans_[block].stored_offset;
  }
  const DictionarySpan& dictionary(std::uint32_t id) const { return dictionaries_[id]; }

  /// Whether everything around the blocks' plain bytes is as it was.
  bool gaps_are_intact() const {
    std::size_t at = 0;
    for (const BlockSpan& span : spans_) {
      for (; at < span.plain_offset; ++at) {
        if (plain_->data()[at] != kGap) return false;
      }
      at += span.plain_bytes;
    }
    return true;
  }

  simt::Options options;
  bool verify = true;

 private:
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(spans_.size()); }

  void allocate() {
    using presso::test::PlacedBytes;
    stored_ = std::make_unique<PlacedBytes>(Bytes(stored_bytes_), 0);
    const std::size_t plain_bytes =
        spans_.empty() ? 0 : spans_.back().plain_offset + spans_.back().plain_bytes;
    plain_ = std::make_unique<PlacedBytes>(std::vector<Byte>(plain_bytes, kGap), 0);
    plans_.assign(spans_.size(), BlockPlan{});
    status_.assign(spans_.size(), 0xDEADBEEF);
    std::size_t segments = 0;
    for (const BlockSpan& span : spans_) segments += claimed_segments_of(span.plain_bytes);
    hashes_.assign(segments, 0);
    survey_ = std::make_unique<PlacedBytes>(segments * kSurveyCells * kSurveyCellBytes, 0);
    unpacked_ = std::make_unique<PlacedBytes>(segments * kUnpackedCells * kUnpackedCellBytes, 0);
    claimed_ = 0;
  }

  std::size_t remainder_;
  std::size_t plain_end_ = 0;
  std::uint32_t largest_ = 0;
  std::vector<Byte> stored_bytes_;
  std::vector<BlockSpan> spans_;
  std::vector<DictionarySpan> dictionaries_;
  std::vector<std::unique_ptr<presso::test::PlacedBytes>> contents_;
  std::unique_ptr<presso::test::PlacedBytes> stored_;
  std::unique_ptr<presso::test::PlacedBytes> plain_;
  std::vector<BlockPlan> plans_;
  std::vector<std::uint32_t> status_;
  std::vector<std::uint64_t> hashes_;
  std::unique_ptr<presso::test::PlacedBytes> survey_;
  std::unique_ptr<presso::test::PlacedBytes> unpacked_;
  std::optional<std::uint64_t> segments_;
  std::uint64_t claimed_ = 0;
};

}  // namespace presso::gpu::test
