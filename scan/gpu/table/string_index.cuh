// SPDX-License-Identifier: MIT
// Finding strings in a StringIndex, and putting them in. Strings come as words of 64 bits, one
// after another, from a *source*, however they are stored:
//
//     source.length()              in bytes, once all words have been taken
//     source.for_each_word(sink)   calls sink(word); zeros stand behind the end of the last one
//
// Who puts a string in first writes its cell, then claims a place for it by compare-and-swap: so a
// place that is taken has a cell that can be read, and nobody waits for anybody. Places of a bucket
// are taken in their order and never given back; a free place that was read may be taken meanwhile,
// which the claim shows. Where two put the same string in, one finds the other's, and its own
// number belongs to nobody.
// Tests: tests/simt/query_string_keys_on_gpu_test.cpp.
#pragma once

#include "decompress/columns/gpu/lane_values.cuh"
#include "scan/gpu/join/key_hash.cuh"
#include "scan/gpu/table/string_index.h"

namespace presso::gpu {

inline constexpr u32 kWordBytes = 8;
inline constexpr u32 kNoString = ~u32{0};

/// What is looked for: a hash of all of it, the front, the length.
struct StringDigest {
  u64 hash = 0;
  u64 front[StringCell::kFrontWords] = {};
  u32 length = 0;
};

template <class Source>
PRESSO_DEVICE StringDigest digest_of(const Source& source, u64 hash_bits) {
  StringDigest digest;
  u32 count = 0;
  u64 hash = 0;
  digest.length = source.for_each_word([&](u64 word) {
    if (count == 0) digest.front[0] = word;
    if (count == 1) digest.front[1] = word;
    ++count;
    hash = hash_key(hash ^ word);
  });
  digest.hash = hash_key(hash ^ (u64{digest.length} << kWordBits)) & hash_bits;
  return digest;
}

PRESSO_DEVICE u32 bucket_of(const StringIndex& index, u64 hash) {
  return simt::multiply_high(upper_word(hash), index.buckets);
}
PRESSO_DEVICE u32 bucket_after(const StringIndex& index, u32 bucket) {
  return bucket + 1 < index.buckets ? bucket + 1 : 0;
}
PRESSO_DEVICE u64 place_word(u64 hash, u32 number) {
  return hash << kWordBits | (u64{number} + 1);
}
PRESSO_DEVICE u32 number_at(u64 place) {
  return static_cast<u32>(place) - 1;
}
/// Whether a place that is taken has a string of this hash, as far as it tells.
PRESSO_DEVICE bool may_be_at(u64 place, u64 hash) {
  return upper_word(place) == static_cast<u32>(hash);
}

/// Whether the string is the cell's. `kShared`: others put strings in meanwhile, so that what
/// caches of this multiprocessor have may be old.
template <bool kShared, class Source>
PRESSO_DEVICE bool is_cell_of(const StringIndex& index, u32 number, const StringDigest& digest,
                              const Source& source) {
  const auto read = [](const u64* from) {
    return kShared ? *static_cast<const volatile u64*>(from) : simt::load_readonly(from);
  };
  if (kShared) simt::threadfence();
  constexpr u32 kLengthWord = 3;
  const u64* const words = reinterpret_cast<const u64*>(index.cells + number);
  const u64 first = read(words);
  const u64 second = read(words + 1);
  const u64 rest_at = read(words + 2);
  const u32 length = static_cast<u32>(read(words + kLengthWord));
  if (first != digest.front[0] || second != digest.front[1] || length != digest.length) {
    return false;
  }
  if (rest_words(length) == 0) return true;
  const u64* const rest = index.rest + rest_at;
  bool is_same = true;
  u32 count = 0;
  source.for_each_word([&](u64 word) {
    if (count >= StringCell::kFrontWords && is_same) {
      is_same = read(rest + count - StringCell::kFrontWords) == word;
    }
    ++count;
  });
  return is_same;
}
static_assert(sizeof(StringCell) == 4 * kWordBytes);

/// The number of a string; kNoString: it is not there, or not seen yet.
template <bool kShared, class Source>
PRESSO_DEVICE u32 find_string(const StringIndex& index, const StringDigest& digest,
                              const Source& source) {
  u32 bucket = bucket_of(index, digest.hash);
  for (u32 round = 0; round < index.buckets; ++round) {
    const simt::Vec4* const from =
        reinterpret_cast<const simt::Vec4*>(index.places + u64{bucket} * kPlacesOfBucket);
    const simt::Vec4 low = kShared ? from[0] : simt::load_readonly(from);
    const simt::Vec4 high = kShared ? from[1] : simt::load_readonly(from + 1);
    const u64 places[kPlacesOfBucket] = {
        u64{low.y} << kWordBits | low.x, u64{low.w} << kWordBits | low.z,
        u64{high.y} << kWordBits | high.x, u64{high.w} << kWordBits | high.z};
    bool has_free = false;
    u32 candidates = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kPlacesOfBucket; ++i) {
      has_free = has_free || places[i] == 0;
      if (places[i] != 0 && may_be_at(places[i], digest.hash)) candidates |= 1u << i;
    }
    for (; candidates != 0; candidates &= candidates - 1) {
      const u32 i = simt::find_first_set(candidates) - 1;
      const u64 place = i < 2 ? (i == 0 ? places[0] : places[1]) : (i == 2 ? places[2] : places[3]);
      if (is_cell_of<kShared>(index, number_at(place), digest, source)) return number_at(place);
    }
    if (has_free) return kNoString;
    bucket = bucket_after(index, bucket);
  }
  return kNoString;
}

/// Puts in a string whose cell `number` has been written, and was seen to by a fence; returns its
/// number, which is another one if it is there.
template <class Source>
PRESSO_DEVICE u32 add_string(const StringIndex& index, const StringDigest& digest, u32 number,
                             const Source& source) {
  u32 bucket = bucket_of(index, digest.hash);
  for (u32 round = 0; round < index.buckets; ++round) {
    u64* const places = index.places + u64{bucket} * kPlacesOfBucket;
    for (u32 i = 0; i < kPlacesOfBucket; ++i) {
      u64 place = static_cast<const volatile u64*>(places)[i];
      if (place == 0) {
        place = simt::atomic_cas(places + i, u64{0}, place_word(digest.hash, number));
        if (place == 0) return number;
      }
      if (may_be_at(place, digest.hash) &&
          is_cell_of<true>(index, number_at(place), digest, source)) {
        return number_at(place);
      }
    }
    bucket = bucket_after(index, bucket);
  }
  index.state->lacks_strings = 1;
  return kNoString;
}

/// The numbers of the strings of those lanes that ask; all lanes come here together. A lane's
/// string is put in where it is not there; kNoString: there is no room for it.
template <class Source>
PRESSO_DEVICE u32 find_or_add(const StringIndex& index, bool asks, const StringDigest& digest,
                              const Source& source) {
  u32 number = asks ? find_string<true>(index, digest, source) : kNoString;
  const bool is_new = asks && number == kNoString;
  if (!simt::any(is_new)) return number;

  // Room for what is behind the front first: who has none takes no number.
  const u32 words = is_new ? rest_words(digest.length) : 0;
  u64 rest_at = 0;
  if (simt::any(words != 0)) {
    const u32 sum = simt::inclusive_sum(words);
    const u32 all = simt::shuffle(sum, kWarpSize - 1);
    u64 begin = 0;
    if (simt::lane() == 0) begin = simt::atomic_add(&index.state->words, u64{all});
    rest_at = simt::shuffle(begin, 0) + sum - words;
  }
  const bool has_words = words == 0 || rest_at + words <= index.most_words;
  if (is_new && !has_words) index.state->lacks_words = 1;
  const u32 takers = simt::ballot(is_new && has_words);
  u64 first = 0;
  if (simt::lane() == 0 && takers != 0) {
    first = simt::atomic_add(&index.state->strings, u64{simt::popcount(takers)});
  }
  first = simt::shuffle(first, 0);
  if ((takers >> simt::lane() & 1) == 0) return number;
  const u64 own = first + simt::popcount(takers & lanes_below());
  if (own >= index.most_strings) {
    index.state->lacks_strings = 1;
    return kNoString;
  }
  number = static_cast<u32>(own);
  index.cells[number] = {{digest.front[0], digest.front[1]}, rest_at, digest.length, 0};
  if (words != 0) {
    u64* const rest = index.rest + rest_at;
    u32 count = 0;
    source.for_each_word([&](u64 word) {
      if (count >= StringCell::kFrontWords) rest[count - StringCell::kFrontWords] = word;
      ++count;
    });
  }
  simt::threadfence();
  return add_string(index, digest, number, source);
}

}  // namespace presso::gpu
