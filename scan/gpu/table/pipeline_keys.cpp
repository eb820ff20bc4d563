// SPDX-License-Identifier: MIT
// PipelineBuilder: keys of joins as one number.
#include <limits>

#include "scan/gpu/table/node_width.h"
#include "scan/gpu/table/pipeline_builder.h"

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

/// Of a single key: two numbers beside the range of the build side's.
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

std::optional<KeyForm> key_form(const query::Graph& graph, const BoundStage& stage) {
  KeyForm form;
  if (stage.build_keys.size() == 1) {
    form.strides = {KeyStride{}};
    set_numbers_beside(graph.at(stage.build_keys[0]).range, form);
    return form;
  }
  std::uint64_t stride = 1;
  for (const NodeId key : stage.build_keys) {
    const query::Range& range = graph.at(key).range;
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

std::optional<LookupPlan::Range> PipelineBuilder::key_range(const BoundStage& stage) const {
  const query::Graph& graph = *execution_.query.input;
  if (stage.build_keys.size() == 1) {
    const query::Range& range = graph.at(stage.build_keys[0]).range;
    if (!values_of(range)) return std::nullopt;
    return LookupPlan::Range{image_of(range.least), image_of(range.most)};
  }
  std::uint64_t values = 1;
  for (const NodeId key : stage.build_keys) values *= *values_of(graph.at(key).range);
  return LookupPlan::Range{0, values - 1};
}

/// Keys as one number: a single one as it is, of several what the build side's ranges make of them.
/// Rows with a key that is null, or that no row of the other side has, are dropped, or get a number
/// that no key has.
Result<std::size_t> PipelineBuilder::key_value(const BoundStage& stage, bool of_probe) {
  for (const NodeId key : of_probe ? stage.probe_keys : stage.build_keys) {
    if (graph_->at(key).physical != Physical::kInt64) {
      return refused("keys of a join that are no integers");
    }
  }
  const std::optional<KeyForm> form = key_form(*graph_, stage);
  if (!form) return refused("keys of a join that do not fit into 63 bits together");
  KeyOfSide key;
  key.of_probe = of_probe;
  key.keeps_all = of_probe ? leaves_lone_rows(stage.kind) : leaves_keyless_rows(stage.kind);
  key.otherwise = of_probe ? form->of_lone_probe : form->of_keyless_build;
  if (form->strides.size() == 1) {
    PRESSO_TRY(add_single_key(stage, *form, key));
  } else {
    for (std::size_t i = 0; i < form->strides.size(); ++i) {
      PRESSO_TRY(add_part_of_key(stage, i, form->strides[i], key));
    }
  }
  if (!key.truth) return key.value;
  if (!key.otherwise) return refused("keys that may be null or anything");
  // (value - otherwise) * truth + otherwise, in 64 bits whatever the value is.
  PRESSO_ASSIGN(std::size_t chosen,
                append_constant(Kind::kSubtract, key.value, *key.otherwise, true));
  PRESSO_ASSIGN(chosen, append(Kind::kMultiply, chosen, *key.truth, true));
  return append_constant(Kind::kAdd, chosen, *key.otherwise, true);
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

Status PipelineBuilder::add_single_key(const BoundStage& stage, const KeyForm& form,
                                       KeyOfSide& key) {
  const NodeId id = key.of_probe ? stage.probe_keys[0] : stage.build_keys[0];
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

Status PipelineBuilder::add_part_of_key(const BoundStage& stage, std::size_t i,
                                        const KeyStride& stride, KeyOfSide& key) {
  const query::Range& range = graph_->at(stage.build_keys[i]).range;
  const auto least = static_cast<std::int64_t>(range.least);
  const auto most = static_cast<std::int64_t>(range.most);
  const NodeId id = key.of_probe ? stage.probe_keys[i] : stage.build_keys[i];
  const std::int64_t beside = number_beside(range);
  PRESSO_ASSIGN(std::size_t part, key_or(id, key, beside));
  const query::Range& own = graph_->at(id).range;
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
