// SPDX-License-Identifier: MIT
// What the files functions_*.cpp share, each of which adds a group of scalar functions to the table
// from names to functions. Where DuckDB has a function of a name, arguments and results are those
// of DuckDB 2.0.1, unless docs/queries.md names the difference.
//
// A function is bound once for a query: `Function::make` checks the types of the arguments and adds
// nodes. Most functions need a computation of their own. It is a `Kernel`, which a node with
// Step::kCall names: a plain function of one row, wrapped by each<> into a loop over the rows.
//
//   std::string_view left(const Row& row, std::string_view text, std::int64_t count);
//   constexpr Kernel kLeft{"left", each<left>};
//
// Tested by tests/unit/query/compute/functions_test.cpp.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/compute/binder.h"
#include "query/compute/intervals.h"
#include "query/compute/steps.h"

namespace presso::query {

/// One call while it is bound. Functions may change `arguments` to insert conversions.
struct Call {
  const Builder& build;
  const std::string& name;
  std::vector<NodeId> arguments;

  const Node& at(std::size_t i) const { return build.at(arguments[i]); }
  bool is_constant(std::size_t i) const { return at(i).kind == Node::Kind::kConstant; }
};

/// How many arguments a function takes, and what builds its nodes. `make` is called only with a
/// number of arguments in these bounds, both included.
struct Function {
  std::size_t least;
  std::size_t most;
  std::function<Result<NodeId>(Call&)> make;
};
using Functions = std::map<std::string, Function, std::less<>>;

// Each adds its group; names are in lower case, and synonyms share a value.
namespace text_functions {
void add(Functions& functions);
}
namespace pattern_functions {
void add(Functions& functions);
}
namespace number_functions {
void add(Functions& functions);
}
namespace time_functions {
void add(Functions& functions);
}
namespace interval_functions {
void add(Functions& functions);
Result<std::optional<NodeId>> part_of(const Builder& build, const IntervalParts& interval,
                                      DatePart part);
}  // namespace interval_functions
namespace format_functions {
void add(Functions& functions);
}
namespace list_functions {
void add(Functions& functions);
}
namespace printf_functions {
void add(Functions& functions);
}
namespace choice_functions {
void add(Functions& functions);
}

/// Argument `i` as a string; a null is allowed, other types are refused rather than printed.
Result<NodeId> string_argument(const Call& call, std::size_t i);
/// Argument `i` in 64 bits, checked for each row where it may be wider.
Result<NodeId> integer_argument(const Call& call, std::size_t i);
/// Argument `i` as a double.
Result<NodeId> real_argument(const Call& call, std::size_t i);
/// Replaces all arguments by what the letters of `types` say: s string, i whole number, r double.
Status convert_arguments(Call& call, std::string_view types);

/// A function that is one kernel, of exactly the arguments whose types convert_arguments() takes.
Function of_kernel(const Kernel& kernel, std::string_view types, ColumnType result,
                   Range range = {});

/// Returns the interval widened by `most` at both ends, for functions that move doubles by at most
/// that.
Range wider_by(Range range, double most);

/// One row of a call, for functions that may have no result, a null, or a new text.
struct Row {
  const StepContext& context;
  std::uint32_t number;

  /// Marks the row as one without a result. The value returned does not matter.
  void fail() const { context.fail(number); }
  void set_null() const { context.set_null(number); }
  /// Keeps a text until the program's next run.
  std::string_view keep(std::string_view text) const {
    const StringRef kept =
        context.strings.add({reinterpret_cast<const Byte*>(text.data()), text.size()});
    return {reinterpret_cast<const char*>(kept.data), static_cast<std::size_t>(kept.size)};
  }
  /// What the call prepared when it was bound.
  template <class T>
  const T& prepared() const {
    return *static_cast<const T*>(context.node.prepared.get());
  }
};

namespace call_detail {

template <class T>
T value_of(const Register& from, std::uint32_t row) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    const StringRef& text = from.as<StringRef>()[row];
    return {reinterpret_cast<const char*>(text.data), static_cast<std::size_t>(text.size)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return from.as<Byte>()[row] != 0;
  } else {
    return from.as<T>()[row];
  }
}

/// The type in which a register holds results of T.
template <class T>
struct Stored {
  using Type = T;
  static T of(T value) { return value; }
};
template <>
struct Stored<bool> {
  using Type = Byte;
  static Byte of(bool value) { return value ? 1 : 0; }
};
template <>
struct Stored<std::string_view> {
  using Type = StringRef;
  static StringRef of(std::string_view text) {
    return {reinterpret_cast<const Byte*>(text.data()), text.size()};
  }
};

template <auto function, class To, class... From, std::size_t... place>
void run_rows(const StepContext& c, To (*)(const Row&, From...), std::index_sequence<place...>) {
  using Result = Stored<To>;
  auto* const to = c.to.make<typename Result::Type>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    to[i] = {};
    if (c.to.is_null(i)) continue;
    to[i] = Result::of(function(Row{c, i}, value_of<From>(*c.from[place], i)...));
  }
}

template <class To, class... From>
constexpr auto places_of(To (*)(const Row&, From...)) {
  return std::index_sequence_for<From...>();
}

}  // namespace call_detail

/// Runs `function` for all rows that are not null. Its parameters after the row are
/// std::string_view, std::int64_t, double or bool, in the order of the node's arguments.
template <auto function>
void each(const StepContext& c) {
  call_detail::run_rows<function>(c, function, call_detail::places_of(function));
}

}  // namespace presso::query
