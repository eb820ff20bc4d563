// SPDX-License-Identifier: MIT
// Implements string_table.h, automata over token codes as kernels read them: writes classes of
// codes, rows of states and sweep words into one image. Sizes are rounded up to 16 bytes, as thread
// blocks copy the shared part in pieces of that size.
#include "query/gpu/strings/string_table.h"

#include <algorithm>
#include <cstring>

namespace presso::gpu {
namespace {

constexpr std::uint32_t kUnit = 16;

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}
/// Bytes of the smallest odd number of words that holds `bytes` bytes.
std::uint32_t odd_words(std::uint32_t bytes) {
  return 4 * ((bytes + 3) / 4 | 1);
}

std::uint32_t class_pitch(const TokenFunctions& functions) {
  return odd_words(functions.classes + 1);
}

template <class Entry>
void store(std::vector<Byte>& image, std::size_t at, std::uint32_t value) {
  const auto entry = static_cast<Entry>(value);
  std::memcpy(image.data() + at, &entry, sizeof entry);
}

template <class Entry>
void store_classes(std::vector<Byte>& image, std::uint32_t at, const TokenFunctions& functions) {
  for (std::uint32_t code = 0; code < kMaxTokens; ++code) {
    store<Entry>(image, at + code * sizeof(Entry), functions.class_of[code]);
  }
}

/// Stores the rows: next(state, column) for `columns` columns, and then `none`.
template <class Entry, class Next>
void store_string_rows(StringTable& table, std::uint32_t states, std::uint32_t columns,
                       const Next& next) {
  const StringTableView& view = table.view;
  for (std::uint32_t state = 0; state < states; ++state) {
    const std::size_t row = view.rows_at + std::size_t{state} * view.pitch * sizeof(Entry);
    for (std::uint32_t column = 0; column < columns; ++column) {
      store<Entry>(table.image, row + column * sizeof(Entry), next(state, column));
    }
    store<Entry>(table.image, row + view.none * sizeof(Entry), state);
  }
}

/// Makes room for the rows. Either the whole image is shared, or only what is before the rows.
template <class Entry>
void make_room(StringTable& table, std::uint32_t states, bool all_shared) {
  StringTableView& view = table.view;
  view.image_bytes = round_up(
      view.rows_at + states * view.pitch * static_cast<std::uint32_t>(sizeof(Entry)), kUnit);
  view.shared_bytes = all_shared ? view.image_bytes : view.rows_at;
  table.image.resize(view.image_bytes);
}

void lay_out_classes(const TokenFunctions& functions, StringTable& table) {
  table.view.rows_at = kClassRowsAt;
  table.view.pitch = class_pitch(functions);
  table.view.none = functions.classes;
  make_room<Byte>(table, functions.states, true);
  store_classes<Byte>(table.image, 0, functions);
  store_string_rows<Byte>(table, functions.states, functions.classes,
                          [&](std::uint32_t state, std::uint32_t column) {
                            return functions.next[std::size_t{column} * functions.states + state];
                          });
}

/// Stores classes from `classes_at` on, then the rows.
void lay_out_wide(const TokenFunctions& functions, std::uint32_t classes_at, StringTable& table) {
  table.view.rows_at = classes_at + 2 * kMaxTokens;
  table.view.pitch = functions.classes + 1;
  table.view.none = functions.classes;
  make_room<std::uint16_t>(table, functions.states, false);
  store_classes<std::uint16_t>(table.image, classes_at, functions);
  store_string_rows<std::uint16_t>(
      table, functions.states, functions.classes, [&](std::uint32_t state, std::uint32_t column) {
        return functions.next[std::size_t{column} * functions.states + state];
      });
}

}  // namespace

std::vector<std::uint32_t> sweep_words(const TokenFunctions& functions) {
  const auto after_start = [&](std::uint32_t of_class) {
    return functions.next[std::size_t{of_class} * functions.states + functions.start];
  };
  std::vector<bool> is_met(functions.states, false);
  for (std::uint32_t i = 0; i < functions.classes; ++i) is_met[after_start(i)] = true;
  is_met[functions.start] = false;
  std::vector<std::uint32_t> bit_of(functions.states, 0);
  std::uint32_t met = 0;
  for (std::uint32_t state = 0; state < functions.states; ++state) {
    if (is_met[state]) bit_of[state] = 1u << met++ % kSweepBits;
  }
  std::vector<std::uint32_t> of_class(functions.classes);
  for (std::uint32_t i = 0; i < functions.classes; ++i) {
    const std::uint32_t to = after_start(i);
    std::uint32_t word = 1u << 31 | bit_of[to] << 16;
    if (functions.matches(to)) word |= 1u << kSweepBits;
    for (std::uint32_t state = 0; state < functions.states; ++state) {
      const bool differs = functions.next[std::size_t{i} * functions.states + state] != to;
      if (is_met[state] && differs) word |= bit_of[state];
    }
    of_class[i] = word;
  }
  std::vector<std::uint32_t> words(kMaxTokens, ~std::uint32_t{0});
  for (std::uint32_t code = 0; code < functions.tokens; ++code) {
    words[code] = of_class[functions.class_of[code]];
  }
  return words;
}

bool fits(StringLayout layout, const TokenFunctions& functions) {
  switch (layout) {
    case StringLayout::kClasses:
      return functions.states <= kMostClassRows && functions.classes <= kMostClasses &&
             kClassRowsAt + functions.states * class_pitch(functions) <= kMostShared;
    case StringLayout::kWide:
    case StringLayout::kSweep:
      break;
  }
  return true;
}

Result<StringTable> lay_out(StringLayout layout, const TokenFunctions& functions) {
  if (!fits(layout, functions)) {
    return make_error(ErrorCode::kInvalidArgument, "the automaton does not fit that layout");
  }
  StringTable table;
  StringTableView& view = table.view;
  view.tokens = functions.tokens;
  view.start = functions.start;
  view.first_matching = functions.first_matching;
  view.end_matching = functions.end_matching;
  view.first_decided = functions.first_decided;
  switch (layout) {
    case StringLayout::kClasses:
      lay_out_classes(functions, table);
      break;
    case StringLayout::kWide:
      lay_out_wide(functions, 0, table);
      break;
    case StringLayout::kSweep:
      lay_out_wide(functions, kMaxTokens * sizeof(std::uint32_t), table);
      std::memcpy(table.image.data(), sweep_words(functions).data(),
                  kMaxTokens * sizeof(std::uint32_t));
      break;
  }
  return table;
}

}  // namespace presso::gpu
