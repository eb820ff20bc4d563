// SPDX-License-Identifier: MIT
// find_tail_section(): a walk over section headers.
#include "format/tail_section.h"

namespace presso {

// Walks from one section header to the next, from the last block to the index. Each costs one small
// read; payloads are not read. A mandatory section that is not the one looked for is an error,
// because a reader that ignored it could give wrong answers.
Result<std::optional<TailSection>> find_tail_section(const RandomAccess& file,
                                                     const ArchiveMember& member, FrameKind kind,
                                                     std::uint32_t layout) {
  for (std::uint64_t at = member.blocks_end; at < member.index_offset;) {
    Byte head[kSectionHeaderBytes];
    PRESSO_TRY(file.read_at(at, head));
    PRESSO_ASSIGN(const SectionHeader header, parse_section_header(head));
    if (header.stored_bytes() > member.index_offset - at) {
      return make_error(ErrorCode::kBadHeader, "a section reaches into the index");
    }
    if (header.kind == kind && header.parameter == layout) {
      return std::optional<TailSection>({header, at + kSectionHeaderBytes});
    }
    if (header.mandatory) return make_error(ErrorCode::kUnknownMandatorySection);
    at += header.stored_bytes();
  }
  return std::optional<TailSection>();
}

}  // namespace presso
