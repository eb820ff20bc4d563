// SPDX-License-Identifier: MIT
// Decoding on a GPU: whole files through bounded memory, one after another without a pause, from
// host to host (Decompressor, decompress_host), and parts of a file into device memory (GpuFile).
// Below these lies gpu_batch.h for those who bring blocks and memory of their own. Catalogue S7.14.
//
// Bytes and error codes are those of the CPU decoder (decompress.h) for every input, whatever the
// options. No CUDA header is needed. Nothing here waits for the whole device or uses the default
// stream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "presso/decompress.h"
#include "presso/gpu_batch.h"

namespace presso::gpu {

class Device;  // decompress/gpu/pipeline/device.h

struct GpuOptions {
  int device = 0;  ///< as list_devices() counts
  Strategy strategy = Strategy::kAuto;
  /// Batches under way at a time, each with memory and a stream of its own: 1 overlaps nothing.
  unsigned slots = 4;
  /// Plain bytes of a batch; 0: by what there is to decode, 8 to 64 MiB.
  std::uint64_t slot_plain_bytes = 0;
  std::uint64_t max_device_bytes = 0;  ///< of memory on the GPU; 0: no limit
  std::uint64_t max_pinned_bytes = 0;  ///< of page-locked host memory; 0: no limit
  unsigned reader_threads = 0;         ///< that fill pinned memory; 0: all, at most 8
  /// Where the GPU fails in the middle, the rest is decoded on the CPU. Where it fails before the
  /// first byte is read, that is an error all the same.
  bool cpu_fallback = false;
  /// Called once, when the GPU has failed and the CPU goes on. On any thread.
  std::function<void(const Error&)> on_fallback;
};

/// Plain bytes [begin, end) of a file.
struct PlainRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// One compressed file or stream and where its plain bytes go.
struct DecodeJob {
  /// Exactly one of these three, to stay until `finished`. `memory` that is pinned is not copied on
  /// its way to the GPU. Files are read by several threads through their index.
  const RandomAccess* file = nullptr;
  std::optional<Bytes> memory;
  ByteSource* stream = nullptr;
  /// At most one of these two. `into` must be as large as what is decoded; where it is pinned the
  /// GPU writes into it. Neither: the blocks are only checked and their bytes stay on the GPU.
  ByteSink* sink = nullptr;
  std::optional<MutableBytes> into;
  /// Only these plain bytes, and only the blocks that hold them are read: errors elsewhere do not
  /// show. Not of a stream, not with salvage.
  std::optional<PlainRange> range;
  /// As for decompress_stream(); `threads` counts where the CPU has to help out.
  DecompressOptions options;
  /// Called exactly once, when everything was written or with the first error of the file.
  std::function<void(Result<DecompressSummary>)> finished;
};

/// What is to come, as far as it is known: sets the size of the slots.
struct WorkHint {
  std::uint64_t plain_bytes = 0;   ///< of all jobs together; 0: unknown
  std::uint64_t stored_bytes = 0;  ///< likewise
  std::uint64_t jobs = 1;
  bool keeps_output = true;  ///< some job has a sink
};

/// A device with the memory of the pipeline, which is kept from run to run. One run at a time.
class Decompressor {
 public:
  /// Starts CUDA on the device, if this process has not yet: a part of a second. kNoDevice,
  /// kDeviceMemory, kDeviceLost, kInvalidArgument for a device that is not there.
  static Result<Decompressor> open(const GpuOptions& options = {});
  /// Over another implementation of the device.
  static Result<Decompressor> over(std::unique_ptr<Device> device, const GpuOptions& options);

  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;
  ~Decompressor();

  /// Decodes one job; its result instead of a call of `finished`, which must be empty.
  Result<DecompressSummary> run(const DecodeJob& job);
  /// Decodes jobs one behind another: the next is read while the last is still being written. An
  /// error ends its job, not the run; a failure of the GPU without cpu_fallback ends every job that
  /// is left. `next` and the jobs' `finished` are called on different threads, each one call at a
  /// time; sinks and callbacks of the jobs in order, one call at a time. Errors: where the slots
  /// do not fit into memory, before `next` is called; kOutOfMemory.
  Status run(const std::function<std::optional<DecodeJob>()>& next, const WorkHint& hint = {});

 private:
  struct State;
  explicit Decompressor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// All of a compressed file in host memory into host memory, `into` being at least as large as its
/// plain bytes: the fastest way where both are pinned. The number of plain bytes is returned.
Result<std::uint64_t> decompress_host(Bytes compressed, MutableBytes into,
                                      const GpuOptions& options = {}, bool verify = true);

}  // namespace presso::gpu
