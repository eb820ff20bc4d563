// SPDX-License-Identifier: MIT
// PipelineBuilder: combines the keys of a join into one number.
#include <limits>

#include "query/gpu/kernels/node_width.h"
#include "query/gpu/table/pipeline_builder.h"

namespace presso::gpu {
namespace {

using query::BoundStage;
using query::Int128;
using query::Node;
using query::NodeId;
using query::Physical;
using query::StageKind;
using Kind = PipelineStep::Kind;

constexpr std::int64_t kLeastInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostInt64 = std::numeric_limits<std::int64_t>::max();

/// How many numbers there are in a range; nothing: too many for a key of 63 bits.
std::optional<std::uint64_t> values_of(const query::Range& range) {
  if (!range.known || range.most < range.least) return std::nullopt;
  const Int128 values = range.most - range.least + 1;
  if (values > kMostInt64) return std::nullopt;
  return static_cast<std::uint64_t>(values);
}

std::uint64_t image_of(Int128 value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

/// Chooses, for a single key, two numbers outside of the range of the build side's keys.
void set_numbers_beside(const query::Range& range, KeyForm& form) {
  if (!range.known) return;
  if (range.most <= kMostInt64 - 2) {
    form.of_keyless_build = static_cast<std::int64_t>(range.most) + 1;
    form.of_lone_probe = *form.of_keyless_build + 1;
  } else if (range.least >= Int128{kLeastInt64} + 2) {
    form.of_keyless_build = static_cast<std::int64_t>(range.least) - 1;
    form.of_lone_probe = *form.of_keyless_build - 1;
  }
}

/// A number of 64 bits that is not in a range of keys, of which 63 bits can hold several.
std::int64_t number_beside(const query::Range& range) {
  return static_cast<std::int64_t>(range.most < kMostInt64 ? range.most + 1 : range.least - 1);
}

bool has_number(const query::Range& range, std::int64_t number) {
  return !range.known || (range.least <= number && number <= range.most);
}

}  // namespace

std::vector<query::Range> StageUse::key_ranges(const query::Graph& graph) const {
  std::vector<query::Range> ranges;
  if (has_real_key) return {query::Range{}};
  for (std::size_t i = 0; i < key_codes.size(); ++i) {
    ranges.push_back(graph.at(stage->build_keys[i]).range);
    // The number that stands for null is the first one beside them.
    if (key_codes[i] != nullptr) ranges[i] = {true, 0, Int128{key_codes[i]->null_number()} - 1};
    if (key_strings[i] != nullptr) ranges[i] = {true, 0, Int128{key_strings[i]->limit()} - 1};
  }
  return ranges;
}

std::optional<KeyForm> key_form(const std::vector<query::Range>& ranges, bool is_real) {
  KeyForm form;
  if (ranges.size() == 1) {
    form.strides = {KeyStride{}};
    set_numbers_beside(ranges[0], form);
    if (is_real) {
      // All NaNs are one key, which has other bits.
      form.of_keyless_build = kNullReal;
      form.of_lone_probe = kNanBesideNull;
    }
    return form;
  }
  std::uint64_t stride = 1;
  for (const query::Range& range : ranges) {
    const auto values = values_of(range);
    if (!values || *values > kMostInt64 / stride) return std::nullopt;
    form.strides.push_back({image_of(range.least), stride});
    stride *= *values;
  }
  // All keys are below, and modulo 2^64 both are no keys.
  form.of_keyless_build = static_cast<std::int64_t>(stride);
  form.of_lone_probe = static_cast<std::int64_t>(stride + 1);
  return form;
}

std::optional<LookupPlan::Range> PipelineBuilder::key_range(const StageUse& use) const {
  const std::vector<query::Range> ranges = use.key_ranges(*execution_.query.input);
  if (ranges.size() == 1) {
    if (!values_of(ranges[0])) return std::nullopt;
    return LookupPlan::Range{image_of(ranges[0].least), image_of(ranges[0].most)};
  }
  std::uint64_t values = 1;
  for (const query::Range& range : ranges) values *= *values_of(range);
  return LookupPlan::Range{0, values - 1};
}

std::optional<KeyInterval> PipelineBuilder::key_bounds(const StageUse& use) const {
  const std::vector<query::Range> ranges = use.key_ranges(*execution_.query.input);
  if (ranges.size() == 1) {
    if (!ranges[0].known || ranges[0].most < ranges[0].least) return std::nullopt;
    return KeyInterval{static_cast<std::int64_t>(ranges[0].least),
                       static_cast<std::int64_t>(ranges[0].most)};
  }
  const std::optional<LookupPlan::Range> range = key_range(use);
  return KeyInterval{0, static_cast<std::int64_t>(range->most)};
}

/// Drops rows whose keys are in other parts: two comparisons, each with its filter. Gives the first
/// step.
Result<std::size_t> PipelineBuilder::filter_part(std::size_t key, const KeyInterval& part) {
  PRESSO_ASSIGN(const std::size_t first, append_constant(Kind::kLessEqual, key, part.most, false));
  PRESSO_TRY(filter_by(first));
  PRESSO_ASSIGN(const std::size_t second,
                append_constant(Kind::kLessEqual, key, part.least, false));
  std::swap(values_[second].step.a_is_constant, values_[second].step.b_is_constant);
  PRESSO_TRY(filter_by(second));
  return first;
}

void PipelineBuilder::set_part(const KeyInterval& part, Pipeline& pipeline) {
  constexpr std::size_t kToSecond = 2;
  const std::optional<std::size_t> step = stages_[*stage_in_parts_].part_step;
  if (!step) return;
  for (const auto& [at, constant] :
       {std::pair{*step, part.most}, std::pair{*step + kToSecond, part.least}}) {
    values_[at].step.constant = constant;
    pipeline.program[at].constant = constant;
  }
}

/// The numbers of the build side's keys that are strings.
Status PipelineBuilder::number_key_strings(StageUse& use) {
  for (std::size_t i = 0; i < use.stage->build_keys.size(); ++i) {
    const Node& build = graph_->at(use.stage->build_keys[i]);
    use.key_codes.push_back(nullptr);
    use.key_strings.push_back(nullptr);
    if (build.physical == Physical::kInt64) continue;
    if (build.physical == Physical::kDouble && use.stage->build_keys.size() == 1) {
      use.has_real_key = true;
      continue;
    }
    const bool are_columns =
        build.kind == Node::Kind::kColumn && graph_->is_column(use.stage->probe_keys[i]);
    if (build.physical != Physical::kString || !are_columns) {
      return refused("keys of a join that are neither numbers nor columns of strings");
    }
    PRESSO_ASSIGN(const query::KeyCodes* const own,
                  strings_.of_dictionaries(column_of_query(build.column)));
    const std::size_t of_probe = graph_->at(use.stage->probe_keys[i]).column;
    PRESSO_ASSIGN(const query::KeyCodes* const others,
                  strings_.of_dictionaries(column_of_query(of_probe)));
    if (own == nullptr || others == nullptr) {
      PRESSO_ASSIGN(use.key_strings[i], number_on_device(build.column, of_probe));
      if (use.key_strings[i] != nullptr) continue;
    }
    PRESSO_ASSIGN(use.key_codes[i], strings_.of(column_of_query(build.column)));
    if (use.key_codes[i] == nullptr) {
      return refused("keys of a join that are strings which are not stored as dictionaries");
    }
  }
  return {};
}

/// Strings of a build side's column that the device has numbered, as well as those of the column
/// that is joined to it; nullptr: it cannot.
Result<KeyStrings*> PipelineBuilder::number_on_device(std::size_t of_build, std::size_t of_probe) {
  // Groups by the same strings have a cell for each number.
  const query::BoundQuery& bound = execution_.query;
  std::vector<query::NodeId> keys = bound.keys;
  for (const query::AggregateCall& call : bound.aggregates) {
    if (call.kind == query::AggregateKind::kCountDistinct) keys.push_back(*call.argument);
  }
  const bool groups_by_it = std::any_of(keys.begin(), keys.end(), [&](query::NodeId key) {
    const query::Node& node = bound.input->at(key);
    return node.kind == query::Node::Kind::kColumn &&
           (node.column == column_of_query(of_build) || node.column == column_of_query(of_probe));
  });
  const auto numbering = groups_by_it ? KeyStrings::Numbering::kDense : KeyStrings::Numbering::kAny;
  PRESSO_ASSIGN(KeyStrings* const strings,
                strings_.strings_of(column_of_query(of_build), numbering));
  if (strings == nullptr) return strings;
  const auto numbers = strings_.numbers_of(column_of_query(of_probe), *strings);
  if (numbers.ok()) return strings;
  if (numbers.error().code == ErrorCode::kUnsupported) return static_cast<KeyStrings*>(nullptr);
  return numbers.error();
}

/// Keys as one number: a single one as it is, of several what the build side's ranges make of them.
/// Rows with a key that is null, or that no row of the other side has, are dropped, or get a number
/// that no key has.
Result<std::size_t> PipelineBuilder::key_value(const StageUse& use, bool of_probe) {
  const BoundStage& stage = *use.stage;
  const std::optional<KeyForm> form = key_form(use.key_ranges(*graph_), use.has_real_key);
  if (!form) return refused("keys of a join that do not fit into 63 bits together");
  KeyOfSide key;
  key.of_probe = of_probe;
  key.keeps_all = of_probe ? leaves_lone_rows(stage.kind) : leaves_keyless_rows(stage.kind);
  key.otherwise = of_probe ? form->of_lone_probe : form->of_keyless_build;
  if (form->strides.size() == 1) {
    PRESSO_TRY(add_single_key(use, *form, key));
  } else {
    for (std::size_t i = 0; i < form->strides.size(); ++i) {
      PRESSO_TRY(add_part_of_key(use, i, form->strides[i], key));
    }
  }
  if (!key.truth) return key.value;
  if (!key.otherwise) return refused("keys that may be null or anything");
  return value_or(key.value, *key.truth, *key.otherwise);
}

/// What must be true of a row that has a key.
Status PipelineBuilder::require(KeyOfSide& key, std::size_t truth) {
  if (!key.keeps_all) return filter_by(truth);
  if (key.truth) {
    PRESSO_ASSIGN(truth, append(Kind::kMultiply, *key.truth, truth, false));
  }
  key.truth = truth;
  return {};
}

/// The value of a part of a key, rows without which have no key; `beside`: a column's null may be
/// this number, since the caller sees to it that it is no key.
Result<std::size_t> PipelineBuilder::key_or(NodeId id, KeyOfSide& key,
                                            std::optional<std::int64_t> beside) {
  key.has_null_number = false;
  if (key.keeps_all && beside && graph_->is_column(id)) {
    const Node& column = graph_->at(id);
    if (nullable_node(column.column) == nullptr) return value_of(id);
    key.has_null_number = true;
    return column_value(with_null(column, beside));
  }
  PRESSO_ASSIGN(const Validity valid, validity_of(id));
  if (valid.is_everywhere()) return value_of(id);
  if (key.keeps_all) {
    PRESSO_ASSIGN(const std::size_t truth, program_truth(valid));
    PRESSO_TRY(require(key, truth));
  } else {
    PRESSO_TRY(drop_nulls(id));
  }
  return value_of(id);
}

/// The number of a string, as the build side's strings are numbered; `beside`: one that none of
/// these has, for others and for nulls.
Result<std::size_t> PipelineBuilder::key_of_string(const StageUse& use, std::size_t i,
                                                   KeyOfSide& key, std::int64_t beside) {
  const NodeId id = key.of_probe ? use.stage->probe_keys[i] : use.stage->build_keys[i];
  const Node& column = graph_->at(id);
  const bool drops_nulls = !key.of_probe && !key.keeps_all;
  if (KeyStrings* const strings = use.key_strings[i]; strings != nullptr) {
    // Rows whose string the build side does not have, and those without one, have a number of their
    // own, which is beside all keys whatever `beside` is.
    RowColumn numbers;
    numbers.column = column.column;
    numbers.strings = strings;
    numbers.null_value = key.of_probe ? strings->none() : strings->null_number();
    key.has_null_number = key.of_probe || (key.keeps_all && nullable_node(column.column));
    PRESSO_ASSIGN(const std::size_t number, column_value(numbers));
    if (drops_nulls && nullable_node(column.column) != nullptr) {
      // By the number, since the column may be in a form that pipelines do not read.
      PRESSO_ASSIGN(const std::size_t truth,
                    append_constant(Kind::kNotEqual, number, strings->null_number(), false));
      PRESSO_TRY(filter_by(truth));
    }
    return number;
  }
  if (drops_nulls) PRESSO_TRY(drop_nulls(id));
  const query::KeyCodes& of_build = *use.key_codes[i];
  PRESSO_ASSIGN(const RowColumn wanted, row_column(column));
  PRESSO_ASSIGN(const std::size_t number, column_value(wanted));
  key.has_null_number = key.of_probe || (key.keeps_all && wanted.null_value);
  if (!key.of_probe) return number;
  if (arrays_ == kMostRowArrays) return refused("too many columns of joined tables");
  ValueTable table{arrays_++, {}, !is_narrow(beside)};
  for (std::uint32_t own = 0; own <= wanted.codes->null_number(); ++own) {
    const auto found = own < wanted.codes->count()
                           ? of_build.find(wanted.codes->string(own).bytes())
                           : std::optional<std::uint32_t>();
    table.values.push_back(found ? std::int64_t{*found} : beside);
  }
  Value value;
  value.step.kind = Kind::kGather;
  value.step.column = table.array;
  value.step.constant = beside;
  value.from = {number};
  value.is_wide = table.is_wide;
  value_tables_.push_back(std::move(table));
  return append(std::move(value));
}

Status PipelineBuilder::add_single_key(const StageUse& use, const KeyForm& form, KeyOfSide& key) {
  const BoundStage& stage = *use.stage;
  if (use.is_string(0)) {
    PRESSO_ASSIGN(key.value, key_of_string(use, 0, key, *form.of_lone_probe));
    return {};
  }
  const NodeId id = key.of_probe ? stage.probe_keys[0] : stage.build_keys[0];
  if (use.has_real_key) return add_real_key_of_side(id, key);
  PRESSO_ASSIGN(key.value, key_or(id, key, key.otherwise));
  if (!key.of_probe || !leaves_keyless_rows(stage.kind)) return {};
  // Build rows without a key have the number that stands for them, which is nobody's partner.
  const query::Range& range = graph_->at(id).range;
  if (!graph_->at(stage.build_keys[0]).nullable || !form.of_keyless_build ||
      !has_number(range, *form.of_keyless_build)) {
    return {};
  }
  PRESSO_ASSIGN(const std::size_t truth,
                append_constant(Kind::kNotEqual, key.value, *form.of_keyless_build, false));
  return require(key, truth);
}

/// A double's bits, which equal values have in common. Rows without one get their number behind
/// that (key_value()).
Status PipelineBuilder::add_real_key_of_side(NodeId id, KeyOfSide& key) {
  PRESSO_ASSIGN(key.value, key_or(id, key, {}));
  PRESSO_ASSIGN(key.value, append_constant(Kind::kReal, key.value, 0, true));
  values_[key.value].step.column = static_cast<Byte>(RealOperation::kKey);
  return {};
}

Status PipelineBuilder::add_part_of_key(const StageUse& use, std::size_t i, const KeyStride& stride,
                                        KeyOfSide& key) {
  const bool is_string = use.is_string(i);
  const query::Range range = use.key_ranges(*graph_)[i];
  const auto least = static_cast<std::int64_t>(range.least);
  const auto most = static_cast<std::int64_t>(range.most);
  const NodeId id = key.of_probe ? use.stage->probe_keys[i] : use.stage->build_keys[i];
  const std::int64_t beside = number_beside(range);
  PRESSO_ASSIGN(std::size_t part,
                is_string ? key_of_string(use, i, key, beside) : key_or(id, key, beside));
  const query::Range own = is_string ? range : graph_->at(id).range;
  if (!own.known || own.least < range.least || (key.has_null_number && beside < least)) {
    PRESSO_ASSIGN(const std::size_t truth, append_constant(Kind::kLessEqual, part, least, false));
    std::swap(values_[truth].step.a_is_constant, values_[truth].step.b_is_constant);
    PRESSO_TRY(require(key, truth));
  }
  if (!own.known || own.most > range.most || (key.has_null_number && beside > most)) {
    PRESSO_ASSIGN(const std::size_t truth, append_constant(Kind::kLessEqual, part, most, false));
    PRESSO_TRY(require(key, truth));
  }
  PRESSO_ASSIGN(part, append_constant(Kind::kSubtract, part, least, true));
  if (stride.stride != 1) {
    PRESSO_ASSIGN(part, append_constant(Kind::kMultiply, part,
                                        static_cast<std::int64_t>(stride.stride), true));
  }
  if (i != 0) {
    PRESSO_ASSIGN(part, append(Kind::kAdd, key.value, part, true));
  }
  key.value = part;
  return {};
}

}  // namespace presso::gpu
