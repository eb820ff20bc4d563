// SPDX-License-Identifier: MIT
// One reader for each encoding. Counts that a page claims are not trusted: memory grows with what
// was read.
#include "tools/parquet/values.h"

namespace presso::cli {
namespace {

/// The most values in a block of deltas. Writers use 128; a limit keeps a few bytes from claiming
/// billions.
constexpr std::uint64_t kMaxDeltaBlock = 1u << 16;

/// PLAIN values of one width.
class PlainFixedReader final : public ValueReader {
 public:
  PlainFixedReader(Bytes page, std::size_t width) : rest_(page), width_(width) {}

  bool read(std::size_t count, DenseValues& to) override {
    if (count > rest_.size() / width_) return false;
    std::memcpy(to.extend(count * width_), rest_.data(), count * width_);
    rest_ = rest_.subspan(count * width_);
    to.count += count;
    return true;
  }

 private:
  Bytes rest_;
  std::size_t width_;
};

/// PLAIN truths, a bit each.
class PlainBoolReader final : public ValueReader {
 public:
  explicit PlainBoolReader(Bytes page) : page_(page) {}

  bool read(std::size_t count, DenseValues& to) override {
    if (at_ + count > 8 * page_.size()) return false;
    Byte* out = to.extend(count);
    for (std::size_t i = 0; i < count; ++i, ++at_) out[i] = page_[at_ / 8] >> (at_ % 8) & 1;
    to.count += count;
    return true;
  }

 private:
  Bytes page_;
  std::size_t at_ = 0;
};

/// PLAIN strings, with their lengths in front.
class PlainStringReader final : public ValueReader {
 public:
  explicit PlainStringReader(Bytes page) : page_(page) {}

  bool read(std::size_t count, DenseValues& to) override {
    std::size_t end = at_;
    std::int64_t offset = to.offsets.back();
    const std::size_t before = to.offsets.size();
    to.offsets.reserve(before + std::min(count, page_.size() / 4));
    for (std::size_t i = 0; i < count; ++i) {
      if (page_.size() - end < 4) return false;
      const auto length = load<std::uint32_t>(page_.data() + end);
      if (length > page_.size() - end - 4) return false;
      end += 4 + std::size_t{length};
      to.offsets.push_back(offset += length);
    }
    copy(count, before, to);
    return true;
  }

 private:
  /// Short strings are copied in one step, into the slack of both buffers.
  void copy(std::size_t count, std::size_t before, DenseValues& to) {
    const std::int64_t begin = to.offsets[before - 1];
    Byte* out = to.extend(static_cast<std::size_t>(to.offsets.back() - begin));
    for (std::size_t i = before; i < before + count; ++i) {
      const auto length = static_cast<std::size_t>(to.offsets[i] - to.offsets[i - 1]);
      at_ += 4;
      std::memcpy(out, page_.data() + at_, 32);
      if (length > 32) std::memcpy(out, page_.data() + at_, length);
      out += length;
      at_ += length;
    }
    to.count += count;
  }

  Bytes page_;
  std::size_t at_ = 0;
};

/// RLE truths: the hybrid form after its length.
class RleBoolReader final : public ValueReader {
 public:
  explicit RleBoolReader(Bytes bits) : bits_(bits, 1) {}

  bool read(std::size_t count, DenseValues& to) override {
    to.count += count;
    return bits_.read(to.extend(count), count);
  }

 private:
  HybridReader bits_;
};

/// DELTA_BINARY_PACKED integers. Sums wrap around, as the format says.
class DeltaReader {
 public:
  explicit DeltaReader(Bytes bytes) : bytes_(bytes) {
    block_ = varint();
    parts_ = varint();
    total_ = varint();
    value_ = zigzag();
    const bool fits = block_ > 0 && block_ <= kMaxDeltaBlock && block_ % 128 == 0 && parts_ > 0 &&
                      block_ % parts_ == 0 && (block_ / parts_) % 32 == 0;
    if (!fits) failed_ = true;
  }

  bool ok() const { return !failed_; }
  std::uint64_t total() const { return total_; }

  /// Gives the next value to each of `count` calls of use(value).
  template <class Use>
  bool read(std::uint64_t count, Use&& use) {
    if (failed_ || count > total_ - given_) return false;
    for (; count > 0 && given_ == 0; --count) {
      ++given_;
      use(static_cast<std::int64_t>(value_));
    }
    while (count > 0) {
      if (part_left_ == 0 && !begin_part()) return false;
      const std::uint64_t taken = std::min(count, part_left_);
      for (std::uint64_t i = 0; i < taken; ++i, bit_ += width_) {
        value_ += least_ + wide_bits(bit_);
        use(static_cast<std::int64_t>(value_));
      }
      part_left_ -= taken;
      given_ += taken;
      count -= taken;
    }
    return true;
  }

  /// Reads what is left; returns the bytes after the last block.
  bool skip_to_end(Bytes& rest) {
    if (!read(total_ - given_, [](std::int64_t) {})) return false;
    rest = bytes_.subspan(at_);
    return true;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at_ >= bytes_.size()) break;
      const Byte byte = bytes_[at_++];
      if (shift < 64) value |= std::uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  std::uint64_t zigzag() {
    const std::uint64_t value = varint();
    return value >> 1 ^ (~(value & 1) + 1);
  }

  bool begin_part() {
    if (part_ == parts_ || given_ == 1) {
      least_ = zigzag();
      if (failed_ || parts_ > bytes_.size() - at_) return false;
      widths_ = at_;
      at_ += parts_;
      part_ = 0;
    }
    width_ = bytes_[widths_ + part_++];
    const std::uint64_t values = block_ / parts_;
    const std::uint64_t bytes = values / 8 * width_;
    const std::uint64_t rest = bytes_.size() - at_;
    if (width_ > 64) return false;
    // Some writers cut the last part short.
    const std::uint64_t needed = (std::min(values, total_ - given_) * width_ + 7) / 8;
    if (needed > rest) return false;
    bit_ = 8 * std::uint64_t{at_};
    at_ += std::min(bytes, rest);
    part_left_ = values;
    return true;
  }

  std::uint64_t wide_bits(std::uint64_t at) const {
    if (width_ == 0) return 0;
    const unsigned shift = at % 8;
    std::uint64_t word = load<std::uint64_t>(bytes_.data() + at / 8) >> shift;
    if (shift + width_ > 64) word |= std::uint64_t{bytes_.data()[at / 8 + 8]} << (64 - shift);
    return width_ == 64 ? word : word & ((std::uint64_t{1} << width_) - 1);
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  std::uint64_t block_ = 0;
  std::uint64_t parts_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t value_ = 0;
  std::uint64_t given_ = 0;
  std::uint64_t least_ = 0;
  std::size_t widths_ = 0;
  std::uint64_t part_ = 0;
  std::uint64_t part_left_ = 0;
  std::uint64_t bit_ = 0;
  unsigned width_ = 0;
  bool failed_ = false;
};

template <class T>
class DeltaIntReader final : public ValueReader {
 public:
  explicit DeltaIntReader(Bytes page) : deltas_(page) {}

  bool read(std::size_t count, DenseValues& to) override {
    Byte* out = to.extend(count * sizeof(T));
    to.count += count;
    return deltas_.read(count, [&out](std::int64_t value) {
      store<T>(out, static_cast<T>(value));
      out += sizeof(T);
    });
  }

 private:
  DeltaReader deltas_;
};

/// DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
class DeltaLengthReader final : public ValueReader {
 public:
  explicit DeltaLengthReader(Bytes page) : lengths_(page) {
    DeltaReader all(page);
    ok_ = all.skip_to_end(rest_);
  }

  bool read(std::size_t count, DenseValues& to) override {
    return ok_ && next(count, [&to](Bytes text) { to.add_string(text); });
  }

  /// Gives `count` strings to use(); false where they are damaged.
  template <class Use>
  bool next(std::size_t count, Use&& use) {
    bool fits = ok_;
    const bool whole = lengths_.read(count, [&](std::int64_t length) {
      fits = fits && length >= 0 && static_cast<std::uint64_t>(length) <= rest_.size();
      if (!fits) return;
      use(rest_.first(static_cast<std::size_t>(length)));
      rest_ = rest_.subspan(static_cast<std::size_t>(length));
    });
    return whole && fits;
  }

 private:
  DeltaReader lengths_;
  Bytes rest_;
  bool ok_ = false;
};

/// DELTA_BYTE_ARRAY: how much each string shares with the one before it, and the rest of it.
class DeltaStringReader final : public ValueReader {
 public:
  /// `width`: of all values; 0 for strings of any length.
  DeltaStringReader(Bytes page, std::size_t width)
      : prefixes_(page), suffixes_(rest_after(page)), width_(width) {}

  bool read(std::size_t count, DenseValues& to) override {
    constexpr std::size_t kAtOnce = 1024;
    for (std::size_t done = 0; done < count;) {
      const std::size_t some = std::min(count - done, kAtOnce);
      if (!read_some(some, to)) return false;
      done += some;
    }
    return true;
  }

 private:
  static Bytes rest_after(Bytes page) {
    Bytes rest;
    DeltaReader all(page);
    return all.skip_to_end(rest) ? rest : Bytes();
  }

  bool read_some(std::size_t count, DenseValues& to) {
    std::vector<std::size_t> prefixes;
    bool fits = true;
    if (!prefixes_.read(count, [&](std::int64_t length) {
          prefixes.push_back(static_cast<std::size_t>(length));
        })) {
      return false;
    }
    std::size_t i = 0;
    const bool whole = suffixes_.next(count, [&](Bytes suffix) {
      const std::size_t shared = prefixes[i++];
      fits = fits && shared <= last_.size();
      if (!fits) return;
      last_.resize(shared);
      last_.insert(last_.end(), suffix.begin(), suffix.end());
      fits = width_ == 0 || last_.size() == width_;
      to.add_string(last_);
    });
    return whole && fits;
  }

  DeltaReader prefixes_;
  DeltaLengthReader suffixes_;
  std::size_t width_;
  std::vector<Byte> last_;
};

/// BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones, and so on.
class SplitReader final : public ValueReader {
 public:
  SplitReader(Bytes page, std::size_t width)
      : page_(page), width_(width), total_(page.size() / width) {}

  bool read(std::size_t count, DenseValues& to) override {
    if (count > total_ - at_) return false;
    Byte* out = to.extend(count * width_);
    for (std::size_t byte = 0; byte < width_; ++byte) {
      const Byte* from = page_.data() + byte * total_ + at_;
      for (std::size_t i = 0; i < count; ++i) out[i * width_ + byte] = from[i];
    }
    at_ += count;
    to.count += count;
    return true;
  }

 private:
  Bytes page_;
  std::size_t width_;
  std::size_t total_;
  std::size_t at_ = 0;
};

/// Codes of a dictionary.
class CodeReader final : public ValueReader {
 public:
  CodeReader(const DenseValues& dictionary, std::size_t width, HybridReader codes)
      : dictionary_(dictionary), width_(width), codes_(codes) {}

  bool read(std::size_t count, DenseValues& to) override {
    std::uint32_t codes[kAtOnce];
    for (std::size_t done = 0; done < count;) {
      const std::size_t some = std::min(count - done, kAtOnce);
      if (!codes_.read(codes, some)) return false;
      const std::uint32_t most = *std::max_element(codes, codes + some);
      if (most >= dictionary_.count) return false;
      if (width_ == 0) {
        append_strings({codes, some}, to);
      } else {
        append_values({codes, some}, to);
      }
      to.count += some;
      done += some;
    }
    return true;
  }

 private:
  static constexpr std::size_t kAtOnce = 1024;

  void append_strings(std::span<const std::uint32_t> codes, DenseValues& to) {
    std::int64_t offset = to.offsets.back();
    const std::int64_t begin = offset;
    for (const std::uint32_t code : codes) {
      offset += dictionary_.offsets[code + 1] - dictionary_.offsets[code];
      to.offsets.push_back(offset);
    }
    Byte* out = to.extend(static_cast<std::size_t>(offset - begin));
    for (const std::uint32_t code : codes) {
      const Bytes text = dictionary_.string(code);
      std::memcpy(out, text.data(), 32);  // into the slack of both
      if (text.size() > 32) std::memcpy(out, text.data(), text.size());
      out += text.size();
    }
  }

  template <class T>
  void gather(std::span<const std::uint32_t> codes, Byte* out) const {
    const Byte* from = dictionary_.values.data();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      store<T>(out + i * sizeof(T), load<T>(from + codes[i] * sizeof(T)));
    }
  }

  void append_values(std::span<const std::uint32_t> codes, DenseValues& to) {
    Byte* out = to.extend(codes.size() * width_);
    if (width_ == 8) return gather<std::uint64_t>(codes, out);
    if (width_ == 4) return gather<std::uint32_t>(codes, out);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      std::memcpy(out + i * width_, dictionary_.values.data() + codes[i] * width_, width_);
    }
  }

  const DenseValues& dictionary_;
  std::size_t width_;
  HybridReader codes_;
};

}  // namespace

std::size_t stored_width(const ParquetNode& leaf) {
  constexpr std::size_t kWidths[] = {1, 4, 8, 12, 4, 8, 0, 0};
  return leaf.type == ParquetType::kFixed ? leaf.width : kWidths[static_cast<int>(leaf.type)];
}

std::unique_ptr<ValueReader> make_value_reader(ParquetEncoding encoding, const ParquetNode& leaf,
                                               Bytes page, std::size_t count) {
  const std::size_t width = stored_width(leaf);
  const bool is_bool = leaf.type == ParquetType::kBoolean;
  const bool is_text = leaf.type == ParquetType::kByteArray;
  switch (encoding) {
    case ParquetEncoding::kPlain:
      if (is_bool) return std::make_unique<PlainBoolReader>(page);
      if (is_text) return std::make_unique<PlainStringReader>(page);
      return std::make_unique<PlainFixedReader>(page, width);
    case ParquetEncoding::kRle: {
      if (!is_bool) return nullptr;
      // A page of nothing but nulls may have nothing.
      if (page.size() < 4) return std::make_unique<RleBoolReader>(Bytes());
      const std::size_t length = load<std::uint32_t>(page.data());
      page = page.subspan(4);
      return std::make_unique<RleBoolReader>(page.first(std::min(length, page.size())));
    }
    case ParquetEncoding::kDeltaBinary:
      if (leaf.type == ParquetType::kInt32)
        return std::make_unique<DeltaIntReader<std::int32_t>>(page);
      if (leaf.type == ParquetType::kInt64)
        return std::make_unique<DeltaIntReader<std::int64_t>>(page);
      return nullptr;
    case ParquetEncoding::kDeltaLength:
      if (!is_text) return nullptr;
      return std::make_unique<DeltaLengthReader>(page);
    case ParquetEncoding::kDeltaStrings:
      if (!is_text && leaf.type != ParquetType::kFixed) return nullptr;
      return std::make_unique<DeltaStringReader>(page, width);
    case ParquetEncoding::kByteStreamSplit:
      if (is_bool || is_text || leaf.type == ParquetType::kInt96) return nullptr;
      // All bytes of the page are values, of which there must be no more than its levels say.
      if (page.size() / width > count || page.size() % width != 0) return nullptr;
      return std::make_unique<SplitReader>(page, width);
    default:
      return nullptr;
  }
}

std::unique_ptr<ValueReader> make_code_reader(const DenseValues& dictionary, std::size_t width,
                                              Bytes page) {
  if (page.empty()) return std::make_unique<CodeReader>(dictionary, width, HybridReader());
  if (page[0] > 32) return nullptr;
  return std::make_unique<CodeReader>(dictionary, width, HybridReader(page.subspan(1), page[0]));
}

}  // namespace presso::cli
