// SPDX-License-Identifier: MIT
// The Launcher that decoder_steps.h asks for: kernels on a stream, in the shape that suits the
// device. The kernels are compiled one by one in other files (instances/, by decoder_kernels.cuh),
// since nvcc compiles one file on one core. CUDA files only: included by decoders.cu, and by the
// laboratory's variants (lab/gpu).
#pragma once

#include "decompress/gpu/batch/decoder_steps.h"
#include "decompress/gpu/runtime/kernel_launch.h"

namespace presso::gpu {

// Each enqueues one kernel. What an instance takes, and what it leaves, is described where the
// kernel's body is.
template <class Tuning, Unpacking kWhich>
Status launch_unpack(const BlockBatch& batch, bool beside_last, cudaStream_t stream);
template <class Tuning>
Status launch_survey(const BlockBatch& batch, cudaStream_t stream);
template <class Policy, bool kBit>
Status launch_relay_decoder(const BlockBatch& batch, cudaStream_t stream);
template <class Resolve, bool kBit>
Status launch_warp_decoder(const BlockBatch& batch, cudaStream_t stream);

class DecoderLauncher {
 public:
  explicit DecoderLauncher(cudaStream_t stream) : stream_(stream) {}

  /// Whether FewBlocks (policies.h) suits the batch on the current device. False if the device
  /// cannot be asked; the launch that follows reports why.
  bool is_small(const BlockBatch& batch) const {
    const Result<int> multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
    return multiprocessors.ok() && *multiprocessors > 0 &&
           FewBlocks::suit(batch.blocks, static_cast<u32>(*multiprocessors));
  }

  template <class Tuning, Unpacking kWhich, bool kBeside>
  Status unpack(const BlockBatch& batch) {
    return launch_unpack<Tuning, kWhich>(batch, kBeside, stream_);
  }
  template <class Tuning>
  Status survey(const BlockBatch& batch) {
    return launch_survey<Tuning>(batch, stream_);
  }
  template <class Tuning, bool kBit>
  Status relay_decoder(const BlockBatch& batch) {
    return launch_relay_decoder<typename Tuning::Relay, kBit>(batch, stream_);
  }
  template <class Resolve, bool kBit>
  Status warp_decoder(const BlockBatch& batch) {
    return launch_warp_decoder<Resolve, kBit>(batch, stream_);
  }

 protected:
  cudaStream_t stream_;
};

}  // namespace presso::gpu
