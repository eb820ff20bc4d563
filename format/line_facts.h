// SPDX-License-Identifier: MIT
// The line facts section (FORMAT.md 7.3): what encoders count and write, and what readers parse of
// one member. Safe on any input: sizes are checked before anything is allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/line_table.h"

namespace presso {

constexpr std::uint32_t kLineFactsLayout = 1;  ///< the section's parameter; others are not known

/// Counts them, many times as fast as any encoder works.
LineFacts line_facts(Bytes plain);

/// The payload of a section of line facts.
std::vector<Byte> serialise_line_facts(const std::vector<LineFacts>& facts);
/// `plain_bytes`, `block_bytes`: of the member. Error: kBadHeader with what is wrong.
Result<std::vector<LineFacts>> parse_line_facts(Bytes payload, std::uint64_t plain_bytes,
                                                std::uint32_t block_bytes);
/// Of each block of a member; nullopt where it has none, or some of a layout that is not known.
/// Errors: those of the sections after the blocks; kSectionChecksum, kBadHeader.
Result<std::optional<std::vector<LineFacts>>> read_line_facts(const RandomAccess& file,
                                                              const ArchiveMember& member);

}  // namespace presso
