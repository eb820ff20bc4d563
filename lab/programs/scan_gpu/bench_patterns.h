// SPDX-License-Identifier: MIT
// What scan_gpu_bench searches for, compiled by the library itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/pattern.h"
#include "scan/automaton/dfa.h"

namespace presso::gpu::bench {

/// With words it is measured with the engines for literals, too.
struct BenchPattern {
  std::string name;
  std::optional<scan_detail::LineDfa>
      dfa;                         ///< none: there is no such automaton, or it is not built
  std::optional<Pattern> pattern;  ///< for the CPU's engines, which say what is right
  std::vector<std::string> words = {};
  bool ignore_case = false;
};

/// Errors: kInvalidArgument, where the pattern is wrong or has no automaton over lines.
Result<BenchPattern> regex(const std::string& name, const std::string& source);
Result<BenchPattern> like(const std::string& name, const std::string& source);
/// With up to kMostAutomatonWords words there is an automaton.
Result<BenchPattern> literals(const std::string& name, const std::vector<std::string>& words,
                              bool ignore_case = false);
constexpr std::size_t kMostAutomatonWords = 4000;

/// Some of them are made of words of the text.
Result<std::vector<BenchPattern>> usual_patterns(Bytes text);

/// How many lines match, by the CPU's engines. `text` ends with '\n'.
std::uint64_t count_on_cpu(const Pattern& pattern, Bytes text);

}  // namespace presso::gpu::bench
