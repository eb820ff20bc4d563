// SPDX-License-Identifier: MIT
// The one door through which kernel bodies reach warp, block and memory primitives.
//
// A body is a template `template <class Policy> PRESSO_DEVICE void foo_body(const Args&)` that uses
// nothing of CUDA but this header. A thin __global__ kernel in a .cu file calls it on the GPU
// (simt_device.h: one or a few instructions each); tests compile the same source as host C++ with
// PRESSO_SIMT_EMULATOR defined and run it lane by lane (decompress/gpu/simt/emulator/emulator.h),
// under sanitizers.
//
// Blocks and grids are one-dimensional, block_threads() is a multiple of kWarpSize, and every warp
// collective names the whole warp: all 32 lanes must reach the same call. Where it matters the
// emulator takes one more, defaulted argument, the caller's place in the source, so pass no further
// arguments and take no addresses of these functions. Write `using namespace simt;` inside of
// namespace presso, not outside: the global one has old functions of CUDA named ballot, any, all.
//
//   place        lane() warp_in_block() thread_in_block() block_index() grid_blocks()
//                block_threads()
//   warp         ballot(bool)->u32 any all warp_sync
//                shuffle(v, from_lane)             from_lane is taken modulo 32
//                shuffle_up/down(v, distance)      own value where the source is outside the warp
//                shuffle_xor(v, mask)              T of 4 or 8 bytes in all four
//                inclusive_sum(u32) reduce_add/or/min/max(u32)
//   block        block_sync block_sync_or(bool) block_sync_count(bool)
//                named_barrier_sync/arrive(id, threads): id 1..15; threads a multiple of 32, the
//                total of waiting and merely arriving threads; whole warps take part
//   memory       shared_memory(): the dynamic shared memory of the launch, 128-byte aligned
//                load_shared<T, offset>(at) store_shared_u8/u16/u32<offset>(at, value):
//                at `at + offset` (32 bits, sum wraps) of shared_memory(), the offset a constant
//                that costs nothing; only where shared_memory_is_at_base()
//                load_shared_16(p): 16 bytes of shared memory in one access, whatever of them is
//                used where
//                load_readonly load_streaming store_streaming: T of 1, 2, 4, 8 or 16 bytes
//                threadfence threadfence_block
//                prefetch(p): the line at p of global memory comes to L2, perhaps
//   atomics      atomic_or/add/min/max/exchange(p, v) atomic_cas(p, expected, v) on u32 in shared
//                or global memory; atomic_add/min/max/cas on u64 too; all return the old
//                value
//   async copy   copy_async_4/8/16(shared, global): aligned to their size; lands at the lane's own
//                copy_async_wait<N>(), which leaves the N youngest committed groups in flight
//   mbarrier     mbarrier_init(b, arrivals) in one lane, then a block_sync;
//                mbarrier_arrive(b) counts the lane and orders what it did before;
//                mbarrier_wait(b, parity) by any lane: a phase ends when all have arrived and all
//                expected bytes are there. Phases have parity 0, 1, 0, ...
//   bulk copy    global to shared, sizes and addresses multiples of 16, by one lane each:
//                bulk_expect(b, sum of bytes), bulk_copy(b, shared, global, bytes) once or more,
//                and then mbarrier_arrive(b), all in the same lane, or the arrival in another one
//                that knows that the others have asked for theirs;
//                below sm_90 the lane copies itself;
//                bulk_fence() in each lane that wrote to the target by other means, before the
//                barrier in front of the copy: the copy engine does not see plain order; and
//                bulk_fence_global() in each that wrote to the source in this kernel
//   kernels      allow_next_kernel(): the next one on the stream, where it is launched for that
//                (programmatic dependent launch), may start when all thread blocks have come here;
//                await_last_kernel() in it: the one before is done, and what that waited for
//   arithmetic   popcount find_first_set (1-based, 0 for none) count_leading_zeros (32 for 0)
//                funnel_shift_right(lo, hi, shift & 31): lower half of hi:lo >> shift
//                funnel_shift_left(lo, hi, shift & 31): upper half of hi:lo << shift
//                bit_reverse byte_permute (__byte_perm: bit 3 of a selector's nibble is ignored)
//                byte_of(low, high, i): byte i, below 8, of high:low; has_bit(word, i)
//                dot4 (4 products of unsigned bytes plus c) multiply_high clock
#pragma once

#include <cstdint>

#include "format/host_device.h"
#include "presso/byte.h"

namespace presso::simt {

/// Short names, as kernels are full of them.
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u32 kWarpSize = 32;  // allow(bare-32): its definition
inline constexpr u32 kWordBits = 32;  // allow(bare-32): bits of a u32
inline constexpr u32 kFullMask = 0xFFFFFFFFu;

}  // namespace presso::simt

#if defined(__CUDACC__)
#include "decompress/gpu/simt/simt_device.h"
#elif defined(PRESSO_SIMT_EMULATOR)
#include "decompress/gpu/simt/simt_emulated.h"
#else
#error "simt.h needs nvcc, or PRESSO_SIMT_EMULATOR to run kernels on the CPU"
#endif
