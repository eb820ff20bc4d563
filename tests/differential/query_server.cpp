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
// strategy, join_strategy, memory, device (gpu: an emulated one). Sources are joined by from (a
// name), as (its alias), and join1 (a name), as1, kind1 ("left"), on1 ("a = b"), join2 and so on;
// or by sql, one SELECT over names. "statement" is a whole statement over names, as of presso sql;
// of the other fields it takes threads and memory. The answer is a line of JSON:
// {"types":[...],"rows":[[...],...]}, values as text or null, or
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
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "format/columns/value_text.h"
#include "presso/byte_stream.h"
#include "presso/compress_table.h"
#include "presso/query.h"
#include "tests/differential/query_request.h"
#include "tests/differential/query_variants.h"

namespace presso::oracle {
namespace {

using flat_json::Object;
using flat_json::quoted;

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

std::string error_of(const Error& error) {
  return std::string("{\"error\":").append(quoted(error.message())).append("}");
}

std::string answer_of(const Query& query, const QueryOptions& options, Needs& needs) {
  JsonSink sink;
  const auto done = query.run(options, sink);
  if (!done.ok()) return error_of(done.error());
  needs.passes = std::max(needs.passes, done->passes);
  needs.bytes = std::max(needs.bytes, done->peak_bytes);
  needs.spilled_bytes = std::max(needs.spilled_bytes, done->spilled_bytes);
  return sink.json();
}

std::string differing(const Object& variant, const std::string& other, const std::string& answer) {
  std::string what;
  for (const char* name :
       {"threads", "plan", "rows", "strategy", "join_strategy", "memory", "device"}) {
    if (!field(variant, name).empty())
      what += std::string(name) + " '" + field(variant, name) + "' ";
  }
  return std::string("{\"differs\":")
      .append(quoted(what + ": " + other.substr(0, 2000)))
      .append(",\"from\":")
      .append(answer)
      .append("}");
}

/// The answer to a whole statement.
std::string statement_answer(const Sources& sources, const Object& request) {
  const QueryOptions options = options_of(request);
  const auto last = statement_of(sources, field(request, "statement"), options);
  if (!last.ok()) return error_of(last.error());
  Needs needs;
  return answer_of(last->query, options, needs);
}

std::string answer_to(const Sources& sources, const Object& request) {
  if (request.count("statement") != 0) return statement_answer(sources, request);
  const auto query = query_of(sources, request);
  if (!query.ok()) return error_of(query.error());
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
    if (other == answer || is_error_of_other_row(variant, answer, other)) continue;
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
}  // namespace presso::oracle

int main(int count, char** arguments) {
  return presso::oracle::serve(count, arguments);
}
