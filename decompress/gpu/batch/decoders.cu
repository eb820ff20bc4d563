// SPDX-License-Identifier: MIT
// launch_decoders(): the steps of decoder_steps.h with the launcher of decoder_launcher.cuh. The
// kernels are compiled in instances/.
#include "decompress/gpu/batch/decoder_launcher.cuh"

namespace presso::gpu {

Status launch_decoders(const DecodeLaunch& decode, CUstream_st* stream) {
  DecoderLauncher launcher(stream);
  return enqueue_decoders(decode, launcher);
}

}  // namespace presso::gpu
