// SPDX-License-Identifier: MIT
// encode_integers(): loads values as signed numbers of 32 or 64 bits (unsigned ones with the top
// bit flipped, which keeps order and differences), finds the block's divisor, then plans and writes
// one vector of 1,024 values after another. Bools and 16-byte values have functions of their own.
// Takes linear time; no vector depends on another one. Tested by tests/unit/decompress/columns.
#include "compress/columns/integer_encoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "compress/columns/alp_encoder.h"
#include "compress/columns/vector_plan.h"
#include "format/cpu_loops.h"

namespace presso {
namespace {

/// Whether the row has a value, by Arrow's validity bits.
bool is_valid_row(const Byte* validity, std::uint32_t row) {
  return validity == nullptr || (validity[row / 8] >> (row % 8) & 1) != 0;
}

/// The arguments of encode_integers(), passed around together.
struct Input {
  const Byte* values;
  IntegerParameters parameters;
  const Byte* validity;
};

/// The first row that has a value; 0 where none has.
std::uint32_t first_valid_row(const Input& input) {
  for (std::uint32_t row = 0; row < input.parameters.rows; ++row) {
    if (is_valid_row(input.validity, row)) return row;
  }
  return 0;
}

/// Appends a payload: the directory first, whose entries are set as vectors are written, then
/// words.
class PayloadWriter {
 public:
  PayloadWriter(std::uint32_t vectors, Buffer& payload)
      : payload_(payload),
        directory_(payload.size()),
        words_(directory_ + std::size_t{vectors} * kVectorEntryBytes) {
    payload_.grow(words_);
  }
  Buffer& payload() { return payload_; }
  /// Where the next vector's words will stand, in words after the directory.
  std::uint32_t offset() const {
    return static_cast<std::uint32_t>((payload_.size() - words_) / 4);
  }
  /// The entry of a vector whose words were just written.
  void set(std::uint32_t vector, const VectorEntry& entry) {
    store_vector_entry(payload_.data() + directory_ + vector * std::size_t{kVectorEntryBytes},
                       entry);
  }

 private:
  Buffer& payload_;
  std::size_t directory_;
  std::size_t words_;
};

/// Loads vectors in order. A null gets the value before it, which costs least in every kind.
template <class U>
class VectorLoader {
 public:
  explicit VectorLoader(const Input& input) : input_(input) {
    const IntegerParameters& of = input.parameters;
    if (of.width_bytes == sizeof(U) && !of.is_signed) flip_ = U{1} << (8 * sizeof(U) - 1);
  }

  void load_vector(std::uint32_t vector, VectorValues<U>& to) {
    const IntegerParameters& of = input_.parameters;
    to.n = vector_rows(of.rows, vector);
    load_rows(vector * kVectorRows, to.n, to.of);
    if (input_.validity != nullptr) fill_nulls(vector * kVectorRows, to);
  }
  /// How loaded values become stored ones.
  ImageRule images() const { return {flip_ != 0, input_.parameters.is_signed && sizeof(U) == 4}; }

 private:
  /// Unaligned loads: columns come from memory of other programs.
  template <class T>
  void load_as(std::uint32_t row, std::uint32_t n, U* to) const {
    const Byte* const from = input_.values + std::size_t{row} * sizeof(T);
    for (std::uint32_t i = 0; i < n; ++i) {
      // Narrower signed types are extended by their sign; only full unsigned ones are flipped.
      to[i] = static_cast<U>(load<T>(from + sizeof(T) * i)) ^ flip_;
    }
  }
  /// Widens narrower types to the loader's width.
  void load_rows(std::uint32_t row, std::uint32_t n, U* to) const {
    const IntegerParameters& of = input_.parameters;
    if constexpr (sizeof(U) == 8) {
      load_as<std::uint64_t>(row, n, to);
    } else if (of.width_bytes == 4) {
      load_as<std::uint32_t>(row, n, to);
    } else if (of.width_bytes == 2) {
      of.is_signed ? load_as<std::int16_t>(row, n, to) : load_as<std::uint16_t>(row, n, to);
    } else {
      of.is_signed ? load_as<std::int8_t>(row, n, to) : load_as<std::uint8_t>(row, n, to);
    }
  }
  /// Continues across vectors, so that a run of nulls costs nothing at a vector's border.
  void fill_nulls(std::uint32_t row, VectorValues<U>& to) {
    // Before the first value of the block, nulls get that value.
    U last = before_;
    if (row == 0) load_rows(first_valid_row(input_), 1, &last);
    for (std::uint32_t i = 0; i < to.n; ++i) {
      last = is_valid_row(input_.validity, row + i) ? to.of[i] : last;
      to.of[i] = last;
    }
    before_ = last;
  }

  const Input& input_;
  U flip_ = 0;
  U before_ = 0;
};

/// The inverse modulo 2^n of the divisor's odd part, by Newton's iteration: exact divisions
/// become multiplications.
template <class U>
ExactDivision<U> division_by(U divisor) {
  ExactDivision<U> division;
  division.divisor = divisor;
  // Powers of two are shifted out, since only odd numbers have an inverse.
  division.shift = static_cast<std::uint32_t>(std::countr_zero(divisor));
  const U odd = divisor >> division.shift;
  U inverse = odd;  // right in the lowest 3 bits; each step doubles how many are
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  division.inverse = inverse;
  return division;
}

/// Searches the greatest common divisor of all differences of the block, as timestamps in whole
/// seconds or prices in whole cents have one. It is mostly 1 after a few values, which ends the
/// search. It is 1, too, where differences might overflow.
template <class U>
class DivisorSearch {
 public:
  DivisorSearch(VectorLoader<U>& loader, const IntegerLoops& loops)
      : loader_(loader), loops_(loops) {}

  // Vectors are checked by the present divisor with a fast loop; only one that fails lowers it.
  U search(std::uint32_t vectors) {
    VectorValues<U> values;
    for (std::uint32_t vector = 0; vector < vectors && divisor_ != 1; ++vector) {
      loader_.load_vector(vector, values);
      if (vector == 0) origin_ = values.of[0];
      add(values);
    }
    return std::max(divisor_, U{1});
  }

 private:
  /// Lowers the divisor until it divides the vector's differences too.
  void add(const VectorValues<U>& values) {
    // 0: no two different values were seen yet.
    if (divisor_ == 0 && is_constant(values)) return;
    Divisibility found = check(values);
    if (!found.divides || divisor_ == 0) {
      lower_divisor(values);
      if (divisor_ != 1) found = check(values);
    }
    if (found.is_far) divisor_ = 1;
  }
  /// By the vectorised loop, which tells only whether all are divisible.
  Divisibility check(const VectorValues<U>& values) const {
    return loops_.of<U>().check_divisible(values.of, values.n, origin_,
                                          division_by(std::max(divisor_, U{1})));
  }
  /// Whether all values equal the block's first one: they say nothing as long as no divisor is
  /// known.
  bool is_constant(const VectorValues<U>& values) const {
    U different = 0;
    for (std::uint32_t i = 0; i < values.n; ++i) different |= values.of[i] ^ origin_;
    return different == 0;
  }
  /// Euclid's algorithm with each difference; seldom needed, as divisors settle after few
  /// values.
  void lower_divisor(const VectorValues<U>& values) {
    for (std::uint32_t i = 0; i < values.n && divisor_ != 1; ++i) {
      const U difference = static_cast<U>(values.of[i] - origin_);
      const bool is_negative = static_cast<std::make_signed_t<U>>(difference) < 0;
      divisor_ = std::gcd(divisor_, is_negative ? U{0} - difference : difference);
    }
  }

  VectorLoader<U>& loader_;
  const IntegerLoops& loops_;
  U origin_ = 0;
  U divisor_ = 0;
};

/// Floating types have no divisor.
template <class U>
U divisor_of(const Input& input, const IntegerLoops& loops) {
  if (input.parameters.floating) return 1;
  VectorLoader<U> loader(input);
  return DivisorSearch<U>(loader, loops).search(vectors_of(input.parameters.rows));
}

/// At most 256 values spread over the block, without nulls.
std::vector<double> sample_of(const Input& input) {
  constexpr std::uint32_t kSample = 256;
  // Evenly spread over the block, so that a change in the middle shows.
  const std::uint32_t step = std::max(input.parameters.rows / kSample, 1u);
  std::vector<double> sample;
  for (std::uint32_t row = 0; row < input.parameters.rows && sample.size() < kSample; row += step) {
    if (!is_valid_row(input.validity, row)) continue;
    sample.push_back(load<double>(input.values + std::size_t{row} * sizeof(double)));
  }
  if (sample.empty()) sample.push_back(0);
  return sample;
}

/// The main loop: load, plan, write. Doubles try ALP first if the sample says that it gains.
template <class U>
void encode_values(const Input& input, U divisor, const IntegerLoops& loops, Buffer& payload) {
  constexpr U kFlip = U{1} << (8 * sizeof(U) - 1);
  // Floats of 4 bytes are packed as integers only.
  const bool is_double = sizeof(U) == 8 && input.parameters.floating;
  const ExactDivision<U> division = division_by(divisor);
  const std::uint32_t vectors = vectors_of(input.parameters.rows);
  DoublesChoice doubles;
  if (is_double) doubles = choose_for_doubles(sample_of(input), loops);
  PayloadWriter writer(vectors, payload);
  VectorLoader<U> loader(input);
  VectorValues<U> values;
  for (std::uint32_t vector = 0; vector < vectors; ++vector) {
    loader.load_vector(vector, values);
    // The best kind for integers; doubles must beat its size.
    const VectorPlan<U> plan = plan_vector(values, division, loops);
    VectorEntry entry;
    entry.word_offset = writer.offset();
    bool is_written = false;
    if constexpr (sizeof(U) == 8) {
      if (is_double) {
        std::array<std::uint64_t, kVectorRows> bits;
        // Takes back what the loader has flipped.
        for (std::uint32_t i = 0; i < values.n; ++i) bits[i] = values.of[i] ^ kFlip;
        const std::uint32_t offset = entry.word_offset;
        is_written = append_doubles(bits.data(), values.n, doubles, plan.words, loops, entry,
                                    writer.payload());
        entry.word_offset = offset;
      }
    }
    if (!is_written) {
      append_vector(values, plan, division, loader.images(), loops, entry, writer.payload());
    }
    writer.set(vector, entry);
  }
}

/// How one 64-bit half of 16-byte values is packed: the base that is subtracted, and the bits that
/// are left.
struct HalfPlan {
  std::uint64_t base = 0;
  std::uint32_t width = 0;
};
/// Takes the values as signed or as unsigned numbers, whichever gives fewer bits.
HalfPlan plan_half(const std::uint64_t* values, std::uint32_t n) {
  const auto [least, greatest] = std::minmax_element(values, values + n);
  // Least and greatest as signed numbers.
  const auto [low, high] = std::minmax_element(values, values + n, [](auto a, auto b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  });
  const std::uint32_t width = bits_of(*greatest - *least);
  const std::uint32_t signed_width = bits_of(*high - *low);
  return width <= signed_width ? HalfPlan{*least, width} : HalfPlan{*low, signed_width};
}

/// Packs one half, which has neither a divisor nor exceptions.
void append_half(const std::uint64_t* values, std::uint32_t n, const HalfPlan& plan,
                 const IntegerLoops& loops, Buffer& to) {
  std::array<std::uint32_t, kVectorRows> low;
  std::array<std::uint32_t, kVectorRows> high;
  loops.wide.quotients(values, n, {0, plan.base, ~std::uint64_t{0}, {}}, low.data(), high.data());
  append_packed(low.data(), n, std::min(plan.width, 32u), loops, to);
  if (plan.width > 32) append_packed(high.data(), n, plan.width - 32, loops, to);
}

/// 16-byte values: both halves are planned and packed apart.
void encode_pairs(const Input& input, const IntegerLoops& loops, Buffer& payload) {
  const std::uint32_t rows = input.parameters.rows;
  PayloadWriter writer(vectors_of(rows), payload);
  std::uint32_t last = first_valid_row(input);
  std::array<std::uint64_t, kVectorRows> low;
  std::array<std::uint64_t, kVectorRows> high;
  for (std::uint32_t vector = 0; vector < vectors_of(rows); ++vector) {
    const std::uint32_t n = vector_rows(rows, vector);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = vector * kVectorRows + i;
      if (is_valid_row(input.validity, row)) last = row;
      low[i] = load<std::uint64_t>(input.values + std::size_t{last} * 16);
      high[i] = load<std::uint64_t>(input.values + std::size_t{last} * 16 + 8);
    }
    const HalfPlan low_plan = plan_half(low.data(), n);
    const HalfPlan high_plan = plan_half(high.data(), n);
    VectorEntry entry;
    entry.word_offset = writer.offset();
    entry.kind = static_cast<Byte>(IntegerKind::kPair);
    entry.width = static_cast<Byte>(low_plan.width);
    entry.width2 = static_cast<Byte>(high_plan.width);
    entry.base = low_plan.base;
    append_words(writer.payload(), high_plan.base);
    append_half(low.data(), n, low_plan, loops, writer.payload());
    append_half(high.data(), n, high_plan, loops, writer.payload());
    writer.set(vector, entry);
  }
}

using BoolWords = std::array<std::uint32_t, kVectorRows / 32>;

/// Loads the bits of a vector and counts the ones; nulls get the bit before them.
std::uint32_t load_bools(const Input& input, std::uint32_t vector, bool& last, BoolWords& to) {
  const std::uint32_t n = vector_rows(input.parameters.rows, vector);
  const Byte* const bits = input.values + std::size_t{vector} * (kVectorRows / 8);
  to = {};
  std::memcpy(to.data(), bits, (n + 7) / 8);
  if (n % 32 != 0) to[n / 32] &= (1u << (n % 32)) - 1;
  if (input.validity != nullptr) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t bit = 1u << (i % 32);
      const bool is_valid = is_valid_row(input.validity, vector * kVectorRows + i);
      last = is_valid ? (to[i / 32] & bit) != 0 : last;
      to[i / 32] = last ? to[i / 32] | bit : to[i / 32] & ~bit;
    }
  }
  std::uint32_t ones = 0;
  for (const std::uint32_t word : to) ones += static_cast<std::uint32_t>(std::popcount(word));
  return ones;
}

/// A vector of nearly equal bools: the rare ones are listed as exceptions of kind 0.
void append_rare_bools(const BoolWords& bits, bool common, std::uint32_t n, std::uint32_t rare,
                       Buffer& to) {
  std::array<std::uint16_t, kMaxExceptions + 1> rows{};
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    if ((bits[i / 32] >> (i % 32) & 1) != (common ? 1u : 0u)) {
      rows[count++] = static_cast<std::uint16_t>(i);
    }
  }
  to.append({reinterpret_cast<const Byte*>(rows.data()), 4 * exception_row_words(rare)});
  for (std::uint32_t i = 0; i < rare; ++i) append_words(to, common ? 0 : 1);
}

/// A vector of bools is stored as exceptions if that is smaller than its bits.
void encode_bools(const Input& input, Buffer& payload) {
  const std::uint32_t rows = input.parameters.rows;
  PayloadWriter writer(vectors_of(rows), payload);
  const std::uint32_t first = first_valid_row(input);
  bool last = (input.values[first / 8] >> (first % 8) & 1) != 0;
  BoolWords bits;
  for (std::uint32_t vector = 0; vector < vectors_of(rows); ++vector) {
    const std::uint32_t n = vector_rows(rows, vector);
    const std::uint32_t ones = load_bools(input, vector, last, bits);
    // The value that most rows have; the others are listed.
    const bool common = 2 * ones > n;
    const std::uint32_t rare = common ? n - ones : ones;
    const std::uint32_t words = (n + 31) / 32;
    VectorEntry entry;
    entry.word_offset = writer.offset();
    if (exception_words(IntegerKind::kPacked, rare) <= words) {
      entry.base = common ? 1 : 0;
      entry.exceptions = static_cast<Byte>(rare);
      append_rare_bools(bits, common, n, rare, writer.payload());
    } else {
      entry.kind = static_cast<Byte>(IntegerKind::kBitmap);
      writer.payload().append({reinterpret_cast<const Byte*>(bits.data()), 4 * words});
    }
    writer.set(vector, entry);
  }
}

/// Encodes integers and doubles of up to 8 bytes; returns the divisor, for the block's header.
template <class U>
std::uint64_t encode_with_divisor(const Input& input, const IntegerLoops& loops, Buffer& payload) {
  const U divisor = divisor_of<U>(input, loops);
  encode_values<U>(input, divisor, loops, payload);
  return divisor;
}

}  // namespace

// The width decides how: as bits, as pairs of 64 bits, or by loops over 32 or 64 bits.
IntegerParameters encode_integers(const Byte* values, Byte width_bytes, bool is_signed,
                                  bool floating, std::uint32_t rows, const Byte* validity,
                                  Buffer& payload, CpuLevel level) {
  const auto& loops = loops_for<IntegerLoops>(level);
  Input input{values, {width_bytes, is_signed && !floating, floating, rows, 1}, validity};
  IntegerParameters result = input.parameters;
  if (width_bytes == 0) {
    encode_bools(input, payload);
  } else if (width_bytes == 16) {
    encode_pairs(input, loops, payload);
  } else if (width_bytes == 8) {
    result.divisor = encode_with_divisor<std::uint64_t>(input, loops, payload);
  } else {
    result.divisor = encode_with_divisor<std::uint32_t>(input, loops, payload);
  }
  return result;
}

}  // namespace presso
