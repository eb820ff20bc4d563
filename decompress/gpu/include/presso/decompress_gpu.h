// SPDX-License-Identifier: MIT
// Decoding on a GPU: whole files through bounded memory, one after another without a pause, from
// host to host (Decompressor, decompress_host), and parts of a file into device memory (GpuFile).
// Below these lies gpu_batch.h for those who bring blocks and memory of their own. Sources: S7.14.
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

class BatchConsumer;    // decompress/gpu/pipeline/batch_consumer.h
struct DecodingDevice;  // decompress/gpu/batch/batch_decoder.h
class BatchEngine;
class FileScanner;  // scan/gpu
struct OpenedFile;

struct GpuOptions {
  int device = 0;  ///< as list_devices() counts
  Strategy strategy = Strategy::kAuto;
  /// Batches under way at a time, each with memory and a stream of its own: 1 overlaps nothing.
  unsigned slots = 4;
  /// Plain bytes of a batch; 0: by what there is to decode and how well it is compressed, up to 64
  /// MiB, into device memory up to 512; fewer in the first and the last batches of a run.
  std::uint64_t slot_plain_bytes = 0;
  std::uint64_t max_device_bytes = 0;  ///< of memory on the GPU; 0: no limit
  std::uint64_t max_pinned_bytes = 0;  ///< of page-locked host memory; 0: no limit
  /// That fill pinned memory; 0: all, at most 16. At most 8 of them write what comes back.
  unsigned reader_threads = 0;
  /// Where the GPU fails, or has no room, the CPU decodes what is left. Errors of open() are errors
  /// all the same, and so are those of run() for several jobs before the first is begun. Batches
  /// with blocks that GPUs do not decode (Bit coding in sub-blocks) go to the CPU, too. Without
  /// this, and always into device memory, such a block is kUnsupported and ends the job, salvage or
  /// not.
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
  /// At most one of these three. `into` must be as large as what is decoded; where it is pinned the
  /// GPU writes into it. `on_device` works on batches in device memory. None: the blocks are only
  /// checked and their bytes stay on the GPU.
  ByteSink* sink = nullptr;
  std::optional<MutableBytes> into;
  BatchConsumer* on_device = nullptr;
  /// Only these plain bytes, and only the blocks that hold them are read: errors elsewhere do not
  /// show. Not of a stream, not with salvage, not on_device.
  std::optional<PlainRange> range;
  /// As for decompress_stream(); `threads` counts where the CPU decodes instead.
  DecompressOptions options;
  /// Called exactly once, when everything was written or with the first error of the file.
  std::function<void(Result<DecompressSummary>)> finished;
};

/// What is to come, as far as it is known: sets the size of the slots. Only `keeps_output` must be
/// right where it is false.
struct WorkHint {
  std::uint64_t plain_bytes = 0;   ///< of all jobs together; 0: unknown
  std::uint64_t stored_bytes = 0;  ///< of all jobs together; 0: unknown
  std::uint64_t jobs = 1;
  bool keeps_output = true;  ///< some job has a sink, or memory to write to that is not pinned
};

/// A device with the memory of the pipeline, which is kept from run to run. One run at a time.
class Decompressor {
 public:
  /// Starts CUDA on the device, if this process has not yet: a part of a second. kNoDevice,
  /// kDeviceMemory, kDeviceLost, kInvalidArgument for a device that is not there.
  static Result<Decompressor> open(const GpuOptions& options = {});
  /// Over another implementation of device and decoder; for tests.
  static Result<Decompressor> over(DecodingDevice device, const GpuOptions& options);

  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;
  ~Decompressor();

  /// Decodes one job; its result instead of a call of `finished`, which must be empty. `index`: of
  /// the job's file, where the caller has opened it already.
  Result<DecompressSummary> run(const DecodeJob& job, std::optional<ArchiveIndex> index = {});
  /// Decodes jobs one after another: the next is read while the last is still being written. An
  /// error ends its job, not the run; a failure of the GPU without cpu_fallback ends every job that
  /// is left. `next` and the jobs' `finished` are called on different threads, each one call at a
  /// time; sinks and callbacks of the jobs in order, one call at a time. Errors: where the slots
  /// do not fit into memory, before `next` is called; kOutOfMemory.
  Status run(const std::function<std::optional<DecodeJob>()>& next, const WorkHint& hint = {});

 private:
  friend class FileScanner;
  friend class GpuFile;
  explicit Decompressor(std::shared_ptr<BatchEngine> engine);

  std::shared_ptr<BatchEngine> engine_;
};

/// All of a compressed file in host memory into host memory, `into` being at least as large as its
/// plain bytes: the fastest way where both are pinned. The number of plain bytes is returned.
Result<std::uint64_t> decompress_host(Decompressor& decompressor, Bytes compressed,
                                      MutableBytes into, bool verify = true);
/// The same on a Decompressor of its own: once, since opening one takes a part of a second.
Result<std::uint64_t> decompress_host(Bytes compressed, MutableBytes into,
                                      const GpuOptions& options = {}, bool verify = true);

/// Device memory that is given back when it goes, which may be after its Decompressor.
class DeviceBytes {
 public:
  Byte* data() const { return memory_.get(); }
  std::uint64_t size() const { return size_; }

 private:
  friend class GpuFile;
  std::shared_ptr<Byte> memory_;
  std::uint64_t size_ = 0;
};

/// A compressed file opened for decoding into device memory, of which only the blocks that are
/// needed are read. Calls return when the bytes are there; one call at a time of all that use the
/// Decompressor. Dictionaries stay on the device from call to call. Errors of the file are those of
/// CompressedFile, with block and offset; where there is one, what `d_into` holds is unspecified.
/// The CPU does not help out.
class GpuFile {
 public:
  /// `file` is kept by reference.
  static Result<GpuFile> open(Decompressor& decompressor, const RandomAccess& file,
                              DecodeOptions options = {});
  /// A compressed file in memory, which stays the caller's: not copied on the host if it is pinned.
  static Result<GpuFile> open(Decompressor& decompressor, Bytes memory, DecodeOptions options = {});
  GpuFile(GpuFile&&) noexcept;
  GpuFile& operator=(GpuFile&&) noexcept;
  ~GpuFile();

  const ArchiveIndex& index() const;
  std::uint64_t plain_bytes() const { return index().plain_bytes(); }

  /// Fills `d_into`, device memory, with the plain bytes from `plain_offset`. kInvalidArgument
  /// where the range is not inside the file.
  Status read(std::uint64_t plain_offset, MutableBytes d_into);
  /// The same into memory of its own, which counts for max_device_bytes.
  Result<DeviceBytes> read(PlainRange range);
  Result<DeviceBytes> read_all() { return read({0, plain_bytes()}); }

  /// What these blocks decode to, together.
  Result<std::uint64_t> plain_bytes_of(std::span<const std::uint64_t> blocks) const;
  /// Blocks by number, in any order, one after another. kInvalidArgument where there is no such
  /// block or `d_into` is not of just their size.
  Status read_blocks(std::span<const std::uint64_t> blocks, MutableBytes d_into);
  Result<DeviceBytes> read_blocks(std::span<const std::uint64_t> blocks);

 private:
  GpuFile(std::shared_ptr<BatchEngine> engine, const RandomAccess& file,
          std::unique_ptr<OpenedFile> opened, DecodeOptions options);
  static Result<GpuFile> open(const std::shared_ptr<BatchEngine>& engine, const RandomAccess& file,
                              DecodeOptions options);
  Status decode(std::optional<PlainRange> range, std::span<const std::uint64_t> blocks,
                MutableBytes d_into);
  Result<DeviceBytes> allocate(std::uint64_t bytes) const;

  std::shared_ptr<BatchEngine> engine_;
  const RandomAccess* file_;
  std::optional<Bytes> memory_;                      ///< where it is open in memory
  std::unique_ptr<MemoryRandomAccess> over_memory_;  ///< then file_
  std::unique_ptr<OpenedFile> opened_;
  DecodeOptions options_;
};

}  // namespace presso::gpu
