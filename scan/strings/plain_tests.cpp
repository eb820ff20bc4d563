// SPDX-License-Identifier: MIT
// Lengths are compared first and bytes by memcmp(): 1 to 3 ns a row. A set is asked by the strings'
// hash; lengths that no string of it has are refused before that.
#include "scan/strings/plain_tests.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_set>

namespace presso::query {
namespace {

using Kind = StringCondition::Kind;

std::string_view view(Bytes string) {
  return {reinterpret_cast<const char*>(string.data()), string.size()};
}

bool begins_with(Bytes string, const std::string& front) {
  return string.size() >= front.size() &&
         (front.empty() || std::memcmp(string.data(), front.data(), front.size()) == 0);
}

bool ends_with(Bytes string, const std::string& back) {
  return string.size() >= back.size() && begins_with(string.last(back.size()), back);
}

/// A test that is a function of one string.
template <class Test>
class EachRow final : public RowTest {
 public:
  EachRow(Test test, double byte_cost_ns, std::string name)
      : test_(std::move(test)), byte_cost_ns_(byte_cost_ns), name_(std::move(name)) {}

  bool matches(Bytes string) const override { return test_(string); }
  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    test_rows(rows.rows, alive, bits, [&](std::uint32_t i) { return test_(rows.row(i)); });
  }
  double byte_cost_ns() const override { return byte_cost_ns_; }
  std::string describe() const override { return name_; }

 private:
  Test test_;
  double byte_cost_ns_;
  std::string name_;
};

/// Measured: see string_test.cpp.
constexpr double kCompareNs = 0.1;
constexpr double kSetNs = 0.4;

template <class Test>
std::unique_ptr<const RowTest> each_row(Test test, double byte_cost_ns, std::string name) {
  return std::make_unique<EachRow<Test>>(std::move(test), byte_cost_ns, std::move(name));
}

class StringSet {
 public:
  explicit StringSet(std::vector<std::string> strings) : strings_(std::move(strings)) {
    for (const std::string& string : strings_) {
      known_.insert(string);
      lengths_ |= length_bit(string.size());
    }
  }
  StringSet(const StringSet&) = delete;
  StringSet& operator=(const StringSet&) = delete;

  bool holds(Bytes string) const {
    if ((lengths_ & length_bit(string.size())) == 0) return false;
    return known_.find(view(string)) != known_.end();
  }
  std::size_t size() const { return known_.size(); }

 private:
  static std::uint64_t length_bit(std::size_t length) {
    return std::uint64_t{1} << std::min<std::size_t>(length, 63);
  }

  std::vector<std::string> strings_;
  std::unordered_set<std::string_view> known_;  ///< of strings_
  std::uint64_t lengths_ = 0;
};

}  // namespace

std::unique_ptr<const RowTest> make_comparison(Kind kind, std::string text) {
  const auto compared = [](Bytes string, const std::string& with) {
    return view(string).compare(with);
  };
  switch (kind) {
    case Kind::kLess:
      return each_row([=](Bytes s) { return compared(s, text) < 0; }, kCompareNs, "<");
    case Kind::kLessEqual:
      return each_row([=](Bytes s) { return compared(s, text) <= 0; }, kCompareNs, "<=");
    case Kind::kGreater:
      return each_row([=](Bytes s) { return compared(s, text) > 0; }, kCompareNs, ">");
    case Kind::kGreaterEqual:
      return each_row([=](Bytes s) { return compared(s, text) >= 0; }, kCompareNs, ">=");
    default:
      break;
  }
  return each_row([=](Bytes s) { return view(s) == text; }, kCompareNs, "equality");
}

std::unique_ptr<const RowTest> make_set_test(std::vector<std::string> set) {
  const auto strings = std::make_shared<const StringSet>(std::move(set));
  return each_row([=](Bytes s) { return strings->holds(s); }, kSetNs,
                  "one of " + std::to_string(strings->size()) + " strings");
}

std::unique_ptr<const RowTest> make_constant(bool answer) {
  return each_row([=](Bytes) { return answer; }, 0.0, answer ? "every string" : "no string");
}

bool OrderedLiterals::match(Bytes string) const {
  if (string.size() < front.size() + back.size()) return false;
  if (!begins_with(string, front) || !ends_with(string, back)) return false;
  const std::string_view rest =
      view(string.subspan(front.size(), string.size() - front.size() - back.size()));
  std::size_t at = 0;
  for (const std::string& literal : inside) {
    at = rest.find(literal, at);
    if (at == std::string_view::npos) return false;
    at += literal.size();
  }
  return true;
}

std::string OrderedLiterals::describe() const {
  std::string text;
  const auto add = [&](const char* what, const std::string& literal) {
    if (!text.empty()) text += ", ";
    text.append(what).append(" '").append(literal).append("'");
  };
  if (!front.empty()) add("front", front);
  for (const std::string& literal : inside) add("literal", literal);
  if (!back.empty()) add("end", back);
  return text;
}

std::unique_ptr<const RowTest> make_ordered(OrderedLiterals literals) {
  std::string name = literals.describe();
  const double cost = literals.front.empty() && literals.back.empty() ? 1.0 : kCompareNs;
  return each_row([literals = std::move(literals)](Bytes s) { return literals.match(s); }, cost,
                  std::move(name));
}

}  // namespace presso::query
