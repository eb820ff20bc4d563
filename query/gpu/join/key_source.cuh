// SPDX-License-Identifier: MIT
// How kernels read keys from a column: as they are, or narrowed from 64 bits to 32. If the range of
// the build keys fits 32 bits, a key minus the least one serves as well as the key, and a probe row
// whose key is outside of the range has no match. Columns thus stay as they are, and everything
// after the first read (tables, hashes, parts) works with 32 bits.
//
//   Key                    the type that is worked with
//   Stored                 the type that the column has
//   convert(stored, key)   whether a build row may have this key; if so, `key` is set
//
// A source is a trivially copyable struct with these three members.
#pragma once

#include <type_traits>

#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

/// Keys as they are.
template <class KeyType>
struct PlainKeys {
  using Key = KeyType;
  using Stored = KeyType;

  PRESSO_DEVICE static bool convert(Stored stored, Key& key) {
    key = stored;
    return true;
  }
};

/// Keys of 64 bits as offsets of 32 bits.
struct NarrowedKeys {
  using Key = u32;
  using Stored = u64;

  u64 least = 0;
  u32 last = 0;  ///< the greatest key minus the least one, modulo 2^64

  PRESSO_DEVICE bool convert(Stored stored, Key& key) const {
    const u64 place = stored - least;
    key = static_cast<u32>(place);
    return place <= last;
  }
};

/// Whether the source reads a column without changing keys.
template <class Source>
inline constexpr bool kIsPlain = std::is_same_v<Source, PlainKeys<typename Source::Key>>;

/// Loads the key of a row if it is wanted, else 0; returns whether the row can have a match.
template <class Source>
PRESSO_DEVICE bool load_key(const Source& source, const JoinRows& rows, u64 row, bool is_wanted,
                            typename Source::Key& key) {
  using Stored = typename Source::Stored;
  const auto* const all = static_cast<const Stored*>(rows.d_keys);
  const bool converts =
      source.convert(is_wanted ? simt::load_streaming(all + row) : Stored{0}, key);
  return is_wanted && converts;
}

}  // namespace presso::gpu
