// SPDX-License-Identifier: MIT
// Reads the few structures of FlatBuffers that Arrow's messages consist of: tables, vectors,
// strings. Buffers come from files that may be damaged: every reference and length is checked. What
// leads out of the buffer reads as absent, and FlatSource::sound() is false from then on, so that a
// caller asks once, after it has read everything. flat_writer.h is the reverse. Tested by
// tests/cli/test_arrow_files.py.
#pragma once

#include <string_view>
#include <vector>

#include "presso/bytes.h"

namespace presso {

/// The bytes of a FlatBuffer. They must outlive it, and it must outlive the tables.
class FlatSource {
 public:
  explicit FlatSource(Bytes bytes) : bytes_(bytes) {}

  bool sound() const { return sound_; }
  void fail() { sound_ = false; }
  bool has(std::size_t at, std::size_t count) {
    const bool inside = at <= bytes_.size() && count <= bytes_.size() - at;
    sound_ = sound_ && inside;
    return inside;
  }
  template <class T>
  T number(std::size_t at) {
    return has(at, sizeof(T)) ? load<T>(bytes_.data() + at) : T{};
  }
  /// Where the reference at this place leads.
  std::size_t target(std::size_t at) { return at + number<std::uint32_t>(at); }
  Bytes part(std::size_t at, std::size_t count) {
    return has(at, count) ? bytes_.subspan(at, count) : Bytes();
  }

 private:
  Bytes bytes_;
  bool sound_ = true;
};

/// A table. One that is absent has no fields.
class FlatTable {
 public:
  FlatTable() = default;
  FlatTable(FlatSource& source, std::size_t at) : source_(&source), at_(at) {
    const std::int64_t list =
        static_cast<std::int64_t>(at) - std::int64_t{source.number<std::int32_t>(at)};
    if (list < 0) source.fail();
    if (list < 0) return;
    list_ = static_cast<std::size_t>(list);
    list_bytes_ = source.number<std::uint16_t>(list_);
    if (!source.has(list_, list_bytes_)) list_bytes_ = 0;
  }
  /// The outermost table.
  static FlatTable root(FlatSource& source) { return {source, source.target(0)}; }

  bool has(unsigned field) const { return place(field) != 0; }
  template <class T>
  T number(unsigned field, T otherwise = {}) const {
    const std::size_t at = place(field);
    return at == 0 ? otherwise : source_->number<T>(at);
  }
  bool truth(unsigned field) const { return number<Byte>(field) != 0; }
  FlatTable table(unsigned field) const {
    const std::size_t at = place(field);
    return at == 0 ? FlatTable() : FlatTable(*source_, source_->target(at));
  }
  std::string_view text(unsigned field) const {
    const Bytes bytes = structs(field, 1);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::vector<FlatTable> tables(unsigned field) const {
    std::vector<FlatTable> all;
    const std::size_t count = structs(field, 4).size() / 4;
    for (std::size_t i = 0; i < count; ++i) {
      all.emplace_back(*source_, source_->target(source_->target(place(field)) + 4 + 4 * i));
    }
    return all;
  }
  /// A vector of numbers or structs that have `width` bytes each, which lie at any address.
  Bytes structs(unsigned field, std::size_t width) const {
    const std::size_t at = place(field);
    if (at == 0) return {};
    const std::size_t begin = source_->target(at);
    return source_->part(begin + 4, source_->number<std::uint32_t>(begin) * width);
  }

 private:
  /// 0 for a field that is absent.
  std::size_t place(unsigned field) const {
    const std::size_t entry = 4 + 2 * std::size_t{field};
    if (entry + 2 > list_bytes_) return 0;
    const auto distance = source_->number<std::uint16_t>(list_ + entry);
    return distance == 0 ? 0 : at_ + distance;
  }

  FlatSource* source_ = nullptr;
  std::size_t at_ = 0;
  std::size_t list_ = 0;
  std::size_t list_bytes_ = 0;
};

}  // namespace presso
