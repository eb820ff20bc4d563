// SPDX-License-Identifier: MIT
// The primitives of simt.h in the emulator: each becomes a call of the running block
// (emulator_block.h) with a function that combines the lanes' values.
#include "decompress/gpu/simt/emulator/emulator_block.h"
#include "decompress/gpu/simt/simt.h"

namespace presso::simt {
namespace {

/// Calls `use(lane)` for each lane of the mask, lowest first.
template <class Use>
void for_each_lane(u32 mask, Use use) {
  for (; mask != 0; mask &= mask - 1) use(static_cast<u32>(std::countr_zero(mask)));
}

/// Results that are the same for all lanes go to out[0].
void combine_ballot(const WarpValues& in, u32 present, WarpValues& out) {
  u64 result = 0;
  for_each_lane(present, [&](u32 lane) { result |= (in[lane] & 1) << lane; });
  out[0] = result;
}

void combine_all(const WarpValues& in, u32 present, WarpValues& out) {
  out[0] = 1;
  for_each_lane(present, [&](u32 lane) { out[0] &= in[lane]; });
}

/// Prefix sums, one for each lane present.
void combine_sums(const WarpValues& in, u32 present, WarpValues& out) {
  u32 sum = 0;
  for_each_lane(present, [&](u32 lane) { out[lane] = sum += static_cast<u32>(in[lane]); });
}

/// Folds the lanes' values, starting from `start`.
template <class Reduce>
void reduce(const WarpValues& in, u32 present, WarpValues& out, u32 start, Reduce step) {
  u32 result = start;
  for_each_lane(present, [&](u32 lane) { result = step(result, static_cast<u32>(in[lane])); });
  out[0] = result;
}
void combine_add(const WarpValues& in, u32 present, WarpValues& out) {
  reduce(in, present, out, 0, [](u32 a, u32 b) { return a + b; });
}
void combine_or(const WarpValues& in, u32 present, WarpValues& out) {
  reduce(in, present, out, 0, [](u32 a, u32 b) { return a | b; });
}
void combine_min(const WarpValues& in, u32 present, WarpValues& out) {
  reduce(in, present, out, ~0u, [](u32 a, u32 b) { return a < b ? a : b; });
}
void combine_max(const WarpValues& in, u32 present, WarpValues& out) {
  reduce(in, present, out, 0, [](u32 a, u32 b) { return a > b ? a : b; });
}

/// A collective whose result is the same for all lanes.
u32 shared_result(const char* name, u64 value, Combine combine, Location where) {
  return static_cast<u32>(current_block().warp_collective({name, where}, value, combine).out[0]);
}

/// Common to both calls; the number is part of the site, for messages.
void named_barrier(const char* name, u32 id, u32 threads, bool wait, Location where) {
  current_block().named_barrier({name, where, id}, threads, wait);
}

}  // namespace

// --- place

u32 lane() {
  return current_block().lane().in_warp();
}
u32 warp_in_block() {
  return current_block().lane().warp();
}
u32 thread_in_block() {
  return current_block().lane().thread;
}
u32 block_index() {
  return current_block().index();
}
u32 grid_blocks() {
  return current_block().launch().grid;
}
u32 block_threads() {
  return current_block().launch().block_threads;
}

// --- warp

namespace detail {

// A collective without combination: each lane looks at the values that came in.
u64 exchange(const char* name, u64 value, u32 from_lane, Location where) {
  return current_block().warp_collective({name, where}, value, nullptr).in[from_lane];
}
u32 count_block(const char* name, bool predicate, Location where) {
  return current_block().block_barrier({name, where}, predicate);
}
void at_atomic(const char* name, Location where) {
  current_block().give_way({name, where});
}
void issue_copy(const char* name, void* shared, const void* global, u32 bytes, Location where) {
  current_block().copy_async({name, where}, shared, global, bytes);
}
void wait_for_copies(u32 groups_in_flight, Location where) {
  current_block().copy_async_wait({"copy_async_wait", where}, groups_in_flight);
}

}  // namespace detail

u32 ballot(bool predicate, Location where) {
  return shared_result("ballot", predicate, combine_ballot, where);
}
bool any(bool predicate, Location where) {
  return shared_result("any", predicate, combine_or, where) != 0;
}
bool all(bool predicate, Location where) {
  return shared_result("all", predicate, combine_all, where) != 0;
}
void warp_sync(Location where) {
  current_block().warp_collective({"warp_sync", where}, 0, nullptr);
}
u32 inclusive_sum(u32 value, Location where) {
  const u32 mine = lane();
  const Site site{"inclusive_sum", where};
  return static_cast<u32>(current_block().warp_collective(site, value, combine_sums).out[mine]);
}
u32 reduce_add(u32 value, Location where) {
  return shared_result("reduce_add", value, combine_add, where);
}
u32 reduce_or(u32 value, Location where) {
  return shared_result("reduce_or", value, combine_or, where);
}
u32 reduce_min(u32 value, Location where) {
  return shared_result("reduce_min", value, combine_min, where);
}
u32 reduce_max(u32 value, Location where) {
  return shared_result("reduce_max", value, combine_max, where);
}

// --- block and memory

void named_barrier_sync(u32 id, u32 threads, Location where) {
  named_barrier("named_barrier_sync", id, threads, true, where);
}
void named_barrier_arrive(u32 id, u32 threads, Location where) {
  named_barrier("named_barrier_arrive", id, threads, false, where);
}
Byte* shared_memory() {
  return current_block().shared();
}

// --- copies

// A lane's own, so no other lane has to run.
void copy_async_commit() {
  current_block().lane().copies.commit();
}
void mbarrier_init(u64* barrier, u32 arrivals, Location where) {
  current_block().mbarrier_init({"mbarrier_init", where}, barrier, arrivals);
}
void mbarrier_arrive(u64* barrier, Location where) {
  current_block().mbarrier_arrive({"mbarrier_arrive", where}, barrier);
}
void mbarrier_wait(u64* barrier, u32 parity, Location where) {
  current_block().mbarrier_wait({"mbarrier_wait", where}, barrier, parity);
}
void bulk_expect(u64* barrier, u32 bytes, Location where) {
  current_block().bulk_expect({"bulk_expect", where}, barrier, bytes);
}
void bulk_copy(u64* barrier, void* shared, const void* global, u32 bytes, Location where) {
  current_block().bulk_copy({"bulk_copy", where}, barrier, shared, global, bytes);
}

u64 clock() {
  thread_local u64 calls = 0;
  return ++calls;
}

}  // namespace presso::simt
