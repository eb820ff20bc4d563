// SPDX-License-Identifier: MIT
// The builder functions of the public class Query: they parse texts and collect what was asked;
// nothing is looked up and no table is read. The first text that does not parse is kept as the
// error that later calls return, so that calls can be chained. Tested by
// tests/unit/query/answer/query_test.cpp.
#include "presso/query.h"

#include <optional>

#include "query/answer/coded_answer.h"
#include "query/answer/query_body.h"
#include "query/bind/shown.h"
#include "query/plan/join_plan.h"

namespace presso {
namespace {

/// Gives the parsed value to `take`, or keeps the first error with its place in the text.
template <class Parsed, class Take>
void parse_into(std::string_view text, Result<Parsed> parsed, std::optional<Error>& error,
                Take take) {
  if (parsed.ok()) {
    take(std::move(*parsed));
  } else if (!error) {
    error = make_error(ErrorCode::kInvalidArgument, explain_expression_error(text, parsed.error()));
  }
}

}  // namespace

/// Sinks that need neither the schema nor encoded text may leave these two as they are.
Status ResultSink::begin(const TableSchema&) {
  return {};
}

Result<Buffer> ResultSink::encode(const ResultBatch&) {
  return Buffer();
}

Query::Query(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
Query::~Query() = default;

Query Query::from(const Table& table) {
  return from(std::vector<Table>{table});
}

Query Query::from(std::vector<Table> tables, std::vector<std::string> names) {
  auto body = std::make_unique<Body>();
  body->sources.push_back(std::move(tables));
  body->names.push_back(std::move(names));
  body->aliases.emplace_back();
  return Query(std::move(body));
}

/// Builder functions for a source apply to the one that was added last.
Query& Query::as(std::string_view alias) {
  body_->aliases.back() = alias;
  return *this;
}

Query& Query::join(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
                   std::string_view on) {
  query::JoinSpec join;
  join.kind = kind;
  join.text = on;
  parse_into(on, parse_expressions(on), body_->error, [&](std::vector<NamedExpression> parsed) {
    Status done = query::take_on_list(std::move(parsed), join);
    if (!done.ok() && !body_->error) {
      body_->error = query::shown(std::move(done.error()), join.text);
    }
  });
  return join_spec(std::move(tables), std::move(names), std::move(join));
}

Query& Query::join(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
                   std::optional<Expression> on) {
  query::JoinSpec join;
  join.kind = kind;
  join.on = std::move(on);
  join.text = body_->text;
  return join_spec(std::move(tables), std::move(names), std::move(join));
}

Query& Query::join_using(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
                         std::vector<Expression> columns) {
  query::JoinSpec join;
  join.kind = kind;
  join.using_columns = std::move(columns);
  join.text = body_->text;
  return join_spec(std::move(tables), std::move(names), std::move(join));
}

/// Adds a table and its join. More tables than kMostJoined are an error.
Query& Query::join_spec(std::vector<Table> tables, std::vector<std::string> names,
                        query::JoinSpec join) {
  if (body_->sources.size() == kMostJoined && !body_->error) {
    body_->error = make_error(ErrorCode::kInvalidArgument,
                              "at most " + std::to_string(kMostJoined) + " tables are joined");
  }
  body_->spec.joins.push_back(std::move(join));
  body_->sources.push_back(std::move(tables));
  body_->names.push_back(std::move(names));
  body_->aliases.emplace_back();
  return *this;
}

/// The text that trees given from here on were parsed from; errors show places in it.
Query& Query::parsed_from(std::string_view text) {
  body_->text = text;
  return *this;
}

Query& Query::where(std::string_view text) {
  parse_into(text, parse_expression(text), body_->error, [&](Expression parsed) {
    body_->spec.conditions.push_back({std::move(parsed), std::string(text)});
  });
  return *this;
}

Query& Query::where(Expression condition) {
  body_->spec.conditions.push_back({std::move(condition), body_->text});
  return *this;
}

Query& Query::select(std::string_view list) {
  parse_into(list, parse_expressions(list), body_->error, [&](std::vector<NamedExpression> parsed) {
    for (NamedExpression& item : parsed) {
      body_->spec.select.push_back({std::move(item), std::string(list)});
    }
  });
  return *this;
}

Query& Query::select(std::vector<NamedExpression> list) {
  for (NamedExpression& item : list) body_->spec.select.push_back({std::move(item), body_->text});
  return *this;
}

Query& Query::distinct() {
  body_->spec.distinct = true;
  return *this;
}

Query& Query::group_by(std::string_view list) {
  parse_into(list, parse_expressions(list), body_->error, [&](std::vector<NamedExpression> parsed) {
    for (NamedExpression& item : parsed) {
      body_->spec.group_by.push_back({std::move(item), std::string(list)});
    }
  });
  return *this;
}

Query& Query::group_by(std::vector<Expression> keys) {
  for (Expression& key : keys) {
    // A key without a name is called by its text.
    std::string name = key.kind == Expression::Kind::kColumn ? key.text : to_text(key);
    body_->spec.group_by.push_back({{std::move(key), std::move(name)}, body_->text});
  }
  return *this;
}

Query& Query::aggregate(std::string_view list) {
  parse_into(list, parse_expressions(list), body_->error, [&](std::vector<NamedExpression> parsed) {
    for (NamedExpression& item : parsed) {
      body_->spec.aggregates.push_back({std::move(item), std::string(list)});
    }
  });
  return *this;
}

Query& Query::having(std::string_view text) {
  parse_into(text, parse_expression(text), body_->error, [&](Expression parsed) {
    body_->spec.having.push_back({std::move(parsed), std::string(text)});
  });
  return *this;
}

Query& Query::having(Expression condition) {
  body_->spec.having.push_back({std::move(condition), body_->text});
  return *this;
}

Query& Query::order_by(std::string_view list) {
  parse_into(list, parse_sort_expressions(list), body_->error,
             [&](std::vector<SortExpression> parsed) {
               for (SortExpression& key : parsed) {
                 body_->spec.order_by.push_back({std::move(key), std::string(list)});
               }
             });
  return *this;
}

Query& Query::order_by(std::vector<SortExpression> keys) {
  for (SortExpression& key : keys) body_->spec.order_by.push_back({std::move(key), body_->text});
  return *this;
}

Query& Query::limit(std::uint64_t rows, std::uint64_t offset) {
  body_->spec.limit = rows;
  body_->spec.offset = offset;
  return *this;
}

/// The root is fixed so that all parts of a divided query read the same table in parts.
Query& Query::divided(std::size_t source) {
  body_->spec.root = source;
  return *this;
}

Result<std::vector<std::string>> Query::dictionary_columns() const {
  if (body_->error) return *body_->error;
  return query::columns_in_dictionaries(body_->sources.front());
}

}  // namespace presso
