// SPDX-License-Identifier: MIT
// What the kernels for blocks of tables (codings 4 and 5, FORMAT.md 15.5 to 17) know of a block,
// and how they report errors. The host parses headers (48 bytes a block, which it has in its hands
// anyway when it reads the directory) and token dictionaries; all that depends on payloads is
// checked here. Trivially copyable, host and device.
//
// Several warps work on a block at once, so a block's status word first holds a *fault*: the place
// of the check that failed, in the order in which a CPU would come to it, above the code. Faults
// are merged by an atomic minimum, which leaves what a CPU reports; settle_body makes it the
// ErrorCode. Tests: tests/simt/*_column_suite.cpp.
#pragma once

#include <cstdint>

#include "format/columns/column_block.h"
#include "format/columns/integer_layout.h"
#include "format/columns/token_dictionary.h"
#include "format/host_device.h"
#include "presso/error.h"

namespace presso::gpu {

/// A stored payload. Device memory, at a multiple of 4; nothing behind its end is read.
struct ColumnPayload {
  const Byte* bytes = nullptr;
  std::uint32_t size = 0;
  std::uint64_t checksum = 0;
};

struct IntegerBlock {
  ColumnPayload payload;
  Byte* out = nullptr;  ///< values_bytes() of room, at a multiple of 16
  IntegerParameters parameters;
};

/// Tokens as TokenDictionary holds them: kMaxTokens slots of kMaxTokenBytes, zeros behind a token,
/// and as many lengths. Device memory at a multiple of 16.
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

/// Places of checks. Those of a vector of integers are kVectorFault and the vector's number.
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
/// Whether an earlier kernel than those that decode has found the block faulty.
PRESSO_HD constexpr bool is_checksum_fault(std::uint32_t fault) {
  return fault >> kFaultCodeBits == kChecksumFault;
}
/// The status of a block that is done, an ErrorCode.
PRESSO_HD constexpr std::uint32_t settled(std::uint32_t fault) {
  return fault == kNoFault ? 0 : fault & ((1u << kFaultCodeBits) - 1);
}

/// A block of integers by its header, which the host has parsed.
inline IntegerBlock integer_block(const ColumnBlockHeader& header, const Byte* payload, Byte* out) {
  IntegerBlock block;
  block.payload = {payload, header.payload_bytes, header.payload_checksum};
  block.out = out;
  block.parameters = {header.width_bytes, header.is_signed, header.floating, header.count,
                      header.divisor};
  return block;
}

}  // namespace presso::gpu
