// SPDX-License-Identifier: MIT
// Fields of single lines: JSON, logfmt, escapes, nested values, lists, and lines that are broken.
#include "query/fields/field_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace presso::query::field_reader_test {
namespace {

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

std::string unescaped(std::string_view text) {
  std::string to(text.size(), ' ');
  to.resize(unescape_field(as_bytes(text), reinterpret_cast<Byte*>(to.data())));
  return to;
}

FieldPath keys(std::initializer_list<const char*> names) {
  FieldPath path;
  for (const char* name : names) {
    path.steps.push_back({JsonStep::Kind::kKey, name, 0});
    path.joined += (path.joined.empty() ? "" : ".") + std::string(name);
  }
  if (path.steps.size() == 1) path.joined.clear();
  return path;
}

FieldPath element(const char* key, std::int64_t place) {
  FieldPath path = keys({key});
  path.steps.push_back({JsonStep::Kind::kPlace, {}, place});
  return path;
}

/// The value as "kind:text", with escapes replaced.
std::string shown(const FieldValue& value) {
  static constexpr const char* kNames[] = {"absent", "null", "true",   "false",
                                           "number", "text", "nested", "alone"};
  const std::string text(value.text.begin(), value.text.end());
  const std::string name = kNames[static_cast<std::size_t>(value.kind)];
  return text.empty() ? name : name + ":" + (value.escaped ? unescaped(text) : text);
}

/// The values of the fields, separated by bars. The line is read from a copy of exactly its size,
/// so that a sanitizer sees any byte that is read beyond.
std::string read(std::vector<FieldPath> fields, std::string_view line) {
  const std::vector<char> copy(line.begin(), line.end());
  FieldReader reader(fields);
  std::string all;
  for (int again = 0; again < 2; ++again) {
    reader.read(as_bytes({copy.data(), copy.size()}));
    all.clear();
    for (const FieldValue& value : reader.values()) all += (all.empty() ? "" : "|") + shown(value);
  }
  return all;
}

std::string a_of(std::string_view line) {
  return read({keys({"a"})}, line);
}

TEST(FieldReader, ReadsValuesOfEveryKind) {
  EXPECT_EQ(a_of(R"({"a":1})"), "number:1");
  EXPECT_EQ(a_of(R"( {"b" : [1, {"a":2}] , "a" : -1.5e3 } )"), "number:-1.5e3");
  EXPECT_EQ(a_of("{\"a\":true}\r"), "true:true");
  EXPECT_EQ(a_of(R"({"a":false,"b":{}})"), "false:false");
  EXPECT_EQ(a_of(R"({"a":null})"), "null:null");
  EXPECT_EQ(a_of(R"({"a":"x y"})"), "text:x y");
  EXPECT_EQ(a_of(R"({"a":[1, 2]})"), "nested:[1, 2]");
  EXPECT_EQ(a_of(R"({"a":NaN})"), "number:NaN");
  EXPECT_EQ(a_of(R"({"a":-Infinity})"), "number:-Infinity");
  EXPECT_EQ(a_of("{}"), "absent");
  EXPECT_EQ(a_of(R"({"aa":1,"":2,"A":3})"), "absent");
}

TEST(FieldReader, DecodesEscapesInKeysAndTexts) {
  EXPECT_EQ(a_of(R"({"\u0061":"\u0065\"\\\/\b\f\n\r\t"})"), "text:e\"\\/\b\f\n\r\t");
  EXPECT_EQ(unescaped(R"(\u00e9\u20AC\ud83d\uDE00)"), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(unescaped(R"(\ud83dx\ude00)"), "\xEF\xBF\xBDx\xEF\xBF\xBD");
  EXPECT_EQ(unescaped(R"(\ud83d\u0041)"),
            "\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(unescaped(R"(C:\w \u12 \)"), R"(C:\w \u12 \)");
}

TEST(FieldReader, DecodesEscapesWhereverTheyStand) {
  for (std::size_t before = 0; before < 40; ++before) {
    for (const std::size_t after : {0u, 1u, 15u, 16u, 33u}) {
      const std::string left(before, 'x');
      const std::string right(after, 'y');
      EXPECT_EQ(unescaped(left + "\\n\\u20ac" + right), left + "\n\xE2\x82\xAC" + right);
      EXPECT_EQ(unescaped(left + right + "\\"), left + right + "\\");
    }
  }
}

TEST(FieldReader, FindsQuotesWhereverTheyStand) {
  for (std::size_t length = 0; length < 70; ++length) {
    const std::string text(length, 'x');
    EXPECT_EQ(a_of("{\"b\":\"" + text + "\",\"a\":\"" + text + "\"}"),
              length == 0 ? "text" : "text:" + text);
    EXPECT_EQ(a_of("{\"b\":\"" + text + "\\\"\",\"a\":1}"), "number:1") << length;
    EXPECT_EQ(a_of("{\"a\":\"" + text), "absent");
    EXPECT_EQ(a_of("{\"a\":\"" + text + "\\"), "absent");
  }
}

TEST(FieldReader, FollowsPathsAndPlaces) {
  const std::string line = R"({"a":{"b":{"c":7},"l":[10,[20,21],{"k":30}]},"l":["x"]})";
  EXPECT_EQ(read({keys({"a", "b", "c"}), keys({"a", "b"}), keys({"a", "x"})}, line),
            R"(number:7|nested:{"c":7}|absent)");
  FieldPath path = keys({"a", "l"});
  path.steps.push_back({JsonStep::Kind::kPlace, {}, -1});
  path.steps.push_back({JsonStep::Kind::kKey, "k", 0});
  FieldPath inner = keys({"a", "l"});
  inner.steps.push_back({JsonStep::Kind::kPlace, {}, 1});
  inner.steps.push_back({JsonStep::Kind::kPlace, {}, 0});
  EXPECT_EQ(read({path, inner, element("l", 0), element("l", 1), element("l", -1), element("l", -2),
                  element("a", 0)},
                 line),
            "number:30|number:20|text:x|absent|text:x|absent|absent");
}

TEST(FieldReader, PrefersAKeyWithPoints) {
  EXPECT_EQ(read({keys({"a", "b"})}, R"({"a":{"b":1},"a.b":2})"), "number:2");
  EXPECT_EQ(read({keys({"a", "b"})}, R"({"a.b":null,"a":{"b":1}})"), "null:null");
  EXPECT_EQ(read({keys({"a", "b"})}, "a.b=3 a=1"), "text:3");
}

TEST(FieldReader, TakesTheLastOfEqualKeys) {
  EXPECT_EQ(a_of(R"({"a":1,"a":2})"), "number:2");
  EXPECT_EQ(a_of("a=1 a=2 a"), "alone");
  EXPECT_EQ(read({keys({"a", "b"})}, R"({"a":{"b":1},"a":{"c":2}})"), "absent");
  EXPECT_EQ(read({keys({"a", "b"})}, R"({"a":{"b":1},"a":5})"), "absent");
  EXPECT_EQ(read({element("a", 0)}, R"({"a":[1],"a":[]})"), "absent");
}

TEST(FieldReader, ReadsLogfmt) {
  EXPECT_EQ(a_of("a=1"), "text:1");
  EXPECT_EQ(a_of("\tb=2  a=\"x \\\"y\\u0065\" c"), "text:x \"ye");
  EXPECT_EQ(a_of("2024-01-01 INFO a=x=y"), "text:x=y");
  EXPECT_EQ(a_of("a= b=1"), "text");
  EXPECT_EQ(a_of("a=\"\"b=1"), "text");
  EXPECT_EQ(a_of("a=\"never closed"), "text:\"never");
  EXPECT_EQ(a_of("a b=1"), "alone");
  EXPECT_EQ(a_of("=a a=1\r"), "text:1");
  EXPECT_EQ(a_of("a=[1,2]"), "text:[1,2]");
}

TEST(FieldReader, FindsNothingInOtherLines) {
  for (const char* line : {"",
                           "   ",
                           "a",
                           "a b c",
                           "some =a text",
                           R"([{"a":1}])",
                           R"("a":1)",
                           R"({"a":1)",
                           R"({"a":1}})",
                           R"({"a":1} x)",
                           R"({"a":1,})",
                           R"({"a" 1})",
                           R"({"a":})",
                           R"({"a":tru})",
                           R"({"a":nul})",
                           R"({a:1})",
                           R"({"a":1 "b":2})",
                           R"({"a":[1,2})",
                           R"({"a":1,"b":"x)",
                           R"({"a":1,"b":[[})",
                           R"({"a":x})"}) {
    EXPECT_EQ(a_of(line), "absent") << line;
  }
}

TEST(FieldReader, TakesBytesThatAreNoUtf8) {
  EXPECT_EQ(a_of("{\"a\":\"\xFF\t\"}"), "text:\xFF\t");
  EXPECT_EQ(a_of("a=\xE9"), "text:\xE9");
}

TEST(FieldReader, ReadsDeepNestingWithoutCalls) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(a_of("{\"b\":" + deep + std::string(deep.size(), ']') + ",\"a\":1}"), "number:1");
  EXPECT_EQ(a_of("{\"b\":" + deep + ",\"a\":1}"), "absent");
}

}  // namespace
}  // namespace presso::query::field_reader_test
