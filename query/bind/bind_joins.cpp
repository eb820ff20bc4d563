// SPDX-License-Identifier: MIT
// Builds the tree of joins (query/plan/join_plan.h) from the parts of the conditions
// (join_parts.h), and chooses the order of inner joins.
//
// Tables joined by inner joins before any join of another kind may be joined in any order. The one
// of which conditions leave the most rows becomes the root, which is scanned and never kept. The
// others follow greedily: among those with an equality to tables already joined, the one of which a
// row is expected to find the fewest partners. A table whose equalities are all with another build
// side is joined to that one beforehand. Later joins keep their order. If there are only two tables
// and a join of another kind, the larger one becomes the root as well, and the join is mirrored.
// Greedy choice takes O(n^2) looks at each equality for n tables; plans of minimal cost over all
// orders are not searched for. Tested through tests/unit/query/run/join_test.cpp.
#include <algorithm>

#include "query/bind/join_parts.h"
#include "query/bind/shown.h"
#include "query/plan/join_plan.h"

namespace presso::query {
namespace {

using JoinKind = SqlJoin::Kind;

/// The stage that makes a join if its right table is the build side.
StageKind stage_kind(JoinKind kind) {
  switch (kind) {
    case JoinKind::kLeft:
      return StageKind::kProbeOuter;
    case JoinKind::kRight:
      return StageKind::kBuildOuter;
    case JoinKind::kFull:
      return StageKind::kFullOuter;
    case JoinKind::kSemi:
      return StageKind::kProbeSemi;
    case JoinKind::kAnti:
      return StageKind::kProbeAnti;
    default:
      return StageKind::kInner;
  }
}

/// The join with its sides exchanged, so that either table can be the one that is scanned.
StageKind mirrored(StageKind kind) {
  switch (kind) {
    case StageKind::kProbeOuter:
      return StageKind::kBuildOuter;
    case StageKind::kBuildOuter:
      return StageKind::kProbeOuter;
    case StageKind::kProbeSemi:
      return StageKind::kBuildSemi;
    case StageKind::kProbeAnti:
      return StageKind::kBuildAnti;
    default:
      return kind;
  }
}

/// Orders and binds the joins of one query. Keeps references to its arguments; used once.
class JoinBinder {
 public:
  JoinBinder(BoundQuery& query, const QuerySpec& spec, const std::vector<SourceFacts>& sources,
             JoinParts parts, Binder& binder)
      : query_(query), spec_(spec), sources_(sources), binder_(binder), parts_(std::move(parts)) {}

  /// Builds the whole tree: inner joins, the joins after them, and conditions after all joins.
  Status bind() {
    forbid_right_sides(query_, spec_, 0);
    PRESSO_TRY(order_inner_joins());
    for (std::size_t join = parts_.inner; join < spec_.joins.size(); ++join) {
      PRESSO_TRY(add_later_stage(join));
      forbid_right_sides(query_, spec_, join + 1);
    }
    exchange_sides();
    return bind_conditions();
  }

 private:
  BoundJoins& joins() { return *query_.joins; }
  JoinTree& tree() { return joins().tree; }

  /// The expected number of rows of a source that fulfil its own conditions.
  double rows_left(std::size_t source) const { return left_[source]; }

  /// Fills left_: the plan's selectivity if there is a plan, otherwise all rows.
  void estimate_rows() {
    for (const BoundSource& source : joins().sources) {
      left_.push_back(static_cast<double>(source.rows));
      if (source.plan) left_.back() *= source.plan->selectivity;
    }
  }

  /// Chooses the root and joins the tables of the first inner joins, greedily. Equalities that
  /// became no key are tested on joined rows. A table without an equality to the others comes last,
  /// the smallest first, and is joined with all rows.
  Status order_inner_joins() {
    estimate_rows();
    std::size_t root = 0;
    for (std::size_t i = 1; i <= parts_.inner; ++i) {
      if (rows_left(i) > rows_left(root)) root = i;
    }
    // Divided queries name the table whose parts are distributed; it must be the root.
    if (parts_.inner > 0 && spec_.root) root = *spec_.root;
    tree().root = root;
    SourceSet joined = source_set(root);
    for (std::size_t step = 0; step < parts_.inner; ++step) {
      std::optional<std::size_t> next;
      std::pair<double, double> least;
      for (std::size_t i = 0; i <= parts_.inner; ++i) {
        if ((joined & source_set(i)) != 0 || !has_equality(joined, i)) continue;
        const std::pair<double, double> cost = {partners(joined, i), rows_left(i)};
        // Fewest partners first; among equals the smallest table, which needs least memory.
        if (next && least <= cost) continue;
        next = i;
        least = cost;
      }
      if (!next) {
        next = smallest(joined);
        add_cross_stage(*next);
      } else {
        PRESSO_TRY(add_inner_stage(joined, *next));
      }
      joined |= source_set(*next);
    }
    for (Equality& rest : parts_.pool) {
      parts_.inner_rest.push_back(
          {equality_expression(std::move(rest.parts)), std::move(rest.text)});
    }
    // Later outer joins must not see rows that these conditions drop, so they are tested in the
    // last inner join, as residual conditions; without later joins they join WHERE.
    const bool is_last = parts_.inner == spec_.joins.size();
    if (!is_last && parts_.inner > 0) {
      return bind_rest(parts_.inner_rest, tree().stages.back().residual);
    }
    parts_.after.insert(parts_.after.end(), parts_.inner_rest.begin(), parts_.inner_rest.end());
    return {};
  }

  /// The tree that a source is joined to: the root's, or a build side's if all equalities are with
  /// tables of that build side and the source does not multiply its rows. Joining there first makes
  /// the build side smaller before it is kept.
  JoinTree& place_of(SourceSet joined, std::size_t source) {
    JoinTree* place = &tree();
    // Joined to a build side, it would make more rows that must be kept.
    if (partners(joined, source) > 1) return *place;
    SourceSet others = 0;
    for (Equality& equality : parts_.pool) {
      if (connects(equality.parts, joined, source)) others |= equality.parts.left_sources;
    }
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (BoundStage& stage : place->stages) {
        if ((others & ~sources_in(stage.build)) != 0) continue;
        place = &stage.build;
        deeper = true;
        break;
      }
    }
    return *place;
  }

  /// All sources of a tree.
  static SourceSet sources_in(const JoinTree& tree) {
    SourceSet sources = source_set(tree.root);
    for (const BoundStage& stage : tree.stages) sources |= sources_in(stage.build);
    return sources;
  }

  /// Whether an equality connects a source with the tables joined already. If so it is turned so
  /// that the source stands on its right.
  static bool connects(JoinEquality& equality, SourceSet joined, std::size_t source) {
    const SourceSet own = source_set(source);
    if (equality.left_sources == own && (equality.right_sources & ~joined) == 0) {
      std::swap(equality.left, equality.right);
      std::swap(equality.left_sources, equality.right_sources);
    }
    return equality.right_sources == own && (equality.left_sources & ~joined) == 0;
  }

  bool has_equality(SourceSet joined, std::size_t source) {
    return std::any_of(parts_.pool.begin(), parts_.pool.end(), [&](Equality& equality) {
      return connects(equality.parts, joined, source);
    });
  }

  /// How many rows of `source` a joined row is expected to find: the rows that conditions leave,
  /// divided by the number of different keys. Keys are assumed to be as many as their range has
  /// integers, at most as many as there are rows.
  double partners(SourceSet joined, std::size_t source) {
    const double all = std::max(1.0, static_cast<double>(sources_[source].rows));
    double keys = 1;
    for (Equality& equality : parts_.pool) {
      if (connects(equality.parts, joined, source)) keys *= values_of(equality.parts.right, all);
    }
    return rows_left(source) / std::min(keys, all);
  }

  /// The number of different values that a key expression may have, at most `rows`.
  double values_of(const Expression& key, double rows) {
    // A key that cannot be bound is reported later, when it becomes a key of a stage.
    const auto bound = binder_.bind(key);
    if (!bound.ok()) return rows;
    const Node& node = binder_.builder().at(*bound);
    if (node.physical == Physical::kBool) return 2;
    if (node.physical != Physical::kInt64 || !node.range.known) return rows;
    return std::min(rows, static_cast<double>(node.range.most - node.range.least) + 1);
  }

  /// The table of the inner joins with the fewest rows among those that are not joined yet.
  std::size_t smallest(SourceSet joined) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i <= parts_.inner; ++i) {
      if ((joined & source_set(i)) != 0) continue;
      if (!found || rows_left(i) < rows_left(*found)) found = i;
    }
    return *found;
  }

  /// Joins a table by a constant, which is equal for all pairs of rows.
  void add_cross_stage(std::size_t source) {
    BoundStage stage;
    stage.build.root = source;
    stage.probe_keys.push_back(binder_.builder().integer(1));
    stage.build_keys.push_back(binder_.builder().integer(1));
    tree().stages.push_back(std::move(stage));
  }

  /// Adds a stage with all equalities that connect `source` with the tables joined already.
  Status add_inner_stage(SourceSet joined, std::size_t source) {
    BoundStage stage;
    stage.build.root = source;
    JoinTree& place = place_of(joined, source);
    std::vector<Equality> left_over;
    for (Equality& equality : parts_.pool) {
      if (connects(equality.parts, joined, source)) {
        PRESSO_TRY(add_keys(stage, equality));
      } else {
        left_over.push_back(std::move(equality));
      }
    }
    parts_.pool = std::move(left_over);
    place.stages.push_back(std::move(stage));
    return {};
  }

  /// The number of integers in a key's range, or 0 if the range is unknown or the key is no
  /// integer.
  double width_of(NodeId id) const {
    const Node& key = binder_.builder().at(id);
    if (key.physical != Physical::kInt64 || !key.range.known) return 0;
    return static_cast<double>(key.range.most - key.range.least) + 1;
  }

  /// Binds both sides of an equality, converts them to one type, and adds them as keys of the
  /// stage.
  Status add_keys(BoundStage& stage, const Equality& equality) {
    PRESSO_ASSIGN(const NodeId probe, shown(binder_.bind(equality.parts.left), equality.text));
    PRESSO_ASSIGN(const NodeId build, shown(binder_.bind(equality.parts.right), equality.text));
    std::vector<NodeId> both = {probe, build};
    Status unified = binder_.builder().unify_compared(both);
    if (!unified.ok()) unified = unify_empty(equality.parts, std::move(unified), both);
    if (!unified.ok()) {
      return shown(at_place(std::move(unified.error()), equality.parts.left), equality.text);
    }
    // The key with the widest range comes last: joins that do not fit in memory are divided by
    // ranges of the last key.
    std::size_t place = stage.build_keys.size();
    while (place > 0 && width_of(both[1]) < width_of(stage.build_keys[place - 1])) --place;
    const auto at = static_cast<std::ptrdiff_t>(place);
    stage.probe_keys.insert(stage.probe_keys.begin() + at, both[0]);
    stage.build_keys.insert(stage.build_keys.begin() + at, both[1]);
    return {};
  }

  /// A plain file without rows has string columns, since nothing tells their types. Its key is
  /// replaced by a NULL of the other side's type. If both sides have rows the original error is
  /// returned.
  Status unify_empty(const JoinEquality& parts, Status error, std::vector<NodeId>& keys) const {
    const auto has_rows = [this](SourceSet sources) {
      bool rows = false;
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        rows = rows || ((sources & source_set(i)) != 0 && sources_[i].rows != 0);
      }
      return rows;
    };
    const Builder& build = binder_.builder();
    const auto as_null = [&](std::size_t empty) -> Status {
      PRESSO_ASSIGN(keys[empty], build.cast(build.null(), build.at(keys[1 - empty]).schema));
      return build.unify(keys);
    };
    if (!has_rows(parts.left_sources)) return as_null(0);
    if (!has_rows(parts.right_sources)) return as_null(1);
    return error;
  }

  /// Adds the stage of a join after the inner ones, in the user's order. Without an equality the
  /// key is a constant, and the other conditions of ON choose among all pairs.
  Status add_later_stage(std::size_t join) {
    BoundStage stage;
    stage.build.root = join + 1;
    stage.kind = stage_kind(spec_.joins[join].kind);
    for (const Equality& equality : parts_.keys[join]) {
      PRESSO_TRY(add_keys(stage, equality));
    }
    if (parts_.keys[join].empty()) {
      stage.probe_keys.push_back(binder_.builder().integer(1));
      stage.build_keys.push_back(binder_.builder().integer(1));
    }
    PRESSO_TRY(bind_rest(parts_.residual[join], stage.residual));
    tree().stages.push_back(std::move(stage));
    return {};
  }

  /// Looks up conditions and appends their nodes to `to`.
  Status bind_rest(const std::vector<Rest>& from, std::vector<NodeId>& to) {
    for (const auto& [condition, text] : from) {
      PRESSO_ASSIGN(const NodeId id, shown(binder_.bind_condition(condition), text));
      to.push_back(id);
    }
    return {};
  }

  /// With two tables and one join that is not inner: makes the larger table the root.
  void exchange_sides() {
    if (sources_.size() != 2 || parts_.inner != 0) return;
    if (spec_.root.value_or(rows_left(0) >= rows_left(1) ? 0 : 1) == 0) return;
    BoundStage& stage = tree().stages[0];
    tree().root = 1;
    stage.build.root = 0;
    stage.kind = mirrored(stage.kind);
    std::swap(stage.probe_keys, stage.build_keys);
  }

  /// What could not be tested earlier is tested on the rows that leave the last join.
  Status bind_conditions() { return bind_rest(parts_.after, query_.conditions); }

  BoundQuery& query_;
  const QuerySpec& spec_;
  const std::vector<SourceFacts>& sources_;
  Binder& binder_;
  JoinParts parts_;
  /// Expected rows by source, after its own conditions.
  std::vector<double> left_;
};

}  // namespace

/// Recursive; trees are as deep as build sides are nested.
bool JoinTree::has(std::size_t source) const {
  return source == root ||
         std::any_of(stages.begin(), stages.end(),
                     [source](const BoundStage& stage) { return stage.build.has(source); });
}

/// Linear in the number of sources, of which there are few.
std::size_t BoundJoins::source_of(std::size_t column) const {
  std::size_t source = 0;
  while (source + 1 < sources.size() && sources[source + 1].first_column <= column) ++source;
  return source;
}

/// Names without a qualifier become USING, equalities become pairs, and all others one condition of
/// ON.
Status take_on_list(std::vector<NamedExpression> list, JoinSpec& join) {
  if (list.empty()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "a join needs columns that are equal on both sides, such as a = b");
  }
  std::vector<Expression> conditions;
  for (NamedExpression& item : list) {
    Expression& one = item.expression;
    const bool equality =
        one.kind == Expression::Kind::kOperator && one.op == Expression::Op::kEqual;
    if (one.kind == Expression::Kind::kColumn && one.qualifier.empty()) {
      join.using_columns.push_back(std::move(one));
    } else if (equality) {
      join.pairs.emplace_back(std::move(one.arguments[0]), std::move(one.arguments[1]));
    } else {
      conditions.push_back(std::move(one));
    }
  }
  if (conditions.size() == 1) join.on = std::move(conditions[0]);
  if (conditions.size() > 1) join.on = operation(Expression::Op::kAnd, std::move(conditions));
  return {};
}

/// Called once with the result of bind_scans(); moves its parts.
Status bind_joins(BoundQuery& query, const QuerySpec& spec, const std::vector<SourceFacts>& sources,
                  JoinScans scans, Binder& binder) {
  query.joins = std::make_unique<BoundJoins>();
  query.joins->sources = std::move(scans.sources);
  return JoinBinder(query, spec, sources, std::move(scans.parts), binder).bind();
}

}  // namespace presso::query
