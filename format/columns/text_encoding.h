// SPDX-License-Identifier: MIT
// Text in other encodings than UTF-8: Latin-1, Windows-1252 and UTF-16 (FORMAT.md 15.2). Tables
// hold UTF-8; such text is converted while it is read, and back where the text itself is asked for.
// Only what comes back to the same bytes is taken, so that lone surrogates and the five bytes that
// Windows-1252 does not define are refused. Tested by
// tests/unit/format/columns/text_encoding_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "presso/byte_stream.h"
#include "presso/table_schema.h"

namespace presso {

/// The name that --encoding takes: "utf-8", "latin-1", "windows-1252", "utf-16le".
std::string_view encoding_name(TextEncoding encoding);
/// The encoding of a name in any letter case, with other usual names such as "iso-8859-1".
std::optional<TextEncoding> encoding_of_name(std::string_view name);

/// The encoding of a text that begins so, if it is UTF-16: by its byte order mark, or because every
/// other byte is often 0. Otherwise kUtf8, which says nothing of the text.
TextEncoding find_encoding(Bytes begun);

/// Whether the text begins with the byte order mark of UTF-32.
bool begins_utf32(Bytes begun);

/// Appends as much of `text`, which has one of the other encodings, as makes whole characters, as
/// UTF-8. Returns how many bytes that were; fewer than all but the last three only where a
/// character is not valid.
std::size_t append_decoded(TextEncoding encoding, Bytes text, Buffer& to);

/// Appends UTF-8 in another encoding. kBadRowGroup where a character does not exist there, which
/// can only be so in a damaged file.
Status append_encoded(TextEncoding encoding, Bytes utf8, Buffer& to);

}  // namespace presso
