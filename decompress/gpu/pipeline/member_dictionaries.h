// SPDX-License-Identifier: MIT
// The decoded dictionaries of one member of a file, by id.
#pragma once

#include <array>
#include <memory>

#include "presso/decompress.h"

namespace presso::gpu {

class MemberDictionaries {
 public:
  /// Decodes those of `member`, unless it is the one that was entered last. Errors as in
  /// CompressedFile::open(), with the section's offset.
  Status enter(const ArchiveMember& member) {
    if (entered_ == &member) return {};
    entered_ = nullptr;
    by_id_.fill(nullptr);
    for (const StoredSection& section : member.dictionaries) {
      auto decoded = Dictionary::decode(section.payload.bytes());
      if (!decoded.ok()) {
        decoded.error().byte_offset = section.file_offset;
        return std::move(decoded.error());
      }
      by_id_[section.header.parameter] = std::move(*decoded);
    }
    entered_ = &member;
    return {};
  }

  /// Of the member entered last; nullptr where it has none by that id.
  std::shared_ptr<const Dictionary> find(Byte id) const {
    return id < by_id_.size() ? by_id_[id] : nullptr;
  }

 private:
  const ArchiveMember* entered_ = nullptr;
  std::array<std::shared_ptr<const Dictionary>, kMaxDictionaries + 1> by_id_{};
};

}  // namespace presso::gpu
