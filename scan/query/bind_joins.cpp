// SPDX-License-Identifier: MIT
// Conditions of ON and WHERE are taken apart (join_condition.h) and go to the earliest place where
// they may be tested: to the scan of one table, to the keys of a stage, to pairs of rows, or behind
// all joins.
//
// Tables that are joined by inner joins before any other kind may be joined in any order: the one
// of which conditions leave the most rows is the root, which is read and never kept; the others
// follow, of those with an equality the one first of which a row is expected to find the fewest
// partners. One whose equalities are with another build side only is joined to that before. Later
// joins keep their order. Of two tables with another kind of join the root is chosen likewise.
#include <algorithm>
#include <bit>

#include "scan/query/join_condition.h"
#include "scan/query/join_plan.h"
#include "scan/query/shown.h"

namespace presso::query {
namespace {

using Kind = SqlJoin::Kind;

bool is_inner(Kind kind) {
  return kind == Kind::kInner || kind == Kind::kComma;
}

StageKind stage_kind(Kind kind) {
  switch (kind) {
    case Kind::kLeft:
      return StageKind::kProbeOuter;
    case Kind::kRight:
      return StageKind::kBuildOuter;
    case Kind::kFull:
      return StageKind::kFullOuter;
    case Kind::kSemi:
      return StageKind::kProbeSemi;
    case Kind::kAnti:
      return StageKind::kProbeAnti;
    default:
      return StageKind::kInner;
  }
}

/// The same join with its sides exchanged.
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

/// Of columns of the right side, behind a join.
std::string why_unusable(Kind kind) {
  if (kind == Kind::kSemi) return "its table stands on the right of a semi join";
  if (kind == Kind::kAnti) return "its table stands on the right of an anti join";
  return {};
}

struct Equality {
  JoinEquality parts;
  std::string text;
};
struct Rest {
  Expression condition;
  std::string text;
};

class JoinBinder {
 public:
  JoinBinder(BoundQuery& query, const QuerySpec& spec, std::vector<SourceFacts> sources,
             Binder& binder)
      : query_(query), spec_(spec), sources_(std::move(sources)), binder_(binder) {}

  Status bind() {
    query_.joins = std::make_unique<BoundJoins>();
    conditions_of_.resize(sources_.size());
    keys_.resize(spec_.joins.size());
    residual_.resize(spec_.joins.size());
    while (inner_ < spec_.joins.size() && is_inner(spec_.joins[inner_].kind)) ++inner_;
    forbid_right_sides(0);
    for (std::size_t join = 0; join < spec_.joins.size(); ++join) {
      PRESSO_TRY(take_join(join));
    }
    forbid_right_sides(spec_.joins.size());
    for (const auto& [condition, text] : spec_.conditions) {
      PRESSO_TRY(take_where(condition, text));
    }
    PRESSO_TRY(bind_scans());
    forbid_right_sides(0);
    PRESSO_TRY(order_inner_joins());
    for (std::size_t join = inner_; join < spec_.joins.size(); ++join) {
      PRESSO_TRY(add_later_stage(join));
      forbid_right_sides(join + 1);
    }
    exchange_sides();
    return bind_conditions();
  }

 private:
  BoundJoins& joins() { return *query_.joins; }

  SourceOf source_of() {
    return [this](const Expression& column) -> Result<std::size_t> {
      PRESSO_ASSIGN(const std::size_t number, binder_.find_column(column));
      return query_.columns[number].source;
    };
  }

  /// Sources 0 to `join` stand on the left of a join.
  static SourceSet left_of(std::size_t join) { return source_set(join + 1) - 1; }

  // --- ON

  Status take_join(std::size_t join) {
    const JoinSpec& spec = spec_.joins[join];
    for (const auto& [left, right] : spec.pairs) {
      PRESSO_TRY(take_pair(join, left, right));
    }
    for (const Expression& column : spec.using_columns) {
      PRESSO_TRY(take_using(join, column));
    }
    if (spec.on) {
      PRESSO_TRY(take_on(join, *spec.on));
    }
    return {};
  }

  /// "a = b" with a on the left and b on the right, or the other way round. Other equalities are
  /// conditions.
  Status take_pair(std::size_t join, const Expression& first, const Expression& second) {
    const std::string& text = spec_.joins[join].text;
    Expression left = first, right = second;
    Status bound = qualify_pair(join, left, right);
    if (!bound.ok()) {
      left = second, right = first;
      if (!qualify_pair(join, left, right).ok()) {
        Expression whole = pair_expression(first, second);
        const bool is_condition = qualify(whole, join, 0, join + 2).ok();
        return is_condition ? take_on(join, whole) : shown(std::move(bound.error()), text);
      }
    }
    return take_qualified(join, std::move(left), std::move(right));
  }

  /// `left` and `right` have their tables' names.
  Status take_qualified(std::size_t join, Expression left, Expression right) {
    JoinEquality equality;
    PRESSO_ASSIGN(equality.left_sources, sources_of(left, source_of()));
    PRESSO_ASSIGN(equality.right_sources, sources_of(right, source_of()));
    if (equality.left_sources == 0 || equality.right_sources == 0) {
      return take_on(join, pair_expression(left, right));
    }
    equality.left = std::move(left);
    equality.right = std::move(right);
    return take_equality(join, std::move(equality), spec_.joins[join].text);
  }

  static Expression pair_expression(const Expression& left, const Expression& right) {
    Expression result = operation(Expression::Op::kEqual, {left, right});
    result.offset = left.offset;
    result.length = left.length;
    return result;
  }

  Status qualify_pair(std::size_t join, Expression& left, Expression& right) {
    PRESSO_TRY(qualify(left, join, 0, join + 1));
    return qualify(right, join, join + 1, join + 2);
  }

  /// Names are looked up among the sources [first, end), as they stand before a join, and say from
  /// then on which of them they mean.
  Status qualify(Expression& tree, std::size_t join, std::size_t first, std::size_t end) {
    PRESSO_ASSIGN(std::vector<InputColumn> columns, joined_columns(spec_, sources_, join));
    Qualifiers qualifiers(sources_.size());
    for (std::size_t source = first; source < end; ++source) {
      qualifiers[source] = sources_[source].qualifiers;
      qualifiers[source].push_back(private_qualifier(source));
    }
    const auto first_column = std::find_if(
        columns.begin(), columns.end(), [&](const auto& column) { return column.source >= first; });
    const auto end_column = std::find_if(first_column, columns.end(),
                                         [&](const auto& column) { return column.source >= end; });
    columns = std::vector<InputColumn>(first_column, end_column);
    Graph graph;
    return qualify_names(tree, Binder(graph, columns, std::move(qualifiers)), columns);
  }

  Status qualify_names(Expression& tree, const Binder& binder,
                       const std::vector<InputColumn>& columns) const {
    for (Expression& argument : tree.arguments) {
      PRESSO_TRY(qualify_names(argument, binder, columns));
    }
    if (tree.kind != Expression::Kind::kColumn) return {};
    PRESSO_ASSIGN(const std::size_t found, binder.find_column(tree));
    const bool merged = tree.qualifier.empty() && !columns[found].otherwise.empty();
    tree.qualifier = private_qualifier(columns[found].source);
    tree.text = columns[found].name;
    if (!merged) return {};
    // USING in a full join before: the name means the first value that there is.
    std::vector<Expression> values = {tree};
    for (const std::size_t other : columns[found].otherwise) {
      values.push_back(tree);
      values.back().qualifier = private_qualifier(query_.columns[other].source);
    }
    Expression value = call("coalesce", std::move(values));
    value.offset = tree.offset;
    value.length = tree.length;
    tree = std::move(value);
    return {};
  }

  Status take_using(std::size_t join, const Expression& column) {
    Expression left = column, right = column;
    Status bound = qualify_pair(join, left, right);
    if (!bound.ok()) return shown(std::move(bound.error()), spec_.joins[join].text);
    return take_qualified(join, std::move(left), std::move(right));
  }

  Status take_on(std::size_t join, const Expression& on) {
    const std::string& text = spec_.joins[join].text;
    Expression condition = on;
    Status bound = qualify(condition, join, 0, join + 2);
    if (!bound.ok()) {
      const bool is_later = sources_of(on, source_of()).ok();
      return is_later ? too_early(on, text) : shown(std::move(bound.error()), text);
    }
    auto split = split_condition(std::move(condition), source_of());
    if (!split.ok()) return shown(std::move(split.error()), text);
    for (JoinEquality& equality : split->equalities) {
      PRESSO_TRY(take_equality(join, std::move(equality), text));
    }
    for (SourceCondition& one : split->single) {
      const bool right = one.source == join + 1;
      const bool scanned = join < inner_ || (right && on_may_filter(spec_.joins[join].kind, true));
      if (one.source > join + 1) return too_early(one.condition, text);
      if (scanned) {
        conditions_of_[one.source].push_back({std::move(one.condition), text});
      } else if (!one.implied) {
        residual_[join].push_back({std::move(one.condition), text});
      }
    }
    for (RestCondition& rest : split->rest) {
      if ((rest.sources & ~left_of(join + 1)) != 0) return too_early(rest.condition, text);
      auto& to = join < inner_ ? inner_rest_ : residual_[join];
      to.push_back({std::move(rest.condition), text});
    }
    return {};
  }

  static Status too_early(const Expression& condition, const std::string& text) {
    return shown(at_place(make_error(ErrorCode::kInvalidArgument,
                                     "a table that is joined later cannot be named here"),
                          condition),
                 text);
  }

  Status take_equality(std::size_t join, JoinEquality equality, const std::string& text) {
    const SourceSet all = equality.left_sources | equality.right_sources;
    if ((all & ~left_of(join + 1)) != 0) return too_early(equality.left, text);
    if (join < inner_ && !equality.nulls_are_equal) {
      pool_.push_back({std::move(equality), text});
      return {};
    }
    const SourceSet right = source_set(join + 1);
    if (equality.left_sources == right) {
      std::swap(equality.left, equality.right);
      std::swap(equality.left_sources, equality.right_sources);
    }
    const bool usable = equality.right_sources == right && (equality.left_sources & right) == 0 &&
                        !equality.nulls_are_equal;
    if (usable) {
      keys_[join].push_back({std::move(equality), text});
    } else {
      auto& to = join < inner_ ? inner_rest_ : residual_[join];
      to.push_back({equality_expression(std::move(equality)), text});
    }
    return {};
  }

  static Expression equality_expression(JoinEquality equality) {
    const Expression place = equality.left;
    Expression result =
        operation(equality.nulls_are_equal ? Expression::Op::kIsDistinct : Expression::Op::kEqual,
                  {std::move(equality.left), std::move(equality.right)});
    result.negated = equality.nulls_are_equal;
    result.offset = place.offset;
    result.length = place.length;
    return result;
  }

  /// Behind a semi or anti join its right side has no rows; its own keys and conditions see it.
  /// Forbids those of joins before `end`.
  void forbid_right_sides(std::size_t end) {
    for (InputColumn& column : query_.columns) {
      column.unusable.clear();
      if (column.source == 0 || column.source > end) continue;
      column.unusable = why_unusable(spec_.joins[column.source - 1].kind);
    }
  }

  // --- WHERE

  Status take_where(const Expression& condition, const std::string& text) {
    auto split = split_condition(condition, source_of());
    if (!split.ok()) return shown(std::move(split.error()), text);
    for (JoinEquality& equality : split->equalities) {
      const SourceSet all = equality.left_sources | equality.right_sources;
      const auto last = static_cast<std::size_t>(std::bit_width(all)) - 1;
      const bool joins = last > 0 && is_inner(spec_.joins[last - 1].kind) &&
                         where_may_filter_source(last) && !equality.nulls_are_equal;
      if (joins) {
        PRESSO_TRY(take_equality(last - 1, std::move(equality), text));
      } else {
        after_.push_back({equality_expression(std::move(equality)), text});
      }
    }
    for (SourceCondition& one : split->single) {
      if (where_may_filter_source(one.source)) {
        conditions_of_[one.source].push_back({std::move(one.condition), text});
      } else if (!one.implied) {
        after_.push_back({std::move(one.condition), text});
      }
    }
    for (RestCondition& rest : split->rest) after_.push_back({std::move(rest.condition), text});
    return {};
  }

  bool where_may_filter_source(std::size_t source) const {
    bool may = true;
    for (std::size_t join = 0; join < spec_.joins.size(); ++join) {
      if (join + 1 < source) continue;
      may = may && where_may_filter(spec_.joins[join].kind, source == join + 1);
    }
    return may;
  }

  Status bind_scans() {
    std::size_t first_column = 0;
    for (std::size_t number = 0; number < sources_.size(); ++number) {
      SourceFacts& facts = sources_[number];
      BoundSource source;
      source.first_column = first_column;
      source.name = facts.qualifiers.empty() ? "table " + std::to_string(number + 1)
                                             : facts.qualifiers.front();
      source.rows = facts.rows;
      first_column += facts.columns.size();
      QuerySpec spec;
      for (auto& [condition, text] : conditions_of_[number]) {
        spec.conditions.push_back({std::move(condition), std::move(text)});
      }
      facts.qualifiers.push_back(private_qualifier(number));
      PRESSO_ASSIGN(source.scan, bind_query(spec, {facts}));
      joins().sources.push_back(std::move(source));
    }
    return {};
  }

  // --- stages

  /// The rows that a source's own conditions leave.
  double rows_left(std::size_t source) const { return left_[source]; }

  void estimate_rows() {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      left_.push_back(static_cast<double>(sources_[i].rows));
      BoundSource& source = joins().sources[i];
      if (source.scan.conditions.empty() || !sources_[i].plan) continue;
      auto plan = sources_[i].plan(source.scan);
      if (!plan.ok()) continue;  // what is wrong is found again
      left_.back() *= plan->selectivity;
      source.plan = std::move(*plan);
    }
  }

  Status order_inner_joins() {
    estimate_rows();
    std::size_t root = 0;
    for (std::size_t i = 1; i <= inner_; ++i) {
      if (rows_left(i) > rows_left(root)) root = i;
    }
    tree().root = root;
    SourceSet joined = source_set(root);
    for (std::size_t step = 0; step < inner_; ++step) {
      std::optional<std::size_t> next;
      std::pair<double, double> least;
      for (std::size_t i = 0; i <= inner_; ++i) {
        if ((joined & source_set(i)) != 0 || !has_equality(joined, i)) continue;
        const std::pair<double, double> cost = {partners(joined, i), rows_left(i)};
        if (next && least <= cost) continue;
        next = i;
        least = cost;
      }
      if (!next) return no_equality(joined);
      PRESSO_TRY(add_inner_stage(joined, *next));
      joined |= source_set(*next);
    }
    for (Equality& rest : pool_) {
      inner_rest_.push_back({equality_expression(std::move(rest.parts)), std::move(rest.text)});
    }
    // Outer joins that follow must not see what these leave out.
    const bool is_last = inner_ == spec_.joins.size();
    if (!is_last && inner_ > 0) return bind_rest(inner_rest_, tree().stages.back().residual);
    after_.insert(after_.end(), inner_rest_.begin(), inner_rest_.end());
    return {};
  }

  JoinTree& tree() { return joins().tree; }

  /// Where a source is joined: to rows of the root, or before that to those of a build side, if its
  /// equalities are with that one only, and it does not make more rows of them.
  JoinTree& place_of(SourceSet joined, std::size_t source) {
    JoinTree* place = &tree();
    if (partners(joined, source) > 1) return *place;
    SourceSet others = 0;
    for (Equality& equality : pool_) {
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

  static SourceSet sources_in(const JoinTree& tree) {
    SourceSet sources = source_set(tree.root);
    for (const BoundStage& stage : tree.stages) sources |= sources_in(stage.build);
    return sources;
  }

  /// Between a source and those that are joined already; turned so that it stands on the right.
  static bool connects(JoinEquality& equality, SourceSet joined, std::size_t source) {
    const SourceSet own = source_set(source);
    if (equality.left_sources == own && (equality.right_sources & ~joined) == 0) {
      std::swap(equality.left, equality.right);
      std::swap(equality.left_sources, equality.right_sources);
    }
    return equality.right_sources == own && (equality.left_sources & ~joined) == 0;
  }

  bool has_equality(SourceSet joined, std::size_t source) {
    return std::any_of(pool_.begin(), pool_.end(), [&](Equality& equality) {
      return connects(equality.parts, joined, source);
    });
  }

  /// How many rows of a source a row is expected to find. Keys are taken to be as many as lie
  /// between the least and the greatest one, or as there are rows.
  double partners(SourceSet joined, std::size_t source) {
    const double all = std::max(1.0, static_cast<double>(sources_[source].rows));
    double keys = 1;
    for (Equality& equality : pool_) {
      if (connects(equality.parts, joined, source)) keys *= values_of(equality.parts.right, all);
    }
    return rows_left(source) / std::min(keys, all);
  }

  double values_of(const Expression& key, double rows) {
    const auto bound = binder_.bind(key);
    if (!bound.ok()) return rows;
    const Node& node = binder_.builder().at(*bound);
    if (node.physical == Physical::kBool) return 2;
    if (node.physical != Physical::kInt64 || !node.range.known) return rows;
    return std::min(rows, static_cast<double>(node.range.most - node.range.least) + 1);
  }

  Status no_equality(SourceSet joined) const {
    std::string missing;
    for (std::size_t i = 0; i <= inner_; ++i) {
      if ((joined & source_set(i)) != 0) continue;
      missing += (missing.empty() ? "" : ", ") + name_of(i);
    }
    return needs_equality(missing, name_of(joins_root()));
  }
  static Error needs_equality(const std::string& source, const std::string& to) {
    return make_error(ErrorCode::kInvalidArgument,
                      "no equality joins " + source + " to " + to +
                          ": a join needs one of columns of both, such as a.key = b.key, beside "
                          "which others (<, between, ...) may stand; all rows of one with all rows "
                          "of the other are not made");
  }
  std::size_t joins_root() const { return query_.joins->tree.root; }
  std::string name_of(std::size_t source) const {
    const auto& names = sources_[source].qualifiers;
    return names.empty() ? "table " + std::to_string(source + 1) : names.front();
  }

  Status add_inner_stage(SourceSet joined, std::size_t source) {
    BoundStage stage;
    stage.build.root = source;
    JoinTree& place = place_of(joined, source);
    std::vector<Equality> left_over;
    for (Equality& equality : pool_) {
      if (connects(equality.parts, joined, source)) {
        PRESSO_TRY(add_keys(stage, equality));
      } else {
        left_over.push_back(std::move(equality));
      }
    }
    pool_ = std::move(left_over);
    place.stages.push_back(std::move(stage));
    return {};
  }

  Status add_keys(BoundStage& stage, const Equality& equality) {
    PRESSO_ASSIGN(const NodeId probe, shown(binder_.bind(equality.parts.left), equality.text));
    PRESSO_ASSIGN(const NodeId build, shown(binder_.bind(equality.parts.right), equality.text));
    std::vector<NodeId> both = {probe, build};
    Status unified = binder_.builder().unify(both);
    if (!unified.ok()) unified = unify_empty(equality.parts, std::move(unified), both);
    if (!unified.ok()) {
      return shown(at_place(std::move(unified.error()), equality.parts.left), equality.text);
    }
    stage.probe_keys.push_back(both[0]);
    stage.build_keys.push_back(both[1]);
    return {};
  }

  /// A plain file without rows has columns of strings, since nothing tells what they are: its key
  /// becomes a null of the other one's type. Else the error stays.
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

  Status add_later_stage(std::size_t join) {
    if (keys_[join].empty()) {
      return shown(
          needs_equality(name_of(join + 1), join == 0 ? name_of(0) : "the tables before it"),
          spec_.joins[join].text);
    }
    BoundStage stage;
    stage.build.root = join + 1;
    stage.kind = stage_kind(spec_.joins[join].kind);
    for (const Equality& equality : keys_[join]) {
      PRESSO_TRY(add_keys(stage, equality));
    }
    PRESSO_TRY(bind_rest(residual_[join], stage.residual));
    tree().stages.push_back(std::move(stage));
    return {};
  }

  Status bind_rest(const std::vector<Rest>& from, std::vector<NodeId>& to) {
    for (const auto& [condition, text] : from) {
      PRESSO_ASSIGN(const NodeId id, shown(binder_.bind_condition(condition), text));
      to.push_back(id);
    }
    return {};
  }

  void exchange_sides() {
    if (sources_.size() != 2 || inner_ != 0 || rows_left(0) >= rows_left(1)) return;
    BoundStage& stage = tree().stages[0];
    tree().root = 1;
    stage.build.root = 0;
    stage.kind = mirrored(stage.kind);
    std::swap(stage.probe_keys, stage.build_keys);
  }

  Status bind_conditions() { return bind_rest(after_, query_.conditions); }

  BoundQuery& query_;
  const QuerySpec& spec_;
  std::vector<SourceFacts> sources_;
  Binder& binder_;
  std::size_t inner_ = 0;  ///< how many joins stand before the first that is not inner
  std::vector<std::vector<Rest>> conditions_of_;  ///< by source: of its rows alone
  std::vector<Equality> pool_;                    ///< of inner joins
  std::vector<std::vector<Equality>> keys_;       ///< by later join
  std::vector<std::vector<Rest>> residual_;       ///< likewise
  std::vector<Rest> inner_rest_;  ///< of rows of all inner joins before the first other one
  std::vector<Rest> after_;       ///< of rows behind all joins
  std::vector<double> left_;      ///< rows, by source
};

/// The column of that name of the sources before `end`, if there is exactly one.
std::optional<std::size_t> column_named(const std::vector<InputColumn>& columns,
                                        const std::string& name, std::size_t first,
                                        std::size_t end) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const InputColumn& column = columns[i];
    if (column.name != name || column.source < first || column.source >= end || column.hidden) {
      continue;
    }
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

void merge_using(std::vector<InputColumn>& columns, const JoinSpec& join, std::size_t source,
                 const std::vector<SourceFacts>& sources) {
  for (const Expression& column : join.using_columns) {
    const auto left = column_named(columns, column.text, 0, source);
    const auto right = column_named(columns, column.text, source, source + 1);
    if (!left || !right) continue;  // an error, which is found when the names are looked up
    // A plain file without rows has strings for want of values (unify_empty()).
    const bool alike =
        is_string(columns[*left].schema.type) == is_string(columns[*right].schema.type);
    const auto has_values = [&](std::size_t number) {
      return alike || sources[columns[number].source].rows != 0;
    };
    const bool full = join.kind == Kind::kFull;
    columns[*right].hidden = true;
    const std::size_t meant = columns[*left].stands_for.value_or(*left);
    if (join.kind == Kind::kRight || (full && !has_values(meant))) {
      columns[*left].stands_for = *right;
    } else if (full && has_values(*right)) {
      columns[meant].otherwise.push_back(*right);
    }
  }
}

}  // namespace

std::string private_qualifier(std::size_t source) {
  return std::string("#").append(std::to_string(source));
}

bool JoinTree::has(std::size_t source) const {
  return source == root ||
         std::any_of(stages.begin(), stages.end(),
                     [source](const BoundStage& stage) { return stage.build.has(source); });
}

std::size_t BoundJoins::source_of(std::size_t column) const {
  std::size_t source = 0;
  while (source + 1 < sources.size() && sources[source + 1].first_column <= column) ++source;
  return source;
}

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

Result<std::vector<InputColumn>> joined_columns(const QuerySpec& spec,
                                                const std::vector<SourceFacts>& sources,
                                                std::size_t joins) {
  std::vector<InputColumn> columns;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (const InputColumn& column : sources[source].columns) {
      columns.push_back(column);
      columns.back().source = source;
    }
  }
  for (std::size_t i = 0; i < joins; ++i) {
    const Kind kind = spec.joins[i].kind;
    const bool left_null = kind == Kind::kRight || kind == Kind::kFull;
    const bool right_null = kind == Kind::kLeft || kind == Kind::kFull;
    for (InputColumn& column : columns) {
      if (column.source <= i && left_null) column.nullable = true;
      if (column.source == i + 1 && right_null) column.nullable = true;
      if (column.source != i + 1 || why_unusable(kind).empty()) continue;
      column.hidden = true;
      column.unusable = why_unusable(kind);
    }
    merge_using(columns, spec.joins[i], i + 1, sources);
  }
  return columns;
}

Status bind_joins(BoundQuery& query, const QuerySpec& spec, std::vector<SourceFacts> sources,
                  Binder& binder) {
  return JoinBinder(query, spec, std::move(sources), binder).bind();
}

}  // namespace presso::query
