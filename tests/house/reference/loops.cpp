// SPDX-License-Identifier: MIT
// One of five files by whose compilation tests/house/build_time.py measures a machine. None
// changes.
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

template <unsigned kWidth>
void unpack(const unsigned char* from, std::uint32_t* to) {
  for (unsigned i = 0; i < 32; ++i) {
    std::uint64_t word;
    std::memcpy(&word, from + i * kWidth / 8, sizeof word);
    to[i] =
        static_cast<std::uint32_t>(word >> (i * kWidth % 8)) & ((std::uint64_t{1} << kWidth) - 1);
  }
}

template <unsigned... kWidths>
constexpr auto table_of(std::integer_sequence<unsigned, kWidths...>) {
  return std::array{&unpack<kWidths>...};
}

void unpack_any(unsigned width, const unsigned char* from, std::uint32_t* to) {
  static constexpr auto kTable = table_of(std::make_integer_sequence<unsigned, 33>());
  kTable[width](from, to);
}
