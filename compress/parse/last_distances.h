// SPDX-License-Identifier: MIT
// The list of the last three distances of matches, as parser and encoder of the Bit coding follow
// it (FORMAT.md 13.3): each lane of a block begins with a new list (format/bit_code.h). Records and
// tables repeat their distances, and a repeated one takes a few bits. Whoever changes the order
// here must change the decoders too.
#pragma once

#include <algorithm>
#include <array>

#include "format/bit_code.h"

namespace presso {

/// The latest distance first.
using LastDistances = std::array<std::uint32_t, bit::kRepeats>;

/// The offset value that stands for a distance other than 0: 1 to 3 for one of the last, above
/// for others.
inline std::uint32_t offset_value(std::uint32_t distance, const LastDistances& last) {
  const auto found = std::find(last.begin(), last.end(), distance);
  return found != last.end() ? static_cast<std::uint32_t>(found - last.begin()) + 1
                             : distance + bit::kRepeats;
}

/// The list after `distance`, which the offset value `value` stands for.
inline LastDistances moved(const LastDistances& last, std::uint32_t value, std::uint32_t distance) {
  if (value == 1) return last;
  if (value == 2) return {distance, last[0], last[2]};
  return {distance, last[0], last[1]};
}

/// Returns the offset value and updates the list, without a branch on the distance.
inline std::uint32_t take_distance(std::uint32_t distance, LastDistances& last) {
  const bool first = distance == last[0];
  const bool second = distance == last[1];
  std::uint32_t value = distance + bit::kRepeats;
  value = distance == last[2] ? 3 : value;
  value = second ? 2 : value;
  value = first ? 1 : value;
  last[2] = first || second ? last[2] : last[1];
  last[1] = first ? last[1] : last[0];
  last[0] = distance;
  return value;
}

}  // namespace presso
