// SPDX-License-Identifier: MIT
// Which lines are rows, and what their members are.
#include "compress/table/text/json_tokenizer.h"

#include "tests/unit/compress/table/table_text.h"

namespace presso::json_tokenizer_test {
namespace {

using test::bytes_of;

/// "key=kind:text " of each member, a line a row, with 'e' and 'n' for the flags.
std::string members_of(std::string_view text, std::size_t batch_rows = 2) {
  constexpr char kKinds[] = "0bns{";
  std::string found;
  JsonBatch batch;
  for (std::size_t at = 0; at < text.size();) {
    at = tokenize_json(bytes_of(text), at, batch_rows, JsonLayout::kLines, batch);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      for (std::size_t m = batch.first_member[row]; m < batch.first_member[row + 1]; ++m) {
        const JsonMember& member = batch.members[m];
        found.append(text.substr(member.key_begin, member.key_length)).append("=");
        found.push_back(kKinds[static_cast<int>(member.kind)]);
        if (member.escaped) found.push_back('\\');
        if (member.non_ascii) found.push_back('^');
        found.append(":").append(text.substr(member.begin, member.length)).append(" ");
      }
      found.push_back('\n');
    }
  }
  return found;
}

bool is_row(std::string_view line) {
  JsonBatch batch;
  EXPECT_EQ(tokenize_json(bytes_of(line), 0, 10, JsonLayout::kLines, batch), line.size());
  EXPECT_EQ(batch.rows() + batch.faults.size(), 1u) << line;
  return batch.rows() == 1;
}

TEST(JsonTokenizer, MembersAreCutAtTheTopLevel) {
  EXPECT_EQ(
      members_of("{\"a\":1,\"b\" : \"x y\" , \"c\":null}\n{\"d\":[1,{\"e\":\"]}\"}],\"f\":true}\n"
                 "{}\n \t{ } \r\n{\"\":-1.5e+3}"),
      "a=n:1 b=s:x y c=0:null \nd={:[1,{\"e\":\"]}\"}] f=b:true \n\n\n=n:-1.5e+3 \n");
}

TEST(JsonTokenizer, StringsAreToldByEveryPlaceOfTheirEnd) {
  for (std::size_t length = 0; length < 50; ++length) {
    for (const char* end : {"", "\\\"", "\xC3\xA9", "\\u00e9"}) {
      const std::string value = std::string(length, 'x') + end;
      const std::string flag = *end == '\\' ? "\\" : *end != 0 ? "^" : "";
      for (const char* behind : {"", ",\"b\":2", ",\"bbbbbbbbbbbbbbbbbbbbbbb\":\"\xC3\xA9\""}) {
        const std::string found = members_of("{\"a\":\"" + value + "\"" + behind + "}\n");
        EXPECT_EQ(found.substr(0, found.find(' ')), "a=s" + flag + ":" + value);
      }
    }
  }
}

TEST(JsonTokenizer, LinesThatAreNoObjectAreNoRows) {
  for (const char* line : {"[1,2]",
                           "1",
                           "{",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{,}",
                           "{\"a\":1}}",
                           "{\"a\":1} x",
                           "{a:1}",
                           "{\"a\":01}",
                           "{\"a\":+1}",
                           "{\"a\":.5}",
                           "{\"a\":1.}",
                           "{\"a\":1e}",
                           "{\"a\":-}",
                           "{\"a\":-NaN}",
                           "{\"a\":Inf}",
                           "{\"a\":nan}",
                           "{\"a\":1}{\"a\":2}",
                           "{\"a\":\"\xFF\"}",
                           "{\"\xED\xA0\x80\":1}",
                           "{\"a\":[\"\xC3\"]}",
                           "{\"a\":nul}",
                           "{\"a\":truefalse}",
                           "{\"a\":\"}",
                           "{\"a\":\"\\x\"}",
                           "{\"a\":\"\\u12g4\"}",
                           "{\"a\":\"\\u12",
                           "{\"a\":\"\\",
                           "{\"a\":\"\t\"}",
                           "{\"a\":[1}",
                           "{\"a\":[\"}",
                           "{'a':1}",
                           "# note",
                           "{\"a\":1 \"b\":2}"}) {
    EXPECT_FALSE(is_row(line)) << line;
    EXPECT_FALSE(is_row(line + std::string("\n"))) << line;
  }
  EXPECT_TRUE(is_row("{\"a\":-0.0E-10,\"a\":\"\\u12aF\\/\"}"));
  EXPECT_TRUE(is_row("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"));
}

TEST(JsonTokenizer, LinesBeforeARowBelongToIt) {
  const std::string text = "\n#\n{\"a\":1}\n\n  \r\n{\"a\":2}\nend";
  const JsonLayout lines = JsonLayout::kLines;
  JsonBatch batch;
  EXPECT_EQ(tokenize_json(bytes_of(text), 0, 10, lines, batch), text.size());
  EXPECT_EQ(batch.begin, (std::vector<std::uint32_t>{0, 11, 24}));
  EXPECT_EQ(batch.object, (std::vector<std::uint32_t>{3, 16}));
  ASSERT_EQ(batch.faults.size(), 2u);
  EXPECT_EQ(batch.faults[0].begin, 1u);
  EXPECT_EQ(batch.faults[0].end, 3u);
  EXPECT_EQ(batch.faults[1].at, 24u);
  EXPECT_EQ(tokenize_json(bytes_of(text), 0, 1, lines, batch), 11u);
}

/// The rows of a text, and after them the first fault: "2 rows; 7: a value is expected".
std::string rows_of(const std::string& text, JsonLayout layout) {
  JsonBatch batch;
  std::size_t rows = 0;
  for (std::size_t at = 0; at < text.size();) {
    at = tokenize_json(bytes_of(text), at, 2, layout, batch);
    rows += batch.rows();
    if (batch.faults.empty()) continue;
    const JsonFault& fault = batch.faults.front();
    return std::to_string(rows) + " rows; " + std::to_string(fault.at) + ": " + fault.why;
  }
  return std::to_string(rows) + " rows" + (batch.closed ? ", closed" : "");
}

TEST(JsonTokenizer, ObjectsMayGoOverSeveralLines) {
  const JsonLayout lines = JsonLayout::kLines;
  EXPECT_EQ(rows_of("{\"a\":1}\n{\n \"a\":[\n{}\n]\n}\n{\"a\":3}\n", lines), "3 rows");
  EXPECT_EQ(rows_of("{\"a\":1,\n{\"a\":2}\n", lines),
            "1 rows; 7: a key in double quotes is expected");
  const JsonLayout spread = JsonLayout::kSpread;
  EXPECT_EQ(rows_of("{\"a\":1}{\"a\":2} {\n\"a\":3}\n\n{}", spread), "4 rows");
  EXPECT_EQ(rows_of("{\n\"a\":1\n}\n{\n\"a\":tru\n}\n{}", spread),
            "1 rows; 16: a value is expected");
  EXPECT_EQ(rows_of("{}\n[1]\n{}", spread), "1 rows; 3: '{' is expected");
  EXPECT_EQ(rows_of("{\"a\n\":1}", spread), "0 rows; 3: a string has a control character");
}

TEST(JsonTokenizer, ArraysHaveRowsAndAnEnd) {
  const JsonLayout array = JsonLayout::kArray;
  EXPECT_EQ(rows_of("{\"a\":1},{\"a\":2}]\n", array), "2 rows, closed");
  EXPECT_EQ(rows_of("{\n}\n,\n{}\n, {}\n]\n", array), "3 rows, closed");
  EXPECT_EQ(rows_of("{},", array), "1 rows");
  EXPECT_EQ(rows_of("{}", array), "0 rows; 2: ',' or ']' is expected");
  EXPECT_EQ(rows_of("{} {}]", array), "0 rows; 3: ',' or ']' is expected");
  EXPECT_EQ(rows_of("{},,{}]", array), "1 rows; 3: '{' is expected");
  EXPECT_EQ(rows_of("{},\n ]", array), "1 rows; 5: '{' is expected after ','");
  EXPECT_EQ(rows_of("{}]\n{}", array), "1 rows; 4: nothing may follow the array");
  EXPECT_EQ(rows_of("{},\n]", JsonLayout::kLooseArray), "1 rows, closed");
}

TEST(JsonTokenizer, BrokenObjectsOfManyLinesDoNotTakeTimeWithTheSquareOfTheText) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "{\"a\":[{\n";
  JsonBatch batch;
  EXPECT_EQ(tokenize_json(bytes_of(text), 0, 1000, JsonLayout::kLines, batch), text.size());
  EXPECT_EQ(batch.faults.size(), 200'000u);
  EXPECT_LT(batch.failed_bytes, 3 * text.size() + (1u << 20));
}

TEST(JsonTokenizer, AFaultIsNamedWithItsPlace) {
  const std::string text = "{\"a\":1}\n{\"a\":tru}\n";
  JsonBatch batch;
  tokenize_json(bytes_of(text), 0, 10, JsonLayout::kLines, batch);
  ASSERT_EQ(batch.faults.size(), 1u);
  EXPECT_EQ(fault_text(batch.faults[0], bytes_of(text), JsonLayout::kLines),
            "not a JSON object: at byte 6 a value is expected, before `tru}`");
}

std::string unescape(const std::string& string) {
  std::string text(string.size(), '\0');
  text.resize(unescape_json(bytes_of(string), reinterpret_cast<Byte*>(text.data())));
  return text;
}

TEST(JsonTokenizer, EscapesAreReplaced) {
  EXPECT_EQ(unescape("a\\\"\\\\\\/\\b\\f\\n\\r\\tz"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(unescape("\\u0041\\u00e9\\u20AC\\ud83d\\ude00"),
            "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(unescape("\\ud83d"), "\xEF\xBF\xBD");
  EXPECT_EQ(unescape("\\ude00\\ud83d"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(unescape("\\ud83d\\u0041"),
            "\xEF\xBF\xBD"
            "A");
}

}  // namespace
}  // namespace presso::json_tokenizer_test
