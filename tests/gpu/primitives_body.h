// SPDX-License-Identifier: MIT
// A kernel body that uses every primitive of simt.h. The GPU and the emulator run it on the same
// data and must agree word for word; that it compiles for every architecture is a test as well.
//
// Threads to data: one block of kProbeThreads; thread t reads input word t and writes its row of
// `results`, a word for each probe. Shared memory: kProbeSharedBytes, see ProbeShared.
#pragma once

#include "decompress/gpu/simt/simt.h"

namespace presso::simt {

constexpr u32 kProbeThreads = 3 * kWarpSize;
constexpr u32 kProbes = 43;
constexpr u32 kProbeInputs = 4 * kProbeThreads;  ///< words

struct ProbeShared {
  u64 barrier;
  u64 sum64;
  u64 least64;
  u64 most64;
  u64 owner64;
  u32 sum;
  u32 bits;
  u32 least;
  u32 most;
  u32 swapped;
  u32 owner;
  u32 handed[kWarpSize];
  alignas(16) u32 copied[4 * kProbeThreads];
};
constexpr std::size_t kProbeSharedBytes = sizeof(ProbeShared);

struct ProbeArgs {
  const u32* input;  ///< kProbeInputs words, 16-byte aligned
  u32* results;      ///< kProbeThreads rows of kProbes words
  u32* streamed;     ///< kProbeInputs words, 16-byte aligned
};

/// Collects a thread's results in order.
class ProbeRow {
 public:
  PRESSO_DEVICE explicit ProbeRow(u32* row) : row_(row) {}
  PRESSO_DEVICE void add(u32 value) {
    if (count_ < kProbes) row_[count_] = value;
    ++count_;
  }
  PRESSO_DEVICE void add64(u64 value) {
    add(static_cast<u32>(value));
    add(static_cast<u32>(value >> 32));
  }
  /// Marks the rest, so that a row that is too long or short shows.
  PRESSO_DEVICE void close() {
    const u32 count = count_;
    while (count_ < kProbes) add(0xC0FFEE00u + count);
  }

 private:
  u32* row_;
  u32 count_ = 0;
};

PRESSO_DEVICE void probe_warp(u32 value, ProbeRow& row) {
  row.add(ballot((value & 1) != 0));
  row.add(any(value % 97 == 0));
  row.add(all(value > 5));
  warp_sync();
  row.add(shuffle(value, (value >> 3) + 1));
  row.add(shuffle_up(value, 3));
  row.add(shuffle_down(value, 5));
  row.add(shuffle_xor(value, 9));
  row.add64(shuffle_xor(u64{value} << 20, 1));
  row.add(inclusive_sum(value));
  row.add(reduce_add(value));
  row.add(reduce_or(value));
  row.add(reduce_min(value));
  row.add(reduce_max(value));
}

PRESSO_DEVICE void probe_arithmetic(u32 value, ProbeRow& row) {
  row.add(popcount(value));
  row.add(find_first_set(value));
  row.add(count_leading_zeros(value));
  row.add(funnel_shift_right(value, ~value, value % 64));
  row.add(funnel_shift_left(value, ~value, value % 64));
  row.add(bit_reverse(value));
  row.add(byte_permute(value, ~value, value >> 7));
  row.add(dot4(value, 0x01020304u, value));
  row.add(multiply_high(value, 0x9E3779B9u));
}

PRESSO_DEVICE void probe_atomics(u32 value, ProbeShared& shared, ProbeRow& row) {
  if (thread_in_block() == 0) {
    shared.sum = shared.bits = shared.most = shared.swapped = shared.owner = 0;
    shared.sum64 = shared.most64 = shared.owner64 = 0;
    shared.least = ~0u;
    shared.least64 = ~u64{0};
  }
  block_sync();
  atomic_add(&shared.sum, value);
  atomic_or(&shared.bits, value & 0x0F0F0F0Fu);
  atomic_min(&shared.least, value);
  atomic_max(&shared.most, value);
  atomic_add(&shared.sum64, u64{value} << 16);
  atomic_min(&shared.least64, u64{value} << 16);
  atomic_max(&shared.most64, u64{value} << 16);
  const bool first = atomic_cas(&shared.owner, 0, 1) == 0;
  row.add(block_sync_count(first));
  const bool claims = atomic_cas(&shared.owner64, 0, u64{value} << 32 | 1) == 0;
  row.add(block_sync_count(claims));
  const bool last = atomic_exchange(&shared.swapped, 1) == 0;
  row.add(block_sync_or(last));
  row.add(shared.sum ^ shared.bits ^ shared.least ^ shared.most);
  row.add64(shared.sum64 ^ shared.least64 ^ shared.most64);
}

/// Warp 0 hands a warp of words to the others through named barrier 1.
PRESSO_DEVICE void probe_named_barrier(u32 value, ProbeShared& shared, ProbeRow& row) {
  if (warp_in_block() == 0) {
    shared.handed[lane()] = value;
    threadfence_block();
    named_barrier_arrive(1, kProbeThreads);
    row.add(value);
  } else {
    named_barrier_sync(1, kProbeThreads);
    row.add(shared.handed[lane() ^ 1]);
  }
  block_sync();
}

PRESSO_DEVICE void probe_copies(const ProbeArgs& args, ProbeShared& shared, ProbeRow& row) {
  const u32 thread = thread_in_block();
  u32* const mine = shared.copied + 4 * thread;
  copy_async_16(mine, args.input + 4 * thread);
  copy_async_commit();
  copy_async_wait<0>();
  row.add(mine[0] ^ mine[3]);
  copy_async_8(mine, args.input + 2 * thread);
  copy_async_4(mine + 2, args.input + thread);
  copy_async_commit();
  copy_async_wait<0>();
  row.add(mine[0] + mine[1] + mine[2]);
  bulk_fence();
  block_sync();
  for (u32 phase = 0; phase < 2; ++phase) {
    if (thread == 0) {
      bulk_expect(&shared.barrier, 2 * kProbeThreads * sizeof(u32));
      bulk_copy(&shared.barrier, shared.copied, args.input + phase * kProbeThreads,
                kProbeThreads * sizeof(u32));
      bulk_copy(&shared.barrier, shared.copied + kProbeThreads, args.input,
                kProbeThreads * sizeof(u32));
    }
    if (thread % kWarpSize == 0) mbarrier_arrive(&shared.barrier);
    mbarrier_wait(&shared.barrier, phase);
    row.add(shared.copied[thread] ^ shared.copied[2 * kProbeThreads - 1 - thread]);
    block_sync();
  }
  shared.copied[thread] = args.input[thread];
  warp_sync();
  if (thread % kWarpSize == 0) mbarrier_arrive(&shared.barrier);
  mbarrier_wait(&shared.barrier, 0);
  row.add(shared.copied[kProbeThreads - 1 - thread]);
}

PRESSO_DEVICE void probe_memory(const ProbeArgs& args, ProbeRow& row) {
  const u32 thread = thread_in_block();
  const Vec4 four = load_readonly(reinterpret_cast<const Vec4*>(args.input) + thread);
  const Vec2 two = load_streaming(reinterpret_cast<const Vec2*>(args.input) + thread);
  const auto* bytes = reinterpret_cast<const Byte*>(args.input);
  row.add(four.x ^ four.w ^ two.y);
  row.add(load_readonly(bytes + thread));
  row.add(load_readonly(reinterpret_cast<const std::uint16_t*>(bytes) + thread));
  store_streaming(reinterpret_cast<Vec4*>(args.streamed) + thread, four);
  threadfence();
}

template <class Policy>
PRESSO_DEVICE void primitives_body(const ProbeArgs& args) {
  auto& shared = *reinterpret_cast<ProbeShared*>(shared_memory());
  ProbeRow row(args.results + thread_in_block() * kProbes);
  const u32 value = args.input[thread_in_block()];
  if (thread_in_block() == 0) mbarrier_init(&shared.barrier, kProbeThreads / kWarpSize);
  row.add(block_index() + grid_blocks() * 100 + block_threads() * 1000);
  row.add(lane() + warp_in_block() * 100);
  probe_warp(value, row);
  probe_arithmetic(value, row);
  probe_atomics(value, shared, row);
  probe_named_barrier(value, shared, row);
  probe_copies(args, shared, row);
  probe_memory(args, row);
  const u64 before = clock();
  row.add(clock() >= before);
  row.close();
}

}  // namespace presso::simt
