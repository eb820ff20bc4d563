// SPDX-License-Identifier: MIT
// The metadata of a compressed file: key/value pairs that it carries about itself (FORMAT.md 7.2),
// for example the name and time of the original. Tested by tests/unit/format/archive_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// Keys are UTF-8, in the order in which they were written, and may repeat. "name", "mtime" and
/// "mode" have meanings of their own; keys of users begin with "user.".
struct Metadata {
  std::vector<std::pair<std::string, std::string>> entries;

  /// Returns the value of the first entry with this key, or nullptr.
  const std::string* find(std::string_view key) const;
  /// Returns "mtime", the time of the text's last change in nanoseconds since 1970, which may be
  /// negative; nullopt if there is none that can be read.
  std::optional<std::int64_t> modified() const;
};

/// Returns the payload of a metadata section. Keys longer than 65,535 bytes must be refused by the
/// caller; ArchiveWriter does.
std::vector<Byte> serialise_metadata(const Metadata& metadata);
/// Parses the payload of a metadata section. Error: kBadMetadata.
Result<Metadata> parse_metadata(Bytes payload);

}  // namespace presso
