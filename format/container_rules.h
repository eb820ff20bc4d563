// SPDX-License-Identifier: MIT
// Rules about sections, their order and their errors, shared by both readers of the container:
// FrameReader, which reads front to back, and ArchiveIndex, which reads at any place. Stateless
// except FrameOrder; no rule allocates.
#pragma once

#include <cstdint>
#include <string>

#include "presso/archive_reader.h"
#include "presso/error.h"

namespace presso {

/// Bytes of an index before the sizes of its blocks: block count, plain size and offset of the
/// first block (FORMAT.md 9).
constexpr std::size_t kIndexPrefixBytes = 24;

/// Returns `error` with this offset, unless it has an offset already.
Error at_offset(Error error, std::uint64_t offset);
/// kTruncated: the input ends at `offset`, inside `what`.
Error truncated(std::uint64_t offset, const char* what);
/// What stands after all blocks of a member: what truncated() calls these. Where a file ends inside
/// them, its content is whole, which ends_after_content() tells.
constexpr const char* kTheIndex = "the index";
constexpr const char* kTheTrailer = "the trailer";
bool ends_after_content(const Error& error);
/// Returns `error`, which if it is kTruncated says that the input ends inside `what`.
Error ends_inside(Error error, const char* what);
/// "'D'", or "kind 200" where the letter cannot be printed.
std::string kind_name(FrameKind kind);

/// Fails with kContent where a member holds something else than its reader reads.
Status expect_content(const FileHeader& header, Content content);

/// Whether this version reads sections of this kind; optional sections of others are passed over.
bool is_known_section(FrameKind kind);
/// Checks kind, size and parameter. `blocks`: the number of blocks before the section in its
/// member, which determines an index's size; that is checked only with `exact_index`.
Status check_section_header(const SectionHeader& header, std::uint64_t blocks, bool exact_index);

}  // namespace presso
