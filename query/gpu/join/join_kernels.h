// SPDX-License-Identifier: MIT
// The interface between the host's side of joins (device_joiner.cpp) and kernels, so that the
// host's side also runs where there is no CUDA, in tests over the emulator. All calls enqueue on
// the stream and do not wait; errors are those of launches.
#pragma once

#include <memory>

#include "decompress/gpu/runtime/device.h"
#include "query/gpu/join/device_join_plan.h"
#include "query/gpu/join/key_packing.h"

namespace presso::gpu {

/// A column whose range is looked for.
struct KeyColumn {
  JoinRows rows;
  std::uint32_t key_bytes = 8;  ///< 4 or 8
  bool is_signed = false;

  /// The bit that is inverted so that keys ascend as unsigned numbers.
  std::uint64_t sign_bit() const {
    return is_signed ? std::uint64_t{1} << (8 * key_bytes - 1) : std::uint64_t{0};
  }
};

/// Implemented by device_join.cu and by the tests.
class JoinKernels {
 public:
  virtual ~JoinKernels() = default;

  /// JoinSteps::count() and write() of join_steps.h.
  virtual Status count(const JoinPlan& plan, void* d_temporary, Stream stream) = 0;
  virtual Status write(const JoinPlan& plan, void* d_temporary, const JoinPairs& pairs,
                       Stream stream) = 0;
  /// Finds the range of keys of rows that take part, with the sign bit inverted. The least key is
  /// greater than the greatest if there is none.
  virtual Status find_range(const KeyColumn& column, JoinKeyRange* d_range, Stream stream) = 0;
  /// Packs several columns into one.
  virtual Status pack(const PackedKeys& keys, Stream stream) = 0;
  /// Builds the lookup and gives both sides' keys their numbers.
  virtual Status number(const KeyNumbers& keys, Stream stream) = 0;
  /// Copies bits that begin anywhere to whole words.
  virtual Status copy_bits(const Byte* d_from, std::uint64_t first_bit, std::uint64_t bits,
                           std::uint32_t* d_to, Stream stream) = 0;
  /// Writes a bit for each number, in whole words: whether it is a row.
  virtual Status write_presence(const std::uint32_t* d_rows, std::uint64_t count,
                                std::uint32_t* d_bits, Stream stream) = 0;
};

/// Returns the kernels for a device, as list_devices() counts; only in builds with CUDA.
std::shared_ptr<JoinKernels> cuda_join_kernels(int device);

}  // namespace presso::gpu
