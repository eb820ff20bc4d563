// SPDX-License-Identifier: MIT
// JoinWorker: takes a vector of the root's rows from stage to stage. enter() looks keys up and
// dispatches on the kind of join; its helpers collect up to kBatchRows pairs in Probe::from and
// Probe::to, and push() makes the next level of them and enters the next stage. Values are picked
// by row number when they are needed (column()).
//
// A level holds row numbers, not values: levels_[0] has the selected rows of the root, levels_[k]
// the pairs that stages 0 to k - 1 have made, and the last one the rows that also fulfil the
// conditions on joined rows. A level is overwritten by the next round of the stage before it, so
// memory is bounded by the number of stages times kBatchRows.
#include <algorithm>
#include <bit>
#include <numeric>

#include "format/columns/bit_copy.h"
#include "query/run/entry_words.h"
#include "query/run/join_run.h"

namespace presso::query {
namespace {

/// out[i] = values[rows[i]], or 0 and NULL if there is no row. Returns whether any value is NULL.
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

/// A value of 16 bytes.
struct Wide {
  std::uint64_t words[2] = {0, 0};
};

/// Like pick_values(), if every row exists and no value is NULL.
template <class T>
void pick_all(const void* values, const std::uint32_t* rows, std::uint32_t count, Byte* out) {
  const auto* const from = static_cast<const T*>(values);
  auto* const to = reinterpret_cast<T*>(out);
  for (std::uint32_t i = 0; i < count; ++i) to[i] = from[rows[i]];
}

void pick_all(const VectorView& from, const std::uint32_t* rows, std::uint32_t count, Byte* out) {
  switch (physical_bytes(from.physical)) {
    case 1:
      return pick_all<Byte>(from.values, rows, count, out);
    case 8:
      return pick_all<std::uint64_t>(from.values, rows, count, out);
    default:
      return pick_all<Wide>(from.values, rows, count, out);
  }
}

/// Picks values of any width; `validity` gets all its words.
bool pick(const VectorView& from, const std::uint32_t* rows, std::uint32_t count, Byte* out,
          std::uint64_t* validity) {
  const auto* const values = static_cast<const Byte*>(from.values);
  std::fill_n(validity, kBatchWords, 0);
  switch (physical_bytes(from.physical)) {
    case 1:
      return pick_values<Byte>(values, from.validity, rows, count, out, validity);
    case 8:
      return pick_values<std::uint64_t>(values, from.validity, rows, count, out, validity);
    default:
      return pick_values<Wide>(values, from.validity, rows, count, out, validity);
  }
}

/// Cuts a value off at the greatest number of `bits` bits.
std::uint64_t within_bits(std::uint64_t value, unsigned bits) {
  return std::min(value, (std::uint64_t{1} << bits) - 1);
}

}  // namespace

Physical physical_of_column(const BoundQuery& query, std::size_t column) {
  const InputColumn& about = query.columns[column];
  return column_node(column, about.schema, about.range, about.nullable).physical;
}

JoinWorker::JoinWorker(const Execution& execution, const JoinRun& run, const Program& program)
    : execution_(execution),
      run_(run),
      tree_(*execution.tree),
      levels_(tree_.stages.size() + 2),
      counts_(tree_.stages.size()),
      numbers_(kBatchRows),
      batch_column_(execution.query.columns.size()),
      root_columns_(execution.query.columns.size()) {
  const BoundQuery& query = execution.query;
  for (Level& level : levels_) {
    level.rows.resize(tree_.stages.size() + 1);
    level.columns = std::vector<Gathered>(query.columns.size());
  }
  for (const BoundStage& stage : tree_.stages) {
    auto probe = std::make_unique<Probe>();
    probe->keys = std::make_unique<Step>(Program(*query.input, stage.probe_keys));
    if (!stage.residual.empty()) {
      probe->residual = std::make_unique<Step>(Program(*query.input, stage.residual));
    }
    // join_checked() treats rows without a partner as pairs with nothing, which anti joins need
    // too.
    const bool tests_none = stage.kind == StageKind::kProbeAnti && probe->residual != nullptr;
    may_miss_ = may_miss_ || tests_none || keeps_probe(stage.kind) || gives_build_rows(stage.kind);
    probes_.push_back(std::move(probe));
  }
  for (std::size_t i = 0; i < tree_.stages.size(); ++i) {
    if (!run.is_decided(i)) end_ = i + 1;
  }
  if (execution.is_whole && !query.conditions.empty()) {
    after_ = std::make_unique<Step>(Program(*query.input, query.conditions));
  }
  results_ = std::make_unique<Step>(program);
  for (std::size_t column = 0; column < query.columns.size(); ++column) {
    const std::size_t source = query.joins->source_of(column);
    holder_.push_back(0);
    place_.push_back(0);
    for (std::size_t stage = 0; stage < tree_.stages.size(); ++stage) {
      if (tree_.stages[stage].build.has(source)) holder_.back() = stage + 1;
    }
  }
  for (std::size_t stage = 0; stage < tree_.stages.size(); ++stage) {
    const std::vector<std::size_t>& kept = run.stage_columns(stage);
    for (std::size_t i = 0; i < kept.size(); ++i) place_[kept[i]] = i;
  }
  if (run.base() == JoinRun::kNoStage) return;
  // Rows from the file take the place of the root's.
  const std::vector<std::size_t>& columns = run.spilled(run.base())->probe_columns;
  for (std::size_t i = 0; i < columns.size(); ++i) batch_column_[columns[i]] = i + 1;
  // Columns of stages before the base are in the file, so that the batch holds them.
  for (std::size_t& holder : holder_) holder = holder <= run.base() ? 0 : holder;
}

// --- values

/// A column of the root for the selected rows, or of the batch from the file; loaded once a vector.
Result<VectorView> JoinWorker::root_column(std::size_t column) {
  if (batch_ != nullptr) return batch_->columns[batch_column_[column]];
  Gathered& gathered = root_columns_[column];
  if (!gathered.made) {
    const std::size_t own = column - execution_.first_column;
    PRESSO_ASSIGN(gathered.view, reader_->load(own, vector_, selection_));
    gathered.made = true;
  }
  return gathered.view;
}

/// A column for the rows of a level, gathered by row number when it is first asked for. A view of
/// the root's vector is used as it is if no row has moved.
Result<VectorView> JoinWorker::column(Level& level, std::size_t column) {
  Gathered& gathered = level.columns[column];
  if (gathered.made) return gathered.view;
  const std::size_t holder = holder_[column];
  const bool of_root = holder == 0;
  VectorView from;
  if (of_root && !ending_) {
    PRESSO_ASSIGN(from, root_column(column));
  }
  // No copy: the vector's own view.
  if (of_root && level.all_root_rows) {
    gathered.view = from;
  } else {
    if (!of_root && run_.has_stage(holder - 1)) {
      from = run_.stage(holder - 1).rows.view(place_[column], 0);
      // Rows at the end have no value of this table, whether it is in memory or not.
    } else if (!of_root || ending_) {
      from.physical = physical_of_column(execution_.query, column);
    }
    gathered.values.resize_discarding(kBatchRows * physical_bytes(from.physical));
    const std::uint32_t* const rows = level.rows[holder].data();
    bool nulls = false;
    // The usual case without outer joins and NULLs is a plain gather.
    if (!may_miss_ && from.validity == nullptr) {
      pick_all(from, rows, level.count, gathered.values.data());
    } else {
      nulls = pick(from, rows, level.count, gathered.values.data(), gathered.validity);
    }
    gathered.view = {from.physical, gathered.values.data(), nulls ? gathered.validity : nullptr};
  }
  gathered.made = true;
  return gathered.view;
}

/// Computes a program for the rows of a level.
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

/// The error for a row whose computation failed; it names the root's row if it is known.
Error JoinWorker::failure_at(const Failure& failure, const Level& level) const {
  // Build rows that are returned at the end have no row of the root.
  if (ending_) return make_error(ErrorCode::kInvalidArgument, failure.what);
  if (batch_ == nullptr) {
    const std::uint32_t selected = level.all_root_rows ? failure.row : level.rows[0][failure.row];
    return failure_error(failure, root_row(selected));
  }
  const std::uint32_t row = level.all_root_rows ? failure.row : level.rows[0][failure.row];
  // Shifting these bits out leaves the number of the root's row.
  const unsigned bits = run_.bits().before(run_.base()) + run_.bits().stages[run_.base()].place;
  const std::uint64_t origin = batch_->columns[0].as<std::uint64_t>()[row] >> bits;
  if (origin < execution_.query.joins->sources[tree_.root].rows) {
    return failure_error(failure, origin);
  }
  return make_error(ErrorCode::kInvalidArgument, failure.what);
}

/// The number of the root's row within its table.
std::uint64_t JoinWorker::root_row(std::uint32_t selected) const {
  const std::uint32_t row = selection_.all ? selected : selection_.rows[selected];
  return slice_->first_row() + vector_ * kBatchRows + row;
}

// --- levels

/// Makes the level `to` of the rows `picked` of `from`. After a stage, `build` has the matching
/// rows of its build side and may be nullptr; after the conditions on joined rows, `stage` is the
/// number of stages. If all rows are kept in place, nothing is copied.
void JoinWorker::fill_level(const Level& from, Level& to, const std::vector<std::uint32_t>& picked,
                            const std::uint32_t* build, std::size_t stage) {
  to.count = static_cast<std::uint32_t>(picked.size());
  std::uint32_t moved = picked.size() == from.count ? 0 : 1;
  for (std::uint32_t i = 0; moved == 0 && i < to.count; i += 64) {
    const std::uint32_t end = std::min(to.count, i + 64);
    for (std::uint32_t k = i; k < end; ++k) moved |= picked[k] ^ k;
  }
  // Comparing in blocks of 64 lets compilers use vector instructions.
  const bool same = moved == 0;
  to.all_root_rows = same && from.all_root_rows;
  for (Gathered& gathered : to.columns) gathered.made = false;
  to.numbers.clear();
  if (!from.numbers.empty()) {
    for (const std::uint32_t row : picked) to.numbers.push_back(from.numbers[row]);
  }
  const unsigned bits = stage < tree_.stages.size() ? run_.bits().stages[stage].partner : 0;
  for (std::uint32_t i = 0; bits != 0 && i < to.count; ++i) {
    const bool found = build != nullptr && build[i] != kNone;
    const std::uint64_t partner = found ? run_.stage(stage).numbers[build[i]] : 0;
    to.numbers[i] = (to.numbers[i] << bits) + within_bits(partner, bits);
  }
  for (std::size_t holder = 0; holder < from.rows.size(); ++holder) {
    const std::vector<std::uint32_t>& old = from.rows[holder];
    std::vector<std::uint32_t>& rows = to.rows[holder];
    if (holder == 0 && from.all_root_rows) {
      if (!same) rows.assign(picked.begin(), picked.end());
    } else if (build != nullptr && holder == stage + 1) {
      rows.assign(build, build + to.count);
    } else if (same || old.empty()) {
      rows = old;
    } else {
      rows.resize(to.count);
      for (std::uint32_t i = 0; i < to.count; ++i) rows[i] = old[picked[i]];
    }
  }
}

/// Hands the collected pairs or rows on to the next stage and forgets them.
Status JoinWorker::push(std::size_t stage) {
  Probe& probe = *probes_[stage];
  if (probe.from.empty()) return {};
  const bool with_build = !probe.to.empty();
  if (with_build) mark(stage);
  // Semi and anti joins of the build side only mark rows here.
  if (gives_pairs(tree_.stages[stage].kind) || !with_build) {
    fill_level(levels_[stage], levels_[stage + 1], probe.from,
               with_build ? probe.to.data() : nullptr, stage);
    PRESSO_TRY(enter(stage + 1));
  }
  probe.from.clear();
  probe.to.clear();
  return {};
}

/// Marks rows of the build side as matched. Bits are only written if they are not set yet, since
/// threads share the words.
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

/// Sends the rows of a level through a stage. Recursive: the depth is the number of stages.
Status JoinWorker::enter(std::size_t stage) {
  if (levels_[stage].count == 0) return {};
  if (stage == end_) return finish_rows(levels_[stage]);
  const bool is_base = stage == run_.base();
  if (!is_base && run_.bits().stages[stage].place != 0) add_places(stage);
  // The way ends here for now; it goes on when this stage is the base.
  if (run_.writes(stage)) return write_rows(stage);
  if (run_.is_decided(stage)) return pass_on(stage);
  PRESSO_TRY(find(stage));
  if (only_counts(stage)) {
    *matched_ += probes_[stage]->found.pairs;
    return {};
  }
  if (probes_[stage]->residual != nullptr) return join_checked(stage);
  const StageKind kind = tree_.stages[stage].kind;
  if (kind == StageKind::kProbeSemi || kind == StageKind::kProbeAnti) {
    return choose_rows(stage, kind == StageKind::kProbeSemi);
  }
  return join_pairs(stage);
}

/// Hands all rows on unchanged.
Status JoinWorker::pass_on(std::size_t stage) {
  std::vector<std::uint32_t>& all = probes_[stage]->from;
  all.resize(levels_[stage].count);
  std::iota(all.begin(), all.end(), 0u);
  return push(stage);
}

/// Whether only the number of pairs is wanted, so that no pair need be listed.
bool JoinWorker::only_counts(std::size_t stage) const {
  return execution_.only_counts && stage + 1 == end_ && after_ == nullptr &&
         tree_.stages[stage].kind == StageKind::kInner && probes_[stage]->residual == nullptr;
}

/// The root's column that is the stage's only key, if its strings are stored as dictionary codes
/// here.
std::optional<std::size_t> JoinWorker::coded_key(std::size_t stage, const Level& level) {
  const std::vector<NodeId>& keys = tree_.stages[stage].probe_keys;
  const bool is_slice = !ending_ && batch_ == nullptr;
  if (!is_slice || !level.all_root_rows || keys.size() != 1) return std::nullopt;
  const Node& key = execution_.query.input->at(keys[0]);
  const bool is_column = key.kind == Node::Kind::kColumn && key.physical == Physical::kString;
  if (!is_column || holder_[key.column] != 0) return std::nullopt;
  const std::size_t own = key.column - execution_.first_column;
  const bool coded = reader_->column(own).representation() == Representation::kDictionary;
  return coded ? std::optional(own) : std::nullopt;
}

/// Computes the keys of a level's rows, and their hashes if `hashed`, into probe.scratch, and sets
/// which rows have a key and which may have a partner.
Status JoinWorker::encode_keys(std::size_t stage, Level& level, bool hashed) {
  Probe& probe = *probes_[stage];
  const JoinKeys& keys = run_.stage(stage).keys;
  if (const auto column = coded_key(stage, level)) {
    PRESSO_ASSIGN(const EntryWords* const entries, entry_words(keys, *reader_, *column));
    PRESSO_ASSIGN(probe.validity,
                  words_by_code(*entries, *reader_, *column, vector_, selection_, probe.scratch));
    probe.may_match = probe.scratch.known;
    return {};
  }
  PRESSO_TRY(run_step(*probe.keys, level));
  probe.validity = keys.encode(probe.keys->results, level.count, probe.scratch);
  if (hashed) keys.hash(level.count, probe.scratch);
  probe.may_match = keys.words(level.count, probe.validity, probe.scratch);
  return {};
}

/// Looks the keys of a level up; for a divided stage only those of this pass's part. Counts rows
/// and pairs, each once over all passes.
Status JoinWorker::find(std::size_t stage) {
  Probe& probe = *probes_[stage];
  Level& level = levels_[stage];
  const JoinPart part = run_.part_of_stage(stage);
  probe.is_parted = !part.is_all();
  PRESSO_TRY(encode_keys(stage, level, probe.is_parted && !part.by_word));
  const std::uint64_t* looked_up = probe.may_match;
  if (probe.is_parted) {
    for (std::uint32_t word = 0; word < kBatchWords; ++word) probe.here[word] = 0;
    const std::uint64_t* const values =
        part.by_word ? probe.scratch.codes.words.data() : probe.scratch.hashes;
    for (std::uint32_t i = 0; i < level.count; ++i) {
      // Rows without a key are of a part, too, so that outer joins return them once.
      const bool here = part.has(values[i], has_bit(probe.validity, i));
      probe.here[i / 64] |= std::uint64_t{here} << (i % 64);
    }
    for (std::uint32_t word = 0; word < kBatchWords; ++word) {
      probe.valid_here[word] =
          probe.here[word] & (looked_up == nullptr ? ~std::uint64_t{0} : looked_up[word]);
    }
    looked_up = probe.valid_here;
  }
  PRESSO_TRY(run_.stage(stage).table->find({probe.scratch.codes.words.data(), level.count},
                                           looked_up, probe.found));
  // Rows from a file were counted when they were written.
  const bool is_written = stage == run_.base();
  counts_[stage].asked += run_.is_new(stage) && !is_written ? level.count : 0;
  // Stages before the divided one find the same pairs in each pass.
  const bool found_before = !run_.is_new(stage) && stage != run_.divided();
  counts_[stage].found += found_before ? 0 : probe.found.pairs;
  return {};
}

/// Writes the rows that come to a stage that spills to its file. Rows without a key are dropped, or
/// go to any part if the join keeps them.
Status JoinWorker::write_rows(std::size_t stage) {
  SpilledStage& spilled = *run_.spilled(stage);
  Probe& probe = *probes_[stage];
  Level& level = levels_[stage];
  PRESSO_TRY(run_step(*probe.keys, level));
  const std::uint64_t* const validity =
      spilled.keys.encode(probe.keys->results, level.count, probe.scratch);
  spilled.keys.hash(level.count, probe.scratch);
  const StageKind kind = tree_.stages[stage].kind;
  const bool keeps = keeps_probe(kind) || kind == StageKind::kProbeAnti;
  probe.parts.resize(level.count);
  std::int64_t numbers[kBatchRows];
  for (std::uint32_t i = 0; i < level.count; ++i) {
    const bool has_key = has_bit(validity, i);
    numbers[i] = static_cast<std::int64_t>(number(level, i));
    const std::uint64_t hash =
        has_key ? probe.scratch.hashes[i] : hash_word(static_cast<std::uint64_t>(numbers[i]));
    const bool is_written = has_key || keeps;
    probe.parts[i] = is_written ? part_of(hash, spilled.probe->parts()) : PartFile::kNoPart;
  }
  std::vector<VectorView> views = {{Physical::kInt64, numbers, nullptr}};
  for (const std::size_t number : spilled.probe_columns) {
    PRESSO_ASSIGN(const VectorView view, column(level, number));
    views.push_back(view);
  }
  counts_[stage].asked += level.count;
  return spilled.probe->add(views, probe.parts.data(), level.count);
}

/// Whether a probe row has found a partner in an earlier chunk of the build side.
bool JoinWorker::had_partner(std::size_t stage, std::uint32_t row) const {
  return stage == run_.base() && batch_ != nullptr && batch_->partners != nullptr &&
         has_bit(batch_->partners, row);
}

/// Remembers for later chunks that a probe row has a partner.
void JoinWorker::note_partner(std::size_t stage, std::uint32_t row) {
  if (stage != run_.base() || batch_ == nullptr || batch_->partners == nullptr) return;
  batch_->partners[row / 64] |= std::uint64_t{1} << (row % 64);
}

/// Whether rows without a partner so far will have none: always, except before the last chunk.
bool JoinWorker::closes_rows(std::size_t stage) const {
  return stage != run_.base() || batch_ == nullptr || batch_->last_chunk;
}

/// Lists the pairs if keys of the build side are unique: one round suffices, and the loop has no
/// branches.
void JoinWorker::list_unique_pairs(Probe& probe, std::uint32_t count) {
  probe.from.resize(count);
  probe.to.resize(count);
  std::uint32_t* const from = probe.from.data();
  std::uint32_t* const to = probe.to.data();
  const std::uint32_t* const first = probe.found.first.data();
  const std::uint32_t* const found = probe.found.count.data();
  std::uint32_t pairs = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    // Written always and kept only if there is a partner, which needs no branch.
    from[pairs] = i;
    to[pairs] = first[i];
    pairs += found[i];
  }
  probe.from.resize(pairs);
  probe.to.resize(pairs);
  // The table's positions are rows already, or are translated.
  if (probe.found.rows == nullptr) return;
  for (std::uint32_t i = 0; i < pairs; ++i) to[i] = probe.found.rows[to[i]];
}

/// Makes the pairs of inner and outer joins without further conditions, in rounds.
Status JoinWorker::join_pairs(std::size_t stage) {
  Probe& probe = *probes_[stage];
  const std::uint32_t count = levels_[stage].count;
  const bool keeps = keeps_probe(tree_.stages[stage].kind);
  const bool closes = closes_rows(stage);
  if (!keeps && run_.stage(stage).table->unique()) {
    list_unique_pairs(probe, count);
    return push(stage);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t partners = probe.found.count[i];
    if (keeps && partners == 0 && closes && probe.is_here(i) && !had_partner(stage, i)) {
      probe.from.push_back(i);
      probe.to.push_back(kNone);
    }
    if (keeps && partners != 0) note_partner(stage, i);
    for (std::uint32_t k = 0; k < partners;) {
      // A row with many partners fills several rounds.
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

/// Selects rows that have a partner, or have none, for semi and anti joins.
Status JoinWorker::choose_rows(std::size_t stage, bool wanted) {
  Probe& probe = *probes_[stage];
  const bool chooses = wanted || closes_rows(stage);
  for (std::uint32_t i = 0; i < levels_[stage].count; ++i) {
    const bool found = probe.found.count[i] != 0;
    const bool is_new = !had_partner(stage, i);
    if (found == wanted && chooses && is_new && probe.is_here(i)) probe.from.push_back(i);
    if (found) note_partner(stage, i);
  }
  return push(stage);
}

/// Joins with further conditions. A round has all pairs of its rows, or some pairs of a single row
/// that has more than fit.
Status JoinWorker::join_checked(std::size_t stage) {
  Probe& probe = *probes_[stage];
  const bool keeps =
      keeps_probe(tree_.stages[stage].kind) || tree_.stages[stage].kind == StageKind::kProbeAnti;
  probe.found_partner = false;
  for (std::uint32_t i = 0; i < levels_[stage].count; ++i) {
    const std::uint32_t partners = probe.found.count[i];
    // A row's pairs are kept together in a round if they fit into one.
    const std::uint32_t places = std::max<std::uint32_t>(partners, 1);
    if (probe.from.size() + places > kBatchRows) PRESSO_TRY(check_round(stage, true));
    if (partners == 0 && keeps && closes_rows(stage) && probe.is_here(i)) {
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

/// Tests the collected pairs and hands on those that fulfil the conditions, and rows that turn out
/// to have no partner. `ends_row`: no more pairs of the last row follow.
Status JoinWorker::check_round(std::size_t stage, bool ends_row) {
  Probe& probe = *probes_[stage];
  if (probe.from.empty()) return {};
  const StageKind kind = tree_.stages[stage].kind;
  Level& pairs = levels_[stage + 1];
  fill_level(levels_[stage], pairs, probe.from, probe.to.data(), stage);
  PRESSO_TRY(keep_fulfilling(*probe.residual, pairs, probe.kept));
  const std::vector<std::uint32_t> from = std::move(probe.from), to = std::move(probe.to);
  probe.from.clear();
  probe.to.clear();
  // Such joins return the row itself, once, however many partners fulfil the conditions.
  const bool one_each = kind == StageKind::kProbeSemi || kind == StageKind::kProbeAnti;
  std::size_t next = 0;  // in probe.kept
  for (std::size_t begin = 0; begin < from.size();) {
    std::size_t end = begin;
    const bool had = probe.found_partner || had_partner(stage, from[begin]);
    probe.found_partner = had;
    for (; end < from.size() && from[end] == from[begin]; ++end) {
      if (next == probe.kept.size() || probe.kept[next] != end) continue;
      ++next;
      if (to[end] == kNone) continue;
      probe.found_partner = true;
      if (one_each) continue;
      probe.from.push_back(from[begin]);
      probe.to.push_back(to[end]);
    }
    // Only then is it known that a row has no partner.
    const bool ended = end < from.size() || ends_row;
    if (probe.found_partner) note_partner(stage, from[begin]);
    if (kind == StageKind::kProbeSemi && probe.found_partner && !had) {
      probe.from.push_back(from[begin]);
    }
    if (ended && !probe.found_partner && closes_rows(stage)) {
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

/// Evaluates conditions and lists the rows for which all are true.
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

/// What happens after the last stage: tests the conditions on joined rows, computes the results,
/// numbers the rows, and hands them to the consumer.
Status JoinWorker::finish_rows(Level& level) {
  Level* last = &level;
  if (after_ != nullptr) {
    PRESSO_TRY(keep_fulfilling(*after_, level, kept_));
    if (kept_.empty()) return {};
    last = &levels_.back();
    fill_level(level, *last, kept_, nullptr, tree_.stages.size());
  }
  *matched_ += last->count;
  if (execution_.only_counts) return {};
  PRESSO_TRY(run_step(*results_, *last));
  if (!execution_.wants_numbers) {
    const RowNumbers ascending{given_, nullptr, nullptr};
    given_ += last->count;
    return (*take_)({last->count, ascending, results_->results});
  }
  set_numbers(*last);
  return (*take_)({last->count, {0, nullptr, numbers_.data()}, results_->results});
}

/// The number of the root's row that a row comes from; build rows are numbered after all of the
/// root's.
std::uint64_t JoinWorker::origin(const Level& level, std::uint32_t i) const {
  if (!ending_) return root_row(level.all_root_rows ? i : level.rows[0][i]);
  const BuiltStage& built = run_.stage(*ending_);
  const std::uint32_t row = level.rows[*ending_ + 1][i];
  return first_ending_ + (built.numbers.empty() ? row : built.numbers[row]);
}

/// The row's number so far, as divided stages have extended it.
std::uint64_t JoinWorker::number(const Level& level, std::uint32_t i) const {
  return level.numbers.empty() ? origin(level, i) : level.numbers[i];
}

/// Extends the numbers of rows that come to a divided stage by their place among the rows of the
/// same number.
void JoinWorker::add_places(std::size_t stage) {
  Level& level = levels_[stage];
  Probe& probe = *probes_[stage];
  const unsigned bits = run_.bits().stages[stage].place;
  std::vector<std::uint64_t> numbers(level.count);
  for (std::uint32_t i = 0; i < level.count; ++i) {
    const std::uint64_t before = number(level, i);
    probe.place = before == probe.last_number ? probe.place + 1 : 0;
    probe.last_number = before;
    numbers[i] = (before << bits) + within_bits(probe.place, bits);
  }
  level.numbers = std::move(numbers);
}

/// Completes the numbers by the ordinal, which tells rows of one origin apart.
void JoinWorker::set_numbers(const Level& level) {
  const unsigned bits = run_.bits().ordinal;
  for (std::uint32_t i = 0; i < level.count; ++i) {
    const std::uint64_t before = number(level, i);
    ordinal_ = before == last_number_ ? ordinal_ + 1 : 0;
    last_number_ = before;
    numbers_[i] = (before << bits) + within_bits(ordinal_, bits);
  }
}

/// Drops pairs that an error or an early end has left.
void JoinWorker::drop_pairs() {
  for (const auto& probe : probes_) {
    probe->from.clear();
    probe->to.clear();
    probe->found_partner = false;
  }
}

Status JoinWorker::run_slice(const Slice& slice, const std::uint64_t* bits, SliceReader& reader,
                             std::uint64_t& matched, const TakeRows& take) {
  slice_ = &slice;
  reader_ = &reader;
  batch_ = nullptr;
  matched_ = &matched;
  take_ = &take;
  ending_.reset();
  drop_pairs();
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    vector_ = vector;
    selection_.set(bits + std::size_t{vector} * kBatchWords, slice.vector_rows(vector));
    begin_vector();
    PRESSO_TRY(enter(0));
  }
  return {};
}

/// Starts a vector: its level holds the selected rows, and no column is loaded.
void JoinWorker::begin_vector() {
  for (Gathered& gathered : root_columns_) gathered.made = false;
  Level& level = levels_[0];
  level.count = selection_.count;
  level.all_root_rows = true;
  level.numbers.clear();
  for (Gathered& gathered : level.columns) gathered.made = false;
  for (auto& rows : level.rows) rows.clear();
}

/// The batch enters the base stage directly, with the numbers that its rows had when they were
/// written.
Status JoinWorker::run_batch(const ProbeBatch& batch, std::uint64_t& matched,
                             const TakeRows& take) {
  matched_ = &matched;
  take_ = &take;
  batch_ = &batch;
  ending_.reset();
  drop_pairs();
  Level& level = levels_[run_.base()];
  level.count = batch.rows;
  level.all_root_rows = true;
  for (Gathered& gathered : level.columns) gathered.made = false;
  for (auto& rows : level.rows) rows.clear();
  const auto* const numbers = batch.columns[0].as<std::uint64_t>();
  level.numbers.assign(numbers, numbers + batch.rows);
  return enter(run_.base());
}

/// Collects the build rows to return in vectors, which enter the next stage as if they had come
/// from this one.
Status JoinWorker::run_build_rows(std::size_t stage, std::uint64_t first, std::uint32_t count,
                                  std::uint64_t& matched, const TakeRows& take) {
  const BuiltStage& built = run_.stage(stage);
  matched_ = &matched;
  take_ = &take;
  batch_ = nullptr;
  ending_ = stage;
  drop_pairs();
  const Sources& sources = execution_.sources;
  // Build rows of each stage are numbered after the root's rows and those of earlier stages.
  first_ending_ = row_limit(sources[tree_.root]);
  for (std::size_t i = 0; i < stage; ++i) {
    first_ending_ += row_limit(sources[tree_.stages[i].build.root]);
  }
  // All other kinds return rows that have found no partner.
  const bool wanted = built.bound.kind == StageKind::kBuildSemi;
  Level& level = levels_[stage + 1];
  for (std::uint64_t at = first; at < first + count;) {
    std::vector<std::uint32_t>& rows = level.rows[stage + 1];
    rows.clear();
    for (; at < first + count && rows.size() < kBatchRows; ++at) {
      const std::uint64_t word =
          built.matched[static_cast<std::size_t>(at / 64)].load(std::memory_order_relaxed);
      if (((word >> (at % 64) & 1) != 0) == wanted) rows.push_back(static_cast<std::uint32_t>(at));
    }
    level.count = static_cast<std::uint32_t>(rows.size());
    level.all_root_rows = false;
    level.numbers.clear();
    for (Gathered& gathered : level.columns) gathered.made = false;
    for (std::size_t holder = 0; holder < level.rows.size(); ++holder) {
      // The columns of all other tables are NULL.
      if (holder != stage + 1) level.rows[holder].assign(level.count, kNone);
    }
    if (const unsigned bits = run_.bits().before(stage + 1); bits != 0) {
      std::vector<std::uint64_t> numbers(level.count);
      for (std::uint32_t i = 0; i < level.count; ++i) numbers[i] = origin(level, i) << bits;
      level.numbers = std::move(numbers);
    }
    PRESSO_TRY(enter(stage + 1));
  }
  return {};
}

}  // namespace presso::query
