// SPDX-License-Identifier: MIT
// Random small tables as text, whose values are written in many ways: numbers, dates, times, bools
// and words for nulls in all their forms, with and without quotes and blanks, and a few bytes
// changed in some.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "presso/table_schema.h"

namespace presso::test {

inline bool all_typed(const TableSchema& schema) {
  return std::none_of(schema.columns.begin(), schema.columns.end(),
                      [](const ColumnSchema& column) { return is_string(column.type); });
}

class SpelledTexts {
 public:
  /// With --gtest_repeat and --gtest_shuffle each round has other texts.
  explicit SpelledTexts(std::uint32_t seed)
      : random_(seed + 1000 * static_cast<std::uint32_t>(
                                  testing::UnitTest::GetInstance()->random_seed())) {}

  std::string csv() {
    const char delimiter = ",,,;\t|"[below(6)];
    const std::string end = one_in(4) ? "\r\n" : "\n";
    const std::vector<Column> columns = make_columns();
    std::string text;
    if (one_in(2)) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        text += std::string(i == 0 ? 0 : 1, delimiter) + "name" + std::to_string(i);
      }
      text += end;
    }
    for (std::size_t rows = 1 + below(one_in(10) ? 40 : 7); rows > 0; --rows) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) text += delimiter;
        text += field(columns[i]);
      }
      text += end;
    }
    whole_ = text.find("1,5") == text.npos;  // which may be two fields
    if (one_in(10)) {
      text.resize(text.size() - end.size());
      whole_ = false;
    }
    return changed(text);
  }

  std::string json() {
    const std::vector<Column> columns = make_columns();
    const bool spaces = one_in(2);
    std::string text;
    for (std::size_t rows = 1 + below(one_in(10) ? 40 : 7); rows > 0; --rows) {
      text += '{';
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) text += spaces ? ", " : ",";
        text += '"' + std::string(1, static_cast<char>('a' + i)) + (spaces ? "\": " : "\":");
        text += json_value(columns[i]);
      }
      text += "}\n";
    }
    whole_ = true;
    return changed(text);
  }

  /// Whether the last text is as the grammar made it, with whole lines.
  bool is_whole() const { return whole_; }

  /// A number from 0 on.
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t times) { return below(times) == 0; }

 private:
  enum Kind { kNumber, kInteger, kDecimal, kDate, kTime, kBool, kWord, kKinds };
  struct Column {
    Kind kind = kNumber;
    std::size_t style = 0;       ///< one way of writing, which most of its values have
    std::size_t odd = 0;         ///< one of every `odd` values is written in any way; 0: none is
    std::size_t quoted = 0;      ///< one of every `quoted` values stands in quotes; 0: none does
    std::size_t nulls = 0;       ///< one of every `nulls` values is null; 0: none is
    std::string_view null_text;  ///< of most of them
  };

  template <class... Texts>
  std::string_view pick(Texts... texts) {
    const std::string_view all[] = {texts...};
    return all[below(sizeof...(texts))];
  }
  std::string digits(std::size_t least, std::size_t most) {
    std::string text(least + below(most - least + 1), '0');
    for (char& digit : text) digit = static_cast<char>('0' + below(10));
    return text;
  }
  std::string null_word() {
    return std::string(pick("", "NA", "N/A", "NULL", "null", "None", "-", "\\N", " ", "NaN", "nan",
                            "<NA>", "#N/A", "  "));
  }

  std::vector<Column> make_columns() {
    std::vector<Column> columns(1 + below(3));
    for (Column& column : columns) {
      column.kind = static_cast<Kind>(below(kKinds));
      column.style = below(1000);
      column.odd = one_in(2) ? 0 : 2 + below(12);
      column.quoted = one_in(3) ? 1 + below(4) : 0;
      column.nulls = one_in(3) ? 2 + below(5) : 0;
      column.null_text = pick("", "NA", "N/A", "NULL", "-", "\\N", " ");
    }
    return columns;
  }

  bool is_odd(const Column& column) { return column.odd != 0 && one_in(column.odd); }

  std::string value(const Column& column) {
    const std::size_t style = is_odd(column) ? below(1000) : column.style;
    switch (is_odd(column) && one_in(4) ? static_cast<Kind>(below(kKinds)) : column.kind) {
      case kNumber:
        return with_blanks(number(style), style);
      case kInteger:
        return with_blanks(std::string(style % 5 == 0 ? "+" : pick("", "-")) + integer(), style);
      case kDecimal:
        return std::string(pick("", "-")) + integer() + "." + digits(style % 3 + 1, style % 3 + 1);
      case kDate:
        return with_blanks(date(style), style);
      case kTime:
        return with_blanks(date(style) + clock(style / 3) + zone(style / 5), style);
      case kBool:
        return bool_word(style);
      default:
        return std::string(pick("", "a", "b c", "007", "0x1F", "1,5", "\xC3\xA9", "say \"\"x"));
    }
  }

  std::string with_blanks(const std::string& text, std::size_t style) {
    return (style % 7 == 0 ? "  " : "") + text + (style % 11 == 0 ? " " : "");
  }
  std::string integer() { return one_in(8) ? "0" : std::to_string(1 + below(2000)); }

  std::string number(std::size_t style) {
    if (one_in(20)) {
      return std::string(pick("nan", "NaN", "inf", "-inf", "Infinity", "-0", "-0.00", "1e999", ".",
                              "00.5", "1e-400", "123456789012345678901234567890"));
    }
    std::string text(style % 13 == 0 ? "+" : one_in(4) ? "-" : "");
    const std::string part = digits(style % 17 == 0 ? 18 : 1, style % 17 == 0 ? 22 : 4);
    text += style % 5 == 0 && one_in(2) ? "" : integer();
    if (style % 6 < 4) text += "." + (style % 6 == 0 ? std::string() : part);
    if (style % 4 == 0) {
      text += std::string(style % 8 == 0 ? "E" : "e") + std::string(style % 12 == 0 ? "+" : "") +
              digits(1 + style % 3, 1 + style % 3);
    }
    return text;
  }

  std::string date(std::size_t style) {
    const char mark = "-/./"[style % 4];
    const auto part = [&](std::size_t number) {
      return (number < 10 && style % 3 != 0 ? "0" : "") + std::to_string(number);
    };
    const std::string year = style % 19 == 0 ? digits(2, 2) : std::to_string(1900 + below(200));
    const std::string one = part(1 + below(12));
    const std::string two = part(1 + below(one_in(2) ? 28 : 31));
    const std::string order = style % 5 < 2    ? year + mark + one + mark + two
                              : style % 5 == 2 ? two + mark + one + mark + year
                                               : one + mark + two + mark + year;
    return order;
  }
  std::string clock(std::size_t style) {
    const bool twelve = style % 4 == 0;
    const std::size_t hour = twelve ? 1 + below(12) : below(24);
    std::string text(style % 3 == 0 ? "T" : " ");
    text += (hour < 10 && style % 7 != 0 ? "0" : "") + std::to_string(hour);
    text += ":" + std::to_string(below(5)) + digits(1, 1);
    if (style % 5 != 0) text += ":" + std::to_string(below(6)) + digits(1, 1);
    if (style % 5 == 1) text += "." + digits(1, 1 + style % 9);
    if (twelve) text += pick(" AM", " PM", "am", "pm");
    return text;
  }
  std::string zone(std::size_t style) {
    switch (style % 4) {
      case 0:
        return "Z";
      case 1:
        return std::string(pick("", " ")) + std::string(pick("+", "-")) + "0" + digits(1, 1) +
               std::string(pick("", ":00", ":30", "45"));
      default:
        return "";
    }
  }
  std::string bool_word(std::size_t style) {
    const bool truth = one_in(2);
    constexpr std::string_view kWords[][2] = {
        {"false", "true"}, {"False", "True"}, {"FALSE", "TRUE"}, {"f", "t"}, {"F", "T"},
        {"no", "yes"},     {"No", "Yes"},     {"NO", "YES"},     {"n", "y"}, {"N", "Y"}};
    return std::string(kWords[style % 10][truth ? 1 : 0]);
  }

  std::string field(const Column& column) {
    std::string text;
    if (column.nulls != 0 && one_in(column.nulls)) {
      text = is_odd(column) ? null_word() : std::string(column.null_text);
      if (!one_in(6)) return text;
    } else {
      text = value(column);
    }
    const bool quoted = column.quoted != 0 && one_in(column.quoted);
    return quoted ? '"' + text + '"' : text;
  }

  std::string json_value(const Column& column) {
    if (column.nulls != 0 && one_in(column.nulls)) {
      const std::string word = null_word();
      return is_odd(column) && word[0] != '\\' ? '"' + word + '"' : "null";
    }
    const std::string text = value(column);
    if (text.find('"') != text.npos) return R"("say \"x")";
    const bool bare = is_json_number(text) || text == "true" || text == "false";
    return bare && !(column.quoted != 0 && is_odd(column)) ? text : '"' + text + '"';
  }

  static bool is_json_number(std::string_view text) {
    const auto take_digits = [&] {
      const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
      text.remove_prefix(count);
      return count;
    };
    if (text.starts_with('-')) text.remove_prefix(1);
    const bool code = text.starts_with('0');
    const std::size_t whole = take_digits();
    if (whole == 0 || (code && whole > 1)) return false;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      if (take_digits() == 0) return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
      text.remove_prefix(1);
      if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
      if (take_digits() == 0) return false;
    }
    return text.empty();
  }

  /// Now and then some bytes are other ones.
  std::string changed(std::string text) {
    static constexpr char kList[] = "\"\r\n,;\t|# \\.+-eE01NAT/:{}\0\xFF";
    constexpr std::string_view kBytes(kList, sizeof kList - 1);
    for (std::size_t changes = one_in(4) ? 1 + below(3) : 0; changes > 0; --changes) {
      if (text.empty()) return text;
      whole_ = false;
      const std::size_t at = below(text.size());
      const char byte = kBytes[below(kBytes.size())];
      if (one_in(3)) {
        text.erase(at, 1);
      } else if (one_in(2)) {
        text.insert(at, 1, byte);
      } else {
        text[at] = byte;
      }
    }
    return text;
  }

  std::mt19937 random_;
  bool whole_ = true;
};

/// Loads many texts: each that loads must print back, and one of typed columns alone without exact
/// lines. `next` makes a text, `load` and `print` are those of the loader under test.
template <class Next, class Load, class Print>
void expect_spelled_texts_back(const SpelledTexts& texts, Next next, Load load, Print print) {
  int loads = 0;
  int typed = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = next();
    const auto loaded = load(text);
    if (!loaded.ok()) continue;
    ++loads;
    ASSERT_EQ(print(*loaded), text) << testing::PrintToString(text);
    if (!texts.is_whole() || !all_typed(loaded->schema)) continue;
    ++typed;
    ASSERT_TRUE(loaded->rows.exact.rows.empty()) << testing::PrintToString(text);
  }
  EXPECT_GT(loads, 30'000);
  EXPECT_GT(typed, 5'000);
}

}  // namespace presso::test
