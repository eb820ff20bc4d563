// SPDX-License-Identifier: MIT
// Raw blocks (FORMAT.md 5), whose payload is the plain bytes. Every block that is coded starts from
// the header of a raw one. Tested through tests/differential/round_trip_test.cpp and
// tests/unit/query/kept/kept_rows_test.cpp.
#pragma once

#include "presso/byte_stream.h"
#include "presso/wire.h"

namespace presso {

/// The header of the raw block that holds `plain`; computes its checksum.
BlockHeader raw_header(Bytes plain, std::uint32_t number, FrameKind kind);

/// Appends a raw block with its padding.
void append_raw_block(Bytes plain, std::uint32_t number, FrameKind kind, Buffer& to);

}  // namespace presso
