// SPDX-License-Identifier: MIT
// Short headers (FORMAT.md 15.5): the fields of a block's header that its place does not tell, each
// as a number of a varying size. A header of 48 bytes takes 8 to 20 in this form. Tested by
// tests/unit/format/columns/short_header_test.cpp.
#pragma once

#include "format/columns/wire_reader.h"
#include "presso/byte_stream.h"
#include "presso/wire.h"

namespace presso {

/// Appends the short header of a block whose header of kBlockHeaderBytes is at `header`. It says
/// nothing of sync, kind, number, plain_bytes and the checksums.
void append_short_header(const Byte* header, Buffer& to);

/// What the place of a block tells of its header.
struct BlockPlace {
  std::uint32_t number = 0;
  std::uint32_t plain_bytes = 0;
  std::uint64_t checksum = 0;  ///< of the content or of the payload
};
/// Takes a short header and writes the whole header, its checksum included, to `to`. Fields are not
/// checked: who parses the header does so. Where the bytes end before, from.overran().
void expand_short_header(WireReader& from, const BlockPlace& place, Byte* to);

}  // namespace presso
