// SPDX-License-Identifier: MIT
#include "scan/gpu/strings/entry_bits.h"

#include "scan/gpu/strings/string_batch.h"

namespace presso::gpu {

std::vector<std::uint32_t> entry_bits(const query::StringTest& test, Bytes bytes,
                                      const std::int64_t* offsets, std::uint32_t entries) {
  std::vector<std::uint64_t> found((std::size_t{entries} + 63) / 64);
  test.find(bytes, offsets, entries, nullptr, found.data());
  std::vector<std::uint32_t> bits(row_words(entries));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<std::uint32_t>(found[i / 2] >> (i % 2 * kLanes));
  }
  return bits;
}

}  // namespace presso::gpu
