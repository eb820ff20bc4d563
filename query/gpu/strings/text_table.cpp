// SPDX-License-Identifier: MIT
// Implements text_table.h, automata over bytes as kernels read them: writes the classes of bytes
// and the rows of states into one image, and finds the least and greatest length of a matching
// string.
#include "query/gpu/strings/text_table.h"

#include <algorithm>
#include <cstring>

#include "query/gpu/strings/state_order.h"

namespace presso::gpu {
namespace {

using scan_detail::Dfa;

constexpr std::uint32_t kTextUnit = 16;

/// Entries from one row to the next.
std::uint32_t pitch_of(TextLayout layout, const Dfa& dfa) {
  if (layout == TextLayout::kWide) return dfa.classes;
  return 4 * ((dfa.classes + 3) / 4 | 1);
}
std::uint64_t image_bytes(TextLayout layout, const Dfa& dfa) {
  const std::uint64_t entry = layout == TextLayout::kWide ? sizeof(std::uint16_t) : sizeof(Byte);
  const std::uint64_t rows = entry * dfa.states * pitch_of(layout, dfa);
  return (kByteClassesBytes + rows + kTextUnit - 1) / kTextUnit * kTextUnit;
}

template <class Entry>
void store_rows(const Dfa& dfa, const StateOrder& order, std::uint32_t pitch, Byte* to) {
  for (std::uint32_t state = 0; state < dfa.states; ++state) {
    Byte* const row = to + std::size_t{order.number[state]} * pitch * sizeof(Entry);
    for (std::uint32_t column = 0; column < dfa.classes; ++column) {
      const std::uint32_t next = dfa.next[std::size_t{state} * dfa.classes + column];
      const auto entry = static_cast<Entry>(order.number[next]);
      std::memcpy(row + column * sizeof entry, &entry, sizeof entry);
    }
  }
}

/// Finds the lengths of matching strings: the shortest and the longest path from the start to a
/// state that matches. Shortest: breadth-first search. Longest: in a topological order (Kahn,
/// 1962), which exists only if no reachable state except the dead one leads back to itself on any
/// path; otherwise there is no longest string and most_bytes stays unlimited.
void find_lengths(const Dfa& dfa, TextTable& table) {
  constexpr std::uint32_t kUnmet = ~std::uint32_t{0};
  std::vector<std::uint32_t> shortest(dfa.states, kUnmet);
  std::vector<std::uint32_t> longest(dfa.states, 0);
  std::vector<std::uint32_t> edges_to(dfa.states, 0);
  const auto for_each_next = [&dfa](std::uint32_t state, const auto& visit) {
    if (state == dfa.dead) return;
    const std::uint32_t* const next = dfa.next.data() + std::size_t{state} * dfa.classes;
    std::for_each(next, next + dfa.classes, visit);
  };
  std::vector<std::uint32_t> queue{dfa.start};
  shortest[dfa.start] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for_each_next(queue[i], [&](std::uint32_t to) {
      ++edges_to[to];
      if (shortest[to] != kUnmet) return;
      shortest[to] = shortest[queue[i]] + 1;
      queue.push_back(to);
    });
  }
  const std::size_t met = queue.size();
  table.least_bytes = kUnmet;  // stays if no state matches
  for (std::uint32_t state = dfa.first_matching; state < dfa.states; ++state) {
    table.least_bytes = std::min(table.least_bytes, shortest[state]);
  }
  // A state is queued after all edges that lead to it; states of a cycle never are.
  queue.clear();
  if (edges_to[dfa.start] == 0) queue.push_back(dfa.start);
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t length = longest[queue[i]];
    if (queue[i] >= dfa.first_matching) most = std::max(most, length);
    for_each_next(queue[i], [&](std::uint32_t to) {
      longest[to] = std::max(longest[to], length + 1);
      if (--edges_to[to] == 0) queue.push_back(to);
    });
  }
  if (queue.size() == met) table.most_bytes = most;
}

}  // namespace

bool fits(TextLayout layout, const Dfa& dfa) {
  if (layout == TextLayout::kWide) {
    return dfa.states <= kMostFunctionCells / kByteClassesBytes;
  }
  return dfa.states <= kMostClassRows && image_bytes(layout, dfa) <= kMostTextShared;
}

Result<TextTable> lay_out_text(TextLayout layout, const Dfa& dfa) {
  if (!fits(layout, dfa)) {
    return make_error(ErrorCode::kUnsupported, "the automaton is too large for a GPU");
  }
  const StateOrder order = order_states(dfa);
  TextTable table;
  table.layout = layout;
  StringTableView& view = table.view;
  view.rows_at = kByteClassesBytes;
  view.pitch = pitch_of(layout, dfa);
  view.image_bytes = static_cast<std::uint32_t>(image_bytes(layout, dfa));
  view.shared_bytes = layout == TextLayout::kWide ? view.rows_at : view.image_bytes;
  view.start = order.start;
  view.first_matching = order.first_matching;
  view.end_matching = order.end_matching;
  view.first_decided = order.first_decided;
  table.image.resize(view.image_bytes);
  std::copy(dfa.class_of.begin(), dfa.class_of.end(), table.image.begin());
  Byte* const rows = table.image.data() + view.rows_at;
  if (layout == TextLayout::kWide) {
    store_rows<std::uint16_t>(dfa, order, view.pitch, rows);
  } else {
    store_rows<Byte>(dfa, order, view.pitch, rows);
  }
  find_lengths(dfa, table);
  return table;
}

Result<TextTable> lay_out_text(const Dfa& dfa) {
  const bool is_small = fits(TextLayout::kClasses, dfa);
  return lay_out_text(is_small ? TextLayout::kClasses : TextLayout::kWide, dfa);
}

}  // namespace presso::gpu
