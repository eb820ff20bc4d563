// SPDX-License-Identifier: MIT
// transition_monoid(): finds the functions one by one until there are no new ones, or too many:
// more than kMostFunctions (1,000), or than kMostCells and kMostSteps allow for the automaton's
// classes and states. The monoid then has 0 functions, which is no error.
#include "scan/automaton/transition_monoid.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

namespace presso::gpu {
namespace {

using scan_detail::LineDfaView;

/// The most cells of `next`, which a kernel copies to shared memory.
constexpr std::size_t kMostCells = std::size_t{1} << 15;
/// The most look-ups of states while functions are searched for; it bounds the time.
constexpr std::size_t kMostSteps = std::size_t{1} << 21;

/// Finds the functions breadth first, from the identity on: each is an earlier one followed by one
/// more class of bytes. Functions are compared by their values, in a hash table.
class Builder {
 public:
  explicit Builder(const LineDfaView& dfa)
      : dfa_(dfa),
        most_(std::min({std::size_t{kMostFunctions}, kMostCells / dfa.classes,
                        kMostSteps / dfa.classes / dfa.states})),
        is_within_lines_(dfa.classes, false),
        function_(dfa.states) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      if (byte != '\n') is_within_lines_[dfa.class_of[byte]] = true;
    }
  }

  TransitionMonoid build() {
    std::iota(function_.begin(), function_.end(), std::uint16_t{0});
    number_of_function({});
    for (std::size_t number = 0; number < origins_.size(); ++number) {
      if (origins_.size() > most_) return {};
      for (std::uint32_t i = 0; i < dfa_.classes; ++i) monoid_.next.push_back(extended(number, i));
    }
    monoid_.functions = static_cast<std::uint32_t>(origins_.size());
    multiply();
    return std::move(monoid_);
  }

 private:
  /// A function is another one and then a byte of this class.
  struct Origin {
    std::size_t function = 0;
    std::uint32_t byte_class = 0;
  };

  /// The number of the function `number` followed by a byte of the class.
  std::uint16_t extended(std::size_t number, std::uint32_t byte_class) {
    if (!is_within_lines_[byte_class]) return 0;
    const std::uint16_t* const values = monoid_.values.data() + number * dfa_.states;
    std::transform(values, values + dfa_.states, function_.begin(), [&](std::uint16_t state) {
      return static_cast<std::uint16_t>(dfa_.next[std::size_t{state} * dfa_.classes + byte_class]);
    });
    return number_of_function({number, byte_class});
  }

  /// The number of the function in `function_`; a new one is stored with how it was reached.
  std::uint16_t number_of_function(Origin origin) {
    const std::string key(reinterpret_cast<const char*>(function_.data()),
                          function_.size() * sizeof function_[0]);
    const auto [place, is_new] = numbers_.emplace(key, static_cast<std::uint16_t>(origins_.size()));
    if (is_new) {
      monoid_.values.insert(monoid_.values.end(), function_.begin(), function_.end());
      origins_.push_back(origin);
    }
    return place->second;
  }

  /// Fills the table of products: first * second is taken from first * (the function that `second`
  /// extends), so that each product costs one look-up.
  void multiply() {
    const std::size_t functions = monoid_.functions;
    monoid_.products.resize(functions * functions);
    for (std::size_t first = 0; first < functions; ++first) {
      std::uint16_t* const row = monoid_.products.data() + first * functions;
      row[0] = static_cast<std::uint16_t>(first);
      for (std::size_t second = 1; second < functions; ++second) {
        const Origin& origin = origins_[second];
        row[second] = monoid_.next[row[origin.function] * dfa_.classes + origin.byte_class];
      }
    }
  }

  const LineDfaView& dfa_;
  std::size_t most_;
  std::vector<bool> is_within_lines_;
  std::vector<std::uint16_t> function_;
  std::unordered_map<std::string, std::uint16_t> numbers_;
  std::vector<Origin> origins_;  ///< of each function; an earlier one
  TransitionMonoid monoid_;
};

}  // namespace

TransitionMonoid transition_monoid(const LineDfaView& dfa) {
  return Builder(dfa).build();
}

}  // namespace presso::gpu
