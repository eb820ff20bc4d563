// SPDX-License-Identifier: MIT
// Implements join_parts.h: assigns each part of ON, USING and WHERE to the earliest place where it
// may be tested (the scan of a table, the keys of a join, pairs of rows, the rows after all joins).
// ON is looked up as the user sees it: among the tables up to its own join, with the columns that
// earlier joins have left.
#include "query/bind/join_parts.h"

#include <algorithm>
#include <bit>

#include "query/bind/shown.h"
#include "query/plan/join_plan.h"

namespace presso::query {
namespace {

using JoinKind = SqlJoin::Kind;

/// Whether rows without a partner are dropped on both sides; a comma in FROM is such a join.
bool is_inner(JoinKind kind) {
  return kind == JoinKind::kInner || kind == JoinKind::kComma;
}

/// Takes one query apart. Holds references to everything it is given; used once.
class JoinsApart {
 public:
  JoinsApart(BoundQuery& query, const QuerySpec& spec, const std::vector<SourceFacts>& sources,
             const Binder& binder)
      : query_(query), spec_(spec), sources_(sources), binder_(binder) {}

  /// First ON and USING of each join in order, and then WHERE, which sees the columns of all joins.
  Result<JoinParts> take() {
    parts_.conditions_of.resize(sources_.size());
    parts_.keys.resize(spec_.joins.size());
    parts_.residual.resize(spec_.joins.size());
    // Up to here joins may be reordered, since they are all inner.
    const auto later = std::find_if(spec_.joins.begin(), spec_.joins.end(),
                                    [](const JoinSpec& join) { return !is_inner(join.kind); });
    parts_.inner = static_cast<std::size_t>(later - spec_.joins.begin());
    // ON of a semi or anti join may name its right side, WHERE after it may not.
    forbid_right_sides(query_, spec_, 0);
    for (std::size_t join = 0; join < spec_.joins.size(); ++join) {
      PRESSO_TRY(take_join(join));
    }
    forbid_right_sides(query_, spec_, spec_.joins.size());
    for (const auto& [condition, text] : spec_.conditions) {
      PRESSO_TRY(take_where(condition, text));
    }
    return std::move(parts_);
  }

 private:
  /// A function that tells which table a column belongs to, in the combined columns.
  SourceOf source_of() {
    return [this](const Expression& column) -> Result<std::size_t> {
      JsonPath path;
      const std::optional<Expression> whole = binder_.field_of(column, path);
      PRESSO_ASSIGN(const std::size_t number, binder_.find_column(whole ? *whole : column));
      return query_.columns[number].source;
    };
  }

  /// The set of sources 0 to `join`, which stand to the left of join number `join`.
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

  /// Takes "a = b" with a on the left side and b on the right, or the other way round. An equality
  /// that fits neither way is an ordinary condition of ON.
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

  /// Takes an equality whose columns are qualified by private_qualifier() already. If one side
  /// names no table, it is an ordinary condition.
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

  /// The equality as an expression, at the place of its left side.
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

  /// Looks up names among the sources [first, end), as they are before `join`, and replaces their
  /// qualifiers by private_qualifier(), so that later joins cannot change what they mean.
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

  /// Replaces the qualifiers in a tree; `columns` are those that `binder` looks names up in.
  Status qualify_names(Expression& tree, const Binder& binder,
                       const std::vector<InputColumn>& columns) const {
    for (Expression& argument : tree.arguments) {
      PRESSO_TRY(qualify_names(argument, binder, columns));
    }
    if (tree.kind != Expression::Kind::kColumn) return {};
    JsonPath path;
    if (auto field = binder.field_of(tree, path)) {
      for (const JsonStep& step : path) {
        *field = call(std::string(kFieldCall), {*std::move(field), string(step.key)});
        field->offset = tree.offset;
        field->length = tree.length;
      }
      tree = *std::move(field);
      return qualify_names(tree, binder, columns);
    }
    PRESSO_ASSIGN(const std::size_t found, binder.find_column(tree));
    const bool merged = tree.qualifier.empty() && !columns[found].otherwise.empty();
    tree.qualifier = private_qualifier(columns[found].source);
    tree.text = columns[found].name;
    if (!merged) return {};
    // After USING in an earlier full join, the name means the first of several columns that is not
    // NULL.
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

  /// USING (c) is the equality of the left and the right c.
  Status take_using(std::size_t join, const Expression& column) {
    Expression left = column, right = column;
    Status bound = qualify_pair(join, left, right);
    if (!bound.ok()) return shown(std::move(bound.error()), spec_.joins[join].text);
    return take_qualified(join, std::move(left), std::move(right));
  }

  /// Splits the condition of ON and assigns its parts. Before the first join that is not inner, all
  /// parts on one table go to its scan. In outer, semi and anti joins only parts on the right table
  /// may, if on_may_filter() allows it; all others are tested on pairs.
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
      const bool scanned =
          join < parts_.inner || (right && on_may_filter(spec_.joins[join].kind, true));
      if (one.source > join + 1) return too_early(one.condition, text);
      if (scanned) {
        parts_.conditions_of[one.source].push_back({std::move(one.condition), text});
      } else if (!one.implied) {
        parts_.residual[join].push_back({std::move(one.condition), text});
      }
    }
    for (RestCondition& rest : split->rest) {
      if ((rest.sources & ~left_of(join + 1)) != 0) return too_early(rest.condition, text);
      auto& to = join < parts_.inner ? parts_.inner_rest : parts_.residual[join];
      to.push_back({std::move(rest.condition), text});
    }
    return {};
  }

  /// The error for a condition that names a table which is joined only later.
  static Status too_early(const Expression& condition, const std::string& text) {
    return shown(at_place(make_error(ErrorCode::kInvalidArgument,
                                     "a table that is joined later cannot be named here"),
                          condition),
                 text);
  }

  /// Assigns an equality: to the pool of the inner joins, to the keys of its own join, or, if it is
  /// of no use as a key (IS NOT DISTINCT FROM, or tables on the wrong sides), to the conditions.
  Status take_equality(std::size_t join, JoinEquality equality, const std::string& text) {
    const SourceSet all = equality.left_sources | equality.right_sources;
    if ((all & ~left_of(join + 1)) != 0) return too_early(equality.left, text);
    if (join < parts_.inner && !equality.nulls_are_equal) {
      parts_.pool.push_back({std::move(equality), text});
      return {};
    }
    const SourceSet right = source_set(join + 1);
    if (equality.left_sources == right) {
      // Keys have the table that is joined on the right.
      std::swap(equality.left, equality.right);
      std::swap(equality.left_sources, equality.right_sources);
    }
    // A key needs its own table alone on one side and earlier tables on the other.
    const bool usable = equality.right_sources == right && (equality.left_sources & right) == 0 &&
                        !equality.nulls_are_equal;
    if (usable) {
      parts_.keys[join].push_back({std::move(equality), text});
    } else {
      auto& to = join < parts_.inner ? parts_.inner_rest : parts_.residual[join];
      to.push_back({equality_expression(std::move(equality)), text});
    }
    return {};
  }

  // --- WHERE

  /// Splits a condition of WHERE. An equality becomes a key of the last join that it names if this
  /// is an inner join and no outer join may add NULLs to its tables; parts on one table go to its
  /// scan under the latter condition; everything else is tested after all joins.
  Status take_where(const Expression& condition, const std::string& text) {
    auto split = split_condition(condition, source_of());
    if (!split.ok()) return shown(std::move(split.error()), text);
    for (JoinEquality& equality : split->equalities) {
      const SourceSet all = equality.left_sources | equality.right_sources;
      // The last source that the equality names, and so the join after which it can be tested.
      const auto last = static_cast<std::size_t>(std::bit_width(all)) - 1;
      const bool joins = last > 0 && is_inner(spec_.joins[last - 1].kind) &&
                         where_may_filter_source(last) && !equality.nulls_are_equal;
      if (joins) {
        PRESSO_TRY(take_equality(last - 1, std::move(equality), text));
      } else {
        parts_.after.push_back({equality_expression(std::move(equality)), text});
      }
    }
    for (SourceCondition& one : split->single) {
      if (where_may_filter_source(one.source)) {
        parts_.conditions_of[one.source].push_back({std::move(one.condition), text});
      } else if (!one.implied) {
        parts_.after.push_back({std::move(one.condition), text});
      }
    }
    for (RestCondition& rest : split->rest)
      parts_.after.push_back({std::move(rest.condition), text});
    return {};
  }

  /// Whether a condition of WHERE on a source may be tested in its scan: every join that the source
  /// takes part in, on either side, must permit it.
  bool where_may_filter_source(std::size_t source) const {
    bool may = true;
    for (std::size_t join = 0; join < spec_.joins.size(); ++join) {
      if (join + 1 < source) continue;
      may = may && where_may_filter(spec_.joins[join].kind, source == join + 1);
    }
    return may;
  }

  BoundQuery& query_;
  const QuerySpec& spec_;
  const std::vector<SourceFacts>& sources_;
  const Binder& binder_;
  JoinParts parts_;
};

}  // namespace

Expression equality_expression(JoinEquality equality) {
  const Expression place = equality.left;
  Expression result =
      operation(equality.nulls_are_equal ? Expression::Op::kIsDistinct : Expression::Op::kEqual,
                {std::move(equality.left), std::move(equality.right)});
  result.negated = equality.nulls_are_equal;
  result.offset = place.offset;
  result.length = place.length;
  return result;
}

/// Linear in the conditions, apart from what split_condition() needs and from joined_columns(),
/// which is made anew for each expression of ON.
Result<JoinParts> take_joins_apart(BoundQuery& query, const QuerySpec& spec,
                                   const std::vector<SourceFacts>& sources, const Binder& binder) {
  return JoinsApart(query, spec, sources, binder).take();
}

}  // namespace presso::query
