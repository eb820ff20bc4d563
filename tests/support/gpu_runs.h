// SPDX-License-Identifier: MIT
// Runs of a Decompressor over the fake device, and of the CPU decoder over the same file, in a form
// that can be compared: bytes, error with its place, damages with theirs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include <memory>
#include <ostream>
#include <tuple>

#include "presso/compress.h"
#include "presso/decompress_gpu.h"
#include "tests/support/fake_device.h"
#include "tests/support/test_data.h"

namespace presso::test {

struct PlaceOfError {
  ErrorCode code = ErrorCode::kOk;
  std::uint64_t block = Error::kNone;
  std::uint64_t byte_offset = Error::kNone;
  std::string what = {};

  friend bool operator==(const PlaceOfError&, const PlaceOfError&) = default;
  friend std::ostream& operator<<(std::ostream& out, const PlaceOfError& place) {
    return out << "code " << static_cast<int>(place.code) << " in block " << place.block << " at "
               << place.byte_offset << ": " << place.what;
  }
};

inline PlaceOfError place_of(const Error& error) {
  return {error.code, error.block, error.byte_offset, error.what};
}

struct Damage {
  PlaceOfError error;
  std::uint64_t number, plain_offset, file_offset, lost_blocks;
  std::uint32_t plain_bytes;

  friend bool operator==(const Damage&, const Damage&) = default;
};

/// What a caller of decompress_stream() or of a Decompressor sees.
struct Seen {
  std::vector<Byte> plain;
  PlaceOfError error;
  std::vector<Damage> damages;
  std::uint64_t compressed_bytes = 0, blocks = 0, damaged_blocks = 0, lost_blocks = 0;
  std::vector<std::pair<std::string, std::string>> metadata;
};

inline DecompressOptions noting_damage(Seen& seen, bool salvage) {
  DecompressOptions options;
  options.threads = 1;
  options.salvage = salvage;
  options.on_damage = [&seen](const DecodedBlock& block) {
    seen.damages.push_back({place_of(block.status.error()), block.number, block.plain_offset,
                            block.file_offset, block.lost_blocks, block.plain_bytes});
  };
  return options;
}

inline void note(Seen& seen, const Result<DecompressSummary>& result) {
  if (!result.ok()) {
    seen.error = place_of(result.error());
    return;
  }
  EXPECT_EQ(result->plain_bytes, seen.plain.size());
  seen.compressed_bytes = result->compressed_bytes;
  seen.blocks = result->blocks;
  seen.damaged_blocks = result->damaged_blocks;
  seen.lost_blocks = result->lost_blocks;
  for (const auto& [key, value] : result->metadata.entries) seen.metadata.emplace_back(key, value);
}

inline Seen seen_on_cpu(Bytes file, bool salvage = false) {
  Seen seen;
  MemorySource source(file);
  VectorSink sink(seen.plain);
  note(seen, decompress_stream(source, sink, noting_damage(seen, salvage)));
  return seen;
}

inline void expect_same(const Seen& gpu, const Seen& cpu) {
  EXPECT_EQ(gpu.error, cpu.error);
  EXPECT_TRUE(gpu.plain == cpu.plain) << gpu.plain.size() << " bytes, not " << cpu.plain.size();
  EXPECT_TRUE(gpu.damages == cpu.damages);
  EXPECT_EQ(gpu.compressed_bytes, cpu.compressed_bytes);
  EXPECT_EQ(gpu.blocks, cpu.blocks);
  EXPECT_EQ(gpu.damaged_blocks, cpu.damaged_blocks);
  EXPECT_EQ(gpu.lost_blocks, cpu.lost_blocks);
  EXPECT_EQ(gpu.metadata, cpu.metadata);
}

/// A fake device and a Decompressor over it. When it goes, nothing may be left on the device, and
/// nothing may have been asked of it that a real one would refuse.
class FakeGpu {
 public:
  explicit FakeGpu(gpu::GpuOptions options = {}, const FakeFaults& faults = {}) {
    if (options.reader_threads == 0) options.reader_threads = 2;
    gpu::DecodingDevice device = make_fake_device(counts_, faults);
    device_ = device.device.get();
    auto made = gpu::Decompressor::over(std::move(device), options);
    if (made.ok()) {
      decompressor_.emplace(std::move(*made));
    } else {
      open_error_ = made.error().code;
    }
  }
  ~FakeGpu() {
    decompressor_.reset();
    EXPECT_EQ(counts_->device_bytes, 0u);
    EXPECT_EQ(counts_->pinned_bytes, 0u);
    EXPECT_EQ(counts_->live_handles, 0u);
    EXPECT_EQ(counts_->misuses, 0u);
  }
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;

  gpu::Decompressor& operator*() { return *decompressor_; }
  gpu::Decompressor* operator->() { return &*decompressor_; }
  gpu::Device& device() { return *device_; }
  FakeCounts& counts() { return *counts_; }
  ErrorCode open_error() const { return open_error_; }

  /// `job` with a sink.
  Seen run(gpu::DecodeJob job, bool salvage = false) {
    Seen seen;
    VectorSink sink(seen.plain);
    job.sink = &sink;
    job.options = noting_damage(seen, salvage);
    note(seen, decompressor_->run(job));
    return seen;
  }
  Seen run_file(Bytes bytes, bool salvage = false) {
    const MemoryRandomAccess file(bytes);
    gpu::DecodeJob job;
    job.file = &file;
    return run(job, salvage);
  }
  Seen run_stream(Bytes bytes, bool salvage = false) {
    MemorySource source(bytes);
    gpu::DecodeJob job;
    job.stream = &source;
    return run(job, salvage);
  }

 private:
  std::shared_ptr<FakeCounts> counts_ = std::make_shared<FakeCounts>();
  gpu::Device* device_ = nullptr;
  std::optional<gpu::Decompressor> decompressor_;
  ErrorCode open_error_ = ErrorCode::kOk;
};

/// Pinned memory of a FakeGpu.
class PinnedBytes {
 public:
  PinnedBytes(FakeGpu& gpu, std::size_t size) : gpu_(gpu), size_(size) {
    data_ = *gpu.device().allocate_pinned(size);
  }
  PinnedBytes(FakeGpu& gpu, const std::vector<Byte>& from) : PinnedBytes(gpu, from.size()) {
    std::copy(from.begin(), from.end(), data_);
  }
  ~PinnedBytes() { gpu_.device().release_pinned(data_); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;

  MutableBytes bytes() { return {data_, size_}; }

 private:
  FakeGpu& gpu_;
  std::size_t size_;
  Byte* data_;
};

/// Blocks of the smallest size, with a dictionary unless `dictionary_bytes` is 0.
inline std::vector<Byte> compressed(const std::vector<Byte>& plain,
                                    std::uint32_t dictionary_bytes = 0,
                                    std::uint32_t block_bytes = kMinBlockBytes,
                                    Coding coding = Coding::kByte) {
  CompressOptions options;
  options.coding = coding;
  options.level = 2;
  options.threads = 1;
  options.block_bytes = block_bytes;
  options.dictionary = {DictionaryChoice::Mode::kSize, dictionary_bytes};
  if (dictionary_bytes == 0) options.dictionary.mode = DictionaryChoice::Mode::kNone;
  options.metadata.entries = {{"name", "x"}};
  auto file = compress_buffer(plain, options);
  EXPECT_TRUE(file.ok());
  return std::move(*file);
}

inline void append(std::vector<Byte>& to, const std::vector<Byte>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Files behind one another without dictionaries, each of `blocks` blocks and an odd number of
/// bytes.
struct PlainMembers {
  std::vector<Byte> plain, file;

  PlainMembers(std::uint64_t members, std::uint64_t blocks) {
    for (std::uint64_t seed = 0; seed < members; ++seed) {
      const std::vector<Byte> part = log_lines((blocks - 1) * kMinBlockBytes + 77 + seed, seed);
      append(plain, part);
      append(file, compressed(part));
    }
  }
};

/// Three files behind one another, each with its own dictionary, and one that is empty.
struct ManyMembers {
  std::vector<Byte> plain, file;

  ManyMembers() {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const std::vector<Byte> part = log_lines(5 * kMinBlockBytes + 1000 * seed + 7, seed);
      append(plain, part);
      append(file, compressed(part, 4096));
    }
    append(file, compressed({}));
  }
};

}  // namespace presso::test
