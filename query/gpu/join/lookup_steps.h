// SPDX-License-Identifier: MIT
// Builds a Lookup (lookup.h): clears its memory and runs the kernels in their order. Templates over
// what runs kernels, as in join_steps.h. Tested by tests/simt/ascending_lookup_test.cpp.
//
//   kArray      BuildArray, or BuildChains if all rows of a key are wanted      build_array.cuh
//   kTable      BuildTable, or BuildChains                                      build_table.cuh
//   kAscending  for numbers: MarkNumbers, CountMarks, ScanSums; then            ascending_rows.cuh
//               PlaceKeys, LinkKeys
//
// Nothing waits. Whether keys repeat, or do not ascend, is found in device memory afterwards; it is
// the caller's to read it and to choose another form.
#pragma once

#include "query/gpu/join/ascending_rows.cuh"
#include "query/gpu/join/build_array.cuh"
#include "query/gpu/join/build_table.cuh"
#include "query/gpu/join/key_chain.cuh"
#include "query/gpu/join/lookup.h"

namespace presso::gpu {

/// The table of a lookup whose form is kTable.
inline KeyTable<u64> table_of(const Lookup& lookup) {
  return {static_cast<KeyUnit<u64>*>(lookup.units), lookup.unit_count};
}

/// Builds an array or a table. `build` has keys of 64 bits; afterwards `totals`, in device memory,
/// says whether keys repeat.
template <class Launcher>
Status enqueue_lookup(const Lookup& to, const JoinRows& build, JoinTotals* totals,
                      Launcher& launcher) {
  PRESSO_TRY(launcher.fill(totals, 0, sizeof *totals));
  const std::uint64_t tiles = tiles_of(build.count);
  if (to.form == LookupForm::kArray) {
    PRESSO_TRY(launcher.fill(to.places, 0xFF, (to.last + 1) * sizeof *to.places));
    const KeyArray<u64> array{to.places, to.least, to.last};
    if (to.next == nullptr) {
      return launcher.template run<BuildArray<u64, false>>(tiles, 0, {array, build, totals});
    }
    return launcher.template run<BuildChains<KeyArray<u64>>>(tiles, 0,
                                                             {array, to.next, build, totals});
  }
  PRESSO_TRY(launcher.fill(to.units, 0xFF, (u64{to.unit_count} + 1) * kUnitBytes));
  const KeyTable<u64> table = table_of(to);
  if (to.next == nullptr) {
    return launcher.template run<BuildTable<PlainKeys<u64>>>(tiles, 0, {table, build, totals});
  }
  return launcher.template run<BuildChains<KeyTable<u64>>>(tiles, 0,
                                                           {table, to.next, build, totals});
}

/// Makes a lookup of ascending keys, and finds out whether they ascend. `to` has room for as many
/// keys as there are rows.
template <class Launcher>
Status enqueue_ascending(const Lookup& to, const AscendingBuild& build, Launcher& launcher) {
  AscendingArguments with;
  with.build = build;
  with.keys = static_cast<u64*>(to.units);
  with.rows = to.places;
  with.next = to.next;
  PRESSO_TRY(launcher.fill(build.facts, 0, sizeof *build.facts));
  const std::uint64_t tiles = tiles_of(build.count);
  if (build.numbers != nullptr && build.count != 0) {
    with.tiles = tiles_of(build.most_numbers / kWordBits + 1);
    // The memory has the beginnings of tiles, then a word of marks for each 32 numbers, then the
    // sum of all marks before each word.
    const std::uint64_t words = with.tiles * kTileRows;
    with.tile_begins = static_cast<u64*>(build.memory);
    with.marks = reinterpret_cast<u32*>(with.tile_begins + with.tiles + 1);
    with.before = with.marks + words;
    PRESSO_TRY(launcher.fill(with.marks, 0, words * sizeof *with.marks));
    PRESSO_TRY(launcher.template run<MarkNumbers>(tiles, 0, with));
    PRESSO_TRY(launcher.template run<CountMarks>(with.tiles, CountMarks::kSharedBytes, with));
    ScanArguments scan;
    scan.begins = with.tile_begins;
    scan.count = with.tiles;
    PRESSO_TRY(launcher.template run<ScanSums>(1, ScanSums::kSharedBytes, scan));
  }
  PRESSO_TRY(launcher.template run<PlaceKeys>(tiles, 0, with));
  return launcher.template run<LinkKeys>(tiles, 0, with);
}

/// Writes to `counts` how many rows each key has, at the row that is found for it, and 0 elsewhere.
/// `in` is a lookup of the rows of `build`.
template <class Launcher>
Status enqueue_counts(const Lookup& in, const JoinRows& build, std::uint32_t* counts,
                      Launcher& launcher) {
  PRESSO_TRY(launcher.fill(counts, 0, build.count * sizeof *counts));
  const std::uint64_t tiles = tiles_of(build.count);
  if (in.form == LookupForm::kArray) {
    const KeyArray<u64> array{in.places, in.least, in.last};
    return launcher.template run<CountRowsOfKeys<KeyArray<u64>>>(tiles, 0, {array, counts, build});
  }
  if (in.form == LookupForm::kAscending) {
    const KeySearch search{static_cast<const u64*>(in.units), in.places, in.unit_count};
    return launcher.template run<CountRowsOfKeys<KeySearch>>(tiles, 0, {search, counts, build});
  }
  const KeyTable<u64> table = table_of(in);
  return launcher.template run<CountRowsOfKeys<KeyTable<u64>>>(tiles, 0, {table, counts, build});
}

}  // namespace presso::gpu
