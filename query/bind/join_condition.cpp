// SPDX-License-Identifier: MIT
// Implements join_condition.h: takes conditions over several tables apart, by splitting at AND and
// rewriting OR by the distributive law, which holds in three-valued logic too. Works on expression
// trees alone.
#include "query/bind/join_condition.h"

#include <algorithm>
#include <bit>
#include <map>

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;
using Conditions = std::vector<Expression>;

/// The most conditions in the first branch of an OR that are searched for in the other branches;
/// bounds a quadratic search.
constexpr std::size_t kMostShared = 64;

/// Whether the tree's root is this operator.
bool is_operator(const Expression& tree, Op op) {
  return tree.kind == Kind::kOperator && tree.op == op;
}

/// Appends the operands of AND to `out`; nested ANDs are flattened.
void add_conjuncts(Expression tree, Conditions& out) {
  if (!is_operator(tree, Op::kAnd)) {
    out.push_back(std::move(tree));
    return;
  }
  for (Expression& operand : tree.arguments) add_conjuncts(std::move(operand), out);
}

/// The operands joined by AND or OR, with the place in the text of `place`; a single operand stands
/// for itself.
Expression joined(Op op, Conditions operands, const Expression& place) {
  if (operands.size() == 1) return std::move(operands[0]);
  Expression result = operation(op, std::move(operands));
  result.offset = place.offset;
  result.length = place.length;
  return result;
}

/// The branches of an OR, each as the list of its conjuncts.
std::vector<Conditions> branches_of(Expression disjunction) {
  std::vector<Conditions> branches;
  for (Expression& operand : disjunction.arguments) {
    add_conjuncts(std::move(operand), branches.emplace_back());
  }
  return branches;
}

bool contains(const Conditions& conditions, const Expression& wanted) {
  return std::find(conditions.begin(), conditions.end(), wanted) != conditions.end();
}

/// Returns the conditions that all branches have in common, after removing them from the branches.
Conditions take_shared(std::vector<Conditions>& branches) {
  Conditions shared;
  if (branches[0].size() > kMostShared) return shared;
  for (const Expression& candidate : branches[0]) {
    const bool everywhere =
        std::all_of(branches.begin() + 1, branches.end(),
                    [&candidate](const Conditions& branch) { return contains(branch, candidate); });
    if (everywhere && !contains(shared, candidate)) shared.push_back(candidate);
  }
  if (shared.empty()) return shared;
  for (Conditions& branch : branches) {
    std::erase_if(branch, [&shared](const Expression& each) { return contains(shared, each); });
  }
  return shared;
}

/// Collects the parts of one condition. Used once: split(), then take().
class Splitter {
 public:
  explicit Splitter(const SourceOf& source_of) : source_of_(source_of) {}
  Status split(Expression condition);
  JoinCondition take() { return std::move(result_); }

 private:
  /// Adds a condition that is neither AND nor OR: an equality between tables, or one of the other
  /// kinds.
  Status add(Expression condition);
  Status add_disjunction(Expression condition);
  Status conclude(const std::vector<Conditions>& branches, const Expression& place);
  /// Files a condition under `single` or `rest`, depending on how many tables it names.
  void place(Expression condition, SourceSet sources);

  const SourceOf& source_of_;
  JoinCondition result_;
};

Status Splitter::split(Expression condition) {
  Conditions conjuncts;
  add_conjuncts(std::move(condition), conjuncts);
  for (Expression& conjunct : conjuncts) {
    PRESSO_TRY(is_operator(conjunct, Op::kOr) ? add_disjunction(std::move(conjunct))
                                              : add(std::move(conjunct)));
  }
  return {};
}

void Splitter::place(Expression condition, SourceSet sources) {
  if (std::has_single_bit(sources)) {
    const auto source = static_cast<std::size_t>(std::countr_zero(sources));
    result_.single.push_back({std::move(condition), source, false});
  } else {
    result_.rest.push_back({std::move(condition), sources});
  }
}

Status Splitter::add(Expression condition) {
  // x IS NOT DISTINCT FROM y is stored as the negated operator.
  const bool nulls_are_equal = is_operator(condition, Op::kIsDistinct) && condition.negated;
  if ((is_operator(condition, Op::kEqual) || nulls_are_equal) && condition.arguments.size() == 2) {
    PRESSO_ASSIGN(const SourceSet left, sources_of(condition.arguments[0], source_of_));
    PRESSO_ASSIGN(const SourceSet right, sources_of(condition.arguments[1], source_of_));
    // An equality within one table, or with a constant, matches no rows of different tables.
    if (left == 0 || right == 0 || (left & right) != 0) {
      place(std::move(condition), left | right);
      return {};
    }
    result_.equalities.push_back({std::move(condition.arguments[0]),
                                  std::move(condition.arguments[1]), left, right, nulls_are_equal});
    return {};
  }
  PRESSO_ASSIGN(const SourceSet sources, sources_of(condition, source_of_));
  place(std::move(condition), sources);
  return {};
}

/// A branch that holds nothing besides what all share makes the rest true.
Status Splitter::add_disjunction(Expression condition) {
  PRESSO_ASSIGN(const SourceSet sources, sources_of(condition, source_of_));
  // An OR about one table needs no rewriting.
  if (std::popcount(sources) < 2) {
    place(std::move(condition), sources);
    return {};
  }
  Expression where;
  where.offset = condition.offset;
  where.length = condition.length;
  std::vector<Conditions> branches = branches_of(std::move(condition));
  for (Expression& shared : take_shared(branches)) PRESSO_TRY(split(std::move(shared)));
  const auto is_empty = [](const Conditions& branch) { return branch.empty(); };
  if (std::any_of(branches.begin(), branches.end(), is_empty)) return {};
  Conditions operands;
  for (const Conditions& branch : branches) operands.push_back(joined(Op::kAnd, branch, where));
  Expression rest = joined(Op::kOr, std::move(operands), where);
  PRESSO_ASSIGN(const SourceSet left_over, sources_of(rest, source_of_));
  if (std::popcount(left_over) > 1) PRESSO_TRY(conclude(branches, where));
  place(std::move(rest), left_over);
  return {};
}

/// For each table that every branch has conditions on, adds the OR of these conditions, marked as
/// implied: whichever branch is true, its conditions on that table are true.
Status Splitter::conclude(const std::vector<Conditions>& branches, const Expression& place) {
  std::map<std::size_t, Conditions> by_source;
  bool first = true;
  for (const Conditions& branch : branches) {
    std::map<std::size_t, Conditions> found;
    for (const Expression& condition : branch) {
      PRESSO_ASSIGN(const SourceSet sources, sources_of(condition, source_of_));
      if (!std::has_single_bit(sources)) continue;
      const auto source = static_cast<std::size_t>(std::countr_zero(sources));
      if (first || by_source.contains(source)) found[source].push_back(condition);
    }
    for (auto& [source, conditions] : found) {
      by_source[source].push_back(joined(Op::kAnd, std::move(conditions), place));
    }
    std::erase_if(by_source, [&found](const auto& each) { return !found.contains(each.first); });
    first = false;
  }
  for (auto& [source, conditions] : by_source) {
    result_.single.push_back({joined(Op::kOr, std::move(conditions), place), source, true});
  }
  return {};
}

}  // namespace

Result<SourceSet> sources_of(const Expression& expression, const SourceOf& source_of) {
  SourceSet sources = 0;
  if (expression.kind == Kind::kColumn) {
    PRESSO_ASSIGN(const std::size_t source, source_of(expression));
    if (source >= kMaxSqlSources) {
      return make_error(ErrorCode::kInvalidArgument, "too many tables in one condition");
    }
    sources = source_set(source);
  }
  for (const Expression& argument : expression.arguments) {
    PRESSO_ASSIGN(const SourceSet of_argument, sources_of(argument, source_of));
    sources |= of_argument;
  }
  return sources;
}

Result<JoinCondition> split_condition(Expression condition, const SourceOf& source_of) {
  Splitter splitter(source_of);
  PRESSO_TRY(splitter.split(std::move(condition)));
  return splitter.take();
}

bool on_may_filter(SqlJoin::Kind kind, bool right_side) {
  switch (kind) {
    case SqlJoin::Kind::kLeft:
    case SqlJoin::Kind::kAnti:
      return right_side;
    case SqlJoin::Kind::kRight:
      return !right_side;
    case SqlJoin::Kind::kFull:
      return false;
    default:
      return true;
  }
}

bool where_may_filter(SqlJoin::Kind kind, bool right_side) {
  switch (kind) {
    case SqlJoin::Kind::kLeft:
    case SqlJoin::Kind::kSemi:
    case SqlJoin::Kind::kAnti:
      return !right_side;
    case SqlJoin::Kind::kRight:
      return right_side;
    case SqlJoin::Kind::kFull:
      return false;
    default:
      return true;
  }
}

}  // namespace presso::query
