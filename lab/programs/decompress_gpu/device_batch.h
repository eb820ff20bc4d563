// SPDX-License-Identifier: MIT
// The blocks of a file in device memory, as often as it takes to fill a GPU: each replica has
// stored blocks and room for plain bytes of its own, so that caches help no more than with a file
// of that size. Dictionaries are there once, as in such a file.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "decompress/gpu/runtime/memory.h"
#include "lab/gpu/variants.h"
#include "lab/programs/decompress_gpu/bench_support.h"
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
  explicit DeviceBatch(Device& device) : device_(device), memory_(device, {}) {}

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
  Result<Times> measure(int runs);
  /// The same around any work on the batch's stream; `check` is called after each run, untimed.
  Result<Times> measure(int runs, const std::function<Status()>& work,
                        const std::function<Status()>& check);

  /// What decode_batch is given for the setting, and the stream of all work.
  const BatchArguments& arguments() const { return arguments_; }
  std::uint64_t plain_bytes() const { return setting_bytes_; }
  Stream stream() const { return stream_.get(); }
  Memory& memory() { return memory_; }

 private:
  Result<DeviceMemory> copy_of(const void* from, std::uint64_t bytes);
  Status place_dictionaries(const BlockFile& file);
  Status replicate(const BlockFile& file, std::uint64_t replicas);
  Status fill(const DeviceMemory& memory, int value);
  Status decode();
  Result<std::uint64_t> differences();
  Result<bool> all_statuses_are_ok();

  Device& device_;
  Memory memory_;
  OwnedStream stream_;
  DeviceMemory stored_, plain_, expected_, spans_memory_, statuses_, temporary_, differences_;
  DeviceMemory dictionary_table_;
  std::vector<DeviceMemory> dictionaries_;
  std::vector<BlockSpan> spans_;
  std::uint64_t period_ = 0;  ///< from a replica's plain bytes to the next one's
  Setting setting_;
  std::uint64_t setting_bytes_ = 0;  ///< plain
  BatchArguments arguments_;
};

}  // namespace presso::gpu::bench
