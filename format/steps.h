// SPDX-License-Identifier: MIT
// std::integer_sequence for loops that are compiled for a CPU level, in which nothing of the
// standard library is used (format/cpu_loops.h). These are types without a function.
#pragma once

#include <cstdint>

namespace presso {

/// A list of numbers as template arguments.
template <std::uint32_t... kNumbers>
struct Steps {};

/// MakeSteps<n>::type is Steps<0, 1, ..., n - 1>.
template <std::uint32_t kLeft, std::uint32_t... kNumbers>
struct MakeSteps : MakeSteps<kLeft - 1, kLeft - 1, kNumbers...> {};
template <std::uint32_t... kNumbers>
struct MakeSteps<0, kNumbers...> {
  using type = Steps<kNumbers...>;
};

}  // namespace presso
