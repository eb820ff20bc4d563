// SPDX-License-Identifier: MIT
// Puts the constructions together: subsets and minimisation for a program, Aho and Corasick's for
// strings.
#include "scan/automaton/line_dfa.h"

#include <algorithm>

#include "scan/automaton/aho_corasick.h"
#include "scan/automaton/minimal_dfa.h"

namespace presso::scan_detail {
namespace {

/// The most states that fit into 16 bits, as the kernels' tables need
/// (scan/gpu/lines/line_table.h).
constexpr std::size_t kMostStates = 65'535;

}  // namespace

std::optional<LineDfa> make_line_dfa(const Program& program, const LineDfaLimits& limits) {
  const auto subsets = construct_subsets(program, Texts::kLines, limits.subset_states);
  if (!subsets) return std::nullopt;
  LineDfa dfa = minimal_dfa(*subsets, Texts::kLines);
  if (dfa.states > std::min(limits.states, kMostStates)) return std::nullopt;
  return dfa;
}

std::optional<LineDfa> line_dfa_of_strings(const std::vector<std::string>& strings,
                                           std::size_t max_states) {
  const bool has_empty = std::any_of(strings.begin(), strings.end(),
                                     [](const std::string& string) { return string.empty(); });
  if (strings.empty() || has_empty) return std::nullopt;
  return make_aho_corasick(strings, Texts::kLines, std::min(max_states, kMostStates));
}

}  // namespace presso::scan_detail
