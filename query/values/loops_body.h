// SPDX-License-Identifier: MIT
// The loops of loops.h. This file is included once for each CPU level, inside that level's
// namespace. It uses nothing of the standard library, so that the linker cannot share code for one
// level with another. There are no intrinsics: compilers turn the loops into vector code.

using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline void add(const u64* a, const u64* b, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

inline void subtract(const u64* a, const u64* b, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = a[i] - b[i];
}

inline void multiply(const u64* a, const u64* b, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = a[i] * b[i];
}

inline void widen(const u32* from, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = from[i];
}

/// A vector gather is no faster here, so the compiler is kept from making one.
inline void look_up(const u32* table, u32, const u32* codes, u32 count, u64* to) {
#pragma GCC unroll 1
  for (u64 i = 0; i < count; ++i) {
    to[i] = table[codes[i]];
    __asm__ volatile("");
  }
}

inline void offsets(const u64* values, u64 least, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = values[i] - least;
}

inline void add_digits(const u64* values, u64 least, u64 stride, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] += (values[i] - least) * stride;
}

constexpr ValueLoops kLoops = {add, subtract, multiply, widen, look_up, offsets, add_digits};
