// SPDX-License-Identifier: MIT
// Marks for functions that run on the CPU and on a GPU. Under nvcc they are CUDA's function
// specifiers; any other compiler sees plain inline functions, so that shared code is
// unit-tested without a GPU. Code that is marked must not allocate, throw or use the standard
// library beyond constexpr functions.
#pragma once

#ifdef __CUDACC__
/// On a function that host and device call: no allocation, no exceptions, pointer and length.
#define PRESSO_HD __host__ __device__
/// On a function of a kernel's body, which reaches warp and block through
/// decompress/gpu/simt/simt.h.
#define PRESSO_DEVICE __device__ __forceinline__
/// On a device function that is not inlined: for slow paths, whose registers would otherwise
/// count for the fast one too.
#define PRESSO_DEVICE_CALL static __device__ __noinline__
/// Before a loop whose indices must be constants, so that its arrays stay in registers.
#define PRESSO_UNROLL _Pragma("unroll")
/// Before a loop that must stay a loop, to keep code small.
#define PRESSO_NO_UNROLL _Pragma("unroll 1")
#else
#define PRESSO_HD
#define PRESSO_DEVICE inline
#define PRESSO_DEVICE_CALL [[maybe_unused]] static
#define PRESSO_UNROLL
#define PRESSO_NO_UNROLL
#endif
