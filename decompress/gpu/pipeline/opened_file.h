// SPDX-License-Identifier: MIT
// A file's index and the decoded dictionaries of its members, as far as they are in use.
#pragma once

#include <memory>
#include <optional>

#include "decompress/gpu/pipeline/member_dictionaries.h"

namespace presso::gpu {

/// The file's index; nullopt if it has none that can be used.
inline std::optional<ArchiveIndex> index_of(const RandomAccess& file) {
  auto index = ArchiveIndex::open(file);
  if (!index.ok()) return std::nullopt;
  return std::move(*index);
}

/// An index with the dictionaries. It must not be moved once it is used, because the dictionaries
/// point into the index.
struct OpenedFile {
  ArchiveIndex index;
  MemberDictionaries dictionaries;

  /// How many plain bytes a block has, by the index alone. `number` must be one of the file's
  /// blocks.
  std::uint64_t block_plain_bytes(std::uint64_t number) const {
    const bool last = number + 1 == index.block_count();
    const std::uint64_t end = last ? index.plain_bytes() : index.block_plain_offset(number + 1);
    return end - index.block_plain_offset(number);
  }

  /// Opens a file and decodes each dictionary once, so that damaged ones show here. Errors are
  /// those of CompressedFile::open().
  static Result<std::unique_ptr<OpenedFile>> open(const RandomAccess& file, Team& team,
                                                  KnownDictionaries known) {
    PRESSO_ASSIGN(ArchiveIndex index, ArchiveIndex::open(file));
    return with_index(std::move(index), team, known);
  }
  static Result<std::unique_ptr<OpenedFile>> with_index(ArchiveIndex index, Team& team,
                                                        KnownDictionaries known) {
    auto opened =
        std::unique_ptr<OpenedFile>(new OpenedFile{std::move(index), MemberDictionaries(known)});
    const std::vector<ArchiveMember>& members = opened->index.members();
    for (const ArchiveMember& member : members) {
      PRESSO_TRY(opened->dictionaries.enter(members, member, team));
    }
    return opened;
  }
};

}  // namespace presso::gpu
