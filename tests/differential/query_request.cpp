// SPDX-License-Identifier: MIT
#include "tests/differential/query_request.h"

#include <cstdlib>
#include <iterator>

#include "presso/sql.h"
#include "tests/simt/emulated_query_device.h"

namespace presso::oracle {

using flat_json::Object;

std::string field(const Object& request, const char* name) {
  const auto found = request.find(name);
  return found == request.end() ? std::string() : found->second;
}
std::uint64_t number_of(const Object& request, const char* name, std::uint64_t otherwise) {
  const std::string text = field(request, name);
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

namespace {

Result<std::vector<Table>> source_of(const Sources& sources, const std::string& name) {
  const auto found = sources.find(name);
  if (found == sources.end()) {
    return make_error(ErrorCode::kInvalidArgument, "there is no source '" + name + "'");
  }
  return found->second;
}

/// As `presso sql` does.
Result<Query> statement_query(const Sources& sources, const std::string& text) {
  PRESSO_ASSIGN(const SqlQuery statement, parse_sql(text));
  PRESSO_ASSIGN(auto tables, source_of(sources, statement.from.path));
  std::vector<std::string> names(tables.size(), statement.from.path);
  Query query = Query::from(std::move(tables), std::move(names));
  query.parsed_from(text).as(statement.from.alias);
  for (const SqlJoin& join : statement.joins) {
    PRESSO_ASSIGN(tables, source_of(sources, join.source.path));
    names.assign(tables.size(), join.source.path);
    if (join.using_columns.empty()) {
      query.join(std::move(tables), names, join.kind, join.on);
    } else {
      query.join_using(std::move(tables), names, join.kind, join.using_columns);
    }
    query.as(join.source.alias);
  }
  if (statement.where) query.where(*statement.where);
  query.select(statement.select);
  std::vector<Expression> keys;
  for (const NamedExpression& key : statement.group_by) keys.push_back(key.expression);
  for (const NamedExpression& item : statement.select) {
    if (statement.distinct) keys.push_back(item.expression);
  }
  query.group_by(std::move(keys));
  if (statement.having) query.having(*statement.having);
  query.order_by(statement.order_by);
  query.limit(statement.limit, statement.offset);
  return query;
}

JoinKind kind_of(const std::string& name) {
  static constexpr const char* kNames[] = {"inner", "left", "right", "full", "semi", "anti"};
  for (Byte i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) return static_cast<JoinKind>(i);
  }
  return JoinKind::kInner;
}

Result<Query> joined_query(const Sources& sources, const Object& request) {
  const std::string from = field(request, "from");
  PRESSO_ASSIGN(auto tables, source_of(sources, from));
  std::vector<std::string> names(tables.size(), from);
  Query query = Query::from(std::move(tables), std::move(names));
  query.as(field(request, "as"));
  for (int i = 1; request.count("join" + std::to_string(i)) != 0; ++i) {
    const std::string number = std::to_string(i);
    const std::string name = field(request, ("join" + number).c_str());
    PRESSO_ASSIGN(tables, source_of(sources, name));
    names.assign(tables.size(), name);
    query.join(std::move(tables), names, kind_of(field(request, ("kind" + number).c_str())),
               field(request, ("on" + number).c_str()));
    query.as(field(request, ("as" + number).c_str()));
  }
  return query;
}

}  // namespace

Result<Query> query_of(const Sources& sources, const Object& request) {
  if (request.count("sql") != 0) return statement_query(sources, field(request, "sql"));
  PRESSO_ASSIGN(Query query, joined_query(sources, request));
  const auto with = [&](const char* name, auto set) {
    const std::string text = field(request, name);
    if (!text.empty()) set(text);
  };
  with("where", [&](const std::string& text) { query.where(text); });
  with("columns", [&](const std::string& text) { query.select(text); });
  with("group_by", [&](const std::string& text) { query.group_by(text); });
  with("agg", [&](const std::string& text) { query.aggregate(text); });
  with("having", [&](const std::string& text) { query.having(text); });
  with("order_by", [&](const std::string& text) { query.order_by(text); });
  if (request.count("limit") != 0 || request.count("offset") != 0) {
    query.limit(number_of(request, "limit", ~std::uint64_t{0}), number_of(request, "offset", 0));
  }
  return query;
}

Result<StatementQuery> statement_of(const Sources& sources, const std::string& text,
                                    const QueryOptions& options) {
  PRESSO_ASSIGN(const SqlStatement statement, parse_statement(text));
  StatementContext context;
  context.options = options;
  context.open = [&](const SqlSource& source) -> Result<StatementTables> {
    PRESSO_ASSIGN(auto tables, source_of(sources, source.path));
    std::vector<std::string> names(tables.size(), source.path);
    return StatementTables{std::move(tables), std::move(names)};
  };
  return lower_statement(statement, text, context);
}

QueryOptions options_of(const Object& request) {
  QueryOptions options;
  options.threads = static_cast<unsigned>(number_of(request, "threads", 1));
  options.memory_bytes = number_of(request, "memory", 0);
  options.plan.plan = field(request, "plan");
  const std::string rows = field(request, "rows");
  options.plan.rows = rows == "list"     ? PlanChoice::Rows::kList
                      : rows == "bitmap" ? PlanChoice::Rows::kBitmap
                                         : PlanChoice::Rows::kAuto;
  for (Byte i = 0; i < kGroupStrategies.size(); ++i) {
    if (field(request, "strategy") == kGroupStrategies[i]) {
      options.group_strategy = static_cast<GroupStrategy>(i);
    }
  }
  options.join_strategy =
      join_strategy_of(field(request, "join_strategy")).value_or(JoinStrategy::kAuto);
  if (field(request, "device") == "gpu") {
    static const std::shared_ptr<QueryDevice> device = test::make_emulated_query_device();
    options.device = device;
    options.cpu_fallback = !options.plan.plan.empty();  // not all plans are a GPU's
  }
  return options;
}

}  // namespace presso::oracle
