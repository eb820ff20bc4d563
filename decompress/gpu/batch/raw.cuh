// SPDX-License-Identifier: MIT
// Raw blocks (FORMAT.md 5): the payload is copied to where the plain bytes go, and hashed.
//
// A thread block takes a block. If the output begins at a multiple of 16, as the payload does,
// its threads copy 16 bytes each in turn; otherwise aligned words of 4 bytes, each put together
// from two. The payload is hashed rather than the output, since it is aligned and in the cache.
// Synchronisation: one barrier a block.
//
// Test: tests/simt/raw_test.cpp.
#pragma once

#include "decompress/gpu/checksum/content_check.cuh"

namespace presso::gpu {

namespace detail {

constexpr simt::u32 kVectorBytes = 16;
constexpr simt::u32 kWordBytes = 4;

/// Copies a byte for each thread; for a few bytes.
PRESSO_DEVICE void copy_few_bytes(Byte* to, const Byte* from, simt::u32 count) {
  const simt::u32 i = simt::thread_in_block();
  if (i < count) to[i] = from[i];
}

/// Both addresses are multiples of 16.
PRESSO_DEVICE void copy_vectors(Byte* to, const Byte* from, simt::u32 bytes) {
  using simt::Vec4;
  const auto* vectors = reinterpret_cast<const Vec4*>(from);
  const simt::u32 count = bytes / kVectorBytes;
  for (simt::u32 i = simt::thread_in_block(); i < count; i += simt::block_threads()) {
    simt::store_streaming(reinterpret_cast<Vec4*>(to) + i, simt::load_readonly(vectors + i));
  }
  const simt::u32 done = count * kVectorBytes;
  copy_few_bytes(to + done, from + done, bytes - done);
}

/// `from` is a multiple of 4. The last word that is read holds at least one of the bytes.
PRESSO_DEVICE void copy_words(Byte* to, const Byte* from, simt::u32 bytes) {
  using simt::u32;
  const auto to_boundary = static_cast<u32>(-reinterpret_cast<std::uintptr_t>(to) % kWordBytes);
  const u32 head = to_boundary < bytes ? to_boundary : bytes;
  copy_few_bytes(to, from, head);
  const auto* words = reinterpret_cast<const u32*>(from);
  const u32 count = (bytes - head) / kWordBytes;
  for (u32 i = simt::thread_in_block(); i < count; i += simt::block_threads()) {
    const u32 low = simt::load_readonly(words + i);
    const u32 high = head == 0 ? 0 : simt::load_readonly(words + i + 1);
    simt::store_streaming(reinterpret_cast<u32*>(to + head) + i,
                          simt::funnel_shift_right(low, high, 8 * head));
  }
  const u32 done = head + count * kWordBytes;
  copy_few_bytes(to + done, from + done, bytes - done);
}

}  // namespace detail

/// Decodes a raw block by a thread block of any number of warps, and writes its final status.
PRESSO_DEVICE void decode_raw(const BlockPlan& plan, std::uint32_t* status) {
  if (xxh3::is_aligned(plan.out, detail::kVectorBytes)) {
    detail::copy_vectors(plan.out, plan.payload, plan.plain_bytes);
  } else {
    detail::copy_words(plan.out, plan.payload, plan.plain_bytes);
  }
  if (plan.segment_hashes != nullptr) {
    hash_block(plan, plan.payload);
    finish_content_check(plan, status);
  } else {
    simt::block_sync();  // all warps have read the status
    if (simt::thread_in_block() == 0) *status = status_of(ErrorCode::kOk);
  }
}

}  // namespace presso::gpu
