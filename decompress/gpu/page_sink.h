// SPDX-License-Identifier: MIT
// Who else reads the relay decoder's pages while they are in shared memory. A sink has warps of its
// own behind the parsers, and shared memory behind RelayShared. Its members, called by
//
//   begin()            all threads, before the first barrier of the block
//   wants(page)        copiers, uniformly or not: whether the page must go to device memory
//   made(page, pages)  each lane of the copiers, when what it has of the page is in the ring
//   await_room(page)   each lane of the parsers, before they fill the page and so overwrite what
//                      lies kRing bytes below the page behind it
//   run()              its own warps, once a block
//   finish(good)       all threads, behind a barrier: whether the block's payload was sound
//
// What of a page is not written to device memory is nowhere: blocks that are not good, or are left
// to another decoder, must be decoded again.
#pragma once

#include "decompress/gpu/relay_layout.h"
#include "decompress/gpu/simt.h"

namespace presso::gpu {

/// Nobody.
struct NoSink {
  static constexpr std::uint32_t kWarps = 0;

  PRESSO_DEVICE void begin() const {}
  PRESSO_DEVICE bool wants(std::uint32_t) const { return true; }
  PRESSO_DEVICE void made(std::uint32_t, std::uint32_t) const {}
  PRESSO_DEVICE void await_room(std::uint32_t) const {}
  PRESSO_DEVICE void run() const {}
  PRESSO_DEVICE void finish(bool) const {}
};

}  // namespace presso::gpu
