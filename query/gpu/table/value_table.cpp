// SPDX-License-Identifier: MIT
// Implements value_table.h: evaluates the expression on all values of the domain, in batches.
// Declines (nullopt) an expression that fails for a value, that is not NULL where the column is
// NULL, or that is NULL for a value although no step of it can fail.
#include "query/gpu/table/value_table.h"

#include <algorithm>

#include "query/compute/program.h"

namespace presso::gpu {
namespace {

using query::kBatchRows;
using query::Physical;
using query::StringRef;
using query::VectorView;

/// One batch of a column's values.
class DomainBatch {
 public:
  explicit DomainBatch(const ValueDomain& domain) : domain_(domain) {}

  std::uint64_t size() const {
    return domain_.codes == nullptr ? domain_.count : domain_.codes->count();
  }

  /// A view of one row, as if it had a value; the caller makes it NULL.
  VectorView null_view() const {
    if (domain_.codes == nullptr) return {Physical::kInt64, integers_, nullptr};
    return {Physical::kString, strings_, nullptr};
  }

  VectorView view(std::uint64_t first, std::uint32_t count) {
    if (domain_.codes == nullptr) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto offset = static_cast<std::int64_t>(first + i);
        integers_[i] = domain_.least + offset;
      }
      return {Physical::kInt64, integers_, nullptr};
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      strings_[i] = domain_.codes->string(static_cast<std::int64_t>(first + i));
    }
    return {Physical::kString, strings_, nullptr};
  }

 private:
  const ValueDomain& domain_;
  std::int64_t integers_[kBatchRows] = {};
  StringRef strings_[kBatchRows] = {};
};

bool has_null(const VectorView& view, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (view.is_null(i)) return true;
  }
  return false;
}

void append_values(const VectorView& view, std::uint32_t count, ExpressionValues& to) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool is_null = view.is_null(i);
    to.values.push_back(is_null                            ? 0
                        : view.physical == Physical::kBool ? view.as<Byte>()[i]
                                                           : view.as<std::int64_t>()[i]);
  }
}

}  // namespace

std::optional<ExpressionValues> values_of_expression(const query::Graph& graph, query::NodeId id,
                                                     const ValueDomain& domain) {
  const query::Program program(graph, {id}, {domain.column});
  query::Program::State state(program);
  DomainBatch batch(domain);
  const bool may_fail = graph.may_fail(id);
  ExpressionValues all;
  all.values.reserve(static_cast<std::size_t>(batch.size()) + 1);
  std::vector<VectorView> results(1);
  if (domain.nullable) {
    constexpr std::uint64_t kNull = 0;
    VectorView input = batch.null_view();
    input.validity = &kNull;
    if (program.run(state, {&input, 1}, 1, results) || !results[0].is_null(0)) return std::nullopt;
  }
  for (std::uint64_t first = 0; first < batch.size(); first += kBatchRows) {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, batch.size() - first));
    const VectorView input = batch.view(first, count);
    const auto failure = program.run(state, {&input, 1}, count, results);
    if (failure) return std::nullopt;
    all.has_nulls = all.has_nulls || has_null(results[0], count);
    if (all.has_nulls && !may_fail) return std::nullopt;
    append_values(results[0], count, all);
  }
  // Among strings NULL has a number, too, so the values must reach up to it. It is looked up where
  // the column is NULL, and there the expression is NULL as well.
  if (domain.codes != nullptr) all.values.resize(domain.codes->null_number() + 1u);
  return all;
}

}  // namespace presso::gpu
