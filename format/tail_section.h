// SPDX-License-Identifier: MIT
// Finds the optional sections between a member's blocks and its index: line facts and filters.
#pragma once

#include <cstdint>
#include <optional>

#include "presso/archive_reader.h"
#include "presso/byte_stream.h"

namespace presso {

/// A section whose header was read and whose payload was not.
struct TailSection {
  SectionHeader header;
  std::uint64_t payload_offset = 0;  ///< in the file
};

/// The first section of this kind whose parameter is `layout`; nullopt where there is none, or the
/// index was rebuilt and does not tell where sections stand. Errors: those of the headers,
/// kBadHeader, and kUnknownMandatorySection for a mandatory section of another kind or layout.
Result<std::optional<TailSection>> find_tail_section(const RandomAccess& file,
                                                     const ArchiveMember& member, FrameKind kind,
                                                     std::uint32_t layout);

}  // namespace presso
