// SPDX-License-Identifier: MIT
// Answers queries on tables, one a line: how scripts that know what other programs answer
// (query_oracle.py, tpch_oracle.py) ask 100,000 of them without 100,000 processes.
//
//   query_server [--schema LIST] [--rows-per-group N] [--name NAME] FILE...
//
// A FILE that ends in .csv is made a table in memory, with the types of LIST ("a:int8,b:utf8"); all
// others are tables. Options are about the files behind them; files behind a --name are one source
// with that name, which is empty without. A line is a JSON object of strings and numbers: where,
// columns, group_by, agg, having, order_by, limit, offset; threads, plan, rows (list or bitmap),
// strategy, join_strategy, memory. Sources are joined by from (a name), as (its alias), and join1
// (a name), as1, kind1 ("left"), on1 ("a = b"), join2 and so on; or by sql, a statement over names.
// The answer is a line of JSON: {"types":[...],"rows":[[...],...]}, values as text or null, or
// {"error":"..."}.
//
// With "variants" each query is run so many times more, with other threads, plans and strategies,
// and joins also with less memory, drawn by "seed"; {"differs":"..."} says for which of them the
// answer is another one ("large": without nested loops). So the script gets each answer once.
// "unfit" says how many of them had too little memory, or a strategy that does not suit the keys,
// "passes" the most that one needed, "spilled" the most bytes that one wrote to files.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "format/columns/value_text.h"
#include "presso/byte_stream.h"
#include "presso/compress_table.h"
#include "presso/query.h"
#include "presso/sql.h"
#include "tests/support/flat_json.h"

namespace presso {
namespace {

using flat_json::Object;
using flat_json::quoted;

std::string field(const Object& request, const char* name) {
  const auto found = request.find(name);
  return found == request.end() ? std::string() : found->second;
}
std::uint64_t number_of(const Object& request, const char* name, std::uint64_t otherwise) {
  const std::string text = field(request, name);
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

/// The rows of an answer as JSON.
class JsonSink final : public ResultSink {
 public:
  Status begin(const TableSchema& schema) override {
    schema_ = schema;
    return {};
  }
  Result<Buffer> encode(const ResultBatch& batch) override {
    std::string text;
    for (std::uint64_t row = 0; row < batch.front().rows; ++row) {
      text += row == 0 ? "[" : ",[";
      for (std::size_t i = 0; i < batch.size(); ++i) {
        text += i == 0 ? "" : ",";
        text += value(i, batch[i].view(), row);
      }
      text += "]";
    }
    Buffer encoded;
    encoded.append({reinterpret_cast<const Byte*>(text.data()), text.size()});
    return encoded;
  }
  Result<bool> write(ResultBatch batch, Buffer encoded) override {
    if (batch.front().rows == 0) return true;
    const Bytes bytes = encoded.bytes();
    if (!rows_.empty()) rows_ += ",";
    rows_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  }
  std::string json() const {
    std::string text = "{\"types\":[";
    for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
      if (i != 0) text += ",";
      text += quoted(type_name(schema_.columns[i]));
    }
    return text + "],\"rows\":[" + rows_ + "]}";
  }

 private:
  std::string value(std::size_t column, const ColumnView& values, std::uint64_t row) const {
    if (values.is_null(row)) return "null";
    if (is_string(values.type)) {
      const Bytes text = values.string(row);
      return quoted({reinterpret_cast<const char*>(text.data()), text.size()});
    }
    char text[kMaxValueText];
    const Byte bit = values.type == ColumnType::kBool
                         ? static_cast<Byte>(values.values[row / 8] >> (row % 8) & 1)
                         : Byte{0};
    const Byte* const stored =
        values.type == ColumnType::kBool ? &bit : values.values + row * value_bytes(values.type);
    return quoted({text, print_value(schema_.columns[column], stored, text)});
  }

  TableSchema schema_;
  std::string rows_;
};

/// By name; a source is of several files.
using Sources = std::map<std::string, std::vector<Table>>;

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

constexpr const char* kStrategies[] = {"auto", "dense", "hash", "radix", "optimistic"};

QueryOptions options_of(const Object& request) {
  QueryOptions options;
  options.threads = static_cast<unsigned>(number_of(request, "threads", 1));
  options.memory_bytes = number_of(request, "memory", 0);
  options.plan.plan = field(request, "plan");
  const std::string rows = field(request, "rows");
  options.plan.rows = rows == "list"     ? PlanChoice::Rows::kList
                      : rows == "bitmap" ? PlanChoice::Rows::kBitmap
                                         : PlanChoice::Rows::kAuto;
  for (Byte i = 0; i < std::size(kStrategies); ++i) {
    if (field(request, "strategy") == kStrategies[i]) {
      options.group_strategy = static_cast<GroupStrategy>(i);
    }
  }
  options.join_strategy =
      join_strategy_of(field(request, "join_strategy")).value_or(JoinStrategy::kAuto);
  return options;
}

/// The most that a run of a query needed.
struct Needs {
  std::uint64_t passes = 0;
  std::uint64_t spilled_bytes = 0;
  std::uint64_t bytes = 0;
};

std::string answer_of(const Query& query, const QueryOptions& options, Needs& needs) {
  JsonSink sink;
  const auto done = query.run(options, sink);
  if (!done.ok()) {
    return std::string("{\"error\":").append(quoted(done.error().message())).append("}");
  }
  needs.passes = std::max(needs.passes, done->passes);
  needs.bytes = std::max(needs.bytes, done->peak_bytes);
  needs.spilled_bytes = std::max(needs.spilled_bytes, done->spilled_bytes);
  return sink.json();
}

/// How many conditions a plan orders, counted in what people are shown.
std::size_t conditions_of(const Query& query) {
  const auto text = query.explain({});
  std::size_t count = 0;
  while (text.ok() && text->find("\n  " + std::to_string(count + 1) + "  ") != std::string::npos) {
    ++count;
  }
  return count;
}

std::string random_plan(std::size_t conditions, std::mt19937_64& random) {
  std::vector<std::size_t> order(conditions);
  for (std::size_t i = 0; i < conditions; ++i) order[i] = i + 1;
  for (std::size_t i = conditions; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  static constexpr const char* kBetween[] = {"&", "&&", ";"};
  std::string plan;
  for (const std::size_t number : order) {
    if (!plan.empty()) plan += kBetween[random() % 3];
    plan += std::to_string(number);
  }
  return plan;
}

bool has_joins(const Object& request) {
  return request.count("sql") != 0 || request.count("join1") != 0;
}

/// Other ways to the same answer.
Object variant_of(Object request, std::size_t conditions, const Needs& needs,
                  std::mt19937_64& random) {
  static constexpr const char* kThreads[] = {"1", "2", "5"};
  static constexpr const char* kRows[] = {"auto", "list", "bitmap"};
  request["threads"] = kThreads[random() % 3];
  request["rows"] = kRows[random() % 3];
  request["strategy"] = kStrategies[random() % 5];
  if (conditions > 0 && random() % 4 != 0) request["plan"] = random_plan(conditions, random);
  if (!has_joins(request)) return request;
  request["join_strategy"] = kJoinStrategyNames[random() % kJoinStrategyNames.size()];
  const bool is_slow = request["join_strategy"] == "nested-loop";
  if (is_slow && request.count("large") != 0) request["join_strategy"] = "auto";
  // From a part of what suffices to more than that.
  const std::uint64_t least = needs.bytes >> (random() % 5);
  const std::uint64_t bytes = 1024 + least * (1 + random() % 16) / 4;
  if (random() % 2 == 0) request["memory"] = std::to_string(bytes);
  return request;
}

/// Not every strategy fits every key, and there may be too little memory.
bool is_unfit(const Object& variant, const std::string& answer) {
  const auto says = [&answer](const char* words) { return answer.find(words) != answer.npos; };
  if (!answer.starts_with("{\"error\"")) return false;
  if (says("groups cannot be found by") || says("of the build side that ascend")) return true;
  const bool dense = field(variant, "strategy") == "dense" && says("do not fit into memory");
  const bool direct = field(variant, "join_strategy") == "direct" && says("the table of a join");
  const bool too_little =
      !field(variant, "memory").empty() && (says("memory") || says("are allowed") || says("bytes"));
  return dense || direct || too_little;
}

std::string differing(const Object& variant, const std::string& other, const std::string& answer) {
  std::string what;
  for (const char* name : {"threads", "plan", "rows", "strategy", "join_strategy", "memory"}) {
    if (!field(variant, name).empty())
      what += std::string(name) + " '" + field(variant, name) + "' ";
  }
  return std::string("{\"differs\":")
      .append(quoted(what + ": " + other.substr(0, 2000)))
      .append(",\"from\":")
      .append(answer)
      .append("}");
}

std::string answer_to(const Sources& sources, const Object& request) {
  const auto query = query_of(sources, request);
  if (!query.ok()) {
    return std::string("{\"error\":").append(quoted(query.error().message())).append("}");
  }
  std::uint64_t unfit = 0;
  Needs needs;
  std::string answer = answer_of(*query, options_of(request), needs);
  const std::uint64_t variants = number_of(request, "variants", 0);
  if (variants == 0) return answer;
  std::mt19937_64 random(number_of(request, "seed", 1));
  const std::size_t conditions = conditions_of(*query);
  for (std::uint64_t i = 0; i < variants; ++i) {
    const Object variant = variant_of(request, conditions, needs, random);
    const std::string other = answer_of(*query, options_of(variant), needs);
    if (other == answer) continue;
    if (!is_unfit(variant, other)) return differing(variant, other, answer);
    ++unfit;
  }
  answer.pop_back();
  return answer + ",\"unfit\":" + std::to_string(unfit) +
         ",\"passes\":" + std::to_string(needs.passes) +
         ",\"spilled\":" + std::to_string(needs.spilled_bytes) + "}";
}

/// What tables are read from.
struct Storage {
  std::vector<std::vector<Byte>> bytes;
  std::vector<std::unique_ptr<MemoryRandomAccess>> files;
  Sources sources;
};

Result<std::vector<ColumnSchema>> types_of(std::string list) {
  std::vector<ColumnSchema> types;
  while (!list.empty()) {
    // A comma within parentheses belongs to the type.
    std::size_t end = 0;
    for (int depth = 0; end < list.size() && (depth > 0 || list[end] != ','); ++end) {
      depth += list[end] == '(' ? 1 : (list[end] == ')' ? -1 : 0);
    }
    const std::string one = list.substr(0, end);
    list.erase(0, end + 1);
    const std::size_t colon = one.find(':');
    if (colon == one.npos) return make_error(ErrorCode::kInvalidArgument, one);
    PRESSO_ASSIGN(ColumnSchema type, parse_type(std::string_view(one).substr(colon + 1)));
    type.name = one.substr(0, colon);
    types.push_back(std::move(type));
  }
  return types;
}

Status add_table(Storage& storage, const std::string& name, const std::string& path,
                 const TableOptions& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return make_error(ErrorCode::kIo, "cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<Byte> bytes(text.begin(), text.end());
  if (path.ends_with(".csv")) {
    std::vector<Byte> made;
    MemorySource source(bytes);
    MemorySource types_from(bytes);
    VectorSink sink(made);
    PRESSO_TRY(compress_table(source, &types_from, sink, options));
    bytes = std::move(made);
  }
  storage.bytes.push_back(std::move(bytes));
  storage.files.push_back(std::make_unique<MemoryRandomAccess>(storage.bytes.back()));
  PRESSO_ASSIGN(Table table, Table::open(*storage.files.back()));
  storage.sources[name].push_back(std::move(table));
  return {};
}

Status open_tables(int count, char** arguments, Storage& storage) {
  TableOptions options;
  options.text.header = true;
  options.compress.threads = 1;
  storage.bytes.reserve(static_cast<std::size_t>(count));
  std::string name;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--schema" && i + 1 < count) {
      PRESSO_ASSIGN(options.types, types_of(arguments[++i]));
    } else if (argument == "--rows-per-group" && i + 1 < count) {
      options.group_rows = static_cast<std::uint32_t>(std::atoi(arguments[++i]));
    } else if (argument == "--name" && i + 1 < count) {
      name = arguments[++i];
    } else {
      PRESSO_TRY(add_table(storage, name, argument, options));
    }
  }
  return {};
}

int serve(int count, char** arguments) {
  Storage storage;
  const Status opened = open_tables(count, arguments, storage);
  if (!opened.ok()) {
    std::cerr << "query_server: " << opened.error().message() << "\n";
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = flat_json::Reader(line).object();
    std::cout << (request ? answer_to(storage.sources, *request) : "{\"error\":\"no request\"}")
              << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::serve(count, arguments);
}
