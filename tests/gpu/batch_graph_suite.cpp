// SPDX-License-Identifier: MIT
// Batches in a CUDA graph, for every decoder of the backend. Linked by a test program that defines
// device_batches().
#include "tests/gpu/device_batches.h"

namespace presso::gpu::test {
namespace {

/// While a stream is captured nothing may synchronise or allocate: both would fail.
TEST_F(OnDevice, ABatchCanBeCapturedInAGraphAndReplayed) {
  const BatchCase batch = some_batch(9);
  const BatchLayout layout(batch, 0);
  for (const BatchDecoder& decoder : batch_backend().decoders()) {
    SCOPED_TRACE(decoder.name);
    const BatchRun run{{decoder.strategy}, decoder.variant};
    const auto enqueue = [&](const DeviceBatch& device) {
      return device_batches().enqueue(device, batch.plain_bytes(), run);
    };
    DeviceBatch device;
    ASSERT_TRUE(device_batches().place(device, batch, layout, run).ok());
    ASSERT_TRUE(enqueue(device).ok());  // loads the kernels
    expect_sound(batch, layout, device);
    const cudaStream_t stream = device.stream().get();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    const Status captured = enqueue(device);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_TRUE(captured.ok()) << captured.error().message();
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    ASSERT_TRUE(device.poison_output(layout).ok());
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    expect_sound(batch, layout, device);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
}

}  // namespace
}  // namespace presso::gpu::test
