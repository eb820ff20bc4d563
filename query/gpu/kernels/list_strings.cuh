// SPDX-License-Identifier: MIT
// Lists strings of a StringIndex by number: first their lengths, then, once the host has assigned
// each a place, their bytes. Each lane handles one string; the rest of a long string, after its
// front, is copied by all lanes of the warp together. Tests:
// tests/queries/strings.txt.
#pragma once

#include "query/gpu/kernels/string_index.cuh"

namespace presso::gpu {

/// Up to so many words behind the front are copied by the string's own lane.
inline constexpr u32 kOwnRestWords = 8;

/// What is behind the front of the strings of those lanes that ask, one after another: `words` of
/// them, from `from` on in StringList::rest to `to` in StringList::words. All lanes come here
/// together.
PRESSO_DEVICE void copy_long_rests(const StringList& list, bool asks, u64 from, u64 to, u32 words) {
  for (u32 left = simt::ballot(asks); left != 0; left &= left - 1) {
    const u32 owner = simt::find_first_set(left) - 1;
    const u64* const source = list.rest + simt::shuffle(from, owner);
    u64* const target = list.words + simt::shuffle(to, owner);
    const u32 count = simt::shuffle(words, owner);
    for (u32 i = simt::lane(); i < count; i += kWarpSize) {
      target[i] = simt::load_readonly(source + i);
    }
  }
}

/// Any grid.
PRESSO_DEVICE void list_strings_body(const StringList& list) {
  constexpr u32 kFront = StringCell::kFrontWords;
  const u32 step = simt::grid_blocks() * simt::block_threads();
  const u32 warp_first = simt::thread_in_block() - simt::lane();
  for (u32 first = simt::block_index() * simt::block_threads() + warp_first; first < list.count;
       first += step) {
    const u32 i = first + simt::lane();
    const bool asks = i < list.count;
    const StringCell cell = asks ? list.cells[simt::load_readonly(list.numbers + i)] : StringCell{};
    if (list.words == nullptr) {
      if (asks) list.lengths[i] = cell.length;
      continue;
    }
    const u64 place = asks ? simt::load_readonly(list.places + i) : 0;
    for (u32 k = 0; k < kFront; ++k) {
      if (cell.length > k * kWordBytes) list.words[place + k] = cell.front[k];
    }
    const u32 words = asks ? rest_words(cell.length) : 0;
    const bool is_long = words > kOwnRestWords;
    for (u32 k = 0; k < words && !is_long; ++k) {
      list.words[place + kFront + k] = simt::load_readonly(list.rest + cell.rest_at + k);
    }
    copy_long_rests(list, is_long, cell.rest_at, place + kFront, words);
  }
}

}  // namespace presso::gpu
