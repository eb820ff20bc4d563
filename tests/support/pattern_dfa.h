// SPDX-License-Identifier: MIT
// The line automaton of a pattern that has one, as the library makes it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "presso/pattern.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"

namespace presso::test {

inline scan_detail::LineDfa dfa_of(const std::string& pattern) {
  const std::vector<std::string> patterns{pattern};
  const Result<Pattern> compiled = Pattern::compile(patterns);
  if (!compiled.ok()) throw std::invalid_argument(compiled.error().message());
  auto automaton = scan_detail::matcher_of(*compiled).line_automaton(65'534);
  if (!automaton) throw std::invalid_argument(pattern + " has no line automaton");
  return std::move(automaton->dfa);
}

}  // namespace presso::test
