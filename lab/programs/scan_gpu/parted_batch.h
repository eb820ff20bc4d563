// SPDX-License-Identifier: MIT
// Decoding and scanning of blocks in device memory side by side.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

#include "decompress/gpu/runtime/cuda_error.h"
#include "lab/programs/decompress_gpu/device_batch.h"

namespace presso::gpu::bench {

/// A stream and an event of CUDA, for work beside the batch's stream.
struct Lane {
  Lane() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
  }
  /// What comes on `other` from now on waits for what is enqueued here.
  Status holds_up(Stream other) const {
    PRESSO_TRY(check(cudaEventRecord(event, stream), "recording an event"));
    return check(cudaStreamWaitEvent(other, event), "waiting for an event");
  }

  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
};

/// A batch in parts: each is decoded on one of two streams and scanned on a third one, beside the
/// decoding of the next.
class PartedBatch {
 public:
  struct Part {
    BatchArguments arguments;
    DeviceMemory temporary;
    std::uint64_t begin = 0, end = 0;  ///< plain bytes
  };
  using ScanPart = std::function<Status(const Part&, Stream)>;

  static Result<std::unique_ptr<PartedBatch>> of(DeviceBatch& batch, const BatchOptions& options,
                                                 std::uint32_t count) {
    std::unique_ptr<PartedBatch> parted(new PartedBatch(options));
    const std::vector<BlockSpan>& spans = batch.spans();
    const std::uint32_t blocks = batch.arguments().blocks;
    for (std::uint32_t number = 0; number < count; ++number) {
      const auto first = static_cast<std::uint32_t>(std::uint64_t{blocks} * number / count);
      const auto after = static_cast<std::uint32_t>(std::uint64_t{blocks} * (number + 1) / count);
      if (first == after) continue;
      Part part{batch.arguments(), {}};
      part.begin = spans[first].plain_offset;
      part.end = spans[after - 1].plain_offset + spans[after - 1].plain_bytes;
      part.arguments.d_spans += first;
      part.arguments.d_status += first;
      part.arguments.blocks = after - first;
      const std::size_t bytes = temporary_bytes(after - first, part.end - part.begin, options);
      PRESSO_ASSIGN(part.temporary, batch.gpu().allocate(bytes));
      part.arguments.d_temporary = part.temporary.get();
      part.arguments.temporary_bytes = bytes;
      parted->parts_.push_back(std::move(part));
    }
    return parted;
  }

  const std::vector<Part>& parts() const { return parts_; }

  /// After what is on `stream`, which then waits for all of it.
  Status run(const ScanPart& scan, Stream stream) const {
    PRESSO_TRY(check(cudaEventRecord(begun_.event, stream), "recording an event"));
    for (const Lane* lane : {&decoding_[0], &decoding_[1], &scanning_}) {
      PRESSO_TRY(check(cudaStreamWaitEvent(lane->stream, begun_.event), "waiting for an event"));
    }
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      const Lane& lane = decoding_[number % 2];
      PRESSO_TRY(decode_batch(parts_[number].arguments, options_, lane.stream));
      PRESSO_TRY(lane.holds_up(scanning_.stream));
      PRESSO_TRY(scan(parts_[number], scanning_.stream));
    }
    return scanning_.holds_up(stream);
  }

 private:
  explicit PartedBatch(const BatchOptions& options) : options_(options) {}

  BatchOptions options_;
  std::vector<Part> parts_;
  Lane begun_, scanning_, decoding_[2];
};

}  // namespace presso::gpu::bench
