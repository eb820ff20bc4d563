// SPDX-License-Identifier: MIT
// Paths into JSON text: which texts are paths, what they lead to, and how values are written.
// Expected values are those of DuckDB's json_extract.
#include "format/columns/json_path.h"

#include <gtest/gtest.h>

namespace presso::json_path_test {
namespace {

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// The value as JSON, or a word for what was found instead.
std::string extract(const std::string& text, const std::string& path) {
  const auto steps = parse_json_path(path);
  if (!steps) return "no path";
  JsonFinder finder;
  switch (finder.find(bytes_of(text), *steps)) {
    case JsonFinder::Found::kNoJson:
      return "no JSON";
    case JsonFinder::Found::kNothing:
      return "nothing";
    default:
      break;
  }
  std::string value;
  append_json(finder.text(), finder.value(), value);
  return value;
}

const std::string kNested = R"( {"a" : {"b": [1,  2, "x"], "": 5}, "a b":7, "a":8, "c/d": 9} )";

TEST(JsonPath, FormsLeadToTheValuesThatDuckDbFinds) {
  const std::pair<const char*, const char*> cases[] = {
      {"$.a.b[0]", "1"},        {"$.a.b", R"([1,2,"x"])"},
      {"/a/b/2", R"("x")"},     {"a b", "7"},
      {"$.a b", "7"},           {R"($."a b")", "7"},
      {R"($."a"."b"[1])", "2"}, {"$.a.b[-1]", R"("x")"},
      {"$.a.b[#-2]", "2"},      {"$.a.b[#-0]", "1"},
      {"$.a.b[#]", "nothing"},  {"$.a.b[3]", "nothing"},
      {"$.a.b[-4]", "nothing"}, {"/a/", "5"},
      {"$.a.\"\"", "5"},        {"/c~1d", "9"},
      {"/a/b/-1", "nothing"},   {"/a/b/01", "nothing"},
      {"/", "nothing"},         {"$[0]", "nothing"},
      {"$.a.b.c", "nothing"},   {"$.a.b[0].c", "nothing"},
      {"A", "nothing"},
  };
  for (const auto& [path, value] : cases) EXPECT_EQ(extract(kNested, path), value) << path;
  EXPECT_EQ(extract(kNested, ""), extract(kNested, "$"));
  EXPECT_EQ(extract("[[1], 2]", "$[0][0]"), "1");
  EXPECT_EQ(extract(R"({"1": 5})", "/1"), "5");
  EXPECT_EQ(extract(R"({"\u0061": 5})", "a"), "5");
  EXPECT_EQ(extract(R"({"a\"b": 5})", R"($."a\"b")"), "5");
  EXPECT_EQ(extract("5", "$.a"), "nothing");
}

TEST(JsonPath, OtherTextsThatBeginWithADollarAreNone) {
  for (const char* path : {"$a", "$.", "$.a[", "$.a[]", "$.a[x]", "$.a[ 1 ]", "$.a[1", "$.\"a",
                           "$.*", "$..a", "$.a[*]", "$.a[99999999999999999999]", "$.a[#--1]"}) {
    EXPECT_EQ(extract(kNested, path), "no path") << path;
  }
}

TEST(JsonPath, StepsForAllMembersAreTakenWhereTheyAreAllowed) {
  const auto path = parse_json_path("$.*.a[*].*", true);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->front().kind, JsonStep::Kind::kAnyKey);
  EXPECT_EQ(json_path_text(*path), "$.*.a[*].*");
  EXPECT_EQ(json_path_text(*parse_json_path("$.\"*\"", true)), "$.\"*\"");
  EXPECT_FALSE(parse_json_path("$.*a", true));
}

TEST(JsonPath, TheWholeTextIsChecked) {
  for (const char* text : {"", " ", "{\"a\":1", "{\"a\":1} x", "{\"a\":1}{}", "[1,]", "[1,,2]",
                           "{a:1}", "{\"b\":[fals], \"a\":1}", "\"a", "{\"a\":01}", "\x01"}) {
    EXPECT_EQ(extract(text, "a"), "no JSON") << text;
    EXPECT_EQ(extract(text, "$"), "no JSON") << text;
  }
}

TEST(JsonPath, ValuesAreWrittenInOneForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"1.50", "1.5"},
      {"1e5", "100000.0"},
      {"1E20", "100000000000000000000.0"},
      {"1e21", "1e21"},
      {"1.5e-7", "1.5e-7"},
      {"0.000001", "0.000001"},
      {"1e-5", "0.00001"},
      {"-0", "0"},
      {"-0.0", "-0.0"},
      {"-2.5e3", "-2500.0"},
      {"12345678901234567.0", "12345678901234568.0"},
      {"12345678901234567890123", "12345678901234567890123"},
      {"1E400", "1E400"},
      {"NaN", "NaN"},
      {"-Infinity", "-Infinity"},
      {"null", "null"},
      {R"("\t\u0007\"\\\/ \u00e9")", "\"\\t\\u0007\\\"\\\\/ \xC3\xA9\""},
      {"[ 1 ,\n{ \"k \" : 1.0 } , [ ] ]", R"([1,{"k ":1.0},[]])"},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(extract(text, "$"), value) << text;
}

TEST(JsonPath, TextOfAPathIsParsedAsThePath) {
  for (const char* text : {"$", R"($.a[0]."b\"c\\"[-3])", R"($." "[#])", "$[*].a_1"}) {
    const auto path = parse_json_path(text, true);
    ASSERT_TRUE(path) << text;
    EXPECT_EQ(json_path_text(*path), text);
  }
}

}  // namespace
}  // namespace presso::json_path_test
