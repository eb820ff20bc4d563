// SPDX-License-Identifier: MIT
// Thrift's compact protocol, as far as the footers and page headers of Parquet files need it. A
// reader never looks beyond its bytes: after the first mistake it has failed, gives zeros and ends
// every loop, so that callers ask ok() once at the end. The writer makes the same structures.
// Tested through tests/cli/test_parquet.py.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "presso/bytes.h"

namespace presso::cli {

/// The types of fields and elements as they stand in the bytes.
enum class ThriftType : Byte {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

/// Reads one structure after another. Bytes are borrowed.
class ThriftReader {
 public:
  explicit ThriftReader(Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return !failed_; }
  std::size_t position() const { return at_; }

  /// Calls on_field(id, type) for each field; what it does not take it must pass to skip().
  template <class OnField>
  void read_struct(OnField&& on_field) {
    int id = 0;
    for (;;) {
      const Byte head = next();
      const auto type = static_cast<ThriftType>(head & 15);
      if (failed_ || type == ThriftType::kStop) return;
      id = head >> 4 != 0 ? id + (head >> 4) : static_cast<int>(read_zigzag());
      on_field(id, type);
      if (failed_) return;
    }
  }
  /// Calls on_element(type) for each element of a list.
  template <class OnElement>
  void read_list(ThriftType type, OnElement&& on_element) {
    if (type != ThriftType::kList && type != ThriftType::kSet) return fail();
    const Byte head = next();
    const std::uint64_t count = head >> 4 == 15 ? read_varint() : head >> 4;
    // Every element takes a byte at least.
    if (count > bytes_.size() - at_) return fail();
    for (std::uint64_t i = 0; i < count && !failed_; ++i) {
      on_element(static_cast<ThriftType>(head & 15));
    }
  }

  /// Each fails where the type is another one.
  std::int64_t read_int(ThriftType type);
  bool read_bool(ThriftType type);
  Bytes read_binary(ThriftType type);
  std::string_view read_text(ThriftType type);
  /// Passes over a value of any type.
  void skip(ThriftType type, int depth = 0);
  void fail() {
    failed_ = true;
    at_ = bytes_.size();
  }

 private:
  Byte next();
  std::uint64_t read_varint();
  std::int64_t read_zigzag();

  Bytes bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// Writes structures field by field, in the order of rising ids.
class ThriftWriter {
 public:
  explicit ThriftWriter(std::vector<Byte>& to) : to_(to) {}

  void begin_struct() { last_.push_back(0); }
  void end_struct() {
    last_.pop_back();
    to_.push_back(0);
  }
  /// Begins a field that is a structure; end_struct() ends it.
  void struct_field(int id) {
    field(id, ThriftType::kStruct);
    begin_struct();
  }
  void int_field(int id, std::int64_t value, ThriftType type = ThriftType::kInt32) {
    field(id, type);
    zigzag(value);
  }
  void long_field(int id, std::int64_t value) { int_field(id, value, ThriftType::kInt64); }
  void byte_field(int id, std::int8_t value) {
    field(id, ThriftType::kByte);
    to_.push_back(static_cast<Byte>(value));
  }
  void bool_field(int id, bool value) { field(id, value ? ThriftType::kTrue : ThriftType::kFalse); }
  void binary_field(int id, Bytes value) {
    field(id, ThriftType::kBinary);
    binary(value);
  }
  void text_field(int id, std::string_view text) {
    binary_field(id, {reinterpret_cast<const Byte*>(text.data()), text.size()});
  }
  void list_field(int id, ThriftType of, std::size_t count);
  /// Elements of a list.
  void text(std::string_view text) {
    binary({reinterpret_cast<const Byte*>(text.data()), text.size()});
  }
  void zigzag(std::int64_t value) {
    varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }

 private:
  void field(int id, ThriftType type);
  void varint(std::uint64_t value);
  void binary(Bytes value);

  std::vector<Byte>& to_;
  std::vector<int> last_;  ///< the id of the last field, by depth
};

}  // namespace presso::cli
