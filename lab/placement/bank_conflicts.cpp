// SPDX-License-Identifier: MIT
#include "lab/placement/bank_conflicts.h"

#include <algorithm>
#include <cmath>

#include "corpora/random.h"

namespace presso::lab {

ChunkConflicts conflicts_of(std::span<const std::uint16_t> slots) {
  std::array<std::uint32_t, kBanks> rows{}, different{};
  ChunkConflicts found;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint32_t bank = slots[i] % kBanks;
    if (rows[bank]++ == 0) ++found.banks;
    const auto before = slots.first(i);
    if (std::find(before.begin(), before.end(), slots[i]) == before.end()) ++different[bank];
    found.write_rounds = std::max(found.write_rounds, rows[bank]);
    found.read_rounds = std::max(found.read_rounds, different[bank]);
  }
  return found;
}

MeanConflicts mean_conflicts(std::span<const std::uint16_t> slots) {
  MeanConflicts sum;
  std::uint64_t chunks = 0;
  for (std::size_t first = 0; first < slots.size(); first += kChunkRows) {
    const std::size_t rows = std::min<std::size_t>(kChunkRows, slots.size() - first);
    const ChunkConflicts here = conflicts_of(slots.subspan(first, rows));
    sum.banks += here.banks;
    sum.write_rounds += here.write_rounds;
    sum.read_rounds += here.read_rounds;
    ++chunks;
  }
  if (chunks == 0) return sum;
  const auto count = static_cast<double>(chunks);
  return {sum.banks / count, sum.write_rounds / count, sum.read_rounds / count};
}

std::vector<std::uint16_t> drawn_codes(std::uint64_t rows, std::uint32_t items, double theta,
                                       std::uint64_t seed) {
  std::vector<double> upto(items);
  double sum = 0;
  for (std::uint32_t i = 0; i < items; ++i) {
    sum += std::pow(static_cast<double>(i + 1), -theta);
    upto[i] = sum;
  }
  corpora::Random random(seed);
  std::vector<std::uint16_t> codes(rows);
  for (std::uint16_t& code : codes) {
    const double at = static_cast<double>(random.next() >> 11) * 0x1p-53 * sum;
    const auto found = std::upper_bound(upto.begin(), upto.end() - 1, at);
    code = static_cast<std::uint16_t>(found - upto.begin());
  }
  return codes;
}

std::vector<std::uint16_t> conflicting_codes(std::uint64_t rows, std::uint32_t items,
                                             std::uint32_t degree, std::uint64_t seed) {
  const std::uint32_t depth = items / kBanks;  // items of each bank, at least
  corpora::Random random(seed);
  std::vector<std::uint16_t> codes(rows);
  std::array<std::uint16_t, kChunkRows> chunk{};
  for (std::uint64_t first = 0; first < rows; first += kChunkRows) {
    // The first `degree` rows in one bank, at a distance of one bank's turn each; the next banks
    // for the others.
    const std::uint32_t bank = random.below(kBanks), turn = random.below(depth);
    for (std::uint32_t i = 0; i < kChunkRows; ++i) {
      const std::uint32_t item =
          i < degree ? bank + kBanks * ((turn + i) % depth)
                     : (bank + i - degree + 1) % kBanks + kBanks * random.below(depth);
      chunk[i] = static_cast<std::uint16_t>(item);
    }
    for (std::uint32_t i = kChunkRows; i > 1; --i) std::swap(chunk[i - 1], chunk[random.below(i)]);
    const std::uint64_t count = std::min<std::uint64_t>(kChunkRows, rows - first);
    std::copy_n(chunk.begin(), count, codes.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return codes;
}

}  // namespace presso::lab
