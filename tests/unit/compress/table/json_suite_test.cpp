// SPDX-License-Identifier: MIT
// Every document of JSONTestSuite, put into a field of an object: valid ones are rows whose text
// comes back, invalid ones are faults of which the place is known.
#include "tests/unit/compress/table/json_suite.h"

#include "compress/table/text/json_tokenizer.h"
#include "format/columns/utf8_check.h"
#include "tests/unit/compress/table/table_text.h"

namespace presso::json_suite_test {
namespace {

using test::bytes_of;

/// Whether {"a":DOCUMENT} is a row, between two others.
bool is_row(std::string_view document) {
  const std::string text = "{\"b\":1}\n{\"a\":" + std::string(document) + "}\n{\"b\":2}\n";
  JsonBatch batch;
  EXPECT_EQ(tokenize_json(bytes_of(text), 0, 10, JsonLayout::kLines, batch), text.size());
  if (batch.faults.empty()) {
    EXPECT_EQ(batch.rows(), 3u) << document;
    EXPECT_EQ(batch.members.size(), 3u) << document;
    const JsonMember& member = batch.members[1];
    EXPECT_NE(document.find(text.substr(member.begin, member.length)), document.npos);
    return true;
  }
  EXPECT_EQ(batch.faults[0].begin, 8u) << document;
  EXPECT_LE(batch.faults[0].at, 8 + 5 + document.size() + 1) << document;
  return false;
}

TEST(JsonSuite, ValidDocumentsAreRowsAndInvalidOnesAreNot) {
  int valid = 0;
  int invalid = 0;
  for (const auto& [name, text] : json_suite::kDocuments) {
    // Python's and R's writers have NaN and Infinity as numbers.
    const bool is_number = text == "[NaN]" || text == "[Infinity]" || text == "[-Infinity]";
    if (*name == 'y' || *name == 'n') {
      EXPECT_EQ(is_row(text), *name == 'y' || is_number) << name;
    }
    valid += *name == 'y';
    invalid += *name == 'n';
  }
  EXPECT_EQ(valid, 95);
  EXPECT_EQ(invalid, 186);
}

TEST(JsonSuite, DepthHasNoLimit) {
  EXPECT_TRUE(is_row(std::string(500, '[') + std::string(500, ']')));
  EXPECT_FALSE(is_row(std::string(100'000, '[')));
  std::string objects;
  for (int i = 0; i < 50'000; ++i) objects += "[{\"\":";
  EXPECT_FALSE(is_row(objects));
}

TEST(JsonSuite, BytesThatAreNotUtf8AreRefused) {
  for (const auto& [name, text] : json_suite::kDocuments) {
    const std::string_view view = name;
    if (*name != 'i') continue;
    const bool has_bytes = !is_valid_utf8(bytes_of(text)) || view.find("TF-8_BOM") != view.npos ||
                           view.find("16") != view.npos;
    EXPECT_EQ(is_row(text), !has_bytes) << name;
  }
}

}  // namespace
}  // namespace presso::json_suite_test
