// SPDX-License-Identifier: MIT
// Placement without conflicts of banks (S3.2): items of a table in shared memory have copies in
// other banks, and each row of a column of item numbers is given one of them, chunk by chunk, so
// that the rows which a warp reads together go to different banks.
//
// Of each chunk rows first take a free copy of their item each. Who finds none looks for the
// shortest sequence of moves that frees a bank: breadth first, from the banks of the item's copies
// to those of the copies of the item that sits there, up to an empty bank. Where there is none the
// item gets a further copy in an empty bank, as long as the table may grow, else the row waits for
// a second round. Deterministic: one thread, in the order of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "presso/error.h"

namespace presso::lab {

struct PlacementOptions {
  std::uint32_t items = 0;  ///< codes are below this; less than 2^16
  /// How large the table may become: the greatest slot number and one. At least `items`, at most
  /// 2^16. Slots in between that no item has count as well.
  std::uint32_t most_slots = 0;
  /// Copies that were used in so many chunks before are avoided as well, against atomic additions
  /// of several warps to one word.
  std::uint32_t window = 0;
  /// Chunks before the first of each so many rows do not count as before: rows of a thread block.
  /// 0: the column is one range.
  std::uint64_t range_rows = 0;
  /// For columns that are only read with: rows of a chunk with one item share its slot.
  bool for_reads = false;
};

inline constexpr std::uint16_t kNoItem = 0xFFFF;

struct Placement {
  std::vector<std::uint16_t> slots;     ///< of each row
  std::vector<std::uint16_t> items_of;  ///< of each slot its item, or kNoItem; item i has slot i
  std::uint64_t copies = 0;             ///< slots that have an item
  std::uint64_t moved = 0;              ///< how often a row made room by going to another copy
  std::uint64_t waiting = 0;            ///< rows for which there was no bank left
};

/// Errors: kInvalidArgument where a code is not below `items`, or numbers contradict each other.
Result<Placement> place_items(std::span<const std::uint16_t> codes,
                              const PlacementOptions& options);

}  // namespace presso::lab
