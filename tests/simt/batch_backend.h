// SPDX-License-Identifier: MIT
// Who decodes the batches of batch_suite.cpp: the emulator (emulated_batches.h) or a GPU
// (tests/gpu/device_batches.h). Each test program has one backend, which also says which decoders
// the suite tests: the product's strategies, or the laboratory's variants of them (lab/tests).
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "decompress/gpu/batch/batch_memory.h"
#include "tests/simt/batch_case.h"

namespace presso::gpu::test {

/// What decodes a batch: a strategy, or a variant of it that the backend knows.
struct BatchDecoder {
  std::string name;
  Strategy strategy = Strategy::kAuto;
  int variant = 0;  ///< 0: the product's decoders
};

/// For messages of GoogleTest.
inline std::ostream& operator<<(std::ostream& out, const BatchDecoder& decoder) {
  return out << decoder.name;
}

struct BatchRun {
  BatchOptions options;
  int variant = 0;                ///< as in BatchDecoder
  std::size_t out_remainder = 0;  ///< for BatchLayout
  std::uint32_t seed = 1;         ///< of what is left to chance
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
  /// With temporary memory of exactly the size that temporary_bytes() says.
  virtual Result<BatchOutcome> decode(const BatchCase& batch, const BatchLayout& layout,
                                      const BatchRun& run) = 0;

  /// The decoders that the suite tests here.
  virtual std::vector<BatchDecoder> decoders() const {
    return {{"Auto", Strategy::kAuto},
            {"MultiRound", Strategy::kMultiRound},
            {"DependencyFree", Strategy::kDependencyFree}};
  }
  /// How much temporary memory the decoder of `run` asks for.
  virtual std::size_t temporary_bytes(const BatchRun& run, std::uint32_t blocks,
                                      std::uint64_t plain_bytes) const {
    return BatchMemory(blocks, run.options)
        .bytes(BatchMemory::segments_of_batch(blocks, plain_bytes));
  }
};

BatchBackend& batch_backend();

}  // namespace presso::gpu::test
