// SPDX-License-Identifier: MIT
// Chooses and fills the filters of one group of blocks after another. A group costs, for each
// n-gram length, one pass over a table of 2^18 counters, and each trial sets bits for the cells of
// 32 blocks: a few milliseconds for 16 MiB of text.
#include "compress/filter/filter_builder.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace presso {
namespace {

constexpr std::uint32_t kGroupPlainBytes = 16u << 20;
constexpr std::uint32_t kLeastGroupBlocks = 16;
constexpr std::uint32_t kMostGroupBlocks = 128;
constexpr std::uint64_t kGroupHeaderBits = 128;
/// With fewer blocks a cell is in most of them by chance, so nothing is called common.
constexpr std::size_t kBlocksToCount = 8;
/// Shares of the blocks above which a cell may be called common; each is tried.
constexpr std::array<std::uint32_t, 3> kCommonPercent = {70, 50, 30};
/// The most kept cells of a block for each row, so that at most 55 % of the bits are set. If there
/// are more cells it is better to keep fewer of them than to share rows further (measured).
constexpr double kMostCellsPerRow = 0.8;
constexpr std::size_t kTrialBlocks = 32;  ///< bits of a mask

/// A way to make the filter of a group: n-gram length, common cells, number of rows, kept cells.
struct FilterPlan {
  std::size_t choice = 0;
  FilterGroup group;  ///< without bits
};

/// For each cell, the number of the group's blocks that hold it.
std::vector<std::uint16_t> count_blocks(const std::vector<BlockGrams>& blocks, std::size_t choice) {
  std::vector<std::uint16_t> counts(kCells);
  for (const BlockGrams& block : blocks) {
    for (const std::uint32_t cell : block.cells[choice]) ++counts[cell];
  }
  return counts;
}

/// Fits rows and kept cells into `bits`, where cells in more than `common_percent` of the blocks
/// are common; nullopt where the list of those leaves too little.
std::optional<FilterPlan> plan_group(const std::vector<std::uint16_t>& counts, std::size_t choice,
                                     std::size_t blocks, std::uint32_t common_percent,
                                     std::uint64_t bits) {
  FilterPlan plan{choice, {}};
  FilterGroup& group = plan.group;
  group.blocks = static_cast<std::uint32_t>(blocks);
  group.gram_bytes = kGramChoices[choice];
  const std::size_t most =
      blocks < kBlocksToCount ? blocks + blocks : common_percent * blocks / 100;
  std::uint64_t kept = 0;
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    if (counts[cell] > most) {
      group.common.push_back(cell);
    } else {
      kept += counts[cell];
    }
  }
  const std::uint64_t common_bits = 8 * common_cells_bytes(group.common);
  if (common_bits > bits / 2 || group.common.size() > kMaxCommonCells) return std::nullopt;
  group.rows = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((bits - common_bits) / blocks, 8, kCells));
  const double cells_per_row = static_cast<double>(kept) / static_cast<double>(blocks) / group.rows;
  if (cells_per_row > kMostCellsPerRow) {
    group.keep = static_cast<std::uint32_t>(group.keep * kMostCellsPerRow / cells_per_row);
    group.keep = std::max(group.keep, 1u);
  }
  return plan;
}

/// Calls `take(row)` for each cell of a block that has a row.
template <class Take>
void for_each_row(const FilterPlan& plan, const std::vector<bool>& is_common,
                  const BlockGrams& block, Take take) {
  for (const std::uint32_t cell : block.cells[plan.choice]) {
    if (is_common[cell] || cell_rank(cell) >= plan.group.keep) continue;
    take(static_cast<std::uint32_t>(std::uint64_t{cell} * plan.group.rows >> kCellBits));
  }
}

/// A bit for each cell, for fast membership tests.
std::vector<bool> marked(const std::vector<std::uint32_t>& cells) {
  std::vector<bool> marks(kCells);
  for (const std::uint32_t cell : cells) marks[cell] = true;
  return marks;
}

// Returns the rows that a search for `text` would look at.
std::vector<std::uint32_t> rows_of(const FilterGroup& group, const std::string& text) {
  std::vector<std::uint32_t> rows;
  for (std::size_t at = 0; at + group.gram_bytes <= text.size(); ++at) {
    std::uint64_t gram = 0;
    for (std::size_t i = group.gram_bytes; i-- > 0;) {
      gram = gram << 8 | fold_ascii(static_cast<Byte>(text[at + i]));
    }
    if (const auto row = group.row_of(gram_cell(gram))) rows.push_back(*row);
  }
  return rows;
}

/// How many of up to 32 blocks would be read to find the group's sample strings: the cost that
/// the choice minimises.
std::uint64_t blocks_read(const FilterPlan& plan, const std::vector<BlockGrams>& blocks) {
  const std::vector<bool> is_common = marked(plan.group.common);
  std::vector<std::uint32_t> masks(plan.group.rows);
  const std::size_t stride = (blocks.size() + kTrialBlocks - 1) / kTrialBlocks;
  std::uint32_t bit = 1;
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < blocks.size(); i += stride, bit <<= 1) {
    all |= bit;
    for_each_row(plan, is_common, blocks[i], [&](std::uint32_t row) { masks[row] |= bit; });
  }
  std::uint64_t read = 0;
  for (const BlockGrams& block : blocks) {
    for (const std::string& sample : block.samples) {
      std::uint32_t left = all;
      for (const std::uint32_t row : rows_of(plan.group, sample)) left &= masks[row];
      read += static_cast<std::uint64_t>(std::popcount(left));
    }
  }
  return read;
}

// Tries all n-gram lengths and all thresholds for common cells.
FilterPlan choose_plan(const std::vector<BlockGrams>& blocks, std::uint64_t bits) {
  std::optional<FilterPlan> best;
  std::uint64_t least = 0;
  for (std::size_t choice = 0; choice < kGramChoices.size(); ++choice) {
    const std::vector<std::uint16_t> counts = count_blocks(blocks, choice);
    for (const std::uint32_t percent : kCommonPercent) {
      std::optional<FilterPlan> plan = plan_group(counts, choice, blocks.size(), percent, bits);
      if (!plan) continue;
      const std::uint64_t read = blocks_read(*plan, blocks);
      if (best && read >= least) continue;
      least = read;
      best = std::move(plan);
    }
  }
  if (best) return std::move(*best);
  // The budget is too small for anything: this filter lets everything pass.
  FilterPlan nothing{0, {}};
  nothing.group.blocks = static_cast<std::uint32_t>(blocks.size());
  nothing.group.gram_bytes = kGramChoices[0];
  return nothing;
}

}  // namespace

/// Chooses the plan and sets its bits.
OwnedGroup choose_group(const std::vector<BlockGrams>& blocks, std::uint64_t bits) {
  FilterPlan plan = choose_plan(blocks, bits);
  const std::vector<bool> is_common = marked(plan.group.common);
  OwnedGroup owned;
  owned.bits.resize(static_cast<std::size_t>(filter_bit_bytes(plan.group.rows, blocks.size())));
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    for_each_row(plan, is_common, blocks[block], [&](std::uint32_t row) {
      const std::uint64_t at = std::uint64_t{row} * blocks.size() + block;
      owned.bits[at / 8] = static_cast<Byte>(owned.bits[at / 8] | 1u << at % 8);
    });
  }
  owned.group = std::move(plan.group);
  owned.group.bits = owned.bits;
  return owned;
}

FilterBuilder::FilterBuilder(std::uint32_t block_bytes, std::uint32_t permille)
    : group_blocks_(
          std::clamp(kGroupPlainBytes / block_bytes, kLeastGroupBlocks, kMostGroupBlocks)),
      permille_(permille) {}

// The n-grams that reach into the next block are known once that has come, so the last one waits.
void FilterBuilder::add(BlockGrams grams, std::size_t stored_bytes) {
  if (!waiting_.empty()) add_border_cells(waiting_.back(), grams);
  if (waiting_.size() == group_blocks_) finish_group();
  ++blocks_;
  waiting_.push_back(std::move(grams));
  waiting_bytes_ += stored_bytes;
}

/// The budget is a share of what the group's blocks take in the file.
void FilterBuilder::finish_group() {
  const std::uint64_t budget = waiting_bytes_ * permille_ * 8 / 1000;
  groups_.push_back(
      choose_group(waiting_, budget > kGroupHeaderBits ? budget - kGroupHeaderBits : 0));
  waiting_.clear();
  waiting_bytes_ = 0;
}

/// No n-grams reach beyond the last block.
std::vector<Byte> FilterBuilder::finish() {
  if (blocks_ == 0) return {};
  finish_group();
  BlockFilter filter;
  filter.group_blocks = group_blocks_;
  filter.blocks = blocks_;
  for (OwnedGroup& owned : groups_) filter.groups.push_back(std::move(owned.group));
  return serialise_filter(filter);
}

}  // namespace presso
