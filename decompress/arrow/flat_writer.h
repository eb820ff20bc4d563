// SPDX-License-Identifier: MIT
// Writes the few structures of FlatBuffers that Arrow's messages consist of
// (https://flatbuffers.dev/internals): tables with their lists of fields, vectors, strings. It
// writes from front to back. A field that refers to something is filled in when that is
// written, which is always later. Everything is aligned from the beginning of the buffer, whose
// own place must be a multiple of 8. No schema compiler and no library are needed.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "presso/bytes.h"

namespace presso {

// Writes one FlatBuffer, the metadata of one message. Call table(kRoot, ...) first, then write what
// its references refer to, each given the place that waits for it, then finish().
class FlatWriter {
 public:
  /// The position of a reference in the buffer. It is filled in when what it refers to is written.
  using Place = std::size_t;

  /// A field of a table: a number, or a reference to something written later. Fields are given in
  /// the order of their numbers in Arrow's schema of the message.
  struct Field {
    Byte bytes;  ///< 1, 2, 4 or 8; 0: absent, which means the default
    std::uint64_t value;
  };
  static constexpr Field kNoField = {0, 0};
  static constexpr Field kReference = {4, 0};
  template <class T>
  static constexpr Field field(T value) {
    return {sizeof(T), static_cast<std::uint64_t>(value)};
  }

  /// The buffer begins with the reference to the outermost table.
  FlatWriter() : bytes_(4) {}
  static constexpr Place kRoot = 0;

  /// Writes a table and returns the places of its fields, by number; absent ones have none.
  std::vector<Place> table(Place from, std::initializer_list<Field> fields) {
    const std::size_t list = begin(2);
    const std::size_t list_bytes = 4 + 2 * fields.size();
    bytes_.resize(list + list_bytes);
    align(8);
    const std::size_t at = bytes_.size();
    refer(from, at);
    bytes_.resize(at + 4);
    store<std::int32_t>(&bytes_[at], static_cast<std::int32_t>(at - list));
    std::vector<Place> places;
    for (const Field& field : fields) {
      places.push_back(field.bytes == 0 ? 0 : append(field));
      const std::size_t distance = field.bytes == 0 ? 0 : places.back() - at;
      store<std::uint16_t>(&bytes_[list + 2 + 2 * places.size()],
                           static_cast<std::uint16_t>(distance));
    }
    store<std::uint16_t>(&bytes_[list], static_cast<std::uint16_t>(list_bytes));
    store<std::uint16_t>(&bytes_[list + 2], static_cast<std::uint16_t>(bytes_.size() - at));
    return places;
  }

  /// Strings have a length and a zero byte at the end.
  void string(Place from, std::string_view text) {
    refer(from, begin(4));
    append_value(bytes_, static_cast<std::uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
  }

  /// Writes a vector of references and returns the place of each.
  std::vector<Place> references(Place from, std::size_t count) {
    refer(from, begin(4));
    append_value(bytes_, static_cast<std::uint32_t>(count));
    std::vector<Place> places;
    for (std::size_t i = 0; i < count; ++i) {
      places.push_back(bytes_.size());
      append_value<std::uint32_t>(bytes_, 0);
    }
    return places;
  }

  /// Writes a vector of structs of `struct_words` 64-bit numbers each.
  void structs(Place from, std::span<const std::int64_t> words, std::size_t struct_words) {
    while (bytes_.size() % 8 != 4) bytes_.push_back(0);
    refer(from, bytes_.size());
    append_value(bytes_, static_cast<std::uint32_t>(words.size() / struct_words));
    for (const std::int64_t word : words) append_value(bytes_, word);
  }

  /// Returns the bytes, padded to a multiple of 8.
  std::vector<Byte> finish() {
    align(8);
    return std::move(bytes_);
  }

 private:
  std::size_t begin(std::size_t alignment) {
    align(alignment);
    return bytes_.size();
  }
  void align(std::size_t to) { bytes_.resize(round_up(bytes_.size(), to)); }
  /// Makes the reference at `from` point to `to`. References are distances from their own place.
  void refer(Place from, std::size_t to) {
    store<std::uint32_t>(&bytes_[from], static_cast<std::uint32_t>(to - from));
  }
  Place append(const Field& field) {
    const Place at = begin(field.bytes);
    for (Byte i = 0; i < field.bytes; ++i) {
      bytes_.push_back(static_cast<Byte>(field.value >> (8 * i)));
    }
    return at;
  }

  std::vector<Byte> bytes_;
};

}  // namespace presso
