// SPDX-License-Identifier: MIT
// Implements key_coder.h, which packs the keys of a row into one value. Packing costs a
// subtraction, a multiplication and an addition for each key and row, in vector code; unpacking
// divides, but only once for each group. In the form kBytes everything of fixed size is at a fixed
// place, and so are the sizes of strings, so that one column can be read without the others.
//
// The order of digits: the first key is the least significant digit of the first word, and a key
// goes to the second word only if it does not fit into the first.
#include "query/group/key_coder.h"

#include <algorithm>
#include <cmath>

#include "format/cpu_loops.h"
#include "query/values/loops.h"
#include "query/values/real_key.h"

namespace presso::query::grouping {
namespace {

constexpr Uint128 kWordRange = Uint128{1} << 64;
/// The code of a null double: a NaN pattern that real_key() never returns.
constexpr std::uint64_t kNullDouble = kNanKey + 1;

/// Whether bounds of an integer key are known.
bool has_range(const KeySpec& key) {
  return key.physical == Physical::kInt64 && key.least <= key.most;
}

std::uint64_t least_of(const KeySpec& key) {
  return has_range(key) ? static_cast<std::uint64_t>(key.least) : 0;
}

/// The number of different values of a key that is not null; 0 if it cannot be a digit.
Uint128 values_of(const KeySpec& key) {
  switch (key.physical) {
    case Physical::kBool:
      return 2;
    case Physical::kInt64:
      if (!has_range(key)) return kWordRange;
      return Uint128{static_cast<std::uint64_t>(key.most) - static_cast<std::uint64_t>(key.least)} +
             1;
    case Physical::kDouble:
      return kWordRange;
    default:
      return 0;
  }
}

/// Stores (for a word's first digit) or adds digit_of(i) * stride for each row.
template <class DigitOf>
void put_digits(std::uint64_t* to, std::uint32_t rows, std::uint64_t stride, bool first,
                DigitOf&& digit_of) {
  if (first) {
    for (std::uint32_t i = 0; i < rows; ++i) to[i] = digit_of(i);
  } else {
    for (std::uint32_t i = 0; i < rows; ++i) to[i] += digit_of(i) * stride;
  }
}

}  // namespace

KeyCoder::KeyCoder(std::vector<KeySpec> keys) : keys_(std::move(keys)) {
  if (assign_digits()) {
    form_ = used_[1] == 1 ? Form::kWord : Form::kPair;
    range_ = used_[0];
    return;
  }
  fixed_bytes_ = (keys_.size() + 7) / 8;
  for (const KeySpec& key : keys_) {
    place_.push_back(fixed_bytes_);
    fixed_bytes_ += key.physical == Physical::kString ? 8 : physical_bytes(key.physical);
  }
}

/// A nullable integer without a range uses all 2^64 values of a word, so its null is a digit of its
/// own. Doubles have spare NaN patterns for null.
/// Returns false if the keys fit neither one word nor two; then the code is bytes.
bool KeyCoder::assign_digits() {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const Uint128 values = values_of(keys_[i]);
    if (values == 0) return false;
    // Among the bit patterns of doubles there is a NaN to spare for nulls.
    const bool one_more = keys_[i].nullable && keys_[i].physical != Physical::kDouble;
    if (one_more && values == kWordRange) {
      if (!place({i, 0, 1, 2, true, false})) return false;
      if (!place({i, 0, 1, values, false, false})) return false;
    } else if (!place({i, 0, 1, values + (one_more ? 1 : 0), false, one_more})) {
      return false;
    }
  }
  return true;
}

/// Strides are products of the radices placed before, so digits never overlap.
/// Keys are not reordered to fit better: the first word that has room is used. A digit of radix 1
/// (a column with one value) takes no room at all.
bool KeyCoder::place(Digit digit) {
  if (digit.radix == 1) {
    digit.is_constant = true;
    digits_.push_back(digit);
    return true;
  }
  for (unsigned word = 0; word < 2; ++word) {
    if (used_[word] > kWordRange / digit.radix) continue;
    digit.word = word;
    digit.stride = static_cast<std::uint64_t>(used_[word]);
    for (Digit& before : digits_) {
      if (before.word != word || before.is_constant) continue;
      before.is_last = false;
      digit.is_first = false;
    }
    used_[word] *= digit.radix;
    digits_.push_back(digit);
    return true;
  }
  return false;
}

/// The last digit that is not constant is the most significant one.
/// If codes are in order, so are the values of this key, which lets callers compare ranges of row
/// groups.
std::optional<KeyCoder::LeadingKey> KeyCoder::leading_key() const {
  if (form_ != Form::kWord) return std::nullopt;
  for (const Digit& digit : digits_) {
    const KeySpec& key = keys_[digit.key];
    if (digit.is_constant || !digit.is_last) continue;
    if (!has_range(key) || digit.has_null || digit.is_null_flag) return std::nullopt;
    return LeadingKey{digit.key, digit.stride, key.least};
  }
  return std::nullopt;
}

void KeyCoder::encode(std::span<const VectorView> keys, std::uint32_t rows, KeyCodes& codes) const {
  if (form_ == Form::kBytes) return encode_bytes(keys, rows, codes);
  encode_digits(keys, rows, 0, codes.words.data());
  if (form_ == Form::kWord) return;
  encode_digits(keys, rows, 1, codes.second_words.data());
  for (std::uint32_t i = 0; i < rows; ++i) codes.pairs[i] = {codes.words[i], codes.second_words[i]};
}

/// One pass over the rows for each key; keys without nulls use the vector loops.
void KeyCoder::encode_digits(std::span<const VectorView> keys, std::uint32_t rows, unsigned word,
                             std::uint64_t* words) const {
  if (used_[word] == 1) std::fill_n(words, rows, 0);
  for (const Digit& digit : digits_) {
    if (digit.word != word || digit.is_constant) continue;
    const VectorView& view = keys[digit.key];
    const bool first = digit.is_first;
    const bool nulls = view.validity != nullptr;
    if (digit.is_null_flag) {
      put_digits(words, rows, digit.stride, first,
                 [&](std::uint32_t i) { return std::uint64_t{view.is_null(i)}; });
    } else if (view.physical == Physical::kDouble) {
      const double* values = view.as<double>();
      put_digits(words, rows, digit.stride, first, [&](std::uint32_t i) {
        return view.is_null(i) ? kNullDouble : real_key(values[i]);
      });
    } else if (view.physical == Physical::kBool) {
      const std::uint64_t shift = digit.has_null ? 1 : 0;
      put_digits(words, rows, digit.stride, first, [&](std::uint32_t i) {
        return view.is_null(i) ? 0 : (view.as<Byte>()[i] != 0 ? 1 : 0) + shift;
      });
    } else {
      const std::uint64_t* values = view.as<std::uint64_t>();
      const std::uint64_t least = least_of(keys_[digit.key]) - (digit.has_null ? 1 : 0);
      if (nulls) {
        put_digits(words, rows, digit.stride, first,
                   [&](std::uint32_t i) { return view.is_null(i) ? 0 : values[i] - least; });
      } else {
        if (first) {
          loops_for<ValueLoops>().offsets(values, least, rows, words);
        } else {
          loops_for<ValueLoops>().add_digits(values, least, digit.stride, rows, words);
        }
      }
    }
  }
}

/// Two passes: sizes first, so that the memory is allocated once.
/// A code has a bit for each key that is null, then the fixed part of each key (its value, or the
/// size of its string), then the bytes of all strings. Null keys are zeros, and doubles
/// real_key()s, so that codes are equal exactly if the keys are.
void KeyCoder::encode_bytes(std::span<const VectorView> keys, std::uint32_t rows,
                            KeyCodes& codes) const {
  std::size_t total = fixed_bytes_ * rows;
  for (std::uint32_t i = 0; i < rows; ++i) codes.strings[i].size = fixed_bytes_;
  for (const VectorView& view : keys) {
    if (view.physical != Physical::kString) continue;
    for (std::uint32_t i = 0; i < rows; ++i) {
      const std::uint64_t size = view.is_null(i) ? 0 : view.as<StringRef>()[i].size;
      codes.strings[i].size += size;
      total += static_cast<std::size_t>(size);
    }
  }
  codes.bytes.resize_discarding(total);
  Byte* at = codes.bytes.data();
  for (std::uint32_t row = 0; row < rows; ++row) {
    codes.strings[row].data = at;
    Byte* const begin = at;
    std::memset(begin, 0, fixed_bytes_);
    at += fixed_bytes_;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const VectorView& view = keys[i];
      if (view.is_null(row)) {
        begin[i / 8] = static_cast<Byte>(begin[i / 8] | 1u << (i % 8));
        continue;
      }
      Byte* const to = begin + place_[i];
      switch (view.physical) {
        case Physical::kBool:
          *to = view.as<Byte>()[row] != 0 ? 1 : 0;
          break;
        case Physical::kInt64:
          store(to, view.as<std::int64_t>()[row]);
          break;
        case Physical::kInt128:
          store(to, view.as<Int128>()[row]);
          break;
        case Physical::kDouble:
          store(to, real_key(view.as<double>()[row]));
          break;
        case Physical::kString: {
          const StringRef& ref = view.as<StringRef>()[row];
          store(to, ref.size);
          if (ref.size != 0) std::memcpy(at, ref.data, static_cast<std::size_t>(ref.size));
          at += ref.size;
          break;
        }
      }
    }
  }
}

/// The most common key, one integer column: an addition for each group. Returns false if it is
/// another key or some group's key is null; then the caller decodes group by group.
bool KeyCoder::decode_whole_word(std::size_t column, const std::uint64_t* codes,
                                 const std::uint64_t* to, std::uint32_t count, Byte* values) const {
  if (digits_.size() != 1 || keys_[column].physical != Physical::kInt64) return false;
  const Digit& digit = digits_[0];
  if (digit.is_null_flag || digit.is_constant) return false;
  if (digit.has_null && std::find(codes, codes + count, std::uint64_t{0}) != codes + count) {
    return false;
  }
  const std::uint64_t least = least_of(keys_[column]) - (digit.has_null ? 1 : 0);
  for (std::uint32_t i = 0; i < count; ++i) store(values + 8 * to[i], codes[i] + least);
  return true;
}

/// The least significant digit needs no division, the most significant no remainder.
std::uint64_t KeyCoder::digit_of(const Digit& digit, const std::uint64_t* words) const {
  if (digit.is_constant) return 0;
  std::uint64_t value = words[digit.word];
  if (!digit.is_first) value /= digit.stride;
  return digit.is_last ? value : value % static_cast<std::uint64_t>(digit.radix);
}

/// A key may have two digits: its null flag and its value.
bool KeyCoder::decode_digits(std::size_t column, const std::uint64_t* words, std::uint64_t row,
                             Byte* values) const {
  for (const Digit& digit : digits_) {
    if (digit.key != column) continue;
    const std::uint64_t value = digit_of(digit, words);
    if (digit.is_null_flag) {
      if (value != 0) return false;
      continue;
    }
    if (digit.has_null && value == 0) return false;
    const std::uint64_t plain = value - (digit.has_null ? 1 : 0);
    if (keys_[column].physical == Physical::kBool) {
      values[row] = static_cast<Byte>(plain & 1);
      return true;
    }
    if (keys_[column].physical == Physical::kDouble && plain == kNullDouble) return false;
    store(values + 8 * row, plain + least_of(keys_[column]));
    return true;
  }
  return true;
}

bool KeyCoder::decode_one(std::size_t column, std::uint64_t code, std::uint64_t row,
                          Byte* values) const {
  return decode_digits(column, &code, row, values);
}

bool KeyCoder::decode_one(std::size_t column, const WordPair& code, std::uint64_t row,
                          Byte* values) const {
  const std::uint64_t words[2] = {code.first, code.second};
  return decode_digits(column, words, row, values);
}

/// A string begins after the strings of all keys before it.
bool KeyCoder::decode_one(std::size_t column, const StringRef& code, std::uint64_t row,
                          Byte* values) const {
  if ((code.data[column / 8] >> (column % 8) & 1) != 0) return false;
  const Byte* from = code.data + place_[column];
  const std::size_t width = physical_bytes(keys_[column].physical);
  if (keys_[column].physical != Physical::kString) {
    std::memcpy(values + row * width, from, width);
    return true;
  }
  StringRef ref{code.data + fixed_bytes_, load<std::uint64_t>(from)};
  for (std::size_t before = 0; before < column; ++before) {
    if (keys_[before].physical == Physical::kString) {
      ref.data += load<std::uint64_t>(code.data + place_[before]);
    }
  }
  store(values + row * width, ref);
  return true;
}

}  // namespace presso::query::grouping
