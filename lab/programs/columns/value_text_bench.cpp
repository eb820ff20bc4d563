// SPDX-License-Identifier: MIT
// How fast one core parses and prints single values (format/columns/value_text.h), as CSV: million
// values a second, the best of several rounds over 16,384 fields of random values that lie one
// after another with a byte between them, as in a file.
#include <cstdio>
#include <random>
#include <string>

#include "format/columns/value_text.h"
#include "presso/stopwatch.h"

namespace presso {
namespace {

constexpr std::size_t kValues = 16384;
constexpr int kRounds = 200;
constexpr std::size_t kValueBytes = 16;

struct Case {
  const char* type;
  std::int64_t least;
  std::int64_t most;
  ValueText text = ValueText::kPlain;
};

constexpr Case kCases[] = {
    {"int32", 1, 50},
    {"int64", 1, 6'000'000},
    {"int64", -4'000'000'000, 4'000'000'000'000},
    {"decimal(18,2)", 100, 5100},
    {"decimal(18,2)", 90'000, 10'500'000},
    {"decimal(18,4)", -10'000'000'000, 10'000'000'000},
    {"decimal(38,2)", -10'000'000'000, 10'000'000'000},
    {"date", 8036, 10561},
    {"date", 8036, 10561, ValueText::kDayDotDate},
    {"timestamp(us)", 1'500'000'000'000'000, 1'800'000'000'000'000},
    {"double", 90'000, 10'500'000},
    {"double", 0, 0},
    {"bool", 0, 1},
};

struct Fields {
  std::vector<Byte> values;
  std::vector<Byte> text;
  std::vector<std::uint32_t> begins;
};

void random_value(const Case& from, const ColumnSchema& column, std::mt19937_64& random, Byte* to) {
  std::uniform_int_distribution<std::int64_t> numbers(from.least, from.most);
  const std::int64_t number = numbers(random);
  store(to, number);
  store(to + 8, number < 0 ? std::int64_t{-1} : std::int64_t{0});
  if (column.type != ColumnType::kDouble) return;
  const bool short_form = from.most > 0;  // two digits after the point, or all 17 digits
  store(to,
        short_form ? static_cast<double>(number) / 100 : static_cast<double>(random() >> 11) / 1e9);
}

Fields make_fields(const Case& from, const ColumnSchema& column) {
  std::mt19937_64 random(1);
  Fields fields;
  fields.values.resize(kValues * kValueBytes);
  for (std::size_t i = 0; i < kValues; ++i) {
    Byte* const value = &fields.values[i * kValueBytes];
    random_value(from, column, random, value);
    char text[kMaxValueText];
    fields.begins.push_back(static_cast<std::uint32_t>(fields.text.size()));
    fields.text.insert(fields.text.end(), text, text + print_value(column, value, text));
    fields.text.push_back('|');
  }
  fields.begins.push_back(static_cast<std::uint32_t>(fields.text.size()));
  return fields;
}

template <class Action>
double best_rate(Action&& action) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const Stopwatch watch;
    action();
    best = std::min(best, watch.seconds());
  }
  return kValues / best / 1e6;
}

void measure(const Case& from) {
  ColumnSchema column = *parse_type(from.type);
  if (from.text != ValueText::kPlain) column.text = from.text;
  Fields fields = make_fields(from, column);
  std::size_t refused = 0;
  const double parse = best_rate([&] {
    for (std::size_t i = 0; i < kValues; ++i) {
      const Bytes text(&fields.text[fields.begins[i]], fields.begins[i + 1] - fields.begins[i] - 1);
      refused += !parse_value(column, text, &fields.values[i * kValueBytes]);
    }
  });
  std::vector<char> out(fields.text.size() + kMaxValueText);
  const double print = best_rate([&] {
    char* to = out.data();
    for (std::size_t i = 0; i < kValues; ++i) {
      to += print_value(column, &fields.values[i * kValueBytes], to);
      *to++ = '|';
    }
  });
  const double bytes = static_cast<double>(fields.text.size()) / kValues;
  std::printf("%s,%.1f,%.0f,%.0f%s\n", type_name(column).c_str(), bytes, parse, print,
              refused > 0 ? ",REFUSED" : "");
}

}  // namespace
}  // namespace presso

int main() {
  std::printf("type,bytes_a_field,parse_m_values_s,print_m_values_s\n");
  for (const presso::Case& one : presso::kCases) presso::measure(one);
}
