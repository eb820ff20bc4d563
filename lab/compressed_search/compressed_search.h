// SPDX-License-Identifier: MIT
// Counts a string in a Byte-coded block (FORMAT.md 6) without decoding all of it. Sources: S5.20;
// the idea of Farach and Thorup 1995: what lies wholly within a match is a copy of an occurrence
// that is known, so only literals and the surroundings of a match's ends are looked at.
//
// Each sequence: the bytes from m - 1 before its literals to m - 1 into its match are made (m: the
// string's length; a byte that is a copy is followed to its origin) and searched; occurrences
// inside the match are those of its source, moved. Nothing is made where the literals lack a byte
// of the string. Linear in the block's plain bytes at worst. An experiment: NOTES.md says on what
// it is slower than decoding.
// Tested by lab/tests/compressed_search_test.cpp.
#pragma once

#include <string_view>

#include "presso/decompress.h"
#include "presso/error.h"

namespace presso::strings {

struct CompressedCount {
  std::uint64_t occurrences = 0;    ///< overlapping ones each; those that leave the block are none
  std::uint64_t bytes_decoded = 0;  ///< plain bytes that were made
};

/// `payload`: header.payload_bytes. `dictionary`: what the header's dictionary_id names, or
/// nullptr. The content checksum is not compared. Errors: kInvalidArgument for an empty string,
/// kUnsupported for the Bit coding, kMissingDictionary, and what decode_block() says of a damaged
/// payload, if it is met.
Result<CompressedCount> count_in_block(const BlockHeader& header, const Byte* payload,
                                       const Dictionary* dictionary, std::string_view string);

}  // namespace presso::strings
