// SPDX-License-Identifier: MIT
// Prefix sums over all threads of a thread block of CUDA.
#pragma once

#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

/// A value's sums: of the threads before this one, and of all.
struct BlockPrefix {
  simt::u32 before, all;
};

/// Called by all threads of a thread block of kWarps warps. It takes one barrier, so `of_warps`, in
/// shared memory, must not be that of the call before. A warp's sum counts as at most `most`: so
/// the sums of valid values fit into 32 bits, and those of others are seen to be too large. The sum
/// of one warp's values must fit by itself.
template <simt::u32 kWarps>
PRESSO_DEVICE BlockPrefix block_prefix(simt::u32 (&of_warps)[kWarps], simt::u32 value,
                                       simt::u32 most = ~0u) {
  static_assert(kWarps <= simt::kWarpSize);
  const simt::u32 upto = simt::inclusive_sum(value);
  if (simt::lane() == simt::kWarpSize - 1) {
    of_warps[simt::warp_in_block()] = upto < most ? upto : most;
  }
  simt::block_sync();
  const simt::u32 of_warp = simt::lane() < kWarps ? of_warps[simt::lane()] : 0;
  const simt::u32 below = simt::lane() < simt::warp_in_block() ? of_warp : 0;
  return {simt::reduce_add(below) + upto - value, simt::reduce_add(of_warp)};
}

}  // namespace presso::gpu
