// SPDX-License-Identifier: MIT
// Implements row_keys.h, sort keys as packed words or as bytes in the order of the rows. Packing
// costs a subtraction and two shifts for each key and row.
#include "query/order/row_keys.h"

#include <algorithm>
#include <bit>

#include "query/order/key_images.h"

namespace presso::query {
namespace {

constexpr std::uint64_t kMost64 = ~std::uint64_t{0};
constexpr std::size_t kMostWords = 4;

/// Bytes of an image in the form of bytes.
std::size_t image_bytes(Physical physical) {
  return physical == Physical::kBool ? 1 : physical == Physical::kInt128 ? 16 : 8;
}

/// Adapters for KeyRows: whether a row is null, and the text of a row.
auto null_of(const VectorView& view) {
  return [&view](std::size_t row) { return view.is_null(static_cast<std::uint32_t>(row)); };
}

auto text_of(const VectorView& view) {
  return [from = view.as<StringRef>()](std::size_t row) { return from[row].bytes(); };
}

bool is_string(const VectorView& view) {
  return view.physical == Physical::kString;
}

/// Writes one key of all rows; the marks order nulls and invert descending keys.
void write_key(const VectorView& view, const OrderKey& key, KeyRows& to) {
  const KeyMarks marks{1, static_cast<Byte>(key.nulls_first ? 0 : 2),
                       static_cast<Byte>(key.descending ? 0xFF : 0)};
  if (is_string(view)) return to.write_strings(marks, null_of(view), text_of(view));
  with_images(
      view, [&](auto image) { to.write_images<decltype(image(0))>(marks, null_of(view), image); });
}

}  // namespace

void KeyRange::add(const VectorView& view, std::uint32_t rows) {
  with_images(view, [&](auto image) {
    using Image = decltype(image(0));
    Image low = static_cast<Image>(~Image{0});
    Image high = 0;
    std::uint32_t values = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (view.validity != nullptr && view.is_null(row)) continue;
      low = std::min<Image>(low, image(row));
      high = std::max<Image>(high, image(row));
      ++values;
    }
    any_null |= values < rows;
    if (values == 0) return;
    any_value = true;
    least = std::min<Uint128>(least, low);
    most = std::max<Uint128>(most, high);
  });
}

void KeyRange::add(const KeyRange& other) {
  any_null |= other.any_null;
  any_value |= other.any_value;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

KeyRanges::KeyRanges(std::span<const Physical> columns, std::vector<OrderKey> keys)
    : keys_(std::move(keys)) {
  const bool strings = std::any_of(keys_.begin(), keys_.end(), [&](const OrderKey& key) {
    return columns[key.column] == Physical::kString;
  });
  if (!strings) ranges_.resize(keys_.size());
}

void KeyRanges::add(std::span<const VectorView> columns, std::uint32_t rows) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) ranges_[i].add(columns[keys_[i].column], rows);
}

void KeyRanges::add(const KeyRanges& other) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) ranges_[i].add(other.ranges_[i]);
}

void KeyRanges::clear() {
  ranges_.assign(ranges_.size(), {});
}

/// Packed keys are compared word by word, others by memcmp().
int RowKeys::compare(std::uint32_t row, const RowKeys& others, std::uint32_t other,
                     std::size_t depth) const {
  for (std::size_t i = depth; i < row_words_; ++i) {
    if (word(row, i) != others.word(other, i)) return word(row, i) < others.word(other, i) ? -1 : 1;
  }
  if (row_words_ != 0) return 0;
  const Bytes left = key(row);
  const Bytes right = others.key(other);
  const std::size_t begin = 8 * depth;
  const std::size_t common = std::min(left.size(), right.size());
  // Keys that end here are equal.
  return common <= begin ? 0
                         : std::memcmp(left.data() + begin, right.data() + begin, common - begin);
}

KeyCoding::KeyCoding(std::span<const Physical> columns, std::vector<OrderKey> keys)
    : keys_(std::move(keys)), fixed_bytes_(sizeof(std::size_t)) {
  for (const OrderKey& key : keys_) {
    const Physical physical = columns[key.column];
    if (physical != Physical::kString) fixed_bytes_ += 1 + image_bytes(physical);
  }
}

KeyCoding::KeyCoding(std::span<const Physical> columns, std::vector<OrderKey> keys,
                     const KeyRanges& ranges)
    : KeyCoding(columns, std::move(keys)) {
  if (ranges.kept() && !choose_parts(ranges.ranges())) row_words_ = 0;
}

/// Gives each key its bits; returns false if there are too many.
bool KeyCoding::choose_parts(std::span<const KeyRange> ranges) {
  parts_.assign(keys_.size(), {});
  unsigned bits = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const KeyRange& range = ranges[i];
    Part& part = parts_[i];
    if (range.any_value) part.least = range.least;
    if (range.any_value) part.most = range.most;
    const Uint128 last = part.most - part.least;
    const unsigned nulls = range.any_null && range.any_value ? 1 : 0;
    if (last > kMost64 - nulls) return false;
    const auto codes = static_cast<std::uint64_t>(last) + nulls;
    part.first_code = keys_[i].nulls_first ? nulls : 0;
    part.null_code = keys_[i].nulls_first ? 0 : codes;
    part.bits = static_cast<unsigned>(std::bit_width(codes));
    part.first_bit = bits;
    bits += part.bits;
  }
  row_words_ = std::max<std::size_t>((bits + 63) / 64, 1);
  return row_words_ <= kMostWords;
}

/// The form of bytes needs two passes: sizes, then values.
void KeyCoding::make(std::span<const VectorView> columns, std::uint32_t rows, RowKeys& into) const {
  into.row_words_ = row_words_;
  if (packed()) {
    into.words_.assign(rows * row_words_, 0);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (parts_[i].bits != 0) add_part(columns[keys_[i].column], keys_[i], parts_[i], into);
    }
    return;
  }
  KeyRows& keys = into.bytes_;
  keys.begin(rows);
  for (const OrderKey& key : keys_) {
    const VectorView& view = columns[key.column];
    if (is_string(view)) {
      keys.add_strings(null_of(view), text_of(view));
    } else {
      keys.add_images(image_bytes(view.physical));
    }
  }
  keys.lay_out();
  for (const OrderKey& key : keys_) write_key(columns[key.column], key, keys);
}

/// Adds the bits of one key to the words of all rows. A part may reach into the next word.
void KeyCoding::add_part(const VectorView& view, const OrderKey& key, const Part& part,
                         RowKeys& into) const {
  const unsigned end = part.first_bit % 64 + part.bits;
  const unsigned left = end <= 64 ? 64 - end : 0;  // bits of the word after the part
  const unsigned over = end <= 64 ? 0 : end - 64;  // bits of the part in the next word
  std::uint64_t* word = into.words_.data() + part.first_bit / 64;
  with_images(view, [&](auto image) {
    using Image = decltype(image(0));
    const auto least = static_cast<Image>(part.least);
    const auto most = static_cast<Image>(part.most);
    const std::size_t rows = into.words_.size() / row_words_;
    for (std::uint32_t row = 0; row < rows; ++row, word += row_words_) {
      const Image from_first =
          static_cast<Image>(key.descending ? most - image(row) : image(row) - least);
      std::uint64_t code = static_cast<std::uint64_t>(from_first) + part.first_code;
      if (view.validity != nullptr && view.is_null(row)) code = part.null_code;
      word[0] |= code >> over << left;
      if (over != 0) word[1] |= code << (64 - over);
    }
  });
}

std::uint64_t KeyCoding::bytes_of(std::span<const VectorView> columns, std::uint32_t rows) const {
  std::uint64_t bytes = fixed_bytes_ * rows;
  for (const OrderKey& key : keys_) {
    const VectorView& view = columns[key.column];
    if (!is_string(view)) continue;
    for (std::uint32_t row = 0; row < rows; ++row) {
      bytes += 1 + (view.is_null(row) ? 0 : string_key_bytes(view.as<StringRef>()[row].bytes()));
    }
  }
  return bytes;
}

}  // namespace presso::query
