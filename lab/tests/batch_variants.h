// SPDX-License-Identifier: MIT
// The laboratory's variants of the GPU decoders as decoders for tests/simt/batch_suite.cpp.
#pragma once

#include <string>
#include <vector>

#include "lab/gpu/variants.h"
#include "tests/simt/batch_backend.h"

namespace presso::gpu::test {

/// `Batches`: a backend of the product's decoders, in the emulator or on a device.
template <class Batches>
class BatchVariants : public Batches {
 public:
  std::vector<BatchDecoder> decoders() const override {
    std::vector<BatchDecoder> decoders;
    const auto add = [&](const char* name, lab::Variant variant) {
      decoders.push_back({name, lab::strategy_of(variant), static_cast<int>(variant)});
    };
    add("Sequential", lab::Variant::kSequential);
    add("MultiRoundKernels", lab::Variant::kMultiRoundKernels);
    add("Fused", lab::Variant::kFused);
    return decoders;
  }
  std::size_t temporary_bytes(const BatchRun& run, std::uint32_t blocks,
                              std::uint64_t plain_bytes) const override {
    return lab::temporary_bytes(variant_of(run), blocks, plain_bytes, run.options);
  }

 protected:
  static lab::Variant variant_of(const BatchRun& run) {
    return static_cast<lab::Variant>(run.variant);
  }
};

}  // namespace presso::gpu::test
