// SPDX-License-Identifier: MIT
// Implements required_literals.h: picks the clause that a search by one set of strings uses.
#include "scan/matching/required_literals.h"

#include <algorithm>

namespace presso::scan_detail {
namespace {

std::size_t shortest(const RequiredLiterals::Clause& clause) {
  std::size_t least = clause.any_of.empty() ? 0 : clause.any_of[0].size();
  for (const std::string& string : clause.any_of) least = std::min(least, string.size());
  return least;
}

}  // namespace

std::optional<LineLiterals> line_literals_of(const RequiredLiterals& required) {
  const auto best =
      std::max_element(required.clauses.begin(), required.clauses.end(),
                       [](const auto& a, const auto& b) { return shortest(a) < shortest(b); });
  if (best == required.clauses.end() || shortest(*best) == 0) return std::nullopt;
  return LineLiterals{best->any_of, best->ignore_ascii_case, false};
}

}  // namespace presso::scan_detail
