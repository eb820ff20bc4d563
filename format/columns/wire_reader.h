// SPDX-License-Identifier: MIT
// Reads and writes the values of a section's payload one after another. Reading beyond the end
// gives zeros and is remembered, so that a parser checks once at its end instead of at each
// field. Counts that were read must still be checked before memory is taken for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "presso/bytes.h"

namespace presso {

/// Signed numbers as unsigned ones that are small where they are: 0, -1, 1, -2 are 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::int64_t number) {
  return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1 ^ (~(number & 1) + 1));
}

/// What is left of a payload that must stay where it is.
class WireReader {
 public:
  explicit WireReader(Bytes bytes) : rest_(bytes) {}

  template <class T>
  T value() {
    if (!has(sizeof(T))) return T{};
    const T read = load<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
    return read;
  }
  /// The next `count` bytes; empty where there are fewer.
  Bytes bytes(std::uint64_t count) {
    if (!has(count)) return {};
    const Bytes read = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return read;
  }
  /// Takes a number of a varying size (FORMAT.md 15.5): seven bits a byte, the lowest first, with
  /// the highest bit set in all bytes but the last. What does not fit into 64 bits counts as an
  /// overrun.
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = value<Byte>();
      number |= (byte & 127) << shift;
      if (shift == 63 && byte > 1) break;
      if (byte < 128) return number;
    }
    overran_ = true;
    return 0;
  }
  /// Takes a signed number, as zigzag() makes it unsigned.
  std::int64_t signed_varint() { return unzigzag(varint()); }
  /// Takes a string: a u32 size and as many bytes.
  std::string text() {
    const Bytes read = bytes(value<std::uint32_t>());
    return {reinterpret_cast<const char*>(read.data()), read.size()};
  }
  std::size_t left() const { return rest_.size(); }
  /// Where what is left begins.
  const Byte* next() const { return rest_.data(); }
  /// Whether nothing was read beyond the end and nothing is left.
  bool ended_exactly() const { return !overran_ && rest_.empty(); }
  bool overran() const { return overran_; }

 private:
  bool has(std::uint64_t count) {
    overran_ |= count > rest_.size();
    return !overran_;
  }

  Bytes rest_;
  bool overran_ = false;
};

/// Appends a number as WireReader::varint() takes it.
template <class Container>
void append_varint(Container& to, std::uint64_t number) {
  Byte bytes[10];
  std::size_t count = 0;
  for (; number >= 128; number >>= 7) bytes[count++] = static_cast<Byte>(number | 128);
  bytes[count++] = static_cast<Byte>(number);
  if constexpr (requires { to.append(Bytes(bytes, count)); }) {
    to.append(Bytes(bytes, count));
  } else {
    to.insert(to.end(), bytes, bytes + count);
  }
}

/// Appends a string as WireReader::text() takes it.
inline void append_text(std::vector<Byte>& to, const std::string& text) {
  append_value<std::uint32_t>(to, static_cast<std::uint32_t>(text.size()));
  to.insert(to.end(), text.begin(), text.end());
}

}  // namespace presso
