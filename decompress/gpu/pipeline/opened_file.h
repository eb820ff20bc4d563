// SPDX-License-Identifier: MIT
// A file's index and the decoded dictionaries of one of its members.
#pragma once

#include <array>
#include <memory>

#include "presso/decompress.h"

namespace presso::gpu {

/// By id. One caller at a time.
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

/// Not to be moved once it is used: the dictionaries point into the index.
struct OpenedFile {
  ArchiveIndex index;
  MemberDictionaries dictionaries = {};

  std::uint64_t block_plain_bytes(std::uint64_t number) const {
    const bool last = number + 1 == index.block_count();
    const std::uint64_t end = last ? index.plain_bytes() : index.block_plain_offset(number + 1);
    return end - index.block_plain_offset(number);
  }

  /// Errors are those of CompressedFile::open(): each dictionary is decoded once.
  static Result<std::unique_ptr<OpenedFile>> open(const RandomAccess& file) {
    PRESSO_ASSIGN(ArchiveIndex index, ArchiveIndex::open(file));
    auto opened = std::unique_ptr<OpenedFile>(new OpenedFile{std::move(index)});
    for (const ArchiveMember& member : opened->index.members()) {
      PRESSO_TRY(opened->dictionaries.enter(member));
    }
    return opened;
  }
};

}  // namespace presso::gpu
