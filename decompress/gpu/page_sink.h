// SPDX-License-Identifier: MIT
// Who else reads the relay decoder's pages while they are in shared memory. A sink has shared
// memory of its own behind RelayShared. Its members, called by
//
//   begin()       all threads, before the first barrier of the block
//   wants(page)   copiers, uniformly or not: whether the page must go to device memory
//   copied(page)  all lanes of the copiers, behind a barrier of theirs: pages up to this one are in
//                 the ring, and as far back as kMostDistance
//   finish(good)  all threads, behind a barrier, when all pages are in the ring: whether the
//   block's
//                 payload was sound
//
// What of a page is not written to device memory is nowhere: blocks that are not good, or are left
// to another decoder, must be decoded again.
#pragma once

#include "decompress/gpu/plan/relay_layout.h"
#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

/// Nobody.
struct NoSink {
  PRESSO_DEVICE void begin() const {}
  PRESSO_DEVICE bool wants(std::uint32_t) const { return true; }
  PRESSO_DEVICE void copied(std::uint32_t) const {}
  PRESSO_DEVICE void finish(bool) const {}
};

}  // namespace presso::gpu
