// SPDX-License-Identifier: MIT
// Headers of the blocks of a table (FORMAT.md 15.5). Those of the codings raw, Byte and Bit are the
// same as in files of bytes; those of the codings for integers and for tokens keep bytes 0 to 14
// and 36 to 47 of it, and have in between:
//
//   byte 15      integers: bytes of a value, 0 for bits      tokens: 0
//   bytes 16-18  rows                                        codes
//   byte 19      bit 0 signed, bit 1 floating                0
//   bytes 20-27  divisor                                     0
//
// Their checksum is of the payload, not of the plain bytes: a scan that decodes into registers
// never has the plain bytes. Tested by tests/unit/format/columns/column_block_test.cpp.
#pragma once

#include <cstdint>

#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// Rows of the largest block of integers.
constexpr std::uint32_t kMaxBlockRows = 65536;
/// Payload of the largest block of integers: values of 16 bytes that do not compress.
constexpr std::uint32_t kMaxColumnPayloadBytes = 4u << 20;
/// Strings of the largest block of tokens that an encoder writes: where each byte takes a code,
/// these are 3 MiB of payload.
constexpr std::uint32_t kMaxTokenBlockBytes = 2u << 20;

struct ColumnBlockHeader {
  std::uint32_t number = 0;         ///< position within its row group
  std::uint32_t plain_bytes = 0;    ///< tokens may decode to nothing
  std::uint32_t payload_bytes = 0;  ///< a multiple of 4
  Coding coding = Coding::kIntegers;
  Byte width_bytes = 0;
  bool is_signed = false;
  bool floating = false;
  std::uint32_t count = 0;  ///< rows of integers, codes of tokens
  std::uint64_t divisor = 1;
  std::uint64_t payload_checksum = 0;
};

/// What a block of integers takes in memory: a bit a row for width 0.
constexpr std::uint32_t integer_bytes(Byte width_bytes, std::uint32_t rows) {
  return width_bytes == 0 ? (rows + 7) / 8 : rows * width_bytes;
}

/// Whether the block whose header begins at `from` (kBlockHeaderBytes) names one of the two
/// codings.
bool is_column_coding(const Byte* from);
/// Serialises into exactly kBlockHeaderBytes, checksum included.
void write_column_block_header(const ColumnBlockHeader& header, Byte* to);
/// `from` must hold kBlockHeaderBytes. Errors: kLostSync, kHeaderChecksum, kUnknownCoding,
/// kBadHeader.
Result<ColumnBlockHeader> parse_column_block_header(const Byte* from);

}  // namespace presso
