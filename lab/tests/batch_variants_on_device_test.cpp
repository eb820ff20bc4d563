// SPDX-License-Identifier: MIT
// batch_suite.cpp and batch_graph_suite.cpp on a GPU with the laboratory's variants of the
// decoders.
#include "lab/tests/batch_variants.h"
#include "tests/gpu/device_batches.h"

namespace presso::gpu::test {
namespace {

class DeviceVariants : public BatchVariants<DeviceBatches> {
 public:
  Status enqueue(const DeviceBatch& device, std::uint64_t plain_bytes,
                 const BatchRun& run) const override {
    return lab::decode_batch(variant_of(run), device.arguments(), plain_bytes, run.options,
                             device.stream().get());
  }
};

}  // namespace

DeviceBatches& device_batches() {
  static DeviceVariants batches;
  return batches;
}

BatchBackend& batch_backend() {
  return device_batches();
}

}  // namespace presso::gpu::test
