// SPDX-License-Identifier: MIT
// Implements join_part.h, the division of join keys into parts that fit into memory: a greedy walk
// over the slots, which gives the fewest parts as slots are taken in order.
#include "query/rows/join_part.h"

#include <algorithm>

namespace presso::query {
namespace {

/// `begin_of` gives the first word or hash of a slot. The last part reaches to the greatest value,
/// so that every key has a part.
template <class BeginOf>
std::vector<JoinPart> parts_of(const std::vector<std::uint64_t>& rows, double row_bytes,
                               double bytes, bool by_word, const BeginOf& begin_of) {
  std::vector<JoinPart> parts;
  JoinPart part;
  part.by_word = by_word;
  std::uint64_t sum = 0;
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    if (row_bytes * static_cast<double>(rows[slot]) > bytes) return {};
    const double together = row_bytes * static_cast<double>(sum + rows[slot]);
    if (sum > 0 && together > bytes) {
      part.last = begin_of(slot) - 1;
      parts.push_back(part);
      part.first = part.last + 1;
      sum = 0;
    }
    sum += rows[slot];
  }
  part.last = ~std::uint64_t{0};
  parts.push_back(part);
  return parts;
}

}  // namespace

double part_bytes(double rows, double rows_bytes, double table_bytes) {
  constexpr double kMoreBytes = 8;  // a row
  return rows_bytes + std::max(rows_bytes, table_bytes) + kMoreBytes * rows;
}

std::uint32_t slot_of_word(const PartSizes& sizes, std::uint64_t word) {
  if (word <= sizes.first_word) return 0;
  const std::uint64_t slot = (word - sizes.first_word) >> sizes.word_bits;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(slot, kPartSlots - 1));
}

std::vector<JoinPart> parts_by_word(const PartSizes& sizes, double bytes) {
  return parts_of(sizes.by_word, sizes.word_row_bytes, bytes, true, [&](std::size_t slot) {
    return sizes.first_word + (std::uint64_t{slot} << sizes.word_bits);
  });
}

std::vector<JoinPart> parts_by_hash(const PartSizes& sizes, double bytes) {
  return parts_of(sizes.by_hash, sizes.row_bytes, bytes, false,
                  [](std::size_t slot) { return std::uint64_t{slot} << (64 - kPartSlotBits); });
}

}  // namespace presso::query
