// SPDX-License-Identifier: MIT
// Implements group_answer.h, the last steps of a grouped query: HAVING, the expressions of the
// answer's columns, and ORDER BY, with programs and scratch memory of their own. One thread calls
// all functions, with up to kBatchRows groups at a time.
#include "query/answer/group_answer.h"

#include <algorithm>

namespace presso::query {
namespace {

/// The error for a group whose result cannot be computed, such as a division by zero.
Error group_failure(const Failure& failure) {
  return make_error(ErrorCode::kInvalidArgument, "a group: " + failure.what);
}

/// The representations of the columns, for a RowStore that holds them.
std::vector<Physical> physical_of(const std::vector<VectorView>& views) {
  std::vector<Physical> physical;
  for (const VectorView& view : views) physical.push_back(view.physical);
  return physical;
}

}  // namespace

Status GroupAnswer::begin(std::uint64_t memory_bytes, std::uint64_t held_bytes) {
  held_bytes_ = held_bytes;
  const Graph& graph = *query().output;
  // Results and sort keys are computed together, so that parts they share are computed once.
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
  // Sort keys follow the results as columns of the ordering.
  for (OrderKey& key : plan.keys) key.column += query().results.size();
  plan.limit = query().last_row();
  plan.memory_bytes = memory_bytes;
  plan.temporary_directory = execution_.options.temporary_directory;
  PRESSO_ASSIGN(ordering_, Ordering::make(plan));
  return {};
}

/// Groups are handed on at once without ORDER BY; otherwise they go to the ordering and finish()
/// writes them.
Result<bool> GroupAnswer::take(std::vector<VectorView>& views, std::uint32_t count,
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

/// Key columns of dictionary codes become strings, as expressions and the answer need them.
void GroupAnswer::strings_of_codes(std::vector<VectorView>& views, std::uint32_t count) {
  key_strings_.resize(input_.codes().size());
  for (std::size_t i = 0; i < input_.codes().size(); ++i) {
    if (input_.codes()[i] == nullptr) continue;
    key_strings_[i].resize(kBatchRows);
    for (std::uint32_t row = 0; row < count; ++row) {
      key_strings_[i][row] = views[i].is_null(row)
                                 ? StringRef{}
                                 : input_.codes()[i]->string(views[i].as<std::int64_t>()[row]);
    }
    views[i].physical = Physical::kString;
    views[i].values = key_strings_[i].data();
  }
}

/// Removes groups for which HAVING is not true and returns how many are left; `views` then refer to
/// kept_.
Result<std::uint32_t> GroupAnswer::keep_having(std::vector<VectorView>& views,
                                               std::uint32_t count) {
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
  // Nothing is copied if all groups are kept, the usual case.
  if (rows.size() == count) return count;
  kept_.append(views, count);
  kept_ = kept_.picked(rows);
  for (std::size_t i = 0; i < views.size(); ++i) views[i] = kept_.view(i, 0);
  return static_cast<std::uint32_t>(rows.size());
}

Status GroupAnswer::finish() {
  if (ordering_ != nullptr) {
    std::vector<VectorView> views(query().results.size());
    for (bool more = true; more;) {
      PRESSO_ASSIGN(const RowStore sorted, ordering_->next());
      if (sorted.rows() == 0) break;
      for (std::uint64_t first = 0; more && first < sorted.rows(); first += kBatchRows) {
        const auto count =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, sorted.rows() - first));
        for (std::size_t i = 0; i < views.size(); ++i) views[i] = sorted.view(i, first);
        PRESSO_ASSIGN(more, output_->append(views, count));
      }
    }
    // The caller's groups and the ordering exist at the same time.
    execution_.summary.peak_bytes =
        std::max(execution_.summary.peak_bytes, held_bytes_ + ordering_->peak_bytes());
    execution_.summary.spilled_bytes += ordering_->spilled_bytes();
    execution_.notes.push_back("order: " + ordering_->describe());
  }
  PRESSO_TRY(output_->finish());
  execution_.summary.rows = output_->rows();
  return {};
}

}  // namespace presso::query
