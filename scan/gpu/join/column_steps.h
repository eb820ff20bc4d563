// SPDX-License-Identifier: MIT
// Enqueues the kernels of column_facts.cuh. Templates over what runs kernels, as join_steps.h.
#pragma once

#include "scan/gpu/join/column_facts.cuh"
#include "scan/gpu/join/join_kernels.h"

namespace presso::gpu {

template <class Launcher>
Status enqueue_key_range(const KeyColumn& column, JoinKeyRange* d_range, Launcher& launcher) {
  KeyRangeArguments to;
  to.rows = column.rows;
  if (column.is_signed) to.sign = u64{1} << (8 * column.key_bytes - 1);
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

template <class Launcher>
Status enqueue_copied_bits(const Byte* d_from, std::uint64_t first_bit, std::uint64_t bits,
                           std::uint32_t* d_to, Launcher& launcher) {
  return launcher.template run<CopyBits>(tiles_of(bits / kWordBits + 1), 0,
                                         {d_from, first_bit, bits, d_to});
}

template <class Launcher>
Status enqueue_presence(const std::uint32_t* d_rows, std::uint64_t count, std::uint32_t* d_bits,
                        Launcher& launcher) {
  return launcher.template run<WritePresence>(tiles_of(count), 0, {d_rows, count, d_bits});
}

}  // namespace presso::gpu
