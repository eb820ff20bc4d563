// SPDX-License-Identifier: MIT
// PipelineBuilder: joins of whose build rows only the number for each key matters. A probe row goes
// on once and is counted that many times, so that keys with very many rows cost no more than
// others.
#include <algorithm>
#include <tuple>
#include <utility>

#include "query/gpu/table/pipeline_builder.h"
#include "query/rows/table_facts.h"

namespace presso::gpu {

using query::StageKind;

namespace {
using Kind = PipelineStep::Kind;
}  // namespace

bool PipelineBuilder::may_count(const StageUse& use) const {
  const StageKind kind = use.stage->kind;
  if (kind != StageKind::kInner && kind != StageKind::kProbeOuter) return false;
  const bool is_told = row_stage_ && &stages_[*row_stage_] == &use;
  if (walks_pairs_ || stage_in_parts_ || !outputs_.empty() || is_told || marks_rows()) return false;
  if (!use.columns.empty() || !use.stage->residual.empty()) return false;
  // All that weigh_rows() may add has room.
  const std::size_t steps = values_.size() + 2 * stages_.size() + 2 * cells_.size();
  if (arrays_ + stages_.size() > kMostRowArrays || cells_.size() == most_cells() ||
      steps >= kMostPipelineSteps) {
    return false;
  }
  // Sums in one cell are right modulo 2^64, however often a value is added at once.
  return std::all_of(cells_.begin(), cells_.end(), [](const Cell& cell) {
    using CellKind = PipelineCell::Kind;
    const bool is_lone_sum = cell.kind == CellKind::kSum && cell.part == RealPart::kNone;
    return is_lone_sum || cell.kind == CellKind::kCount || cell.kind == CellKind::kMin ||
           cell.kind == CellKind::kMax;
  });
}

bool PipelineBuilder::counts_pairs() const {
  return std::any_of(stages_.begin(), stages_.end(),
                     [](const StageUse& use) { return use.counts.has_value(); });
}

/// Whether there may be more pairs than a cell counts. Nobody would look at so many one by one.
bool PipelineBuilder::may_exceed_counts() const {
  const std::uint64_t limit = std::uint64_t{1} << 63;
  std::uint64_t pairs = query::rows_of(execution_.tables);
  for (const StageUse& use : stages_) {
    if (!use.multiplies()) continue;
    if (__builtin_mul_overflow(pairs, use.rows, &pairs) || pairs >= limit) return true;
  }
  return false;
}

/// Rows count, and are added up, as often as they have pairs.
Status PipelineBuilder::weigh_rows() {
  std::optional<std::size_t> weight;
  for (StageUse& use : stages_) {
    if (!use.counts) continue;
    use.counts = arrays_++;
    Value rows;
    rows.step.kind = Kind::kGather;
    rows.step.column = *use.counts;
    rows.step.constant = 1;  // a row that is left without a partner
    rows.from = {use.row};
    PRESSO_ASSIGN(const std::size_t one, append(std::move(rows)));
    if (!weight) {
      weight = one;
    } else {
      PRESSO_ASSIGN(weight, append(Kind::kMultiply, *weight, one, true));
    }
  }
  if (!weight) return {};
  if (may_exceed_counts()) return refused("joins that may have more than 2^63 pairs");
  for (Cell& cell : cells_) {
    if (cell.kind == PipelineCell::Kind::kCount) {
      cell.kind = PipelineCell::Kind::kSum;
      cell.value = *weight;
    } else if (cell.kind == PipelineCell::Kind::kSum) {
      PRESSO_ASSIGN(cell.value, append(Kind::kMultiply, cell.value, *weight, true));
      std::tie(cell.least, cell.most) = std::pair(1, 0);  // not known
    }
  }
  PRESSO_ASSIGN(pair_count_, add_cell({PipelineCell::Kind::kSum, *weight, {}, {}}));
  return {};
}

}  // namespace presso::gpu
