// SPDX-License-Identifier: MIT
// Several strings share the 15 bits, each with its first one elsewhere: they find no less then, but
// places where one string's front meets another one's rest are found, too.
#include "scan/strings/code_sweep.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace presso::query {
namespace {

constexpr unsigned kPlaceBits = 15;
constexpr std::uint32_t kWhole = 1u << kPlaceBits;
constexpr std::uint32_t kEndShift = 16;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Where in the literal a token's first or last byte can stand: most tokens have no place at all.
struct PlacesOfBytes {
  std::array<std::uint16_t, 256> begins{};  ///< bit p: the byte is the literal's byte p, p > 0
  std::array<std::uint16_t, 256> ends{};    ///< bit p: it is byte p - 1, p < size

  explicit PlacesOfBytes(std::string_view literal) {
    for (std::size_t p = 0; p < literal.size(); ++p) {
      const auto byte = static_cast<Byte>(literal[p]);
      const auto bit = [](std::size_t place) { return 1u << place; };
      if (p > 0) begins[byte] = static_cast<std::uint16_t>(begins[byte] | bit(p));
      if (p + 1 < literal.size()) ends[byte] = static_cast<std::uint16_t>(ends[byte] | bit(p + 1));
    }
  }
};

}  // namespace

CodeSweep::CodeSweep(const TokenDictionary& tokens,
                     const scan_detail::RequiredLiterals::Clause& clause)
    : marks_(kMaxTokens, 0) {
  unsigned first_bit = 0;
  for (const std::string& string : clause.any_of) {
    add(tokens, string.substr(0, kMaxTokenBytes), clause.ignore_ascii_case, first_bit);
    first_bit += static_cast<unsigned>(string.size());
  }
}

void CodeSweep::add(const TokenDictionary& tokens, std::string string, bool any_case,
                    unsigned first_bit) {
  const PlacesOfBytes places(string);
  const std::string_view literal = string;
  const auto mark = [&](std::size_t p) { return 1u << ((first_bit + p) % kPlaceBits); };
  std::array<char, kMaxTokenBytes> folded;
  for (std::uint32_t code = 0; code < tokens.size(); ++code) {
    const Bytes bytes = tokens.token(code);
    std::copy(bytes.begin(), bytes.end(), folded.begin());
    if (any_case) std::transform(folded.begin(), folded.end(), folded.begin(), lower);
    const std::string_view token(folded.data(), bytes.size());
    std::uint32_t& marks = marks_[code];
    for (unsigned left = places.begins[static_cast<Byte>(token.front())]; left != 0;
         left &= left - 1) {
      const auto p = static_cast<std::size_t>(__builtin_ctz(left));
      const std::string_view rest = literal.substr(p);
      const std::size_t shared = std::min(rest.size(), token.size());
      if (rest.substr(0, shared) == token.substr(0, shared)) marks |= mark(p);
    }
    for (unsigned left = places.ends[static_cast<Byte>(token.back())]; left != 0;
         left &= left - 1) {
      const auto p = static_cast<std::size_t>(__builtin_ctz(left));
      if (token.ends_with(literal.substr(0, p))) marks |= mark(p) << kEndShift;
    }
    const bool has_room = token.size() >= literal.size();
    if (has_room && token.find(literal) != std::string_view::npos) marks |= kWhole;
  }
}

std::size_t CodeSweep::find(const std::uint16_t* codes, std::size_t from, std::size_t count,
                            Places& places) const {
  constexpr std::size_t kStep = 8;
  const std::uint32_t* const marks = marks_.data();
  std::uint32_t before = from == 0 ? 0 : marks[codes[from - 1]];
  const auto found = [](std::uint32_t last, std::uint32_t next) {
    return (last >> kEndShift | kWhole) & next;
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
