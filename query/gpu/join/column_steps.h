// SPDX-License-Identifier: MIT
// Enqueues the kernels of column_facts.cuh and key_packing.cuh, which prepare key columns for a
// join and its answer for Arrow. These are templates over what runs kernels, as in join_steps.h, so
// that the emulator runs the same steps. Tested by tests/simt/device_joiner_keys_test.cpp.
#pragma once

#include "query/gpu/join/column_facts.cuh"
#include "query/gpu/join/join_kernels.h"
#include "query/gpu/join/key_packing.cuh"
#include "query/gpu/join/lookup_steps.h"

namespace presso::gpu {

/// Finds the range of a column's keys; d_range->least is greater than most if no row takes part.
template <class Launcher>
Status enqueue_key_range(const KeyColumn& column, JoinKeyRange* d_range, Launcher& launcher) {
  KeyRangeArguments to;
  to.rows = column.rows;
  to.sign = column.sign_bit();
  to.least = &d_range->least;
  to.most = &d_range->most;
  PRESSO_TRY(launcher.fill(to.least, 0xFF, sizeof *to.least));
  PRESSO_TRY(launcher.fill(to.most, 0, sizeof *to.most));
  const std::uint64_t tiles = tiles_of(column.rows.count);
  if (column.key_bytes == sizeof(u32)) {
    return launcher.template run<FindKeyRange<u32>>(tiles, 0, to);
  }
  return launcher.template run<FindKeyRange<u64>>(tiles, 0, to);
}

/// Packs several key columns into one.
template <class Launcher>
Status enqueue_packed_keys(const PackedKeys& keys, Launcher& launcher) {
  const std::uint64_t tiles = tiles_of(keys.rows);
  if (keys.key_bytes == sizeof(u32)) return launcher.template run<PackKeys<u32>>(tiles, 0, keys);
  return launcher.template run<PackKeys<u64>>(tiles, 0, keys);
}

/// Builds a table of the build side's keys and replaces both sides' keys by numbers.
template <class Launcher>
Status enqueue_key_numbers(const KeyNumbers& keys, Launcher& launcher) {
  PRESSO_TRY(enqueue_lookup(keys.lookup, keys.build.rows, keys.d_totals, launcher));
  const KeyTable<u64> table = table_of(keys.lookup);
  for (const NumberedSide& side : {keys.build, keys.probe}) {
    PRESSO_TRY(launcher.template run<NumberKeys>(tiles_of(side.rows.count), 0, {table, side}));
  }
  return {};
}

/// Copies `bits` bits from bit `first_bit` of `d_from` on, to whole words. A thread makes
/// kTileItems words, or more if fewer thread blocks run at once.
template <class Launcher>
Status enqueue_copied_bits(const Byte* d_from, std::uint64_t first_bit, std::uint64_t bits,
                           std::uint32_t* d_to, Launcher& launcher) {
  return launcher.template run<CopyBits>(tiles_of(bits / kWordBits + 1), 0,
                                         {d_from, first_bit, bits, d_to});
}

/// Marks which of `count` numbers are rows.
template <class Launcher>
Status enqueue_presence(const std::uint32_t* d_rows, std::uint64_t count, std::uint32_t* d_bits,
                        Launcher& launcher) {
  return launcher.template run<WritePresence>(tiles_of(count), 0, {d_rows, count, d_bits});
}

}  // namespace presso::gpu
