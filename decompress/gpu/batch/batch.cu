// SPDX-License-Identifier: MIT
// decode_batch() and the size of its temporary memory: the entry points of presso/gpu_batch.h.
#include "decompress/gpu/batch/batch_launcher.cuh"

namespace presso::gpu {

std::size_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes,
                            const BatchOptions& options) {
  return BatchMemory(blocks, options).bytes(BatchMemory::segments_of_batch(blocks, plain_bytes));
}

Status decode_batch(const BatchArguments& arguments, const BatchOptions& options,
                    CUstream_st* stream) {
  BatchLauncher launcher(stream);
  return enqueue_batch(arguments, options, launcher);
}

}  // namespace presso::gpu
