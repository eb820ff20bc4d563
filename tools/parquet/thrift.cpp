// SPDX-License-Identifier: MIT
// Integers are varints of at most ten bytes, signed ones in zigzag order; nesting is followed to a
// depth that no real file comes near.
#include "tools/parquet/thrift.h"

namespace presso::cli {
namespace {

constexpr int kMaxThriftDepth = 32;

bool is_thrift_int(ThriftType type) {
  return type == ThriftType::kInt16 || type == ThriftType::kInt32 || type == ThriftType::kInt64;
}

}  // namespace

Byte ThriftReader::next() {
  if (at_ >= bytes_.size()) {
    fail();
    return 0;
  }
  return bytes_[at_++];
}

std::uint64_t ThriftReader::read_varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const Byte byte = next();
    if (shift < 64) value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  fail();
  return 0;
}

std::int64_t ThriftReader::read_zigzag() {
  const std::uint64_t value = read_varint();
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

std::int64_t ThriftReader::read_int(ThriftType type) {
  if (type == ThriftType::kByte) return static_cast<std::int8_t>(next());
  if (is_thrift_int(type)) return read_zigzag();
  fail();
  return 0;
}

bool ThriftReader::read_bool(ThriftType type) {
  if (type != ThriftType::kTrue && type != ThriftType::kFalse) fail();
  return type == ThriftType::kTrue;
}

Bytes ThriftReader::read_binary(ThriftType type) {
  if (type != ThriftType::kBinary) fail();
  const std::uint64_t length = read_varint();
  if (length > bytes_.size() - at_) fail();
  if (failed_) return {};
  const Bytes value = bytes_.subspan(at_, length);
  at_ += length;
  return value;
}

std::string_view ThriftReader::read_text(ThriftType type) {
  const Bytes value = read_binary(type);
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

void ThriftReader::skip(ThriftType type, int depth) {
  if (depth > kMaxThriftDepth) return fail();
  if (is_thrift_int(type)) {
    read_varint();
  } else if (type == ThriftType::kByte) {
    next();
  } else if (type == ThriftType::kDouble) {
    for (int i = 0; i < 8; ++i) next();
  } else if (type == ThriftType::kBinary) {
    read_binary(type);
  } else if (type == ThriftType::kStruct) {
    read_struct([&](int, ThriftType of) { skip(of, depth + 1); });
  } else if (type == ThriftType::kList || type == ThriftType::kSet) {
    read_list(type, [&](ThriftType of) {
      // Elements that are truths take a byte, unlike fields.
      if (of == ThriftType::kTrue || of == ThriftType::kFalse) {
        next();
      } else {
        skip(of, depth + 1);
      }
    });
  } else if (type != ThriftType::kTrue && type != ThriftType::kFalse) {
    fail();  // maps do not occur in Parquet
  }
}

void ThriftWriter::field(int id, ThriftType type) {
  const int step = id - last_.back();
  last_.back() = id;
  if (step > 0 && step < 16) {
    to_.push_back(static_cast<Byte>(step << 4 | static_cast<int>(type)));
    return;
  }
  to_.push_back(static_cast<Byte>(type));
  zigzag(id);
}

void ThriftWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to_.push_back(static_cast<Byte>(value | 0x80));
  to_.push_back(static_cast<Byte>(value));
}

void ThriftWriter::binary(Bytes value) {
  varint(value.size());
  to_.insert(to_.end(), value.begin(), value.end());
}

void ThriftWriter::list_field(int id, ThriftType of, std::size_t count) {
  field(id, ThriftType::kList);
  if (count < 15) {
    to_.push_back(static_cast<Byte>(count << 4 | static_cast<std::size_t>(of)));
    return;
  }
  to_.push_back(static_cast<Byte>(0xF0 | static_cast<int>(of)));
  varint(count);
}

}  // namespace presso::cli
