// SPDX-License-Identifier: MIT
// The numbers of Arrow's IPC formats (Schema.fbs, Message.fbs and File.fbs of
// https://github.com/apache/arrow/tree/main/format), for the writer (ipc_message.h) and for the
// reader (tools/arrow).
#pragma once

#include <cstdint>
#include <string_view>

#include "presso/bytes.h"

namespace presso {

/// A file begins with this, padded to 8 bytes, and ends with it.
constexpr std::string_view kIpcMagic = "ARROW1";
/// A message begins with this, except in files that were written before Arrow 0.15.
constexpr std::uint32_t kIpcMarker = 0xFFFFFFFF;
/// Metadata and the buffers of a body begin at multiples of this.
constexpr std::size_t kIpcAlignment = 8;
/// MetadataVersion: files of version 4 differ only in unions.
constexpr std::int16_t kIpcVersion4 = 3;
constexpr std::int16_t kIpcVersion5 = 4;

/// The union MessageHeader.
enum class IpcHeader : Byte { kSchema = 1, kDictionaryBatch = 2, kRecordBatch = 3 };

/// The union Type.
enum class IpcType : Byte {
  kNull = 1,
  kInt = 2,
  kFloatingPoint = 3,
  kBinary = 4,
  kUtf8 = 5,
  kBool = 6,
  kDecimal = 7,
  kDate = 8,
  kTime = 9,
  kTimestamp = 10,
  kInterval = 11,
  kList = 12,
  kStruct = 13,
  kUnion = 14,
  kFixedSizeBinary = 15,
  kFixedSizeList = 16,
  kMap = 17,
  kDuration = 18,
  kLargeBinary = 19,
  kLargeUtf8 = 20,
  kLargeList = 21,
  kRunEndEncoded = 22,
  kBinaryView = 23,
  kUtf8View = 24,
  kListView = 25,
  kLargeListView = 26,
};

}  // namespace presso
