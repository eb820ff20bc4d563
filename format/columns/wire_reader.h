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
  /// Takes a string: a u32 size and as many bytes.
  std::string text() {
    const Bytes read = bytes(value<std::uint32_t>());
    return {reinterpret_cast<const char*>(read.data()), read.size()};
  }
  std::size_t left() const { return rest_.size(); }
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

/// Appends a string as WireReader::text() takes it.
inline void append_text(std::vector<Byte>& to, const std::string& text) {
  append_value<std::uint32_t>(to, static_cast<std::uint32_t>(text.size()));
  to.insert(to.end(), text.begin(), text.end());
}

}  // namespace presso
