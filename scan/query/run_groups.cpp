// SPDX-License-Identifier: MIT
// Groups: keys and arguments of the rows that are left go to a Grouping; what comes out of it goes
// through --having and the expressions of the answer, and may be sorted. Where memory does not
// suffice for all groups, the tables are read again for each part of the keys: they are compressed
// and can be read at any place, so that up to kMostPasses this is cheaper than writing rows to disk
// and reading them. Beyond that keys and arguments go to a temporary file, sorted by parts, and
// each part is grouped as it is read back. What comes out of the parts is put in order likewise.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "scan/query/execution.h"
#include "scan/query/join_run.h"
#include "scan/query/key_codes.h"
#include "scan/query/memory_forecast.h"
#include "scan/values/hash.h"

namespace presso::query {
namespace {

class GroupRun {
 public:
  GroupRun(Execution& execution, ResultSink& sink) : execution_(execution), sink_(sink) {}

  Status run() {
    execution_.wants_numbers = !query().keys.empty();
    PRESSO_TRY(find_key_codes());
    make_program();
    PRESSO_TRY(make_plan());
    // What build sides need more parts of the groups' keys do not lessen.
    if (execution_.joins != nullptr) PRESSO_TRY(execution_.joins->prepare(program_));
    for (std::uint32_t parts = 1;;) {
      plan_.parts = parts;
      const Status done = parts == 1             ? run_in_memory()
                          : parts <= kMostPasses ? run_in_parts()
                                                 : run_by_spilling();
      const bool memory_short = !done.ok() && done.error().code == ErrorCode::kOutOfMemory;
      if (!memory_short) return done;
      if (parts >= kMostParts) {
        return make_error(ErrorCode::kOutOfMemory,
                          "the groups of one part in " + std::to_string(parts) +
                              " do not fit into memory; --memory permits more");
      }
      PRESSO_ASSIGN(parts, more_parts(parts));
    }
  }

 private:
  const BoundQuery& query() const { return execution_.query; }

  /// After the first try it is known which share of the rows has filled the memory. There are fewer
  /// parts where keys recur later, which the forecast knows.
  Result<std::uint32_t> more_parts(std::uint32_t parts) const {
    if (parts > 1) return std::min(parts * 4, kMostParts);
    const double seen = static_cast<double>(std::max<std::uint64_t>(execution_.rows_seen, 1));
    const std::uint32_t by_rows = parts_for(static_cast<double>(rows_in()) / seen);
    const double matching = static_cast<double>(rows_in()) * execution_.plan.selectivity;
    PRESSO_ASSIGN(const MemoryForecast forecast, forecast_memory(execution_, matching));
    const bool foreseen = forecast.groups && forecast.groups->parts > 1;
    return foreseen ? std::min(by_rows, forecast.groups->parts) : by_rows;
  }

  Status find_key_codes() {
    for (const NodeId key : query().keys) {
      codes_.emplace_back();
      if (execution_.joins != nullptr || !query().input->is_column(key)) continue;
      if (query().input->at(key).physical != Physical::kString) continue;
      const std::uint64_t most = execution_.memory_bytes / 4 / query().keys.size();
      PRESSO_ASSIGN(codes_.back(),
                    KeyCodes::make(execution_.tables, query().input->at(key).column, most));
      if (codes_.back() != nullptr) code_bytes_ += codes_.back()->bytes();
    }
    return {};
  }

  /// What key codes leave of it.
  std::uint64_t memory_bytes() const { return execution_.memory_bytes - code_bytes_; }

  void make_program() {
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < query().keys.size(); ++i) {
      if (codes_[i] == nullptr) nodes.push_back(query().keys[i]);
    }
    for (const AggregateCall& call : query().aggregates) {
      if (call.argument) nodes.push_back(*call.argument);
    }
    program_ = Program(*query().input, nodes);
    for (const auto& codes : codes_) {
      if (codes != nullptr) execution_.extra_columns.insert(codes->column());
    }
  }

  Status make_plan() {
    plan_.rows = rows_in();
    plan_.threads = execution_.threads;
    plan_.memory_bytes = memory_bytes();
    plan_.strategy = execution_.options.group_strategy;
    for (std::size_t i = 0; i < query().keys.size(); ++i) plan_.keys.push_back(key_spec(i));
    std::vector<NodeId> unbounded;
    for (const AggregateCall& call : query().aggregates) {
      plan_.aggregates.push_back(aggregate_spec(call, unbounded));
    }
    return unbounded.empty() ? Status{} : find_bounds(unbounded);
  }

  std::uint64_t rows_in() const { return execution_.summary.rows_in; }

  KeySpec key_spec(std::size_t i) const {
    KeySpec spec;
    const Node& node = query().input->at(query().keys[i]);
    spec.physical = node.physical;
    spec.nullable = node.nullable;
    if (codes_[i] != nullptr) {
      spec.physical = Physical::kInt64;
      spec.most = std::max<std::int64_t>(codes_[i]->count(), 1) - 1;
    } else if (node.physical == Physical::kInt64 && fits_int64(node.range)) {
      spec.least = static_cast<std::int64_t>(node.range.least);
      spec.most = static_cast<std::int64_t>(node.range.most);
    }
    return spec;
  }

  AggregateSpec aggregate_spec(const AggregateCall& call, std::vector<NodeId>& unbounded) const {
    AggregateSpec spec;
    spec.kind = call.kind;
    if (!call.argument) return spec;
    const Node& node = query().input->at(*call.argument);
    spec.argument = node.physical;
    if (node.family == Family::kDecimal) spec.scale = node.schema.scale;
    if (node.physical == Physical::kInt64 && fits_int64(node.range)) {
      spec.least = static_cast<std::int64_t>(node.range.least);
      spec.most = static_cast<std::int64_t>(node.range.most);
    }
    const bool sums = call.kind == AggregateKind::kSum || call.kind == AggregateKind::kAverage;
    if (sums && node.physical == Physical::kDouble) {
      const double most =
          std::max(std::fabs(node.range.least_real), std::fabs(node.range.most_real));
      if (node.range.known && std::isfinite(most)) {
        spec.fixed_point = unit_for(most);
      } else {
        unbounded.push_back(*call.argument);
      }
    }
    return spec;
  }

  /// For values of at most `most`, which itself may occur.
  FixedPoint unit_for(double most) const {
    return fixed_point_for(std::nextafter(most, std::numeric_limits<double>::infinity()),
                           query().most_rows);
  }

  /// Sums of doubles need a bound of their arguments; where ranges tell none, the greatest value is
  /// looked for first, in a pass of its own.
  Status find_bounds(const std::vector<NodeId>& nodes) {
    const Program program(*query().input, nodes);
    std::vector<std::vector<double>> most(execution_.threads,
                                          std::vector<double>(nodes.size(), 0.0));
    PRESSO_TRY(run_all(execution_, program, [&](unsigned worker, const RowBatch& batch) -> Status {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const VectorView& view = batch.results[i];
        for (std::uint32_t row = 0; row < batch.count; ++row) {
          const double value = std::fabs(view.as<double>()[row]);
          if (std::isfinite(value) && value > most[worker][i] && !view.is_null(row)) {
            most[worker][i] = value;
          }
        }
      }
      return {};
    }));
    for (std::size_t call = 0; call < query().aggregates.size(); ++call) {
      const AggregateCall& of = query().aggregates[call];
      const bool sums = of.kind == AggregateKind::kSum || of.kind == AggregateKind::kAverage;
      const auto place =
          of.argument ? std::find(nodes.begin(), nodes.end(), *of.argument) : nodes.end();
      if (!sums || place == nodes.end()) continue;
      double greatest = 0;
      for (const auto& of_worker : most) {
        greatest = std::max(greatest, of_worker[static_cast<std::size_t>(place - nodes.begin())]);
      }
      plan_.aggregates[call].fixed_point = unit_for(greatest);
    }
    return {};
  }

  /// One thread's views of keys and arguments.
  struct Views {
    std::vector<KeyCodes::Scratch> codes;
    std::vector<VectorView> keys;
    std::vector<VectorView> arguments;
  };

  Status set_views(Views& views, const RowBatch& batch) const {
    views.codes.resize(codes_.size());
    views.keys.resize(codes_.size());
    views.arguments.resize(query().aggregates.size());
    std::size_t result = 0;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      if (codes_[i] == nullptr) {
        views.keys[i] = batch.results[result++];
      } else {
        PRESSO_ASSIGN(views.keys[i], codes_[i]->load(*batch.reader, batch.vector, *batch.selection,
                                                     views.codes[i]));
      }
    }
    for (std::size_t i = 0; i < query().aggregates.size(); ++i) {
      if (query().aggregates[i].argument) views.arguments[i] = batch.results[result++];
    }
    return {};
  }

  Status add(Grouping& grouping, unsigned worker, Views& views, const RowBatch& batch) const {
    PRESSO_TRY(set_views(views, batch));
    return grouping.add(worker, batch.numbers, views.keys, views.arguments, batch.count);
  }

  /// count(*) of all rows that match: these are counted as bits.
  Result<RowStore> count_rows() {
    execution_.only_counts = true;
    const Status done =
        run_all(execution_, program_, [](unsigned, const RowBatch&) { return Status(); });
    execution_.only_counts = false;
    if (!done.ok()) return done.error();
    const auto count = static_cast<std::int64_t>(execution_.summary.rows_matched);
    RowStore groups(std::vector<Physical>(query().aggregates.size(), Physical::kInt64));
    const std::vector<VectorView> views(query().aggregates.size(),
                                        {Physical::kInt64, &count, nullptr});
    groups.append(views, 1);
    note_ = "groups: rows are counted";
    return groups;
  }

  bool only_counts() const {
    return query().keys.empty() && std::all_of(query().aggregates.begin(), query().aggregates.end(),
                                               [](const AggregateCall& call) {
                                                 return call.kind == AggregateKind::kCountRows;
                                               });
  }

  Result<RowStore> group_part(std::vector<std::uint64_t>* first_rows) {
    PRESSO_ASSIGN(const auto grouping, Grouping::make(plan_));
    std::vector<Views> views(execution_.threads);
    PRESSO_TRY(run_all(execution_, program_, [&](unsigned worker, const RowBatch& batch) {
      return add(*grouping, worker, views[worker], batch);
    }));
    const std::string how = "groups: " + grouping->describe();
    PRESSO_ASSIGN(RowStore groups, grouping->finish(first_rows));
    execution_.summary.peak_bytes = std::max(execution_.summary.peak_bytes, grouping->bytes());
    execution_.summary.groups += groups.rows();
    if (plan_.part == 0) note_ = how;
    return groups;
  }

  Status run_in_memory() {
    execution_.summary.groups = 0;
    PRESSO_ASSIGN(const RowStore groups, only_counts() ? count_rows() : group_part(nullptr));
    execution_.summary.groups = groups.rows();
    execution_.notes.push_back(note_);
    // They stay until the end; to sort them there is the rest, or a quarter where that is less.
    const std::uint64_t memory = memory_bytes();
    held_bytes_ = groups.bytes();
    PRESSO_TRY(begin_last_steps(std::max(memory - std::min(memory, held_bytes_), memory / 4)));
    std::vector<VectorView> views(groups.columns().size());
    for (std::uint64_t first = 0; first < groups.rows(); first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, groups.rows() - first));
      for (std::size_t i = 0; i < views.size(); ++i) views[i] = groups.view(i, first);
      PRESSO_ASSIGN(const bool more, take_groups(views, count, first));
      if (!more) break;
    }
    return finish_last_steps();
  }

  /// Puts groups of all parts in the order of their first rows.
  Result<std::unique_ptr<Ordering>> order_of_parts(std::uint64_t memory_bytes) const {
    OrderingPlan order;
    for (const Node& node : query().group_columns) order.columns.push_back(node.physical);
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      if (codes_[i] != nullptr) order.columns[i] = Physical::kInt64;
    }
    order.keys = {{order.columns.size(), false, false}};
    order.columns.push_back(Physical::kInt64);
    order.memory_bytes = memory_bytes;
    order.temporary_directory = execution_.options.temporary_directory;
    return Ordering::make(order);
  }

  /// The tables are read once for each part of the keys.
  Status run_in_parts() {
    execution_.summary.groups = 0;
    const std::uint64_t budget = memory_bytes();
    plan_.memory_bytes = budget / 2;
    PRESSO_ASSIGN(const auto ordering, order_of_parts(budget / 4));
    for (plan_.part = 0; plan_.part < plan_.parts; ++plan_.part) {
      std::vector<std::uint64_t> first_rows;
      PRESSO_ASSIGN(const RowStore groups, group_part(&first_rows));
      PRESSO_TRY(add_part(*ordering, groups, first_rows));
    }
    plan_.part = 0;
    execution_.notes.push_back(note_ + ", in " + std::to_string(plan_.parts) + " parts");
    return take_parts(*ordering, budget / 4);
  }

  static Status add_part(Ordering& ordering, const RowStore& groups,
                         const std::vector<std::uint64_t>& first_rows) {
    const std::size_t columns = groups.columns().size();
    std::vector<VectorView> views(columns + 1);
    for (std::uint64_t first = 0; first < groups.rows(); first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, groups.rows() - first));
      for (std::size_t i = 0; i < columns; ++i) views[i] = groups.view(i, first);
      views[columns] = {Physical::kInt64, first_rows.data() + first, nullptr};
      PRESSO_TRY(ordering.add(0, first, nullptr, views, count));
    }
    return {};
  }

  Status take_parts(Ordering& ordering, std::uint64_t memory_bytes) {
    PRESSO_TRY(begin_last_steps(memory_bytes));
    std::uint64_t done = 0;
    for (bool more = true; more;) {
      PRESSO_ASSIGN(const RowStore sorted, ordering.next());
      if (sorted.rows() == 0) break;
      std::vector<VectorView> views(sorted.columns().size() - 1);
      for (std::uint64_t first = 0; more && first < sorted.rows(); first += kBatchRows) {
        const auto count =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, sorted.rows() - first));
        for (std::size_t i = 0; i < views.size(); ++i) views[i] = sorted.view(i, first);
        PRESSO_ASSIGN(more, take_groups(views, count, done));
        done += count;
      }
    }
    execution_.summary.peak_bytes =
        std::max(execution_.summary.peak_bytes, ordering.peak_bytes() + plan_.memory_bytes);
    execution_.summary.spilled_bytes += ordering.spilled_bytes();
    return finish_last_steps();
  }

  // --- by way of a file

  /// The part that each row's key falls into.
  void parts_of(const std::vector<VectorView>& keys, std::uint32_t count,
                std::vector<std::int64_t>& parts) const {
    std::vector<std::uint64_t> hashes(count, 0);
    for (const VectorView& key : keys) {
      for (std::uint32_t i = 0; i < count; ++i) {
        hashes[i] = hash_pair(hashes[i], key.is_null(i) ? kHashKey : word_of(key, i));
      }
    }
    parts.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) parts[i] = part_of(hashes[i], plan_.parts);
  }

  /// Equal for keys that are equal: NaNs are, and -0 and +0.
  static std::uint64_t word_of(const VectorView& key, std::uint32_t row) {
    switch (key.physical) {
      case Physical::kBool:
        return key.as<Byte>()[row];
      case Physical::kInt64:
        return static_cast<std::uint64_t>(key.as<std::int64_t>()[row]);
      case Physical::kInt128: {
        const auto value = static_cast<Uint128>(key.as<Int128>()[row]);
        return hash_pair(static_cast<std::uint64_t>(value),
                         static_cast<std::uint64_t>(value >> 64));
      }
      case Physical::kDouble: {
        const double value = key.as<double>()[row];
        if (std::isnan(value)) return 1;
        return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
      }
      default:
        return hash_bytes(key.as<StringRef>()[row].bytes());
    }
  }

  /// Columns of the file: keys, arguments, the row's number, the part.
  OrderingPlan file_plan(std::uint64_t memory_bytes) const {
    OrderingPlan plan;
    for (const KeySpec& key : plan_.keys) plan.columns.push_back(key.physical);
    for (std::size_t i = 0; i < query().aggregates.size(); ++i) {
      if (query().aggregates[i].argument) plan.columns.push_back(plan_.aggregates[i].argument);
    }
    plan.columns.push_back(Physical::kInt64);
    plan.keys = {{plan.columns.size(), false, false}};
    plan.columns.push_back(Physical::kInt64);
    plan.threads = execution_.threads;
    plan.memory_bytes = memory_bytes;
    plan.temporary_directory = execution_.options.temporary_directory;
    return plan;
  }

  Status write_rows(Ordering& file) {
    std::vector<Views> views(execution_.threads);
    std::vector<std::vector<std::int64_t>> parts(execution_.threads);
    std::vector<std::vector<std::int64_t>> numbers(execution_.threads);
    return run_all(execution_, program_, [&](unsigned worker, const RowBatch& batch) -> Status {
      Views& own = views[worker];
      PRESSO_TRY(set_views(own, batch));
      const std::uint32_t count = batch.count;
      std::vector<VectorView> columns = own.keys;
      for (std::size_t i = 0; i < query().aggregates.size(); ++i) {
        if (query().aggregates[i].argument) columns.push_back(own.arguments[i]);
      }
      numbers[worker].resize(count);
      for (std::uint32_t i = 0; i < count; ++i) {
        numbers[worker][i] = static_cast<std::int64_t>(batch.numbers[i]);
      }
      parts_of(own.keys, count, parts[worker]);
      columns.push_back({Physical::kInt64, numbers[worker].data(), nullptr});
      columns.push_back({Physical::kInt64, parts[worker].data(), nullptr});
      return file.add(worker, batch.numbers, columns, count);
    });
  }

  /// Groups a part's rows; the least number of a row is an aggregate like others.
  Result<std::unique_ptr<Grouping>> grouping_of_part() const {
    GroupingPlan plan = plan_;
    plan.parts = 1;
    plan.threads = 1;
    AggregateSpec first_row;
    first_row.kind = AggregateKind::kMin;
    plan.aggregates.push_back(first_row);
    return Grouping::make(plan);
  }

  Status close_part(std::unique_ptr<Grouping>& grouping, Ordering& ordering) {
    if (grouping == nullptr) return {};
    note_ = "groups: " + grouping->describe();
    PRESSO_ASSIGN(const RowStore groups, grouping->finish());
    grouping.reset();
    execution_.summary.groups += groups.rows();
    std::vector<VectorView> views(groups.columns().size());
    for (std::uint64_t first = 0; first < groups.rows(); first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, groups.rows() - first));
      for (std::size_t i = 0; i < views.size(); ++i) views[i] = groups.view(i, first);
      PRESSO_TRY(ordering.add(0, first, nullptr, views, count));
    }
    return {};
  }

  /// Rows [first, end) of a batch of the file, all of one part.
  Status add_rows_of_part(Grouping& grouping, const RowStore& rows, std::uint64_t first,
                          std::uint32_t count, std::uint64_t number) {
    std::size_t column = 0;
    std::vector<VectorView> keys(plan_.keys.size());
    for (VectorView& key : keys) key = rows.view(column++, first);
    std::vector<VectorView> arguments(query().aggregates.size() + 1);
    for (std::size_t i = 0; i < query().aggregates.size(); ++i) {
      if (query().aggregates[i].argument) arguments[i] = rows.view(column++, first);
    }
    arguments.back() = rows.view(column, first);
    return grouping.add(0, {number, nullptr}, keys, arguments, count);
  }

  Status read_parts(Ordering& file, Ordering& ordering) {
    std::unique_ptr<Grouping> grouping;
    std::int64_t part = -1;
    std::uint64_t number = 0;
    while (true) {
      PRESSO_ASSIGN(const RowStore rows, file.next());
      if (rows.rows() == 0) break;
      const std::size_t parts = rows.columns().size() - 1;
      for (std::uint64_t at = 0; at < rows.rows();) {
        const std::int64_t of = rows.at<std::int64_t>(parts, at);
        if (of != part) {
          PRESSO_TRY(close_part(grouping, ordering));
          PRESSO_ASSIGN(grouping, grouping_of_part());
          part = of;
        }
        std::vector<std::uint64_t> chosen;
        while (at < rows.rows() && chosen.size() < kBatchRows &&
               rows.at<std::int64_t>(parts, at) == part) {
          chosen.push_back(at++);
        }
        const auto count = static_cast<std::uint32_t>(chosen.size());
        PRESSO_TRY(add_rows_of_part(*grouping, rows.picked(chosen), 0, count, number));
        number += count;
      }
    }
    return close_part(grouping, ordering);
  }

  Status run_by_spilling() {
    execution_.summary.groups = 0;
    const std::uint64_t budget = memory_bytes();
    PRESSO_ASSIGN(const auto ordering, order_of_parts(budget / 4));
    {
      PRESSO_ASSIGN(const auto file, Ordering::make(file_plan(budget / 4)));
      PRESSO_TRY(write_rows(*file));
      plan_.memory_bytes = budget / 4;
      PRESSO_TRY(read_parts(*file, *ordering));
      execution_.summary.spilled_bytes += file->spilled_bytes();
    }
    execution_.notes.push_back(note_ + ", in " + std::to_string(plan_.parts) +
                               " parts of a temporary file");
    plan_.memory_bytes = budget / 2;
    return take_parts(*ordering, budget / 4);
  }

  // --- from groups to the answer

  Status begin_last_steps(std::uint64_t memory_bytes) {
    const Graph& graph = *query().output;
    std::vector<NodeId> nodes = query().results;
    nodes.insert(nodes.end(), query().sort_nodes.begin(), query().sort_nodes.end());
    last_ = Program(graph, nodes);
    last_state_.emplace(last_);
    last_views_.resize(nodes.size());
    if (query().having) {
      having_ = Program(graph, {*query().having});
      having_state_.emplace(having_);
    }
    output_.emplace(execution_, sink_);
    if (query().sort_keys.empty()) return {};
    OrderingPlan plan;
    for (const NodeId id : nodes) plan.columns.push_back(graph.at(id).physical);
    plan.keys = query().sort_keys;
    for (OrderKey& key : plan.keys) key.column += query().results.size();
    plan.limit = query().last_row();
    plan.memory_bytes = memory_bytes;
    plan.temporary_directory = execution_.options.temporary_directory;
    PRESSO_ASSIGN(ordering_, Ordering::make(plan));
    return {};
  }

  static Error group_failure(const Failure& failure) {
    return make_error(ErrorCode::kInvalidArgument, "a group: " + failure.what);
  }

  /// Groups `first` and following, of keys and aggregates. False: no more are wanted.
  Result<bool> take_groups(std::vector<VectorView>& views, std::uint32_t count,
                           std::uint64_t first) {
    strings_of_codes(views, count);
    if (query().having) {
      PRESSO_ASSIGN(count, keep_having(views, count));
    }
    if (count == 0) return true;
    last_inputs_.clear();
    for (const std::size_t column : last_.inputs()) last_inputs_.push_back(views[column]);
    if (const auto failure = last_.run(*last_state_, last_inputs_, count, last_views_)) {
      return group_failure(*failure);
    }
    if (ordering_ == nullptr) {
      return output_->append({last_views_.data(), query().results.size()}, count);
    }
    PRESSO_TRY(ordering_->add(0, first, nullptr, last_views_, count));
    return true;
  }

  void strings_of_codes(std::vector<VectorView>& views, std::uint32_t count) {
    key_strings_.resize(codes_.size());
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      if (codes_[i] == nullptr) continue;
      key_strings_[i].resize(kBatchRows);
      for (std::uint32_t row = 0; row < count; ++row) {
        key_strings_[i][row] = views[i].is_null(row)
                                   ? StringRef{}
                                   : codes_[i]->string(views[i].as<std::int64_t>()[row]);
      }
      views[i].physical = Physical::kString;
      views[i].values = key_strings_[i].data();
    }
  }

  /// Leaves the groups for which --having is true; how many there are.
  Result<std::uint32_t> keep_having(std::vector<VectorView>& views, std::uint32_t count) {
    last_inputs_.clear();
    for (const std::size_t column : having_.inputs()) last_inputs_.push_back(views[column]);
    VectorView truth;
    if (const auto failure = having_.run(*having_state_, last_inputs_, count, {&truth, 1})) {
      return group_failure(*failure);
    }
    kept_ = RowStore(physical_of(views));
    std::vector<std::uint64_t> rows;
    for (std::uint32_t row = 0; row < count; ++row) {
      if (!truth.is_null(row) && truth.as<Byte>()[row] != 0) rows.push_back(row);
    }
    if (rows.size() == count) return count;
    kept_.append(views, count);
    kept_ = kept_.picked(rows);
    for (std::size_t i = 0; i < views.size(); ++i) views[i] = kept_.view(i, 0);
    return static_cast<std::uint32_t>(rows.size());
  }

  static std::vector<Physical> physical_of(const std::vector<VectorView>& views) {
    std::vector<Physical> physical;
    for (const VectorView& view : views) physical.push_back(view.physical);
    return physical;
  }

  Status finish_last_steps() {
    if (ordering_ != nullptr) {
      std::vector<VectorView> views(query().results.size());
      for (bool more = true; more;) {
        PRESSO_ASSIGN(const RowStore sorted, ordering_->next());
        if (sorted.rows() == 0) break;
        for (std::uint64_t first = 0; more && first < sorted.rows(); first += kBatchRows) {
          const auto count = static_cast<std::uint32_t>(
              std::min<std::uint64_t>(kBatchRows, sorted.rows() - first));
          for (std::size_t i = 0; i < views.size(); ++i) views[i] = sorted.view(i, first);
          PRESSO_ASSIGN(more, output_->append(views, count));
        }
      }
      execution_.summary.peak_bytes =
          std::max(execution_.summary.peak_bytes, held_bytes_ + ordering_->peak_bytes());
      execution_.summary.spilled_bytes += ordering_->spilled_bytes();
      execution_.notes.push_back("order: " + ordering_->describe());
    }
    PRESSO_TRY(output_->finish());
    execution_.summary.rows = output_->rows();
    return {};
  }

  Execution& execution_;
  ResultSink& sink_;
  std::vector<std::unique_ptr<KeyCodes>> codes_;  ///< by key; nullptr: not coded
  std::uint64_t code_bytes_ = 0;
  Program program_;
  GroupingPlan plan_;
  std::string note_;

  std::uint64_t held_bytes_ = 0;  ///< of finished groups, until the end
  Program last_;
  std::optional<Program::State> last_state_;
  Program having_;
  std::optional<Program::State> having_state_;
  std::vector<VectorView> last_inputs_;
  std::vector<VectorView> last_views_;
  std::vector<std::vector<StringRef>> key_strings_;
  RowStore kept_;
  std::optional<Output> output_;
  std::unique_ptr<Ordering> ordering_;
};

}  // namespace

Status run_groups(Execution& execution, ResultSink& sink) {
  return GroupRun(execution, sink).run();
}

}  // namespace presso::query
