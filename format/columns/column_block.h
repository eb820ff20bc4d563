// SPDX-License-Identifier: MIT
// Headers of a table's blocks (FORMAT.md 15.5). Blocks of the codings raw, Byte and Bit have the
// headers of files of bytes (block_header.h). Those of the codings for integers (integer_layout.h),
// for tokens (token_dictionary.h) and for planes (plane_layout.h) share bytes 0 to 14 and 36 to 47
// with them, and have in between:
//
//   byte 15      integers, planes: bytes of a value, 0 for bits      tokens: 0
//   bytes 16-18  rows                                                codes
//   byte 19      bit 0 signed, bit 1 floating                        0
//   bytes 20-27  integers: divisor; planes: 0                        0
//   bytes 28-35  0                                                   0
//
// The content checksum is of the payload, not of the plain values: a scan that decodes into
// registers never has plain values in memory. Tested by
// tests/unit/format/columns/column_block_test.cpp.
#pragma once

#include <cstdint>

#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// Rows of the largest block of integers.
constexpr std::uint32_t kMaxBlockRows = 65536;
/// Limit of a block's payload in these codings. The largest block of integers that do not compress
/// takes 1 MiB, of tokens of one byte each 3 MiB.
constexpr std::uint32_t kMaxColumnPayloadBytes = 4u << 20;
/// The most bytes of strings that an encoder puts into a block of tokens. In the worst case
/// each byte takes a code of 12 bits, which makes 3 MiB of payload.
constexpr std::uint32_t kMaxTokenBlockBytes = 2u << 20;

/// The parsed fields; what they mean for values is in integer_layout.h and token_dictionary.h.
struct ColumnBlockHeader {
  std::uint32_t number = 0;         ///< position within its row group
  std::uint32_t plain_bytes = 0;    ///< of the decoded values; may be 0 for tokens
  std::uint32_t payload_bytes = 0;  ///< a multiple of 4, except of planes
  Coding coding = Coding::kIntegers;
  Byte width_bytes = 0;
  bool is_signed = false;
  bool floating = false;
  std::uint32_t count = 0;  ///< rows, of tokens codes
  std::uint64_t divisor = 1;
  std::uint64_t payload_checksum = 0;
};

/// Bytes of a block of integers in memory; width 0 is one bit a row.
constexpr std::uint32_t integer_bytes(Byte width_bytes, std::uint32_t rows) {
  return width_bytes == 0 ? (rows + 7) / 8 : rows * width_bytes;
}

/// Whether the header at `from` (kBlockHeaderBytes bytes) is of one of these codings.
bool is_column_coding(const Byte* from);
/// Serialises into exactly kBlockHeaderBytes, checksum included.
void write_column_block_header(const ColumnBlockHeader& header, Byte* to);
/// `from` must hold kBlockHeaderBytes. Errors: kLostSync, kHeaderChecksum, kUnknownCoding,
/// kBadHeader.
Result<ColumnBlockHeader> parse_column_block_header(const Byte* from);

}  // namespace presso
