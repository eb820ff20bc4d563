// SPDX-License-Identifier: MIT
// How many plain bytes each batch of a run holds: few at first, so that the GPU and the way out
// have something to do soon; twice as many each time until the slots are full; at the end half of
// what is left each time, since nothing overlaps the last batch on its way out.
//
//   1 GiB, slots of 256 MiB    32 64 128 256 256 144 72 36 36
#pragma once

#include <cstdint>

namespace presso::gpu {

/// Computes the sizes of one run's batches; it has no memory and no blocks. Called by the thread
/// that reads batches.
class BatchSizes {
 public:
  /// Batches grow from `first` to `most` plain bytes; the run has `expected` bytes (0: unknown).
  BatchSizes(std::uint64_t first, std::uint64_t most, std::uint64_t expected)
      : first_(first), most_(most), left_(expected), grown_(first) {}
  /// For slots of this size: an eighth of one at first. `all_alike`: each batch fills a slot.
  static BatchSizes of_slots(std::uint64_t slot_plain_bytes, std::uint64_t expected,
                             bool all_alike);

  /// Plain bytes of the next batch. A single block may be larger.
  std::uint64_t next() const;
  /// Says how many plain bytes the batch has.
  void took(std::uint64_t plain_bytes);

 private:
  std::uint64_t first_;
  std::uint64_t most_;
  std::uint64_t left_;  ///< 0: unknown, or more came than expected
  /// The size that doubling has reached.
  std::uint64_t grown_;
};

}  // namespace presso::gpu
