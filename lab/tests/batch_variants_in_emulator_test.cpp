// SPDX-License-Identifier: MIT
// batch_suite.cpp in the emulator with the laboratory's variants of the decoders.
#include "lab/tests/batch_variants.h"
#include "lab/tests/emulated_variants.h"
#include "tests/simt/emulated_batches.h"

namespace presso::gpu::test {
namespace {

class EmulatedVariants : public BatchVariants<EmulatedBatches> {
 protected:
  Status enqueue(const BatchArguments& arguments, std::uint64_t plain_bytes,
                 const BatchRun& run) override {
    EmulatedVariantLauncher launcher(run.seed);
    return lab::enqueue_batch(variant_of(run), arguments, plain_bytes, run.options, launcher,
                              launcher);
  }
};

}  // namespace

BatchBackend& batch_backend() {
  static EmulatedVariants backend;
  return backend;
}

}  // namespace presso::gpu::test
