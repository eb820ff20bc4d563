// SPDX-License-Identifier: MIT
// The blocks of a file in device memory, as often as it takes to fill a GPU: each replica has
// stored blocks and room for plain bytes of its own, so that caches help no more than with a file
// of that size. Dictionaries are there once, as in such a file.
#pragma once

#include <optional>
#include <vector>

#include "lab/gpu/variants.h"
#include "lab/harness/gpu.h"
#include "lab/programs/decompress_gpu/block_file.h"

namespace presso::gpu::bench {

/// Which blocks of a batch are decoded, and how.
struct Setting {
  BatchOptions options;
  std::uint32_t blocks = 0;  ///< the first ones
  std::optional<lab::Variant> variant = {};
};

class DeviceBatch {
 public:
  explicit DeviceBatch(harness::Gpu& gpu) : gpu_(gpu) {}

  /// Replicas of `file` until there are `plain_bytes`, at least one. To be called once.
  Status place(const BlockFile& file, std::uint64_t plain_bytes);

  const std::vector<BlockSpan>& spans() const { return spans_; }

  /// Makes ready for the others, which are about this setting.
  Status prepare(const Setting& setting);
  /// Decodes into poisoned memory; false where a byte is not the CPU's or a status is not kOk.
  Result<bool> is_correct();
  /// Whether what measure() left is right.
  Result<bool> left_correct_bytes();
  /// Milliseconds from event to event around decode_batch, after three runs that warm up.
  Result<harness::Times> measure(int runs) {
    return gpu_.time(runs, [&] { return decode(); });
  }

  /// What decode_batch is given for the setting.
  const BatchArguments& arguments() const { return arguments_; }
  std::uint64_t plain_bytes() const { return setting_bytes_; }
  harness::Gpu& gpu() { return gpu_; }

 private:
  Status place_dictionaries(const BlockFile& file);
  Status replicate(const BlockFile& file, std::uint64_t replicas);
  Status decode();

  harness::Gpu& gpu_;
  DeviceMemory stored_, plain_, spans_memory_, statuses_, temporary_;
  PinnedMemory found_;
  std::vector<Byte> expected_;  ///< the plain bytes of a replica
  DeviceMemory dictionary_table_;
  std::vector<DeviceMemory> dictionaries_;
  std::vector<BlockSpan> spans_;
  std::uint64_t period_ = 0;  ///< from a replica's plain bytes to the next one's
  Setting setting_;
  std::uint64_t setting_bytes_ = 0;  ///< plain
  BatchArguments arguments_;
};

}  // namespace presso::gpu::bench
