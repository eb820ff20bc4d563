// SPDX-License-Identifier: MIT
// The coded payload of a table's section (FORMAT.md 21). Schema, directories and index of a table
// of many columns repeat themselves, and in a small file they are a large part. Each bit is
// predicted from the bytes before it by five models, whose predictions are mixed, and coded by
// arithmetic coding: a few hundred bytes become about half, long lists of columns a fifth. It takes
// 0.2 us a byte both ways, so it is for what is read once. Tested by
// tests/unit/format/columns/coded_section_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/byte_stream.h"
#include "presso/bytes.h"

namespace presso {

// The section's parameter tells whether the payload is coded.
constexpr std::uint32_t kPlainLayout = 1;
constexpr std::uint32_t kCodedLayout = 2;
/// The largest payload that may be coded, as it is without the coding.
constexpr std::uint64_t kMostCodedPayload = 1u << 20;

/// Codes a payload of at most kMostCodedPayload bytes.
std::vector<Byte> code_payload(Bytes payload);
/// The payload again. kBadHeader if it is larger than `most_bytes` or kMostCodedPayload, or there
/// are more or fewer coded bytes than it takes.
Result<Buffer> decode_payload(Bytes coded, std::uint64_t most_bytes);

/// Decodes the payload of a section that was read, if it is coded. The header keeps the stored size
/// and gets the parameter of one that is not coded.
Status decode_section(StoredSection& section, std::uint64_t most_bytes);

}  // namespace presso
