// SPDX-License-Identifier: MIT
// What a compressed file says about itself: key/value pairs of the metadata section
// (FORMAT.md 7.2).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// Keys are UTF-8; "name", "mtime" and "mode" have a meaning of their own, users' own keys begin
/// with "user.".
struct Metadata {
  std::vector<std::pair<std::string, std::string>> entries;

  /// The value of the first entry with this key; nullptr where there is none.
  const std::string* find(std::string_view key) const;
};

/// The payload of a metadata section. Keys longer than 65,535 bytes are for ArchiveWriter to
/// refuse.
std::vector<Byte> serialise_metadata(const Metadata& metadata);
/// The reverse. Error: kBadMetadata.
Result<Metadata> parse_metadata(Bytes payload);

}  // namespace presso
