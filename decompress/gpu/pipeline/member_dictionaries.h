// SPDX-License-Identifier: MIT
// The decoded dictionaries of one member at a time. A *member* is one of the compressed files that
// stand one after another in a file (FORMAT.md 3). If members are entered in order, a team of
// threads decodes the dictionaries of the next ones too, so that many members take no longer than
// one.
//
// Tested by tests/unit/decompress/gpu/gpu_parts_test.cpp.
#pragma once

#include <array>
#include <vector>

#include "decompress/gpu/runtime/team.h"
#include "presso/decompress.h"

namespace presso::gpu {

/// The dictionaries of the member that was entered last, by id. One caller at a time.
class MemberDictionaries {
 public:
  /// `known`: for members that name theirs; kept by the caller.
  explicit MemberDictionaries(KnownDictionaries known = {}) : known_(known) {}

  /// Makes `member` the current one and has its dictionaries decoded. It is one of `members`, which
  /// must stay where they are. Errors are those of CompressedFile::open(), with the section's
  /// offset.
  Status enter(const std::vector<ArchiveMember>& members, const ArchiveMember& member, Team& team);

  /// A dictionary of the member entered last; nullptr where it has none by that id.
  std::shared_ptr<const Dictionary> find(Byte id) const;

 private:
  /// A member's dictionaries, or in `status` why they could not be decoded.
  struct Decoded {
    const ArchiveMember* member = nullptr;
    std::array<std::shared_ptr<const Dictionary>, kMaxDictionaries + 1> by_id = {};
    Status status = {};
  };

  /// Stops at the first dictionary that is not sound. May throw std::bad_alloc.
  void decode(Decoded& one) const;
  void decode_from(const std::vector<ArchiveMember>& members, const ArchiveMember& member,
                   Team& team);

  KnownDictionaries known_;
  std::vector<Decoded> decoded_;  ///< neighbouring members
  std::size_t entered_ = 0;       ///< which of them
};

}  // namespace presso::gpu
