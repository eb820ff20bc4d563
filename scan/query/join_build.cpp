// SPDX-License-Identifier: MIT
#include "scan/query/join_build.h"

#include <algorithm>

#include "presso/ordered_pipeline.h"
#include "scan/query/make_plan.h"

namespace presso::query {
namespace {

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

/// Rows of a slice on their way to the build side.
struct SliceRows {
  Status status;
  RowStore rows;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> validity;  ///< empty: all have a key
  std::vector<std::uint64_t> numbers;   ///< of rows of a part of the keys
  std::uint64_t bytes() const {
    return rows.bytes() + 8 * (keys.capacity() + validity.capacity() + numbers.capacity());
  }
};

/// One thread's.
struct KeyWorker {
  KeyWorker(const Execution& execution, const Program& program) : worker(execution, program) {}
  Worker worker;
  JoinKeys::Scratch scratch;
};

class StageBuilder {
 public:
  StageBuilder(const Execution& parent, const BoundStage& stage, std::vector<std::size_t> columns,
               JoinPart part, std::uint64_t memory_bytes)
      : parent_(parent),
        stage_(stage),
        source_(parent.query.joins->sources[stage.source]),
        part_(part),
        memory_bytes_(memory_bytes),
        scan_((*parent.sources)[stage.source], source_.scan),
        built_(std::make_unique<BuiltStage>(stage, *parent.query.input)) {
    built_->columns = std::move(columns);
  }

  Result<std::unique_ptr<BuiltStage>> build() {
    PRESSO_TRY(prepare());
    PRESSO_TRY(read([&](SliceRows rows) -> Result<bool> {
      collected_bytes_ += rows.bytes();
      if (collected_bytes_ > memory_bytes_) return too_little_memory(collected_bytes_);
      if (!rows.keys.empty()) slices_.push_back(std::move(rows));
      return true;
    }));
    PRESSO_TRY(make_table());
    return std::move(built_);
  }

  /// Counts the rows of each part, and how much a row takes.
  Result<PartSizes> measure() {
    PRESSO_TRY(prepare());
    PartSizes sizes;
    sizes.rows.resize(kKeyParts);
    std::uint64_t rows = 0, bytes = 0;
    PRESSO_TRY(read([&](SliceRows slice) -> Result<bool> {
      bytes += slice.bytes();
      for (std::size_t i = 0; i < slice.keys.size(); ++i) {
        const bool has_key =
            slice.validity.empty() || (slice.validity[i / 64] >> (i % 64) & 1) != 0;
        ++sizes.rows[has_key ? part_of(hash_word(slice.keys[i]), kKeyParts) : 0];
      }
      rows += slice.keys.size();
      return true;
    }));
    join::JoinKeyFacts facts;
    facts.rows = facts.keys = rows;
    join::JoinTablePlan plan;
    plan.strategy = parent_.options.join_strategy;
    facts.greatest = ~std::uint64_t{0};
    const std::uint64_t needed = rows == 0 ? 0 : join::JoinTable::predict(plan, facts).needed();
    sizes.row_bytes = rows == 0 ? 0
                                : 2 * static_cast<double>(bytes) / static_cast<double>(rows) +
                                      static_cast<double>(needed) / static_cast<double>(rows) + 8;
    return sizes;
  }

 private:
  const Graph& graph() const { return *parent_.query.input; }

  Status prepare() {
    scan_.options = parent_.options;
    scan_.options.plan = {};
    scan_.threads = parent_.threads;
    scan_.counters = parent_.counters;
    scan_.first_column = source_.first_column;
    PRESSO_ASSIGN(scan_.plan, make_filter_plan(scan_.tables, source_.scan, scan_.options));
    std::vector<NodeId> nodes = stage_.build_keys;
    for (const std::size_t column : built_->columns) {
      const InputColumn& about = parent_.query.columns[column];
      Graph& mutable_graph = *parent_.query.input;
      nodes.push_back(
          mutable_graph.add(column_node(column, about.schema, about.range, about.nullable)));
      physical_.push_back(graph().at(nodes.back()).physical);
    }
    program_ = Program(graph(), nodes);
    return {};
  }

  /// Hands on the rows of each slice, in order.
  template <class Consume>
  Status read(Consume consume) {
    const std::vector<std::size_t> columns = columns_read(scan_, program_);
    SliceSource source(scan_.tables, columns, *scan_.counters, scan_.options.cancelled);
    std::vector<std::unique_ptr<KeyWorker>> workers(scan_.threads);
    return run_ordered<Slice, SliceRows>(
        {scan_.threads, 0}, [&] { return source.next(); },
        [&](Slice slice, unsigned number) {
          auto& worker = workers[number];
          if (worker == nullptr) worker = std::make_unique<KeyWorker>(scan_, program_);
          SliceRows rows;
          rows.rows = RowStore(physical_);
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
  }

  Status take(KeyWorker& worker, const RowBatch& batch, SliceRows& rows) const {
    const std::size_t keys = stage_.build_keys.size();
    const std::span<const VectorView> results(batch.results);
    const std::uint64_t* const validity =
        built_->keys.encode(results.first(keys), batch.count, worker.scratch);
    if (!part_.is_all()) return take_part(worker, batch, validity, rows);
    const std::size_t before = rows.keys.size();
    const std::uint64_t* const words = worker.scratch.codes.words.data();
    rows.keys.insert(rows.keys.end(), words, words + batch.count);
    add_validity(rows, before, validity, batch.count);
    rows.rows.append(results.subspan(keys), batch.count);
    return {};
  }

  static void add_validity(SliceRows& rows, std::size_t before, const std::uint64_t* validity,
                           std::uint32_t count) {
    if (validity == nullptr && rows.validity.empty()) return;
    rows.validity.resize((before + count + 63) / 64, ~std::uint64_t{0});
    if (validity == nullptr) return;
    for (std::uint32_t i = 0; i < count; ++i) {
      if ((validity[i / 64] >> (i % 64) & 1) != 0) continue;
      const std::size_t row = before + i;
      rows.validity[row / 64] &= ~(std::uint64_t{1} << (row % 64));
    }
  }

  /// Only the rows of a part.
  Status take_part(KeyWorker& worker, const RowBatch& batch, const std::uint64_t* validity,
                   SliceRows& rows) const {
    RowStore all(physical_);
    all.append(std::span<const VectorView>(batch.results).subspan(stage_.build_keys.size()),
               batch.count);
    std::vector<std::uint64_t> chosen;
    std::uint64_t kept_validity[kBatchWords] = {};
    const std::size_t before = rows.keys.size();
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const std::uint64_t word = worker.scratch.codes.words[i];
      const bool has_key = validity == nullptr || (validity[i / 64] >> (i % 64) & 1) != 0;
      if (!part_.has(word, has_key)) continue;
      const std::size_t place = chosen.size();
      kept_validity[place / 64] |= std::uint64_t{has_key} << (place % 64);
      chosen.push_back(i);
      rows.keys.push_back(word);
      rows.numbers.push_back(batch.numbers[i]);
    }
    const auto count = static_cast<std::uint32_t>(chosen.size());
    add_validity(rows, before, kept_validity, count);
    const RowStore kept = all.picked(chosen);
    std::vector<VectorView> views;
    for (std::size_t i = 0; i < physical_.size(); ++i) views.push_back(kept.view(i, 0));
    rows.rows.append(views, count);
    return {};
  }

  Error too_little_memory(std::uint64_t needed) const {
    return make_error(ErrorCode::kOutOfMemory, "the rows of " + source_.name + " take more than " +
                                                   grouped(needed) + " bytes");
  }

  /// Puts the slices' rows together and makes the table.
  Status make_table() {
    std::vector<std::uint64_t> keys, validity;
    std::uint64_t rows = 0;
    bool all_valid = true;
    for (const SliceRows& slice : slices_) {
      rows += slice.keys.size();
      all_valid = all_valid && slice.validity.empty();
    }
    keys.reserve(static_cast<std::size_t>(rows));
    if (!all_valid) validity.resize(static_cast<std::size_t>((rows + 63) / 64), 0);
    std::vector<RowStore> stores;
    for (SliceRows& slice : slices_) {
      for (std::size_t i = 0; !all_valid && i < slice.keys.size(); ++i) {
        const bool has_key =
            slice.validity.empty() || (slice.validity[i / 64] >> (i % 64) & 1) != 0;
        const std::size_t row = keys.size() + i;
        validity[row / 64] |= std::uint64_t{has_key} << (row % 64);
      }
      keys.insert(keys.end(), slice.keys.begin(), slice.keys.end());
      built_->numbers.insert(built_->numbers.end(), slice.numbers.begin(), slice.numbers.end());
      stores.push_back(std::move(slice.rows));
    }
    slices_.clear();
    built_->rows = RowStore::concatenated(physical_, std::move(stores), parent_.threads);
    join::JoinTablePlan plan;
    plan.strategy = parent_.options.join_strategy;
    plan.threads = parent_.threads;
    const std::uint64_t held = built_->rows.bytes() + 8 * keys.capacity();
    plan.memory_bytes = memory_bytes_ > held ? memory_bytes_ - held : 0;
    PRESSO_ASSIGN(built_->table,
                  join::JoinTable::build(plan, {keys, all_valid ? nullptr : validity.data()}));
    if (marks_rows()) {
      built_->matched = std::make_unique<std::atomic<std::uint64_t>[]>(
          static_cast<std::size_t>((rows + 63) / 64));
    }
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
  std::vector<Physical> physical_;
  Program program_;
  std::vector<SliceRows> slices_;
  std::uint64_t collected_bytes_ = 0;
};

}  // namespace

JoinKeys::JoinKeys(const Graph& graph, const BoundStage& stage) : coder_(key_specs(graph, stage)) {}

const std::uint64_t* JoinKeys::encode(std::span<const VectorView> keys, std::uint32_t count,
                                      Scratch& scratch) const {
  coder_.encode(keys, count, scratch.codes);
  const std::uint64_t* validity = nullptr;
  for (const VectorView& key : keys) {
    if (key.validity == nullptr) continue;
    for (std::uint32_t word = 0; word < kBatchWords; ++word) {
      const std::uint64_t before = validity == nullptr ? ~std::uint64_t{0} : scratch.validity[word];
      scratch.validity[word] = before & key.validity[word];
    }
    validity = scratch.validity;
  }
  return validity;
}

std::uint64_t BuiltStage::bytes() const {
  return rows.bytes() + (table == nullptr ? 0 : table->bytes()) +
         (matched == nullptr ? 0 : (rows.rows() + 63) / 64 * 8);
}

Result<std::unique_ptr<BuiltStage>> build_stage(const Execution& execution, const BoundStage& stage,
                                                std::vector<std::size_t> columns, JoinPart part,
                                                std::uint64_t memory_bytes) {
  return StageBuilder(execution, stage, std::move(columns), part, memory_bytes).build();
}

Result<PartSizes> measure_parts(const Execution& execution, const BoundStage& stage,
                                const std::vector<std::size_t>& columns) {
  return StageBuilder(execution, stage, columns, {}, 0).measure();
}

}  // namespace presso::query
