// SPDX-License-Identifier: MIT
// A key and its row, 12 bytes one after the other: three words, of which two are the key.
#pragma once

#include <cstdint>
#include <cstring>

namespace presso::query::join {

struct Tuple {
  std::uint32_t key_words[2];
  std::uint32_t row;
};
static_assert(sizeof(Tuple) == 12);

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
