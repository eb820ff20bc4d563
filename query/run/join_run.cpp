// SPDX-License-Identifier: MIT
// JoinRun: making build sides, dividing them into passes, and the report for --explain. The
// decisions in order: in memory; else passes by parts of the keys; else files for that stage, and
// for the stage that was divided before.
#include "query/run/join_run.h"

#include <algorithm>
#include <bit>
#include <set>

#include "query/run/explain.h"
#include "query/run/key_conditions.h"
#include "query/run/memory_forecast.h"

namespace presso::query {

/// Columns of all tables that keys, conditions, residuals and the program use, in ascending order.
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

/// The needed columns that come from the stage's build side, those of its own stages included.
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

std::uint64_t JoinRun::budget(const Execution& execution) {
  const BoundQuery& query = execution.query;
  const bool one_small_group =
      execution.is_whole && query.grouped() && query.keys.empty() &&
      std::none_of(query.aggregates.begin(), query.aggregates.end(), [](const AggregateCall& call) {
        return call.kind == AggregateKind::kCountDistinct;
      });
  return execution.memory_bytes / 16 * (one_small_group ? 15 : 8);
}

/// What joins may still use, after the build sides that exist.
std::uint64_t JoinRun::memory_left() const {
  // Stages that go through files need the other half later.
  const std::uint64_t whole = budget(execution_);
  const std::uint64_t all = spills() && base_ == kNoStage ? whole / 2 : whole;
  return all > bytes() ? all - bytes() : 0;
}

StageKind JoinRun::kind(std::size_t stage) const {
  return execution_.tree->stages[stage].kind;
}

/// All keys, except for the divided stage.
JoinPart JoinRun::part_of_stage(std::size_t stage) const {
  return stage == divided_ ? parts_[pass_] : JoinPart{};
}

/// Replaces the stage's build side by one for the current part.
Status JoinRun::build(std::size_t stage) {
  stages_[stage].reset();
  PRESSO_ASSIGN(stages_[stage],
                build_stage(execution_, execution_.tree->stages[stage], stage_columns_[stage],
                            part_of_stage(stage), memory_left()));
  execution_.summary.peak_bytes = std::max(execution_.summary.peak_bytes, bytes());
  rows_kept_[stage] += stages_[stage]->rows.rows();
  most_bytes_[stage] = std::max(most_bytes_[stage], stages_[stage]->bytes());
  return {};
}

/// Divides a stage's keys into as few parts as fit into `share` of the memory. Ranges of keys are
/// preferred to parts by hash, as a range can be a condition of the scan. No parts: a single key
/// takes more.
Status JoinRun::divide(std::size_t stage, double share) {
  constexpr std::size_t kMoreParts = 4;
  divided_ = stage;
  if (!sizes_) {
    PRESSO_ASSIGN(sizes_, measure_parts(execution_, execution_.tree->stages[stage],
                                        stage_columns_[stage], memory_left()));
  }
  const double bytes = static_cast<double>(memory_left()) * share;
  parts_ = parts_by_word(*sizes_, bytes);
  // Ranges lose to hashes only if there are several times as many, because one value or range has
  // most rows.
  std::vector<JoinPart> by_hash = parts_by_hash(*sizes_, bytes);
  if (parts_.empty() || (!by_hash.empty() && parts_.size() > kMoreParts * by_hash.size())) {
    parts_ = std::move(by_hash);
  }
  return {};
}

/// The most passes; with more, files take less time.
std::size_t JoinRun::most_passes() const {
  return filter_of_part(parts_.front()) ? kMostPassesByWord : kMostPasses;
}

/// Builds a stage in memory, or divides it if it is the first that does not fit. Otherwise it
/// spills, and so does the stage that was divided; `spilled_` is set for both.
Status JoinRun::build_or_divide(std::size_t stage) {
  Status built = build(stage);
  if (!is_memory_short(built)) return built;
  // A direct array has a place for each key of its range, so fewer rows would not make it smaller.
  const bool is_array = execution_.options.join_strategy == JoinStrategy::kDirect;
  if (is_array || !execution_.may_divide) return built;
  const BoundStage& bound = execution_.tree->stages[stage];
  if (passes() == 1 && !spills()) {
    // Estimates may be too low, so the share is halved until a part fits.
    for (double share = 1; share > 0.01; share /= 2) {
      PRESSO_TRY(divide(stage, share));
      if (parts_.empty() || parts_.size() > most_passes()) break;
      built = build(stage);
      if (!is_memory_short(built)) return built;
    }
  } else if (passes() > 1) {
    spilled_[divided_] =
        std::make_unique<SpilledStage>(*execution_.query.input, execution_.tree->stages[divided_]);
    spilled_[divided_]->sizes = std::move(sizes_);
    sizes_.reset();
  }
  spilled_[stage] = std::make_unique<SpilledStage>(*execution_.query.input, bound);
  spilled_[stage]->sizes = std::move(sizes_);
  return {};
}

/// Writes the build side of a stage that spills to its file.
Status JoinRun::write(std::size_t stage) {
  constexpr double kPartsForMemory = 4;  // of a size that parts may differ from
  const BoundStage& bound = execution_.tree->stages[stage];
  const std::uint64_t memory = memory_left();
  SpilledStage& spilled = *spilled_[stage];
  if (!spilled.sizes) {
    PRESSO_ASSIGN(spilled.sizes, measure_parts(execution_, bound, stage_columns_[stage], memory));
  }
  double rows = 0;
  for (const std::uint64_t of_slot : spilled.sizes->by_hash) rows += static_cast<double>(of_slot);
  const double share = rows * spilled.sizes->row_bytes / static_cast<double>(part_bytes() + 1);
  // More parts than needed, so that parts of different sizes can be put together.
  const auto parts = static_cast<std::uint64_t>(std::min(kPartsForMemory * share, 1024.0)) + 1;
  PRESSO_ASSIGN(spilled.build,
                write_stage(execution_, bound, stage_columns_[stage],
                            static_cast<std::uint32_t>(std::bit_ceil(parts)), memory));
  execution_.summary.spilled_bytes += spilled.build->file_bytes();
  rows_kept_[stage] = spilled.build->rows();
  return {};
}

/// True as soon as build_or_divide() has decided it, even before files exist.
bool JoinRun::spills() const {
  return std::any_of(spilled_.begin(), spilled_.end(),
                     [](const auto& stage) { return stage != nullptr; });
}

/// Distributes the 63 bits of a row's number: the root's rows get what they need, then partners,
/// and places and the ordinal share the rest evenly.
void JoinRun::set_bits() {
  std::uint64_t rows = 0;
  for (const std::vector<Table>& tables : execution_.sources) rows += row_limit(tables);
  unsigned left = 63 - static_cast<unsigned>(std::bit_width(rows));
  bits_ = {};
  bits_.stages.resize(stages_.size());
  unsigned sharing = 1;  // the ordinal
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const bool parted = passes() > 1 && stage == divided_;
    // Rows that come to stage 0 are the root's, one for each number, and need no place.
    if (stage > 0 && (parted || spilled_[stage] != nullptr)) ++sharing;
    if (spilled_[stage] == nullptr) continue;
    const auto needed = static_cast<unsigned>(std::bit_width(spilled_[stage]->build->rows()));
    bits_.stages[stage].partner = std::min(needed, left);
    left -= bits_.stages[stage].partner;
  }
  bits_.ordinal = left;
  for (std::size_t stage = 1; stage < stages_.size(); ++stage) {
    const bool parted = passes() > 1 && stage == divided_;
    if (!parted && spilled_[stage] == nullptr) continue;
    bits_.stages[stage].place = left / sharing;
    bits_.ordinal -= left / sharing;
  }
}

/// A row is written with the columns that the stages from its own on still need, and without those
/// that these stages add themselves.
Status JoinRun::begin_spill(const Program& program) {
  const BoundQuery& query = execution_.query;
  const std::vector<BoundStage>& stages = execution_.tree->stages;
  base_ = kNoStage;
  clear_matches();
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    SpilledStage* const spilled = spilled_[stage].get();
    if (spilled == nullptr) continue;
    // Left from a run that failed.
    stages_[stage].reset();
    std::vector<NodeId> nodes;
    if (execution_.is_whole) nodes = query.conditions;
    for (std::size_t i = stage; i < stages.size(); ++i) {
      nodes.insert(nodes.end(), stages[i].probe_keys.begin(), stages[i].probe_keys.end());
      nodes.insert(nodes.end(), stages[i].residual.begin(), stages[i].residual.end());
    }
    const std::vector<std::size_t> of_nodes = query.input->columns_of(nodes);
    std::set<std::size_t> columns(of_nodes.begin(), of_nodes.end());
    columns.insert(program.inputs().begin(), program.inputs().end());
    PartFilePlan plan;
    // The first column is the row's number.
    plan.columns = {Physical::kInt64};
    spilled->probe_columns.clear();
    for (const std::size_t column : columns) {
      const std::size_t source = query.joins->source_of(column);
      const bool later =
          std::any_of(stages.begin() + static_cast<std::ptrdiff_t>(stage), stages.end(),
                      [&](const BoundStage& other) { return other.build.has(source); });
      if (later) continue;
      spilled->probe_columns.push_back(column);
      plan.columns.push_back(physical_of_column(query, column));
    }
    plan.parts = spilled->build->parts();
    plan.thread_bytes = budget(execution_) / 8 / execution_.threads;
    plan.temporary_directory = execution_.options.temporary_directory;
    spilled->probe = std::make_unique<PartFile>(std::move(plan));
  }
  return {};
}

/// Loads as much as fits, and doubles the assumed size of a row as long as it does not.
Status JoinRun::load(std::span<const PartFile::Batch> batches, std::size_t& next) {
  stages_[base_].reset();
  const std::uint64_t memory = part_bytes();
  double row_bytes = spilled_[base_]->sizes->row_bytes;
  while (stages_[base_] == nullptr) {
    std::size_t end = next;
    auto loaded = load_stage(execution_, execution_.tree->stages[base_], stage_columns_[base_],
                             batches, end, row_bytes, memory);
    // Rows may take more than the average: try again with fewer.
    const bool too_many =
        !loaded.ok() && loaded.error().code == ErrorCode::kOutOfMemory && end > next + 1;
    row_bytes *= 2;
    if (too_many) continue;
    PRESSO_ASSIGN(stages_[base_], std::move(loaded));
    next = end;
  }
  execution_.summary.peak_bytes = std::max(execution_.summary.peak_bytes, bytes());
  most_bytes_[base_] = std::max(most_bytes_[base_], stages_[base_]->bytes());
  ++spilled_[base_]->loads;
  return {};
}

/// Its statistics stay for the report.
void JoinRun::end_base() {
  execution_.summary.spilled_bytes += spilled_[base_]->probe->file_bytes();
  spilled_[base_]->probe_bytes += spilled_[base_]->probe->file_bytes();
  spilled_[base_]->probe.reset();
  stages_[base_].reset();
}

/// The condition by which the scan reads only rows of a part; nullopt if it cannot be one.
std::optional<Filter> JoinRun::filter_of_part(const JoinPart& part) const {
  const auto& stages = execution_.tree->stages;
  for (std::size_t stage = 0; stage < divided_; ++stage) {
    if (gives_build_rows(stages[stage].kind)) return std::nullopt;
  }
  const BoundStage& stage = stages[divided_];
  const bool nulls = keeps_probe(stage.kind) || stage.kind == StageKind::kProbeAnti;
  return part_filter(execution_, JoinKeys(*execution_.query.input, stage), stage.probe_keys, part,
                     nulls);
}

/// Sets what a pass reads of the root. Stages before the divided one then see only rows of the
/// part, which is allowed since filter_of_part() excludes stages that return rows without a
/// partner.
void JoinRun::scan_part() {
  execution_.plan = plan_;
  auto filter = filter_of_part(parts_[pass_]);
  scans_part_ = filter.has_value();
  if (!filter) return;
  add_condition(execution_.plan, std::move(*filter));
  execution_.plan.conditions.back().text = "keys of the last part";
}

/// Distinguishes lack of memory, which dividing helps against, from other errors.
bool JoinRun::is_memory_short(const Status& built) {
  return !built.ok() && built.error().code == ErrorCode::kOutOfMemory;
}

Status JoinRun::prepare(const Program& program) {
  const std::vector<std::size_t> needed = columns_needed(program);
  // Build sides that have all needed columns are used again: a query may run several times, for
  // parts of its groups.
  const bool known = std::includes(columns_.begin(), columns_.end(), needed.begin(), needed.end());
  const std::size_t count = execution_.tree->stages.size();
  if (stages_.size() == count && known) return spills() ? Status{} : begin_pass(0);
  columns_ = needed;
  stage_columns_.clear();
  for (std::size_t stage = 0; stage < count; ++stage) {
    stage_columns_.push_back(columns_of_stage(stage));
  }
  spilled_.clear();
  spilled_.resize(count);
  counts_.resize(count);
  rows_kept_.assign(count, 0);
  most_bytes_.assign(count, 0);
  scanned_.assign(count, {});
  execution_.with_keys.reset();
  pass_ = 0;
  base_ = kNoStage;
  plan_ = execution_.plan;
  Status built = build_stages();
  if (!built.ok()) stages_.clear();
  return built;
}

/// Builds all stages. If one turns out to spill, the others have less memory and are built again.
Status JoinRun::build_stages() {
  const std::size_t count = spilled_.size();
  for (bool again = true; again;) {
    again = false;
    stages_.clear();
    stages_.resize(count);
    divided_ = 0;
    parts_ = {JoinPart{}};
    sizes_.reset();
    for (std::size_t stage = 0; stage < count && !again; ++stage) {
      if (spilled_[stage] != nullptr) continue;
      PRESSO_TRY(build_or_divide(stage));
      again = spilled_[stage] != nullptr;
    }
  }
  for (std::size_t stage = 0; stage < count; ++stage) {
    if (spilled_[stage] != nullptr) PRESSO_TRY(write(stage));
  }
  // Numbers depend on which stages spill or are divided.
  set_bits();
  if (passes() > 1) scan_part();
  ask_in_scan();
  return {};
}

/// Adds conditions on the root's rows that follow from the keys of build sides.
void JoinRun::ask_in_scan() {
  const PlanChoice& given = execution_.options.plan;
  const bool is_given = execution_.is_whole && !given.plan.empty();
  FilterPlan plan = execution_.plan;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    scanned_[stage] = {};
    if (stages_[stage] == nullptr) continue;
    // The keys of a part drop rows of other parts as well, which is right for this pass.
    const bool is_parted = !part_of_stage(stage).is_all();
    auto made = key_condition(execution_, stage, *stages_[stage], is_parted);
    if (!made) continue;
    scanned_[stage] = {plan.conditions.size(), made->decides};
    add_condition(plan, std::move(made->condition), is_given);
  }
  execution_.with_keys.reset();
  if (plan.conditions.size() > execution_.plan.conditions.size()) {
    execution_.with_keys = std::move(plan);
  }
}

/// Rows of several passes need numbers, which are made on the way through the stages, so the scan
/// alone cannot do the work then.
bool JoinRun::is_decided() const {
  const bool behind = execution_.is_whole && !execution_.query.conditions.empty();
  return parts_.size() == 1 && !behind &&
         std::all_of(scanned_.begin(), scanned_.end(),
                     [](const Scanned& scanned) { return scanned.decides; });
}

Status JoinRun::begin_pass(std::size_t pass) {
  // The build side of this pass may exist already, from prepare() or from a run before.
  const bool again = pass == pass_;
  pass_ = pass;
  if (passes() > 1) scan_part();
  if (!again) {
    // It refers to the build side that is dropped now.
    execution_.with_keys.reset();
    Status built = build(divided_);
    if (!built.ok()) {
      stages_.clear();
      return built;
    }
    ask_in_scan();
  }
  if (again || pass == 0) clear_matches();
  return {};
}

/// Forgets which build rows have found a partner.
void JoinRun::clear_matches() {
  for (const auto& stage : stages_) {
    if (stage == nullptr || stage->matched == nullptr) continue;
    for (std::uint64_t word = 0; word < (stage->rows.rows() + 63) / 64; ++word) {
      stage->matched[static_cast<std::size_t>(word)] = 0;
    }
  }
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

/// Stages of build sides come before the stage that they belong to.
std::vector<StageReport> JoinRun::reports() const {
  std::vector<StageReport> reports;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (spilled_[i] != nullptr) {
      reports.push_back({&execution_.tree->stages[i], describe_spilled(i), {}, {}});
    }
    if (stages_[i] == nullptr) continue;
    reports.insert(reports.end(), stages_[i]->inner.begin(), stages_[i]->inner.end());
    reports.push_back(
        {&stages_[i]->bound, describe(i), stages_[i]->condition_counts, stages_[i]->plan});
  }
  return reports;
}

/// The report of a stage that went through files.
std::string JoinRun::describe_spilled(std::size_t stage) const {
  const SpilledStage& spilled = *spilled_[stage];
  return "wrote " + grouped(rows_kept_[stage]) + " rows to a temporary file, " +
         bytes_text(static_cast<double>(spilled.build->file_bytes())) +
         ", and those that came to it to another one, " +
         bytes_text(static_cast<double>(spilled.probe_bytes)) + "; joined in " +
         grouped(spilled.loads) + (spilled.loads == 1 ? " part" : " parts") + " of at most " +
         bytes_text(most_bytes_[stage]) + "; asked by " + grouped(counts_[stage].asked) +
         " rows, which found " + grouped(counts_[stage].found) + " partners";
}

/// Rows that the scan was asked about for a stage, and those of them with a partner. Rows that are
/// read again in each pass count once.
FilterRunner::Count JoinRun::in_scan(std::size_t stage) const {
  const auto& counts = execution_.condition_counts;
  const auto& condition = scanned_[stage].condition;
  if (!condition || *condition >= counts.size()) return {};
  FilterRunner::Count count = counts[*condition];
  const auto& divided = scanned_[divided_].condition;
  if (scans_part_) return count;
  if (divided && *divided < *condition) return count;
  // Every pass has asked the same rows.
  count.asked /= passes();
  if (stage != divided_) count.left /= passes();
  return count;
}

/// The rows that came to a stage, including those that the scan has dropped.
std::string JoinRun::asked_text(std::size_t stage) const {
  const FilterRunner::Count count = in_scan(stage);
  const std::uint64_t dropped = count.asked - count.left;
  if (scanned_[stage].decides) {
    const bool wanted = stages_[stage]->bound.kind != StageKind::kProbeAnti;
    return grouped(count.asked) + " rows of the scan, of which " +
           grouped(wanted ? count.left : dropped) + " have a partner";
  }
  const bool all_at_once = stage == divided_ && passes() > 1 && scanned_[stage].condition;
  const std::uint64_t asked = all_at_once ? count.asked : counts_[stage].asked + dropped;
  return grouped(asked) + " rows, which found " + grouped(counts_[stage].found) + " partners" +
         (dropped > 0 ? "; the scan had dropped " + grouped(dropped) : "");
}

/// The report of a stage in memory.
std::string JoinRun::describe(std::size_t stage) const {
  const BuiltStage& built = *stages_[stage];
  std::string text = "kept " + grouped(rows_kept_[stage]) + " rows, " +
                     bytes_text(most_bytes_[stage]) + " (" +
                     (built.table != nullptr    ? built.table->describe()
                      : built.filter != nullptr ? built.filter->describe()
                                                : grouped(built.keys.different()) + " keys");
  if (parts_.size() > 1 && stage == divided_) {
    text += "; the last of " + grouped(parts_.size()) + " parts";
  }
  return text + "); asked by " + asked_text(stage);
}

}  // namespace presso::query
