// SPDX-License-Identifier: MIT
// Finds strings in a StringIndex, and inserts them. Strings come as words of 64 bits, one after
// another, from a *source*, however they are stored:
//
//     source.length()              in bytes, once all words have been taken
//     source.for_each_word(sink)   calls sink(word); the last word is padded with zeros
//
// A thread that inserts a string first writes its cell and then claims a place for it by
// compare-and-swap: a place that is taken therefore has a cell that can be read, and no thread
// waits for another. Places of a bucket are taken in order and never given back; a place that was
// read as free may be taken meanwhile, which the claim detects. If two threads insert the same
// string, one finds the other's, and its own number stays unused. Tests:
// tests/queries/strings.txt.
#pragma once

#include "decompress/columns/gpu/lane_values.cuh"
#include "query/gpu/join/key_hash.cuh"
#include "query/gpu/kernels/string_index.h"

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

/// What of a cell tells whether it is a string's, but for what is behind the front.
struct CellHead {
  u64 front[StringCell::kFrontWords] = {};
  u64 rest_at = 0;
  u32 length = 0;

  PRESSO_DEVICE bool is_of(const StringDigest& digest) const {
    return front[0] == digest.front[0] && front[1] == digest.front[1] && length == digest.length;
  }
};

/// `kShared`: others put strings in meanwhile, so that what caches of this multiprocessor have may
/// be old.
template <bool kShared>
PRESSO_DEVICE u64 load_word(const u64* from) {
  return kShared ? *static_cast<const volatile u64*>(from) : simt::load_readonly(from);
}

/// Others' cells are behind a fence.
template <bool kShared>
PRESSO_DEVICE CellHead load_cell(const StringIndex& index, u32 number) {
  constexpr u32 kLengthWord = 3;
  const u64* const words = reinterpret_cast<const u64*>(index.cells + number);
  return {{load_word<kShared>(words), load_word<kShared>(words + 1)},
          load_word<kShared>(words + 2),
          static_cast<u32>(load_word<kShared>(words + kLengthWord))};
}
static_assert(sizeof(StringCell) == 4 * kWordBytes);

/// Whether the string is the cell's.
template <bool kShared, class Source>
PRESSO_DEVICE bool is_cell_of(const StringIndex& index, u32 number, const StringDigest& digest,
                              const Source& source) {
  if (kShared) simt::threadfence();
  const CellHead cell = load_cell<kShared>(index, number);
  if (!cell.is_of(digest)) return false;
  if (rest_words(cell.length) == 0) return true;
  const u64* const rest = index.rest + cell.rest_at;
  bool is_same = true;
  u32 count = 0;
  source.for_each_word([&](u64 word) {
    if (count >= StringCell::kFrontWords && is_same) {
      is_same = load_word<kShared>(rest + count - StringCell::kFrontWords) == word;
    }
    ++count;
  });
  return is_same;
}

/// Of places, in registers.
struct Bucket {
  u64 places[kPlacesOfBucket] = {};

  /// kPlacesOfBucket: none is.
  PRESSO_DEVICE u32 first_free() const {
    u32 first = kPlacesOfBucket;
    PRESSO_UNROLL
    for (u32 i = kPlacesOfBucket; i-- > 0;) {
      if (places[i] == 0) first = i;
    }
    return first;
  }
  /// Bits of places that may be of a string of this hash.
  PRESSO_DEVICE u32 candidates(u64 hash) const {
    u32 bits = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kPlacesOfBucket; ++i) {
      if (places[i] != 0 && may_be_at(places[i], hash)) bits |= 1u << i;
    }
    return bits;
  }
  PRESSO_DEVICE u64 place(u32 i) const {
    return i < 2 ? (i == 0 ? places[0] : places[1]) : (i == 2 ? places[2] : places[3]);
  }
};
static_assert(kPlacesOfBucket == 4);

/// `kShared`: places that seem to be free may be taken by now.
template <bool kShared>
PRESSO_DEVICE Bucket load_bucket(const StringIndex& index, u32 bucket) {
  const simt::Vec4* const from =
      reinterpret_cast<const simt::Vec4*>(index.places + u64{bucket} * kPlacesOfBucket);
  const simt::Vec4 low = kShared ? from[0] : simt::load_readonly(from);
  const simt::Vec4 high = kShared ? from[1] : simt::load_readonly(from + 1);
  return {{u64{low.y} << kWordBits | low.x, u64{low.w} << kWordBits | low.z,
           u64{high.y} << kWordBits | high.x, u64{high.w} << kWordBits | high.z}};
}

/// The number of a string; kNoString: it is not there, or not seen yet.
template <bool kShared, class Source>
PRESSO_DEVICE u32 find_string(const StringIndex& index, const StringDigest& digest,
                              const Source& source) {
  u32 at = bucket_of(index, digest.hash);
  for (u32 round = 0; round < index.buckets; ++round) {
    const Bucket bucket = load_bucket<kShared>(index, at);
    u32 candidates = bucket.candidates(digest.hash);
    for (; candidates != 0; candidates &= candidates - 1) {
      const u64 place = bucket.place(simt::find_first_set(candidates) - 1);
      if (is_cell_of<kShared>(index, number_at(place), digest, source)) return number_at(place);
    }
    if (bucket.first_free() != kPlacesOfBucket) return kNoString;
    at = bucket_after(index, at);
  }
  return kNoString;
}

/// Writes what is behind the front of a string, whose cell says where it belongs.
template <class Source>
PRESSO_DEVICE void copy_rest(const StringIndex& index, u32 number, const Source& source) {
  u64* const rest = index.rest + index.cells[number].rest_at;
  u32 count = 0;
  source.for_each_word([&](u64 word) {
    if (count >= StringCell::kFrontWords) rest[count - StringCell::kFrontWords] = word;
    ++count;
  });
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

/// A string that a lane looks for.
struct SoughtString {
  bool asks = false;
  StringDigest digest;
  u32 number = kNoString;
  /// Of its first bucket, the first free one; kPlacesOfBucket: there is none, or nobody looked.
  u32 free_place = kPlacesOfBucket;
};

/// Calls `work(digest, number, source)`, which returns the string's number, for those of `which`.
/// Few strings come here, so what is known of them is worked out again, and takes no registers
/// before.
template <u32 kCount, class Sources, class Work>
PRESSO_DEVICE void for_each_of(u32 which, const StringIndex& index, SoughtString (&sought)[kCount],
                               const Sources& source_of, const Work& work) {
  for (; which != 0; which &= which - 1) {
    const u32 i = simt::find_first_set(which) - 1;
    const auto source = source_of(i);
    u32 number = sought[0].number;
    PRESSO_UNROLL
    for (u32 k = 1; k < kCount; ++k) {
      if (k == i) number = sought[k].number;
    }
    number = work(digest_of(source, index.hash_bits), number, source);
    PRESSO_UNROLL
    for (u32 k = 0; k < kCount; ++k) {
      if (k == i) sought[k].number = number;
    }
  }
}

/// The numbers of those that are asked for. `source_of(i)` is the source of the lane's string `i`.
/// All lanes come here together.
template <bool kShared, u32 kCount, class Sources>
PRESSO_DEVICE void find_strings(const StringIndex& index, SoughtString (&sought)[kCount],
                                const Sources& source_of) {
  if constexpr (kCount == 1) {
    if (!sought[0].asks) return;
    sought[0].number = find_string<kShared>(index, sought[0].digest, source_of(0));
    return;
  }
  Bucket buckets[kCount];
  PRESSO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    if (!sought[i].asks) continue;
    buckets[i] = load_bucket<kShared>(index, bucket_of(index, sought[i].digest.hash));
  }
  u32 open = 0;  // those that have to be looked for again
  bool has_candidate = false;
  PRESSO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    if (!sought[i].asks) continue;
    sought[i].free_place = buckets[i].first_free();
    const u32 candidates = buckets[i].candidates(sought[i].digest.hash);
    if (candidates != 0) {
      sought[i].number = number_at(buckets[i].place(simt::find_first_set(candidates) - 1));
      has_candidate = true;
    } else if (sought[i].free_place == kPlacesOfBucket) {
      open |= 1u << i;
    }
  }
  if (kShared && simt::any(has_candidate)) simt::threadfence();
  CellHead cells[kCount];
  PRESSO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    if (sought[i].number != kNoString) cells[i] = load_cell<kShared>(index, sought[i].number);
  }
  PRESSO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    if (sought[i].number == kNoString) continue;
    if (!cells[i].is_of(sought[i].digest) || rest_words(cells[i].length) != 0) open |= 1u << i;
  }
  for_each_of(open, index, sought, source_of,
              [&index](const StringDigest& digest, u32, const auto& source) {
                return find_string<kShared>(index, digest, source);
              });
}

/// Numbers for a lane's strings, of which there are `count`, one after another: the first one. All
/// lanes come here together.
PRESSO_DEVICE u64 take_numbers(const StringIndex& index, u32 count) {
  const u32 sum = simt::inclusive_sum(count);
  const u32 all = simt::shuffle(sum, kWarpSize - 1);
  u64 first = 0;
  if (simt::lane() == 0 && all != 0) first = simt::atomic_add(&index.state->strings, u64{all});
  return simt::shuffle(first, 0) + sum - count;
}

/// The numbers of those that are asked for; a string that is not there takes one and writes its
/// cell, and is in the table when it has been claimed. Returns which have. The lane's strings are
/// those of `first_row` and the rows behind it. kNoString: there is no room for it. All lanes come
/// here together.
template <u32 kCount, class Sources>
PRESSO_DEVICE u32 find_or_write_strings(const StringIndex& index, SoughtString (&sought)[kCount],
                                        u32 first_row, const Sources& source_of) {
  find_strings<true>(index, sought, source_of);
  u32 fresh = 0;
  u32 words = 0;
  PRESSO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    if (!sought[i].asks || sought[i].number != kNoString) continue;
    fresh |= 1u << i;
    words += rest_words(sought[i].digest.length);
  }
  if (!simt::any(fresh != 0)) return 0;

  // Room for what is behind the fronts first: who has none takes no numbers.
  u64 rest_at = 0;
  if (simt::any(words != 0)) {
    const u32 sum = simt::inclusive_sum(words);
    const u32 all = simt::shuffle(sum, kWarpSize - 1);
    u64 begin = 0;
    if (simt::lane() == 0) begin = simt::atomic_add(&index.state->words, u64{all});
    rest_at = simt::shuffle(begin, 0) + sum - words;
  }
  if (words != 0 && rest_at + words > index.most_words) {
    index.state->lacks_words = 1;
    fresh = 0;
  }
  u64 own = 0;
  if (!index.by_rows) {
    const u32 count = simt::popcount(fresh);
    own = take_numbers(index, count);
    if (own + count > index.most_strings) {
      index.state->lacks_strings = 1;
      fresh = 0;
    }
  }
  PRESSO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    if ((fresh >> i & 1) == 0) continue;
    const StringDigest& digest = sought[i].digest;
    sought[i].number = index.by_rows ? first_row + i : static_cast<u32>(own++);
    index.cells[sought[i].number] = {{digest.front[0], digest.front[1]}, rest_at, digest.length, 0};
    rest_at += rest_words(digest.length);
  }
  if (words != 0) {
    for_each_of(fresh, index, sought, source_of,
                [&index](const StringDigest&, u32 number, const auto& source) {
                  copy_rest(index, number, source);
                  return number;
                });
  }
  return fresh;
}

/// Puts in those strings of a lane that have written their cells; where another lane has put the
/// same string in, its number is this one's, too. `which`: as find_or_write_strings() says.
template <u32 kCount, class Sources>
PRESSO_DEVICE void claim_strings(const StringIndex& index, u32 which,
                                 SoughtString (&sought)[kCount], const Sources& source_of) {
  if (!simt::any(which != 0)) return;
  simt::threadfence();
  u32 open = 0;
  u64 seen[kCount] = {};
  PRESSO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    if ((which >> i & 1) == 0) continue;
    seen[i] = ~u64{0};
    if (sought[i].free_place == kPlacesOfBucket) continue;
    const u64 hash = sought[i].digest.hash;
    u64* const place =
        index.places + u64{bucket_of(index, hash)} * kPlacesOfBucket + sought[i].free_place;
    seen[i] = simt::atomic_cas(place, u64{0}, place_word(hash, sought[i].number));
  }
  PRESSO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    if (seen[i] != 0) open |= 1u << i;
  }
  for_each_of(open, index, sought, source_of,
              [&index](const StringDigest& digest, u32 number, const auto& source) {
                return add_string(index, digest, number, source);
              });
}

}  // namespace presso::gpu
