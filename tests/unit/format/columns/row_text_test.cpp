// SPDX-License-Identifier: MIT
// Rows as delimited text and as JSON lines: every rule of quoting, nulls, escapes, exact lines,
// batches, and rows of random strings against a printer that goes byte by byte.
#include "format/columns/row_text.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace presso::row_text_test {
namespace {

using Texts = std::vector<std::optional<std::string>>;

/// A table of columns given as text of their values.
class Table {
 public:
  explicit Table(TextKind kind = TextKind::kDelimited) { schema.text.kind = kind; }

  ColumnSchema& add(const char* name, const char* type, const Texts& values,
                    ValueText text = ValueText::kPlain) {
    schema.columns.push_back(*parse_type(type));
    ColumnSchema& column = schema.columns.back();
    column.name = name;
    if (text != ValueText::kPlain) column.text = text;
    ColumnData& data = columns.emplace_back();
    data.type = column.type;
    data.rows = values.size();
    if (is_string(column.type)) data.offsets.push_back(0);
    data.values.resize_discarding(0);
    data.validity.assign(values.size() / 8 + 1, 0);
    for (std::size_t row = 0; row < values.size(); ++row) add_value(column, data, row, values[row]);
    return column;
  }

  Result<std::string> print(std::uint64_t first, std::uint64_t rows,
                            const ExactLines* exact = nullptr,
                            JsonBytes json_bytes = JsonBytes::kAsTheyAre) const {
    const std::vector<ColumnView> views = this->views();
    const RowPrinter printer(schema, views, exact, json_bytes);
    Buffer to;
    to.append(Bytes(reinterpret_cast<const Byte*>("..."), 3));
    PRESSO_TRY(printer.print(first, rows, to));
    const std::string text(reinterpret_cast<const char*>(to.data()), to.size());
    EXPECT_EQ(text.substr(0, 3), "...");
    return text.substr(3);
  }
  std::string print() const { return *print(0, columns[0].rows); }
  std::vector<ColumnView> views() const {
    std::vector<ColumnView> views;
    for (const ColumnData& column : columns) views.push_back(column.view());
    return views;
  }

  TableSchema schema;
  std::vector<ColumnData> columns;

 private:
  static void add_value(const ColumnSchema& column, ColumnData& data, std::size_t row,
                        const std::optional<std::string>& value) {
    const std::string text = value.value_or("");
    const Bytes bytes(reinterpret_cast<const Byte*>(text.data()), text.size());
    if (value) data.validity[row / 8] = static_cast<Byte>(data.validity[row / 8] | 1 << row % 8);
    if (is_string(column.type)) {
      data.values.append(bytes);
      data.offsets.push_back(static_cast<std::int64_t>(data.values.size()));
      return;
    }
    Byte number[16] = {};
    EXPECT_TRUE(!value || parse_value(column, bytes, number)) << text;
    if (column.type != ColumnType::kBool)
      return data.values.append({number, value_bytes(column.type)});
    if (row % 8 == 0) data.values.append(Bytes(std::vector<Byte>{0}));
    Byte& byte = data.values.data()[row / 8];
    byte = static_cast<Byte>(byte | number[0] << row % 8);
  }
};

std::string one_string(const std::string& value, const TextForm& form,
                       Quoting quoting = Quoting::kNeeded) {
  Table table;
  table.schema.text = form;
  table.add("s", "utf8", {value}).quoting = quoting;
  table.add("n", "int8", {"1"}).quoting = quoting;
  return table.print();
}
TextForm csv() {
  TextForm form;
  form.kind = TextKind::kDelimited;
  return form;
}

TEST(RowText, EveryTypeIsPrintedInItsColumnsForm) {
  Table table;
  table.add("i", "int64", {"-5", "70"});
  table.add("d", "decimal(18,2)", {"1.50", "-0.05"});
  table.add("w", "decimal(38,1)", {"0.1", "12345678901234567890.1"});
  table.add("t", "date", {"31.12.2024", "01.02.0003"}, ValueText::kDayDotDate);
  table.add("z", "timestamp(ms)", {"2024-02-29T01:02:03.004Z", "1969-12-31T23:59:59.999Z"},
            ValueText::kLetterTimeZ);
  table.add("b", "bool", {"yes", "no"}, ValueText::kYesBool);
  table.add("r", "double", {"0.1", "-inf"});
  table.add("s", "utf8", {"text", "t2"});
  EXPECT_EQ(table.print(),
            "-5,1.50,0.1,31.12.2024,2024-02-29T01:02:03.004Z,yes,0.1,text\n"
            "70,-0.05,12345678901234567890.1,01.02.0003,1969-12-31T23:59:59.999Z,no,-inf,t2\n");
}

TEST(RowText, StringsStandInQuotesWhereNeeded) {
  EXPECT_EQ(one_string("plain text; with | and 'these'", csv()),
            "plain text; with | and 'these',1\n");
  EXPECT_EQ(one_string("a,b", csv()), "\"a,b\",1\n");
  EXPECT_EQ(one_string("a\nb", csv()), "\"a\nb\",1\n");
  EXPECT_EQ(one_string("a\rb", csv()), "\"a\rb\",1\n");
  EXPECT_EQ(one_string("say \"so\"", csv()), "\"say \"\"so\"\"\",1\n");
  EXPECT_EQ(one_string("\"", csv()), "\"\"\"\",1\n");
  EXPECT_EQ(one_string(std::string("\0\xFF", 2), csv()), std::string("\0\xFF,1\n", 5));
}

TEST(RowText, AMarkIsSeenInEveryPlace) {
  for (std::size_t length = 1; length < 50; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      for (const char mark : {',', '\n', '\r'}) {
        std::string text(length, 'x');
        text[place] = mark;
        ASSERT_EQ(one_string(text, csv()), "\"" + text + "\",1\n");
      }
    }
    // The marks of the next string are not this one's.
    Table table;
    table.add("a", "utf8", {std::string(length, 'x'), std::string(length, ',')});
    ASSERT_EQ(table.print(), std::string(length, 'x') + "\n\"" + std::string(length, ',') + "\"\n");
  }
}

TEST(RowText, StringsThatWouldBeReadAsNullStandInQuotes) {
  TextForm form = csv();
  EXPECT_EQ(one_string("", form), "\"\",1\n");
  form.null_text = "NULL";
  EXPECT_EQ(one_string("", form), ",1\n");
  EXPECT_EQ(one_string("NULL", form), "\"NULL\",1\n");
  EXPECT_EQ(one_string("NULLS", form), "NULLS,1\n");
  form.null_text = "1";
  EXPECT_EQ(one_string("a", form), "a,\"1\"\n");
}

TEST(RowText, NullsAreTheNullTextWithoutQuotes) {
  Table table;
  table.add("i", "int32", {"1", std::nullopt});
  table.add("b", "bool", {std::nullopt, "true"});
  table.add("s", "utf8", {std::nullopt, "x"}).quoting = Quoting::kAlways;
  EXPECT_EQ(table.print(), "1,,\n,true,\"x\"\n");
  table.schema.text.null_text = "a text longer than any value of sixteen bytes, or of forty-eight";
  const std::string null = table.schema.text.null_text;
  EXPECT_EQ(table.print(), "1," + null + "," + null + "\n" + null + ",true,\"x\"\n");
}

TEST(RowText, AColumnThatIsAlwaysQuotedIs) {
  EXPECT_EQ(one_string("a", csv(), Quoting::kAlways), "\"a\",\"1\"\n");
  EXPECT_EQ(one_string("", csv(), Quoting::kAlways), "\"\",\"1\"\n");
  EXPECT_EQ(one_string("a\"b", csv(), Quoting::kAlways), "\"a\"\"b\",\"1\"\n");
  EXPECT_EQ(one_string("a,b", csv(), Quoting::kAlways), "\"a,b\",\"1\"\n");
  Table table;
  table.add("b", "bool", {"f"}, ValueText::kLetterBool).quoting = Quoting::kAlways;
  EXPECT_EQ(table.print(), "\"f\"\n");
}

TEST(RowText, WithoutAQuoteFieldsAreAsTheyAre) {
  TextForm form = csv();
  form.delimiter = '|';
  form.quote = 0;
  form.trailing_delimiter = true;
  EXPECT_EQ(one_string("a|\"b\"", form), "a|\"b\"|1|\n");
  EXPECT_EQ(one_string("", form, Quoting::kAlways), "|1|\n");
}

TEST(RowText, DelimiterQuoteAndLineEndAreTheForms) {
  TextForm form = csv();
  form.delimiter = ';';
  form.quote = '\'';
  form.carriage_return = true;
  EXPECT_EQ(one_string("it's, \"so\"", form), "'it''s, \"so\"';1\r\n");
  form.trailing_delimiter = true;
  EXPECT_EQ(one_string("a;b", form), "'a;b';1;\r\n");
}

TEST(RowText, ValuesThatHoldTheDelimiterStandInQuotes) {
  Table table;
  table.schema.text.delimiter = '-';
  table.add("d", "date", {"2024-12-31"});
  table.add("i", "int64", {"-5"});
  table.add("j", "int64", {"5"});
  table.add("k", "int64", {"5"}).quoting = Quoting::kAlways;
  EXPECT_EQ(table.print(), "\"2024-12-31\"-\"-5\"-5-\"5\"\n");
  table.schema.text.delimiter = '.';
  table.schema.text.quote = '2';
  EXPECT_EQ(table.print(), "2220224-122-312.-5.5.252\n");
}

TEST(RowText, BoolsThatNeedQuotesHaveThem) {
  Table table;
  table.schema.text.delimiter = 'a';
  table.add("b", "bool", {"false", "true"});
  EXPECT_EQ(table.print(), "\"false\"\ntrue\n");
  table.schema.text.delimiter = ',';
  table.schema.text.null_text = "true";
  EXPECT_EQ(table.print(), "false\n\"true\"\n");
}

TEST(RowText, JsonLinesNameEveryValue) {
  Table table(TextKind::kJsonLines);
  table.add("id", "int64", {"1", std::nullopt});
  table.add("ok", "bool", {"t", "f"}, ValueText::kLetterBool);
  table.add("price", "decimal(18,2)", {"-1.50", std::nullopt});
  table.add("day", "date", {"2024/12/31", std::nullopt}, ValueText::kSlashDate);
  table.add("at", "timestamp(s)", {std::nullopt, "2024-12-31 23:59:59"});
  table.add("x", "double", {"1e+20", "nan"});
  table.add("y", "float", {"-inf", "-0.5"});
  table.add("s", "utf8", {"a b", std::nullopt});
  table.add("raw", "binary", {"", "\xFF"});
  EXPECT_EQ(table.print(),
            "{\"id\":1,\"ok\":true,\"price\":-1.50,\"day\":\"2024/12/31\",\"at\":null,\"x\":1e+20,"
            "\"y\":\"-inf\",\"s\":\"a b\",\"raw\":\"\"}\n"
            "{\"id\":null,\"ok\":false,\"price\":null,\"day\":null,\"at\":\"2024-12-31 23:59:59\","
            "\"x\":\"nan\",\"y\":-0.5,\"s\":null,\"raw\":\"\xFF\"}\n");
}

TEST(RowText, BytesThatAreNoUtf8AreReplacedInAnswers) {
  Table table(TextKind::kJsonLines);
  table.add("n\xFF", "utf8",
            {"\xFF", "\xC3\xA9", std::nullopt, "a\xE2\x82z", "\xED\xA0\x80", "ok"});
  table.add("raw", "utf8", {"[\"\x80\"]", "1", "2", "3", "4", std::nullopt}, ValueText::kRawJson);
  const std::string name = "{\"n\xEF\xBF\xBD\":";
  const std::string one = "\xEF\xBF\xBD";
  EXPECT_EQ(*table.print(0, 6, nullptr, JsonBytes::kReplaced),
            name + "\"" + one + "\",\"raw\":[\"" + one + "\"]}\n" +  //
                name + "\"\xC3\xA9\",\"raw\":1}\n" +                 //
                name + "null,\"raw\":2}\n" +                         //
                name + "\"a" + one + one + "z\",\"raw\":3}\n" +      //
                name + "\"" + one + one + one + "\",\"raw\":4}\n" +  //
                name + "\"ok\",\"raw\":null}\n");
  EXPECT_EQ(*table.print(0, 1), "{\"n\xFF\":\"\xFF\",\"raw\":[\"\x80\"]}\n");
}

TEST(RowText, ReplacedBytesAreNotLookedForInDelimitedText) {
  Table table;
  table.add("s", "utf8", {"\xFF"});
  EXPECT_EQ(*table.print(0, 1, nullptr, JsonBytes::kReplaced), "\xFF\n");
}

TEST(RowText, JsonHasTheFewestEscapes) {
  Table table(TextKind::kJsonLines);
  table.add("a\"\n", "utf8", {std::string("\"\\/\b\f\n\r\t\x01\x1F\x7F\0z\xC3\xA9", 15)});
  EXPECT_EQ(table.print(),
            "{\"a\\\"\\n\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\\u0000z\xC3\xA9\"}\n");
}

/// Text in place of rows 1 and 2, and behind row 3 of 4.
ExactLines lines_for_four_rows() {
  ExactLines lines;
  const std::string text = "# note\n b , 2\n\nc,3\r\n# end";
  lines.rows = {1, 2, 4};
  lines.offsets = {0, 14, 20, 25};
  lines.bytes.assign(text.begin(), text.end());
  return lines;
}

TEST(RowText, ExactLinesStandInPlaceOfTheirRows) {
  Table table;
  table.add("s", "utf8", {"a", "b", "c", "d"});
  table.add("n", "int8", {"1", "2", "3", "4"});
  const ExactLines lines = lines_for_four_rows();
  EXPECT_EQ(*table.print(0, 4, &lines), "a,1\n# note\n b , 2\n\nc,3\r\nd,4\n# end");
  EXPECT_EQ(*table.print(0, 3, &lines), "a,1\n# note\n b , 2\n\nc,3\r\n");
  EXPECT_EQ(*table.print(2, 1, &lines), "\nc,3\r\n");
  EXPECT_EQ(*table.print(3, 1, &lines), "d,4\n# end");
  EXPECT_EQ(*table.print(4, 0, &lines), "# end");
  EXPECT_EQ(*table.print(1, 0, &lines), "");
}

ColumnData spellings_of(const Texts& texts) {
  Table table;
  table.add("spellings", "utf8", texts);
  return std::move(table.columns[0]);
}

/// Doubles with a spelling and a null text of their own, dates and bools; all fields may have a
/// spelling of their row, and some have.
Table spelled_table(TextKind kind, ExactLines& exact) {
  Table table(kind);
  table.schema.exact = true;
  ColumnSchema& real = table.add("x", "double", {"1.5", "2", {}, {}, "1000", "nan"});
  real.null_text = "NA";
  real.spelling = std::string("nf\2", 3);
  real.spelled = true;
  exact.spellings.push_back(
      spellings_of({"", "c", {}, "=\"-\"", std::string("ni\0\0\0\0\0,", 8), "ni"}));
  const std::string day = "2003-02-24";
  table.add("day", "date", {day, day, day, {}, day, day}).spelled = true;
  exact.spellings.push_back(spellings_of({{}, "t\1/\1", "c", "=", "nf\2", "t\1\"\1"}));
  const std::string no = "no";
  table.add("b", "bool", {no, no, no, no, {}, no}, ValueText::kYesBool).spelled = true;
  exact.spellings.push_back(spellings_of({"", "c", "ni", "=No", "", "t"}));
  return table;
}

TEST(RowText, SpellingsSayHowFieldsAreWritten) {
  ExactLines exact;
  Table table = spelled_table(TextKind::kDelimited, exact);
  EXPECT_EQ(*table.print(0, 6, &exact),
            "1.50,2003-02-24,no\n2,2/24/2003,no\nNA,2003-02-24,no\n\"-\",,No\n"
            "\"1,000\",2003-02-24,\nnan,\"2\"\"24\"\"2003\",no\n");
  EXPECT_EQ(*table.print(4, 2, &exact), "\"1,000\",2003-02-24,\nnan,\"2\"\"24\"\"2003\",no\n");
  EXPECT_EQ(*table.print(0, 2), "1.50,2003-02-24,no\n2.00,2003-02-24,no\n");
  table.schema.columns[0].quoting = Quoting::kAlways;
  EXPECT_EQ(*table.print(0, 3, &exact),
            "\"1.50\",2003-02-24,no\n\"2\",2/24/2003,no\nNA,2003-02-24,no\n");
  table.schema.text.quote = 0;
  EXPECT_EQ(*table.print(4, 1, &exact), "1,000,2003-02-24,\n");
  table.schema.exact = false;
  EXPECT_EQ(*table.print(1, 2), "2,2003-02-24,no\n,2003-02-24,no\n");
}

TEST(RowText, SpellingsSayWhetherStringsHaveQuotes) {
  ExactLines exact;
  Table table;
  table.schema.exact = true;
  ColumnSchema& column = table.add("s", "utf8", {"a", "b", "c\"", "d,", {}, "", "g"});
  column.spelled = true;
  column.spelling = "q";  // which only rows may have
  exact.spellings.push_back(spellings_of({"q", {}, "q", "u", "q", "u", "=x"}));
  EXPECT_EQ(*table.print(0, 7, &exact), "\"a\"\nb\n\"c\"\"\"\nd,\n\n\nx\n");
  table.schema.columns[0].quoting = Quoting::kAlways;
  EXPECT_EQ(*table.print(0, 2, &exact), "\"a\"\n\"b\"\n");
  table.schema.text.quote = 0;
  EXPECT_EQ(*table.print(0, 1, &exact), "a\n");
  table.schema.text.kind = TextKind::kJsonLines;
  EXPECT_EQ(*table.print(3, 1, &exact), "{\"s\":\"d,\"}\n");
}

TEST(RowText, SpellingsThatHoldMarksStandInQuotes) {
  const auto printed = [](const std::string& spelling, const std::string& null_text) {
    ExactLines exact;
    Table table;
    table.schema.exact = true;
    table.schema.text.null_text = null_text;
    table.add("n", "int64", {"1234"}).spelled = true;
    exact.spellings.push_back(spellings_of({spelling}));
    return *table.print(0, 1, &exact);
  };
  const std::string grouped("ni\0\0\0\0\0", 7);
  EXPECT_EQ(printed(grouped + '.', ""), "1.234\n");
  EXPECT_EQ(printed(grouped + ',', ""), "\"1,234\"\n");
  EXPECT_EQ(printed(grouped + '"', ""), "\"1\"\"234\"\n");
  EXPECT_EQ(printed(grouped + '\n', ""), "\"1\n234\"\n");
  EXPECT_EQ(printed(grouped + '\r', ""), "\"1\r234\"\n");
  EXPECT_EQ(printed(grouped + '.', "1.234"), "\"1.234\"\n");
}

TEST(RowText, SpellingsSayHowJsonIsWritten) {
  ExactLines exact;
  Table table = spelled_table(TextKind::kJsonLines, exact);
  EXPECT_EQ(*table.print(0, 6, &exact),
            "{\"x\":1.50,\"day\":\"2003-02-24\",\"b\":false}\n"
            "{\"x\":2,\"day\":\"2/24/2003\",\"b\":false}\n"
            "{\"x\":null,\"day\":\"2003-02-24\",\"b\":false}\n"
            "{\"x\":\"-\",\"day\":,\"b\":No}\n"
            "{\"x\":1,000,\"day\":\"2003-02-24\",\"b\":null}\n"
            "{\"x\":nan,\"day\":\"2\\\"24\\\"2003\",\"b\":false}\n");
  table.schema.text.json_omits_nulls = true;
  EXPECT_EQ(*table.print(3, 1, &exact), "{\"b\":No}\n");
}

TEST(RowText, EndsOfRowsAreTold) {
  Table table;
  table.add("s", "utf8", {"a", "b", "c", "d"});
  table.add("n", "int8", {"1", "2", "3", "4"});
  const ExactLines lines = lines_for_four_rows();
  const std::vector<ColumnView> views = table.views();
  Buffer to;
  std::vector<std::uint64_t> ends = {7};
  ASSERT_TRUE(RowPrinter(table.schema, views, &lines).print_rows(0, 4, to, ends).ok());
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{4, 18, 24, 28}));
  EXPECT_EQ(to.size(), 33u);
  ASSERT_TRUE(RowPrinter(table.schema, views).print_rows(1, 2, to, ends).ok());
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{37, 41}));
}

TEST(RowText, WhatDoesNotFitTogetherIsRefused) {
  Table table;
  table.add("s", "utf8", {"a", "b"});
  EXPECT_EQ(table.print(0, 3).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(table.print(3, 0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(table.print(1, ~std::uint64_t{0}).error().code, ErrorCode::kInvalidArgument);
  ExactLines lines;
  lines.rows = {0};
  EXPECT_EQ(table.print(0, 1, &lines).error().code, ErrorCode::kInvalidArgument);
  lines.rows.clear();
  lines.spellings.push_back(spellings_of({"c"}));
  table.schema.exact = table.schema.columns[0].spelled = true;
  EXPECT_EQ(table.print(0, 1, &lines).error().code, ErrorCode::kInvalidArgument);
  table.schema.text.kind = TextKind::kNone;
  EXPECT_EQ(table.print(0, 2).error().code, ErrorCode::kInvalidArgument);
  table.schema.text.kind = TextKind::kDelimited;
  table.add("n", "int8", {"1"});
  EXPECT_EQ(table.print(0, 1).error().code, ErrorCode::kInvalidArgument);
  table.schema.columns.pop_back();
  EXPECT_EQ(table.print(0, 1).error().code, ErrorCode::kInvalidArgument);
  table.columns.pop_back();
  table.schema.columns[0].type = ColumnType::kInt64;
  EXPECT_EQ(table.print(0, 1).error().code, ErrorCode::kInvalidArgument);
  table.columns.clear();
  table.schema.columns.clear();
  EXPECT_EQ(table.print(0, 0).error().code, ErrorCode::kInvalidArgument);
}

/// The rules once more, as slowly as they can be said.
std::string expected_field(const std::optional<std::string>& value, const TextForm& form) {
  if (form.kind == TextKind::kDelimited) {
    if (!value) return form.null_text;
    if (value->find_first_of(std::string("\"\r\n") + char(form.delimiter)) == value->npos &&
        *value != form.null_text) {
      return *value;
    }
  } else if (!value) {
    return "null";
  }
  std::string text = "\"";
  for (const char c : *value) {
    if (form.kind == TextKind::kDelimited) {
      text += c == '"' ? "\"\"" : std::string(1, c);
    } else if (c == '"' || c == '\\') {
      text += std::string("\\") + c;
    } else {
      text += c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\1' ? "\\u0001" : std::string(1, c);
    }
  }
  return text + "\"";
}

std::optional<std::string> random_string(std::mt19937_64& random) {
  static constexpr char kLetters[] = "abcdefgh ijk,\"\\\n\r\1\xC3;|xyz0";
  if (random() % 10 == 0) return std::nullopt;
  const bool marks = random() % 2 == 0;
  const std::size_t longest = random() % 100 == 0 ? 100'000 : 60;
  std::string text(random() % longest, ' ');
  for (char& c : text) c = kLetters[random() % (marks ? sizeof kLetters - 1 : 12)];
  return text;
}

TEST(RowText, RandomRowsAreAsTheSlowestPrinterHasThem) {
  std::mt19937_64 random(24);
  for (const TextKind kind : {TextKind::kDelimited, TextKind::kJsonLines}) {
    constexpr std::size_t kRows = 4000;
    Table table(kind);
    std::vector<Texts> columns(3, Texts(kRows));
    for (Texts& texts : columns) {
      for (auto& text : texts) text = random_string(random);
      table.add("n", "utf8", texts);
    }
    std::string expected;
    const bool json = kind == TextKind::kJsonLines;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (json) expected += i == 0 ? "{\"n\":" : ",\"n\":";
        if (!json && i > 0) expected += ',';
        expected += expected_field(columns[i][row], table.schema.text);
      }
      expected += json ? "}\n" : "\n";
    }
    EXPECT_TRUE(table.print() == expected);
    EXPECT_TRUE(*table.print(0, 1500) + *table.print(1500, kRows - 1500) == expected);
  }
}

}  // namespace
}  // namespace presso::row_text_test
