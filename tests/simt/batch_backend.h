// SPDX-License-Identifier: MIT
// Who decodes the batches of batch_suite.cpp: the emulator (batch_in_emulator_test.cpp) or a GPU
// (tests/gpu/batch_on_device_test.cpp). Each test program has one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/simt/batch_case.h"
#include "lab/gpu/variants.h"

namespace presso::gpu::test {

struct BatchRun {
  BatchOptions options;
  std::optional<lab::Variant> variant = {};  ///< else the product's decoders
  std::size_t out_remainder = 0;             ///< for BatchLayout
  std::uint32_t seed = 1;                    ///< of what is left to chance
};

struct BatchOutcome {
  std::vector<std::uint32_t> statuses;
  std::vector<Byte> plain;          ///< all of the batch's plain memory, poisoned before
  bool temporary_is_intact = true;  ///< nothing was written after it
};

class BatchBackend {
 public:
  virtual ~BatchBackend() = default;

  /// Why nothing can be decoded here; empty where it can.
  virtual std::string unavailable() const = 0;
  /// How much the suite does: 1 for an emulator or under compute-sanitizer, more on a device.
  virtual std::uint32_t scale() const = 0;
  /// Batches of up to so many blocks are decoded as small ones (policies.h).
  virtual std::uint32_t few_blocks() const = 0;
  /// Whether races are reported. Faulty blocks of the tile rule are left out then: bytes of theirs
  /// do depend on each other where the relay decoder was told that they do not.
  virtual bool reports_races() const = 0;
  /// With temporary memory of exactly the size that temporary_bytes_of() says.
  virtual Result<BatchOutcome> decode(const BatchCase& batch, const BatchLayout& layout,
                                      const BatchRun& run) = 0;
};

BatchBackend& batch_backend();

/// What the product, or the variant, asks for.
inline std::size_t temporary_bytes_of(const BatchRun& run, std::uint32_t blocks,
                                      std::uint64_t plain_bytes) {
  if (run.variant) return lab::temporary_bytes(*run.variant, blocks, plain_bytes, run.options);
  return BatchMemory(blocks, run.options)
      .bytes(BatchMemory::segments_of_batch(blocks, plain_bytes));
}

}  // namespace presso::gpu::test
