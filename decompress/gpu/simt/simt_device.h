// SPDX-License-Identifier: MIT
// simt.h on the GPU: each primitive is one intrinsic or a few lines of PTX. From sm_80 on; what
// needs sm_90 has a plain fallback. Included by simt.h only. allow(raw-intrinsic): here is what all
// others reach them through
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "presso's GPU code is for compute capability 8.0 or newer"
#endif

namespace presso::simt {

using Vec2 = ::uint2;
using Vec4 = ::uint4;

// --- place

// Comments say only what simt.h does not: which instruction, and why.
PRESSO_DEVICE u32 thread_in_block() {
  return threadIdx.x;
}
PRESSO_DEVICE u32 lane() {
  return threadIdx.x % kWarpSize;
}
PRESSO_DEVICE u32 warp_in_block() {
  return threadIdx.x / kWarpSize;
}
PRESSO_DEVICE u32 block_index() {
  return blockIdx.x;
}
PRESSO_DEVICE u32 grid_blocks() {
  return gridDim.x;
}
PRESSO_DEVICE u32 block_threads() {
  return blockDim.x;
}

// --- warp

// All of them name the full warp: the compiler may then not diverge around them.
PRESSO_DEVICE u32 ballot(bool predicate) {
  return __ballot_sync(kFullMask, predicate);
}
PRESSO_DEVICE bool any(bool predicate) {
  return __any_sync(kFullMask, predicate) != 0;
}
PRESSO_DEVICE bool all(bool predicate) {
  return __all_sync(kFullMask, predicate) != 0;
}
PRESSO_DEVICE void warp_sync() {
  __syncwarp(kFullMask);
}

template <class T>
PRESSO_DEVICE T shuffle(T value, u32 from_lane) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return __shfl_sync(kFullMask, value, static_cast<int>(from_lane));
}
template <class T>
PRESSO_DEVICE T shuffle_up(T value, u32 distance) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return __shfl_up_sync(kFullMask, value, distance);
}
template <class T>
PRESSO_DEVICE T shuffle_down(T value, u32 distance) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return __shfl_down_sync(kFullMask, value, distance);
}
template <class T>
PRESSO_DEVICE T shuffle_xor(T value, u32 mask) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return __shfl_xor_sync(kFullMask, value, static_cast<int>(mask));
}

namespace detail {

/// Adds the value `distance` lanes below where there is such a lane. shfl's own predicate says
/// whether there is, which saves the comparison that the intrinsic would need.
template <u32 distance>
PRESSO_DEVICE u32 add_from_below(u32 value) {
  asm volatile(
      "{\n\t"
      ".reg .u32 below;\n\t"
      ".reg .pred inside;\n\t"
      "shfl.sync.up.b32 below|inside, %0, %1, 0, 0xffffffff;\n\t"
      "@inside add.u32 %0, %0, below;\n\t"
      "}"
      : "+r"(value)
      : "n"(distance));
  return value;
}

}  // namespace detail

/// Five steps of doubling distance (Hillis and Steele, 1986), two instructions each.
PRESSO_DEVICE u32 inclusive_sum(u32 value) {
  value = detail::add_from_below<1>(value);
  value = detail::add_from_below<2>(value);
  value = detail::add_from_below<4>(value);
  value = detail::add_from_below<8>(value);
  return detail::add_from_below<16>(value);
}

// One instruction each since sm_80; before that they were loops of shuffles.
PRESSO_DEVICE u32 reduce_add(u32 value) {
  return __reduce_add_sync(kFullMask, value);
}
PRESSO_DEVICE u32 reduce_or(u32 value) {
  return __reduce_or_sync(kFullMask, value);
}
PRESSO_DEVICE u32 reduce_min(u32 value) {
  return __reduce_min_sync(kFullMask, value);
}
PRESSO_DEVICE u32 reduce_max(u32 value) {
  return __reduce_max_sync(kFullMask, value);
}

// --- block

PRESSO_DEVICE void block_sync() {
  __syncthreads();
}
PRESSO_DEVICE bool block_sync_or(bool predicate) {
  return __syncthreads_or(predicate) != 0;
}
PRESSO_DEVICE u32 block_sync_count(bool predicate) {
  return static_cast<u32>(__syncthreads_count(predicate));
}
// CUDA has no function for these: bar.sync and bar.arrive with a number and a count of threads.
PRESSO_DEVICE void named_barrier_sync(u32 id, u32 threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}
PRESSO_DEVICE void named_barrier_arrive(u32 id, u32 threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// --- memory

// One declaration for all kernels: the size comes with the launch.
PRESSO_DEVICE Byte* shared_memory() {
  extern __shared__ __align__(128) Byte presso_simt_shared[];
  return presso_simt_shared;
}
namespace detail {

/// Where dynamic shared memory begins in the shared window: after what CUDA keeps for itself.
inline constexpr u32 kSharedBase = 1024;

}  // namespace detail

// Kernels check it once, since load_shared() and store_shared_*() compute addresses from the
// constant.
PRESSO_DEVICE bool shared_memory_is_at_base() {
  return __cvta_generic_to_shared(shared_memory()) == detail::kSharedBase;
}

// Address and constant offset go into the instruction, so that a table at a fixed place costs
// no addition.
template <class T, u32 offset>
PRESSO_DEVICE u32 load_shared(u32 at) {
  static_assert(sizeof(T) <= 4);
  u32 value;
  if constexpr (sizeof(T) == 1) {
    asm volatile("ld.shared.u8 %0, [%1+%2];"
                 : "=r"(value)
                 : "r"(at), "n"(detail::kSharedBase + offset));
  } else if constexpr (sizeof(T) == 2) {
    asm volatile("ld.shared.u16 %0, [%1+%2];"
                 : "=r"(value)
                 : "r"(at), "n"(detail::kSharedBase + offset));
  } else {
    asm volatile("ld.shared.u32 %0, [%1+%2];"
                 : "=r"(value)
                 : "r"(at), "n"(detail::kSharedBase + offset));
  }
  return value;
}

/// The address in the shared window, of 32 bits.
PRESSO_DEVICE u32 shared_address(const void* shared) {
  return static_cast<u32>(__cvta_generic_to_shared(shared));
}
/// As load_shared(), from an address that shared_address() gave.
template <class T, u32 offset>
PRESSO_DEVICE u32 load_shared_at(u32 address) {
  u32 value;
  if constexpr (sizeof(T) == 2) {
    asm volatile("ld.shared.u16 %0, [%1+%2];" : "=r"(value) : "r"(address), "n"(offset));
  } else {
    static_assert(sizeof(T) == 4);
    asm volatile("ld.shared.u32 %0, [%1+%2];" : "=r"(value) : "r"(address), "n"(offset));
  }
  return value;
}

// As assembly, since the compiler splits the access where parts of the value are used apart.
template <class T>
PRESSO_DEVICE T load_shared_16(const T* from) {
  static_assert(sizeof(T) == 16 && alignof(T) == 16);
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(shared_address(from))
               : "memory");
  return __builtin_bit_cast(T, value);
}

// Stores need "memory", or they could move over a barrier.
template <u32 offset>
PRESSO_DEVICE void store_shared_u8(u32 at, u32 value) {
  asm volatile("st.shared.u8 [%0+%2], %1;"
               :
               : "r"(at), "r"(value), "n"(detail::kSharedBase + offset)
               : "memory");
}
template <u32 offset>
PRESSO_DEVICE void store_shared_u16(u32 at, u32 value) {
  asm volatile("st.shared.u16 [%0+%2], %1;"
               :
               : "r"(at), "h"(static_cast<std::uint16_t>(value)), "n"(detail::kSharedBase + offset)
               : "memory");
}
template <u32 offset>
PRESSO_DEVICE void store_shared_u32(u32 at, u32 value) {
  asm volatile("st.shared.u32 [%0+%2], %1;"
               :
               : "r"(at), "r"(value), "n"(detail::kSharedBase + offset)
               : "memory");
}
PRESSO_DEVICE void prefetch(const void* from) {
  asm volatile("prefetch.global.L2 [%0];" : : "l"(from));
}
// Acquires and releases; __threadfence() would order all threads' accesses among themselves, too,
// for which a warp waits longer.
PRESSO_DEVICE void threadfence() {
  asm volatile("fence.acq_rel.gpu;" : : : "memory");
}
PRESSO_DEVICE void threadfence_block() {
  __threadfence_block();
}

namespace detail {

/// The built-in type of the same size, for which the cached loads and stores exist.
template <std::size_t bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = unsigned char;
};
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<4> {
  using type = unsigned int;
};
template <>
struct WordOf<8> {
  using type = uint2;
};
template <>
struct WordOf<16> {
  using type = uint4;
};
template <class T>
using Word = typename WordOf<sizeof(T)>::type;

}  // namespace detail

// By way of the read-only cache: the memory must not change while the kernel runs.
template <class T>
PRESSO_DEVICE T load_readonly(const T* from) {
  return __builtin_bit_cast(T, __ldg(reinterpret_cast<const detail::Word<T>*>(from)));
}
// For data that is used once: it is the first to leave the cache.
template <class T>
PRESSO_DEVICE T load_streaming(const T* from) {
  return __builtin_bit_cast(T, __ldcs(reinterpret_cast<const detail::Word<T>*>(from)));
}
template <class T>
PRESSO_DEVICE void store_streaming(T* to, std::type_identity_t<T> value) {
  __stcs(reinterpret_cast<detail::Word<T>*>(to), __builtin_bit_cast(detail::Word<T>, value));
}

// --- atomics

PRESSO_DEVICE u32 atomic_or(u32* at, u32 value) {
  return ::atomicOr(at, value);
}
PRESSO_DEVICE u32 atomic_add(u32* at, u32 value) {
  return ::atomicAdd(at, value);
}
PRESSO_DEVICE u32 atomic_min(u32* at, u32 value) {
  return ::atomicMin(at, value);
}
PRESSO_DEVICE u32 atomic_max(u32* at, u32 value) {
  return ::atomicMax(at, value);
}
PRESSO_DEVICE u32 atomic_exchange(u32* at, u32 value) {
  return ::atomicExch(at, value);
}
PRESSO_DEVICE u32 atomic_cas(u32* at, u32 expected, u32 value) {
  return ::atomicCAS(at, expected, value);
}
PRESSO_DEVICE u64 atomic_add(u64* at, u64 value) {
  return ::atomicAdd(reinterpret_cast<unsigned long long*>(at), value);
}
PRESSO_DEVICE u64 atomic_cas(u64* at, u64 expected, u64 value) {
  return ::atomicCAS(reinterpret_cast<unsigned long long*>(at), expected, value);
}
PRESSO_DEVICE u64 atomic_min(u64* at, u64 value) {
  return ::atomicMin(reinterpret_cast<unsigned long long*>(at), value);
}
PRESSO_DEVICE u64 atomic_max(u64* at, u64 value) {
  return ::atomicMax(reinterpret_cast<unsigned long long*>(at), value);
}

// --- asynchronous copies, a lane's own

namespace detail {

/// Copies take addresses of the global window, not generic ones.
PRESSO_DEVICE u64 global_address(const void* generic) {
  return __cvta_generic_to_global(generic);
}

/// 16 bytes pass by the L1 cache (cg), smaller sizes cannot.
template <u32 bytes>
PRESSO_DEVICE void copy_async(void* shared, const void* global) {
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(shared_address(shared)), "l"(global_address(global))
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :
                 : "r"(shared_address(shared)), "l"(global_address(global)), "n"(bytes)
                 : "memory");
  }
}

}  // namespace detail

PRESSO_DEVICE void copy_async_4(void* shared, const void* global) {
  detail::copy_async<4>(shared, global);
}
PRESSO_DEVICE void copy_async_8(void* shared, const void* global) {
  detail::copy_async<8>(shared, global);
}
PRESSO_DEVICE void copy_async_16(void* shared, const void* global) {
  detail::copy_async<16>(shared, global);
}
/// Copies where the condition holds, without a branch.
PRESSO_DEVICE void copy_async_16_if(bool condition, void* shared, const void* global) {
  asm volatile(
      "{\n\t"
      ".reg .pred copies;\n\t"
      "setp.ne.u32 copies, %2, 0;\n\t"
      "@copies cp.async.cg.shared.global [%0], [%1], 16;\n\t"
      "}"
      :
      : "r"(shared_address(shared)), "l"(detail::global_address(global)),
        "r"(static_cast<u32>(condition))
      : "memory");
}
// Groups belong to the lane: what others have copied needs a barrier after the wait.
PRESSO_DEVICE void copy_async_commit() {
  asm volatile("cp.async.commit_group;" : : : "memory");
}
template <u32 groups_in_flight>
PRESSO_DEVICE void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" : : "n"(groups_in_flight) : "memory");
}

// --- mbarriers, and bulk copies of the copy engine
//
// Before sm_90 the issuing lane copies by itself before it arrives, so there is nothing to expect.

// The fences let the copy engine see the barrier.
PRESSO_DEVICE void mbarrier_init(u64* barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "fence.mbarrier_init.release.cluster;\n\t"
      "fence.proxy.async.shared::cta;"
      :
      :
      : "memory");
#endif
}

// The state that it returns is not needed: waiting goes by parity.
PRESSO_DEVICE void mbarrier_arrive(u64* barrier) {
  asm volatile(
      "{\n\t"
      ".reg .b64 state;\n\t"
      "mbarrier.arrive.shared::cta.b64 state, [%0];\n\t"
      "}"
      :
      : "r"(shared_address(barrier))
      : "memory");
}

// try_wait sleeps for a while in hardware; before sm_90 there is only the test.
PRESSO_DEVICE void mbarrier_wait(u64* barrier, u32 parity) {
  u32 done = 0;
  while (done == 0) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n\t"
        ".reg .pred done;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, done;\n\t"
        "}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
#else
    asm volatile(
        "{\n\t"
        ".reg .pred done;\n\t"
        "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, done;\n\t"
        "}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
#endif
  }
}

PRESSO_DEVICE void bulk_fence() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
}

PRESSO_DEVICE void bulk_fence_global() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.global;" : : : "memory");
#endif
}

PRESSO_DEVICE void allow_next_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}

PRESSO_DEVICE void await_last_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}

// Must precede the arrival of the same lane, or the phase might end too early.
PRESSO_DEVICE void bulk_expect(u64* barrier, u32 bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#endif
}

PRESSO_DEVICE void bulk_copy(u64* barrier, void* shared, const void* global, u32 bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :
      : "r"(shared_address(shared)), "l"(detail::global_address(global)), "r"(bytes),
        "r"(shared_address(barrier))
      : "memory");
#else
  for (u32 at = 0; at < bytes / sizeof(uint4); ++at) {
    static_cast<uint4*>(shared)[at] = static_cast<const uint4*>(global)[at];
  }
#endif
}

// --- arithmetic

PRESSO_DEVICE u32 popcount(u32 value) {
  return static_cast<u32>(__popc(value));
}
PRESSO_DEVICE u32 find_first_set(u32 value) {
  return static_cast<u32>(__ffs(static_cast<int>(value)));
}
PRESSO_DEVICE u32 count_leading_zeros(u32 value) {
  return static_cast<u32>(__clz(static_cast<int>(value)));
}
/// a * b + c in one instruction, of signed factors.
PRESSO_DEVICE u64 multiply_add_wide(std::int32_t a, std::int32_t b, u64 c) {
  u64 result;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(result) : "r"(a), "r"(b), "l"(c));
  return result;
}
PRESSO_DEVICE u32 funnel_shift_right(u32 low, u32 high, u32 shift) {
  return __funnelshift_r(low, high, shift);
}
PRESSO_DEVICE u32 funnel_shift_left(u32 low, u32 high, u32 shift) {
  return __funnelshift_l(low, high, shift);
}
PRESSO_DEVICE u32 bit_reverse(u32 value) {
  return __brev(value);
}
PRESSO_DEVICE u32 byte_permute(u32 a, u32 b, u32 selector) {
  return __byte_perm(a, b, selector);
}
// __byte_perm takes one instruction more, for selectors with other bits.
PRESSO_DEVICE u32 byte_of(u32 low, u32 high, u32 index) {
  u32 bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(index));
  return bytes & 0xFF;
}
PRESSO_DEVICE bool has_bit(u32 word, u32 bit) {
  // Written in C++ the word would be shifted first, which takes two instructions more.
  u32 here;
  asm("and.b32 %0, %1, %2;" : "=r"(here) : "r"(word), "r"(1u << bit));
  return here != 0;
}
PRESSO_DEVICE u32 dot4(u32 a, u32 b, u32 c) {
  return __dp4a(a, b, c);
}
PRESSO_DEVICE u32 multiply_high(u32 a, u32 b) {
  return __umulhi(a, b);
}
PRESSO_DEVICE u64 clock() {
  return static_cast<u64>(::clock64());
}

}  // namespace presso::simt
