// SPDX-License-Identifier: MIT
// Access to global memory by address. Kernels that gather from several places (payload, dictionary,
// output) keep 64-bit addresses in tables; an address that was a pointer in a struct no longer
// tells the compiler that it is global, and a generic access would wait for shared memory's, too.
#pragma once

#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

using simt::kWarpSize;
using simt::u32;
using simt::u64;

/// This warp's number in its thread block. The shuffle says that lanes agree: control flow that
/// depends on the block alone then costs no check for divergence at every vote.
PRESSO_DEVICE u32 uniform_warp() {
  return simt::shuffle(simt::warp_in_block(), 0);
}

/// The address of `pointer` as a number, for tables of addresses.
PRESSO_DEVICE u64 address_of(const Byte* pointer) {
  return reinterpret_cast<u64>(pointer);
}

/// What another lane of the warp stored is seen from the next warp_sync on.
template <class T>
PRESSO_DEVICE T load_global(u64 address) {
  const T* const from = reinterpret_cast<const T*>(address);
#if defined(__CUDA_ARCH__)
  __builtin_assume(__isGlobal(from));
#endif
  return *from;
}

/// As load_global(), for stores.
template <class T>
PRESSO_DEVICE void store_global(u64 address, T value) {
  T* const to = reinterpret_cast<T*>(address);
#if defined(__CUDA_ARCH__)
  __builtin_assume(__isGlobal(to));
#endif
  *to = value;
}

}  // namespace presso::gpu
