// SPDX-License-Identifier: MIT
// Reads and writes the values of a section's payload one after another. Reading beyond the end
// gives zeros and is remembered, so that a parser checks once at its end instead of at each
// field. Counts that were read must still be checked before memory is taken for them.
#pragma once

#include <bit>
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

/// How an image (zone_image.h) is written (FORMAT.md 15.4): as a number without the zero bytes at
/// both ends. By its kind the number is the image with the highest bit flipped, which makes
/// positive integers and doubles short, this with all bits flipped, for negative ones, or the image
/// itself.
struct ImageForm {
  unsigned kind = 0;
  unsigned zeros = 0;  ///< zero bytes below
  unsigned count = 0;  ///< bytes between the zero bytes
  std::uint64_t number = 0;

  std::uint64_t image() const {
    constexpr std::uint64_t kHighest = std::uint64_t{1} << 63;
    return kind == 2 ? number : (kind == 1 ? ~number : number) ^ kHighest;
  }
  friend bool operator==(const ImageForm&, const ImageForm&) = default;
};
/// The form of the fewest bytes, of equal ones the first.
inline ImageForm form_of(std::uint64_t image) {
  ImageForm best;
  for (unsigned kind = 0; kind < 3; ++kind) {
    ImageForm form{kind, 0, 0, 0};
    const std::uint64_t flipped = image ^ std::uint64_t{1} << 63;
    form.number = kind == 2 ? image : kind == 1 ? ~flipped : flipped;
    if (form.number != 0) {
      form.zeros = static_cast<unsigned>(std::countr_zero(form.number)) / 8;
      form.count = 8 - form.zeros - static_cast<unsigned>(std::countl_zero(form.number)) / 8;
    }
    if (kind == 0 || form.count < best.count) best = form;
  }
  return best;
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
  /// the highest bit set in all bytes but the last. What does not fit into 64 bits, or has more
  /// bytes than it needs, counts as an overrun.
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = value<Byte>();
      number |= (byte & 127) << shift;
      if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0)) break;
      if (byte < 128) return number;
    }
    overran_ = true;
    return 0;
  }
  /// Takes a signed number, as zigzag() makes it unsigned.
  std::int64_t signed_varint() { return unzigzag(varint()); }
  /// Takes a varint that must not be 0.
  std::uint64_t counted() {
    const std::uint64_t number = varint();
    overran_ |= number == 0;
    return number;
  }
  /// Takes an image (zone_image.h) as append_image() writes it.
  std::uint64_t image() {
    const auto byte = value<Byte>();
    ImageForm form{byte / 81u, byte / 9u % 9, byte % 9u, 0};
    if (form.kind > 2 || form.zeros + form.count > 8) overran_ = true;
    const Bytes read = bytes(form.count);
    if (overran_) return 0;
    for (unsigned i = 0; i < form.count; ++i) {
      form.number |= std::uint64_t{read[i]} << (8 * (form.zeros + i));
    }
    const std::uint64_t image = form.image();
    overran_ |= form_of(image) != form;
    return image;
  }
  /// Takes a string: its size as a varint and its bytes.
  std::string text() {
    const Bytes read = bytes(varint());
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

/// Appends an image as WireReader::image() takes it.
inline void append_image(std::vector<Byte>& to, std::uint64_t image) {
  const ImageForm form = form_of(image);
  to.push_back(static_cast<Byte>(81 * form.kind + 9 * form.zeros + form.count));
  for (unsigned i = 0; i < form.count; ++i) {
    to.push_back(static_cast<Byte>(form.number >> (8 * (form.zeros + i))));
  }
}

/// Appends a string as WireReader::text() takes it.
inline void append_text(std::vector<Byte>& to, const std::string& text) {
  append_varint(to, text.size());
  to.insert(to.end(), text.begin(), text.end());
}

}  // namespace presso
