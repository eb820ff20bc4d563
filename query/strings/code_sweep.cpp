// SPDX-License-Identifier: MIT
// Implements code_sweep.h, which finds literals among token codes. Several strings share the 15
// mark bits, each beginning at another one. Nothing is missed then, but the beginning of one string
// followed by the rest of another is a false hit.
#include "query/strings/code_sweep.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "format/ascii.h"

namespace presso::query {
namespace {

constexpr unsigned kPlaceBits = 15;
constexpr std::uint32_t kWhole = 1u << kPlaceBits;
constexpr std::uint32_t kEndShift = 16;
/// Lets a token that holds a whole literal be found after any other.
constexpr std::uint32_t kAfterAny = kWhole << kEndShift;

/// Where in the literal a token's first or last byte can stand. Most tokens have no such place,
/// which makes building fast.
struct PlacesOfBytes {
  /// For each byte, bit p says that it is byte p of the literal, for p > 0.
  std::array<std::uint16_t, 256> begins{};
  /// For each byte, bit p says that it is byte p - 1 of the literal, for p less than its size.
  std::array<std::uint16_t, 256> ends{};

  explicit PlacesOfBytes(std::string_view literal) {
    for (std::size_t p = 0; p < literal.size(); ++p) {
      const auto byte = static_cast<Byte>(literal[p]);
      const auto bit = [](std::size_t place) { return 1u << place; };
      if (p > 0) begins[byte] = static_cast<std::uint16_t>(begins[byte] | bit(p));
      if (p + 1 < literal.size()) ends[byte] = static_cast<std::uint16_t>(ends[byte] | bit(p + 1));
    }
  }
};

/// Computes the marks of tokens for one string.
class Marking {
 public:
  Marking(std::string_view literal, unsigned first_bit)
      : literal_(literal), places_(literal), first_bit_(first_bit) {}

  /// The marks of one token.
  std::uint32_t of(std::string_view token) const {
    std::uint32_t marks = 0;
    const auto for_places = [](unsigned set, const auto& visit) {
      for (; set != 0; set &= set - 1) visit(static_cast<std::size_t>(std::countr_zero(set)));
    };
    for_places(places_.begins[static_cast<Byte>(token.front())], [&](std::size_t p) {
      const std::string_view rest = literal_.substr(p);
      if (rest.starts_with(token) || token.starts_with(rest)) marks |= bit(p);
    });
    for_places(places_.ends[static_cast<Byte>(token.back())], [&](std::size_t p) {
      if (token.ends_with(literal_.substr(0, p))) marks |= bit(p) << kEndShift;
    });
    if (token.size() >= literal_.size() && token.find(literal_) != std::string_view::npos) {
      marks |= kWhole;
    }
    return marks;
  }

 private:
  std::uint32_t bit(std::size_t place) const { return 1u << ((first_bit_ + place) % kPlaceBits); }

  std::string_view literal_;
  PlacesOfBytes places_;
  unsigned first_bit_;
};

}  // namespace

CodeSweep::CodeSweep(const TokenDictionary& tokens,
                     const scan_detail::RequiredLiterals::Clause& clause)
    : marks_(kMaxTokens, kAfterAny) {
  std::vector<Marking> markings;
  unsigned first_bit = 0;
  for (const std::string& string : clause.any_of) {
    const std::string_view literal = std::string_view(string).substr(0, kMaxTokenBytes);
    markings.emplace_back(literal, first_bit);
    first_bit += static_cast<unsigned>(literal.size());
  }
  for (std::uint32_t code = 0; code < tokens.size(); ++code) {
    std::array<char, kMaxTokenBytes> token;
    const Bytes bytes = tokens.token(code);
    std::memcpy(token.data(), tokens.slot(code), kMaxTokenBytes);
    if (clause.ignore_ascii_case) {
      std::transform(token.begin(), token.end(), token.begin(),
                     [](char letter) { return ascii::lower(letter); });
    }
    for (const Marking& marking : markings) {
      marks_[code] |= marking.of({token.data(), bytes.size()});
    }
  }
}

std::size_t CodeSweep::find(const std::uint16_t* codes, std::size_t from, std::size_t count,
                            Places& places) const {
  constexpr std::size_t kStep = 8;
  const std::uint32_t* const marks = marks_.data();
  std::uint32_t before = from == 0 ? kAfterAny : marks[codes[from - 1]];
  const auto found = [](std::uint32_t last, std::uint32_t next) {
    return last >> kEndShift & next;
  };
  places.count = 0;
  for (; from + kStep <= count; from += kStep) {
    std::uint32_t any = 0;
    std::uint32_t last = before;
    for (std::size_t i = 0; i < kStep; ++i) {
      const std::uint32_t next = marks[codes[from + i]];
      any |= found(last, next);
      last = next;
    }
    if (any == 0) {
      before = last;
      continue;
    }
    if (places.count + kStep > kMostPlaces) return from;
    for (std::size_t i = 0; i < kStep; ++i) {
      const std::uint32_t next = marks[codes[from + i]];
      const std::uint32_t here = found(before, next);
      places.places[places.count] = {from + i, (here & kWhole) != 0};
      places.count += static_cast<std::size_t>(here != 0);
      before = next;
    }
  }
  for (; from < count; ++from) {
    if (places.count == kMostPlaces) return from;
    const std::uint32_t next = marks[codes[from]];
    const std::uint32_t here = found(before, next);
    places.places[places.count] = {from, (here & kWhole) != 0};
    places.count += static_cast<std::size_t>(here != 0);
    before = next;
  }
  return count;
}

}  // namespace presso::query
