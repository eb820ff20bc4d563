// SPDX-License-Identifier: MIT
// JoinWorker: a vector of the root's rows at a time, stage by stage, in rounds of up to 1,024
// pairs.
#include <algorithm>

#include "format/columns/bit_copy.h"
#include "scan/query/join_run.h"

namespace presso::query {
namespace {

/// Rows have room for so many partners in the order of the answer.
constexpr unsigned kNumberShift = 22;

bool has_bit(const std::uint64_t* bits, std::uint64_t i) {
  return bits == nullptr || (bits[i / 64] >> (i % 64) & 1) != 0;
}

std::uint64_t ones_in(const std::uint64_t* bits) {
  std::uint64_t ones = 0;
  for (std::uint32_t word = 0; word < kBatchWords; ++word) ones += ones_of(bits[word]);
  return ones;
}

/// values[rows[i]] for each row, 0 and a null where there is none.
template <class T>
bool pick_values(const Byte* values, const std::uint64_t* validity, const std::uint32_t* rows,
                 std::uint32_t count, Byte* out, std::uint64_t* out_validity) {
  const auto* const from = reinterpret_cast<const T*>(values);
  auto* const to = reinterpret_cast<T*>(out);
  std::uint64_t nulls = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t row = rows[i];
    const bool is_there = row != ~std::uint32_t{0};
    to[i] = is_there ? from[row] : T();
    const bool valid = is_there && has_bit(validity, row);
    out_validity[i / 64] |= std::uint64_t{valid} << (i % 64);
    nulls |= valid ? 0 : 1;
  }
  return nulls != 0;
}

struct Wide {
  std::uint64_t words[2] = {0, 0};
};

bool pick(Physical physical, const VectorView& from, const std::uint32_t* rows, std::uint32_t count,
          Byte* out, std::uint64_t* validity) {
  const auto* const values = static_cast<const Byte*>(from.values);
  std::fill_n(validity, kBatchWords, 0);
  switch (physical_bytes(physical)) {
    case 1:
      return pick_values<Byte>(values, from.validity, rows, count, out, validity);
    case 8:
      return pick_values<std::uint64_t>(values, from.validity, rows, count, out, validity);
    default:
      return pick_values<Wide>(values, from.validity, rows, count, out, validity);
  }
}

}  // namespace

JoinWorker::JoinWorker(const Execution& execution, const JoinRun& run, const Program& program)
    : execution_(execution),
      run_(run),
      joins_(*execution.query.joins),
      levels_(joins_.stages.size() + 2),
      counts_(joins_.stages.size()),
      numbers_(kBatchRows),
      root_columns_(execution.query.columns.size()) {
  const BoundQuery& query = execution.query;
  for (Level& level : levels_) {
    level.rows.resize(joins_.sources.size());
    level.columns = std::vector<Gathered>(query.columns.size());
  }
  for (const BoundStage& stage : joins_.stages) {
    auto probe = std::make_unique<Probe>();
    probe->keys = std::make_unique<Step>(Program(*query.input, stage.probe_keys));
    if (!stage.residual.empty()) {
      probe->residual = std::make_unique<Step>(Program(*query.input, stage.residual));
    }
    probes_.push_back(std::move(probe));
  }
  if (!query.conditions.empty()) {
    after_ = std::make_unique<Step>(Program(*query.input, query.conditions));
  }
  results_ = std::make_unique<Step>(program);
  for (std::size_t i = 0; i < joins_.stages.size(); ++i) {
    stage_of_source_.resize(joins_.sources.size(), kNone);
    stage_of_source_[joins_.stages[i].source] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t column = 0; column < query.columns.size(); ++column) {
    const std::size_t source = joins_.source_of(column);
    source_of_column_.push_back(source);
    place_.push_back(0);
    if (source == joins_.root) continue;
    const auto& kept = run.stage(stage_of_source_[source]).columns;
    place_.back() =
        static_cast<std::size_t>(std::find(kept.begin(), kept.end(), column) - kept.begin());
  }
}

// --- values

Result<VectorView> JoinWorker::root_column(std::size_t column) {
  Gathered& gathered = root_columns_[column];
  if (!gathered.made) {
    const std::size_t own = column - joins_.sources[joins_.root].first_column;
    PRESSO_ASSIGN(gathered.view, reader_->load(own, vector_, selection_));
    gathered.made = true;
  }
  return gathered.view;
}

Result<VectorView> JoinWorker::column(Level& level, std::size_t column) {
  Gathered& gathered = level.columns[column];
  if (gathered.made) return gathered.view;
  const std::size_t source = source_of_column_[column];
  const bool of_root = source == joins_.root;
  VectorView from;
  if (of_root && !ending_) {
    PRESSO_ASSIGN(from, root_column(column));
  }
  if (of_root && level.all_root_rows) {
    gathered.view = from;
  } else {
    if (of_root && ending_) {
      from.physical = physical_of_column(column);
    } else if (!of_root) {
      from = run_.stage(stage_of_source_[source]).rows.view(place_[column], 0);
    }
    gathered.values.resize_discarding(kBatchRows * physical_bytes(from.physical));
    const bool nulls = pick(from.physical, from, level.rows[source].data(), level.count,
                            gathered.values.data(), gathered.validity);
    gathered.view = {from.physical, gathered.values.data(), nulls ? gathered.validity : nullptr};
  }
  gathered.made = true;
  return gathered.view;
}

Physical JoinWorker::physical_of_column(std::size_t column) const {
  const InputColumn& about = execution_.query.columns[column];
  return column_node(column, about.schema, about.range, about.nullable).physical;
}

Status JoinWorker::run_step(Step& step, Level& level) {
  step.inputs.clear();
  for (const std::size_t number : step.program.inputs()) {
    PRESSO_ASSIGN(const VectorView view, column(level, number));
    step.inputs.push_back(view);
  }
  step.results.resize(step.program.results().size());
  const auto failure = step.program.run(step.state, step.inputs, level.count, step.results);
  if (!failure) return {};
  return failure_at(*failure, level);
}

Error JoinWorker::failure_at(const Failure& failure, const Level& level) const {
  if (ending_) return make_error(ErrorCode::kInvalidArgument, failure.what);
  const std::uint32_t selected =
      level.all_root_rows ? failure.row : level.rows[joins_.root][failure.row];
  return failure_error(failure, root_row(selected));
}

std::uint64_t JoinWorker::root_row(std::uint32_t selected) const {
  const std::uint32_t row = selection_.all ? selected : selection_.rows[selected];
  return slice_->first_row() + vector_ * kBatchRows + row;
}

// --- levels

/// The rows `picked` of `from`; with `build`, which are rows of the stage's build side.
void JoinWorker::fill_level(const Level& from, Level& to, const std::vector<std::uint32_t>& picked,
                            const std::uint32_t* build, std::size_t build_source) {
  to.count = static_cast<std::uint32_t>(picked.size());
  bool same = picked.size() == from.count;
  for (std::uint32_t i = 0; same && i < to.count; ++i) same = picked[i] == i;
  to.all_root_rows = same && from.all_root_rows;
  for (Gathered& gathered : to.columns) gathered.made = false;
  for (std::size_t source = 0; source < from.rows.size(); ++source) {
    std::vector<std::uint32_t>& rows = to.rows[source];
    if (source == joins_.root && from.all_root_rows) {
      rows.assign(picked.begin(), picked.end());
    } else if (build != nullptr && source == build_source) {
      rows.assign(build, build + to.count);
    } else if (!from.rows[source].empty()) {
      rows.resize(to.count);
      for (std::uint32_t i = 0; i < to.count; ++i) rows[i] = from.rows[source][picked[i]];
    } else {
      rows.clear();
    }
  }
}

Status JoinWorker::push(std::size_t stage) {
  Probe& probe = *probes_[stage];
  if (probe.from.empty()) return {};
  const bool with_build = !probe.to.empty();
  if (with_build) mark(stage);
  if (gives_pairs(joins_.stages[stage].kind) || !with_build) {
    fill_level(levels_[stage], levels_[stage + 1], probe.from,
               with_build ? probe.to.data() : nullptr, joins_.stages[stage].source);
    PRESSO_TRY(enter(stage + 1));
  }
  probe.from.clear();
  probe.to.clear();
  return {};
}

/// Rows of the build side that have found a partner.
void JoinWorker::mark(std::size_t stage) {
  const BuiltStage& built = run_.stage(stage);
  if (built.matched == nullptr) return;
  for (const std::uint32_t row : probes_[stage]->to) {
    if (row == kNone) continue;
    const std::uint64_t bit = std::uint64_t{1} << (row % 64);
    std::atomic<std::uint64_t>& word = built.matched[row / 64];
    if ((word.load(std::memory_order_relaxed) & bit) == 0) {
      word.fetch_or(bit, std::memory_order_relaxed);
    }
  }
}

// --- stages

Status JoinWorker::enter(std::size_t stage) {
  if (levels_[stage].count == 0) return {};
  if (stage == joins_.stages.size()) return finish_rows(levels_[stage]);
  PRESSO_TRY(find(stage));
  if (only_counts(stage)) {
    *matched_ += probes_[stage]->found.pairs;
    return {};
  }
  if (probes_[stage]->residual != nullptr) return join_checked(stage);
  const StageKind kind = joins_.stages[stage].kind;
  if (kind == StageKind::kProbeSemi || kind == StageKind::kProbeAnti) {
    return choose_rows(stage, kind == StageKind::kProbeSemi);
  }
  return join_pairs(stage);
}

/// Whether the number of pairs is all that is wanted.
bool JoinWorker::only_counts(std::size_t stage) const {
  return execution_.only_counts && stage + 1 == joins_.stages.size() && after_ == nullptr &&
         joins_.stages[stage].kind == StageKind::kInner && probes_[stage]->residual == nullptr;
}

Status JoinWorker::find(std::size_t stage) {
  Probe& probe = *probes_[stage];
  Level& level = levels_[stage];
  const BuiltStage& built = run_.stage(stage);
  PRESSO_TRY(run_step(*probe.keys, level));
  const std::uint64_t* const validity =
      built.keys.encode(probe.keys->results, level.count, probe.scratch);
  const JoinPart part = run_.part_of_stage(stage);
  probe.is_parted = !part.is_all();
  const std::uint64_t* looked_up = validity;
  if (probe.is_parted) {
    built.keys.hash(level.count, probe.scratch);
    for (std::uint32_t word = 0; word < kBatchWords; ++word) probe.here[word] = 0;
    for (std::uint32_t i = 0; i < level.count; ++i) {
      probe.here[i / 64] |= std::uint64_t{part.has(probe.scratch.hashes[i], has_bit(validity, i))}
                            << (i % 64);
    }
    for (std::uint32_t word = 0; word < kBatchWords; ++word) {
      probe.valid_here[word] =
          probe.here[word] & (validity == nullptr ? ~std::uint64_t{0} : validity[word]);
    }
    looked_up = probe.valid_here;
  }
  looked_up = built.keys.words(level.count, looked_up, probe.scratch);
  PRESSO_TRY(
      built.table->find({probe.scratch.codes.words.data(), level.count}, looked_up, probe.found));
  counts_[stage].asked += probe.is_parted ? ones_in(probe.here) : level.count;
  counts_[stage].found += probe.found.pairs;
  return {};
}

/// Pairs, in rounds; where only equal keys matter.
Status JoinWorker::join_pairs(std::size_t stage) {
  Probe& probe = *probes_[stage];
  const std::uint32_t count = levels_[stage].count;
  const bool keeps = keeps_probe(joins_.stages[stage].kind);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t partners = probe.found.count[i];
    if (partners == 0 && keeps && probe.is_here(i)) {
      probe.from.push_back(i);
      probe.to.push_back(kNone);
    }
    for (std::uint32_t k = 0; k < partners;) {
      const auto room = static_cast<std::uint32_t>(kBatchRows - probe.from.size());
      const std::uint32_t end = k + std::min(partners - k, room);
      for (; k < end; ++k) {
        probe.from.push_back(i);
        probe.to.push_back(probe.found.row(i, k));
      }
      if (probe.from.size() == kBatchRows) PRESSO_TRY(push(stage));
    }
    if (probe.from.size() == kBatchRows) PRESSO_TRY(push(stage));
  }
  return push(stage);
}

/// Rows that have partners, or none.
Status JoinWorker::choose_rows(std::size_t stage, bool wanted) {
  Probe& probe = *probes_[stage];
  for (std::uint32_t i = 0; i < levels_[stage].count; ++i) {
    if ((probe.found.count[i] != 0) == wanted && probe.is_here(i)) probe.from.push_back(i);
  }
  return push(stage);
}

/// Pairs with equal keys must fulfil conditions. A round has all pairs of its rows, or some of one.
Status JoinWorker::join_checked(std::size_t stage) {
  Probe& probe = *probes_[stage];
  const bool keeps =
      keeps_probe(joins_.stages[stage].kind) || joins_.stages[stage].kind == StageKind::kProbeAnti;
  probe.found_partner = false;
  for (std::uint32_t i = 0; i < levels_[stage].count; ++i) {
    const std::uint32_t partners = probe.found.count[i];
    const std::uint32_t places = std::max<std::uint32_t>(partners, 1);
    if (probe.from.size() + places > kBatchRows) PRESSO_TRY(check_round(stage, true));
    if (partners == 0 && keeps && probe.is_here(i)) {
      probe.from.push_back(i);
      probe.to.push_back(kNone);
    }
    for (std::uint32_t k = 0; k < partners; ++k) {
      if (probe.from.size() == kBatchRows) PRESSO_TRY(check_round(stage, false));
      probe.from.push_back(i);
      probe.to.push_back(probe.found.row(i, k));
    }
    if (partners > kBatchRows) PRESSO_TRY(check_round(stage, true));
  }
  return check_round(stage, true);
}

/// `ends_row`: there are no more pairs of the last row.
Status JoinWorker::check_round(std::size_t stage, bool ends_row) {
  Probe& probe = *probes_[stage];
  if (probe.from.empty()) return {};
  const StageKind kind = joins_.stages[stage].kind;
  Level& pairs = levels_[stage + 1];
  fill_level(levels_[stage], pairs, probe.from, probe.to.data(), joins_.stages[stage].source);
  PRESSO_TRY(keep_fulfilling(*probe.residual, pairs, probe.kept));
  const std::vector<std::uint32_t> from = std::move(probe.from), to = std::move(probe.to);
  probe.from.clear();
  probe.to.clear();
  const bool one_each = kind == StageKind::kProbeSemi || kind == StageKind::kProbeAnti;
  std::size_t next = 0;  // in probe.kept
  for (std::size_t begin = 0; begin < from.size();) {
    std::size_t end = begin;
    const bool had_partner = probe.found_partner;
    for (; end < from.size() && from[end] == from[begin]; ++end) {
      if (next == probe.kept.size() || probe.kept[next] != end) continue;
      ++next;
      if (to[end] == kNone) continue;
      probe.found_partner = true;
      if (one_each) continue;
      probe.from.push_back(from[begin]);
      probe.to.push_back(to[end]);
    }
    const bool ended = end < from.size() || ends_row;
    if (kind == StageKind::kProbeSemi && probe.found_partner && !had_partner) {
      probe.from.push_back(from[begin]);
    }
    if (ended && !probe.found_partner) {
      if (kind == StageKind::kProbeAnti) probe.from.push_back(from[begin]);
      if (keeps_probe(kind)) {
        probe.from.push_back(from[begin]);
        probe.to.push_back(kNone);
      }
    }
    if (ended) probe.found_partner = false;
    begin = end;
  }
  return push(stage);
}

Status JoinWorker::keep_fulfilling(Step& step, Level& level, std::vector<std::uint32_t>& kept) {
  PRESSO_TRY(run_step(step, level));
  kept.clear();
  for (std::uint32_t i = 0; i < level.count; ++i) {
    bool all = true;
    for (const VectorView& truth : step.results) {
      all = all && !truth.is_null(i) && truth.as<Byte>()[i] != 0;
    }
    if (all) kept.push_back(i);
  }
  return {};
}

// --- what comes out

Status JoinWorker::finish_rows(Level& level) {
  Level* last = &level;
  if (after_ != nullptr) {
    PRESSO_TRY(keep_fulfilling(*after_, level, kept_));
    if (kept_.empty()) return {};
    last = &levels_.back();
    fill_level(level, *last, kept_, nullptr, 0);
  }
  *matched_ += last->count;
  if (execution_.only_counts) return {};
  PRESSO_TRY(run_step(*results_, *last));
  set_numbers(*last);
  return (*take_)({last->count, {0, nullptr, numbers_.data()}, results_->results});
}

/// The row of the root, and which of its rows in the answer it is; rows of build sides follow all
/// of the root's.
void JoinWorker::set_numbers(const Level& level) {
  for (std::uint32_t i = 0; i < level.count; ++i) {
    std::uint64_t row = 0;
    if (ending_) {
      const BuiltStage& built = run_.stage(*ending_);
      const std::uint32_t of_build = level.rows[built.bound.source][i];
      row = first_ending_ + (built.numbers.empty() ? of_build : built.numbers[of_build]);
    } else {
      row = root_row(level.all_root_rows ? i : level.rows[joins_.root][i]);
    }
    ordinal_ = row == last_row_ ? ordinal_ + 1 : 0;
    last_row_ = row;
    numbers_[i] = (row << kNumberShift) + ordinal_;
  }
}

Status JoinWorker::run_slice(const Slice& slice, const std::uint64_t* bits, SliceReader& reader,
                             std::uint64_t& matched, const TakeRows& take) {
  slice_ = &slice;
  reader_ = &reader;
  matched_ = &matched;
  take_ = &take;
  ending_.reset();
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    vector_ = vector;
    selection_.set(bits + std::size_t{vector} * kBatchWords, slice.vector_rows(vector));
    for (Gathered& gathered : root_columns_) gathered.made = false;
    Level& level = levels_[0];
    level.count = selection_.count;
    level.all_root_rows = true;
    for (Gathered& gathered : level.columns) gathered.made = false;
    for (auto& rows : level.rows) rows.clear();
    PRESSO_TRY(enter(0));
  }
  return {};
}

Status JoinWorker::run_build_rows(std::size_t stage, std::uint64_t first, std::uint32_t count,
                                  std::uint64_t& matched, const TakeRows& take) {
  const BuiltStage& built = run_.stage(stage);
  matched_ = &matched;
  take_ = &take;
  ending_ = stage;
  first_ending_ = joins_.sources[joins_.root].rows;
  for (std::size_t i = 0; i < stage; ++i) {
    first_ending_ += joins_.sources[joins_.stages[i].source].rows;
  }
  const bool wanted = built.bound.kind == StageKind::kBuildSemi;
  Level& level = levels_[stage + 1];
  for (std::uint64_t at = first; at < first + count;) {
    std::vector<std::uint32_t>& rows = level.rows[built.bound.source];
    rows.clear();
    for (; at < first + count && rows.size() < kBatchRows; ++at) {
      const std::uint64_t word =
          built.matched[static_cast<std::size_t>(at / 64)].load(std::memory_order_relaxed);
      if (((word >> (at % 64) & 1) != 0) == wanted) rows.push_back(static_cast<std::uint32_t>(at));
    }
    level.count = static_cast<std::uint32_t>(rows.size());
    level.all_root_rows = false;
    for (Gathered& gathered : level.columns) gathered.made = false;
    for (std::size_t source = 0; source < level.rows.size(); ++source) {
      if (source != built.bound.source) level.rows[source].assign(level.count, kNone);
    }
    PRESSO_TRY(enter(stage + 1));
  }
  return {};
}

}  // namespace presso::query
