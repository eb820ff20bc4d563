// SPDX-License-Identifier: MIT
// A key and its row in 12 bytes without padding: two words of the key and one of the row.
// Partitions (key_partition.h) and tables (unchained_table.h) hold arrays of these; a struct with a
// 64-bit member would take 16 bytes. Tested through tests/unit/query/join/key_partition_test.cpp.
#pragma once

#include <cstdint>
#include <cstring>

namespace presso::query::join {

/// The key's words in little-endian order, then the row.
struct Tuple {
  std::uint32_t key_words[2];
  std::uint32_t row;
};
static_assert(sizeof(Tuple) == 12);

/// Reads a key from two words, which need not be aligned to 8 bytes.
inline std::uint64_t load_key(const std::uint32_t* words) {
  std::uint64_t key;
  std::memcpy(&key, words, sizeof(key));
  return key;
}
inline std::uint64_t key_of(const Tuple& tuple) {
  return load_key(tuple.key_words);
}
inline Tuple make_tuple(std::uint64_t key, std::uint32_t row) {
  Tuple tuple;
  std::memcpy(tuple.key_words, &key, sizeof(key));
  tuple.row = row;
  return tuple;
}

}  // namespace presso::query::join
