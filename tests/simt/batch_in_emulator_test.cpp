// SPDX-License-Identifier: MIT
// batch_suite.cpp in the emulator: the steps of decode_batch with the kernels' bodies, on memory of
// exactly the size that the interface asks for.
#include <gtest/gtest.h>

#include "tests/simt/batch_backend.h"
#include "tests/simt/emulated_variants.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {
namespace {

using presso::test::PlacedBytes;

class EmulatedBackend : public BatchBackend {
 public:
  std::string unavailable() const override { return {}; }
  std::uint32_t scale() const override { return 1; }
  std::uint32_t few_blocks() const override { return kFewBlocks; }
  bool reports_races() const override { return false; }

  Result<BatchOutcome> decode(const BatchCase& batch, const BatchLayout& layout,
                              const BatchRun& run) override {
    const auto blocks = static_cast<std::uint32_t>(layout.spans.size());
    const PlacedBytes stored(Bytes(layout.stored), 0);
    PlacedBytes plain(std::vector<Byte>(layout.plain_bytes, BatchLayout::kPoison), 0);
    PlacedBytes temporary(temporary_bytes_of(run, blocks, batch.plain_bytes()), 0);
    std::vector<std::uint32_t> statuses(blocks, 0xDEADBEEF);
    std::vector<std::unique_ptr<PlacedBytes>> contents;
    const std::vector<DictionarySpan> dictionaries = place(batch.dictionaries, contents);

    BatchArguments arguments;
    arguments.d_stored = stored.data();
    arguments.d_plain = plain.data();
    arguments.d_spans = layout.spans.data();
    arguments.blocks = blocks;
    arguments.largest_plain_bytes = batch.largest_plain_bytes();
    arguments.d_dictionaries = dictionaries.data();
    arguments.d_status = statuses.data();
    arguments.d_temporary = temporary.data();
    arguments.temporary_bytes = temporary.size();
    EmulatedVariantLauncher launcher(run.seed);
    if (run.variant) {
      PRESSO_TRY(lab::enqueue_batch(*run.variant, arguments, batch.plain_bytes(), run.options,
                                    launcher, launcher));
    } else {
      PRESSO_TRY(enqueue_batch(arguments, run.options, launcher));
    }
    return BatchOutcome{std::move(statuses), {plain.data(), plain.data() + plain.size()}, true};
  }

 private:
  static std::vector<DictionarySpan> place(const Dictionaries& dictionaries,
                                           std::vector<std::unique_ptr<PlacedBytes>>& contents) {
    std::vector<DictionarySpan> spans(kMaxDictionaries + 1);
    for (const auto& [id, dictionary] : dictionaries) {
      contents.push_back(std::make_unique<PlacedBytes>(dictionary->content(), id % 16));
      spans[id] = {contents.back()->data(), static_cast<std::uint32_t>(contents.back()->size())};
    }
    return spans;
  }
};

// --- arguments

/// Launches nothing, and says so where it is asked to.
struct CountingLauncher {
  int launches = 0;

  Status count() {
    ++launches;
    return {};
  }
  Status clear(std::uint64_t*) { return count(); }
  Status plan(const PlanArguments&) { return count(); }
  Status decode(const DecodeLaunch&) { return count(); }
  Status finish(const BlockBatch&) { return count(); }
};

/// Sound arguments over memory that is never touched.
BatchArguments some_arguments(const BatchOptions& options, Byte* memory, BlockSpan* spans,
                              std::uint32_t* statuses) {
  BatchArguments arguments;
  arguments.d_stored = arguments.d_plain = memory;
  arguments.d_spans = spans;
  arguments.blocks = 10;
  arguments.largest_plain_bytes = 1000;
  arguments.d_status = statuses;
  arguments.d_temporary = memory;
  arguments.temporary_bytes = BatchMemory(10, options).bytes(20);
  return arguments;
}

class Arguments : public ::testing::Test {
 protected:
  BatchArguments sound() { return some_arguments(options_, memory_, spans_, statuses_); }

  void expect_refused(const BatchArguments& arguments) {
    CountingLauncher launcher;
    const Status status = enqueue_batch(arguments, options_, launcher);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(status.error().what.empty());
    EXPECT_EQ(launcher.launches, 0);
  }

  BatchOptions options_;
  alignas(256) Byte memory_[512];
  BlockSpan spans_[10];
  std::uint32_t statuses_[10];
};

TEST_F(Arguments, ThatAreSoundAreTaken) {
  CountingLauncher launcher;
  EXPECT_TRUE(enqueue_batch(sound(), options_, launcher).ok());
  EXPECT_EQ(launcher.launches, 4);
}

TEST_F(Arguments, OfNoBlocksNeedNothing) {
  CountingLauncher launcher;
  EXPECT_TRUE(enqueue_batch({}, options_, launcher).ok());
  EXPECT_EQ(launcher.launches, 0);
}

TEST_F(Arguments, WithoutMemoryAreRefused) {
  for (int which = 0; which < 5; ++which) {
    BatchArguments arguments = sound();
    if (which == 0) arguments.d_stored = nullptr;
    if (which == 1) arguments.d_plain = nullptr;
    if (which == 2) arguments.d_spans = nullptr;
    if (which == 3) arguments.d_status = nullptr;
    if (which == 4) arguments.d_temporary = nullptr;
    SCOPED_TRACE(which);
    expect_refused(arguments);
  }
}

TEST_F(Arguments, WithMisalignedMemoryAreRefused) {
  BatchArguments arguments = sound();
  arguments.d_stored += 8;
  expect_refused(arguments);
  arguments = sound();
  arguments.d_temporary = memory_ + 128;
  expect_refused(arguments);
}

TEST_F(Arguments, WithTooLittleTemporaryMemoryAreRefused) {
  for (const Strategy strategy : {Strategy::kAuto, Strategy::kMultiRound}) {
    options_.strategy = strategy;
    BatchArguments arguments = sound();
    --arguments.temporary_bytes;
    expect_refused(arguments);
  }
}

TEST_F(Arguments, WithAnUnknownStrategyAreRefused) {
  options_.strategy = static_cast<Strategy>(4);
  expect_refused(sound());
}

}  // namespace

BatchBackend& batch_backend() {
  static EmulatedBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
