// SPDX-License-Identifier: MIT
// PipelineBuilder: combines the keys of groups into one number, and turns aggregates into cells.
#include <algorithm>
#include <limits>

#include "query/gpu/kernels/node_width.h"
#include "query/gpu/table/pipeline_builder.h"
#include "query/run/query_device.h"

namespace presso::gpu {
namespace {

using query::Node;
using query::NodeId;
using query::Physical;
using Kind = PipelineStep::Kind;

/// The greatest prime number that is not above `most`, which is 2 at least.
std::uint32_t prime_up_to(std::uint32_t most) {
  const auto is_prime = [](std::uint32_t number) {
    for (std::uint32_t i = 2; std::uint64_t{i} * i <= number; ++i) {
      if (number % i == 0) return false;
    }
    return true;
  };
  while (!is_prime(most)) --most;
  return most;
}

}  // namespace

Status PipelineBuilder::add_key(const query::KeySpec& spec, NodeId node,
                                const query::KeyCodes* codes, bool own_codes) {
  if (codes == nullptr && spec.physical == Physical::kDouble) return add_real_key(spec, node);
  Key key;
  key.nullable = spec.nullable;
  std::uint64_t span = 0;
  std::size_t value = 0;
  if (codes != nullptr) {
    if (own_codes) key.codes = codes;
    span = codes->null_number() - 1;
  } else if (spec.physical == Physical::kString) {
    return refused("keys that are strings, but no columns");
  } else if (spec.physical == Physical::kBool) {
    key.is_truth = true;
    span = 1;
  } else if (spec.physical != Physical::kInt64) {
    return refused("keys that are neither numbers of 64 bits nor strings");
  } else if (has_whole_words_) {
    if (spec.nullable) return refused("keys of 64 bits that may be null");
  } else {
    key.least = spec.least;
    span = static_cast<std::uint64_t>(spec.most) - static_cast<std::uint64_t>(spec.least);
    // Behind them there is a number for nulls.
    constexpr std::uint64_t kMostSpan = (std::uint64_t{1} << 63) - 2;
    if (spec.most < spec.least || span > kMostSpan) {
      return refused("keys of a range that is not known, or takes 64 bits");
    }
  }
  key.values = has_whole_words_ ? 0 : span + 1 + (spec.nullable ? 1 : 0);
  std::optional<std::int64_t> null_value;
  if (codes != nullptr) {
    if (spec.nullable) null_value = static_cast<std::int64_t>(span + 1);
    PRESSO_ASSIGN(value, column_value({graph_->at(node).column, codes, null_value, false}));
  } else if (graph_->is_column(node) && !key.is_truth) {
    if (spec.nullable && spec.most == std::numeric_limits<std::int64_t>::max()) {
      return refused("keys up to the end of 64 bits");
    }
    if (spec.nullable) null_value = spec.most + 1;
    PRESSO_ASSIGN(value, column_value(with_null(graph_->at(node), null_value)));
  } else {
    PRESSO_ASSIGN(value, value_of(node));
  }
  if (key.least != 0) {
    PRESSO_ASSIGN(value, append_constant(Kind::kSubtract, value, key.least, most_keys_ != 0));
  }
  if (spec.nullable && !graph_->is_column(node)) {
    PRESSO_ASSIGN(const Validity valid, validity_of(node));
    if (!valid.is_everywhere()) {
      PRESSO_ASSIGN(const std::size_t is_there, program_truth(valid));
      PRESSO_ASSIGN(value, value_or(value, is_there, static_cast<std::int64_t>(key.values - 1)));
    }
  }
  return add_to_group(value, key);
}

/// Strings that the device has numbered: nulls have a number far beyond the others, and get the one
/// behind them.
Status PipelineBuilder::add_key_of_strings(const query::KeySpec& spec, NodeId node,
                                           KeyStrings& strings) {
  PRESSO_ASSIGN(std::size_t value, column_value(numbered(graph_->at(node), strings)));
  Key key;
  key.strings = &strings;
  key.nullable = spec.nullable;
  const std::uint32_t count = std::max(strings.count(), 1u);
  key.values = std::uint64_t{count} + (spec.nullable ? 1 : 0);
  const std::int64_t too_far = std::int64_t{strings.null_number()} - count;
  if (spec.nullable && too_far != 0) {
    PRESSO_ASSIGN(std::size_t null,
                  append_constant(Kind::kEqual, value, strings.null_number(), false));
    PRESSO_ASSIGN(null, append_constant(Kind::kMultiply, null, too_far, false));
    PRESSO_ASSIGN(value, append(Kind::kSubtract, value, null, false));
  }
  return add_to_group(value, key);
}

/// `value`: below key.values. Sets the key's stride.
Status PipelineBuilder::add_to_group(std::size_t value, Key key) {
  key.stride = groups_;
  // Without a table of keys, and without build rows, there are at most so many: add_groups().
  if (row_stage_ && (key.values == 0 || groups_ > kMostNumberedGroups / key.values)) {
    return refused("groups by too many other keys than those of a joined table");
  }
  groups_ *= key.values;
  // The number of a group has 32 bits, whatever the key had.
  if (most_keys_ == 0 && key.stride == 1 && values_[value].is_wide) {
    PRESSO_ASSIGN(value, append_constant(Kind::kAdd, value, 0, false));
  }
  PRESSO_TRY(add_to_group(value, key.stride));
  keys_.push_back(key);
  return {};
}

Status PipelineBuilder::add_to_group(std::size_t value, std::uint64_t stride) {
  const bool is_wide = most_keys_ != 0;
  if (stride != 1) {
    PRESSO_ASSIGN(
        value, append_constant(Kind::kMultiply, value, static_cast<std::int64_t>(stride), is_wide));
  }
  if (group_) {
    PRESSO_ASSIGN(value, append(Kind::kAdd, *group_, value, is_wide));
  }
  group_ = value;
  return {};
}

Result<std::size_t> PipelineBuilder::add_cell(Cell cell) {
  const auto known = std::find(cells_.begin(), cells_.end(), cell);
  if (known != cells_.end()) return static_cast<std::size_t>(known - cells_.begin());
  if (cells_.size() == most_cells()) return refused("too many aggregates");
  cells_.push_back(cell);
  return cells_.size() - 1;
}

Status PipelineBuilder::add_aggregate(const query::AggregateCall& call,
                                      const query::AggregateSpec& spec, std::uint64_t rows) {
  using AggregateKind = query::AggregateKind;
  CellsOfAggregate cells;
  if (!choice_.gives(call) || call.kind == AggregateKind::kCountDistinct) {
    aggregates_.push_back(cells);
    return {};
  }
  if (call.kind == AggregateKind::kCountRows) {
    aggregates_.push_back(cells);
    return count_rows();
  }
  const NodeId argument = *call.argument;
  PRESSO_ASSIGN(const Validity valid, program_validity(argument));
  const bool divides = call.kind == AggregateKind::kCount || call.kind == AggregateKind::kAverage;
  if (valid.is_everywhere() && divides) PRESSO_TRY(count_rows());
  if (call.kind == AggregateKind::kCount) {
    // A value tells that there is a result in all rows.
    if (graph_->may_fail(argument)) PRESSO_TRY(value_of(argument));
    if (!valid.is_everywhere()) {
      PRESSO_ASSIGN(cells.count, add_cell({PipelineCell::Kind::kCount, 0, valid, {}}));
    }
    aggregates_.push_back(cells);
    return {};
  }
  const bool is_real = spec.argument == Physical::kDouble;
  if (spec.argument != Physical::kInt64 && !is_real) {
    return refused("aggregates of other than numbers of 64 bits");
  }
  if (!valid.is_everywhere()) {
    PRESSO_ASSIGN(cells.count, add_cell({PipelineCell::Kind::kCount, 0, valid, {}}));
  }
  const bool is_sum = call.kind == AggregateKind::kSum || call.kind == AggregateKind::kAverage;
  if (is_sum && is_real) {
    PRESSO_TRY(add_real_sum(argument, spec, valid, rows, cells));
  } else if (is_sum) {
    PRESSO_TRY(add_sum(argument, spec, valid, rows, cells));
  } else {
    PRESSO_ASSIGN(const std::size_t value, value_of(argument));
    const auto kind =
        call.kind == AggregateKind::kMin ? PipelineCell::Kind::kMin : PipelineCell::Kind::kMax;
    const RealPart part = is_real ? RealPart::kOrder : RealPart::kNone;
    PRESSO_ASSIGN(cells.low, add_cell({kind, value, valid, {}, part}));
  }
  aggregates_.push_back(cells);
  return {};
}

/// Without groups the rows that match are counted anyway.
Status PipelineBuilder::count_rows() {
  if (!has_groups_) return {};
  PRESSO_ASSIGN(row_count_, add_cell({PipelineCell::Kind::kCount, 0, {}, {}}));
  return {};
}

/// Refuses what no form of a sum has room for.
Status PipelineBuilder::sum_up_to(std::uint64_t most_rows, std::uint64_t rows) {
  if (rows > most_rows) return refused("sums of more than " + grouped(most_rows) + " rows");
  most_rows_ = std::min(most_rows_, most_rows);
  return {};
}

/// For any number of rows that a GPU can pass: in as many pieces as the range of values takes.
Status PipelineBuilder::add_sum_of_pieces(NodeId argument, const query::AggregateSpec& spec,
                                          const Validity& valid, CellsOfAggregate& cells) {
  unsigned bits = kShortBits;
  const auto holds_all = [&] {
    const query::Int128 limit = query::Int128{1} << (bits - 1);
    return spec.least <= spec.most && -limit <= spec.least && spec.most < limit;
  };
  while (bits < 64 && !holds_all()) bits += kShortBits;
  PRESSO_ASSIGN(const std::size_t value, value_of(argument));
  const unsigned pieces = bits / kShortBits;
  for (unsigned i = 0; i < pieces; ++i) {
    Cell cell{PipelineCell::Kind::kSum, value, valid, {}};
    cell.part = i + 1 == pieces ? RealPart::kIntegerTop : RealPart::kIntegerBits;
    cell.limb = static_cast<Byte>(i);
    PRESSO_ASSIGN(const std::size_t one, add_cell(cell));
    cells.limbs.push_back(one);
  }
  return {};
}

/// In one cell where 64 bits hold it, else in two, or in pieces.
Status PipelineBuilder::add_sum(NodeId argument, const query::AggregateSpec& spec,
                                const Validity& valid, std::uint64_t rows,
                                CellsOfAggregate& cells) {
  const bool is_known = spec.least <= spec.most;
  const query::Int128 most =
      std::max<query::Int128>(query::Int128{spec.most}, -query::Int128{spec.least});
  const query::Int128 limit = std::numeric_limits<std::int64_t>::max();
  const auto cell_of = [&](PipelineCell::Kind kind, std::size_t value) {
    Cell cell{kind, value, valid, {}};
    cell.least = spec.least;
    cell.most = spec.most;
    return cell;
  };
  if (is_known && most * std::max<query::Int128>(rows, 1) <= limit) {
    const query::Int128 most_rows = limit / std::max<query::Int128>(most, 1);
    PRESSO_TRY(sum_up_to(static_cast<std::uint64_t>(most_rows), rows));
    const Node& node = graph_->at(argument);
    if (!has_groups_ && is_scan_ && node.kind == Node::Kind::kColumn) {
      PRESSO_TRY(column_of(node.column));
      PRESSO_ASSIGN(cells.low, add_cell({PipelineCell::Kind::kSum, 0, valid, argument}));
    } else {
      PRESSO_ASSIGN(const std::size_t value, value_of(argument));
      PRESSO_ASSIGN(cells.low, add_cell(cell_of(PipelineCell::Kind::kSum, value)));
    }
    return {};
  }
  if (rows > limits_.halves) {
    PRESSO_TRY(sum_up_to(limits_.most, rows));
    return add_sum_of_pieces(argument, spec, valid, cells);
  }
  PRESSO_TRY(sum_up_to(limits_.halves, rows));
  PRESSO_ASSIGN(const std::size_t value, value_of(argument));
  PRESSO_ASSIGN(cells.low, add_cell(cell_of(PipelineCell::Kind::kSumLow, value)));
  PRESSO_ASSIGN(cells.high, add_cell(cell_of(PipelineCell::Kind::kSumHigh, value)));
  return {};
}

Status PipelineBuilder::add_groups(const query::GroupInput& input,
                                   const std::vector<StringKeyNumbers>& numbers, std::uint64_t rows,
                                   bool by_rows, const AggregateChoice& choice,
                                   const std::optional<DistinctValues>& distinct) {
  enter_joins();
  const query::BoundQuery& bound = execution_.query;
  choice_ = choice;
  has_groups_ = !bound.keys.empty() || distinct;
  rows_ = rows;
  const double possible = possible_groups(input, numbers, distinct);
  if (possible > static_cast<double>(most_numbered())) {
    if (by_rows) row_stage_ = choose_row_stage();
    const std::size_t keys = bound.keys.size() + (distinct ? 1 : 0);
    if (!row_stage_) PRESSO_TRY(choose_table(possible, keys));
  }
  if (distinct) {
    PRESSO_TRY(add_key_of_groups(distinct->spec, distinct->node, nullptr, distinct->numbers));
    distinct_ = keys_.back();
    keys_.clear();
  }
  for (std::size_t i = 0; i < bound.keys.size(); ++i) {
    const query::KeySpec& spec = input.plan().keys[i];
    const auto column = row_stage_ ? column_of_row(*stages_[*row_stage_].stage, bound.keys[i])
                                   : std::optional<std::size_t>();
    if (column) {
      // The key may be the probe side's column, whose strings have other numbers.
      StringKeyNumbers of_row = numbers[i];
      if (of_row.has_any()) {
        PRESSO_ASSIGN(of_row, strings_.of_key(column_of_query(*column), false));
      }
      PRESSO_TRY(add_key_of_row(*column, spec, of_row));
    } else {
      PRESSO_TRY(add_key_of_groups(spec, bound.keys[i], input.codes()[i].get(), numbers[i]));
    }
  }
  if (row_stage_) {
    row_stride_ = groups_;
    PRESSO_TRY(add_to_group(stages_[*row_stage_].row, row_stride_));
  }
  if (!is_scan_) {
    const std::vector<std::size_t> columns = graph_->columns_of(bound.keys);
    const bool by_pairs = std::any_of(columns.begin(), columns.end(),
                                      [this](std::size_t column) { return stage_of(column); });
    if (by_pairs) PRESSO_TRY(want_order());
  }
  for (std::size_t i = 0; i < bound.aggregates.size(); ++i) {
    PRESSO_TRY(add_aggregate(bound.aggregates[i], input.plan().aggregates[i], rows));
  }
  return {};
}

/// `known`: numbers of strings that the input has; else `numbers` has them.
Status PipelineBuilder::add_key_of_groups(const query::KeySpec& spec, NodeId node,
                                          const query::KeyCodes* known,
                                          const StringKeyNumbers& numbers) {
  if (numbers.strings != nullptr) return add_key_of_strings(spec, node, *numbers.strings);
  return add_key(spec, node, known != nullptr ? known : numbers.codes, known == nullptr);
}

namespace {

/// How many values a key has, at most.
double possible_values(const query::KeySpec& spec, const query::KeyCodes* known,
                       const StringKeyNumbers& numbers) {
  if (known != nullptr) return known->count() + 1.0;
  if (numbers.has_any()) return numbers.count() + 1.0;
  if (spec.physical == Physical::kBool) return 3;
  if (spec.physical == Physical::kInt64 && spec.least <= spec.most) {
    return static_cast<double>(spec.most) - static_cast<double>(spec.least) + 2.0;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

/// By what is known of the keys. Without keys there is one.
double PipelineBuilder::possible_groups(const query::GroupInput& input,
                                        const std::vector<StringKeyNumbers>& numbers,
                                        const std::optional<DistinctValues>& distinct) const {
  double groups = 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    groups *= possible_values(input.plan().keys[i], input.codes()[i].get(), numbers[i]);
  }
  if (distinct) groups *= possible_values(distinct->spec, nullptr, distinct->numbers);
  return groups;
}

/// How many groups may have numbers, whether or not there are rows of them.
std::uint64_t PipelineBuilder::most_numbered() const {
  return std::clamp(std::min(rows_, kMostNumberedGroups) * kGroupsForRow, kFewGroups,
                    kMostNumberedGroups);
}

Status PipelineBuilder::choose_table(double possible_groups, std::size_t keys) {
  has_whole_words_ = possible_groups > query::kMostKeysOnDevice;
  if (has_whole_words_ && keys > 1) {
    return refused("keys that do not fit into 63 bits together");
  }
  const std::uint64_t most = std::max<std::uint64_t>(execution_.query.most_rows, 1);
  most_keys_ = possible_groups < static_cast<double>(most)
                   ? static_cast<std::uint64_t>(possible_groups)
                   : most;
  return {};
}

/// For about so many places, or as many as are enough.
void PipelineBuilder::set_table(Pipeline& pipeline, std::uint64_t places) const {
  constexpr std::uint64_t kForKey = 4;
  constexpr std::uint64_t kLeast = 128;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  // Of a table four fifths of which are taken a key in 10^8 looks at so many buckets. The largest
  // table has to do, however long that takes.
  constexpr std::uint32_t kProbes = 30;
  constexpr std::uint32_t kMostProbes = 1024;
  const std::uint64_t enough = std::clamp(std::min(most_keys_, kMost) * kForKey, kLeast, kMost);
  places = std::clamp(places, kLeast, enough);
  pipeline.table_probes = places == enough ? kMostProbes : kProbes;
  pipeline.table_buckets = prime_up_to(static_cast<std::uint32_t>(places / kBucketKeys));
  pipeline.groups = table_places(pipeline) + 1;
}

Pipeline PipelineBuilder::merged(const Pipeline& from, std::uint64_t table_bytes) const {
  Pipeline to = from;
  to.cell[to.cells++] = {};
  set_group_words(to);
  to.has_groups = !keys_.empty();
  to.place = GroupPlace::kDevice;
  to.table_buckets = 0;
  to.groups = keys_.empty() ? 1 : groups_ / distinct_->values;
  if (most_keys_ == 0 || to.groups <= most_numbered()) return to;
  to.place = GroupPlace::kTable;
  set_table(to, table_bytes / ((to.group_words + 1) * sizeof(std::uint64_t)));
  return to;
}

bool PipelineBuilder::enlarge_table(Pipeline& pipeline) const {
  constexpr std::uint64_t kTimes = 4;
  const std::uint32_t before = pipeline.table_buckets;
  set_table(pipeline, table_places(pipeline) * kTimes);
  return pipeline.table_buckets > before;
}

KeyCodeTables PipelineBuilder::code_tables(const LoadedTable& table) const {
  KeyCodeTables tables;
  tables.begins.resize(columns_.size() * table.groups().size());
  for (const auto& [column, codes] : codes_) {
    for (std::size_t group = 0; group < table.groups().size(); ++group) {
      const LoadedGroup& loaded = table.groups()[group];
      std::uint32_t& begin = tables.begins[column * table.groups().size() + group];
      begin = static_cast<std::uint32_t>(tables.numbers.size());
      if (codes->is_same(loaded.table, loaded.reader->group())) begin |= kCodesAreNumbers;
      const auto numbers = codes->numbers(loaded.table, loaded.reader->group());
      tables.numbers.insert(tables.numbers.end(), numbers.begin(), numbers.end());
    }
  }
  return tables;
}

}  // namespace presso::gpu
