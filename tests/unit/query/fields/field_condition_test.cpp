// SPDX-License-Identifier: MIT
// Conditions on fields: the types that fields get, and the strings that lines must hold. Lines and
// conditions at random are compared with Python's json by tests/cli/test_scan_where.py.
#include "presso/field_condition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "presso/expression.h"
#include "query/fields/field_types.h"

namespace presso::query::field_condition_test {
namespace {

/// The condition with its columns' types and names: "number(ms) > 500".
std::string typed(const std::string& text) {
  const auto condition = typed_condition(text);
  if (!condition.ok()) return "error: " + condition.error().what;
  static constexpr const char* kTypes[] = {"text", "number", "whole", "truth", "nested"};
  std::string shown = to_text(condition->expression);
  for (std::size_t i = condition->fields.size(); i-- > 0;) {
    const TypedField& field = condition->fields[i];
    const std::string name = "\"##" + std::to_string(i) + "\"";
    for (std::size_t at; (at = shown.find(name)) != shown.npos;) {
      const std::string type = kTypes[static_cast<std::size_t>(field.type)];
      shown.replace(at, name.size(), type + "(" + field.written + ")");
    }
  }
  return shown;
}

TEST(FieldTypes, FollowWhatFieldsAreComparedWith) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"ms > 500", "number(ms) > 500"},
           {"'x' = level", "'x' = text(level)"},
           {"ok and not a.b", "truth(ok) AND NOT truth(a.b)"},
           {"ok = true", "truth(ok) = TRUE"},
           {"id = 9007199254740992", "whole(id) = 9007199254740992"},
           {"id in (1, -9007199254740993)", "whole(id) IN (1, -9007199254740993)"},
           {"id > 9007199254740991", "number(id) > 9007199254740991"},
           {"t > timestamp '2024-01-01 00:00:00'",
            "TRY_CAST(text(t) AS timestamptz) > TIMESTAMP '2024-01-01 00:00:00'"},
           {"a + b > 1", "number(a) + number(b) > 1"},
           {"lower(a) = 'x'", "lower(text(a)) = 'x'"},
           {"abs(a) > 1", "abs(number(a)) > 1"},
           {"coalesce(a, 0) > 1", "coalesce(number(a), 0) > 1"},
           {"a is null", "text(a) IS NULL"},
           {"tags[1] like 'x%'", "text(tags[1]) LIKE 'x%'"}}) {
    EXPECT_EQ(typed(text), expected);
  }
}

TEST(FieldTypes, TakeWordsInDoubleQuotesForTextWhereAValueStands) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"level = \"error\"", "text(level) = 'error'"},
           {"\"a b\" = \"c d\"", "text(\"a b\") = 'c d'"},
           {"a like \"%x%\"", "text(a) LIKE '%x%'"},
           {"a not in (\"x\", 'y')", "text(a) NOT IN ('x', 'y')"},
           {"a between \"x\" and \"y\"", "text(a) BETWEEN 'x' AND 'y'"},
           {"contains(a, \"x\")", "contains(text(a), 'x')"},
           {"'x' = \"a b\"", "'x' = text(\"a b\")"},
           {"coalesce(a, \"b c\") = 'x'", "coalesce(text(a), text(\"b c\")) = 'x'"}}) {
    EXPECT_EQ(typed(text), expected);
  }
}

std::vector<std::vector<std::string>> required(const std::string& text) {
  const auto condition = compile_field_condition(text);
  EXPECT_TRUE(condition.ok()) << text;
  return condition->condition->required();
}

using Sets = std::vector<std::vector<std::string>>;

TEST(RequiredStrings, AreThoseOfTextsAndNames) {
  EXPECT_EQ(required("level = 'error'"),
            (Sets{{"\"error\"", "=error", "\\u00"}, {"level", "\\u00"}}));
  EXPECT_EQ(required("ms > 5"), (Sets{{"\"ms\"", "ms=", "\\u00"}}));
  EXPECT_EQ(required("a.bcd like '%tim_out%x'"), (Sets{{"tim", "\\u00"}, {"bcd", "\\u00"}}));
  EXPECT_EQ(required("a = '512'"), (Sets{{"512", "\\u00"}, {"a", "\\u00"}}));
  EXPECT_EQ(required("a = 'x' or b = 'y'"), (Sets{{"\"x\"", "=x", "\\u00", "\"y\"", "=y"}}));
  EXPECT_EQ(required("not (ms > 5)"), (Sets{{"\"ms\"", "ms=", "\\u00"}}));
}

TEST(RequiredStrings, LeaveOutWhatHasOtherSpellings) {
  EXPECT_EQ(required("a = 'usr/lib'"), (Sets{{"usr", "\\u00"}, {"a", "\\u00"}}));
  EXPECT_EQ(required("a like '%\\x\xC3\xA9zz'"), (Sets{{"zz", "\\u00"}, {"a", "\\u00"}}));
  EXPECT_EQ(required("a = ''"), (Sets{{"a", "\\u00"}}));
  EXPECT_EQ(required("\"\xC3\xA9\" > 5"), Sets());
}

TEST(RequiredStrings, AreNoneWhereNullsPass) {
  for (const char* text :
       {"a is null", "a is distinct from 'x'", "a = 'x' or b is null", "not (a = 'x' and b = 'y')",
        "coalesce(a, 'x') = 'x'", "true", "case when a = 'x' then true else true end"}) {
    EXPECT_EQ(required(text), Sets()) << text;
  }
}

/// Which of the lines pass.
std::vector<bool> passing(const std::string& text, const std::vector<std::string_view>& lines) {
  const auto condition = compile_field_condition(text);
  EXPECT_TRUE(condition.ok()) << text;
  std::vector<Bytes> bytes;
  for (const std::string_view line : lines) {
    bytes.emplace_back(reinterpret_cast<const Byte*>(line.data()), line.size());
  }
  bool passes[LineCondition::kMaxLines] = {};
  const auto tester = condition->condition->tester();
  tester->test(bytes, {passes, lines.size()});
  tester->test(bytes, {passes, lines.size()});
  return std::vector<bool>(passes, passes + lines.size());
}

TEST(FieldCondition, ReadsNumbersInEverySpelling) {
  const std::vector<std::string_view> lines = {
      R"({"a":512})",    R"({"a":5.12e2})",  R"({"a":"512"})", R"({"a":"+0512.0"})", "a=512",
      R"({"a":"512 "})", R"({"a":"0x200"})", R"({"a":true})",  R"({"a":[512]})",     "a"};
  EXPECT_EQ(passing("a = 512", lines),
            (std::vector<bool>{true, true, true, true, true, false, false, false, false, false}));
}

TEST(FieldCondition, KeepsLargeWholeNumbersApart) {
  const std::vector<std::string_view> lines = {"a=9007199254740993",
                                               "a=9007199254740992",
                                               "a=9007199254740993.5",
                                               "a=1e300",
                                               "a=-1e300",
                                               "a=x"};
  EXPECT_EQ(passing("a > 9007199254740992", lines),
            (std::vector<bool>{true, false, true, true, false, false}));
  EXPECT_EQ(passing("a <= 9007199254740992", lines),
            (std::vector<bool>{false, true, false, false, true, false}));
}

TEST(FieldCondition, DoesNotPassWhatCannotBeComputed) {
  EXPECT_EQ(passing("cast(a as int) > 5", {"a=7", "a=x", "b=7"}),
            (std::vector<bool>{true, false, false}));
  EXPECT_EQ(passing("not (cast(a as int) > 5)", {"a=3", "a=x", "b=7"}),
            (std::vector<bool>{true, false, false}));
}

TEST(FieldCondition, BoundsTheTimeOfDeepConditions) {
  std::string text = "a";
  for (int i = 0; i < 200; ++i) text = "(1 + " + text + ")";
  EXPECT_EQ(passing(text + " = 201", {"a=1", "a=2"}), (std::vector<bool>{true, false}));
}

TEST(FieldCondition, NamesThePlaceOfAnError) {
  const auto condition = compile_field_condition("a = 1 and nothing(b)");
  ASSERT_FALSE(condition.ok());
  EXPECT_EQ(condition.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(condition.error().byte_offset, 10u);
}

}  // namespace
}  // namespace presso::query::field_condition_test
