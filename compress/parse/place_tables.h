// SPDX-License-Identifier: MIT
// Places (earlier positions) where strings of a few bytes were seen, for the table parser: one
// place for a string's hash in one table, places of a long and of a short string in two tables, or
// the last four places of a hash in rows. Each class is a view of memory that its owner keeps.
// Place 0 also stands for none, so position 0 is never found. Different strings of one hash share
// an entry: the parser compares.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "compress/parse/match.h"
#include "presso/bytes.h"
#include "presso/wire.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace presso {

/// The last place of each string of seven bytes or, with two tables, of eight and of six bytes.
template <bool kTwo>
class SinglePlaces {
 public:
  static constexpr bool kHasShort = kTwo;
  static constexpr unsigned kKey = kTwo ? 8 : 7;  ///< bytes of a (long) string
  static constexpr unsigned kShortKey = 6;

  /// The places that a position found, and where its own place was entered.
  struct Probe {
    std::uint64_t word;
    std::uint32_t* entry;
    std::uint32_t* short_entry;
    std::uint32_t place;
    std::uint32_t short_place;

    /// Puts back the places that were found.
    void undo() const {
      *entry = place;
      if constexpr (kTwo) *short_entry = short_place;
    }
  };

  /// Empty tables for a text of this size, in `memory`. A single table is kept small, so that
  /// it stays in a near cache.
  static SinglePlaces make(std::vector<std::uint32_t>& memory, std::size_t text_bytes) {
    constexpr unsigned kLeastBits = 12;
    constexpr unsigned kMostBits = kTwo ? 17 : 15;
    memory.assign(std::size_t{kTwo ? 2 : 1} << index_bits(text_bytes, 3, kLeastBits, kMostBits), 0);
    return SinglePlaces(memory);
  }

  /// `memory` must be as make() has left it.
  explicit SinglePlaces(std::vector<std::uint32_t>& memory)
      : places_(memory.data()),
        shorts_(memory.data() + memory.size() / 2),
        bits_(static_cast<unsigned>(std::bit_width(memory.size())) - (kTwo ? 2 : 1)) {}

  void insert(const Byte* base, std::uint32_t at) const {
    const auto word = load<std::uint64_t>(base + at);
    entry_of(word) = at;
    if constexpr (kTwo) short_entry_of(word) = at;
  }

  /// Enters `at` and returns what stood in its place.
  Probe exchange(const Byte* base, std::uint32_t at) const {
    const auto word = load<std::uint64_t>(base + at);
    std::uint32_t& entry = entry_of(word);
    Probe found{word, &entry, nullptr, std::exchange(entry, at), 0};
    if constexpr (kTwo) {
      found.short_entry = &short_entry_of(word);
      found.short_place = std::exchange(*found.short_entry, at);
    }
    return found;
  }

  /// Returns the place of the long string that `word` is, and enters `at` in its stead.
  std::uint32_t exchange_long(std::uint64_t word, std::uint32_t at) const {
    return std::exchange(entry_of(word), at);
  }

 private:
  std::uint32_t& entry_of(std::uint64_t word) const {
    return places_[hash_bytes<kKey>(word, bits_)];
  }
  std::uint32_t& short_entry_of(std::uint64_t word) const {
    return shorts_[hash_bytes<kShortKey>(word, bits_)];
  }

  std::uint32_t* places_;
  std::uint32_t* shorts_;
  unsigned bits_;
};

/// Rows of the last four places, the newest first, of strings of six bytes with the same hash.
/// Another byte of the hash stands above each place and tells most of the others apart, so few
/// places are compared in vain.
class FourPlaces {
 public:
  static constexpr unsigned kKey = 6;
  static constexpr unsigned kPlaceBits = 24;
  static_assert(kMaxBlockBytes + kMaxDictionaryBytes < 1u << kPlaceBits);

  using Row = std::array<std::uint32_t, 4>;

  /// The row that a position found.
  struct Probe {
    std::uint64_t word;
    Row row;
    unsigned candidates;  ///< bits of places whose upper byte agrees

    /// The place of the lowest of these bits, which is the newest.
    std::uint32_t place_of(unsigned bits) const {
      return row[static_cast<unsigned>(std::countr_zero(bits))] % (1u << kPlaceBits);
    }
  };

  /// Empty rows for a text of this size, in `memory`.
  static FourPlaces make(std::vector<std::uint32_t>& memory, std::size_t text_bytes) {
    constexpr unsigned kLeastBits = 8;
    constexpr unsigned kMostBits = 16;
    memory.assign(kPlaces << index_bits(text_bytes, 4, kLeastBits, kMostBits), 0);
    return FourPlaces(memory);
  }

  /// `memory` must be as make() has left it.
  explicit FourPlaces(std::vector<std::uint32_t>& memory)
      : places_(memory.data()),
        bits_(static_cast<unsigned>(std::countr_zero(memory.size() / kPlaces)) + kTagBits) {}

  void prefetch(const Byte* at) const {
    __builtin_prefetch(row_of(hash_of(load<std::uint64_t>(at))));
  }

  void insert(const Byte* base, std::uint32_t at) const {
    const std::uint32_t hash = hash_of(load<std::uint64_t>(base + at));
    push(row_of(hash), hash, at);
  }

  Probe exchange(const Byte* base, std::uint32_t at) const {
    const auto word = load<std::uint64_t>(base + at);
    const std::uint32_t hash = hash_of(word);
    std::uint32_t* const row = row_of(hash);
    const Probe found{word, load<Row>(reinterpret_cast<const Byte*>(row)), candidates(row, hash)};
    push(row, hash, at);
    return found;
  }

 private:
  static constexpr std::size_t kPlaces = std::tuple_size_v<Row>;
  static constexpr unsigned kTagBits = 32 - kPlaceBits;

  std::uint32_t hash_of(std::uint64_t word) const { return hash_bytes<kKey>(word, bits_); }
  std::uint32_t* row_of(std::uint32_t hash) const { return places_ + kPlaces * (hash >> kTagBits); }

#if defined(__SSE2__)
  static void push(std::uint32_t* row, std::uint32_t hash, std::uint32_t at) {
    auto* const all = reinterpret_cast<__m128i*>(row);
    const __m128i first = _mm_cvtsi32_si128(static_cast<int>(at | hash << kPlaceBits));
    _mm_storeu_si128(all, _mm_or_si128(_mm_slli_si128(_mm_loadu_si128(all), 4), first));
  }
  static unsigned candidates(const std::uint32_t* row, std::uint32_t hash) {
    const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row));
    const __m128i tag = _mm_set1_epi32(static_cast<int>(hash % (1u << kTagBits)));
    const __m128i equal = _mm_cmpeq_epi32(_mm_srli_epi32(all, kPlaceBits), tag);
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
  }
#else
  static void push(std::uint32_t* row, std::uint32_t hash, std::uint32_t at) {
    std::copy_backward(row, row + kPlaces - 1, row + kPlaces);
    row[0] = at | hash << kPlaceBits;
  }
  static unsigned candidates(const std::uint32_t* row, std::uint32_t hash) {
    unsigned equal = 0;
    for (unsigned i = 0; i < kPlaces; ++i) {
      equal |= (row[i] >> kPlaceBits == hash % (1u << kTagBits) ? 1u : 0u) << i;
    }
    return equal;
  }
#endif

  std::uint32_t* places_;
  unsigned bits_;  ///< of a hash: of the row and the upper byte
};

}  // namespace presso
