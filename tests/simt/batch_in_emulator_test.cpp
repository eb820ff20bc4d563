// SPDX-License-Identifier: MIT
// batch_suite.cpp in the emulator with the product's decoders, and the arguments of decode_batch.
#include <gtest/gtest.h>

#include "tests/simt/emulated_batches.h"

namespace presso::gpu::test {
namespace {

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
  options_.strategy = static_cast<Strategy>(3);
  expect_refused(sound());
}

}  // namespace

BatchBackend& batch_backend() {
  static EmulatedBatches backend;
  return backend;
}

}  // namespace presso::gpu::test
