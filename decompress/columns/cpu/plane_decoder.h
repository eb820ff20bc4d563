// SPDX-License-Identifier: MIT
// Decodes blocks of coding 6 (planes, FORMAT.md 18) on the CPU: numbers whose bytes of each rank
// stand together, coded as bytes, in a dictionary or as differences where that is smaller. Such a
// block is always decoded as a whole. Tested by
// tests/unit/decompress/columns/plane_round_trip_test.cpp.
#pragma once

#include "format/columns/column_block.h"
#include "presso/decompress.h"

namespace presso {

/// `payload` must have Buffer::kSlack readable bytes after it. `into`: room for exactly the block's
/// values, at any alignment. The payload's checksum is not looked at. Errors: kBadHeader,
/// kBadPayloadSize, kBadOffset (a code that names no entry), and those of decode_block().
Status decode_planes(const ColumnBlockHeader& header, Bytes payload, const DecodeOptions& options,
                     Byte* into);

}  // namespace presso
