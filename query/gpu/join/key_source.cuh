// SPDX-License-Identifier: MIT
// How kernels have keys from a column: as they are, or narrowed from 64 bits to 32. Where the range
// of build keys takes no more than 32 bits, a key minus the least one does as well as the key, and
// a probe row whose key lies outside of the range has no match. So columns stay as they are, and
// everything behind the first read, tables, hashes and parts, is that of keys of 32 bits.
//
// A source is a trivially copyable struct with
//     Key      what is worked with
//     Stored   what the column has
//     convert(stored, key): whether a build row may have this key; if so, `key` is set
#pragma once

#include <type_traits>

#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

template <class KeyType>
struct PlainKeys {
  using Key = KeyType;
  using Stored = KeyType;

  PRESSO_DEVICE static bool convert(Stored stored, Key& key) {
    key = stored;
    return true;
  }
};

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

/// Whether a column may be read by this source without a change.
template <class Source>
inline constexpr bool kIsPlain = std::is_same_v<Source, PlainKeys<typename Source::Key>>;

/// The key of a row where that is wanted, else 0; whether the row can have a match.
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
