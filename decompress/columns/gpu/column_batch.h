// SPDX-License-Identifier: MIT
// What the kernels for blocks of tables (codings 4 and 5, FORMAT.md 15.5 to 17) need to know of
// a block, and how they report errors. The host parses headers (48 bytes a block, which it has
// at hand when it reads the directory) and token dictionaries; everything that depends on
// payloads is checked on the device. Trivially copyable, for host and device.
//
// Several warps work on a block at once, so a block's status word first holds a *fault*: the
// place of the failed check, in the order in which a CPU would come to it, in the high bits and
// the code in the low ones. Faults are merged by an atomic minimum, which leaves the one that a
// CPU would report; settle_body() makes it an ErrorCode. Tested by
// tests/simt/*_column_suite.cpp.
#pragma once

#include <cstdint>

#include "format/columns/column_block.h"
#include "format/columns/integer_layout.h"
#include "format/columns/token_dictionary.h"
#include "format/host_device.h"
#include "presso/error.h"

namespace presso::gpu {

/// A stored payload in device memory, at a multiple of 4. Nothing after its end is read.
struct ColumnPayload {
  const Byte* bytes = nullptr;
  std::uint32_t size = 0;
  std::uint64_t checksum = 0;
};

struct IntegerBlock {
  ColumnPayload payload;
  Byte* out = nullptr;  ///< room for the block's values_bytes(), at a multiple of 16
  IntegerParameters parameters;
};

/// Tokens in TokenDictionary's layout: kMaxTokens slots of kMaxTokenBytes, padded with zeros,
/// and as many lengths. In device memory, at multiples of 16.
struct DeviceTokens {
  const Byte* slots = nullptr;
  const Byte* lengths = nullptr;
  std::uint32_t size = 0;
};

/// `status` has a word for each block, kNoFault before the first kernel.
struct IntegerBatch {
  const IntegerBlock* blocks = nullptr;
  std::uint32_t* status = nullptr;
  std::uint32_t count = 0;
};

constexpr std::uint32_t kNoFault = 0xFFFFFFFFu;
constexpr std::uint32_t kFaultCodeBits = 8;

/// Places of checks in their order. Blocks of integers (coding 4) use kVectorFault plus the number
/// of the vector, and blocks of tokens (coding 5) the three after it.
enum : std::uint32_t {
  kChecksumFault = 0,
  kSizeFault = 1,  ///< integers: the header's fields as well
  kVectorFault = 2,
  kCountsFault = 2,
  kCodeFault = 3,
  kLengthsFault = 4,
};

PRESSO_HD constexpr std::uint32_t fault_of(std::uint32_t place, ErrorCode code) {
  return place << kFaultCodeBits | static_cast<std::uint32_t>(code);
}
/// Whether the checksum, which is checked before decoding, has failed.
PRESSO_HD constexpr bool is_checksum_fault(std::uint32_t fault) {
  return fault >> kFaultCodeBits == kChecksumFault;
}
/// The final status of a block: an ErrorCode.
PRESSO_HD constexpr std::uint32_t settled(std::uint32_t fault) {
  return fault == kNoFault ? 0 : fault & ((1u << kFaultCodeBits) - 1);
}

/// Fills an IntegerBlock from the header that the host has parsed.
inline IntegerBlock integer_block(const ColumnBlockHeader& header, const Byte* payload, Byte* out) {
  IntegerBlock block;
  block.payload = {payload, header.payload_bytes, header.payload_checksum};
  block.out = out;
  block.parameters = {header.width_bytes, header.is_signed, header.floating, header.count,
                      header.divisor};
  return block;
}

}  // namespace presso::gpu
