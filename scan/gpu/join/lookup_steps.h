// SPDX-License-Identifier: MIT
// Builds a Lookup. A template over what runs kernels, as join_steps.h.
#pragma once

#include "scan/gpu/join/key_chain.cuh"
#include "scan/gpu/join/lookup.h"

namespace presso::gpu {

/// `build`: keys of 64 bits. `totals`, device memory, says afterwards whether keys repeat.
template <class Launcher>
Status enqueue_lookup(const Lookup& to, const JoinRows& build, JoinTotals* totals,
                      Launcher& launcher) {
  PRESSO_TRY(launcher.fill(totals, 0, sizeof *totals));
  const std::uint64_t tiles = tiles_of(build.count);
  if (to.places != nullptr) {
    PRESSO_TRY(launcher.fill(to.places, 0xFF, (to.last + 1) * sizeof *to.places));
    const KeyArray<u64> array{to.places, to.least, to.last};
    if (to.next == nullptr) {
      return launcher.template run<BuildArray<u64, false>>(tiles, 0, {array, build, totals});
    }
    return launcher.template run<BuildChains<KeyArray<u64>>>(tiles, 0,
                                                             {array, to.next, build, totals});
  }
  PRESSO_TRY(launcher.fill(to.units, 0xFF, (u64{to.unit_count} + 1) * kUnitBytes));
  const KeyTable<u64> table{static_cast<KeyUnit<u64>*>(to.units), to.unit_count};
  if (to.next == nullptr) {
    return launcher.template run<BuildTable<u64>>(tiles, 0, {table, build, totals});
  }
  return launcher.template run<BuildChains<KeyTable<u64>>>(tiles, 0,
                                                           {table, to.next, build, totals});
}

}  // namespace presso::gpu
