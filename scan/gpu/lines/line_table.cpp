// SPDX-License-Identifier: MIT
// lay_out(): chooses a layout by the automaton's size, fills the image, and appends the monoid
// unless it is too large. Declines an automaton that breaks the contract of scan/automaton/dfa.h or
// has more than kMostLineStates states (kInvalidArgument).
#include "scan/gpu/lines/line_table.h"

#include <algorithm>
#include <cstring>

#include "scan/automaton/transition_monoid.h"

namespace presso::gpu {
namespace {

using scan_detail::LineDfaView;

constexpr std::size_t kAlignment = 16;
constexpr Byte kNewline = '\n';

/// Whether the automaton keeps the contract of scan/automaton/dfa.h: every class and every next
/// state in range, and '\n' leading to the start from every state. A kernel that trusted less would
/// read outside of its table.
bool is_sound(const LineDfaView& dfa) {
  if (dfa.next == nullptr || dfa.class_of == nullptr) return false;
  if (dfa.states == 0 || dfa.states > kMostLineStates || dfa.classes == 0 || dfa.classes > 256) {
    return false;
  }
  const std::uint32_t places[] = {dfa.first_matching, dfa.sink, dfa.dead};
  if (dfa.start >= dfa.states || *std::max_element(places, places + 3) > dfa.states) return false;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    if (dfa.class_of[byte] >= dfa.classes) return false;
  }
  for (std::uint32_t state = 0; state < dfa.states; ++state) {
    if (dfa.step(state, '\n') != dfa.start) return false;
  }
  for (std::size_t i = 0; i < std::size_t{dfa.states} * dfa.classes; ++i) {
    if (dfa.next[i] >= dfa.states) return false;
  }
  return true;
}

std::uint32_t hit_shift_of(std::uint32_t states) {
  // Few lengths of shift, since each is a kernel of its own; rows up to `hit` take the memory.
  return states <= 1u << 5 ? 5 : states <= 1u << 7 ? 7 : 8;
}

std::uint32_t hit_of(std::uint32_t shift) {
  return shift < 8 ? 1u << shift : kMostByteStates;
}

/// Fills a kBytes table: the rows of all states, and the start's again as the row of `hit`.
void fill_bytes(const LineDfaView& dfa, LineTable& table) {
  LineTableView& view = table.view;
  view.hit_shift = hit_shift_of(dfa.states);
  view.hit = hit_of(view.hit_shift);
  table.image.assign((view.hit + 1) * kBytePitch, 0);
  const auto fill_row = [&](std::uint32_t row, std::uint32_t state) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const bool hit = byte == '\n' && state >= dfa.first_matching;
      const std::uint32_t next = hit ? view.hit : dfa.step(state, static_cast<Byte>(byte));
      table.image[row * kBytePitch + byte] = static_cast<Byte>(next);
    }
  };
  for (std::uint32_t state = 0; state < dfa.states; ++state) fill_row(state, state);
  fill_row(view.hit, dfa.start);
}

/// The class of '\n' in the table, which it has to itself: a matching state leads to `hit` on it
/// and another to the start, where `dfa` makes no difference.
std::uint32_t newline_class(const LineDfaView& dfa) {
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    if (byte != '\n' && dfa.class_of[byte] == dfa.class_of[kNewline])
      return dfa.classes;  // a new one
  }
  return dfa.class_of[kNewline];
}

/// Fills the class map and then rows of `Entry` for all states up to `hit`. Rows between the last
/// state and `hit` stay zero: no state leads there.
template <class Entry>
void fill_classes(const LineDfaView& dfa, LineTable& table) {
  LineTableView& view = table.view;
  const std::uint32_t newline = newline_class(dfa);
  view.classes = std::max(dfa.classes, newline + 1);
  const std::size_t row_bytes = view.classes * sizeof(Entry);
  table.image.assign(kClassMapBytes + (view.hit + 1) * row_bytes, 0);
  std::memcpy(table.image.data(), dfa.class_of, kClassMapBytes);
  table.image[kNewline] = static_cast<Byte>(newline);
  std::vector<Entry> row(view.classes);
  const auto fill_row = [&](std::uint32_t number, std::uint32_t state) {
    const std::uint32_t* const from = dfa.next + std::size_t{state} * dfa.classes;
    std::transform(from, from + dfa.classes, row.begin(),
                   [](std::uint32_t next) { return static_cast<Entry>(next); });
    row[newline] = static_cast<Entry>(state >= dfa.first_matching ? view.hit : dfa.start);
    std::memcpy(table.image.data() + kClassMapBytes + number * row_bytes, row.data(), row_bytes);
  };
  for (std::uint32_t state = 0; state < dfa.states; ++state) fill_row(state, state);
  fill_row(view.hit, dfa.start);
}

/// Fills the image in the given layout, and chooses the number of `hit` for it.
void fill(LineTableKind kind, const LineDfaView& dfa, LineTable& table) {
  table.view.kind = kind;
  if (kind == LineTableKind::kBytes) return fill_bytes(dfa, table);
  if (kind == LineTableKind::kByteClasses) {
    table.view.hit_shift = std::max(hit_shift_of(dfa.states), 7u);
    table.view.hit = hit_of(table.view.hit_shift);
    return fill_classes<Byte>(dfa, table);
  }
  table.view.hit = dfa.states;
  fill_classes<std::uint16_t>(dfa, table);
}

std::uint32_t aligned(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + kAlignment - 1) / kAlignment * kAlignment);
}

bool fits(LineTableKind kind, const LineDfaView& dfa) {
  const bool bytes = kind == LineTableKind::kBytes || kind == LineTableKind::kByteClasses;
  return !bytes || dfa.states <= kMostByteStates;
}

/// Appends to the image, whose size stays a multiple of 16. Returns where it was put.
std::uint32_t append(const void* from, std::size_t bytes, std::vector<Byte>& image) {
  const std::size_t at = image.size();
  image.resize(at + aligned(bytes));
  std::memcpy(image.data() + at, from, bytes);
  return static_cast<std::uint32_t>(at);
}

std::uint32_t append(const std::vector<std::uint16_t>& from, std::vector<Byte>& image) {
  return append(from.data(), from.size() * sizeof from[0], image);
}

/// Appends the transition monoid to the image and to the view; nothing if it is too large.
void add_monoid(const LineDfaView& dfa, LineTable& table) {
  const TransitionMonoid monoid = transition_monoid(dfa);
  if (monoid.functions == 0) return;
  MonoidView& view = table.view.monoid;
  view.functions = monoid.functions;
  view.classes = dfa.classes;
  view.at = append(dfa.class_of, kClassMapBytes, table.image);
  view.shared_bytes = kClassMapBytes + aligned(monoid.next.size() * sizeof monoid.next[0]);
  append(monoid.next, table.image);
  view.values_at = append(monoid.values, table.image);
  view.products_at = append(monoid.products, table.image);
  table.view.image_bytes = static_cast<std::uint32_t>(table.image.size());
}

/// The table in the given layout, without a monoid.
LineTable laid_out(LineTableKind kind, const LineDfaView& dfa) {
  LineTable table;
  LineTableView& view = table.view;
  view.states = dfa.states;
  view.start = dfa.start;
  view.first_matching = dfa.first_matching;
  view.sink = dfa.sink;
  view.dead = dfa.dead;
  fill(kind, dfa, table);
  view.image_bytes = aligned(table.image.size());
  table.image.resize(view.image_bytes);
  view.shared_bytes = kind == LineTableKind::kGlobal ? kClassMapBytes : view.image_bytes;
  return table;
}

/// Chooses the layout by the automaton's size: small classes first, then bytes, then 16-bit rows in
/// shared memory, and last rows in device memory.
LineTable best_rows(const LineDfaView& dfa, std::uint32_t largest_shared) {
  const bool bytes = dfa.states <= kMostByteStates;
  if (bytes && dfa.states * dfa.classes <= kPackedBytes) {
    LineTable packed = laid_out(LineTableKind::kByteClasses, dfa);
    if (packed.view.image_bytes <= largest_shared) return packed;
  }
  if (bytes && (kMostByteStates + 1) * kBytePitch <= largest_shared) {
    return laid_out(LineTableKind::kBytes, dfa);
  }
  LineTable table = laid_out(LineTableKind::kShared, dfa);
  if (table.view.image_bytes <= largest_shared) return table;
  table.view.kind = LineTableKind::kGlobal;
  table.view.shared_bytes = kClassMapBytes;
  return table;
}

Error broken_contract() {
  return make_error(ErrorCode::kInvalidArgument, "the automaton breaks its contract");
}

}  // namespace

Result<LineTable> lay_out(const LineDfaView& dfa, std::uint32_t largest_shared) {
  if (!is_sound(dfa)) return broken_contract();
  LineTable table = best_rows(dfa, largest_shared);
  add_monoid(dfa, table);
  return table;
}

Result<LineTable> lay_out_as(LineTableKind kind, const LineDfaView& dfa) {
  if (!is_sound(dfa)) return broken_contract();
  if (fits(kind, dfa)) {
    LineTable table = laid_out(kind, dfa);
    if (table.view.shared_bytes <= kLargestShared) {
      add_monoid(dfa, table);
      return table;
    }
  }
  return make_error(ErrorCode::kInvalidArgument, "the automaton does not fit the layout");
}

}  // namespace presso::gpu
