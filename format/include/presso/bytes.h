// SPDX-License-Identifier: MIT
// Byte views and unaligned little-endian loads and stores. The format is little-endian throughout
// (FORMAT.md, section "Conventions"), and so are all machines that presso supports; hence values
// are copied, not converted.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "presso/byte.h"

namespace presso {

static_assert(std::endian::native == std::endian::little, "presso needs a little-endian machine");

/// Byte data anywhere in presso. Spans do not own their bytes.
using Bytes = std::span<const Byte>;
using MutableBytes = std::span<Byte>;

/// Reads a T from any address; compilers make one instruction of the copy.
template <class T>
inline T load(const Byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Writes a T to any address.
template <class T>
inline void store(Byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

/// Appends the bytes of `value`, the lowest first.
template <class T>
void append_value(std::vector<Byte>& to, T value) {
  to.resize(to.size() + sizeof value);
  store<T>(to.data() + to.size() - sizeof value, value);
}

/// A 24-bit little-endian field that shares a 32-bit word with one further byte. Both functions
/// access four bytes.
inline std::uint32_t load_u24(const Byte* from) {
  return load<std::uint32_t>(from) & 0xFFFFFFu;
}
inline void store_u24(Byte* to, std::uint32_t value, Byte high = 0) {
  store<std::uint32_t>(to, (value & 0xFFFFFFu) | (std::uint32_t{high} << 24));
}

/// Returns the least multiple of `multiple` that is not less than `value`.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace presso
