// SPDX-License-Identifier: MIT
// Implements state_order.h: numbers the states of an automaton by their kind (not matching,
// matching, decided), by a stable sort.
#include "query/gpu/strings/state_order.h"

#include <algorithm>
#include <numeric>

namespace presso::gpu {

StateOrder order_states(const scan_detail::Dfa& dfa) {
  const auto rank = [&](std::uint32_t state) {
    if (state == dfa.sink) return 2;
    if (state == dfa.dead) return 3;
    return state < dfa.first_matching ? 0 : 1;
  };
  std::vector<std::uint32_t> order(dfa.states);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
  StateOrder made;
  made.number.resize(dfa.states);
  for (std::uint32_t i = 0; i < dfa.states; ++i) {
    made.number[order[i]] = static_cast<std::uint16_t>(i);
  }
  const bool has_dead = dfa.dead < dfa.states;
  const std::uint32_t decided = (dfa.sink < dfa.states ? 1 : 0) + (has_dead ? 1 : 0);
  made.start = made.number[dfa.start];
  made.first_decided = dfa.states - decided;
  made.end_matching = has_dead ? made.number[dfa.dead] : dfa.states;
  made.first_matching = dfa.first_matching - (has_dead ? 1 : 0);
  return made;
}

}  // namespace presso::gpu
