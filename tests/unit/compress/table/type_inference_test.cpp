// SPDX-License-Identifier: MIT
// The narrowest type that all values have, whatever their order, their batches and the
// parts that are merged.
#include "compress/table/text/type_inference.h"

#include <algorithm>
#include <random>

#include "compress/table/text/field_reader.h"
#include "compress/table/text/text_checks.h"
#include "format/columns/value_text.h"
#include "tests/unit/compress/table/table_text.h"

namespace presso::type_inference_test {
namespace {

using test::bytes_of;
using test::column_of;
using test::comma_form;
using test::inference_of;
using test::inference_of_column;
using test::type_of;
using Values = std::vector<std::string>;

TEST(TypeInference, IntegersAreInt64ThenUint64ThenDecimal) {
  EXPECT_EQ(type_of({"1", "-20", "0", "9223372036854775807"}), "int64");
  EXPECT_EQ(type_of({"1", "18446744073709551615"}), "uint64");
  EXPECT_EQ(type_of({"18446744073709551615", "3"}), "uint64");
  EXPECT_EQ(type_of({"-1", "18446744073709551615"}), "decimal(38,0)");
  EXPECT_EQ(type_of({"18446744073709551615", "-1"}), "decimal(38,0)");
  EXPECT_EQ(type_of({"1", "-18446744073709551616"}), "decimal(38,0)");
}

TEST(TypeInference, DecimalsHaveOneScale) {
  EXPECT_EQ(type_of({"1.50", "-0.05", "12345.00"}), "decimal(18,2)");
  EXPECT_EQ(type_of({"1.50", "1234567890123456789.01"}), "decimal(38,2)");
  EXPECT_EQ(type_of({"1.25", "1.5"}), "double");  // both print back from doubles
  // As Python writes doubles.
  EXPECT_EQ(type_of({"1.25", "1.0"}), "double");
  EXPECT_EQ(type_of({"1.0", "1.25", "-0.0", "1e-05", "nan", "3.0"}), "double");
  EXPECT_EQ(type_of({"1e-05", "2.5", "3"}), "double");
  EXPECT_FALSE(column_of({"1e-05", "2.5", "3"}).spelled);
  EXPECT_EQ(type_of({"1e-05", "2.5", "3", "3.0"}), "double");
  EXPECT_TRUE(column_of({"1e-05", "2.5", "3", "3.0"}).spelled);
  EXPECT_TRUE(column_of({"1e-05", "3.0", "2.5", "3"}).spelled);
  EXPECT_TRUE(column_of({"1.25", "1.0", "1"}).spelled);
  EXPECT_EQ(type_of({"1.0", "2.0"}), "decimal(18,1)");
  EXPECT_EQ(type_of({"1.50", "1.5"}), "double");
  EXPECT_TRUE(column_of({"1.50", "1.5"}).spelled);
  EXPECT_EQ(type_of({"-0.00"}), "double");
}

TEST(TypeInference, MixedNumbersAreDoubles) {
  EXPECT_EQ(type_of({"1", "2.5", "1e+20", "-3"}), "double");
  EXPECT_EQ(type_of({"2.5", "1"}), "double");
  EXPECT_EQ(type_of({"1234567890123456789", "2.5"}), "double");
  EXPECT_EQ(type_of({"0.0000012", "1.5"}), "double");
  EXPECT_EQ(type_of({".5", "1e5", "+3", "1.50", "0.12345678901234567", "INF"}), "double");
  EXPECT_EQ(type_of({"1e999", "1"}), "utf8");
  EXPECT_EQ(type_of({std::string(39, '7'), "1"}), "utf8");
  EXPECT_EQ(type_of({"0x1F", "1"}), "utf8");
  EXPECT_EQ(type_of({"nan", "1.5"}), "double");
}

// textql 40: money in doubles.
TEST(TypeInference, MoneyIsNoDouble) {
  EXPECT_EQ(type_of({"30.01", "29.99", "0.10"}), "decimal(18,2)");
}

// DuckDB 11411, CytoTable 187: leading zeros, "1.50" and dates were changed.
TEST(TypeInference, LeadingZerosKeepAColumnAString) {
  EXPECT_EQ(type_of({"1", "007"}), "utf8");
  EXPECT_EQ(type_of({"0.5", "007"}), "utf8");
  EXPECT_EQ(type_of({"+1", "2"}), "int64");
  EXPECT_EQ(type_of({" 1", "2"}), "int64");
  EXPECT_EQ(type_of({"-0", "2"}), "double");
  EXPECT_EQ(type_of({"2024-02-30"}), "utf8");
}

// DuckDB 25824: values behind the sample were rounded.
TEST(TypeInference, TheLastOfManyValuesCounts) {
  Values values(30'000, "1");
  values.push_back("1.5");
  EXPECT_EQ(type_of(values), "double");
  values.push_back("a");
  EXPECT_EQ(type_of(values), "utf8");
}

TEST(TypeInference, BoolsHaveOnePairOfWords) {
  EXPECT_EQ(type_of({"true", "false"}), "bool");
  EXPECT_EQ(column_of({"False", "True"}).text, ValueText::kCapitalBool);
  EXPECT_EQ(column_of({"FALSE"}).text, ValueText::kUpperBool);
  EXPECT_EQ(column_of({"t", "f"}).text, ValueText::kLetterBool);
  EXPECT_EQ(column_of({"no", "yes"}).text, ValueText::kYesBool);
  EXPECT_EQ(type_of({"true", "FALSE"}), "bool");
  EXPECT_EQ(type_of({"Y", "N", "n"}), "bool");
  EXPECT_EQ(type_of({"F", "F"}), "utf8");  // one word of the two may be anything
  EXPECT_EQ(type_of({"yes", "true"}), "utf8");
  EXPECT_EQ(type_of({"t", "f", "m"}), "utf8");
  EXPECT_EQ(type_of({"0", "true"}), "utf8");
}

TEST(TypeInference, DatesAndTimesAreReadInOneOrder) {
  EXPECT_EQ(type_of({"2024-12-31", "1970-01-01"}), "date");
  EXPECT_EQ(column_of({"31.12.2024"}).text, ValueText::kDayDotDate);
  EXPECT_EQ(type_of({"2024-12-31", "2024/12/31", "2024-1-1"}), "date");
  EXPECT_EQ(type_of({"2024-12-31", "12/31/2024"}), "utf8");
  EXPECT_EQ(type_of({"2/24/2003", "10/1/04"}), "date");
  EXPECT_EQ(type_of({"2020.3.13"}), "utf8");
  EXPECT_EQ(type_of({"2024-12-31 23:59:59"}), "timestamp(s)");
  EXPECT_EQ(type_of({"2024-12-31T23:59:59.123Z"}), "timestamp(ms)");
  EXPECT_EQ(type_of({"2024-12-31T23:59:59", "2024-12-31T23:59:59Z"}), "utf8");
  EXPECT_EQ(type_of({"2024-12-31 23:59:59", "2024-12-31 23:59:59.1234"}), "timestamp(us)");
  EXPECT_EQ(type_of({"2024-12-31", "2024-12-31 23:59"}), "timestamp(s)");
  EXPECT_EQ(column_of({"2024-12-31T23:59:59+01:00", "2024-12-31T23:59:59Z"}).zone, "UTC");
  EXPECT_EQ(type_of({"2024-12-31T23:59:59+01:00", "2024-12-31T23:59:59"}), "utf8");
  EXPECT_EQ(type_of({"12/31/2024 11:59 PM"}), "timestamp(s)");
}

TEST(TypeInference, SlashDatesAreDatesOnlyWhereTheMonthIsKnown) {
  EXPECT_EQ(column_of({"01/02/2024", "12/31/2024"}).text, ValueText::kMonthSlashDate);
  EXPECT_EQ(column_of({"01/02/2024", "31/12/2024", "03/04/2024"}).text, ValueText::kDaySlashDate);
  EXPECT_EQ(column_of({"31/12/2024", "01/02/2024"}).text, ValueText::kDaySlashDate);
  EXPECT_EQ(type_of({"12/31/2024", "31/12/2024"}), "utf8");
  EXPECT_EQ(type_of({"01/02/2024", "03/04/2024"}), "utf8");
  const TypeInference ambiguous = inference_of_column({"01/02/2024"});
  EXPECT_EQ(ambiguous.report()[1].why(ambiguous.finish({}).columns[1]),
            "every date can be read in two orders of day, month and year");
}

TEST(TypeInference, YearsOfTwoDigitsNeedEvidenceOfWhereTheyStand) {
  EXPECT_EQ(type_of({"24-01-05", "24-02-10"}), "utf8");
  EXPECT_EQ(type_of({"05/01/24"}), "utf8");
  EXPECT_EQ(column_of({"15-03-12", "15-03-99"}).text, ValueText::kDaySlashDate);
  EXPECT_EQ(column_of({"03/15/12", "03/04/12"}).text, ValueText::kMonthSlashDate);
  EXPECT_EQ(column_of({"15/3/12", "5/3/12"}).text, ValueText::kDaySlashDate);
}

TEST(TypeInference, NullsHaveNoPartInTheType) {
  EXPECT_EQ(type_of({"", "1", "", "2"}), "int64");
  EXPECT_EQ(type_of({"", ""}), "utf8");
  TextForm form = comma_form();
  form.null_text = "NA";
  const TypeInference inference = inference_of_column({"NA", "1", "NA", "NA"}, form);
  EXPECT_EQ(type_name(inference.finish({}).columns[1]), "int64");
  EXPECT_EQ(inference.report()[1].nulls, 3u);
  EXPECT_EQ(inference.report()[1].values, 1u);
}

TEST(TypeInference, WordsForNullsHaveNoPartInTheType) {
  for (const char* word : {"NA", "N/A", "NULL", "null", "None", "-", "\\N", " ", "<NA>"}) {
    EXPECT_EQ(type_of({word, "1", word}), "int64") << word;
    EXPECT_EQ(type_of({"1", "x", word}), "utf8") << word;
    EXPECT_EQ(column_of({"2024-01-02", word, word}).null_text, word) << word;
  }
  EXPECT_EQ(type_of({"NA", "NA"}), "utf8");
  EXPECT_EQ(type_of({"NaN", "2024-01-02"}), "date");
  EXPECT_EQ(type_of({"NaN", "2"}), "double");
  EXPECT_TRUE(column_of({"1", "NA", "-"}).spelled);
  EXPECT_TRUE(column_of({"1", "NA", ""}).spelled);
  const TypeInference inference = inference_of_column({"NA", "1", "NA", "-"});
  EXPECT_EQ(inference.report()[1].nulls, 3u);
}

TEST(TypeInference, CommasAreThousandsOrDecimalByWhatAllValuesAllow) {
  EXPECT_EQ(type_of({"\"1,234\"", "950", "\"1,234,567\""}), "int64");
  EXPECT_EQ(type_of({"\"1,234.50\"", "950"}), "double");
  EXPECT_EQ(type_of({"\"1,5\"", "\"12,25\"", "7"}), "double");
  EXPECT_EQ(type_of({"\"1,5\"", "\"1,234,567\""}), "utf8");
  EXPECT_EQ(type_of({"\"1,5\"", "2.5"}), "utf8");
  EXPECT_EQ(type_of({"\"1,2,3\""}), "utf8");
  TextForm form = comma_form();
  form.delimiter = ';';
  const auto type_beside = [&](const Values& values) {
    std::string text;
    for (const std::string& value : values) text += "x;" + value + "\n";
    return type_name(inference_of(text, 2, form).finish({}).columns[1]);
  };
  EXPECT_EQ(type_beside({"1,5", "0,25", "7"}), "double");
  EXPECT_EQ(type_beside({"1,234,567", "950"}), "int64");
  EXPECT_EQ(type_beside({"1,234", "950"}), "utf8");  // 1.234 or 1234
}

TEST(TypeInference, ASpellingThatAllValuesHaveIsTheColumns) {
  EXPECT_FALSE(column_of({".50", ".25"}).spelled);
  EXPECT_EQ(column_of({".50", ".25"}).spelling, std::string("ni\0\2", 4));
  EXPECT_TRUE(column_of({".50", "1.25"}).spelled);
  EXPECT_EQ(column_of({".50", "1.25"}).spelling, "");
}

TEST(TypeInference, AFieldInQuotesIsAValue) {
  EXPECT_EQ(type_of({"\"\"", "1"}), "int64");  // but an empty one
  EXPECT_EQ(type_of({"\"12\"", "1"}), "int64");
  EXPECT_EQ(type_of({"\"1\"2", "1"}), "utf8");
}

TEST(TypeInference, AColumnIsAlwaysQuotedOnlyWhereSomeQuoteIsNotNeeded) {
  EXPECT_EQ(column_of({"\"a\"", "\"b,c\"", ""}).quoting, Quoting::kAlways);
  EXPECT_EQ(column_of({"\"a,b\"", "\"c\nd\"", "\"e\"\"f\"", "\"\""}).quoting, Quoting::kNeeded);
  EXPECT_EQ(column_of({"\"a\"", "b"}).quoting, Quoting::kNeeded);
  EXPECT_EQ(column_of({"\"1\"", "\"2\""}).quoting, Quoting::kAlways);
}

TEST(TypeInference, StringsSayWhetherTheyAreUtf8) {
  EXPECT_TRUE(column_of({"a",
                         "Stra\xC3\x9F"
                         "e"})
                  .valid_utf8);
  EXPECT_FALSE(column_of({"a",
                          "Stra\xDF"
                          "e"})
                   .valid_utf8);
  EXPECT_FALSE(column_of({"1",
                          "Stra\xDF"
                          "e"})
                   .valid_utf8);
  for (const char* bad : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_FALSE(is_valid_utf8(bytes_of(bad)));
  }
  EXPECT_TRUE(is_valid_utf8(bytes_of("\xE2\x82\xAC 12345678 \xF0\x9F\x98\x80 \xED\x9F\xBF")));
}

TEST(TypeInference, TheReportNamesValueAndLine) {
  const TypeInference inference = inference_of("1,a\n\"2\",\"b\nc\"\n007,d\n", 2);
  const TableSchema schema = inference.finish({"number", "text"});
  EXPECT_EQ(schema.columns[0].name, "number");
  EXPECT_EQ(inference.report()[0].why(schema.columns[0]),
            "value `007` at line 4 keeps it a string");
  EXPECT_EQ(inference.report()[0].given_up[0].type.type, ColumnType::kInt64);
  EXPECT_EQ(inference.report()[1].why(schema.columns[1]), "value `a` at line 1 keeps it a string");
  EXPECT_EQ(inference.report()[1].least_length, 1u);
  EXPECT_EQ(inference.report()[1].most_length, 3u);
}

TEST(TypeInference, LettersAreNoTypeThatAValueTookAway) {
  const TypeInference inference = inference_of("N,1\nN,2\nN,3\nN,4\nR,x\n", 2);
  EXPECT_FALSE(inference.report()[0].had_type());
  EXPECT_TRUE(inference.report()[1].had_type());
}

TEST(TypeInference, LinesAreCountedOverBatchesAndColumns) {
  std::string text;
  for (int i = 1; i <= 50; ++i)
    text += (i == 40 ? "x," : "1,") + std::string(i == 17 ? "y" : "1") + "\r\n";
  const TypeInference inference = inference_of(text, 2);
  EXPECT_EQ(inference.report()[0].given_up[0].line, 40u);
  EXPECT_EQ(inference.report()[1].given_up[0].line, 17u);
}

TEST(TypeInference, RaggedRecordsAreCountedAndDoNotMoveColumns) {
  const TypeInference inference = inference_of("1,2\n3\n4,5,x\n6,7\n", 2);
  EXPECT_EQ(inference.ragged().count, 2u);
  EXPECT_EQ(inference.ragged().first_line, 2u);
  EXPECT_EQ(type_name(inference.finish({}).columns[1]), "int64");
  EXPECT_EQ(inference.rows(), 4u);
}

const Values kValues = {"1",
                        "-7",
                        "18446744073709551615",
                        "12345678901234567890123",
                        "1.50",
                        "2.25",
                        "0.1",
                        "1e+30",
                        "true",
                        "t",
                        "x",
                        "",
                        "\"q\"",
                        "2024-01-02",
                        "01/02/2024",
                        "13/01/2024",
                        "01/13/2024",
                        "1234567890123456.25",
                        "-0",
                        "100000",
                        "0.00001",
                        "+3",
                        " 2",
                        "NA",
                        "-",
                        "NaN",
                        "1.5e3",
                        "True",
                        "T",
                        "F",
                        "2024-1-2",
                        "1/2/2024 10:00",
                        "2024-01-02 10:00:00.5",
                        "2024-01-02T10:00:00+02:00",
                        "2024-01-02T10:00:00Z",
                        "777777777777777777777777777777777777777",
                        "\"1,234\"",
                        "\"1,5\"",
                        "\"1,234,567.5\""};

TEST(TypeInference, OrderBatchesAndMergingDoNotChangeTheType) {
  std::mt19937 random(7);
  for (int i = 0; i < 50'000; ++i) {
    Values values;
    const std::size_t kinds = 1 + random() % 3;
    const std::size_t first = random() % kValues.size();
    for (std::size_t n = 1 + random() % 8; n > 0; --n) {
      values.push_back(kValues[(first + random() % kinds * 5) % kValues.size()]);
    }
    const auto cut = values.begin() + static_cast<std::ptrdiff_t>(random() % (values.size() + 1));
    const ColumnSchema whole = column_of(values);
    TypeInference merged = inference_of_column({values.begin(), cut});
    merged.merge(inference_of_column({cut, values.end()}));
    ASSERT_EQ(merged.finish({}).columns[1], whole) << testing::PrintToString(values);
    std::shuffle(values.begin(), values.end(), random);
    ASSERT_EQ(column_of(values), whole) << testing::PrintToString(values);
  }
}

TEST(TypeInference, EveryValueOfATypedColumnCanBeRead) {
  std::mt19937 random(8);
  const std::string_view alphabet("00112359.-e+/: TZ");
  int typed = 0;
  for (int i = 0; i < 300'000; ++i) {
    Values values;
    for (std::size_t n = 1 + random() % 3; n > 0; --n) {
      std::string value(random() % (i % 2 == 0 ? 4 : 22), '0');
      for (char& byte : value) byte = alphabet[random() % (i % 3 == 0 ? 17 : 9)];
      values.push_back(value);
    }
    const ColumnSchema column = column_of(values);
    if (is_string(column.type)) continue;
    ++typed;
    for (const std::string& value : values) {
      Byte parsed[16];
      std::string spelling;
      ASSERT_TRUE(value.empty() || is_null_word(bytes_of(value), column.type) ||
                  parse_value(column, bytes_of(value), parsed) ||
                  read_value(column, bytes_of(value), parsed, spelling))
          << testing::PrintToString(values) << type_name(column);
    }
  }
  EXPECT_GT(typed, 10'000);
}

}  // namespace
}  // namespace presso::type_inference_test
