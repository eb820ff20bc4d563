// SPDX-License-Identifier: MIT
// Kernels that make a lookup of ascending keys (LookupForm::kAscending) from build rows that were
// written in any order, each with its number in its table. They bring the keys into the order of
// the table without sorting: a bitmap has a bit for each number of the table, and the place of a
// row is the number of bits before its own. Whether the keys then ascend, and whether they repeat,
// is found out at the end.
//
//   MarkNumbers    sets the bits
//   CountMarks     counts bits in each tile of words, and before each word within its tile
//   ScanSums       where tiles begin (match_list.cuh)
//   PlaceKeys      writes keys and rows to their places
//   LinkKeys       whether keys ascend or repeat; links rows of the same key
//
// Cost: a bit for each number of the table, and one pass over rows and bits each. Tested by
// tests/simt/ascending_lookup_test.cpp.
#pragma once

#include "query/gpu/join/key_search.cuh"
#include "query/gpu/join/lookup.h"
#include "query/gpu/join/match_list.cuh"

namespace presso::gpu {

/// Memory of the kernels; all of it is device memory.
struct AscendingArguments {
  AscendingBuild build;
  u32* marks = nullptr;   ///< a bit for each number of the table, in whole tiles of words
  u32* before = nullptr;  ///< for each word: the marks before it within its tile
  u64* tile_begins = nullptr;
  u64 tiles = 0;  ///< tiles of words
  u64* keys = nullptr;
  u32* rows = nullptr;
  u32* next = nullptr;  ///< another row of the same key for each row; may be null
};

/// The shape of all these kernels. Threads to data: each thread block takes a tile at a time, in
/// turn.
struct AscendingBody {
  using Arguments = AscendingArguments;
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = 0;
};

/// Sets the bit of each row's number.
struct MarkNumbers : AscendingBody {
  static constexpr const char* kName = "marking numbers of build rows";

  PRESSO_DEVICE static void run(const Arguments& to) {
    for_each_row(to.build.count, [&](u64 row) {
      const bool is_there = row < to.build.count;
      mark(to.marks, is_there, is_there ? simt::load_streaming(to.build.numbers + row) : 0);
    });
  }

 private:
  /// The rows of a warp were written together and mostly have numbers in one word, which one lane
  /// then sets with a single atomic.
  PRESSO_DEVICE static void mark(u32* marks, bool is_there, u64 number) {
    const u32 lanes = simt::ballot(is_there);
    if (lanes == 0) return;
    const u64 word = number / kWordBits;
    const u32 bit = is_there ? 1u << number % kWordBits : 0;
    const u32 first = simt::find_first_set(lanes) - 1;
    const bool is_alike = word == simt::shuffle(word, first);
    const u32 bits = simt::reduce_or(is_alike ? bit : 0);
    if (simt::lane() == first) {
      simt::atomic_or(marks + word, bits);
    } else if (!is_alike && is_there) {
      simt::atomic_or(marks + word, bit);
    }
  }
};

/// Counts the marks of each tile and the marks before each word, by warp-wide prefix sums.
struct CountMarks : AscendingBody {
  static constexpr const char* kName = "counting numbers of build rows";
  using Shared = TilePlaces<kTileThreads / kWarpSize>;
  static constexpr u32 kSharedBytes = sizeof(Shared);

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto* const shared = reinterpret_cast<Shared*>(simt::shared_memory());
    for (u64 tile = simt::block_index(); tile < to.tiles; tile += simt::grid_blocks()) {
      u32 before[kTileItems];
      u32 of_warp = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u32 marks = simt::popcount(simt::load_streaming(to.marks + tile_row(tile, item)));
        const u32 upto = simt::inclusive_sum(marks);
        before[item] = of_warp + upto - marks;
        of_warp += simt::shuffle(upto, kWarpSize - 1);
      }
      const WarpPlaces sums = places_of_warps(*shared, of_warp);
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        to.before[tile_row(tile, item)] = sums.before + before[item];
      }
      if (simt::thread_in_block() == 0) to.tile_begins[tile] = sums.all;
      simt::block_sync();
    }
  }
};

/// Writes each row's key and row to its place. Rows that are in order already (`numbers` is null)
/// keep their places.
struct PlaceKeys : AscendingBody {
  static constexpr const char* kName = "putting keys in the order of their table";

  PRESSO_DEVICE static void run(const Arguments& to) {
    for_each_row(to.build.count, [&](u64 row) {
      if (row >= to.build.count) return;
      const u64 place = to.build.numbers == nullptr ? row : place_of(to, to.build.numbers[row]);
      to.keys[place] = simt::load_streaming(to.build.keys + row);
      to.rows[place] = static_cast<u32>(row);
    });
  }

 private:
  /// The number of marks before this one.
  PRESSO_DEVICE static u64 place_of(const Arguments& to, u64 number) {
    const u64 word = number / kWordBits;
    const u32 below = simt::load_readonly(to.marks + word) & ((1u << number % kWordBits) - 1);
    return simt::load_readonly(to.tile_begins + word / kTileRows) +
           simt::load_readonly(to.before + word) + simt::popcount(below);
  }
};

/// Compares each key with the one before it. Keys are compared as signed numbers.
struct LinkKeys : AscendingBody {
  static constexpr const char* kName = "looking whether keys ascend";

  PRESSO_DEVICE static void run(const Arguments& to) {
    bool repeats = false, descends = false;
    for_each_row(to.build.count, [&](u64 at) {
      if (at >= to.build.count) return;
      const auto key = static_cast<std::int64_t>(to.keys[at]);
      const auto before = static_cast<std::int64_t>(to.keys[at == 0 ? 0 : at - 1]);
      const bool is_again = at != 0 && key == before;
      repeats |= is_again;
      descends |= key < before;
      if (to.next != nullptr) to.next[to.rows[at]] = is_again ? to.rows[at - 1] : kNoRow;
    });
    if (repeats) to.build.facts->repeats = 1;
    if (descends) to.build.facts->descends = 1;
  }
};

}  // namespace presso::gpu
