// SPDX-License-Identifier: MIT
// PlaneDecoder: takes the parts of the payload in turn. Numbers are put together as 64 bits and cut
// to the type's bytes at the end. Where there is a single plane without steps, each of its bytes
// stands for one value, so that a table of 256 values does all of the arithmetic.
#include "decompress/columns/cpu/plane_decoder.h"

#include <array>
#include <bit>
#include <span>
#include <string>
#include <vector>

#include "format/columns/alp_powers.h"
#include "format/columns/integer_layout.h"
#include "format/columns/plane_layout.h"
#include "format/columns/row_group.h"
#include "format/columns/short_header.h"

namespace presso {
namespace {

Error bad_plane(const char* what) {
  return make_error(ErrorCode::kBadHeader, what);
}

/// A double whose value the map kDecimals does not give.
struct PlaneException {
  std::uint32_t row;
  std::uint64_t bits;
};

/// What stands before the planes of some numbers.
struct PlaneHead {
  PlaneMap map = PlaneMap::kNone;
  bool steps = false;
  Byte e = 0;
  Byte f = 0;
  std::vector<PlaneException> exceptions;
  std::vector<std::uint64_t> entries;
  std::uint64_t base = 0;
  std::uint64_t divisor = 1;
  std::uint32_t planes = 0;
};

class PlaneDecoder {
 public:
  PlaneDecoder(const ColumnBlockHeader& header, Bytes payload, const DecodeOptions& options)
      : header_(header), options_(options), from_(payload) {
    // Planes have no checksums of their own.
    options_.verify = false;
  }

  Status decode(Byte* into) {
    PlaneHead head;
    PRESSO_TRY(read_head(header_.count, true, head));
    if (head.planes == 1 && !head.steps && head.exceptions.empty()) {
      PRESSO_TRY(read_plane(header_.count));
      PRESSO_TRY(write_by_table(head, into));
    } else {
      std::vector<std::uint64_t> numbers;
      PRESSO_TRY(read_planes(head, header_.count, numbers));
      PRESSO_TRY(apply_map(head, numbers));
      write(numbers, into);
    }
    return from_.ended_exactly() ? Status{} : make_error(ErrorCode::kBadPayloadSize);
  }

 private:
  /// The numbers of a dictionary's entries have no dictionary themselves.
  Status read_head(std::uint32_t count, bool may_have_entries, PlaneHead& head) {
    const auto form = from_.value<Byte>();
    if (from_.overran()) return make_error(ErrorCode::kBadPayloadSize);
    if (form > kAllPlaneForms) return bad_plane("form of planes");
    head.map = static_cast<PlaneMap>(form & kPlaneMapMask);
    head.steps = (form & kPlaneSteps) != 0;
    if (head.map > PlaneMap::kDictionary) return bad_plane("form of planes");
    if (head.map == PlaneMap::kDecimals) PRESSO_TRY(read_decimals(count, head));
    if (head.map == PlaneMap::kDictionary) {
      if (!may_have_entries) return bad_plane("entries of entries");
      PRESSO_TRY(read_entries(head.entries));
    }
    head.base = static_cast<std::uint64_t>(from_.signed_varint());
    head.divisor = from_.varint();
    head.planes = from_.value<Byte>();
    if (from_.overran()) return make_error(ErrorCode::kBadPayloadSize);
    if (head.divisor == 0) return bad_plane("divisor");
    return head.planes > kMaxPlanes ? bad_plane("number of planes") : Status{};
  }

  Status read_decimals(std::uint32_t count, PlaneHead& head) {
    if (header_.width_bytes != 8 || !header_.floating) return bad_plane("decimals");
    head.e = from_.value<Byte>();
    head.f = from_.value<Byte>();
    const std::uint64_t exceptions = from_.varint();
    if (from_.overran()) return make_error(ErrorCode::kBadPayloadSize);
    if (head.e > kMaxAlpExponent || head.f > kMaxAlpExponent) return bad_plane("exponents");
    if (exceptions > count) return bad_plane("number of exceptions");
    std::uint64_t row = 0;
    for (std::uint64_t i = 0; i < exceptions; ++i, ++row) {
      const std::uint64_t gap = from_.varint();
      if (from_.overran()) return make_error(ErrorCode::kBadPayloadSize);
      if (gap >= count - row) return bad_plane("row of an exception");
      row += gap;
      head.exceptions.push_back({static_cast<std::uint32_t>(row), from_.value<std::uint64_t>()});
      if (from_.overran()) return make_error(ErrorCode::kBadPayloadSize);
    }
    return {};
  }

  Status read_entries(std::vector<std::uint64_t>& entries) {
    const std::uint64_t count = from_.varint();
    if (from_.overran()) return make_error(ErrorCode::kBadPayloadSize);
    if (count == 0 || count > kMaxDictionaryEntries) return bad_plane("number of entries");
    PlaneHead head;
    PRESSO_TRY(read_head(static_cast<std::uint32_t>(count), false, head));
    PRESSO_TRY(read_planes(head, static_cast<std::uint32_t>(count), entries));
    return apply_map(head, entries);
  }

  /// Decodes the next plane to plane_.
  Status read_plane(std::uint32_t count) {
    plane_.resize_discarding(count);
    if (from_.left() == 0) return make_error(ErrorCode::kBadPayloadSize);
    const Byte coding = *from_.next();
    if (coding == kConstantPlane) {
      from_.value<Byte>();
      std::fill_n(plane_.data(), count, from_.value<Byte>());
      return from_.overran() ? make_error(ErrorCode::kBadPayloadSize) : Status{};
    }
    if (coding > static_cast<Byte>(Coding::kBit) || coding == 2) {
      return make_error(ErrorCode::kUnknownCoding, std::to_string(unsigned{coding}));
    }
    std::array<Byte, kBlockHeaderBytes> whole;
    expand_short_header(from_, {.number = 0, .plain_bytes = count, .checksum = 0}, whole.data());
    if (from_.overran()) return make_error(ErrorCode::kBadPayloadSize);
    PRESSO_ASSIGN(const BlockHeader header, parse_block_header(whole.data()));
    const Byte* const payload = from_.next();
    from_.bytes(header.payload_bytes);
    if (from_.overran()) return make_error(ErrorCode::kBadPayloadSize);
    return decode_block(header, payload, nullptr, options_, plane_.data());
  }

  /// All planes of `count` numbers, with base, divisor and steps, without the map.
  Status read_planes(const PlaneHead& head, std::uint32_t count,
                     std::vector<std::uint64_t>& numbers) {
    numbers.assign(count, 0);
    for (std::uint32_t rank = 0; rank < head.planes; ++rank) {
      PRESSO_TRY(read_plane(count));
      const Byte* const plane = plane_.data();
      for (std::uint32_t i = 0; i < count; ++i) {
        numbers[i] |= std::uint64_t{plane[i]} << (8 * rank);
      }
    }
    if (!head.steps) {
      for (std::uint64_t& number : numbers) number = head.base + head.divisor * number;
      return {};
    }
    std::uint64_t last = head.base;
    for (std::uint64_t& number : numbers) {
      last += head.divisor * static_cast<std::uint64_t>(unzigzag(number));
      number = last;
    }
    return {};
  }

  Status apply_map(const PlaneHead& head, std::span<std::uint64_t> numbers) const {
    if (head.map == PlaneMap::kDecimals) {
      const double power = kAlpPowers[head.f];
      const double inverse = kAlpInversePowers[head.e];
      for (std::uint64_t& number : numbers) {
        const auto integer = static_cast<double>(static_cast<std::int64_t>(number));
        number = std::bit_cast<std::uint64_t>(integer * power * inverse);
      }
      for (const PlaneException& one : head.exceptions) numbers[one.row] = one.bits;
    }
    if (head.map == PlaneMap::kDictionary) {
      bool are_entries = true;
      const std::uint64_t entries = head.entries.size();
      for (std::uint64_t& number : numbers) {
        are_entries &= number < entries;
        number = head.entries[number < entries ? number : 0];
      }
      if (!are_entries) return make_error(ErrorCode::kBadOffset, "a code that names no entry");
    }
    return {};
  }

  /// Bytes that do not occur may name no entry.
  Status write_by_table(const PlaneHead& head, Byte* into) {
    std::array<std::uint64_t, 256> table;
    for (std::uint64_t byte = 0; byte < table.size(); ++byte) {
      table[byte] = head.base + head.divisor * byte;
    }
    const Bytes plane(plane_.data(), header_.count);
    if (head.map == PlaneMap::kDictionary) {
      const std::uint64_t entries = head.entries.size();
      std::array<bool, 256> is_entry;
      for (std::size_t byte = 0; byte < table.size(); ++byte) {
        is_entry[byte] = table[byte] < entries;
        table[byte] = head.entries[is_entry[byte] ? table[byte] : 0];
      }
      bool are_entries = true;
      for (const Byte byte : plane) are_entries &= is_entry[byte];
      if (!are_entries) return make_error(ErrorCode::kBadOffset, "a code that names no entry");
    } else {
      PRESSO_TRY(apply_map(head, table));
    }
    with_width([&]<class T>(T) {
      std::array<T, 256> values;
      for (std::size_t byte = 0; byte < table.size(); ++byte) {
        values[byte] = static_cast<T>(table[byte]);
      }
      for (std::size_t i = 0; i < plane.size(); ++i) {
        store<T>(into + sizeof(T) * i, values[plane[i]]);
      }
    });
    return {};
  }

  void write(std::span<const std::uint64_t> numbers, Byte* into) const {
    with_width([&]<class T>(T) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        store<T>(into + sizeof(T) * i, static_cast<T>(numbers[i]));
      }
    });
  }

  /// Calls `action` with a number of the type that has the block's bytes of a value.
  template <class Action>
  void with_width(Action action) const {
    switch (header_.width_bytes) {
      case 1:
        return action(std::uint8_t{});
      case 2:
        return action(std::uint16_t{});
      case 4:
        return action(std::uint32_t{});
      default:
        return action(std::uint64_t{});
    }
  }

  const ColumnBlockHeader& header_;
  DecodeOptions options_;
  WireReader from_;
  Buffer plane_;
};

}  // namespace

Status decode_planes(const ColumnBlockHeader& header, Bytes payload, const DecodeOptions& options,
                     Byte* into) {
  return PlaneDecoder(header, payload, options).decode(into);
}

}  // namespace presso
