// SPDX-License-Identifier: MIT
// The columns of joined tables after a number of joins: which of them may be NULL, which ones
// SELECT * hides, which ones may not be named after a join, and which column a name means after
// USING merged two of them. Tested through tests/unit/query/run/join_test.cpp.
#include <algorithm>

#include "query/plan/join_plan.h"

namespace presso::query {
namespace {

using JoinKind = SqlJoin::Kind;

/// Why columns of a join's right side cannot be used after it; empty if they can be.
std::string why_unusable(JoinKind kind) {
  if (kind == JoinKind::kSemi) return "its table stands on the right of a semi join";
  if (kind == JoinKind::kAnti) return "its table stands on the right of an anti join";
  return {};
}

/// The column called `name` of the sources [first, end), if exactly one visible column has this
/// name.
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

/// Merges each pair of columns that USING names. The right one is hidden; the name then means the
/// left column, or the right one after a right join, or after a full join the first that is not
/// NULL (SQL's COALESCE), which InputColumn::otherwise lists.
void merge_using(std::vector<InputColumn>& columns, const JoinSpec& join, std::size_t source,
                 const std::vector<SourceFacts>& sources) {
  for (const Expression& column : join.using_columns) {
    const auto left = column_named(columns, column.text, 0, source);
    const auto right = column_named(columns, column.text, source, source + 1);
    // An unknown name is reported later, when names are looked up.
    if (!left || !right) continue;
    // A plain file without rows has string columns for lack of values (unify_empty()), which must
    // not decide the type of the merged column.
    const bool alike =
        is_string(columns[*left].schema.type) == is_string(columns[*right].schema.type);
    const auto has_values = [&](std::size_t number) {
      return alike || sources[columns[number].source].rows != 0;
    };
    const bool full = join.kind == JoinKind::kFull;
    columns[*right].hidden = true;
    const std::size_t meant = columns[*left].stands_for.value_or(*left);
    if (join.kind == JoinKind::kRight || (full && !has_values(meant))) {
      columns[*left].stands_for = *right;
    } else if (full && has_values(*right)) {
      columns[meant].otherwise.push_back(*right);
    }
  }
}

}  // namespace

/// '#' and the number of the source.
std::string private_qualifier(std::size_t source) {
  return std::string("#").append(std::to_string(source));
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
    const JoinKind kind = spec.joins[i].kind;
    // Outer joins add rows without a partner, in which the columns of the other side are NULL;
    // later joins see these columns as nullable.
    const bool left_null = kind == JoinKind::kRight || kind == JoinKind::kFull;
    const bool right_null = kind == JoinKind::kLeft || kind == JoinKind::kFull;
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

void forbid_right_sides(BoundQuery& query, const QuerySpec& spec, std::size_t end) {
  for (InputColumn& column : query.columns) {
    column.unusable.clear();
    if (column.source == 0 || column.source > end) continue;
    column.unusable = why_unusable(spec.joins[column.source - 1].kind);
  }
}

}  // namespace presso::query
