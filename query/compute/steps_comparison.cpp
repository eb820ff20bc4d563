// SPDX-License-Identifier: MIT
// Steps that compare values, and steps on truth values. Operands of a comparison have one physical
// form. Doubles are ordered totally: NaN equals itself and is greater than all other numbers, as in
// DuckDB and PostgreSQL. False is less than true; strings compare byte by byte, which for UTF-8 is
// the order of code points.
//
// AND, OR, NOT, CASE and COALESCE follow SQL's logic of three values, and the same rules hold for
// failures: an operand that does not influence the result may fail. Tested by compute_test.cpp
// (KnowsThreeTruths, EvaluatesOnlyTheBranchThatIsTaken, FollowsIeeeForDoublesButOrdersNan).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "query/compute/steps.h"

namespace presso::query {
namespace {

/// Negative, zero or positive, like memcmp; a prefix is less than the longer string.
int compare_bytes(const StringRef& a, const StringRef& b) {
  const std::size_t common = static_cast<std::size_t>(std::min(a.size, b.size));
  const int order = common == 0 ? 0 : std::memcmp(a.data, b.data, common);
  if (order != 0) return order;
  return a.size < b.size ? -1 : (a.size > b.size ? 1 : 0);
}

// The relations as types, so that each pair of relation and physical form becomes a loop of its
// own. Only Equal and Less are defined by hand; the other two are their opposites.
struct Equal {
  template <class T>
  static bool test(const T& a, const T& b) {
    return a == b;
  }
  static bool test(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
};
struct NotEqual {
  template <class T>
  static bool test(const T& a, const T& b) {
    return !Equal::test(a, b);
  }
};
struct Less {
  template <class T>
  static bool test(const T& a, const T& b) {
    return a < b;
  }
  static bool test(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }
  static bool test(const StringRef& a, const StringRef& b) { return compare_bytes(a, b) < 0; }
};
struct LessEqual {
  template <class T>
  static bool test(const T& a, const T& b) {
    return !Less::test(b, a);
  }
};

/// One loop over two operands of type T.
template <class Relation, class T>
void compare_values(const StepContext& c) {
  const T* const a = c.from[0]->as<T>();
  const T* const b = c.from[1]->as<T>();
  Byte* const to = c.to.make<Byte>();
  for (std::uint32_t i = 0; i < c.count; ++i) to[i] = Relation::test(a[i], b[i]) ? 1 : 0;
}

/// Picks the loop by the operands' physical form.
template <class Relation>
void compare_by(const StepContext& c) {
  switch (c.from[0]->physical) {
    case Physical::kBool:
      return compare_values<Relation, Byte>(c);
    case Physical::kInt64:
      return compare_values<Relation, std::int64_t>(c);
    case Physical::kInt128:
      return compare_values<Relation, Int128>(c);
    case Physical::kDouble:
      return compare_values<Relation, double>(c);
    case Physical::kString:
      return compare_values<Relation, StringRef>(c);
  }
}

/// Compares values first and then corrects the rows with nulls: nulls equal each other and nothing
/// else.
void is_distinct(const StepContext& c) {
  merge_failures(c);
  compare_by<NotEqual>(c);
  Byte* const to = reinterpret_cast<Byte*>(c.to.own.data());
  if (!c.from[0]->has_nulls && !c.from[1]->has_nulls) return;
  for (std::uint32_t i = 0; i < c.count; ++i) {
    const bool a = c.from[0]->is_null(i);
    const bool b = c.from[1]->is_null(i);
    if (a || b) to[i] = a != b ? 1 : 0;
  }
}

/// Each row costs a binary search in the sorted set.
void in_integers(const StepContext& c) {
  const auto& wanted = c.node.integers;
  Byte* const to = c.to.make<Byte>();
  const bool wide = c.from[0]->physical == Physical::kInt128;
  for (std::uint32_t i = 0; i < c.count; ++i) {
    const Int128 value = wide ? c.from[0]->as<Int128>()[i] : c.from[0]->as<std::int64_t>()[i];
    to[i] = std::binary_search(wanted.begin(), wanted.end(), value) ? 1 : 0;
  }
}

/// Whether a row of an operand has no result.
bool fails(const Register& of, std::uint32_t row) {
  return of.has_failures && (of.failures[row / 64] >> (row % 64) & 1) != 0;
}

/// AND (`decisive` is false) and OR (`decisive` is true). An operand that has the decisive value
/// settles the row, whatever nulls and failures the others have. Without nulls and failures, the
/// usual case, bytes are combined by a plain loop.
void all_or_any(const StepContext& c, Byte decisive) {
  Byte* const to = c.to.make<Byte>();
  bool plain = true;
  for (const Register* from : c.from) plain = plain && !from->has_nulls && !from->has_failures;
  // The operands' bytes are 0 or 1, so that AND and OR of bits are those of truth values.
  if (plain) {
    std::copy_n(c.from[0]->as<Byte>(), c.count, to);
    for (std::size_t part = 1; part < c.from.size(); ++part) {
      const Byte* const other = c.from[part]->as<Byte>();
      for (std::uint32_t i = 0; i < c.count; ++i) {
        to[i] = decisive != 0 ? static_cast<Byte>(to[i] | other[i])
                              : static_cast<Byte>(to[i] & other[i]);
      }
    }
    return;
  }
  for (std::uint32_t i = 0; i < c.count; ++i) {
    bool decided = false;
    bool failed = false;
    bool null = false;
    for (const Register* from : c.from) {
      if (fails(*from, i)) {
        failed = true;
      } else if (from->is_null(i)) {
        null = true;
      } else if (from->as<Byte>()[i] == decisive) {
        decided = true;
      }
    }
    to[i] = decided ? decisive : static_cast<Byte>(1 - decisive);
    if (decided) continue;
    if (failed) {
      c.fail(i);
    } else if (null) {
      c.set_null(i);
    }
  }
}

/// The result is never null.
void is_null(const StepContext& c) {
  merge_failures(c);
  Byte* const to = c.to.make<Byte>();
  for (std::uint32_t i = 0; i < c.count; ++i) to[i] = c.from[0]->is_null(i) ? 1 : 0;
}

/// Copies row `i` of a chosen operand, with its null or failure.
template <class T>
void copy_value(const StepContext& c, const Register& from, std::uint32_t i, T* to) {
  to[i] = from.as<T>()[i];
  if (fails(from, i)) {
    c.fail(i);
  } else if (from.is_null(i)) {
    c.set_null(i);
  }
}

/// CASE, row by row: the first condition that is true chooses; one that is null counts as false. If
/// a condition fails before one is true, the row fails. Operands come as condition, value, ...,
/// ELSE.
template <class T>
void choose_branch(const StepContext& c) {
  T* const to = c.to.make<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    std::size_t branch = 0;
    bool failed = false;
    // Ends at the first condition that is true or fails; if none is, `branch` is that of ELSE.
    for (; branch + 1 < c.from.size(); branch += 2) {
      const Register& when = *c.from[branch];
      failed = fails(when, i);
      if (failed || (!when.is_null(i) && when.as<Byte>()[i] != 0)) break;
    }
    const std::size_t taken = branch + 1 < c.from.size() ? branch + 1 : c.from.size() - 1;
    copy_value<T>(c, *c.from[taken], i, to);
    if (failed) c.fail(i);
  }
}

/// COALESCE, row by row; the last operand is taken if all before it are null. A failure ends the
/// search.
template <class T>
void first_value(const StepContext& c) {
  T* const to = c.to.make<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    std::size_t part = 0;
    while (part + 1 < c.from.size() && c.from[part]->is_null(i) && !fails(*c.from[part], i)) ++part;
    copy_value<T>(c, *c.from[part], i, to);
  }
}

/// TRY: copies the first operand; a row in which only that one fails is null.
template <class T>
void value_or_null(const StepContext& c) {
  T* const to = c.to.make<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    to[i] = T{};
    if (fails(*c.from[1], i)) {
      c.fail(i);
    } else if (fails(*c.from[0], i) || c.from[0]->is_null(i)) {
      c.set_null(i);
    } else {
      to[i] = c.from[0]->as<T>()[i];
    }
  }
}

/// The steps that choose, for one type of values.
template <class T>
void choose(const StepContext& c) {
  if (c.node.step == Step::kTry) {
    value_or_null<T>(c);
  } else if (c.node.step == Step::kCase) {
    choose_branch<T>(c);
  } else {
    first_value<T>(c);
  }
}

/// Picks the loop by the result's physical form.
void choose_values(const StepContext& c) {
  switch (c.node.physical) {
    case Physical::kBool:
      return choose<Byte>(c);
    case Physical::kInt64:
      return choose<std::int64_t>(c);
    case Physical::kInt128:
      return choose<Int128>(c);
    case Physical::kDouble:
      return choose<double>(c);
    case Physical::kString:
      return choose<StringRef>(c);
  }
}

}  // namespace

void merge_failures(const StepContext& c) {
  for (const Register* from : c.from) {
    if (!from->has_failures) continue;
    c.to.has_failures = true;
    for (std::uint32_t i = 0; i < kBatchWords; ++i) c.to.failures[i] |= from->failures[i];
  }
}

void run_comparison_step(const StepContext& context) {
  switch (context.node.step) {
    case Step::kEqual:
      return compare_by<Equal>(context);
    case Step::kNotEqual:
      return compare_by<NotEqual>(context);
    case Step::kLess:
      return compare_by<Less>(context);
    case Step::kLessEqual:
      return compare_by<LessEqual>(context);
    case Step::kIsDistinct:
      return is_distinct(context);
    default:
      return in_integers(context);
  }
}

/// NOT flips the byte; its nulls were merged before.
void run_truth_step(const StepContext& context) {
  switch (context.node.step) {
    case Step::kAnd:
      return all_or_any(context, 0);
    case Step::kOr:
      return all_or_any(context, 1);
    case Step::kNot: {
      const Byte* const a = context.from[0]->as<Byte>();
      Byte* const to = context.to.make<Byte>();
      for (std::uint32_t i = 0; i < context.count; ++i) to[i] = a[i] ^ 1;
      return;
    }
    case Step::kIsNull:
      return is_null(context);
    default:
      return choose_values(context);
  }
}

}  // namespace presso::query
