// SPDX-License-Identifier: MIT
// Expressions as text, computed for one row of made-up columns: for tests of query/compute.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/columns/value_text.h"
#include "query/compute/binder.h"
#include "query/compute/program.h"
#include "query/compute/written_value.h"

namespace presso::query {

/// A column and its only value as text; nullopt: null.
struct TestColumn {
  std::string name;
  std::string type;
  std::optional<std::string> value;
};

/// Columns of every family; numbers near the limits of their types among them.
inline std::vector<TestColumn> test_columns() {
  return {{"i", "int32", "7"},
          {"big", "int64", "9223372036854775807"},
          {"small", "int64", "-9223372036854775808"},
          {"u", "uint64", "18446744073709551615"},
          {"d", "decimal(18,2)", "12.34"},
          {"wide", "decimal(38,4)", "1234567890123456789012345678.1234"},
          {"x", "double", "0.5"},
          {"nan", "double", "nan"},
          {"f", "float", "0.25"},
          {"b", "bool", "true"},
          {"day", "date", "1994-01-31"},
          {"t", "timestamp(ms)", "1994-01-31 12:34:56.789"},
          {"ts", "timestamp(s)", "9999-12-31 23:59:59"},
          {"tn", "timestamp(ns)", "2262-04-11 23:47:16.854775807"},
          {"far", "date", "5881580-07-11"},
          {"s", "utf8", "h\xC3\xA9llo"},
          {"e", "utf8", ""},
          {"n", "int64", std::nullopt},
          {"sn", "utf8", std::nullopt},
          {"tnn", "timestamp(ns)", std::nullopt},
          {"bn", "bool", std::nullopt}};
}

/// The expression's value as a table would print it, "null", or "error: ...".
inline std::string evaluate(const std::string& text) {
  const std::vector<TestColumn> given = test_columns();
  std::vector<InputColumn> columns;
  for (const TestColumn& column : given) {
    columns.push_back({column.name, *parse_type(column.type), {}, !column.value.has_value()});
  }
  const auto parsed = parse_expression(text);
  if (!parsed.ok()) return "error: " + parsed.error().what;
  Graph graph;
  Binder binder(graph, columns);
  const auto bound = binder.bind(*parsed);
  if (!bound.ok()) return "error: " + bound.error().what;
  const Program program(graph, {*bound});
  Program::State state(program);
  std::vector<VectorView> inputs;
  std::vector<std::vector<Byte>> values(given.size(), std::vector<Byte>(16));
  static constexpr std::uint64_t kNone[kBatchWords] = {};
  for (const std::size_t i : program.inputs()) {
    const Node node = column_node(i, columns[i].schema, {}, true);
    VectorView view{node.physical, values[i].data(), given[i].value ? nullptr : kNone};
    if (node.physical == Physical::kString) {
      const StringRef string =
          given[i].value ? StringRef{reinterpret_cast<const Byte*>(given[i].value->data()),
                                     given[i].value->size()}
                         : StringRef{};
      std::memcpy(values[i].data(), &string, sizeof string);
    } else if (given[i].value) {
      const std::string& value = *given[i].value;
      read_value(node, {reinterpret_cast<const Byte*>(value.data()), value.size()},
                 values[i].data());
    }
    inputs.push_back(view);
  }
  VectorView result;
  if (const auto failure = program.run(state, inputs, 1, {&result, 1})) {
    return "error: " + failure->what;
  }
  if (graph.at(*bound).family == Family::kNull || result.is_null(0)) return "null";
  if (result.physical == Physical::kString) {
    const Bytes bytes = result.as<StringRef>()[0].bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  char printed[kMaxValueText];
  return {printed, write_value(graph.at(*bound), result, 0, printed)};
}

}  // namespace presso::query
