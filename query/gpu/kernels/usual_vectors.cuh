// SPDX-License-Identifier: MIT
// Finds the vectors of columns that have the form which generated code reads (ColumnForm), and, for
// tables that stay in device memory, packs all others in that form: differences, runs, exceptions,
// other widths and divisors, values as they lie in memory. Queries then need no second kernel for
// them. Cost: a vector that is packed anew is decoded twice; the copy takes device memory beside
// what is stored. Tests: tests/simt/usual_vectors_test.cpp.
#pragma once

#include "query/gpu/join/warp_range.cuh"
#include "query/gpu/kernels/decode_others.cuh"
#include "query/gpu/kernels/packed_range.cuh"
#include "query/gpu/kernels/usual_vectors.h"

namespace presso::gpu {

// --- finding

/// Whether a vector has one packed number for each row, and no exceptions (FORMAT.md 16.2).
PRESSO_DEVICE bool is_simply_packed(const VectorEntry& entry) {
  return static_cast<IntegerKind>(entry.kind) == IntegerKind::kPacked && entry.exceptions == 0;
}

/// The bits of a vector's rows that are not null; nullptr: they are stored otherwise.
PRESSO_DEVICE const u32* find_bits(const u32* words, u32 vectors, u32 vector,
                                   const SameRows& same) {
  const VectorEntry entry = load_entry(reinterpret_cast<const Byte*>(words), vector);
  if (is_simply_packed(entry)) return (entry.base & 1) != 0 ? same.ones() : same.zeros;
  const bool is_bitmap = static_cast<IntegerKind>(entry.kind) == IntegerKind::kBitmap;
  return is_bitmap ? words + vectors * kEntryWords + entry.word_offset : nullptr;
}

PRESSO_DEVICE PackedPlace find_numbers(const TableBlock& block, u32 vector, const ColumnForm& form,
                                       const SameRows& same) {
  const VectorEntry entry = load_entry(reinterpret_cast<const Byte*>(block.words), vector);
  if (!is_simply_packed(entry)) return {};
  const u64 base = widened(entry.base, block.width_bytes, block.is_signed);
  if (entry.width == 0) return {base, same.zeros};
  if (entry.width != form.width || block.divisor != form.divisor) return {};
  if (!stays_within(block.width_bytes, block.is_signed, base, form.divisor, form.width)) return {};
  return {base, block.words + directory_words(block) + entry.word_offset};
}

PRESSO_DEVICE PackedPlace find_values(const TableBlock& block, u32 vector, const ColumnForm& form,
                                      const SameRows& same) {
  const bool is_elsewhere = !form.is_read || form.real_bytes != 0;  // open_real() looks there
  if (is_elsewhere || block.words == nullptr || block.is_unread) return {0, same.zeros};
  if (block.places != nullptr) return block.places[vector];
  return block.is_plain || block.floating ? PackedPlace() : find_numbers(block, vector, form, same);
}

/// Where the bits of a vector's rows that are not null are; nullptr: all rows are such. False: they
/// are stored otherwise.
PRESSO_DEVICE bool find_valid(const TableBlock& block, u32 vector, const SameRows& same,
                              const u32*& bits) {
  bits = nullptr;
  if (block.words == nullptr) {
    bits = same.zeros;
  } else if (block.valid_places != nullptr) {
    bits = block.valid_places[vector];
  } else if (block.validity != nullptr && block.is_plain_validity) {
    bits = block.validity + vector * kVectorSteps;
  } else if (block.validity != nullptr) {
    bits = find_bits(block.validity, vectors_of(block.rows), vector, same);
    return bits != nullptr;
  }
  return true;
}

/// Threads to data: a thread takes one column of one vector after another.
PRESSO_DEVICE void find_vectors_body(const VectorFinding& of) {
  const u64 of_column = u64{of.table.slice_count} * of.slice_vectors;
  const u64 all = of_column * of.column_count;
  const u64 threads = u64{simt::grid_blocks()} * simt::block_threads();
  const u64 thread = u64{simt::block_index()} * simt::block_threads() + simt::thread_in_block();
  for (u64 i = thread; i < SameRows::kWords; i += threads) {
    of.same.zeros[i] = i < SameRows::kZeros ? 0 : ~u32{0};
  }
  for (u64 i = thread; i < all; i += threads) {
    const u32 column = static_cast<u32>(i / of_column);
    const u32 in_column = static_cast<u32>(i % of_column);
    const u32 slice = in_column / of.slice_vectors;
    const u32 vector = in_column % of.slice_vectors;
    const TableBlock& block = of.table.blocks[i / of.slice_vectors];
    if (vector >= vectors_of(block.rows)) continue;
    const ColumnForm& form = of.columns[column];
    PackedPlace place = find_values(block, vector, form, of.same);
    const bool has_values = place.words != nullptr;
    bool has_bits = true;
    if (of.valid != nullptr) {
      const u32* bits = nullptr;
      if (form.reads_nulls) has_bits = find_valid(block, vector, of.same, bits);
      of.valid[i] = bits;
      if (!has_bits) place.words = nullptr;
    }
    of.places[i] = place;
    if ((has_values && has_bits) || of.listed == nullptr) continue;
    of.listed[simt::atomic_add(&of.odd->listed, 1)] = slice * kSliceVectors + vector;
    if (!has_values) simt::atomic_add(&of.odd->of_values, 1);
    if (!has_bits) simt::atomic_add(&of.odd->of_bits, 1);
  }
}

// --- packing

inline constexpr u32 kPackingWarps = 2;

/// A warp's shared memory.
struct PackingSpace {
  DecodeSpace decoding;
  u64 values[kVectorRows];
};

/// The images of a vector's least and greatest value (FORMAT.md 15.4).
struct VectorEnds {
  u64 least = ~u64{0};
  u64 most = 0;
};

/// The image (FORMAT.md 15.4) of a decoded integer. `value`: its bits, of the width of the block.
PRESSO_DEVICE u64 image_of(u64 value, const TableBlock& block) {
  const u64 wide = widened(value, block.width_bytes, block.is_signed);
  return block.is_signed ? wide ^ kImageTopBit : wide;
}

/// Decodes a vector of numbers to space.values, by the warp; rows that there are not get the least
/// value's image.
PRESSO_DEVICE VectorEnds decode_images(const TableBlock& block, const VectorPlace& at,
                                       PackingSpace& space) {
  VectorEnds ends;
  decode_vector(block, at, space.decoding, [&](u32 step, u64 value) {
    const u32 row = step * kWarpSize + simt::lane();
    if (row >= at.rows) return;
    const u64 image = image_of(value, block);
    space.values[row] = image;
    ends.least = ends.least < image ? ends.least : image;
    ends.most = ends.most > image ? ends.most : image;
  });
  reduce_range(ends.least, ends.most);
  for (u32 row = at.rows + simt::lane(); row < kVectorRows; row += kWarpSize) {
    space.values[row] = ends.least;
  }
  simt::warp_sync();
  return ends;
}

/// Bits that the numbers of a vector need, whose values stand in space.values. By the warp.
PRESSO_DEVICE Byte width_of_numbers(const VectorEnds& ends, u64 divisor,
                                    const PackingSpace& space) {
  bool divides = true;
  for (u32 row = simt::lane(); divisor != 1 && row < kVectorRows; row += kWarpSize) {
    divides = divides && (space.values[row] - ends.least) % divisor == 0;
  }
  if (!simt::all(divides)) return VectorPacking::kNoWidth;
  const u64 most = (ends.most - ends.least) / divisor;
  const u32 high = static_cast<u32>(most >> kWordBits);
  const u32 word = high != 0 ? high : static_cast<u32>(most);
  const u32 bits = word == 0 ? 0 : kWordBits - simt::count_leading_zeros(word);
  return static_cast<Byte>(high != 0 ? bits + kWordBits : bits);
}

/// Writes VectorPacking::widths. Threads to data: a warp takes one vector after another.
PRESSO_DEVICE void measure_vectors_body(const VectorPacking& of) {
  const u32 warp = uniform_warp();
  auto& space = reinterpret_cast<PackingSpace*>(simt::shared_memory())[warp];
  const u32 all = of.table.slice_count * kSliceVectors;
  for (u32 i = simt::block_index() * kPackingWarps + warp; i < all;
       i += simt::grid_blocks() * kPackingWarps) {
    const TableBlock& block = of.table.blocks[i / kSliceVectors];
    const u32 vector = i % kSliceVectors;
    if (vector >= vectors_of(block.rows) || block.words == nullptr) continue;
    const VectorPlace at{i / kSliceVectors, vector, vector_rows(block.rows, vector)};
    const VectorEnds ends = decode_images(block, at, space);
    const Byte width = width_of_numbers(ends, of.form.divisor, space);
    if (simt::lane() == 0) of.widths[i] = width;
    simt::warp_sync();
  }
}

/// Packs the lane's part of 1,024 numbers, `width` bits each (1 to 32), by lanes (FORMAT.md 16.1).
template <class Number>
PRESSO_DEVICE void pack_lane(u32* to, u32 width, const Number& number) {
  u64 pending = 0;
  u32 bits = 0;
  for (u32 step = 0; step < kVectorSteps; ++step) {
    pending |= u64{number(step)} << bits;
    bits += width;
    if (bits < kWordBits) continue;
    to[simt::lane()] = static_cast<u32>(pending);
    to += kLanes;
    pending >>= kWordBits;
    bits -= kWordBits;
  }
}

/// Packs a vector of numbers, by the warp; returns its base. Above 32 bits the low halves come
/// first, then the rest.
PRESSO_DEVICE u64 pack_numbers(const TableBlock& block, const VectorPlace& at,
                               const VectorPacking& of, u32* to, PackingSpace& space) {
  const VectorEnds ends = decode_images(block, at, space);
  const auto number = [&](u32 step) {
    const u64 above = space.values[step * kWarpSize + simt::lane()] - ends.least;
    return of.form.divisor == 1 ? above : above / of.form.divisor;
  };
  const u32 width = of.form.width;
  if (width <= kWordBits) {
    pack_lane(to, width, [&](u32 step) { return static_cast<u32>(number(step)); });
  } else {
    const u32 steps = steps_of(at.rows);
    for (u32 step = 0; step < steps; ++step) {
      to[step * kLanes + simt::lane()] = static_cast<u32>(number(step));
    }
    pack_lane(to + steps * kLanes, width - kWordBits,
              [&](u32 step) { return static_cast<u32>(number(step) >> kWordBits); });
  }
  simt::warp_sync();
  return block.is_signed ? ends.least ^ kImageTopBit : ends.least;
}

/// The next number of a counter; by the warp.
PRESSO_DEVICE u32 take_place(u32* counter) {
  u32 number = 0;
  if (simt::lane() == 0) number = simt::atomic_add(counter, 1);
  return simt::shuffle(number, 0);
}

/// Packs the listed vectors that fit into the form, and says where they are. Threads to data: a
/// warp takes one vector after another.
PRESSO_DEVICE void pack_vectors_body(const VectorPacking& of) {
  const u32 warp = uniform_warp();
  auto& space = reinterpret_cast<PackingSpace*>(simt::shared_memory())[warp];
  for (u32 i = simt::block_index() * kPackingWarps + warp; i < of.count;
       i += simt::grid_blocks() * kPackingWarps) {
    const u32 number = of.listed[i];
    const TableBlock& block = of.table.blocks[number / kSliceVectors];
    const u32 vector = number % kSliceVectors;
    const VectorPlace at{number / kSliceVectors, vector, vector_rows(block.rows, vector)};
    PackedPlace place = find_values(block, vector, of.form, of.same);
    if (place.words == nullptr && of.widths[number] <= of.form.width) {
      u32* const to = of.room + u64{take_place(&of.taken->of_values)} * of.vector_words();
      place.words = of.form.width == 0 ? of.same.zeros : to;
      place.base = pack_numbers(block, at, of, to, space);
    }
    const u32* bits = nullptr;
    if (of.valid != nullptr && !find_valid(block, vector, of.same, bits)) {
      u32* const to = of.bit_room + take_place(&of.taken->of_bits) * kLanes;
      to[simt::lane()] = valid_bits(block, vector, at.rows, space.decoding.staging);
      bits = to;
    }
    simt::warp_sync();
    if (simt::lane() != 0) continue;
    of.places[number] = place;
    if (of.valid != nullptr) of.valid[number] = bits;
  }
}

}  // namespace presso::gpu
