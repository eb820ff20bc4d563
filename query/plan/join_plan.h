// SPDX-License-Identifier: MIT
// The joins of a query after names were looked up: one table is read in its order, the root; each
// other one belongs to the build side of a stage, which the root's rows pass one after another. The
// rows of a build side may themselves have passed stages before.
// Tested through tests/unit/query/run/join_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "query/plan/query_spec.h"

namespace presso::query {

/// What comes out of a stage. Rows that come from the root's side are the probe side's.
enum class StageKind : Byte {
  kInner,       ///< pairs
  kProbeOuter,  ///< and rows of the probe side without a partner
  kBuildOuter,  ///< and rows of the build side without one, after all others
  kFullOuter,   ///< both
  kProbeSemi,   ///< rows of the probe side that have a partner
  kProbeAnti,   ///< those that have none
  kBuildSemi,   ///< rows of the build side that have a partner, after all others
  kBuildAnti,   ///< those that have none
};

constexpr bool keeps_probe(StageKind kind) {
  return kind == StageKind::kProbeOuter || kind == StageKind::kFullOuter;
}
constexpr bool gives_pairs(StageKind kind) {
  return kind <= StageKind::kFullOuter;
}
/// Whether rows of the build side come out at the end.
constexpr bool gives_build_rows(StageKind kind) {
  return kind == StageKind::kBuildOuter || kind == StageKind::kFullOuter ||
         kind == StageKind::kBuildSemi || kind == StageKind::kBuildAnti;
}

/// A file, or several with the same columns.
struct BoundSource {
  std::size_t first_column = 0;  ///< in BoundQuery::columns
  std::string name;
  std::uint64_t rows = 0;
  BoundQuery scan;  ///< its own columns, numbered from 0 on, and the conditions on them alone
  std::optional<FilterPlan> plan;  ///< of these, where the order of joins was chosen by it
};

struct BoundStage;

/// A table, and the stages that its rows pass.
struct JoinTree {
  std::size_t root = 0;  ///< a source
  std::vector<BoundStage> stages;

  bool has(std::size_t source) const;
};

struct BoundStage {
  JoinTree build;
  StageKind kind = StageKind::kInner;
  std::vector<NodeId> probe_keys;  ///< of BoundQuery::input, as all nodes here
  std::vector<NodeId> build_keys;  ///< in the same physical form
  std::vector<NodeId> residual;    ///< what pairs must fulfil beside equal keys
};

struct BoundJoins {
  std::vector<BoundSource> sources;
  JoinTree tree;

  std::size_t source_of(std::size_t column) const;
};

/// By which a source's columns are named whatever its name is.
std::string private_qualifier(std::size_t source);
/// "a = b, c = d", "id", or conditions: what stands behind --on.
Status take_on_list(std::vector<NamedExpression> list, JoinSpec& join);
/// The combined columns, as far as the first `joins` joins change them: which may be null, hidden,
/// or not used. USING hides columns.
Result<std::vector<InputColumn>> joined_columns(const QuerySpec& spec,
                                                const std::vector<SourceFacts>& sources,
                                                std::size_t joins);
/// Behind a semi or anti join its right side has no rows; its own keys and conditions see it.
/// Forbids columns of the right sides of joins before `end`, and allows all others.
void forbid_right_sides(BoundQuery& query, const QuerySpec& spec, std::size_t end);

}  // namespace presso::query
