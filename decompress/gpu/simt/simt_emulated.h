// SPDX-License-Identifier: MIT
// The declarations of simt.h's primitives for the emulator, which runs kernel bodies on the CPU in
// tests (emulator.h): each hands its values and its place in the source to the running block
// (emulator_block.h). Included by simt.h only.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "decompress/gpu/simt/emulator/emulator.h"

namespace presso::simt {

struct alignas(8) Vec2 {
  u32 x, y;
};
struct alignas(16) Vec4 {
  u32 x, y, z, w;
};

namespace detail {

// Defined in simt_emulated.cpp, which knows the block.
u64 exchange(const char* name, u64 value, u32 from_lane, Location where);
/// A block barrier; returns how many lanes brought a true predicate.
u32 count_block(const char* name, bool predicate, Location where);
/// Lets other lanes run now and then, so that spinning ends.
void at_atomic(const char* name, Location where);
/// Notes a copy; its bytes land at the wait.
void issue_copy(const char* name, void* shared, const void* global, u32 bytes, Location where);

/// Values of any type as the 64-bit words that collectives exchange.
template <class T>
u64 to_word(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  static_assert(std::is_trivially_copyable_v<T>);
  u64 word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <class T>
T from_word(u64 word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
/// All shuffles, once it is known from which lane the value comes.
template <class T>
T shuffle_from(const char* name, T value, u32 from_lane, Location where) {
  return from_word<T>(exchange(name, to_word(value), from_lane, where));
}

}  // namespace detail

// --- place

u32 lane();
u32 warp_in_block();
u32 thread_in_block();
u32 block_index();
u32 grid_blocks();
u32 block_threads();

// --- warp

u32 ballot(bool predicate, Location where = Location::here());
bool any(bool predicate, Location where = Location::here());
bool all(bool predicate, Location where = Location::here());
void warp_sync(Location where = Location::here());
u32 inclusive_sum(u32 value, Location where = Location::here());
u32 reduce_add(u32 value, Location where = Location::here());
u32 reduce_or(u32 value, Location where = Location::here());
u32 reduce_min(u32 value, Location where = Location::here());
u32 reduce_max(u32 value, Location where = Location::here());

template <class T>
T shuffle(T value, u32 from_lane, Location where = Location::here()) {
  return detail::shuffle_from("shuffle", value, from_lane % kWarpSize, where);
}
template <class T>
T shuffle_up(T value, u32 distance, Location where = Location::here()) {
  const u32 from = distance <= lane() ? lane() - distance : lane();
  return detail::shuffle_from("shuffle_up", value, from, where);
}
template <class T>
T shuffle_down(T value, u32 distance, Location where = Location::here()) {
  const u32 from = distance < kWarpSize - lane() ? lane() + distance : lane();
  return detail::shuffle_from("shuffle_down", value, from, where);
}
template <class T>
T shuffle_xor(T value, u32 mask, Location where = Location::here()) {
  const u32 from = lane() ^ mask;
  return detail::shuffle_from("shuffle_xor", value, from < kWarpSize ? from : lane(), where);
}

// --- block

inline void block_sync(Location where = Location::here()) {
  detail::count_block("block_sync", false, where);
}
inline bool block_sync_or(bool predicate, Location where = Location::here()) {
  return detail::count_block("block_sync_or", predicate, where) != 0;
}
inline u32 block_sync_count(bool predicate, Location where = Location::here()) {
  return detail::count_block("block_sync_count", predicate, where);
}
void named_barrier_sync(u32 id, u32 threads, Location where = Location::here());
void named_barrier_arrive(u32 id, u32 threads, Location where = Location::here());

// --- memory

Byte* shared_memory();
// Addresses are offsets here, so the base is always right.
inline bool shared_memory_is_at_base() {
  return true;
}

// Plain accesses, in which AddressSanitizer sees whatever lies outside.
template <class T, u32 offset>
u32 load_shared(u32 at) {
  static_assert(sizeof(T) <= 4);
  return *reinterpret_cast<const T*>(shared_memory() + (at + offset));
}
template <class T>
T load_shared_16(const T* from) {
  static_assert(sizeof(T) == 16 && alignof(T) == 16);
  return *from;
}
inline u32 shared_address(const void* shared) {
  return static_cast<u32>(static_cast<const Byte*>(shared) - shared_memory());
}
template <class T, u32 offset>
u32 load_shared_at(u32 address) {
  return load_shared<T, offset>(address);
}
template <u32 offset>
void store_shared_u8(u32 at, u32 value) {
  shared_memory()[at + offset] = static_cast<Byte>(value);
}
template <u32 offset>
void store_shared_u16(u32 at, u32 value) {
  *reinterpret_cast<std::uint16_t*>(shared_memory() + (at + offset)) =
      static_cast<std::uint16_t>(value);
}
template <u32 offset>
void store_shared_u32(u32 at, u32 value) {
  *reinterpret_cast<u32*>(shared_memory() + (at + offset)) = value;
}
inline void prefetch(const void*) {}
// Nothing to order: one lane runs at a time.
inline void threadfence() {}
inline void threadfence_block() {}

// Caches are not modelled.
template <class T>
T load_readonly(const T* from) {
  return *from;
}
template <class T>
T load_streaming(const T* from) {
  return *from;
}
template <class T>
void store_streaming(T* to, std::type_identity_t<T> value) {
  *to = value;
}

// --- atomics

namespace detail {

/// Read, change, write: no other lane runs between.
template <class T, class Update>
T atomic(const char* name, T* at, Location where, Update update) {
  at_atomic(name, where);
  const T old = *at;
  *at = update(old);
  return old;
}

}  // namespace detail

inline u32 atomic_or(u32* at, u32 value, Location where = Location::here()) {
  return detail::atomic("atomic_or", at, where, [=](u32 old) { return old | value; });
}
inline u32 atomic_add(u32* at, u32 value, Location where = Location::here()) {
  return detail::atomic("atomic_add", at, where, [=](u32 old) { return old + value; });
}
inline u32 atomic_min(u32* at, u32 value, Location where = Location::here()) {
  return detail::atomic("atomic_min", at, where,
                        [=](u32 old) { return old < value ? old : value; });
}
inline u32 atomic_max(u32* at, u32 value, Location where = Location::here()) {
  return detail::atomic("atomic_max", at, where,
                        [=](u32 old) { return old > value ? old : value; });
}
inline u32 atomic_exchange(u32* at, u32 value, Location where = Location::here()) {
  return detail::atomic("atomic_exchange", at, where, [=](u32) { return value; });
}
inline u32 atomic_cas(u32* at, u32 expected, u32 value, Location where = Location::here()) {
  return detail::atomic("atomic_cas", at, where,
                        [=](u32 old) { return old == expected ? value : old; });
}
inline u64 atomic_add(u64* at, u64 value, Location where = Location::here()) {
  return detail::atomic("atomic_add", at, where, [=](u64 old) { return old + value; });
}
inline u64 atomic_cas(u64* at, u64 expected, u64 value, Location where = Location::here()) {
  return detail::atomic("atomic_cas", at, where,
                        [=](u64 old) { return old == expected ? value : old; });
}
inline u64 atomic_min(u64* at, u64 value, Location where = Location::here()) {
  return detail::atomic("atomic_min", at, where,
                        [=](u64 old) { return old < value ? old : value; });
}
inline u64 atomic_max(u64* at, u64 value, Location where = Location::here()) {
  return detail::atomic("atomic_max", at, where,
                        [=](u64 old) { return old > value ? old : value; });
}

// --- asynchronous and bulk copies

inline void copy_async_4(void* shared, const void* global, Location where = Location::here()) {
  detail::issue_copy("copy_async_4", shared, global, 4, where);
}
inline void copy_async_8(void* shared, const void* global, Location where = Location::here()) {
  detail::issue_copy("copy_async_8", shared, global, 8, where);
}
inline void copy_async_16(void* shared, const void* global, Location where = Location::here()) {
  detail::issue_copy("copy_async_16", shared, global, 16, where);
}
inline void copy_async_16_if(bool condition, void* shared, const void* global,
                             Location where = Location::here()) {
  if (condition) detail::issue_copy("copy_async_16_if", shared, global, 16, where);
}
void copy_async_commit();

namespace detail {
void wait_for_copies(u32 groups_in_flight, Location where);
}
template <u32 groups_in_flight>
void copy_async_wait(Location where = Location::here()) {
  detail::wait_for_copies(groups_in_flight, where);
}

void mbarrier_init(u64* barrier, u32 arrivals, Location where = Location::here());
void mbarrier_arrive(u64* barrier, Location where = Location::here());
void mbarrier_wait(u64* barrier, u32 parity, Location where = Location::here());
// Not checked: the emulator cannot see that a fence is missing.
inline void bulk_fence() {}
inline void bulk_fence_global() {}
inline void allow_next_kernel() {}
inline void await_last_kernel() {}
void bulk_expect(u64* barrier, u32 bytes, Location where = Location::here());
void bulk_copy(u64* barrier, void* shared, const void* global, u32 bytes,
               Location where = Location::here());

// --- arithmetic

inline u32 popcount(u32 value) {
  return static_cast<u32>(std::popcount(value));
}
inline u32 find_first_set(u32 value) {
  return value == 0 ? 0 : static_cast<u32>(std::countr_zero(value)) + 1;
}
inline u32 count_leading_zeros(u32 value) {
  return static_cast<u32>(std::countl_zero(value));
}
inline u64 multiply_add_wide(std::int32_t a, std::int32_t b, u64 c) {
  return c + static_cast<u64>(std::int64_t{a} * b);
}
inline u32 funnel_shift_right(u32 low, u32 high, u32 shift) {
  return static_cast<u32>(((u64{high} << 32) | low) >> (shift & 31));
}
inline u32 funnel_shift_left(u32 low, u32 high, u32 shift) {
  return static_cast<u32>((((u64{high} << 32) | low) << (shift & 31)) >> 32);
}
inline u32 bit_reverse(u32 value) {
  u32 result = 0;
  for (u32 i = 0; i < kWordBits; ++i) result |= (value >> i & 1) << (31 - i);
  return result;
}
/// Byte i of the result is the byte of b:a that bits 0-2 of the selector's nibble i name. Bit 3 is
/// ignored, as CUDA's __byte_perm does; the instruction prmt under it would fill in the sign.
inline u32 byte_permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = (u64{b} << 32) | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 index = (selector >> (4 * i)) & 7;
    result |= (static_cast<u32>(bytes >> (8 * index)) & 0xFF) << (8 * i);
  }
  return result;
}
inline bool has_bit(u32 word, u32 bit) {
  return (word >> bit & 1) != 0;
}
inline u32 byte_of(u32 low, u32 high, u32 index) {
  return byte_permute(low, high, index) & 0xFF;
}
inline u32 dot4(u32 a, u32 b, u32 c) {
  for (u32 shift = 0; shift < kWordBits; shift += 8)
    c += ((a >> shift) & 0xFF) * ((b >> shift) & 0xFF);
  return c;
}
inline u32 multiply_high(u32 a, u32 b) {
  return static_cast<u32>((u64{a} * b) >> 32);
}
/// Counts calls, so that differences are positive.
u64 clock();

}  // namespace presso::simt
