// SPDX-License-Identifier: MIT
// batch_suite.cpp in the emulator: the steps of decode_batch with the kernels' bodies, on memory of
// exactly the size that the interface asks for.
#include <gtest/gtest.h>

#include "decompress/gpu/batch_steps.h"
#include "decompress/gpu/decoder_steps.h"
#include "decompress/gpu/finish.cuh"
#include "tests/simt/batch_backend.h"
#include "tests/simt/emulator.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {
namespace {

using presso::test::PlacedBytes;

constexpr WarpDecoderTuning kTuning = WarpDecoderSelector::tuning(90);
/// As if of a device with one multiprocessor.
constexpr std::uint32_t kFewBlocks = FewBlocks::Relay::kBlocksPerMultiprocessor;
static_assert(FewBlocks::suit(kFewBlocks, 1) && !FewBlocks::suit(kFewBlocks + 1, 1));

using Policy = WarpPolicy<kTuning.copy_bytes, kTuning.copies_in_flight, kTuning.match_bytes>;

/// A failure of the emulator as an error, so that the step's name comes with it.
class EmulatedLauncher {
 public:
  explicit EmulatedLauncher(std::uint32_t seed) { options_.seed = seed; }

  Status clear(std::uint64_t* word) {
    *word = 0;
    return {};
  }
  Status plan(const PlanArguments& arguments) {
    const std::uint32_t blocks = arguments.batch.blocks;
    return run("plan", (blocks + 63) / 64, 64, 0, [&] { plan_body(arguments); });
  }
  Status decode(const DecodeLaunch& launch) { return enqueue_decoders(launch, *this); }
  Status finish(const BlockBatch& batch) {
    return run("finish", 3, 64, 0, [&] { finish_body(batch); });
  }

  // Of enqueue_decoders.
  bool is_small(const BlockBatch& batch) const { return batch.blocks <= kFewBlocks; }
  template <class Tuning, Unpacking kWhich, bool>
  Status unpack(const BlockBatch& batch) {
    return run("unpack", batch.blocks, Unpacker<Tuning, kWhich>::kThreads,
               sizeof(typename Unpacker<Tuning, kWhich>::Shared),
               [&] { unpack_body<Tuning, kWhich>(batch.plans, batch.status); });
  }
  template <class Tuning>
  Status survey(const BlockBatch& batch) {
    return run("survey", batch.blocks, Tuning::kSurveyWarps * simt::kWarpSize,
               sizeof(typename Survey<Tuning>::Shared),
               [&] { survey_body<Tuning>(batch.plans, batch.status); });
  }
  template <class Tuning, bool kBit>
  Status relay_decoder(const BlockBatch& batch) {
    using Relay = typename Tuning::Relay;
    return run("relay decoder", batch.blocks, Relay::kThreads, sizeof(RelayShared<Relay>),
               [&] { relay_decoder_body<Relay, kBit>(batch.plans, batch.status); });
  }
  template <class Tuning>
  Status fused_decoder(const BlockBatch& batch) {
    return run("fused decoder", batch.blocks, FusedDecoder<Tuning>::kThreads,
               FusedDecoder<Tuning>::kSharedBytes,
               [&] { fused_decoder_body<Tuning>(batch.plans, batch.status); });
  }
  template <class Resolve, bool kBit>
  Status warp_decoder(const BlockBatch& batch) {
    return run_warps("warp decoder", batch.blocks, [&] {
      warp_decoder_body<Resolve, Policy, kBit>(batch.plans, batch.status, batch.blocks);
    });
  }
  template <bool kBit>
  Status list_references(const BlockBatch& batch, const ReferenceLists& lists) {
    return run_warps("listing", batch.blocks, [&] {
      list_references_body<Policy, kBit>(batch.plans, batch.status, batch.blocks, lists);
    });
  }
  /// Those that would find nothing to do are left out.
  Status resolve_rounds(const BlockBatch& batch, const ReferenceLists& lists,
                        std::uint32_t rounds) {
    for (; rounds > 0; --rounds) {
      if (std::equal(lists.begin, lists.begin + batch.blocks, lists.end)) break;
      PRESSO_TRY(run_warps("round", batch.blocks, [&] {
        resolve_round_body<Policy>(batch.plans, batch.status, batch.blocks, lists);
      }));
    }
    return {};
  }

 private:
  Status run(const char* step, std::uint32_t grid, std::uint32_t threads, std::size_t shared_bytes,
             const std::function<void()>& body) {
    const simt::Report report = simt::run({grid, threads, shared_bytes}, options_, body);
    ++options_.seed;
    if (report.ok()) return {};
    return make_error(ErrorCode::kDeviceLost, std::string(step) + ": " + report.what);
  }

  Status run_warps(const char* step, std::uint32_t blocks, const std::function<void()>& body) {
    return run(step, (blocks - 1) / kTuning.warps + 1, kTuning.warps * simt::kWarpSize,
               kTuning.warps * sizeof(SegmentTable), body);
  }

  simt::Options options_;
};

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
    const BatchMemory memory(blocks, run.options);
    PlacedBytes temporary(memory.bytes(BatchMemory::segments_of_batch(blocks, batch.plain_bytes())),
                          0);
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
    EmulatedLauncher launcher(run.seed);
    PRESSO_TRY(enqueue_batch(arguments, run.options, launcher));
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
  for (const Strategy strategy : {Strategy::kAuto, Strategy::kMultiRoundKernels}) {
    options_.strategy = strategy;
    BatchArguments arguments = sound();
    --arguments.temporary_bytes;
    expect_refused(arguments);
  }
}

TEST_F(Arguments, WithAnUnknownStrategyAreRefused) {
  options_.strategy = static_cast<Strategy>(6);
  expect_refused(sound());
}

}  // namespace

BatchBackend& batch_backend() {
  static EmulatedBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
