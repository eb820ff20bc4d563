// SPDX-License-Identifier: MIT
// Recognises files of presso that do not begin with its magic number any more, because their first
// bytes are damaged or missing. Such a file would otherwise be taken for plain bytes: a search in
// it would find nothing and say nothing. Used where a file may be of any kind. Costs one read of 32
// bytes at the file's end. Declines a stream whose first bytes are damaged beyond recognition, as
// its end cannot be looked at. Tested by tests/unit/format/damaged_magic_test.cpp.
#pragma once

#include <string_view>

#include "presso/byte_stream.h"

namespace presso {

/// As many first bytes of a file as the functions below can use.
constexpr std::size_t kMagicEvidenceBytes = 32;

/// Whether a file that does not begin with the magic number was made by presso all the same. It was
/// if its header's checksum holds once the magic number is put right, if most of the magic number
/// is there, or if the file ends with a trailer of its own. `begun` are its first bytes; `file` is
/// nullptr for a stream.
bool was_made_by_presso(Bytes begun, const RandomAccess* file);

/// For a file that does not begin with the magic number and so might be searched or read as plain
/// bytes. Error kNotPresso if it was_made_by_presso(), or if `path` ends in ".presso".
Status check_is_plain(Bytes begun, const RandomAccess* file, std::string_view path);

}  // namespace presso
