// SPDX-License-Identifier: MIT
// MemberDictionaries: how many members are decoded ahead depends on whether the file seems to be
// read in order.
#include "decompress/gpu/pipeline/member_dictionaries.h"

namespace presso::gpu {
namespace {

/// How many decoded dictionaries are held at a time, unless one member has more: each may take 4
/// MiB, however few bytes of the file it takes.
constexpr std::size_t kMostDecoded = 16;

}  // namespace

void MemberDictionaries::decode(Decoded& one) const {
  for (const StoredSection& section : one.member->dictionaries) {
    auto decoded = Dictionary::decode(section.payload.bytes(), known_);
    if (!decoded.ok()) {
      decoded.error().byte_offset = section.file_offset;
      one.status = std::move(decoded.error());
      return;
    }
    one.by_id[section.header.parameter] = std::move(*decoded);
  }
}

/// Decodes the dictionaries of `member`, and of members after it if the file seems to be read in
/// order, because the member before it was entered last.
void MemberDictionaries::decode_from(const std::vector<ArchiveMember>& members,
                                     const ArchiveMember& member, Team& team) {
  const ArchiveMember* const before = decoded_.empty() ? nullptr : decoded_[entered_].member;
  const std::size_t most = before != nullptr && before + 1 == &member ? team.threads() : 1;
  const ArchiveMember* const end = members.data() + members.size();
  decoded_.clear();
  entered_ = 0;
  std::size_t dictionaries = 0;
  for (const ArchiveMember* next = &member; next != end && decoded_.size() < most; ++next) {
    dictionaries += next->dictionaries.size();
    if (dictionaries > kMostDecoded && next != &member) break;
    decoded_.push_back({next});
  }
  // A dictionary that is not sound is reported when its member is entered.
  const Status done = team.run(decoded_.size(), [this](std::size_t one) -> Status {
    try {
      decode(decoded_[one]);
    } catch (const std::bad_alloc&) {
      decoded_[one].status = make_error(ErrorCode::kOutOfMemory);
    }
    return {};
  });
  static_cast<void>(done.ok());
}

// Three cases: the member is entered already; it is the next of those decoded ahead; or it is
// another one, for which decoding starts anew.
Status MemberDictionaries::enter(const std::vector<ArchiveMember>& members,
                                 const ArchiveMember& member, Team& team) {
  const bool is_entered = !decoded_.empty() && decoded_[entered_].member == &member;
  const bool is_next = entered_ + 1 < decoded_.size() && decoded_[entered_ + 1].member == &member;
  if (is_next) {
    ++entered_;
  } else if (!is_entered) {
    decode_from(members, member, team);
  }
  const Status& status = decoded_[entered_].status;
  return status.ok() ? Status() : Status(status.error());
}

std::shared_ptr<const Dictionary> MemberDictionaries::find(Byte id) const {
  if (decoded_.empty() || id > kMaxDictionaries) return nullptr;
  return decoded_[entered_].by_id[id];
}

}  // namespace presso::gpu
