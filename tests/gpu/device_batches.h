// SPDX-License-Identifier: MIT
// The backend of batch_suite.cpp on a GPU, through decode_batch, and what its other tests share.
//
// Every array is an allocation of exactly its size, for compute-sanitizer, which tests/gpu/run.sh
// runs with PRESSO_GPU_TEST_SCALE=small: small inputs, and memory that the decoder must write
// before it reads is left uninitialised. PRESSO_GPU_TEST_RACES=1: racecheck is watching.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "decompress/gpu/runtime/cuda_error.h"
#include "presso/gpu_batch.h"
#include "presso/gpu_devices.h"
#include "tests/simt/batch_backend.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test {

class Stream {
 public:
  Stream() { status_ = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

  Status status() const { return check(status_, "making a stream"); }
  cudaStream_t get() const { return stream_; }
  Status wait() const { return check(cudaStreamSynchronize(stream_), "waiting for a batch"); }

 private:
  cudaStream_t stream_ = nullptr;
  cudaError_t status_;
};

class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { static_cast<void>(cudaFree(memory_)); }

  Status allocate(std::size_t bytes) {
    bytes_ = bytes;
    // cudaMalloc() gives a null pointer for zero bytes; for one byte it gives a real address.
    return check(cudaMalloc(&memory_, std::max<std::size_t>(bytes, 1)), "allocating");
  }
  Status fill(std::size_t bytes, Byte value, const Stream& stream) {
    PRESSO_TRY(allocate(bytes));
    return check(cudaMemsetAsync(memory_, value, bytes, stream.get()), "poisoning memory");
  }
  template <class T>
  Status copy_in(const std::vector<T>& from, const Stream& stream) {
    return copy_in(from.data(), from.size() * sizeof(T), stream);
  }
  Status copy_in(const void* from, std::size_t bytes, const Stream& stream) {
    PRESSO_TRY(allocate(bytes));
    return check(cudaMemcpyAsync(memory_, from, bytes, cudaMemcpyHostToDevice, stream.get()),
                 "copying to the device");
  }
  template <class T>
  Status copy_out(std::vector<T>& to, const Stream& stream) const {
    to.resize(bytes_ / sizeof(T));
    return check(cudaMemcpyAsync(to.data(), memory_, bytes_, cudaMemcpyDeviceToHost, stream.get()),
                 "copying from the device");
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

inline bool environment_says(const char* name, const char* value) {
  const char* const found = std::getenv(name);
  return found != nullptr && std::strcmp(found, value) == 0;
}

inline bool small_scale() {
  return environment_says("PRESSO_GPU_TEST_SCALE", "small");
}

/// A batch in device memory, poisoned where the decoder writes.
class DeviceBatch {
 public:
  /// `temporary`: how much temporary memory the decoder gets.
  Status place(const BatchCase& batch, const BatchLayout& layout, std::size_t temporary) {
    PRESSO_TRY(stream_.status());
    const auto blocks = static_cast<std::uint32_t>(layout.spans.size());
    PRESSO_TRY(stored_.copy_in(layout.stored, stream_));
    PRESSO_TRY(spans_.copy_in(layout.spans, stream_));
    PRESSO_TRY(plain_.fill(layout.plain_bytes, BatchLayout::kPoison, stream_));
    PRESSO_TRY(place_scratch(blocks, temporary));
    PRESSO_TRY(place_dictionaries(batch.dictionaries));

    arguments_.d_stored = stored_.as<Byte>();
    arguments_.d_plain = plain_.as<Byte>();
    arguments_.d_spans = spans_.as<BlockSpan>();
    arguments_.blocks = blocks;
    arguments_.largest_plain_bytes = batch.largest_plain_bytes();
    arguments_.d_dictionaries = dictionaries_.as<DictionarySpan>();
    arguments_.d_status = statuses_.as<std::uint32_t>();
    arguments_.d_temporary = temporary_.as<void>();
    arguments_.temporary_bytes = temporary;
    return stream_.wait();
  }

  Result<BatchOutcome> outcome() const {
    BatchOutcome outcome;
    std::vector<Byte> temporary;
    PRESSO_TRY(statuses_.copy_out(outcome.statuses, stream_));
    PRESSO_TRY(plain_.copy_out(outcome.plain, stream_));
    if (guard_bytes_ > 0) PRESSO_TRY(temporary_.copy_out(temporary, stream_));
    PRESSO_TRY(stream_.wait());
    outcome.temporary_is_intact =
        std::all_of(temporary.end() - static_cast<std::ptrdiff_t>(guard_bytes_), temporary.end(),
                    [](Byte byte) { return byte == BatchLayout::kPoison; });
    return outcome;
  }

  const Stream& stream() const { return stream_; }
  const BatchArguments& arguments() const { return arguments_; }

  Status poison_output(const BatchLayout& layout) const {
    return check(
        cudaMemsetAsync(plain_.as<void>(), BatchLayout::kPoison, layout.plain_bytes, stream_.get()),
        "poisoning memory");
  }

 private:
  Status place_scratch(std::uint32_t blocks, std::size_t temporary) {
    if (small_scale()) {
      PRESSO_TRY(statuses_.allocate(blocks * sizeof(std::uint32_t)));
      return temporary_.allocate(temporary);
    }
    guard_bytes_ = 256;
    PRESSO_TRY(statuses_.fill(blocks * sizeof(std::uint32_t), 0xDE, stream_));
    return temporary_.fill(temporary + guard_bytes_, BatchLayout::kPoison, stream_);
  }

  Status place_dictionaries(const Dictionaries& dictionaries) {
    std::vector<DictionarySpan> spans(kMaxDictionaries + 1);
    for (const auto& [id, dictionary] : dictionaries) {
      const Bytes content = dictionary->content();
      contents_.push_back(std::make_unique<DeviceMemory>());
      PRESSO_TRY(contents_.back()->copy_in(content.data(), content.size(), stream_));
      spans[id] = {contents_.back()->as<Byte>(), static_cast<std::uint32_t>(content.size())};
    }
    PRESSO_TRY(dictionaries_.copy_in(spans, stream_));
    return stream_.wait();  // `spans` goes
  }

  Stream stream_;
  DeviceMemory stored_, spans_, plain_, statuses_, temporary_, dictionaries_;
  std::vector<std::unique_ptr<DeviceMemory>> contents_;
  std::size_t guard_bytes_ = 0;
  BatchArguments arguments_;
};

/// The backend of the product's decoders; a class derived from it decodes by variants of them.
class DeviceBatches : public BatchBackend {
 public:
  std::string unavailable() const override {
    const auto devices = list_devices();
    return devices.ok() ? std::string() : devices.error().message();
  }
  std::uint32_t scale() const override { return small_scale() ? 1 : 2; }
  bool reports_races() const override { return environment_says("PRESSO_GPU_TEST_RACES", "1"); }
  std::uint32_t few_blocks() const override {
    const auto devices = list_devices();
    return devices.ok() ? 2 * devices->front().multiprocessors : 0;
  }

  Result<BatchOutcome> decode(const BatchCase& batch, const BatchLayout& layout,
                              const BatchRun& run) override {
    DeviceBatch device;
    PRESSO_TRY(place(device, batch, layout, run));
    PRESSO_TRY(enqueue(device, batch.plain_bytes(), run));
    return device.outcome();
  }

  Status place(DeviceBatch& device, const BatchCase& batch, const BatchLayout& layout,
               const BatchRun& run) const {
    const auto blocks = static_cast<std::uint32_t>(layout.spans.size());
    return device.place(batch, layout, temporary_bytes(run, blocks, batch.plain_bytes()));
  }
  /// Decodes the batch that lies in `device`, on its stream.
  virtual Status enqueue(const DeviceBatch& device, std::uint64_t /*plain_bytes*/,
                         const BatchRun& run) const {
    return decode_batch(device.arguments(), run.options, device.stream().get());
  }
};

/// The backend of the test program; batch_backend() gives the same one.
DeviceBatches& device_batches();

/// Tests that run only where there is a device.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = batch_backend().unavailable();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  static BatchCase some_batch(std::uint32_t seed) {
    BatchCase batch;
    CompressOptions options;
    options.coding = Coding::kByte;
    options.block_bytes = kMinBlockBytes;
    add_compressed(batch, presso::test::log_lines(small_scale() ? 50000 : 2000000, seed), options);
    return batch;
  }

  static void expect_sound(const BatchCase& batch, const BatchLayout& layout,
                           const DeviceBatch& device) {
    const auto outcome = device.outcome();
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    EXPECT_EQ(outcome->statuses, std::vector<std::uint32_t>(layout.spans.size(), 0));
    for (std::size_t block = 0; block < layout.spans.size(); ++block) {
      ASSERT_TRUE(layout.part(outcome->plain, block) == batch.cpu_answer(block).plain) << block;
    }
    EXPECT_TRUE(layout.gaps_are_intact(outcome->plain));
  }
};

}  // namespace presso::gpu::test
