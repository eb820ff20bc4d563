// SPDX-License-Identifier: MIT
// Decoding on a GPU: whole files through bounded memory, one after another without a pause, from
// host to host (Decompressor, decompress_host), and parts of a file into device memory (GpuFile).
// Callers who bring blocks and memory of their own use gpu_batch.h, on which both are built.
// Sources: S7.14 of docs/sources.md.
//
// Bytes and error codes are those of the CPU decoder (decompress.h) for every input, whatever the
// options. No CUDA header is needed. Nothing here waits for the whole device or uses the default
// stream. Tested by tests/unit/decompress/gpu, without a GPU, and by
// tests/gpu/batch_on_device_test.cpp.
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

/// Which device decodes, by which strategy, and within what limits of memory and threads. Work is
/// cut into batches of blocks; a *slot* is the memory of one batch on its way through the GPU.
struct GpuOptions {
  int device = 0;  ///< as list_devices() counts
  Strategy strategy = Strategy::kAuto;
  /// Batches under way at a time, each with memory and a stream of its own: 1 overlaps nothing.
  unsigned slots = 4;
  /// Plain bytes of a batch; 0: by what there is to decode and how well it is compressed, up to 64
  /// MiB, into device memory up to 512; fewer in the first and the last batches of a run.
  std::uint64_t slot_plain_bytes = 0;
  std::uint64_t max_device_bytes = 0;  ///< the most memory on the GPU; 0: no limit
  std::uint64_t max_pinned_bytes = 0;  ///< the most page-locked host memory; 0: no limit
  /// Threads that fill pinned memory; 0: all, at most 16. At most 8 of them write the results.
  unsigned reader_threads = 0;
  /// If the GPU fails, or has no room, the CPU decodes the rest, and blocks that GPUs do not decode
  /// (Bit coding in sub-blocks) go to the CPU, batch by batch. Errors of open(), and errors of
  /// run() for several jobs before the first job has begun, remain errors. Without this, and always
  /// when decoding into device memory, a block that GPUs do not decode is kUnsupported and ends the
  /// job, salvage or not.
  bool cpu_fallback = false;
  /// Called once, on any thread, when the GPU has failed and the CPU continues.
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
  /// Decodes only these plain bytes and reads only the blocks that hold them, so errors elsewhere
  /// do not show. Not for a stream, not with salvage, not with `on_device`.
  std::optional<PlainRange> range;
  /// As for decompress_stream(); `threads` is used where the CPU decodes instead.
  DecompressOptions options;
  /// Called exactly once, when everything was written or with the first error of the file.
  std::function<void(Result<DecompressSummary>)> finished;
};

/// What is known in advance about the work; the sizes of slots are chosen by it. The numbers may be
/// a guess. `keeps_output` may be false only if that is true of all jobs.
struct WorkHint {
  std::uint64_t plain_bytes = 0;   ///< of all jobs together; 0: unknown
  std::uint64_t stored_bytes = 0;  ///< of all jobs together; 0: unknown
  std::uint64_t jobs = 1;
  bool keeps_output = true;  ///< some job has a sink, or memory to write to that is not pinned
};

/// A device with the memory of its pipeline, which is kept from run to run. One run at a time.
class Decompressor {
 public:
  /// Starts CUDA on the device, if this process has not yet, which takes a fraction of a second.
  /// Errors: kNoDevice, kDeviceMemory, kDeviceLost, kInvalidArgument for a device that does not
  /// exist.
  static Result<Decompressor> open(const GpuOptions& options = {});
  /// Makes one with another implementation of device and decoder, for tests.
  static Result<Decompressor> over(DecodingDevice device, const GpuOptions& options);

  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;
  ~Decompressor();

  /// Decodes one job and returns its result; `finished` must be empty. `index` is that of the job's
  /// file, if the caller has opened it already.
  Result<DecompressSummary> run(const DecodeJob& job, std::optional<ArchiveIndex> index = {});
  /// Decodes jobs one after another: while one is still being written the next is read. An error
  /// ends its job, not the run; a failure of the GPU without cpu_fallback ends every job that is
  /// left. `next` and the jobs' `finished` are called on different threads, each one call at a
  /// time; sinks and callbacks of the jobs are called in order, one call at a time. Errors: where
  /// the slots do not fit into memory, before `next` is called; kOutOfMemory.
  Status run(const std::function<std::optional<DecodeJob>()>& next, const WorkHint& hint = {});

 private:
  friend class FileScanner;
  friend class GpuFile;
  explicit Decompressor(std::shared_ptr<BatchEngine> engine);

  std::shared_ptr<BatchEngine> engine_;
};

/// Decodes a whole compressed file in host memory into host memory; `into` has at least its plain
/// size. Fastest if both are pinned. Returns the number of plain bytes.
Result<std::uint64_t> decompress_host(Decompressor& decompressor, Bytes compressed,
                                      MutableBytes into, bool verify = true);
/// With a Decompressor made for this call, for programs that need only one, as opening one takes a
/// fraction of a second.
Result<std::uint64_t> decompress_host(Bytes compressed, MutableBytes into,
                                      const GpuOptions& options = {}, bool verify = true);

/// Device memory that is freed when this object is destroyed, which may be after its Decompressor.
class DeviceBytes {
 public:
  Byte* data() const { return memory_.get(); }
  std::uint64_t size() const { return size_; }

 private:
  friend class GpuFile;
  std::shared_ptr<Byte> memory_;
  std::uint64_t size_ = 0;
};

/// A compressed file opened for decoding into device memory; only the blocks that are needed are
/// read. Calls return when the bytes are there; one call at a time for everything that uses the
/// Decompressor. Dictionaries stay on the device from call to call. Errors of the file are those of
/// CompressedFile, with block and offset; after an error the content of `d_into` is unspecified.
/// The CPU does not help out.
class GpuFile {
 public:
  /// `file` is kept by reference.
  static Result<GpuFile> open(Decompressor& decompressor, const RandomAccess& file,
                              DecodeOptions options = {});
  /// For a compressed file in memory, which the caller keeps: it is not copied on the host if it is
  /// pinned.
  static Result<GpuFile> open(Decompressor& decompressor, Bytes memory, DecodeOptions options = {});
  GpuFile(GpuFile&&) noexcept;
  GpuFile& operator=(GpuFile&&) noexcept;
  ~GpuFile();

  const ArchiveIndex& index() const;
  std::uint64_t plain_bytes() const { return index().plain_bytes(); }

  /// Fills device memory `d_into` with the plain bytes from `plain_offset`. kInvalidArgument if the
  /// range is not inside the file.
  Status read(std::uint64_t plain_offset, MutableBytes d_into);
  /// Reads into new device memory, which counts for max_device_bytes.
  Result<DeviceBytes> read(PlainRange range);
  Result<DeviceBytes> read_all() { return read({0, plain_bytes()}); }

  /// Returns the plain bytes of these blocks together.
  Result<std::uint64_t> plain_bytes_of(std::span<const std::uint64_t> blocks) const;
  /// Decodes blocks by number, in any order, one after another. kInvalidArgument if a block does
  /// not exist or `d_into` does not have exactly their size.
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
