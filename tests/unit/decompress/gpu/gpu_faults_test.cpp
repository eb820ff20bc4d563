// SPDX-License-Identifier: MIT
// A GPU that fails at any of its calls: the error has the right code and ends every job that is
// left, each once; with cpu_fallback the bytes come all the same, unless it failed before the first
// was read. FakeGpu checks that everything is given back.
#include <gtest/gtest.h>

#include "tests/support/gpu_runs.h"

namespace presso::test::gpu_faults_test {
namespace {

using gpu::DecodeJob;
using gpu::GpuOptions;

constexpr std::size_t kJobs = 3;

const std::vector<Byte>& plain() {
  static const std::vector<Byte> bytes = log_lines(20 * kMinBlockBytes + 99, 5);
  return bytes;
}
const std::vector<Byte>& file() {
  static const std::vector<Byte> bytes = compressed(plain(), 8192);
  return bytes;
}

struct Ran {
  ErrorCode opened = ErrorCode::kOk;
  ErrorCode run = ErrorCode::kOk;
  std::vector<Seen> jobs = {};
  std::vector<ErrorCode> fallbacks = {};
  std::uint64_t calls = 0;  ///< of the kind that is to fail

  bool all_are_right() const {
    const Seen cpu = seen_on_cpu(file());
    for (const Seen& job : jobs) expect_same(job, cpu);
    return jobs.size() == kJobs;
  }
};

Ran run_jobs(const FakeFaults& faults, bool cpu_fallback, std::vector<Byte> input = file(),
             GpuOptions options = {}) {
  Ran ran;
  options.slots = 3;
  options.slot_plain_bytes = 4 * kMinBlockBytes;
  options.cpu_fallback = cpu_fallback;
  std::mutex mutex;
  options.on_fallback = [&](const Error& error) {
    const std::lock_guard lock(mutex);
    ran.fallbacks.push_back(error.code);
  };
  FakeGpu gpu(options, faults);
  ran.opened = gpu.open_error();
  if (ran.opened != ErrorCode::kOk) return ran;
  const MemoryRandomAccess reader(input);
  std::vector<std::unique_ptr<VectorSink>> sinks;
  ran.jobs.reserve(kJobs);
  std::size_t finished = 0;
  const Status status = gpu->run([&]() -> std::optional<DecodeJob> {
    if (ran.jobs.size() == kJobs) return std::nullopt;
    Seen& seen = ran.jobs.emplace_back();
    sinks.push_back(std::make_unique<VectorSink>(seen.plain));
    DecodeJob job;
    job.file = &reader;
    job.sink = sinks.back().get();
    job.options.threads = 2;
    job.finished = [&](const Result<DecompressSummary>& result) {
      ++finished;
      note(seen, result);
    };
    return job;
  });
  EXPECT_EQ(finished, ran.jobs.size());
  ran.run = status.ok() ? ErrorCode::kOk : status.error().code;
  return ran;
}

/// Everything that `faults` lets happen, one call later each time, until nothing fails any more.
void fail_at_every_call(std::size_t FakeFaults::*kind, ErrorCode code) {
  std::size_t failed = 0;
  for (std::size_t call = 0;; ++call) {
    SCOPED_TRACE(call);
    FakeFaults faults;
    faults.*kind = call;
    const Ran strict = run_jobs(faults, false);
    ASSERT_EQ(strict.opened, ErrorCode::kOk);
    EXPECT_TRUE(strict.fallbacks.empty());
    if (strict.run == ErrorCode::kOk && strict.jobs.back().error.code == ErrorCode::kOk) break;
    ++failed;
    if (strict.run != ErrorCode::kOk) {
      EXPECT_EQ(strict.run, code);
      EXPECT_TRUE(strict.jobs.empty());
    }
    for (const Seen& job : strict.jobs) {
      if (job.error.code == ErrorCode::kOk) {
        expect_same(job, seen_on_cpu(file()));
      } else {
        EXPECT_EQ(job.error.code, code);
        EXPECT_LE(job.plain.size(), plain().size());
        EXPECT_TRUE(std::equal(job.plain.begin(), job.plain.end(), plain().begin()));
      }
    }
    const Ran helped = run_jobs(faults, true);
    EXPECT_EQ(helped.run, strict.run);
    if (helped.run != ErrorCode::kOk) continue;
    EXPECT_TRUE(helped.all_are_right());
    EXPECT_EQ(helped.fallbacks, std::vector<ErrorCode>{code});
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(failed, 2u);
}

TEST(GpuFaults, LostAtAnyCopy) {
  fail_at_every_call(&FakeFaults::copy, ErrorCode::kDeviceLost);
}

TEST(GpuFaults, LostAtAnyDecode) {
  fail_at_every_call(&FakeFaults::decode, ErrorCode::kDeviceLost);
}

TEST(GpuFaults, LostWhileDecoding) {
  fail_at_every_call(&FakeFaults::decode_later, ErrorCode::kDeviceLost);
}

TEST(GpuFaults, LeavesAStatusThatIsNone) {
  FakeFaults faults;
  faults.odd_status = 2;
  const Ran strict = run_jobs(faults, false);
  EXPECT_EQ(strict.jobs.front().error.code, ErrorCode::kDeviceLost);
  const Ran helped = run_jobs(faults, true);
  EXPECT_TRUE(helped.all_are_right());
  EXPECT_EQ(helped.fallbacks, std::vector<ErrorCode>{ErrorCode::kDeviceLost});
}

/// The CPU finds no damage in that block, so that it must be the GPU that is wrong.
TEST(GpuFaults, TakesASoundBlockForDamaged) {
  FakeFaults faults;
  faults.false_damage = 2;
  const Ran strict = run_jobs(faults, false);
  EXPECT_EQ(strict.jobs.front().error.code, ErrorCode::kDeviceLost);
  const Ran helped = run_jobs(faults, true);
  EXPECT_TRUE(helped.all_are_right());
  EXPECT_EQ(helped.fallbacks, std::vector<ErrorCode>{ErrorCode::kDeviceLost});
}

TEST(GpuFaults, NoDevice) {
  FakeFaults faults;
  faults.no_device = true;
  EXPECT_EQ(run_jobs(faults, true).opened, ErrorCode::kNoDevice);
}

/// With less memory there are fewer slots or smaller ones; with none the run does not begin.
TEST(GpuFaults, OutOfMemoryAtAnyAllocation) {
  for (std::size_t FakeFaults::*kind : {&FakeFaults::allocation, &FakeFaults::pinned_allocation}) {
    const ErrorCode code =
        kind == &FakeFaults::allocation ? ErrorCode::kDeviceMemory : ErrorCode::kOutOfMemory;
    std::size_t refused = 0, made_do = 0;
    for (std::size_t call = 0; call < 16; ++call) {
      SCOPED_TRACE(call);
      FakeFaults faults;
      faults.*kind = call;
      const Ran ran = run_jobs(faults, false);
      if (ran.run != ErrorCode::kOk) {
        EXPECT_EQ(ran.run, code);
        EXPECT_TRUE(ran.jobs.empty());
        ++refused;
      } else {
        EXPECT_TRUE(ran.all_are_right());
        ++made_do;
      }
    }
    EXPECT_GT(refused, 0u);
    EXPECT_GT(made_do, 5u);
  }
}

TEST(GpuFaults, ABlockThatDoesNotFitIsAnErrorOrTheCpus) {
  const std::vector<Byte> text = log_lines(2 * kMaxBlockBytes, 3);
  const std::vector<Byte> large = compressed(text, 0, kMaxBlockBytes);
  GpuOptions options;
  options.max_device_bytes = 6u << 20;
  const Ran strict = run_jobs({}, false, large, options);
  EXPECT_EQ(strict.run, ErrorCode::kOk);
  for (const Seen& job : strict.jobs) EXPECT_EQ(job.error.code, ErrorCode::kDeviceMemory);
  const Ran helped = run_jobs({}, true, large, options);
  const Seen cpu = seen_on_cpu(large);
  for (const Seen& job : helped.jobs) expect_same(job, cpu);
  EXPECT_EQ(helped.fallbacks, std::vector<ErrorCode>{ErrorCode::kDeviceMemory});
}

TEST(GpuFaults, BlocksThatOutgrowALostGpuGoToTheCpu) {
  const std::vector<Byte> text = log_lines(3 * kDefaultBlockBytes, 3);
  std::vector<Byte> mixed = file();
  append(mixed, compressed(text, 0, kDefaultBlockBytes));
  FakeFaults faults;
  faults.copy = 5;
  const Ran helped = run_jobs(faults, true, mixed);
  const Seen cpu = seen_on_cpu(mixed);
  ASSERT_EQ(helped.jobs.size(), kJobs);
  for (const Seen& job : helped.jobs) expect_same(job, cpu);
}

TEST(GpuFaults, DamageIsFoundOnEitherSideOfTheFailure) {
  std::vector<Byte> damaged = file();
  damaged[damaged.size() / 4] ^= 1;
  damaged[damaged.size() * 3 / 4] ^= 1;
  const Seen cpu = seen_on_cpu(damaged, true);
  ASSERT_EQ(cpu.damages.size(), 2u);
  for (const std::size_t copy : {3u, 6u, 9u}) {
    SCOPED_TRACE(copy);
    FakeFaults faults;
    faults.copy = copy;
    GpuOptions options;
    options.slot_plain_bytes = 4 * kMinBlockBytes;
    options.cpu_fallback = true;
    expect_same(FakeGpu(options, faults).run_file(damaged, true), cpu);
    expect_same(FakeGpu(options, faults).run_stream(damaged, true), cpu);
  }
}

}  // namespace
}  // namespace presso::test::gpu_faults_test
