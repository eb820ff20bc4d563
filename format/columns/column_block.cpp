// SPDX-License-Identifier: MIT
// Writes and checks the headers of column blocks. Every field is checked against its limits
// after the checksum, so decoders may trust sizes; only the payload can still be damaged.
// Tested by tests/unit/format/columns/column_block_test.cpp.
#include "format/columns/column_block.h"

#include <algorithm>

#include "presso/checksum.h"

namespace presso {
namespace {

// Bits of byte 19.
constexpr Byte kSignedBit = 1;
constexpr Byte kFloatingBit = 2;

/// kBadHeader, with the name of the field.
Error bad(const char* field) {
  return make_error(ErrorCode::kBadHeader, field);
}

/// Whether the bytes [begin, end) of a header, which are reserved, are 0.
bool all_zero(const Byte* from, std::size_t begin, std::size_t end) {
  return std::all_of(from + begin, from + end, [](Byte byte) { return byte == 0; });
}

/// Whether a value can have this many bytes in memory; 0 stands for bools, one bit each.
bool is_width(Byte bytes) {
  return bytes == 0 || bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/// Checks the fields that only blocks of integers have.
Status check_integers(const ColumnBlockHeader& header, Byte flags) {
  if (!is_width(header.width_bytes)) return bad("bytes of a value");
  if (flags > (kSignedBit | kFloatingBit)) return bad("flags of a block of integers");
  if (header.floating && header.width_bytes != 4 && header.width_bytes != 8) {
    return bad("flags of a block of integers");
  }
  if (header.count == 0 || header.count > kMaxBlockRows) return bad("rows of a block");
  if (header.plain_bytes != integer_bytes(header.width_bytes, header.count)) {
    return bad("plain size");
  }
  const bool divides = header.width_bytes != 0 && header.width_bytes != 16 && !header.floating;
  if (header.divisor == 0 || (header.divisor > 1 && !divides)) return bad("divisor");
  return {};
}

/// A block of planes has the fields of integers except the divisor, which its payload has.
Status check_planes(const ColumnBlockHeader& header, Byte flags, const Byte* from) {
  if (header.width_bytes == 0 || header.width_bytes == 16) return bad("bytes of a value");
  PRESSO_TRY(check_integers(header, flags));
  return all_zero(from, 20, 28) ? Status{} : bad("reserved bytes");
}

/// A block of tokens has no width, no flags and no divisor: their bytes are reserved.
Status check_tokens(const ColumnBlockHeader& header, Byte flags, const Byte* from) {
  if (header.plain_bytes > kMaxBlockBytes) return bad("plain size");
  if (header.count > header.plain_bytes) return bad("number of codes");
  if (header.width_bytes != 0 || flags != 0 || !all_zero(from, 20, 28)) {
    return bad("reserved bytes");
  }
  return {};
}

}  // namespace

bool is_column_coding(const Byte* from) {
  const auto coding = static_cast<Coding>(from[11]);
  return coding == Coding::kIntegers || coding == Coding::kTokens || coding == Coding::kPlanes;
}

void write_column_block_header(const ColumnBlockHeader& header, Byte* to) {
  std::fill_n(to, kBlockHeaderBytes, Byte{0});
  std::copy_n(kFrameSync, sizeof kFrameSync, to);
  to[3] = static_cast<Byte>(FrameKind::kBlock);
  store<std::uint32_t>(to + 4, header.number);
  store_u24(to + 8, header.plain_bytes, static_cast<Byte>(header.coding));
  store_u24(to + 12, header.payload_bytes, header.width_bytes);
  const auto flags =
      static_cast<Byte>((header.is_signed ? kSignedBit : 0) | (header.floating ? kFloatingBit : 0));
  store_u24(to + 16, header.count, flags);
  if (header.coding == Coding::kIntegers) store<std::uint64_t>(to + 20, header.divisor);
  store<std::uint64_t>(to + 36, header.payload_checksum);
  store<std::uint32_t>(to + 44, checksum32({to, 44}));
}

Result<ColumnBlockHeader> parse_column_block_header(const Byte* from) {
  if (!std::equal(kFrameSync, kFrameSync + sizeof kFrameSync, from) ||
      from[3] != static_cast<Byte>(FrameKind::kBlock)) {
    return make_error(ErrorCode::kLostSync);
  }
  if (load<std::uint32_t>(from + 44) != checksum32({from, 44})) {
    return make_error(ErrorCode::kHeaderChecksum);
  }
  if (!is_column_coding(from)) {
    return make_error(ErrorCode::kUnknownCoding, std::to_string(unsigned{from[11]}));
  }
  ColumnBlockHeader header;
  header.number = load<std::uint32_t>(from + 4);
  header.plain_bytes = load_u24(from + 8);
  header.coding = static_cast<Coding>(from[11]);
  header.payload_bytes = load_u24(from + 12);
  header.width_bytes = from[15];
  header.count = load_u24(from + 16);
  const Byte flags = from[19];
  header.is_signed = (flags & kSignedBit) != 0;
  header.floating = (flags & kFloatingBit) != 0;
  header.payload_checksum = load<std::uint64_t>(from + 36);
  const bool has_words = header.coding != Coding::kPlanes;
  if (header.payload_bytes > kMaxColumnPayloadBytes ||
      (has_words && header.payload_bytes % 4 != 0)) {
    return bad("payload size");
  }
  if (header.coding == Coding::kIntegers) {
    header.divisor = load<std::uint64_t>(from + 20);
    PRESSO_TRY(check_integers(header, flags));
  } else if (header.coding == Coding::kPlanes) {
    PRESSO_TRY(check_planes(header, flags, from));
  } else {
    PRESSO_TRY(check_tokens(header, flags, from));
  }
  if (!all_zero(from, 28, 36)) return bad("reserved bytes");
  return header;
}

}  // namespace presso
