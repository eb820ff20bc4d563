// SPDX-License-Identifier: MIT
// Implements join_build.h. StageBuilder reads a build side, slice by slice and on all threads, and
// keeps its rows, writes them to a file, loads them from that file, or counts them. Tested through
// tests/unit/query/run/join_test.cpp and join_spill_test.cpp.
#include "query/run/join_build.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "format/threads/parallel.h"
#include "presso/ordered_pipeline.h"
#include "query/filter/make_plan.h"
#include "query/group/group_output.h"
#include "query/run/join_run.h"
#include "query/run/key_conditions.h"
#include "query/run/key_order.h"

namespace presso::query {
namespace {

/// Key ranges that cover both sides, so that one coding serves both.
std::vector<KeySpec> key_specs(const Graph& graph, const BoundStage& stage) {
  std::vector<KeySpec> specs;
  for (std::size_t i = 0; i < stage.probe_keys.size(); ++i) {
    const Node& probe = graph.at(stage.probe_keys[i]);
    const Node& build = graph.at(stage.build_keys[i]);
    KeySpec spec;
    spec.physical = build.physical;
    spec.nullable = false;
    if (spec.physical == Physical::kInt64 && fits_int64(probe.range) && fits_int64(build.range)) {
      spec.least = static_cast<std::int64_t>(std::min(probe.range.least, build.range.least));
      spec.most = static_cast<std::int64_t>(std::max(probe.range.most, build.range.most));
    }
    specs.push_back(spec);
  }
  return specs;
}

/// At most this many bytes for a numbered key besides its own: its hash, and slots of both sizes
/// while a half-empty table grows.
constexpr double kNumberedKeyBytes = 96;
/// Rows of each slice that are kept to measure the size of a row.
constexpr std::uint64_t kMeasuredRows = 4096;

/// The rows of a slice, as one thread collects them for the build side.
struct SliceRows {
  Status status;
  RowStore rows;
  std::uint64_t count = 0;
  KeyColumn keys;
  std::vector<std::uint64_t> validity;  ///< empty: all have a key
  std::vector<std::uint64_t> numbers;   ///< rows' numbers or places in the file, if asked for
  std::vector<std::uint64_t> by_hash;   ///< measure(): rows by slot, as in PartSizes
  std::vector<std::uint64_t> by_word;
  std::vector<std::uint32_t> parts;  ///< write(): for each row its part of the file
  std::uint64_t bytes() const {
    return rows.bytes() + keys.bytes() + 8 * (validity.capacity() + numbers.capacity());
  }
};

/// One thread's memory for reading slices and encoding keys.
struct KeyWorker {
  KeyWorker(const Execution& execution, const Program& program) : worker(execution, program) {}
  Worker worker;
  JoinKeys::Scratch scratch;
};

}  // namespace

Status start_build_scan(Execution& scan) {
  const BoundSource& source = scan.query.joins->sources[scan.tree->root];
  scan.start();
  if (source.plan) {
    scan.plan = *source.plan;
  } else {
    PRESSO_ASSIGN(scan.plan, make_filter_plan(scan.tables, source.scan, scan.options));
  }
  return {};
}

namespace {

/// Used once. Rows of slices are put together in their order at the end; see also place().
class StageBuilder {
 public:
  StageBuilder(const Execution& parent, const BoundStage& stage, std::vector<std::size_t> columns,
               JoinPart part, std::uint64_t memory_bytes)
      : parent_(parent),
        stage_(stage),
        source_(parent.query.joins->sources[stage.build.root]),
        part_(part),
        memory_bytes_(memory_bytes),
        scan_(parent, stage.build, memory_bytes),
        built_(std::make_unique<BuiltStage>(stage, *parent.query.input)) {
    built_->columns = std::move(columns);
  }

  /// Keeps the rows of `part_` and builds their table. Error: kOutOfMemory.
  Result<std::unique_ptr<BuiltStage>> build() {
    scan_.may_divide = false;  // a file for the whole build side is better than one for its sources
    PRESSO_TRY(prepare());
    if (can_be_placed_ && part_.is_all()) PRESSO_TRY(make_places());
    PRESSO_TRY(read([&](SliceRows rows) -> Result<bool> {
      collected_bytes_ += rows.bytes();
      // Given up at once, so that a build side that is too large costs little.
      if (collected_bytes_ > memory_bytes_) return too_little_memory(collected_bytes_);
      if (rows.count != 0) slices_.push_back(std::move(rows));
      return true;
    }));
    PRESSO_TRY(make_table());
    return std::move(built_);
  }

  /// Writes all rows to a temporary file, divided by the hashes of their keys.
  Result<std::unique_ptr<PartFile>> write(std::uint32_t parts) {
    PRESSO_TRY(prepare());
    PartFilePlan plan{file_columns(), parts, memory_bytes_, scan_.options.temporary_directory};
    auto file = std::make_unique<PartFile>(std::move(plan));
    file_ = file.get();
    std::uint64_t place = 0;
    const auto consume = [&](SliceRows slice) -> Result<bool> {
      PRESSO_TRY(write_slice(slice, place));
      return true;
    };
    PRESSO_TRY(read(consume));
    PRESSO_TRY(file->finish());
    return file;
  }

  /// Loads batches of such a file, as load_stage() says, and builds their table.
  Result<std::unique_ptr<BuiltStage>> load(std::span<const PartFile::Batch> batches,
                                           std::size_t& next, double row_bytes) {
    is_loaded_ = true;
    prepare_program();
    SliceRows rows;
    rows.rows = RowStore(physical_);
    std::uint64_t count = 0;
    std::size_t end = next;
    for (; end < batches.size(); ++end) {
      const double bytes = row_bytes * static_cast<double>(count + batches[end].rows);
      if (count > 0 && bytes > static_cast<double>(memory_bytes_)) break;
      count += batches[end].rows;
    }
    rows.rows.reserve(count);
    rows.numbers.reserve(static_cast<std::size_t>(count));
    const auto scratch = std::make_unique<JoinKeys::Scratch>();
    RunBatch batch(file_columns());
    for (; next < end; ++next) {
      // The table of keys needs memory as well.
      if (2 * rows.bytes() > memory_bytes_ && rows.count > 0) break;
      std::uint64_t at = batches[next].at;
      PRESSO_TRY(batch.read(*batches[next].file, at));
      take_loaded(batch.source(), *scratch, rows);
    }
    slices_.push_back(std::move(rows));
    PRESSO_TRY(make_table());
    return std::move(built_);
  }

  /// Counts the rows of each slot (PartSizes) and estimates how much memory a row takes.
  Result<PartSizes> measure() {
    PRESSO_TRY(prepare());
    counts_parts_ = true;
    prepare_slots();
    std::uint64_t measured = 0, measured_bytes = 0;
    PRESSO_TRY(read([&](SliceRows slice) -> Result<bool> {
      measured_bytes += slice.bytes();
      measured += slice.count;
      add_all(slice.by_hash, sizes_.by_hash);
      add_all(slice.by_word, sizes_.by_word);
      return true;
    }));
    if (measured == 0) return std::move(sizes_);
    const std::uint64_t rows =
        std::accumulate(sizes_.by_hash.begin(), sizes_.by_hash.end(), std::uint64_t{0});
    const double bytes = static_cast<double>(measured_bytes) / static_cast<double>(measured) *
                         static_cast<double>(rows);
    sizes_.row_bytes = bytes_of_row(rows, bytes, ~std::uint64_t{0});
    if (!built_->keys.are_words()) sizes_.row_bytes += kNumberedKeyBytes;
    // A range of words is assumed to get the kind of table that all words get.
    if (!sizes_.by_word.empty()) sizes_.word_row_bytes = bytes_of_row(rows, bytes, word_span_);
    return std::move(sizes_);
  }

 private:
  const Graph& graph() const { return *parent_.query.input; }

  static void add_all(const std::vector<std::uint64_t>& from, std::vector<std::uint64_t>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  }

  /// Estimates the bytes of a row while a part is built, table included, if `rows` rows take
  /// `bytes` bytes and `greatest` is the greatest word minus the least one.
  double bytes_of_row(std::uint64_t rows, double bytes, std::uint64_t greatest) const {
    join::JoinKeyFacts facts;
    facts.rows = facts.keys = rows;
    facts.greatest = greatest;
    join::JoinTablePlan plan;
    plan.strategy = parent_.options.join_strategy;
    const auto table = static_cast<double>(join::JoinTable::predict(plan, facts).needed());
    return part_bytes(static_cast<double>(rows), bytes, table) / static_cast<double>(rows);
  }

  /// Slots are equal ranges of hashes and, if words have the order of a column, of words.
  void prepare_slots() {
    sizes_.by_hash.resize(kPartSlots);
    const auto leading = built_->keys.coder().leading_key();
    if (!leading) return;
    sizes_.by_word.resize(kPartSlots);
    const Node& key = graph().at(stage_.build_keys[leading->key]);
    const auto words_to = [&](Int128 value) {
      return static_cast<std::uint64_t>(value - leading->least) * leading->stride;
    };
    sizes_.first_word = words_to(key.range.least);
    word_span_ = words_to(key.range.most) + (leading->stride - 1) - sizes_.first_word;
    const auto bits = static_cast<unsigned>(std::bit_width(word_span_));
    sizes_.word_bits = bits > kPartSlotBits ? bits - kPartSlotBits : 0;
  }

  /// Plans the scan, with the condition that is true for rows of `part_` if there is one.
  Status prepare() {
    PRESSO_TRY(start_build_scan(scan_));
    scan_.wants_numbers = !part_.is_all();
    auto filter =
        part_filter(scan_, built_->keys, stage_.build_keys, part_, gives_build_rows(stage_.kind));
    if (filter) add_condition(scan_.plan, std::move(*filter));
    prepare_program();
    return {};
  }

  /// Makes the program that computes keys and kept columns; decides whether to place().
  void prepare_program() {
    std::vector<NodeId> nodes = stage_.build_keys;
    for (const std::size_t column : built_->columns) {
      const InputColumn& about = parent_.query.columns[column];
      Graph& mutable_graph = *parent_.query.input;
      nodes.push_back(
          mutable_graph.add(column_node(column, about.schema, about.range, about.nullable)));
      physical_.push_back(graph().at(nodes.back()).physical);
    }
    for (const NodeId id : nodes) result_columns_.push_back(graph().at(id).physical);
    program_ = Program(graph(), nodes);
    can_be_placed_ = source_.scan.conditions.empty() && stage_.build.stages.empty() &&
                     built_->keys.are_words() &&
                     std::all_of(nodes.begin(), nodes.end(), [this](NodeId id) {
                       const Node& node = graph().at(id);
                       return !node.nullable && node.physical != Physical::kString;
                     });
  }

  /// The columns of the temporary file: keys, kept columns, and the row's place among all rows.
  std::vector<Physical> file_columns() const {
    std::vector<Physical> columns = result_columns_;
    columns.push_back(Physical::kInt64);
    return columns;
  }

  /// Allocates all rows at once, so that threads write rows directly to their places.
  Status make_places() {
    std::uint64_t bytes = 8;
    for (const Physical physical : physical_) bytes += physical_bytes(physical);
    if (source_.rows * bytes > memory_bytes_) return too_little_memory(source_.rows * bytes);
    is_placed_ = true;
    words_.extend_unset(static_cast<std::size_t>(source_.rows));
    built_->rows = RowStore(physical_);
    built_->rows.resize_unset(source_.rows);
    return {};
  }

  /// Reads and joins the table, and hands the rows of each slice to `consume`, in order.
  template <class Consume>
  Status read(Consume consume) {
    if (scan_.joins != nullptr) {
      PRESSO_TRY(scan_.joins->prepare(program_));
      if (scan_.joins->is_divided()) return read_divided(consume);
    }
    const std::vector<std::size_t> columns = columns_read(scan_, program_);
    SliceSource source(scan_.tables, columns, *scan_.counters, scan_.options.cancelled);
    std::vector<std::unique_ptr<KeyWorker>> workers(scan_.threads);
    Status done = run_ordered<Slice, SliceRows>(
        {scan_.threads, 0}, [&] { return source.next(); },
        [&](Slice slice, unsigned number) {
          auto& worker = workers[number];
          if (worker == nullptr) worker = std::make_unique<KeyWorker>(scan_, program_);
          SliceRows rows;
          rows.rows = RowStore(file_ != nullptr ? result_columns_ : physical_);
          std::uint64_t matched = 0;
          rows.status =
              run_slice(scan_, program_, worker->worker, slice, matched,
                        [&](const RowBatch& batch) { return take(*worker, batch, rows); });
          return rows;
        },
        [&](SliceRows rows) -> Result<bool> {
          PRESSO_TRY(std::move(rows.status));
          return consume(std::move(rows));
        });
    built_->blocks = source.blocks();
    built_->stored_bytes = source.stored_bytes();
    scan_.condition_counts.assign(scan_.asked().conditions.size(), {});
    for (const auto& worker : workers) {
      if (worker == nullptr) continue;
      worker->worker.filters.add_counts(scan_.condition_counts);
      if (scan_.joins != nullptr) scan_.joins->add_counts(worker->worker.joins->counts());
    }
    built_->condition_counts = scan_.condition_counts;
    if (scan_.joins == nullptr) return done;
    built_->plan = scan_.with_keys;
    if (built_->plan) {
      for (Condition& condition : built_->plan->conditions) condition.filter = {};
    }
    built_->inner = scan_.joins->reports();
    built_->blocks += scan_.joins->blocks();
    built_->stored_bytes += scan_.joins->stored_bytes();
    return done;
  }

  /// Does the work of read() if joins give rows out of order: sorts them by their numbers.
  template <class Consume>
  Status read_divided(Consume consume) {
    OrderingPlan plan;
    plan.columns = file_columns();
    plan.keys = {{result_columns_.size(), false, false}};
    plan.threads = scan_.threads;
    plan.memory_bytes = memory_bytes_ / 2;
    plan.temporary_directory = scan_.options.temporary_directory;
    PRESSO_ASSIGN(const auto ordering, Ordering::make(plan));
    scan_.wants_numbers = true;
    PRESSO_TRY(run_all(scan_, program_, [&](unsigned worker, const RowBatch& batch) {
      std::vector<VectorView> columns = batch.results;
      columns.push_back({Physical::kInt64, batch.numbers.numbers, nullptr});
      return ordering->add(worker, batch.numbers, columns, batch.count);
    }));
    KeyWorker worker(scan_, program_);
    std::vector<VectorView> views(result_columns_.size());
    while (true) {
      PRESSO_ASSIGN(const RowStore sorted, ordering->next());
      if (sorted.rows() == 0) break;
      SliceRows rows;
      rows.rows = RowStore(file_ != nullptr ? result_columns_ : physical_);
      for (std::uint64_t first = 0; first < sorted.rows(); first += kBatchRows) {
        const auto count =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, sorted.rows() - first));
        for (std::size_t i = 0; i < views.size(); ++i) views[i] = sorted.view(i, first);
        const auto* const numbers = sorted.view(views.size(), first).as<std::uint64_t>();
        PRESSO_TRY(take(worker, {count, {0, nullptr, numbers}, views}, rows));
      }
      PRESSO_ASSIGN(const bool more, consume(std::move(rows)));
      if (!more) break;
    }
    built_->inner = scan_.joins->reports();
    return {};
  }

  /// Encodes the keys of a vector of rows, and collects, counts or places the rows.
  Status take(KeyWorker& worker, const RowBatch& batch, SliceRows& rows) {
    const std::size_t keys = stage_.build_keys.size();
    const std::span<const VectorView> results(batch.results);
    const std::uint64_t* const validity =
        built_->keys.encode(results.first(keys), batch.count, worker.scratch);
    if (is_placed_) return place(worker, batch);
    if (file_ != nullptr) return take_for_file(worker, batch, validity, rows);
    // All rows are counted, but only some are kept, to measure their size.
    if (counts_parts_) {
      count_slots(worker, batch, validity, rows);
      if (rows.count >= kMeasuredRows) return {};
    }
    const bool drops = !gives_build_rows(stage_.kind) && validity != nullptr;
    const bool chooses = drops || !part_.is_all();
    const std::uint64_t* const values =
        part_.is_all() ? nullptr : part_values(worker, batch, validity);
    if (chooses && !keeps_all(values, validity, batch.count)) {
      return take_part(worker, batch, values, validity, rows);
    }
    if (chooses && gives_build_rows(stage_.kind)) {
      for (std::uint32_t i = 0; i < batch.count; ++i) rows.numbers.push_back(batch.numbers[i]);
    }
    built_->keys.append_all(worker.scratch, batch.count, rows.keys);
    add_validity(rows, rows.count, validity, batch.count);
    rows.rows.append(results.subspan(keys), batch.count);
    rows.count += batch.count;
    return {};
  }

  Status take_for_file(KeyWorker& worker, const RowBatch& batch, const std::uint64_t* validity,
                       SliceRows& rows) const {
    const std::uint64_t* const hashes = part_values(worker, batch, validity);
    rows.rows.append(batch.results, batch.count);
    rows.count += batch.count;
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const bool kept = is_kept(validity, i);
      rows.parts.push_back(kept ? part_of(hashes[i], file_->parts()) : PartFile::kNoPart);
    }
    return {};
  }

  /// Writes the rows of a slice to the file. `place` counts the rows that were written.
  Status write_slice(const SliceRows& slice, std::uint64_t& place) {
    std::int64_t places[kBatchRows];
    std::vector<VectorView> views(result_columns_.size() + 1);
    for (std::uint64_t first = 0; first < slice.count; first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, slice.count - first));
      for (std::size_t i = 0; i < result_columns_.size(); ++i) views[i] = slice.rows.view(i, first);
      for (std::uint32_t i = 0; i < count; ++i) {
        places[i] = static_cast<std::int64_t>(place);
        if (slice.parts[static_cast<std::size_t>(first) + i] != PartFile::kNoPart) ++place;
      }
      views.back() = {Physical::kInt64, places, nullptr};
      PRESSO_TRY(file_->add(views, slice.parts.data() + first, count));
    }
    return {};
  }

  /// Adds a batch that was read from the file; its keys are encoded again.
  void take_loaded(const RowSource& source, JoinKeys::Scratch& scratch, SliceRows& rows) const {
    const std::size_t keys = stage_.build_keys.size();
    std::vector<VectorView> views(source.columns.size());
    for (std::uint32_t first = 0; first < source.rows; first += kBatchRows) {
      const std::uint32_t count = std::min(kBatchRows, source.rows - first);
      for (std::size_t i = 0; i < views.size(); ++i) views[i] = view_from(source.columns[i], first);
      const std::span<const VectorView> all(views);
      const std::uint64_t* const validity = built_->keys.encode(all.first(keys), count, scratch);
      built_->keys.append_all(scratch, count, rows.keys);
      add_validity(rows, rows.count, validity, count);
      rows.rows.append(all.subspan(keys, physical_.size()), count);
      const auto* const places = views.back().as<std::uint64_t>();
      rows.numbers.insert(rows.numbers.end(), places, places + count);
      rows.count += count;
    }
  }

  /// Writes rows to their places, which are their numbers, as no row is left out.
  Status place(KeyWorker& worker, const RowBatch& batch) {
    const auto first = static_cast<std::size_t>(batch.numbers[0]);
    std::memcpy(words_.data() + first, worker.scratch.codes.words.data(), 8 * batch.count);
    for (std::size_t i = 0; i < physical_.size(); ++i) {
      const std::size_t width = physical_bytes(physical_[i]);
      std::memcpy(built_->rows.values(i) + first * width,
                  batch.results[stage_.build_keys.size() + i].values, batch.count * width);
    }
    return {};
  }

  /// Returns what decides which part a row belongs to: its word or hash. Rows without a key find no
  /// partner in any part; they are spread over all parts of hashes by their numbers.
  const std::uint64_t* part_values(KeyWorker& worker, const RowBatch& batch,
                                   const std::uint64_t* validity) const {
    const std::uint64_t* const values =
        built_->keys.part_values(part_, batch.count, worker.scratch);
    if (part_.by_word || validity == nullptr) return values;
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      if (has_bit(validity, i)) continue;
      worker.scratch.hashes[i] = hash_word(batch.numbers[i]);
    }
    return values;
  }

  bool is_in_part(const std::uint64_t* values, const std::uint64_t* validity,
                  std::uint32_t i) const {
    return part_.has(values[i], !part_.by_word || has_bit(validity, i));
  }

  bool is_kept(const std::uint64_t* validity, std::uint32_t i) const {
    return has_bit(validity, i) || gives_build_rows(stage_.kind);
  }

  void count_slots(KeyWorker& worker, const RowBatch& batch, const std::uint64_t* validity,
                   SliceRows& rows) const {
    const std::uint64_t* const hashes = part_values(worker, batch, validity);
    rows.by_hash.resize(sizes_.by_hash.size());
    rows.by_word.resize(sizes_.by_word.size());
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      if (!is_kept(validity, i)) continue;
      ++rows.by_hash[hashes[i] >> (64 - kPartSlotBits)];
      if (rows.by_word.empty()) continue;
      const bool has_key = has_bit(validity, i);
      ++rows.by_word[has_key ? slot_of_word(sizes_, worker.scratch.codes.words[i]) : 0];
    }
  }

  static void add_validity(SliceRows& rows, std::uint64_t before, const std::uint64_t* validity,
                           std::uint32_t count) {
    if (validity == nullptr && rows.validity.empty()) return;
    rows.validity.resize(static_cast<std::size_t>((before + count + 63) / 64), ~std::uint64_t{0});
    if (validity == nullptr) return;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (has_bit(validity, i)) continue;
      const auto row = static_cast<std::size_t>(before + i);
      rows.validity[row / 64] &= ~(std::uint64_t{1} << (row % 64));
    }
  }

  /// Whether all rows are kept, as is usual. `values`: part_values(), nullptr for one part.
  bool keeps_all(const std::uint64_t* values, const std::uint64_t* validity,
                 std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!is_kept(validity, i)) return false;
      if (values != nullptr && !is_in_part(values, validity, i)) return false;
    }
    return true;
  }

  /// Adds the rows of the part; those without a key only if they may come out alone.
  Status take_part(KeyWorker& worker, const RowBatch& batch, const std::uint64_t* values,
                   const std::uint64_t* validity, SliceRows& rows) const {
    RowStore all(physical_);
    all.append(std::span<const VectorView>(batch.results).subspan(stage_.build_keys.size()),
               batch.count);
    std::vector<std::uint64_t> chosen;
    std::uint64_t kept_validity[kBatchWords] = {};
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const bool has_key = has_bit(validity, i);
      if (!is_kept(validity, i)) continue;
      if (values != nullptr && !is_in_part(values, validity, i)) continue;
      const std::size_t place = chosen.size();
      kept_validity[place / 64] |= std::uint64_t{has_key} << (place % 64);
      chosen.push_back(i);
      built_->keys.append(worker.scratch, i, rows.keys);
      if (gives_build_rows(stage_.kind)) rows.numbers.push_back(batch.numbers[i]);
    }
    const auto count = static_cast<std::uint32_t>(chosen.size());
    add_validity(rows, rows.count, kept_validity, count);
    rows.count += count;
    const RowStore kept = all.picked(chosen);
    std::vector<VectorView> views;
    for (std::size_t i = 0; i < physical_.size(); ++i) views.push_back(kept.view(i, 0));
    rows.rows.append(views, count);
    return {};
  }

  /// JoinRun divides the build side when it gets this error.
  Error too_little_memory(std::uint64_t needed) const {
    return make_error(ErrorCode::kOutOfMemory, "the rows of " + source_.name + " take more than " +
                                                   grouped(needed) + " bytes");
  }

  /// Puts the rows of all slices together in their order.
  Status gather() {
    std::uint64_t rows = 0;
    bool all_valid = true;
    std::vector<RowStore> stores;
    for (SliceRows& slice : slices_) {
      rows += slice.count;
      all_valid = all_valid && slice.validity.empty();
      built_->numbers.insert(built_->numbers.end(), slice.numbers.begin(), slice.numbers.end());
      stores.push_back(std::move(slice.rows));
    }
    if (!all_valid) gather_validity(rows);
    built_->rows = stores.size() == 1
                       ? std::move(stores[0])
                       : RowStore::concatenated(physical_, std::move(stores), parent_.threads);
    built_->rows_kept = rows;
    if (!built_->keys.are_words()) return number_keys();
    words_.extend_unset(static_cast<std::size_t>(rows));
    return gather_words();
  }

  /// Joins the slices' bitmaps, whose rows need not end at a word.
  void gather_validity(std::uint64_t rows) {
    validity_.resize(static_cast<std::size_t>((rows + 63) / 64), 0);
    std::size_t row = 0;
    for (const SliceRows& slice : slices_) {
      const std::uint64_t* const bits = slice.validity.empty() ? nullptr : slice.validity.data();
      for (std::size_t i = 0; i < slice.count; ++i, ++row) {
        validity_[row / 64] |= std::uint64_t{has_bit(bits, i)} << (row % 64);
      }
    }
  }

  /// Copies the words of all slices to their places, on all threads.
  Status gather_words() {
    std::vector<std::size_t> first;
    std::size_t row = 0;
    for (const SliceRows& slice : slices_) {
      first.push_back(row);
      row += slice.keys.words.size();
    }
    return for_each_in_parallel(slices_.size(), parent_.threads,
                                [&](std::size_t i, unsigned) -> Status {
                                  const std::vector<std::uint64_t>& words = slices_[i].keys.words;
                                  std::copy(words.begin(), words.end(), words_.data() + first[i]);
                                  slices_[i].keys = {};
                                  return {};
                                });
  }

  /// Numbers keys that are no words; the numbers are their words from then on.
  Status number_keys() {
    KeyColumn keys;
    const auto rows = static_cast<std::size_t>(built_->rows_kept);
    if (slices_.size() > 1) keys.reserve(built_->keys.coder().form(), rows);
    for (SliceRows& slice : slices_) keys.append(std::move(slice.keys));
    const std::uint64_t held = keys.bytes();
    const bool wants_numbers = !is_decided_by_scan();
    if (wants_numbers) words_.extend_unset(rows);
    return built_->keys.number(std::move(keys), valid(), parent_.threads, memory_left(held),
                               wants_numbers ? words_.data() : nullptr);
  }

  const std::uint64_t* valid() const { return validity_.empty() ? nullptr : validity_.data(); }
  std::uint64_t memory_left(std::uint64_t more) const {
    const std::uint64_t held = built_->rows.bytes() + built_->keys.bytes() + words_.bytes() + more;
    return memory_bytes_ > held ? memory_bytes_ - held : 0;
  }

  /// Builds the table of keys and the filter for the scan, as far as the stage needs them.
  Status make_table() {
    if (is_placed_) {
      built_->rows_kept = words_.size();
    } else {
      PRESSO_TRY(gather());
    }
    slices_.clear();
    built_->is_worth_asking =
        !is_loaded_ && query::is_worth_asking(parent_.query, *parent_.tree, stage_,
                                              static_cast<double>(built_->rows_kept));
    const bool decided = is_decided_by_scan();
    if (decided && !built_->keys.are_words()) return {};
    if (decided || (part_.is_all() && may_only_choose(parent_, *built_))) {
      make_filter();
      const join::KeyFilter* const filter = built_->filter.get();
      if (filter != nullptr && (decided ? filter->exact() : filter->unique())) return {};
    }
    PRESSO_TRY(make_join_table());
    if (built_->filter == nullptr && built_->is_worth_asking && built_->keys.are_words()) {
      make_filter();
    }
    if (marks_rows()) {
      built_->matched = std::make_unique<std::atomic<std::uint64_t>[]>((words_.size() + 63) / 64);
    }
    return {};
  }

  /// Makes the filter of keys if memory allows.
  void make_filter() {
    const std::uint64_t held = built_->table == nullptr ? 0 : built_->table->bytes();
    auto filter = join::KeyFilter::build({{words_.data(), words_.size()}, valid()}, parent_.threads,
                                         memory_left(held));
    if (filter.ok()) built_->filter = std::make_unique<join::KeyFilter>(std::move(*filter));
  }

  /// Whether the scan can do all the work of the stage.
  bool is_decided_by_scan() const {
    return !is_loaded_ && query::is_decided_by_scan(parent_, stage_, part_.is_all());
  }

  Status make_join_table() {
    join::JoinTablePlan plan;
    plan.strategy = parent_.options.join_strategy;
    plan.threads = parent_.threads;
    plan.memory_bytes = memory_left(0);
    plan.probes_ascend = [this] {
      return !is_loaded_ && keys_ascend(parent_, parent_.tree->root, stage_.probe_keys);
    };
    PRESSO_ASSIGN(built_->table,
                  join::JoinTable::build(plan, {{words_.data(), words_.size()}, valid()}));
    return {};
  }

  bool marks_rows() const { return gives_build_rows(stage_.kind); }

  const Execution& parent_;
  const BoundStage& stage_;
  const BoundSource& source_;
  const JoinPart part_;
  const std::uint64_t memory_bytes_;
  Execution scan_;
  std::unique_ptr<BuiltStage> built_;
  std::vector<Physical> physical_;        ///< forms of the columns that are kept
  std::vector<Physical> result_columns_;  ///< forms of the keys, then of the kept columns
  PartFile* file_ = nullptr;              ///< write(): where rows go
  Program program_;
  std::uint64_t word_span_ = 0;  ///< the greatest word minus the least one
  bool can_be_placed_ = false;   ///< whether rows can go directly to their places
  bool is_placed_ = false;       ///< whether they do
  bool is_loaded_ = false;       ///< whether rows come from a file: load()
  bool counts_parts_ = false;    ///< measure()
  PartSizes sizes_;
  grouping::Column<std::uint64_t> words_;  ///< keys; threads write to places of their own
  std::vector<std::uint64_t> validity_;    ///< empty: all have a key
  std::vector<SliceRows> slices_;
  std::uint64_t collected_bytes_ = 0;
};

}  // namespace

std::uint64_t KeyColumn::bytes() const {
  std::uint64_t bytes =
      words.capacity() * sizeof(std::uint64_t) + pairs.capacity() * sizeof(grouping::WordPair) +
      strings.capacity() * sizeof(StringRef) + hashes.capacity() * sizeof(std::uint64_t);
  for (const auto& arena : arenas) bytes += arena->bytes();
  return bytes;
}

void KeyColumn::reserve(grouping::KeyCoder::Form form, std::size_t rows) {
  if (form == grouping::KeyCoder::Form::kPair) {
    pairs.reserve(rows);
  } else {
    strings.reserve(rows);
    hashes.reserve(rows);
  }
}

void KeyColumn::append(KeyColumn other) {
  words.insert(words.end(), other.words.begin(), other.words.end());
  pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
  strings.insert(strings.end(), other.strings.begin(), other.strings.end());
  hashes.insert(hashes.end(), other.hashes.begin(), other.hashes.end());
  for (auto& arena : other.arenas) arenas.push_back(std::move(arena));
}

JoinKeys::JoinKeys(const Graph& graph, const BoundStage& stage)
    : JoinKeys(key_specs(graph, stage)) {}

JoinKeys::JoinKeys(const std::vector<KeySpec>& specs)
    : coder_(specs),
      is_string_(specs.size() == 1 && specs[0].physical == Physical::kString),
      base_(specs[0].least <= specs[0].most ? specs[0].least : 0) {}

std::vector<std::uint64_t> JoinKeys::string_hashes(std::uint64_t most) const {
  std::vector<std::uint64_t> hashes;
  if (!is_string_ || string_numbers_ == nullptr || string_numbers_->size() > most) return hashes;
  string_numbers_->for_each(
      [&](const StringRef& key) { hashes.push_back(hash_bytes(key.bytes())); });
  return hashes;
}

std::uint64_t JoinKeys::different() const {
  return (pair_numbers_ == nullptr ? 0 : pair_numbers_->size()) +
         (string_numbers_ == nullptr ? 0 : string_numbers_->size());
}

const std::uint64_t* JoinKeys::encode(std::span<const VectorView> keys, std::uint32_t count,
                                      Scratch& scratch) const {
  if (is_string_) {
    std::copy_n(keys[0].as<StringRef>(), count, scratch.codes.strings.data());
  } else {
    coder_.encode(keys, count, scratch.codes);
  }
  const std::uint64_t* validity = nullptr;
  for (const VectorView& key : keys) {
    if (key.validity == nullptr) continue;
    const std::uint32_t words = (count + 63) / 64;  // bitmaps of few rows have no more
    for (std::uint32_t word = 0; word < words; ++word) {
      const std::uint64_t before = validity == nullptr ? ~std::uint64_t{0} : scratch.validity[word];
      scratch.validity[word] = before & key.validity[word];
    }
    std::fill(scratch.validity + words, scratch.validity + kBatchWords, std::uint64_t{0});
    validity = scratch.validity;
  }
  return validity;
}

void JoinKeys::hash(std::uint32_t count, Scratch& scratch) const {
  using Form = grouping::KeyCoder::Form;
  for (std::uint32_t i = 0; i < count; ++i) {
    scratch.hashes[i] = coder_.form() == Form::kWord ? hash_word(scratch.codes.words[i])
                        : coder_.form() == Form::kPair
                            ? grouping::hash_key(scratch.codes.pairs[i])
                            : grouping::hash_key(scratch.codes.strings[i]);
  }
}

const std::uint64_t* JoinKeys::part_values(const JoinPart& part, std::uint32_t count,
                                           Scratch& scratch) const {
  if (part.by_word) return scratch.codes.words.data();
  hash(count, scratch);
  return scratch.hashes;
}

void JoinKeys::append(const Scratch& scratch, std::uint32_t row, KeyColumn& to) const {
  using Form = grouping::KeyCoder::Form;
  if (coder_.form() == Form::kWord) {
    to.words.push_back(scratch.codes.words[row]);
  } else if (coder_.form() == Form::kPair) {
    to.pairs.push_back(scratch.codes.pairs[row]);
  } else {
    if (to.arenas.empty()) to.arenas.push_back(std::make_unique<StringArena>());
    to.strings.push_back(to.arenas.back()->add(scratch.codes.strings[row].bytes()));
    to.hashes.push_back(hash_bytes(scratch.codes.strings[row].bytes()));
  }
}

void JoinKeys::append_all(const Scratch& scratch, std::uint32_t count, KeyColumn& to) const {
  if (are_words()) {
    const std::uint64_t* const words = scratch.codes.words.data();
    to.words.insert(to.words.end(), words, words + count);
  } else {
    for (std::uint32_t i = 0; i < count; ++i) append(scratch, i, to);
  }
}

Status JoinKeys::number(KeyColumn keys, const std::uint64_t* validity, unsigned threads,
                        std::uint64_t memory_bytes, std::uint64_t* words) {
  if (coder_.form() == grouping::KeyCoder::Form::kPair) {
    PRESSO_ASSIGN(pair_numbers_, join::KeyNumbers<grouping::WordPair>::build(
                                     keys.pairs, validity, threads, memory_bytes, words));
    return {};
  }
  join::KeyNumbers<StringRef>::Rows rows{keys.strings, validity, keys.hashes.data(), nullptr, 0};
  for (const auto& arena : keys.arenas) rows.bytes_size += arena->bytes();
  rows.bytes =
      std::make_shared<const std::vector<std::unique_ptr<StringArena>>>(std::move(keys.arenas));
  PRESSO_ASSIGN(string_numbers_,
                join::KeyNumbers<StringRef>::build(rows, threads, memory_bytes, words));
  return {};
}

const std::uint64_t* JoinKeys::words(std::uint32_t count, const std::uint64_t* validity,
                                     Scratch& scratch) const {
  std::uint64_t* const words = scratch.codes.words.data();
  if (pair_numbers_ != nullptr) {
    pair_numbers_->find(scratch.codes.pairs.data(), count, validity, words, scratch.known);
    return scratch.known;
  }
  if (string_numbers_ != nullptr) {
    string_numbers_->find(scratch.codes.strings.data(), count, validity, words, scratch.known);
    return scratch.known;
  }
  return validity;
}

const std::uint64_t* JoinKeys::words_of_entries(std::uint32_t count, Scratch& scratch) const {
  constexpr std::uint64_t kFewKeys = 10'000;  // their table stays in the cache itself
  if (string_numbers_ == nullptr || string_numbers_->size() <= kFewKeys) {
    return words(count, nullptr, scratch);
  }
  known_entries_->find(*string_numbers_, scratch.codes.strings.data(), scratch.hashes, count,
                       scratch.codes.words.data(), scratch.known);
  return scratch.known;
}

std::uint64_t JoinKeys::bytes() const {
  return (pair_numbers_ == nullptr ? 0 : pair_numbers_->bytes()) +
         (string_numbers_ == nullptr ? 0 : string_numbers_->bytes());
}

std::uint64_t BuiltStage::bytes() const {
  return rows.bytes() + keys.bytes() + (table == nullptr ? 0 : table->bytes()) +
         (filter == nullptr ? 0 : filter->bytes()) +
         (matched == nullptr ? 0 : (rows.rows() + 63) / 64 * 8);
}

Result<std::unique_ptr<PartFile>> write_stage(const Execution& execution, const BoundStage& stage,
                                              std::vector<std::size_t> columns, std::uint32_t parts,
                                              std::uint64_t memory_bytes) {
  return StageBuilder(execution, stage, std::move(columns), JoinPart(), memory_bytes).write(parts);
}

Result<std::unique_ptr<BuiltStage>> load_stage(const Execution& execution, const BoundStage& stage,
                                               std::vector<std::size_t> columns,
                                               std::span<const PartFile::Batch> batches,
                                               std::size_t& next, double row_bytes,
                                               std::uint64_t memory_bytes) {
  return StageBuilder(execution, stage, std::move(columns), JoinPart(), memory_bytes)
      .load(batches, next, row_bytes);
}

std::optional<Filter> part_filter(const Execution& scanned, const JoinKeys& keys,
                                  const std::vector<NodeId>& nodes, const JoinPart& part,
                                  bool nulls) {
  const auto leading = keys.coder().leading_key();
  if (!part.by_word || part.is_all() || !leading) return std::nullopt;
  const auto value = [&](std::uint64_t word) {
    return Int128{leading->least} + static_cast<Int128>(word / leading->stride);
  };
  auto filter =
      range_filter(*scanned.query.input, nodes[leading->key], value(part.first), value(part.last));
  if (!filter || filter->column < scanned.first_column) return std::nullopt;
  const bool one_null = nodes.size() > 1 && std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
                          return scanned.query.input->at(id).nullable;
                        });
  if (nulls && one_null) return std::nullopt;  // rows with a null are all of the first part
  filter->column -= scanned.first_column;
  if (filter->column >= scanned.scan.columns.size()) return std::nullopt;
  if (!nulls || !part.has_nulls()) return filter;
  Filter null;
  null.kind = Filter::Kind::kNull;
  null.column = filter->column;
  Filter either;
  either.kind = Filter::Kind::kOr;
  either.parts = {std::move(*filter), std::move(null)};
  return either;
}

Result<std::unique_ptr<BuiltStage>> build_stage(const Execution& execution, const BoundStage& stage,
                                                std::vector<std::size_t> columns, JoinPart part,
                                                std::uint64_t memory_bytes) {
  return StageBuilder(execution, stage, std::move(columns), part, memory_bytes).build();
}

Result<PartSizes> measure_parts(const Execution& execution, const BoundStage& stage,
                                const std::vector<std::size_t>& columns,
                                std::uint64_t memory_bytes) {
  return StageBuilder(execution, stage, columns, {}, memory_bytes).measure();
}

}  // namespace presso::query
