// SPDX-License-Identifier: MIT
// Rules about sections and errors that both readers of the container share: FrameReader, which
// reads front to back, and ArchiveIndex, which reads at any place.
#pragma once

#include <cstdint>
#include <string>

#include "presso/archive_reader.h"
#include "presso/error.h"

namespace presso {

/// Block count, plain size and offset of the first block, before the sizes of the blocks (FORMAT.md
/// 9).
constexpr std::size_t kIndexPrefixBytes = 24;

/// `error` with this offset, unless it has one already.
Error at_offset(Error error, std::uint64_t offset);
/// kTruncated: the input ends at `offset`, inside `what`.
Error truncated(std::uint64_t offset, const char* what);
/// "'D'", or "kind 200" where the letter cannot be printed.
std::string kind_name(FrameKind kind);

/// kContent where a member holds something else than its reader reads.
Status expect_content(const FileHeader& header, Content content);

/// Whether this version reads sections of this kind; others are passed over.
bool is_known_section(FrameKind kind);
/// Checks kind, size and parameter. `blocks`: how many came before it in its member, on which an
/// index's size depends; that is checked with `exact_index` only.
Status check_section_header(const SectionHeader& header, std::uint64_t blocks, bool exact_index);

}  // namespace presso
