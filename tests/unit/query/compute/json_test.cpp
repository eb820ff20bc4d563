// SPDX-License-Identifier: MIT
// Functions, operators and paths that look into JSON text. Values follow DuckDB unless
// docs/sql.md names the difference.
#include <gtest/gtest.h>

#include "tests/unit/query/compute/evaluate.h"

namespace presso::query::json_compute_test {
namespace {

struct Case {
  const char* text;
  const char* value;
};

void expect_all(std::initializer_list<Case> cases) {
  for (const Case& one : cases) EXPECT_EQ(evaluate(one.text), one.value) << one.text;
}

TEST(Json, ExtractsValuesAsJsonOrAsText) {
  expect_all({{R"(json_extract('{"a": {"b": [1, 2]}}', '$.a.b[1]'))", "2"},
              {R"('{"a": "x\ty"}' -> 'a')", R"("x\ty")"},
              {R"('{"a": "x\ty"}' ->> 'a')", "x\ty"},
              {R"('{"a": [1.50, {"b" : null}]}' ->> 'a')", R"([1.5,{"b":null}])"},
              {R"('[1, 2, 3]' -> 0)", "1"},
              {R"('[1, 2, 3]' -> -1)", "3"},
              {R"('[1, 2, 3]' -> i - 6)", "2"},
              {R"('{"a": [1, "x"]}' -> 'a' ->> 1)", "x"},
              {R"('{"a": null}' -> 'a')", "null"},
              {R"(('{"a": null}' ->> 'a') is null)", "true"},
              {R"('{"a": 1}' -> 'b')", "null"},
              {R"(json_extract('{"a": 1}', sn))", "null"},
              {"sn -> 'a'", "null"},
              {R"('{"ab": 7}' -> 'a' || 'b')", "null"},
              {R"(('{"ab": 7}' -> ('a' || 'b')))", "7"},
              {R"('{"a": 5}' ->> 'a' = '5')", "true"},
              {R"(json(' { "a" : 1 } '))", R"({"a":1})"}});
}

TEST(Json, ListsAreArrays) {
  expect_all({
      {"list_value()", "[]"},
      {"list_value(1, -2.50, null, 'a\"b', 1 > 0, date '2024-02-29')",
       R"([1,-2.50,null,"a\"b",true,"2024-02-29"])"},
      {"list_value(list_value(1), list_value())", "[[1],[]]"},
      {"len(list_value('ab', 'c'))", "2"},
      {"string_split('a,b,,c', ',')", R"(["a","b","","c"])"},
      {"string_split('h\u00E9\"', '')", "[\"h\",\"\u00E9\",\"\\\"\"]"},
      {"split('', ',')", R"([""])"},
      {"len(string_split('', ''))", "0"},
      {"string_split(sn, ',')", "null"},
      {"string_split('a,b', ',')[2]", "b"},
      {"string_split('a,b', ',')[3]", "null"},
      {"list_extract(string_split('a,b', ','), i - 8)", "b"},
      {"list_extract(list_value(1, null), 2)", "null"},
      {"list_extract(list_value(1, null), 0)", "null"},
      {"list_slice(list_value(1, 2, 3, 4), 2, 3)", "[2,3]"},
      {"list_value(1, 2, 3, 4)[-2:]", "[3,4]"},
      {"list_value(1, 2, 3, 4)[:-2]", "[1,2,3]"},
      {"list_value(1, 2)[2:1]", "[]"},
      {"list_value(1, 2)[-9:9]", "[1,2]"},
      {"'h\u00E9llo'[2:3]", "\u00E9l"},
      {"'h\u00E9llo'[-2:]", "lo"},
      {"'h\u00E9llo'[4:2]", ""},
      {"list_contains(list_value('a', null), 'a')", "true"},
      {"list_contains(list_value('a', null), 'b')", "false"},
      {"list_contains(list_value(1, 2.0), 2)", "true"},
      {"list_contains(list_value('1', '2.0'), '2')", "false"},
      {"list_contains(list_value(1), null)", "null"},
      {"list_position(list_value(3, 1, 1), 1)", "2"},
      {"list_position(list_value(3), 1)", "null"},
      {"array_to_string(list_value('a', null, 'b'), '-')", "a-b"},
      {"to_json('a/\"')", R"("a/\"")"},
      {"list_contains('abc', 'a')",
       "error: list_contains() takes a list; this is utf8, and json(text) makes text a list"},
      {"list_contains(json('{}'), 'a')", "error: a text is not a JSON array"},
  });
}

TEST(Json, DescribesValues) {
  expect_all({{"json_array_length('[1, [2, 3]]')", "2"},
              {R"(json_array_length('{"a": [1, 2, 3]}', 'a'))", "3"},
              {R"(json_array_length('{"a": 1}'))", "0"},
              {R"(json_array_length('{"a": "[1, 2]"}', 'a'))", "0"},
              {R"(json_array_length('{"a": 1}', 'b'))", "null"},
              {"json_array_length(sn)", "null"},
              {"json_type('[]')", "ARRAY"},
              {"json_type('{}')", "OBJECT"},
              {"json_type('\"a\"')", "VARCHAR"},
              {"json_type('true')", "BOOLEAN"},
              {"json_type('null')", "NULL"},
              {"json_type('1')", "UBIGINT"},
              {"json_type('18446744073709551615')", "UBIGINT"},
              {"json_type('18446744073709551616')", "DOUBLE"},
              {"json_type('-9223372036854775808')", "BIGINT"},
              {"json_type('-9223372036854775809')", "DOUBLE"},
              {"json_type('1.0')", "DOUBLE"},
              {R"(json_type('{"a": 1}', 'a'))", "UBIGINT"},
              {R"(json_exists('{"a": null}', 'a'))", "true"},
              {R"(json_exists('{"a": null}', '$.b'))", "false"},
              {"json_valid('{\"a\": [1]}')", "true"},
              {"json_valid('{a: 1}')", "false"},
              {"json_valid(s)", "false"},
              {"json_valid(sn)", "null"}});
}

TEST(Json, CastsReadTheValueInJson) {
  expect_all({{R"(cast('{"a": "5"}' -> 'a' as int) + 1)", "6"},
              {R"(cast('{"a": 1.25}' -> 'a' as double))", "1.25"},
              {R"(('{"a": true}' -> 'a')::bool)", "true"},
              {R"(('{"a": null}' -> 'a')::int)", "null"},
              {R"(('{"a": "2024-02-29"}' -> 'a')::date)", "2024-02-29"},
              {R"(case when b then '{"a": "x"}' -> 'a' else 'y' end)", "\"x\""}});
}

TEST(Json, ElementsCountFromOneAndFieldsHaveNames) {
  expect_all({{"(json('[7, 8, 9]'))[1]", "7"},
              {"(json('[7, 8, 9]'))[-1]", "9"},
              {"(json('[7, 8, 9]'))[0]", "null"},
              {"(json('[7, 8, 9]'))[4]", "null"},
              {R"((json('{"a": {"b c": [1, 2]}}')).a."b c"[2])", "2"},
              {R"((json('{"a": {"b": 1}}'))['a']['b'])", "1"},
              {R"((json('{"a": {"b": 1}}')).a)", R"({"b":1})"},
              {"s[1]", "h"},
              {"s[-1]", "o"},
              {"s[2]", "\xC3\xA9"}});
}

TEST(Json, RefusesWhatIsNoJsonAndNoPath) {
  const std::pair<const char*, const char*> cases[] = {
      {"s -> 'a'", "a text is not JSON: at byte 1 a value is expected: `h\xC3\xA9llo`"},
      {R"('{"a":1' -> 'a')", "a text is not JSON: at byte 7 ',' or '}' is expected: `{\"a\":1`"},
      {"json_array_length(e)", "a text is not JSON: at byte 1 a value is expected: ``"},
      {"'{}' -> '$.'", "'$.' is not a JSON path such as '$.a.b[0]', '/a/b/0' or a single key"},
      {"'{}' -> ('$.' || e)", "'$.' is not a JSON path"},
      {"'{}' -> d", "a JSON path is text or a whole number; this is decimal(18,2)"},
      {"i -> 'a'", "json_extract() takes JSON text; this is int32"},
      {"json_valid('1', '2')", "json_valid() takes 1 argument; here are 2"},
      {"json_type()", "json_type() takes 1 or 2 arguments; here are 0"},
      {"i[1]", "this is int32, which has no fields or elements"},
      {"s.a",
       "this is text, and no nested value; json_extract_string(text, path) takes text for "
       "JSON"},
      {"s[i]",
       "brackets hold a whole number, from 1 for the first element, or a key in single "
       "quotes; json_extract(value, path) takes other expressions"},
      {"q.a", "there is no table 'q'"}};
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(evaluate(text), std::string("error: ") + error) << text;
  }
}

}  // namespace
}  // namespace presso::query::json_compute_test
