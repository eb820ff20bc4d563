// SPDX-License-Identifier: MIT
// The joins of a query after names were looked up, as a tree. One table, the root, is scanned in
// its order and never kept; every other table is the build side of a stage, kept in memory or in
// files. Rows of the root pass the stages one after another. Rows of a build side may have passed
// stages of their own before they are kept.
//
// Plain data: query/bind/bind_joins.cpp builds it and query/run/join_run.h executes it. Tested
// through tests/unit/query/run/join_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "query/plan/query_spec.h"

namespace presso::query {

/// Which rows leave a stage. The probe side are the rows that come from the root.
enum class StageKind : Byte {
  /// Pairs of rows with equal keys.
  kInner,
  /// Pairs, and rows of the probe side without a partner.
  kProbeOuter,
  /// Pairs, and after all of them the rows of the build side without a partner.
  kBuildOuter,
  /// Pairs, and the rows of both sides without a partner.
  kFullOuter,
  /// Rows of the probe side that have a partner, each once.
  kProbeSemi,
  /// Rows of the probe side that have no partner.
  kProbeAnti,
  /// Rows of the build side that have a partner, after the probe side has been read.
  kBuildSemi,
  /// Rows of the build side that have no partner, after the probe side has been read.
  kBuildAnti,
};

/// Whether probe rows without a partner leave the stage besides pairs. Not true for kProbeAnti,
/// which no other rows leave.
constexpr bool keeps_probe(StageKind kind) {
  return kind == StageKind::kProbeOuter || kind == StageKind::kFullOuter;
}
/// Whether a row leaves the stage for each pair.
constexpr bool gives_pairs(StageKind kind) {
  return kind <= StageKind::kFullOuter;
}
/// Whether rows of the build side leave the stage after the probe side has been read.
constexpr bool gives_build_rows(StageKind kind) {
  return kind == StageKind::kBuildOuter || kind == StageKind::kFullOuter ||
         kind == StageKind::kBuildSemi || kind == StageKind::kBuildAnti;
}

/// One table of the query: a file, or several files with the same columns.
struct BoundSource {
  /// Index of its first column in BoundQuery::columns.
  std::size_t first_column = 0;
  /// The name by which messages call it.
  std::string name;
  std::uint64_t rows = 0;
  /// A query on this table alone: its columns, numbered from 0, and the conditions on them that are
  /// tested during its scan.
  BoundQuery scan;
  /// The plan of these conditions if one was made to choose the order of joins; it is kept so that
  /// the scan need not make it again.
  std::optional<FilterPlan> plan;
};

struct BoundStage;

/// A table and the stages that its rows pass, in order.
struct JoinTree {
  /// Index of the table in BoundJoins::sources.
  std::size_t root = 0;
  std::vector<BoundStage> stages;

  /// Whether the tree contains the table, at any depth.
  bool has(std::size_t source) const;
};

/// One join: a build side and how it is matched. probe_keys[i] is compared with build_keys[i].
struct BoundStage {
  JoinTree build;
  StageKind kind = StageKind::kInner;
  /// Keys of probe rows. All nodes here are numbers in the graph of expressions BoundQuery::input.
  std::vector<NodeId> probe_keys;
  /// Keys of build rows. Both keys of a pair have been converted to one physical form. The pair
  /// whose key has the widest range comes last, because joins that exceed the memory are divided by
  /// ranges of the last key.
  std::vector<NodeId> build_keys;
  /// Conditions that a pair of rows must fulfil besides having equal keys.
  std::vector<NodeId> residual;
};

/// All tables and joins of a query.
struct BoundJoins {
  std::vector<BoundSource> sources;
  JoinTree tree;

  /// The table that a column of BoundQuery::columns belongs to.
  std::size_t source_of(std::size_t column) const;
};

/// A qualifier that names a source unambiguously, whatever the user calls it. It starts with '#',
/// so that no name in a query has this form by chance.
std::string private_qualifier(std::size_t source);
/// Parses the argument of --on into `join`: equalities ("a = b, c = d"), names that both tables
/// have ("id"), or conditions. Error: kInvalidArgument if the list is empty.
Status take_on_list(std::vector<NamedExpression> list, JoinSpec& join);
/// The columns of all sources, one after another, as the first `joins` joins leave them: which have
/// become nullable, hidden (by USING), or unusable (the right side of a semi or anti join).
Result<std::vector<InputColumn>> joined_columns(const QuerySpec& spec,
                                                const std::vector<SourceFacts>& sources,
                                                std::size_t joins);
/// After a semi or anti join its right side has no values, while the join's own keys and conditions
/// may use it. Marks the columns of the right sides of those semi and anti joins as unusable that
/// are among the first `end` joins, and all other columns as usable.
void forbid_right_sides(BoundQuery& query, const QuerySpec& spec, std::size_t end);

}  // namespace presso::query
