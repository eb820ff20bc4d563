// SPDX-License-Identifier: MIT
// Scalar functions by their values in DuckDB 2.0.1, from which all expected values were taken;
// "error:" stands where DuckDB has an error, too. Where a function is written as an operator in
// DuckDB, that operator was asked.
#include <gtest/gtest.h>

#include "tests/unit/query/compute/evaluate.h"

namespace presso::query::functions_test {
namespace {

struct Case {
  const char* text;
  const char* value;
};

void expect_all(std::initializer_list<Case> cases) {
  for (const Case& one : cases) {
    const std::string value = evaluate(one.text);
    EXPECT_EQ(value.starts_with("error:") ? "error:" : value, one.value) << one.text;
  }
}

TEST(Functions, ComputesTexts) {
  expect_all({
      {"left(s, 2)", "h\u00E9"},
      {"left(s, -2)", "h\u00E9l"},
      {"left(s, -9)", ""},
      {"left(s, 0)", ""},
      {"left(s, 99)", "h\u00E9llo"},
      {"left(s, small)", ""},
      {"left(sn, 1)", "null"},
      {"left(s, n)", "null"},
      {"right(s, 2)", "lo"},
      {"right(s, -2)", "llo"},
      {"right(s, -9)", ""},
      {"right(s, small)", ""},
      {"right(e, 3)", ""},
      {"lpad(s, 3, 'x')", "h\u00E9l"},
      {"lpad('a', 5, 'xy')", "xyxya"},
      {"lpad('a', -1, 'x')", ""},
      {"lpad(e, 3, '\u00E9')", "\u00E9\u00E9\u00E9"},
      {"lpad('ab', 2, '')", "ab"},
      {"lpad('ab', 3, '')", "error:"},
      {"lpad(s, n, 'x')", "null"},
      {"rpad('a', 5, 'xy')", "axyxy"},
      {"rpad(s, 2, 'x')", "h\u00E9"},
      {"rpad(s, 7, '\u20AC')", "h\u00E9llo\u20AC\u20AC"},
      {"repeat('ab', 3)", "ababab"},
      {"repeat('ab', 0)", ""},
      {"repeat('ab', -3)", ""},
      {"repeat(e, big)", ""},
      {"reverse(s)", "oll\u00E9h"},
      {"reverse(e)", ""},
      {"split_part('a,b,c', ',', 2)", "b"},
      {"split_part('a,b,c', ',', 0)", ""},
      {"split_part('a,b,c', ',', -1)", "c"},
      {"split_part('a,b,c', ',', 9)", ""},
      {"split_part('a,b,c', ',', -9)", ""},
      {"split_part('abc', '', 2)", "b"},
      {"split_part(e, '', 1)", ""},
      {"split_part(e, ',', 1)", ""},
      {"split_part('a::b', '::', 2)", "b"},
      {"split_part(sn, ',', 1)", "null"},
      {"concat_ws(',', 'a', sn, 'b')", "a,b"},
      {"concat_ws(', ', s, 'b')", "h\u00E9llo, b"},
      {"concat_ws(sn, 'a')", "null"},
      {"concat_ws(',', sn)", ""},
      {"concat_ws(',', e, e)", ","},
      {"concat_ws('-', i, b, d, day)", "7-true-12.34-1994-01-31"},
      {"trim('xxaxbxx', 'x')", "axb"},
      {"trim(s, 'oh')", "\u00E9ll"},
      {"ltrim('xyaxb', 'yx')", "axb"},
      {"rtrim('axbyx', 'xy')", "axb"},
      {"trim('abc', '')", "abc"},
      {"trim('\u00E9a\u00E9', '\u00E9')", "a"},
      {"trim(s, sn)", "null"},
      {"ascii(e)", "0"},
      {"ascii(s)", "104"},
      {"ord('\u00E9')", "233"},
      {"unicode(e)", "-1"},
      {"unicode('\U0001F600')", "128512"},
      {"chr(65)", "A"},
      {"chr(233)", "\u00E9"},
      {"chr(128512)", "\U0001F600"},
      {"chr(-1)", "error:"},
      {"chr(1114112)", "error:"},
      {"translate('12345', '143', 'ax')", "a2x5"},
      {"translate(s, '\u00E9o', 'e')", "hell"},
      {"translate('aa', 'aa', 'bc')", "bb"},
      {"translate('abc', '', 'x')", "abc"},
      {"levenshtein('duck', 'db')", "3"},
      {"levenshtein('\u00E9', 'e')", "1"},
      {"levenshtein(s, e)", "5"},
      {"levenshtein(e, e)", "0"},
      {"hamming('abc', 'abd')", "1"},
      {"hamming('a', 'ab')", "error:"},
      {"hamming('\u00E9', 'e')", "1"},
      {"hex('\u00E9')", "C3A9"},
      {"instr(s, e)", "1"},
  });
}

TEST(Functions, ComputesNumbers) {
  expect_all({
      {"ln(0)", "-inf"},
      {"ln(-1)", "nan"},
      {"ln(nan)", "nan"},
      {"log(100)", "2"},
      {"log10(1000)", "3"},
      {"log2(8)", "3"},
      {"log(2, 8)", "3"},
      {"log(1, 5)", "inf"},
      {"exp(0)", "1"},
      {"exp(1000)", "inf"},
      {"exp(-1000)", "0"},
      {"cbrt(-8)", "-2"},
      {"sin(0)", "0"},
      {"sin(1 / 0)", "nan"},
      {"atan(1 / 0)", "1.5707963267948966"},
      {"asin(2)", "nan"},
      {"acos(1)", "0"},
      {"atan2(0, 1)", "0"},
      {"cot(0)", "inf"},
      {"sinh(0)", "0"},
      {"gamma(5)", "24"},
      {"degrees(pi())", "180"},
      {"radians(180)", "3.141592653589793"},
      {"pi()", "3.141592653589793"},
      {"sign(-3)", "-1"},
      {"sign(0)", "0"},
      {"sign(-d)", "-1"},
      {"sign(nan)", "0"},
      {"sign(n)", "null"},
      {"trunc(2.7)", "2"},
      {"trunc(-2.7)", "-2"},
      {"trunc(-2.5e0)", "-2"},
      {"trunc(i)", "7"},
      {"trunc(123.456, 2)", "123.45"},
      {"trunc(123.456e0, 2)", "123.45"},
      {"trunc(123.456, -1)", "120"},
      {"trunc(-125, -1)", "-120"},
      {"trunc(1e300, 2)", "1e+300"},
      {"trunc(2.3e0, 1)", "2.3"},
      {"trunc(nan)", "nan"},
      {"trunc(d, -20)", "0"},
      {"round(125, -1)", "130"},
      {"round(-125, -1)", "-130"},
      {"round(124, -1)", "120"},
      {"round(125.55, -1)", "130"},
      {"round(d, -1)", "10"},
      {"round(155.5, -2)", "200"},
      {"round(big, -1)", "error:"},
      {"round(big, -20)", "0"},
      {"round(small, -18)", "-9000000000000000000"},
      {"round(-50, -2)", "-100"},
      {"round(i, 2)", "7"},
      {"round(n, -1)", "null"},
      {"gcd(12, 18)", "6"},
      {"gcd(-12, 18)", "6"},
      {"gcd(0, 0)", "0"},
      {"gcd(small, 6)", "2"},
      {"gcd(small, 0)", "error:"},
      {"lcm(4, 6)", "12"},
      {"lcm(-4, 6)", "12"},
      {"lcm(0, 5)", "0"},
      {"lcm(big, big - 1)", "error:"},
      {"isnan(nan)", "true"},
      {"isnan(x)", "false"},
      {"isnan(n)", "null"},
      {"isinf(1 / 0)", "true"},
      {"isfinite(nan)", "false"},
      {"isfinite(x)", "true"},
      {"xor(5, 3)", "6"},
      {"xor(-1, 3)", "-4"},
      {"xor(i, n)", "null"},
      {"\"&\"(i, 3)", "3"},
      {"\"|\"(i, 8)", "15"},
      {"\"~\"(i)", "-8"},
      {"\"<<\"(i, 3)", "56"},
      {"\"<<\"(i, 61)", "error:"},
      {"\"<<\"(small, 1)", "error:"},
      {"\"<<\"(0, 64)", "0"},
      {"\">>\"(small, 63)", "-1"},
      {"\">>\"(i, 64)", "0"},
      {"bit_count(small)", "1"},
      {"bit_count(i)", "3"},
      {"\"**\"(2, 3)", "8"},
      {"power(-8, 0.5)", "nan"},
  });
}

TEST(Functions, ChoosesAndConverts) {
  expect_all({
      {"nvl(n, i)", "7"},
      {"iif(bn, 1, 2)", "2"},
      {"greatest(i, n, 9)", "9"},
      {"least(n, n)", "null"},
      {"greatest(s, e, sn)", "h\u00E9llo"},
      {"least(t, day) = day", "true"},
      {"typeof(i)", "INTEGER"},
      {"typeof(big)", "BIGINT"},
      {"typeof(d)", "DECIMAL(18,2)"},
      {"typeof(x)", "DOUBLE"},
      {"typeof(b)", "BOOLEAN"},
      {"typeof(s)", "VARCHAR"},
      {"typeof(sn)", "VARCHAR"},
      {"typeof(day)", "DATE"},
      {"typeof(ts)", "TIMESTAMP_S"},
      {"typeof(i)", "INTEGER"},
      {"try_cast('12' as int)", "12"},
      {"try_cast('abc' as int)", "null"},
      {"try_cast(s as date)", "null"},
      {"try_cast(nan as int)", "null"},
      {"try_cast(big as tinyint)", "null"},
      {"try_cast(n as tinyint)", "null"},
      {"try_cast('1994-02-30' as date)", "null"},
      {"try_cast('x' as bool)", "null"},
      {"try(i // 0)", "null"},
      {"try(i // 2)", "3"},
      {"b = 1", "true"},
      {"b > 0", "true"},
      {"b = 2", "false"},
      {"b in (0, 1)", "true"},
      {"i in (b, 7)", "true"},
      {"bn = 1", "null"},
      {"b between 0 and i", "true"},
      {"b is distinct from 1.5", "true"},
      {"cast(nan as bool)", "true"},
      {"cast(x - 0.5 as bool)", "false"},
      {"cast('1.5e3' as int)", "1500"},
      {"cast('-4.523138974794214e+18' as bigint)", "-4523138974794214000"},
      {"cast('25e-1' as int)", "3"},
      {"cast('1e-400' as int)", "0"},
      {"cast('12e' as int)", "error:"},
      {"cast('1994-01-31 12:34:56' as date)", "1994-01-31"},
      {"cast('1969-12-31 23:00' as date)", "1969-12-31"},
      {"error('bad')", "error:"},
      {"case when i = 0 then error('bad') else i end", "7"},
      {"coalesce(s, error('bad'))", "h\u00E9llo"},
  });
}

TEST(Functions, SaysWhatIsWrong) {
  const auto has = [](const std::string& text, const std::string& part) {
    const std::string value = evaluate(text);
    EXPECT_NE(value.find(part), std::string::npos) << text << ": " << value;
  };
  has("error('no such state')", "error: error() of the statement: no such state");
  has("random()", "gives other values each time");
  has("left(i, 2)", "left() takes a string; this is int32; CAST converts");
  has("repeat(s, 1000000000)", "a text would be longer than 64 MiB");
  has("split_part(s)", "split_part() takes 3 arguments; here are 1");
  has("trunc(i, i)", "trunc() takes a literal number of digits");
  has("try_cast(error('x') as int)", "error() of the statement: x");
}

}  // namespace
}  // namespace presso::query::functions_test
