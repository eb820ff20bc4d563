// SPDX-License-Identifier: MIT
// How the lines of a compressed file tell their time, member by member (a member is one of the
// compressed files that stand one after another in a file): as the member says (FORMAT.md 7.5), or
// else as the beginning of its text shows. Tested by tests/cli/test_scan_times.py.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/time_facts.h"
#include "presso/archive_reader.h"
#include "presso/decompress.h"
#include "presso/lines.h"

namespace presso::scan_detail {

struct MemberTimes {
  std::uint64_t plain_offset = 0;    ///< where the member's text begins
  std::optional<TimeReader> reader;  ///< nullopt: its lines tell no time that is known
  std::optional<TimeFacts> facts;    ///< by which blocks may be left out, as they fit the window
};

/// How the lines of a part [begin, end) of the plain text tell their time.
struct TimeFormRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  const TimeReader* reader = nullptr;  ///< nullptr: they do not
};

/// The part with `offset`: a member, or what is before the first one. `members`: in order.
TimeFormRange time_form_at(std::span<const MemberTimes> members, std::uint64_t offset);
/// Whether lines of any member tell a time.
bool any_tells_times(std::span<const MemberTimes> members);

/// Reads the times of all members; of a member without any, or whose times do not fit the window's
/// hint, up to 64 KiB of the text. Damaged times count as none. Years that are not told are those
/// of the time that the member stores, or else those of the window. Errors: those of reading.
Result<std::vector<MemberTimes>> read_member_times(const RandomAccess& file,
                                                   const ArchiveIndex& index,
                                                   const TimeWindow& window,
                                                   const DecodeOptions& options);

}  // namespace presso::scan_detail
