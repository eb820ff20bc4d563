// SPDX-License-Identifier: MIT
// The payload of a table's index (FORMAT.md 15.6): totals, then an entry for each row group, then
// for each row group a range of values for each column, all as numbers of varying sizes.
// TableIndexPayload (table_file.h) makes it.
#pragma once

#include <cstdint>
#include <vector>

#include "format/columns/table_file.h"

namespace presso {

// The most bytes of each part.
constexpr std::size_t kMostIndexPrefixBytes = 50;
constexpr std::size_t kMostPlaceBytes = 50;
constexpr std::size_t kMostZoneBytes = 24;
/// The largest index that readers accept.
constexpr std::uint64_t kMaxTableIndexBytes = std::uint64_t{1} << 31;

}  // namespace presso
