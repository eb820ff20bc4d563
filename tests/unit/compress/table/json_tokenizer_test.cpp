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
    at = tokenize_json(bytes_of(text), at, batch_rows, batch);
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
  EXPECT_EQ(tokenize_json(bytes_of(line), 0, 10, batch), line.size());
  EXPECT_EQ(batch.rows() + batch.stray.size(), 1u) << line;
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
                           "{\"a\":NaN}",
                           "{\"a\":Infinity}",
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
  JsonBatch batch;
  EXPECT_EQ(tokenize_json(bytes_of(text), 0, 10, batch), text.size());
  EXPECT_EQ(batch.begin, (std::vector<std::uint32_t>{0, 11, 24}));
  EXPECT_EQ(batch.object, (std::vector<std::uint32_t>{3, 16}));
  EXPECT_EQ(batch.stray, (std::vector<std::uint32_t>{1, 24}));
  EXPECT_EQ(tokenize_json(bytes_of(text), 0, 1, batch), 11u);
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
