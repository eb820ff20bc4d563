// SPDX-License-Identifier: MIT
// Implements plain_tests.h, tests of strings without an automaton. Equality compares lengths first,
// then words of 8 bytes (Needle). A set is asked by the string's hash, after a bitmap of lengths
// has refused strings of other lengths. LIKE with `%` tests both ends and then looks for each
// literal in turn.
#include "query/strings/plain_tests.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "query/strings/needle.h"

namespace presso::query {
namespace {

using Kind = StringCondition::Kind;

/// Bytes [begin, end) of a text as a string.
std::string_view view(Bytes text, std::size_t begin, std::size_t end) {
  return {reinterpret_cast<const char*>(text.data()) + begin, end - begin};
}

/// A test that is a function of one string, given as bytes [begin, end) of a text.
template <class Test>
class EachRow final : public RowTest {
 public:
  EachRow(Test test, double byte_cost_ns, std::string name)
      : test_(std::move(test)), byte_cost_ns_(byte_cost_ns), name_(std::move(name)) {}

  bool matches(Bytes string) const override { return test_(string, 0, string.size()); }
  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    test_rows(rows.rows, alive, bits, [&](std::uint32_t i) {
      return test_(rows.text, static_cast<std::size_t>(rows.offsets[i]),
                   static_cast<std::size_t>(rows.offsets[i + 1]));
    });
  }
  double byte_cost_ns() const override { return byte_cost_ns_; }
  std::string describe() const override { return name_; }

 private:
  Test test_;
  double byte_cost_ns_;
  std::string name_;
};

/// Measured on rows of 26 bytes, in ns a byte: string_test_rate lineitem.csv.presso l_comment less
/// f (kSetNs: in; kFindNs: like %e%).
constexpr double kCompareNs = 0.1;
constexpr double kSetNs = 0.2;
constexpr double kFindNs = 0.45;

template <class Test>
std::unique_ptr<const RowTest> each_row(Test test, double byte_cost_ns, std::string name) {
  return std::make_unique<EachRow<Test>>(std::move(test), byte_cost_ns, std::move(name));
}

/// The set, its hash table, and a bit for each length up to 62 (63 stands for all that are longer).
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

  bool holds(std::string_view string) const {
    if ((lengths_ & length_bit(string.size())) == 0) return false;
    return known_.find(string) != known_.end();
  }
  std::size_t size() const { return known_.size(); }

 private:
  static std::uint64_t length_bit(std::size_t length) {
    return std::uint64_t{1} << std::min<std::size_t>(length, 63);
  }

  std::vector<std::string> strings_;
  std::unordered_set<std::string_view> known_;  ///< views of strings_
  std::uint64_t lengths_ = 0;
};

/// LIKE with literals in order; the leftmost place of each literal is enough, as gaps are
/// unlimited.
class OrderedNeedles {
 public:
  explicit OrderedNeedles(const OrderedLiterals& literals)
      : front_(literals.front),
        inside_(literals.inside.begin(), literals.inside.end()),
        back_(literals.back) {}

  /// Tests beginning and end first, which are cheap, then looks for the literals between them.
  bool match(Bytes all, std::size_t begin, std::size_t end) const {
    if (end - begin < front_.size() + back_.size()) return false;
    if (!front_.stands_at(all, begin) || !back_.stands_at(all, end - back_.size())) return false;
    begin += front_.size();
    end -= back_.size();
    for (const Needle& needle : inside_) {
      const auto found = needle.find(all, begin, end);
      if (!found) return false;
      begin = *found + needle.size();
    }
    return true;
  }

  /// "front 'abc', literal 'def', end 'ghi'".
  std::string describe() const {
    std::string text;
    const auto add = [&](const char* what, const Needle& needle) {
      if (!text.empty()) text += ", ";
      text.append(what).append(" '").append(needle.string()).append("'");
    };
    if (front_.size() != 0) add("front", front_);
    for (const Needle& needle : inside_) add("literal", needle);
    if (back_.size() != 0) add("end", back_);
    return text;
  }

 private:
  Needle front_;
  std::vector<Needle> inside_;
  Needle back_;
};

}  // namespace

/// A lambda for each relation, so that each gets a loop of its own.
std::unique_ptr<const RowTest> make_comparison(Kind kind, const std::string& text) {
  const auto ordered = [&](auto holds, const char* name) {
    return each_row([=](Bytes all, std::size_t begin,
                        std::size_t end) { return holds(view(all, begin, end).compare(text)); },
                    kCompareNs, name);
  };
  switch (kind) {
    case Kind::kLess:
      return ordered([](int order) { return order < 0; }, "<");
    case Kind::kLessEqual:
      return ordered([](int order) { return order <= 0; }, "<=");
    case Kind::kGreater:
      return ordered([](int order) { return order > 0; }, ">");
    case Kind::kGreaterEqual:
      return ordered([](int order) { return order >= 0; }, ">=");
    default:
      break;
  }
  return each_row(
      [needle = Needle(text)](Bytes all, std::size_t begin, std::size_t end) {
        return end - begin == needle.size() && needle.stands_at(all, begin);
      },
      kCompareNs, "equality");
}

std::unique_ptr<const RowTest> make_set_test(std::vector<std::string> set) {
  const auto strings = std::make_shared<const StringSet>(std::move(set));
  return each_row([=](Bytes all, std::size_t begin,
                      std::size_t end) { return strings->holds(view(all, begin, end)); },
                  kSetNs, "one of " + std::to_string(strings->size()) + " strings");
}

std::unique_ptr<const RowTest> make_constant(bool answer) {
  return each_row([=](Bytes, std::size_t, std::size_t) { return answer; }, 0.0,
                  answer ? "every string" : "no string");
}

std::unique_ptr<const RowTest> make_ordered(const OrderedLiterals& literals) {
  OrderedNeedles needles(literals);
  std::string name = needles.describe();
  const bool is_loose = literals.front.empty() && literals.back.empty();
  return each_row(
      [needles = std::move(needles)](Bytes all, std::size_t begin, std::size_t end) {
        return needles.match(all, begin, end);
      },
      is_loose ? kFindNs : kCompareNs, std::move(name));
}

}  // namespace presso::query
