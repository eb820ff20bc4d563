// SPDX-License-Identifier: MIT
// The line facts section (FORMAT.md 7.3): for each block the number of line feeds, the offsets of
// the first and the last, whether it holds a NUL and whether it begins with a byte order mark. With
// it a search numbers lines and finds line starts without decoding the blocks before. Encoders
// count and serialise; readers parse one member (one of several concatenated files) at a time, and
// LineTable (line_table.h) adds them up. Twelve bytes a block in the file. Safe on any input: sizes
// are checked before anything is allocated.
// Tested by tests/unit/format/line_facts_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/line_table.h"

namespace presso {

constexpr std::uint32_t kLineFactsLayout = 1;  ///< the section's parameter; others are passed over

/// Finds the facts of one block, many times as fast as any encoder works.
LineFacts line_facts(Bytes plain);
/// The line feeds of a text of any size.
std::uint64_t line_feeds_in(Bytes text);

/// Returns the payload of a section.
std::vector<Byte> serialise_line_facts(const std::vector<LineFacts>& facts);
/// `plain_bytes`, `block_bytes`: from the member's header and index. Error: kBadHeader with the
/// reason.
Result<std::vector<LineFacts>> parse_line_facts(Bytes payload, std::uint64_t plain_bytes,
                                                std::uint32_t block_bytes);
/// The facts of each block of a member; nullopt where it has no such section, or one of a
/// layout that this version does not know. Errors: those of the sections after the blocks,
/// kSectionChecksum, kBadHeader.
Result<std::optional<std::vector<LineFacts>>> read_line_facts(const RandomAccess& file,
                                                              const ArchiveMember& member);

}  // namespace presso
