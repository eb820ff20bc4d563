// SPDX-License-Identifier: MIT
#include "tests/simt/column_maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <sstream>
#include <vector>

#include "corpora/random.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/real_cases.h"

namespace presso::test {
namespace {

/// What values are computed from.
struct Row {
  std::uint32_t number;
  const ColumnSize& size;  ///< of the table
  corpora::Random& random;
};

/// Integers wrap, so that any pattern of bits can be written.
template <class T>
struct Arithmetic {
  static T negated(T a) {
    if constexpr (std::is_same_v<T, double>) return -a;
    return of('-', T{}, a);
  }
  static T of(char operation, T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      return operation == '+' ? a + b : operation == '-' ? a - b : operation == '*' ? a * b : a / b;
    } else {
      const auto x = static_cast<std::uint64_t>(a);
      const auto y = static_cast<std::uint64_t>(b);
      if (operation == '/') return a / b;
      return static_cast<T>(operation == '+' ? x + y : operation == '-' ? x - y : x * y);
    }
  }
};

/// Reads an expression of values of type T, which is int64 or double.
template <class T>
class ValueParser {
 public:
  using Value = std::function<T(Row&)>;

  explicit ValueParser(const std::string& text) : text_(text) {}

  Value parse() {
    Value value = choice();
    if (at_ < text_.size()) fail();
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(const char* word) {
    skip();
    const std::size_t length = std::strlen(word);
    if (text_.compare(at_, length, word) != 0) return false;
    at_ += length;
    skip();
    return true;
  }
  Value fail() {
    ADD_FAILURE() << "no expression of a column's values: " << text_ << ", at " << at_;
    at_ = text_.size();
    return [](Row&) { return T{}; };
  }

  Value choice() {
    Value condition = comparison();
    if (!take("?")) return condition;
    Value yes = choice();
    if (!take(":")) return fail();
    Value no = choice();
    return [=](Row& row) { return condition(row) != T{} ? yes(row) : no(row); };
  }
  Value comparison() {
    Value left = sum();
    if (take("==")) {
      Value right = sum();
      return [=](Row& row) { return static_cast<T>(left(row) == right(row)); };
    }
    if (take("<")) {
      Value right = sum();
      return [=](Row& row) { return static_cast<T>(left(row) < right(row)); };
    }
    return left;
  }
  Value sum() {
    return operations("+-", [this] { return product(); });
  }
  Value product() {
    return operations("*/%", [this] { return factor(); });
  }

  Value operations(const char* kinds, const std::function<Value()>& operand) {
    Value left = operand();
    for (skip(); at_ < text_.size() && std::strchr(kinds, text_[at_]) != nullptr; skip()) {
      const char operation = text_[at_++];
      skip();
      left = [operation, a = left, b = operand()](Row& row) {
        const T x = a(row);
        const T y = b(row);
        if (operation != '%') return Arithmetic<T>::of(operation, x, y);
        return static_cast<T>(static_cast<std::int64_t>(x) % static_cast<std::int64_t>(y));
      };
    }
    return left;
  }

  Value factor() {
    if (take("(")) {
      Value inner = choice();
      return take(")") ? inner : fail();
    }
    if (take("-")) {
      return [inner = factor()](Row& row) { return Arithmetic<T>::negated(inner(row)); };
    }
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      return number();
    }
    return name();
  }
  Value number() {
    const char* const begin = text_.c_str() + at_;
    char* end = nullptr;
    T value{};
    if constexpr (std::is_same_v<T, double>) {
      value = std::strtod(begin, &end);
    } else {
      value = static_cast<T>(std::strtoull(begin, &end, 10));
    }
    at_ += static_cast<std::size_t>(end - begin);
    return [value](Row&) { return value; };
  }
  Value name() {
    if (take("rows")) return [](Row& row) { return static_cast<T>(row.size.rows); };
    if (take("times")) return [](Row& row) { return static_cast<T>(row.size.times); };
    if (take("row")) return [](Row& row) { return static_cast<T>(row.number); };
    if (take("any(")) return any();
    if (take("least")) return constant(std::numeric_limits<T>::min());
    if (take("most")) return constant(std::numeric_limits<T>::max());
    if constexpr (std::is_same_v<T, double>) {
      if (take("inf")) return constant(std::numeric_limits<T>::infinity());
      if (take("nan")) return constant(std::numeric_limits<T>::quiet_NaN());
      if (take("ones")) return constant(std::bit_cast<double>(~std::uint64_t{0}));
      if (take("real(")) return real(false);
      if (take("seeded(")) return real(true);
    }
    return fail();
  }
  static Value constant(T value) {
    return [value](Row&) { return value; };
  }
  Value any() {
    Value limit = choice();
    if (!take(")")) return fail();
    return [=](Row& row) {
      return static_cast<T>(row.random.below(static_cast<std::uint32_t>(limit(row))));
    };
  }
  Value real(bool has_seed) {
    Value seed = has_seed ? choice() : constant(T{});
    if (has_seed && !take(",")) return fail();
    Value least = choice();
    if (!take(",")) return fail();
    Value most = choice();
    if (!take(")")) return fail();
    return [=](Row& row) {
      corpora::Random own(static_cast<std::uint64_t>(seed(row)));
      const int from = static_cast<int>(least(row));
      return static_cast<T>(
          any_real(has_seed ? own : row.random, from, static_cast<int>(most(row))));
    };
  }

  const std::string text_;
  std::size_t at_ = 0;
};

template <class Stored, class T>
ColumnData numbers(const ColumnSchema& schema, const std::string& text, const ColumnSize& size,
                   corpora::Random& random) {
  const auto value = ValueParser<T>(text).parse();
  return column_of<Stored>(schema.type, size.rows, [&](std::uint32_t number) {
    Row row{number, size, random};
    return static_cast<Stored>(value(row));
  });
}

ColumnData integers(const ColumnSchema& schema, const std::string& text, const ColumnSize& size,
                    corpora::Random& random) {
  switch (value_bytes(schema.type)) {
    case 1:
      return numbers<std::int8_t, std::int64_t>(schema, text, size, random);
    case 2:
      return numbers<std::int16_t, std::int64_t>(schema, text, size, random);
    case 4:
      return numbers<std::int32_t, std::int64_t>(schema, text, size, random);
    default:
      return numbers<std::int64_t, std::int64_t>(schema, text, size, random);
  }
}

/// A piece of a string for each row.
using Piece = std::function<std::string(Row&)>;

Piece piece_of(const std::string& expression) {
  if (expression.starts_with("pick ")) {
    std::istringstream text(expression.substr(5));
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    return
        [=](Row& row) { return words[row.random.below(static_cast<std::uint32_t>(words.size()))]; };
  }
  if (expression.starts_with("repeat ")) {
    const auto times = ValueParser<std::int64_t>(expression.substr(7)).parse();
    return [=](Row& row) {
      std::string text;
      const auto parts = static_cast<std::uint32_t>(times(row));
      for (std::uint32_t part = 0; part < parts; ++part) text += hex_string(part * 5 + row.number);
      return text;
    };
  }
  using Named = std::pair<const char*, std::string (*)(std::uint32_t)>;
  for (const auto& [name, function] : {Named{"hex", hex_string}, Named{"words", key_string}}) {
    if (!expression.starts_with(name)) continue;
    const auto value = ValueParser<std::int64_t>(expression.substr(std::strlen(name))).parse();
    return [value, text_of = function](Row& row) {
      return text_of(static_cast<std::uint32_t>(value(row)));
    };
  }
  const auto value = ValueParser<std::int64_t>(expression).parse();
  return [=](Row& row) { return std::to_string(value(row)); };
}

std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    pieces.push_back([literal = text.substr(at, open - at)](Row&) { return literal; });
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    pieces.push_back(piece_of(text.substr(open + 1, close - open - 1)));
    at = close + 1;
  }
  return pieces;
}

/// A null has no bytes. `one_of`: 0 where there are none.
ColumnData strings(const ColumnSchema& schema, const std::string& text, const ColumnSize& size,
                   corpora::Random& random, std::uint32_t one_of) {
  const std::vector<Piece> pieces = pieces_of(text);
  ColumnData column;
  column.type = schema.type;
  column.rows = size.rows;
  if (one_of != 0) column = with_nulls(std::move(column), random, one_of);
  column.offsets.push_back(0);
  std::string all;
  for (std::uint32_t number = 0; number < size.rows; ++number) {
    Row row{number, size, random};
    const bool is_null = one_of != 0 && (column.validity[number / 8] >> (number % 8) & 1) == 0;
    for (std::size_t i = is_null ? pieces.size() : 0; i < pieces.size(); ++i) all += pieces[i](row);
    column.offsets.push_back(static_cast<std::int64_t>(all.size()));
  }
  column.values.resize_discarding(all.size());
  std::copy(all.begin(), all.end(), column.values.data());
  return column;
}

}  // namespace

MadeColumn make_column(const std::string& line, const ColumnSize& size, std::uint64_t seed) {
  const std::size_t space = line.find(' ');
  const std::size_t equals = line.find(" = ");
  const std::size_t null = line.rfind(" null 1/");
  MadeColumn made;
  if (equals == std::string::npos || equals < space) {
    ADD_FAILURE() << "no column: " << line;
    return made;
  }
  const auto type = parse_type(line.substr(space + 1, equals - space - 1));
  EXPECT_TRUE(type.ok()) << line;
  if (!type.ok()) return made;
  made.schema = *type;
  made.schema.name = line.substr(0, space);
  made.schema.nullable = null != std::string::npos;
  const std::string text = line.substr(equals + 3, std::min(null, line.size()) - equals - 3);
  const std::uint32_t one_of =
      made.schema.nullable ? static_cast<std::uint32_t>(std::stoul(line.substr(null + 8))) : 0;
  corpora::Random random(seed);
  if (is_string(type->type)) {
    made.data = strings(made.schema, text, size, random, one_of);
    return made;
  }
  made.data = type->type == ColumnType::kDouble ? numbers<double, double>(*type, text, size, random)
              : type->type == ColumnType::kFloat ? numbers<float, double>(*type, text, size, random)
                                                 : integers(*type, text, size, random);
  if (one_of != 0) made.data = with_nulls(std::move(made.data), random, one_of);
  return made;
}

}  // namespace presso::test
