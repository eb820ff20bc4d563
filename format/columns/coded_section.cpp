// SPDX-License-Identifier: MIT
// A context mixing coder after lpaq (M. Mahoney, 2007), with bitwise predictions of five orders and
// one mixer. All arithmetic is that of integers, so every machine decodes the same.
#include "format/columns/coded_section.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "format/columns/wire_reader.h"

namespace presso {
namespace {

/// The numbers of bytes from which the models predict the next one.
constexpr std::array<std::size_t, 5> kOrders = {0, 1, 2, 3, 5};
constexpr std::size_t kModels = kOrders.size();
/// A further model expects what followed the last place with the same bytes before it.
constexpr std::size_t kMatchBytes = 5;
constexpr std::uint32_t kMostMatch = 31;
constexpr unsigned kMostSlotBits = 16;  ///< of a model's table
constexpr int kMostCount = 60;  ///< predictions adapt no more slowly than after this number of bits
constexpr int kMostStretch = 2047;

/// 4096 / (1 + e^(-x / 256)), for x of -2047 to 2047.
constexpr int squash(int x) {
  constexpr std::array<int, 33> kCurve = {1,    2,    3,    6,    10,   16,   27,   45,   73,
                                          120,  194,  310,  488,  747,  1101, 1546, 2047, 2549,
                                          2994, 3348, 3607, 3785, 3901, 3975, 4022, 4050, 4068,
                                          4079, 4085, 4089, 4092, 4093, 4094};
  x = std::clamp(x, -kMostStretch, kMostStretch) + 2048;
  const auto step = static_cast<std::size_t>(x / 128);
  return (kCurve[step] * (128 - x % 128) + kCurve[step + 1] * (x % 128) + 64) / 128;
}

/// The reverse of squash(): the least x whose squash() is at least p.
constexpr std::array<std::int16_t, 4096> kStretched = [] {
  std::array<std::int16_t, 4096> table{};
  int p = 0;
  for (int x = -kMostStretch; x <= kMostStretch; ++x) {
    for (; p <= squash(x); ++p) table[static_cast<std::size_t>(p)] = static_cast<std::int16_t>(x);
  }
  for (; p < 4096; ++p) table[static_cast<std::size_t>(p)] = kMostStretch;
  return table;
}();

/// Predicts bit after bit.
class Predictor {
 public:
  /// `bytes`: of the payload, which tells the size of the models' tables.
  explicit Predictor(std::size_t bytes)
      : slot_bits_(std::min(static_cast<unsigned>(std::bit_width(bytes)) + 5, kMostSlotBits)),
        slots_(kModels << slot_bits_),
        places_(std::size_t{1} << slot_bits_) {
    before_all_.reserve(bytes);
    begin_byte();
  }

  /// The probability that the next bit is 1, of 4096.
  int predict() {
    match_slot_ = nullptr;
    inputs_[kModels] = 0;
    if (match_length_ > 0 && (before_all_[match_] | 256u) >> (8 - node_bits_) == node_) {
      match_bit_ = before_all_[match_] >> (7 - node_bits_) & 1u;
      match_slot_ = &match_slots_[match_length_];
      const int expected = kStretched[match_slot_->probability >> 4];
      inputs_[kModels] = match_bit_ != 0 ? expected : -expected;
    }
    std::int64_t sum = std::int64_t{weights_[kModels]} * inputs_[kModels];
    for (std::size_t i = 0; i < kModels; ++i) {
      const std::uint32_t place = (hashes_[i] + node_ * 0x9E3779B1u) * 0x85EBCA6Bu;
      now_[i] = &slots_[(i << slot_bits_) + (place >> (32 - slot_bits_))];
      inputs_[i] = kStretched[now_[i]->probability >> 4];
      sum += std::int64_t{weights_[i]} * inputs_[i];
    }
    mixed_ = std::clamp(
        squash(static_cast<int>(std::clamp<std::int64_t>(sum >> 16, -kMostStretch, kMostStretch))),
        1, 4095);
    return mixed_;
  }

  /// Learns what the bit was.
  void learn(unsigned bit) {
    const int error = (static_cast<int>(bit << 12) - mixed_) * 10;
    for (std::size_t i = 0; i <= kModels; ++i) weights_[i] += (inputs_[i] * error + 0x2000) >> 14;
    for (Slot* const slot : now_) slot->learn(bit != 0);
    if (match_slot_ != nullptr) {
      match_slot_->learn(bit == match_bit_);
      if (bit != match_bit_) match_length_ = 0;
    }
    node_ = 2 * node_ + bit;
    ++node_bits_;
    if (node_bits_ == 8) end_byte();
  }

 private:
  struct Slot {
    std::uint16_t probability = 32768;
    std::uint16_t count = 0;

    void learn(bool was_right) {
      const int wrong = (was_right ? 65535 : 0) - probability;
      // Division rounds towards zero.
      probability += static_cast<std::uint16_t>(wrong * 2 / (2 * count + 3));
      if (count < kMostCount) ++count;
    }
  };

  void end_byte() {
    before_all_.push_back(static_cast<Byte>(node_));
    before_ = before_ << 8 | (node_ & 255);
    if (match_length_ > 0) {
      ++match_;
      match_length_ = std::min(match_length_ + 1, kMostMatch);
    }
    if (before_all_.size() >= kMatchBytes) {
      std::uint32_t& place = places_[hash_of(kMatchBytes) >> (32 - slot_bits_)];
      if (match_length_ == 0 && place > 0) {
        match_ = place;
        match_length_ = 1;
      }
      place = static_cast<std::uint32_t>(before_all_.size());
    }
    begin_byte();
  }

  /// A hash of the last bytes.
  std::uint32_t hash_of(std::size_t bytes) const {
    const std::uint64_t last = before_ & ((std::uint64_t{1} << (8 * bytes)) - 1);
    return static_cast<std::uint32_t>(last * 0x9E3779B97F4A7C15u >> 32);
  }

  void begin_byte() {
    node_ = 1;
    node_bits_ = 0;
    for (std::size_t i = 0; i < kModels; ++i) hashes_[i] = hash_of(kOrders[i]);
  }

  unsigned slot_bits_;
  std::vector<Slot> slots_;
  std::array<std::uint32_t, kModels> hashes_{};
  std::array<Slot*, kModels> now_{};
  std::array<int, kModels + 1> inputs_{};
  std::array<int, kModels + 1> weights_{20000, 20000, 20000, 24000, 28000, 24000};
  std::vector<Byte> before_all_;
  std::vector<std::uint32_t> places_;               ///< where the bytes of a hash last ended
  std::array<Slot, kMostMatch + 1> match_slots_{};  ///< whether the expected bit comes
  Slot* match_slot_ = nullptr;
  std::uint32_t match_ = 0;         ///< the place of the expected byte
  std::uint32_t match_length_ = 0;  ///< bytes that came as expected, and one; 0: none is
  unsigned match_bit_ = 0;
  unsigned node_bits_ = 0;
  std::uint64_t before_ = 0;  ///< the last eight bytes
  std::uint32_t node_ = 1;    ///< the bits of this byte so far, after a 1
  int mixed_ = 0;
};

/// The interval of arithmetic coding.
struct Interval {
  std::uint32_t low = 0;
  std::uint32_t high = ~std::uint32_t{0};

  std::uint32_t middle(int probability) const {
    return low + ((high - low) >> 12) * static_cast<std::uint32_t>(probability);
  }
  /// Takes the part of a bit; 1 is the lower one.
  void take(unsigned bit, std::uint32_t middle) {
    if (bit != 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  bool has_byte() const { return (low ^ high) >> 24 == 0; }
  void shift() {
    low <<= 8;
    high = high << 8 | 255;
  }
};

}  // namespace

std::vector<Byte> code_payload(Bytes payload) {
  std::vector<Byte> coded;
  append_varint(coded, payload.size());
  Predictor predictor(payload.size());
  Interval interval;
  for (const Byte byte : payload) {
    for (unsigned i = 8; i-- > 0;) {
      const unsigned bit = byte >> i & 1u;
      interval.take(bit, interval.middle(predictor.predict()));
      predictor.learn(bit);
      for (; interval.has_byte(); interval.shift()) {
        coded.push_back(static_cast<Byte>(interval.low >> 24));
      }
    }
  }
  // The zeros that follow in the decoder end within the interval.
  coded.push_back(static_cast<Byte>((interval.low >> 24) + 1));
  return coded;
}

Result<Buffer> decode_payload(Bytes coded, std::uint64_t most_bytes) {
  const auto bad = [] { return make_error(ErrorCode::kBadHeader, "coded payload"); };
  WireReader from(coded);
  const std::uint64_t size = from.varint();
  if (from.overran() || size > std::min(most_bytes, kMostCodedPayload)) return bad();
  Bytes rest = from.bytes(from.left());
  std::size_t read = 0;
  const auto next = [&] { return read++ < rest.size() ? rest[read - 1] : Byte{0}; };
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | next();
  Buffer payload;
  payload.resize_discarding(static_cast<std::size_t>(size));
  Predictor predictor(payload.size());
  Interval interval;
  for (Byte& byte : payload.mutable_bytes()) {
    byte = 0;
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t middle = interval.middle(predictor.predict());
      const unsigned bit = word <= middle ? 1 : 0;
      interval.take(bit, middle);
      predictor.learn(bit);
      byte = static_cast<Byte>(byte << 1 | bit);
      for (; interval.has_byte(); interval.shift()) word = word << 8 | next();
    }
  }
  // The last byte that was needed is the first of the four that were read ahead.
  if (read != rest.size() + 3) return bad();
  return payload;
}

Status decode_section(StoredSection& section, std::uint64_t most_bytes) {
  if (section.header.parameter != kCodedLayout) return {};
  PRESSO_ASSIGN(section.payload, decode_payload(section.payload.bytes(), most_bytes));
  section.header.parameter = kPlainLayout;
  return {};
}

}  // namespace presso
