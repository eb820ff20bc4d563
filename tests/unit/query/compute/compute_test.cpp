// SPDX-License-Identifier: MIT
// What expressions give, and what is said of those that give nothing. Values follow DuckDB unless
// docs/sql.md names the difference.
#include <gtest/gtest.h>

#include "tests/unit/query/compute/evaluate.h"

namespace presso::query::compute_test {
namespace {

struct Case {
  const char* text;
  const char* value;
};

void expect_all(std::initializer_list<Case> cases) {
  for (const Case& one : cases) EXPECT_EQ(evaluate(one.text), one.value) << one.text;
}

TEST(Compute, AddsIntegersInSixtyFourBits) {
  expect_all({{"i + 1", "8"},
              {"i * i - 50", "-1"},
              {"i // 2", "3"},
              {"-i // 2", "-3"},
              {"i % 4", "3"},
              {"-i % 4", "-3"},
              {"- i", "-7"},
              {"abs(-i)", "7"},
              {"big", "9223372036854775807"},
              {"small + 1", "-9223372036854775807"},
              {"u", "18446744073709551615"},
              {"u - 1", "18446744073709551614"},
              {"i + n", "null"}});
}

TEST(Compute, SaysWhereIntegersOverflow) {
  for (const char* text : {"big + 1", "small - 1", "big * 2", "-small", "abs(small)", "small // -1",
                           "i // 0", "i % 0"}) {
    EXPECT_EQ(evaluate(text).substr(0, 6), "error:") << text;
  }
}

TEST(Compute, KeepsDecimalsExact) {
  expect_all({{"d + 0.005", "12.345"},
              {"d * 2", "24.68"},
              {"d * d", "152.2756"},
              {"1 - d", "-11.34"},
              {"0.1 + 0.2", "0.3"},
              {"wide + 1", "1234567890123456789012345679.1234"},
              {"round(d, 1)", "12.3"},
              {"round(-12.35, 1)", "-12.4"},
              {"round(d)", "12"},
              {"floor(-d)", "-13"},
              {"ceil(d)", "13"},
              {"d / 2", "6.17"},
              {"i / 2", "3.5"},
              {"d // 2", "6"},
              {"-d // 0.5", "-24"},
              {"-d % 5", "-2.34"},
              {"-7.5e0 // 2", "-3"},
              {"cast(-2.5e0 as int)", "-2"},
              {"cast(-2.5e0 as decimal(18,0))", "-3"}});
  EXPECT_EQ(evaluate("wide * wide").substr(0, 6), "error:");
}

TEST(Compute, GivesChoicesTheWidestType) {
  expect_all({{"greatest(d, 0.0001, 99999999999999999)", "99999999999999999.0000"},
              {"coalesce(n, u, -1)", "18446744073709551615"},
              {"least(u, -1)", "-1"},
              {"case when b then -1 else u end", "-1"},
              {"least(f, x / 3)", "0.16666666666666666"},
              {"abs(wide + d * 0.5)", "1234567890123456789012345684.2934"}});
}

TEST(Compute, SaysWhereMomentsOverflow) {
  for (const char* text : {"cast('1700-01-01' as timestamp(ns)) - interval '300' year",
                           "date_trunc('year', cast('1677-09-22' as timestamp(ns)))",
                           "day + interval '2000000000' year",
                           "cast(day as timestamp(ns)) + interval '900000000' hour"}) {
    EXPECT_EQ(evaluate(text).substr(0, 6), "error:") << text;
  }
}

TEST(Compute, FollowsIeeeForDoublesButOrdersNan) {
  expect_all({{"x * 4", "2"},
              {"x + d", "12.84"},
              {"1 / 0", "inf"},
              {"-1 / 0", "-inf"},
              {"nan = nan", "true"},
              {"nan > 1 / 0", "true"},
              {"nan < 1", "false"},
              {"x < nan", "true"},
              {"f + x", "0.75"},
              {"round(2.5e0)", "3"},
              {"sqrt(16)", "4"},
              {"power(2, 10)", "1024"},
              {"0.0e0 = -0.0e0", "true"}});
  EXPECT_EQ(evaluate("sqrt(-1)").substr(0, 6), "error:");
}

TEST(Compute, RoundsTheValueThatADoubleHas) {
  expect_all({{"round(0.35e0, 1)", "0.3"},  // 0.34999999999999997...
              {"round(0.45e0, 1)", "0.5"},  // 0.45000000000000001...
              {"round(0.25e0, 1)", "0.3"},  // exactly half: away from zero
              {"round(-0.35e0, 1)", "-0.3"},
              {"round(-0.25e0, 1)", "-0.3"},
              {"round(1.005e0, 2)", "1"},
              {"round(2.675e0, 2)", "2.67"},
              {"round(4.35e0, 22)", "4.35"},
              {"round(1e300, 10)", "1e+300"},
              {"round(150e0, -2)", "200"},
              {"round(1234.5e0, -2)", "1200"},
              {"round(0.35, 1)", "0.4"}});  // a decimal
}

TEST(Compute, KnowsThreeTruths) {
  expect_all({{"n = 1", "null"},
              {"n = 1 and false", "false"},
              {"n = 1 and true", "null"},
              {"n = 1 or true", "true"},
              {"n = 1 or false", "null"},
              {"not (n = 1)", "null"},
              {"n is null", "true"},
              {"n is not null", "false"},
              {"n is distinct from 1", "true"},
              {"n is not distinct from null", "true"},
              {"i in (1, 7)", "true"},
              {"i in (1, null)", "null"},
              {"i in (7, null)", "true"},
              {"i not in (1, null)", "null"},
              {"i not in (1, 2, 3)", "true"},
              {"i between 1 and 7", "true"},
              {"i not between 1 and n", "null"},
              {"bn or b", "true"},
              {"bn and b", "null"}});
}

TEST(Compute, EvaluatesOnlyTheBranchThatIsTaken) {
  expect_all({{"case when i = 0 then 0 else 10 // i end", "1"},
              {"case when i = 7 then 1 else 10 // 0 end", "1"},
              {"i = 0 and 10 // 0 = 1", "false"},
              {"i = 7 or 10 // 0 = 1", "true"},
              {"case when n = 1 then 'a' end", "null"},
              {"case i when 7 then 'seven' else 'other' end", "seven"},
              {"coalesce(n, i, 10 // 0)", "7"},
              {"nullif(i, 7)", "null"},
              {"if(b, 1, 2)", "1"}});
  EXPECT_EQ(evaluate("case when i = 7 then 10 // 0 else 1 end").substr(0, 6), "error:");
}

TEST(Compute, CountsCharactersOfStrings) {
  expect_all({{"length(s)", "5"},
              {"octet_length(s)", "6"},
              {"upper(s)", "H\xC3\x89LLO"},
              {"lower('ABC')", "abc"},
              {"lower('\u039F\u0394\u03A5\u03A3\u03A3\u0395\u03A5\u03A3')",
               "\u03BF\u03B4\u03C5\u03C3\u03C3\u03B5\u03C5\u03C3"},
              {"upper('\u03BF\u03B4\u03CC\u03C2')", "\u039F\u0394\u038C\u03A3"},
              {"upper('\u0131\u00DF\u01C6\u017F')", "I\u1E9E\u01C4S"},
              {"lower('\u0130\u01C5\u212A\u1E9E')", "i\u01C6k\u00DF"},
              {"substr(s, 2, 3)", "\xC3\xA9ll"},
              {"substr(s, -3)", "llo"},
              {"substr(s, 0, 2)", "h"},
              {"s || '!' || i", "h\xC3\xA9llo!7"},
              {"s || sn", "null"},
              {"concat(s, sn, 1)", "h\xC3\xA9llo1"},
              {"trim('  a ')", "a"},
              {"replace('banana', 'an', 'o')", "booa"},
              {"starts_with(s, 'h')", "true"},
              {"contains(s, 'll')", "true"},
              {"strpos(s, 'l')", "3"},
              {"s like 'h_llo'", "true"},
              {"s not like '%x%'", "true"},
              {"s ilike 'H%'", "true"},
              {"s matches '^h.l+o$'", "true"},
              {"e = ''", "true"},
              {"sn like '%'", "null"},
              {"s < 'i'", "true"},
              {"'i' > s", "true"},
              {"s in ('a', 'h\xC3\xA9llo')", "true"},
              {"s <> 'x'", "true"}});
}

TEST(Compute, ReckonsWithDates) {
  expect_all({{"day + 1", "1994-02-01"},
              {"day - date '1994-01-01'", "30"},
              {"day + interval '1' month", "1994-02-28"},
              {"day - interval '1' year", "1993-01-31"},
              {"day - interval 30 day", "1994-01-01"},
              {"year(day)", "1994"},
              {"month(t)", "1"},
              {"hour(t)", "12"},
              {"second(t)", "56"},
              {"t + interval '1' hour", "1994-01-31 13:34:56.789"},
              {"date_trunc('month', t)", "1994-01-01 00:00:00.000"},
              {"date_trunc('week', day)", "1994-01-31"},
              {"week(day)", "5"},
              {"dayofweek(day)", "1"},
              {"epoch(t)", "760019696"},
              {"day < '1994-02-01'", "true"},
              {"day = t", "false"},
              {"t > day", "true"},
              {"t < '1994-01-31 12:34:56.7891'", "true"},
              {"cast(t as date)", "1994-01-31"},
              {"1994-01-31 = day", "true"}});
}

TEST(Compute, ComparesMomentsWithLiteralsOfAnyYear) {
  expect_all(
      {{"t < '9999-12-31'", "true"},
       {"t >= '9999-12-31'", "false"},
       {"t <> '0001-01-01'", "true"},
       {"'0001-01-01' < t", "true"},
       {"tn < '9999-12-31'", "true"},
       {"tn > '9999-12-31'", "false"},
       {"'9999-12-31' >= tn", "true"},
       {"'9999-12-31' < tn", "false"},
       {"tn > '0001-01-01'", "true"},
       {"'0001-01-01' >= tn", "false"},
       {"tn = '9999-12-31'", "false"},
       {"tn <> '9999-12-31'", "true"},
       {"tn is distinct from '9999-12-31'", "true"},
       {"tn between '0001-01-01' and '9999-12-31'", "true"},
       {"tn not between '0001-01-01' and '9999-12-31'", "false"},
       {"tn in ('9999-12-31', '0001-01-01')", "false"},
       {"tn not in ('9999-12-31', '0001-01-01', '9998-01-01', '9997-01-01')", "true"},
       {"tn in ('9999-12-31', '0001-01-01', '1', tn)",
        "error: '1' is not a value of type timestamp(ns), "
        "which is needed here"},
       {"tn in ('1999-12-31', '9999-12-31', date '2000-01-01', "
        "'2262-04-11 23:47:16.854775807')",
        "true"},
       {"tn < timestamp '9999-12-31 23:59:59.123456789'", "true"},
       {"timestamp '9999-12-31 00:00:00.123456789' > '9999-12-31'", "true"},
       {"ts < '9999-12-31 23:59:59.5'", "true"},
       {"ts > '9999-12-31 23:59:58.999999999'", "true"},
       {"ts = '9999-12-31 23:59:59.5'", "false"},
       {"ts = '9999-12-31 23:59:59.000000000'", "true"},
       {"ts in ('9999-12-31 23:59:59.5', '9999-12-31 23:59:59.0', date '9999-12-31')", "true"},
       {"if(ts <= '9999-12-31 23:59:58.5', 1, 0)", "0"},
       {"day < '12345-01-01'", "true"},
       {"day > '-0044-03-15'", "true"},
       {"far < '9999999-01-01'", "true"},
       {"far > timestamp '9999-12-31 00:00:00'", "true"},
       {"date_trunc('year', ts) = '9999-01-01'", "true"},
       {"date_trunc('year', tn) > '9999-01-01'", "false"},
       {"cast(ts as date) between '9999-12-31' and '9999-12-31'", "true"},
       {"case tn when '9999-12-31' then 1 else 2 end", "2"},
       {"nullif(tn, '9999-12-31') = tn", "true"}});
}

TEST(Compute, ComparesNullMomentsWithLiteralsOfAnyYear) {
  expect_all({{"tnn < '9999-12-31'", "null"},
              {"tnn = '9999-12-31'", "null"},
              {"tnn <> '9999-12-31'", "null"},
              {"tnn in ('9999-12-31', '9998-12-31')", "null"},
              {"tnn not in ('9999-12-31', '9998-12-31', '9997-12-31')", "null"},
              {"tnn is distinct from '9999-12-31'", "true"},
              {"tn in ('9999-12-31', null)", "null"}});
}

TEST(Compute, ComparesMomentsOfSeveralUnitsHoweverFar) {
  expect_all({{"ts > tn", "true"},
              {"tn < ts", "true"},
              {"ts = tn", "false"},
              {"far > tn", "true"},
              {"far = ts", "false"},
              {"far > t", "true"},
              {"ts is distinct from tn", "true"},
              {"tnn is distinct from tn", "true"},
              {"tnn < ts", "null"},
              {"ts in (tn, t, ts)", "true"},
              {"'9999-12-31' in (tn, t, day)", "false"}});
}

TEST(Compute, GivesLiteralsOfMomentsTheUnitThatHoldsThem) {
  expect_all(
      {{"greatest(t, '9999-12-31')", "9999-12-31 00:00:00.000"},
       {"if(b, '0001-01-01', t)", "0001-01-01 00:00:00.000"},
       {"coalesce(t, '9999-12-31')", "1994-01-31 12:34:56.789"},
       {"coalesce(tnn, '9999-12-31')", "error: '9999-12-31' does not fit into timestamp(ns)"},
       {"timestamp '9999-12-31 00:00:00.123456789'",
        "error: '9999-12-31 00:00:00.123456789' does not fit into timestamp(ns)"},
       {"cast('12345-06-07' as date)", "12345-06-07"},
       {"cast('-0044-03-15' as date)", "-0044-03-15"}});
}

TEST(Compute, TakesOffsetsOffTimestampsWithAZone) {
  for (const char* text : {"2026-01-01 10:00:00+01:00", "2026-01-01T10:00:00 +0100",
                           "2026-01-01 10:00+01", "2026-01-01T09:00:00Z", "2026-01-01 09:00:00 UTC",
                           "2026-01-01 09:00", "2025-12-31T23:30-09:30"}) {
    const std::string written = "'" + std::string(text) + "'";
    expect_all(
        {{("timestamptz " + written).c_str(), "2026-01-01 09:00:00.000000"},
         {("cast(" + written + " as timestamp with time zone) = timestamp '2026-01-01 09:00:00'")
              .c_str(),
          "true"}});
  }
  expect_all({{"try_cast('2026-01-01 10:00 +16:00' as timestamptz)", "null"},
              {"try_cast('2026-01-01 10:00 +01:60' as timestamptz)", "null"},
              {"try_cast('2026-01-01 10:00 +1:00' as timestamptz)", "null"},
              {"try_cast('2026-01-01 10:00 +01:00 ' as timestamptz)", "2026-01-01 09:00:00.000000"},
              {"try_cast('2026-01-01 10:00 +01:00x' as timestamptz)", "null"},
              {"try_cast('2026-01-01+01:00' as timestamptz)", "null"},
              {"try_cast('2026-01-01 10:00+01:00' as timestamp)", "null"},
              {"cast('2026-01-01 00:30+01:00' as date)", "2026-01-01"},
              {"timestamp '2026-01-01 10:00+01:00'",
               "error: '2026-01-01 10:00+01:00' is not a timestamp in UTC; with an offset it is "
               "timestamptz '2026-01-01 10:00+01:00'"}});
}

TEST(Compute, CastsWhatFits) {
  expect_all({{"cast('12' as int)", "12"},
              {"cast(' 1.5 ' as double)", "1.5"},
              {"cast(2.5 as int)", "3"},
              {"cast(2.5e0 as int)", "2"},
              {"cast(d as decimal(9,1))", "12.3"},
              {"cast(i as varchar)", "7"},
              {"cast(b as int)", "1"},
              {"cast('yes' as bool)", "true"},
              {"cast('1994-02-03' as date)", "1994-02-03"},
              {"i::double / 2", "3.5"},
              {"cast(null as int)", "null"}});
  for (const char* text : {"cast('abc' as int)", "cast(300 as tinyint)", "cast(big as int)",
                           "cast('1994-02-30' as date)", "cast(nan as int)"}) {
    EXPECT_EQ(evaluate(text).substr(0, 6), "error:") << text;
  }
}

TEST(Compute, NamesWhatDoesNotFitTogether) {
  const auto has = [](const std::string& text, const std::string& part) {
    const std::string value = evaluate(text);
    EXPECT_NE(value.find(part), std::string::npos) << text << ": " << value;
  };
  has("l_quantty + 1", "there is no column 'l_quantty'");
  has("dai + 1", "Did you mean 'day'?");
  has("lenght(s)", "Did you mean 'length'?");
  has("substr(s)", "takes 2 or 3 arguments");
  has("s + 1", "this is utf8, where a number must stand");
  has("i = 'abc'", "'abc' is not a value of type int32");
  has("day = 'soon'", "'soon' is not a value of type date, which is needed here");
  has("s = 1", "cannot compare s (utf8) with 1 (int64); use cast(...)");
  has("i and b", "this is int32, where a condition must stand");
  has("sum(i)", "is of groups");
  has("s like i", "string");
  has("cast(i as money)", "money");
  has("s matches '('", "");
}

TEST(Compute, KnowsWhatTextsSeemToBe) {
  for (const char* date : {"2024-01-31", "2024/1/31"}) EXPECT_EQ(meant_type(date), "date") << date;
  for (const char* time : {"2024-01-31 12:00", "2024-01-31T12:00:00.5"}) {
    EXPECT_EQ(meant_type(time), "timestamp") << time;
  }
  for (const char* date : {"1/31/2024", "31.12.2024", "31-12-2024 12:00"}) {
    EXPECT_EQ(meant_type(date), "") << date;
  }
  for (const char* number : {"0", "12", "-1.5", "+3", ".5", "-.5", "1e5", "0.5"}) {
    EXPECT_EQ(meant_type(number), "double") << number;
  }
  for (const char* text : {"", "x", "007", "-007", "nan", "inf", "-inf", "1.2.3", "31/31/2024",
                           "1/2/24", "2024-02-31", "12 a", "-"}) {
    EXPECT_FALSE(meant_type(text)) << text;
  }
}

TEST(Compute, ComparesNumbersOfAllKindsExactly) {
  expect_all({{"d = 12.34", "true"},
              {"d = 12.340", "true"},
              {"i = 7.0", "true"},
              {"i < 7.01", "true"},
              {"u > big", "true"},
              {"wide > big", "true"},
              {"i in (7.5, 7.0)", "true"},
              {"greatest(i, 9, n)", "9"},
              {"least(d, i)", "7.00"},
              {"x = 0.5", "true"}});
}

}  // namespace
}  // namespace presso::query::compute_test
