// SPDX-License-Identifier: MIT
// Which first records are headers, and the names of columns.
#include "compress/table/text/header.h"

#include "compress/table/text/dialect.h"
#include "compress/table/text/rough_kind.h"
#include "tests/unit/compress/table/table_text.h"

namespace presso::header_test {
namespace {

using test::bytes_of;
using Names = std::vector<std::string>;

SniffedText sniffed(std::string_view text) {
  auto result = sniff(bytes_of(text), true, "t.csv");
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : SniffedText{};
}

bool has_header(std::string_view text) {
  return sniffed(text).has_header;
}

TEST(Header, IsNamesAboveTypedColumns) {
  EXPECT_TRUE(has_header("id,Full Name\n1,Bob\n2,Eve\n"));
  EXPECT_TRUE(has_header("number\n1\n2\n"));
  EXPECT_TRUE(has_header("x,y\nNA,a\n.5,b\n1e5,c\n\"1,234\",d\n"));
  EXPECT_TRUE(has_header("t,yes,nan\n1,x,true\n2,y,false\n"));
  EXPECT_TRUE(has_header("when,t0,t1\nJan 5,2024-01-31 12:00,12:30\n"));
  EXPECT_FALSE(has_header("1,Bob\n2,Eve\n"));
  EXPECT_FALSE(has_header("1,2\n3,4\n"));
  EXPECT_FALSE(has_header("1,2\n"));
  EXPECT_FALSE(has_header("yes,a\nno,2\n"));
  EXPECT_FALSE(has_header("a,nan\nb,1.5\n"));
  EXPECT_FALSE(has_header("3,a,b\n1,2,3,4,5\n2,3,4,5,6\n4,5,6,7,8\n"));
  EXPECT_FALSE(has_header("5.1,?,x\n4.9,3.0,y\n"));
  EXPECT_FALSE(has_header("$5.00,10%\n$6.00,11%\n"));
}

TEST(Header, MayHaveEmptyAndRepeatedNames) {
  EXPECT_EQ(sniffed(",city,price\n0,Oslo,1.5\n1,Rome,2.25\n").names,
            (Names{"column1", "city", "price"}));
  EXPECT_EQ(sniffed(",city\n0,Oslo\n1,Rome\n").names, (Names{"column1", "city"}));
  EXPECT_EQ(sniffed("\"\",\"city\"\n\"1\",\"Oslo\"\n").names, (Names{"column1", "city"}));
  EXPECT_EQ(sniffed("a,b,b\n1,2,3\n").names, (Names{"a", "b", "b_2"}));
  EXPECT_EQ(sniffed("id,\n1,2\n").names, (Names{"id", "column2"}));
  EXPECT_FALSE(has_header(",,\n,,\n"));
}

TEST(Header, NamesLoseTheBlanksAroundThem) {
  EXPECT_EQ(sniffed("id , name , v\n1 , a , 2\n").names, (Names{"id", "name", "v"}));
}

TEST(Header, MayLackTheNameOfRRowNames) {
  const SniffedText text = sniffed("\"city\",\"price\"\n\"1\",\"Oslo\",1.5\n\"2\",\"Rome\",2\n");
  EXPECT_TRUE(text.has_header);
  EXPECT_EQ(text.names, (Names{"column1", "city", "price"}));
  // Here the rows end with a delimiter.
  EXPECT_EQ(sniffed("city,price\nOslo,1.5,\nRome,2,\n").names.size(), 2u);
}

TEST(Header, MayHoldNumbersThatAreLabels) {
  EXPECT_TRUE(has_header("id,1990,1991\n7,1.5,2\n8,2.5,3\n"));
  EXPECT_TRUE(has_header("country,1952,1957,1962\nPeru,1.5,2,3\nMali,2.5,3,4\n"));
  EXPECT_FALSE(has_header("Peru,1952,1957,1962\nMali,1952,1957,1962\n"));
  EXPECT_FALSE(has_header("country,52.1,57.3\nPeru,1.5,2\nMali,2.5,3\n"));
  EXPECT_TRUE(has_header("\"\",\"16.5\",\"17\"\n\"71\",0,1\n\"70\",2,3\n"));
  EXPECT_TRUE(has_header("Lat,1/22/20,1/23/20\n5.5,0,1\n6.5,2,3\n"));
}

TEST(Header, AboveTextsIsUnlikeThem) {
  EXPECT_TRUE(has_header("Name,City\nAlice,Paris\nBob,Rome\n"));
  EXPECT_TRUE(has_header("name,city\nalice,paris\nbob,rome\n"));
  EXPECT_TRUE(has_header("name,city\n"));
  EXPECT_TRUE(has_header("code,name\nAD,Andorra\nAE,Emirates\nAF,Afghanistan\n"));
  EXPECT_TRUE(has_header("name,city\nBob,Rome\nname,city\nEve,Oslo\n"));
  EXPECT_FALSE(has_header("AD,Andorra\nAE,Emirates\nAF,Afghanistan\nAG,Antigua\n"));
  EXPECT_FALSE(has_header("bob,berlin\neve,paris\njoe,berlin\n"));
  EXPECT_FALSE(has_header("hello\n"));
  EXPECT_TRUE(has_header("name\nAlice\nBob\n"));
  EXPECT_TRUE(has_header("label\n\"cns\"\n\"renal\"\n"));
  EXPECT_FALSE(has_header("Alice\nBob\neve\nJoe\n"));
  EXPECT_FALSE(has_header("abacus\nbanana\ncherry\ndate\n"));
  EXPECT_TRUE(has_header("word\nabacus\nbanana\ncherry\n"));
}

TEST(Header, RoughKindsAreTolerant) {
  const auto kind = [](std::string_view value) { return rough_kind_of(bytes_of(value)); };
  for (const char* value : {"1", "-1.5", "+3", ".5", "1e5", "1E-05", "1,234.50", "1 234", "$5",
                            "5 %", "(5)", "inf", " 7 ", "007",
                            "\xE2\x82\xAC"
                            "5,00"}) {
    EXPECT_EQ(kind(value), RoughKind::kNumber) << value;
  }
  for (const char* value : {"", " ", "NA", "n/a", "NULL", "None", "-", "\\N", "?", "nan"}) {
    EXPECT_EQ(kind(value), RoughKind::kNull) << value;
  }
  for (const char* value : {"2024-01-31", "31.12.2024", "2/24/2003", "12:30:05.5", "Jan 5, 2024",
                            "2024-01-31T12:00:00Z", "2024-01-31 12:00:00+01:00", "5 May"}) {
    EXPECT_EQ(kind(value), RoughKind::kTime) << value;
  }
  for (const char* value : {"true", "No", "T"}) EXPECT_EQ(kind(value), RoughKind::kBool) << value;
  for (const char* value : {"id", "t0", "x1.5", "v2", "e", "+", "$", "may", "1st place", "10km"}) {
    EXPECT_EQ(kind(value), RoughKind::kText) << value;
  }
}

TEST(Header, NamesAreMadeUsableAndThatIsReported) {
  const ColumnNames names = usable_names({"a", "a", "", "a_2", "a", "column3"});
  EXPECT_EQ(names.names, (Names{"a", "a_3", "column3_2", "a_2", "a_4", "column3"}));
  ASSERT_EQ(names.notes.size(), 3u);
  EXPECT_EQ(names.notes[0], "column 2 has the name 'a' again: it is called 'a_3'");
  EXPECT_EQ(names.notes[1], "column 3 has no name: it is called 'column3_2'");
  EXPECT_EQ(usable_names({"a", "a", "", "x", ""}).names,
            (Names{"a", "a_2", "column3", "x", "column5"}));
}

}  // namespace
}  // namespace presso::header_test
