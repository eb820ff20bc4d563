// SPDX-License-Identifier: MIT
// Metadata are pairs of key and value, stored one after another (FORMAT.md 7.2): u16 and u32
// lengths, then the bytes. Their order is kept. Tested by tests/unit/format/archive_test.cpp.
#include "presso/metadata.h"

#include <charconv>
#include <system_error>

namespace presso {

/// Searches from the front, as there are few entries.
const std::string* Metadata::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::optional<std::int64_t> Metadata::modified() const {
  const std::string* const text = find("mtime");
  std::int64_t time = 0;
  if (text == nullptr) return std::nullopt;
  const char* const end = text->data() + text->size();
  const auto [after, problem] = std::from_chars(text->data(), end, time);
  return problem == std::errc() && after == end ? std::optional(time) : std::nullopt;
}

std::vector<Byte> serialise_metadata(const Metadata& metadata) {
  std::vector<Byte> payload;
  for (const auto& [key, value] : metadata.entries) {
    append_value<std::uint16_t>(payload, static_cast<std::uint16_t>(key.size()));
    append_value<std::uint32_t>(payload, static_cast<std::uint32_t>(value.size()));
    payload.insert(payload.end(), key.begin(), key.end());
    payload.insert(payload.end(), value.begin(), value.end());
  }
  return payload;
}

/// Error: kBadMetadata. The caller has limited the payload to kMaxMetadataBytes.
Result<Metadata> parse_metadata(Bytes payload) {
  constexpr std::size_t kLengths = 6;
  Metadata metadata;
  while (!payload.empty()) {
    if (payload.size() < kLengths) return make_error(ErrorCode::kBadMetadata, "entry is cut off");
    const std::size_t key_bytes = load<std::uint16_t>(payload.data());
    const std::size_t value_bytes = load<std::uint32_t>(payload.data() + 2);
    payload = payload.subspan(kLengths);
    if (key_bytes + value_bytes > payload.size()) {
      return make_error(ErrorCode::kBadMetadata, "entry is longer than the section");
    }
    const char* text = reinterpret_cast<const char*>(payload.data());
    metadata.entries.emplace_back(std::string(text, key_bytes),
                                  std::string(text + key_bytes, value_bytes));
    payload = payload.subspan(key_bytes + value_bytes);
  }
  return metadata;
}

}  // namespace presso
