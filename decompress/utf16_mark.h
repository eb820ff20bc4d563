// SPDX-License-Identifier: MIT
// Whether the text of a compressed file begins with the byte order mark of UTF-16, without decoding
// a block in nearly all files: matches copy what came before, so without a dictionary the first two
// different bytes of a block are literals, and FE and FF occur in no text in UTF-8. Costs three
// small reads. Tested by tests/cli/test_scan_encoding.py.
#pragma once

#include "presso/archive_reader.h"
#include "presso/decompress.h"

namespace presso {

/// Whether a text begins with the mark of UTF-16, in either byte order.
inline bool begins_with_utf16_mark(Bytes text) {
  return text.size() >= 2 &&
         ((text[0] == 0xFF && text[1] == 0xFE) || (text[0] == 0xFE && text[1] == 0xFF));
}

/// Whether the plain text of `file` begins with it. `index` is the file's. The first block is
/// decoded only where its stored bytes do not tell. Returns false for a damaged file, because
/// reading the text reports the damage.
bool begins_with_utf16_mark(const ArchiveIndex& index, const RandomAccess& file,
                            const DecodeOptions& options);
/// For a pipe, or a file without an index: reads the source up to the end of the first block.
bool begins_with_utf16_mark(ByteSource& source, const DecodeOptions& options);

}  // namespace presso
