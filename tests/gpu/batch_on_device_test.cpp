// SPDX-License-Identifier: MIT
// batch_suite.cpp and batch_graph_suite.cpp on a GPU with the product's decoders; and what an
// emulator cannot show: batches on several streams, and a machine without a GPU.
#include "tests/gpu/device_batches.h"

namespace presso::gpu::test {
namespace {

TEST_F(OnDevice, BatchesOnSeveralStreamsDoNotMeet) {
  constexpr std::size_t kStreams = 4;
  std::vector<BatchCase> batches;
  std::vector<BatchLayout> layouts;
  std::vector<BatchRun> runs;
  std::vector<std::unique_ptr<DeviceBatch>> devices;
  for (std::size_t i = 0; i < kStreams; ++i) {
    batches.push_back(some_batch(static_cast<std::uint32_t>(i)));
    layouts.emplace_back(batches.back(), i);
    devices.push_back(std::make_unique<DeviceBatch>());
    runs.push_back({{Strategy::kAuto, i != 2}});
    const Status placed =
        device_batches().place(*devices.back(), batches.back(), layouts.back(), runs.back());
    ASSERT_TRUE(placed.ok()) << placed.error().message();
  }
  for (std::size_t i = 0; i < kStreams; ++i) {
    ASSERT_TRUE(device_batches().enqueue(*devices[i], batches[i].plain_bytes(), runs[i]).ok());
  }
  for (std::size_t i = 0; i < kStreams; ++i) expect_sound(batches[i], layouts[i], *devices[i]);
}

alignas(256) Byte some_memory[1 << 16];

BatchArguments host_arguments() {
  BatchArguments arguments;
  arguments.d_stored = arguments.d_plain = some_memory;
  arguments.d_spans = reinterpret_cast<const BlockSpan*>(some_memory);
  arguments.blocks = 1;
  arguments.d_status = reinterpret_cast<std::uint32_t*>(some_memory);
  arguments.d_temporary = some_memory;
  arguments.temporary_bytes = sizeof some_memory;
  return arguments;
}

TEST_F(OnDevice, ABatchOfNoBlocksIsDoneAtOnce) {
  const Stream stream;
  BatchArguments arguments = host_arguments();  // memory that no kernel could touch
  arguments.blocks = 0;
  EXPECT_TRUE(decode_batch(arguments, {}, stream.get()).ok());
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  for (const Byte byte : some_memory) ASSERT_EQ(byte, 0);
}

// --- without a device

TEST(BatchArguments, AreCheckedBeforeAnythingIsLaunched) {
  BatchArguments arguments = host_arguments();
  arguments.temporary_bytes = 256;
  const Status status = decode_batch(arguments, {}, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

TEST(BatchArguments, OfAMachineWithoutAGpuAreNotDecoded) {
  if (list_devices().ok()) GTEST_SKIP() << "this machine has a GPU";
  const Status status = decode_batch(host_arguments(), {}, nullptr);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kNoDevice);
}

}  // namespace

DeviceBatches& device_batches() {
  static DeviceBatches batches;
  return batches;
}

BatchBackend& batch_backend() {
  return device_batches();
}

}  // namespace presso::gpu::test
