// SPDX-License-Identifier: MIT
#include "format/damaged_magic.h"

#include <algorithm>
#include <string>

#include "presso/wire.h"

namespace presso {
namespace {

constexpr std::size_t kMagicBytes = sizeof kFileMagic;

/// Whether the file header is sound once its magic number is put right.
bool has_sound_header(Bytes begun) {
  if (begun.size() < kFileHeaderBytes) return false;
  Byte header[kFileHeaderBytes];
  std::copy_n(begun.begin(), sizeof header, header);
  std::copy_n(kFileMagic, kMagicBytes, header);
  return parse_file_header(header).ok();
}

/// Whether most of the magic number is there, its first byte included, which no text has. A shorter
/// file must be the begin of the magic number, with at least two bytes of it.
bool has_most_of_magic(Bytes begun) {
  const std::size_t size = std::min(begun.size(), kMagicBytes);
  if (size < 2 || begun[0] != kFileMagic[0]) return false;
  std::size_t right = 0;
  for (std::size_t at = 0; at < size; ++at) right += begun[at] == kFileMagic[at] ? 1 : 0;
  return size < kMagicBytes ? right == size : right >= kMagicBytes - 3;
}

/// Whether the file ends with a trailer that fits into it.
bool ends_with_trailer(const RandomAccess& file) {
  if (file.size() < kFileHeaderBytes + kTrailerBytes) return false;
  Byte bytes[kTrailerBytes];
  if (!file.read_at(file.size() - sizeof bytes, bytes).ok()) return false;
  const auto trailer = parse_trailer(bytes);
  return trailer.ok() && trailer->file_bytes <= file.size();
}

}  // namespace

bool was_made_by_presso(Bytes begun, const RandomAccess* file) {
  return has_sound_header(begun) || has_most_of_magic(begun) ||
         (file != nullptr && ends_with_trailer(*file));
}

Status check_is_plain(Bytes begun, const RandomAccess* file, std::string_view path) {
  if (was_made_by_presso(begun, file)) {
    return make_error(ErrorCode::kNotPresso,
                      begun.size() < kMagicBytes
                          ? "it is cut off after " + std::to_string(begun.size()) +
                                " bytes, within the magic number of presso's files"
                          : "its first bytes are damaged; 'presso test' says what is intact");
  }
  if (!path.ends_with(".presso")) return {};
  return make_error(ErrorCode::kNotPresso,
                    begun.empty() ? "its name ends in .presso, but it is empty"
                                  : "its name ends in .presso, but it does not begin as one");
}

}  // namespace presso
