// SPDX-License-Identifier: MIT
// JoinRun: build sides and passes.
#include "scan/query/join_run.h"

#include <algorithm>
#include <set>

#include "scan/query/explain.h"

namespace presso::query {

std::vector<std::size_t> JoinRun::columns_needed(const Program& program) const {
  const BoundQuery& query = execution_.query;
  std::vector<NodeId> nodes;
  if (execution_.is_whole) nodes = query.conditions;
  for (const BoundStage& stage : execution_.tree->stages) {
    nodes.insert(nodes.end(), stage.probe_keys.begin(), stage.probe_keys.end());
    nodes.insert(nodes.end(), stage.residual.begin(), stage.residual.end());
  }
  const std::vector<std::size_t> of_stages = query.input->columns_of(nodes);
  std::set<std::size_t> columns(of_stages.begin(), of_stages.end());
  columns.insert(program.inputs().begin(), program.inputs().end());
  return {columns.begin(), columns.end()};
}

std::vector<std::size_t> JoinRun::root_columns(const Program& program) const {
  const BoundJoins& joins = *execution_.query.joins;
  std::vector<std::size_t> columns;
  for (const std::size_t column : columns_needed(program)) {
    if (joins.source_of(column) != execution_.tree->root) continue;
    columns.push_back(column - execution_.first_column);
  }
  return columns;
}

std::vector<std::size_t> JoinRun::columns_of_stage(std::size_t stage) const {
  const BoundJoins& joins = *execution_.query.joins;
  std::vector<std::size_t> columns;
  for (const std::size_t column : columns_) {
    if (execution_.tree->stages[stage].build.has(joins.source_of(column))) {
      columns.push_back(column);
    }
  }
  return columns;
}

std::uint64_t JoinRun::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& stage : stages_) bytes += stage == nullptr ? 0 : stage->bytes();
  return bytes;
}

std::uint64_t JoinRun::stored_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& stage : stages_) bytes += stage == nullptr ? 0 : stage->stored_bytes;
  return bytes;
}

std::uint64_t JoinRun::blocks() const {
  std::uint64_t blocks = 0;
  for (const auto& stage : stages_) blocks += stage == nullptr ? 0 : stage->blocks;
  return blocks;
}

std::uint64_t JoinRun::memory_left() const {
  const std::uint64_t all = budget(execution_.memory_bytes);
  return all > bytes() ? all - bytes() : 0;
}

JoinPart JoinRun::part_of_stage(std::size_t stage) const {
  return stage == divided_ ? parts_[pass_] : JoinPart{};
}

Status JoinRun::build(std::size_t stage) {
  stages_[stage].reset();
  PRESSO_ASSIGN(stages_[stage],
                build_stage(execution_, execution_.tree->stages[stage], columns_of_stage(stage),
                            part_of_stage(stage), memory_left()));
  execution_.summary.peak_bytes = std::max(execution_.summary.peak_bytes, bytes());
  rows_kept_[stage] += stages_[stage]->rows.rows();
  most_bytes_[stage] = std::max(most_bytes_[stage], stages_[stage]->bytes());
  return {};
}

/// As few parts as fit into a share of the memory. Parts of keys are preferred to those of hashes.
Status JoinRun::divide(std::size_t stage, double share) {
  constexpr std::size_t kMoreParts = 4;
  divided_ = stage;
  if (!sizes_) {
    PRESSO_ASSIGN(sizes_, measure_parts(execution_, execution_.tree->stages[stage],
                                        columns_of_stage(stage)));
  }
  const double bytes = static_cast<double>(memory_left());
  parts_ = parts_by_word(*sizes_, bytes * share);
  std::vector<JoinPart> by_hash = parts_by_hash(*sizes_, bytes * share);
  if (parts_.empty() || (!by_hash.empty() && parts_.size() > kMoreParts * by_hash.size())) {
    parts_ = std::move(by_hash);
  }
  if (!parts_.empty()) return {};
  const std::uint64_t rows = *std::max_element(sizes_->by_hash.begin(), sizes_->by_hash.end());
  return make_error(
      ErrorCode::kOutOfMemory,
      "the rows of " +
          execution_.query.joins->sources[execution_.tree->stages[stage].build.root].name +
          " with a key in common take " +
          bytes_text(sizes_->row_bytes * static_cast<double>(rows)) + "; " + bytes_text(bytes) +
          " are allowed for this side of the join; --memory permits more");
}

/// What is read of the root in a pass. Stages before the one that is divided see only rows of a
/// part then, which is no matter if nobody asks which rows of theirs have found no partner.
void JoinRun::scan_part() {
  execution_.plan = plan_;
  const auto& stages = execution_.tree->stages;
  for (std::size_t stage = 0; stage < divided_; ++stage) {
    if (gives_build_rows(stages[stage].kind)) return;
  }
  const BoundStage& stage = stages[divided_];
  const bool nulls = keeps_probe(stage.kind) || stage.kind == StageKind::kProbeAnti;
  auto filter = part_filter(execution_, stages_[divided_]->keys, stage.probe_keys, parts_[pass_],
                            nulls);
  scans_part_ = filter.has_value();
  if (filter) add_condition(execution_.plan, std::move(*filter));
}

bool JoinRun::is_memory_short(const Status& built) {
  return !built.ok() && built.error().code == ErrorCode::kOutOfMemory;
}

Status JoinRun::prepare(const Program& program) {
  const std::vector<std::size_t> needed = columns_needed(program);
  const bool known = std::includes(columns_.begin(), columns_.end(), needed.begin(), needed.end());
  const std::size_t count = execution_.tree->stages.size();
  if (stages_.size() == count && known) return begin_pass(0);
  columns_ = needed;
  stages_.clear();
  stages_.resize(count);
  counts_.resize(count);
  rows_kept_.assign(count, 0);
  most_bytes_.assign(count, 0);
  pass_ = 0;
  divided_ = 0;
  parts_ = {JoinPart{}};
  sizes_.reset();
  plan_ = execution_.plan;
  for (std::size_t stage = 0; stage < count; ++stage) {
    Status built = build(stage);
    // Parts have keys from all over the range, for each of which an array has a place.
    const bool divides =
        execution_.options.join_strategy != JoinStrategy::kDirect && parts_.size() == 1;
    // What rows take together may be more than was expected.
    for (double share = 1; divides && share > 0.01 && is_memory_short(built); share /= 4) {
      built = divide(stage, share);
      if (built.ok()) built = build(stage);
    }
    if (!built.ok()) {
      stages_.clear();
      return built;
    }
  }
  if (passes() > 1) scan_part();
  return {};
}

Status JoinRun::begin_pass(std::size_t pass) {
  const bool again = pass == pass_;
  pass_ = pass;
  if (passes() > 1) scan_part();
  if (!again) {
    Status built = build(divided_);
    if (!built.ok()) {
      stages_.clear();
      return built;
    }
  }
  for (const auto& stage : stages_) {
    if (stage->matched == nullptr || (!again && pass > 0)) continue;
    for (std::uint64_t word = 0; word < (stage->rows.rows() + 63) / 64; ++word) {
      stage->matched[static_cast<std::size_t>(word)] = 0;
    }
  }
  return {};
}

void JoinRun::end_passes() {
  if (passes() > 1) execution_.plan = plan_;
}

void JoinRun::add_counts(const std::vector<Count>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts_[i].asked += counts[i].asked;
    counts_[i].found += counts[i].found;
  }
}

std::vector<StageReport> JoinRun::reports() const {
  std::vector<StageReport> reports;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (stages_[i] == nullptr) continue;
    reports.insert(reports.end(), stages_[i]->inner.begin(), stages_[i]->inner.end());
    reports.push_back({&stages_[i]->bound, describe(i), stages_[i]->condition_counts});
  }
  return reports;
}

std::string JoinRun::describe(std::size_t stage) const {
  const BuiltStage& built = *stages_[stage];
  std::string text = "kept " + grouped(rows_kept_[stage]) + " rows, " +
                     bytes_text(most_bytes_[stage]) + " (" + built.table->describe();
  if (parts_.size() > 1 && stage == divided_) {
    text += "; the last of " + grouped(parts_.size()) + " parts";
  }
  return text + "); asked by " + grouped(counts_[stage].asked) + " rows, which found " +
         grouped(counts_[stage].found) + " partners";
}

}  // namespace presso::query
