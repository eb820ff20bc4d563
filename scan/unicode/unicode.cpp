// SPDX-License-Identifier: MIT
// Ranges in the generated tables have a stride, because upper- and lower-case letters often
// alternate.

#include "scan/unicode/unicode.h"

#include <algorithm>
#include <iterator>

#include "format/columns/utf8_check.h"
#include "scan/unicode/letter_case.h"

namespace presso::scan_detail {
namespace {

/// Code points of a range that map to themselves plus `delta`.
struct CaseMapping {
  CodePoint first;
  CodePoint last;
  std::uint32_t stride;
  std::int32_t delta;

  bool contains(CodePoint code) const {
    return code >= first && code <= last && (code - first) % stride == 0;
  }
};

/// A range of which every stride-th character counts, as capital and small letters alternate.
struct CodeRange {
  CodePoint first;
  CodePoint last;
  std::uint32_t stride;

  bool contains(CodePoint code) const {
    return code >= first && code <= last && (code - first) % stride == 0;
  }
};

/// Eight code points from `first` on and what they are without marks; 0: themselves.
struct BaseBlock {
  CodePoint first;
  std::uint16_t bases[8];
};

#include "scan/unicode/unicode_tables.inc"

bool is_continuation(Byte byte) {
  return (byte & 0xC0) == 0x80;
}

/// The length of a character by its first byte; 0 if no character begins with that byte.
std::uint32_t sequence_bytes(Byte lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

/// The smallest code point that needs this many bytes; anything below it is an overlong form.
constexpr CodePoint kSmallest[5] = {0, 0, 0x80, 0x800, 0x10000};

bool is_ascii_word(CodePoint code) {
  return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
         (code >= 'a' && code <= 'z') || code == '_';
}

/// The range that holds `code`, or nullptr. A range of stride 2 may reach over the beginning of the
/// next one, so the last two ranges that begin at or below `code` are tried.
template <class Range, std::size_t kCount>
const Range* find_range(const Range (&ranges)[kCount], CodePoint code) {
  const Range* range =
      std::upper_bound(std::begin(ranges), std::end(ranges), code,
                       [](CodePoint value, const Range& entry) { return value < entry.first; });
  for (int back = 0; back < 2 && range != std::begin(ranges); ++back) {
    --range;
    if (range->contains(code)) return range;
  }
  return nullptr;
}

CodePoint shifted(CodePoint code, std::int32_t delta) {
  return static_cast<CodePoint>(static_cast<std::int32_t>(code) + delta);
}

template <std::size_t kCount>
CodePoint mapped(const CaseMapping (&mapping)[kCount], CodePoint code) {
  const CaseMapping* const range = find_range(mapping, code);
  return range != nullptr ? shifted(code, range->delta) : code;
}

bool pair_before(const CasePair& a, const CasePair& b) {
  return a.code != b.code ? a.code < b.code : a.variant < b.variant;
}

/// {fold(code), code} for all code points that are not their own fold, ascending.
std::vector<CasePair> folded_pairs() {
  std::vector<CasePair> pairs;
  for (const CaseMapping& range : kFoldRanges) {
    for (CodePoint code = range.first; code <= range.last; code += range.stride) {
      pairs.push_back({shifted(code, range.delta), code});
    }
  }
  std::sort(pairs.begin(), pairs.end(), pair_before);
  return pairs;
}

/// From these, all pairs of different code points with one fold.
std::vector<CasePair> make_case_pairs() {
  const std::vector<CasePair> folded = folded_pairs();
  std::vector<CasePair> pairs;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    pairs.push_back(folded[i]);
    pairs.push_back({folded[i].variant, folded[i].code});
    for (std::size_t j = i + 1; j < folded.size() && folded[j].code == folded[i].code; ++j) {
      pairs.push_back({folded[i].variant, folded[j].variant});
      pairs.push_back({folded[j].variant, folded[i].variant});
    }
  }
  std::sort(pairs.begin(), pairs.end(), pair_before);
  return pairs;
}

}  // namespace

/// Decodes one character of UTF-8. `bytes` is 0 for what is none: overlong forms, surrogates, and
/// sequences that are cut off.
Decoded decode(const Byte* at, const Byte* end) {
  const std::uint32_t bytes = sequence_bytes(*at);
  if (bytes <= 1) return {*at, bytes};
  if (end - at < static_cast<std::ptrdiff_t>(bytes)) return {};
  CodePoint code = *at & (0x7Fu >> bytes);
  for (std::uint32_t i = 1; i < bytes; ++i) {
    if (!is_continuation(at[i])) return {};
    code = code << 6 | (at[i] & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

/// Decodes the character that ends at `end`; it looks back at most four bytes.
Decoded decode_last(const Byte* begin, const Byte* end) {
  const Byte* at = end - 1;
  while (at > begin && end - at < 4 && is_continuation(*at)) --at;
  const Decoded decoded = decode(at, end);
  return at + decoded.bytes == end ? decoded : Decoded{};
}

/// Encodes the character, which has to be valid, and returns how many bytes it has.
std::uint32_t encode(CodePoint code, Byte* to) {
  if (code < 0x80) {
    to[0] = static_cast<Byte>(code);
    return 1;
  }
  const std::uint32_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (std::uint32_t i = bytes - 1; i > 0; --i) {
    to[i] = static_cast<Byte>(0x80 | (code & 0x3F));
    code >>= 6;
  }
  to[0] = static_cast<Byte>((0xF00u >> bytes & 0xF0u) | code);
  return bytes;
}

std::string encoded(CodePoint code) {
  Byte bytes[4];
  const std::uint32_t count = encode(code, bytes);
  return {reinterpret_cast<const char*>(bytes), count};
}

CodePoint fold(CodePoint code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
  return mapped(kFoldRanges, code);
}

CodePoint lower_case(CodePoint code) {
  return mapped(kLowerMapping, code);
}

CodePoint upper_case(CodePoint code) {
  return mapped(kUpperMapping, code);
}

CodePoint without_marks(CodePoint code) {
  if (code < 0xC0) return code;
  const auto* const after = std::upper_bound(
      std::begin(kBaseBlocks), std::end(kBaseBlocks), code,
      [](CodePoint wanted, const BaseBlock& block) { return wanted < block.first; });
  if (after != std::begin(kBaseBlocks) && code - (after - 1)->first < 8) {
    const CodePoint base = (after - 1)->bases[code - (after - 1)->first];
    if (base != 0) return base;
  }
  return find_range(kMarkRanges, code) != nullptr ? 0 : code;
}

/// All characters with the same simple case folding, the folded one included.
std::vector<CodePoint> case_variants(CodePoint code) {
  const CodePoint folded = fold(code);
  std::vector<CodePoint> variants = {folded};
  for (const CaseMapping& range : kFoldRanges) {
    const CodePoint variant = shifted(folded, -range.delta);
    if (range.contains(variant)) variants.push_back(variant);
  }
  std::sort(variants.begin(), variants.end());
  return variants;
}

const std::vector<CasePair>& case_pairs() {
  static const std::vector<CasePair> pairs = make_case_pairs();
  return pairs;
}

bool is_upper(CodePoint code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z';
  return find_range(kUpperRanges, code) != nullptr;
}

bool is_word(CodePoint code) {
  if (code < 0x80) return is_ascii_word(code);
  return find_range(kWordRanges, code) != nullptr;
}

}  // namespace presso::scan_detail

namespace presso {

std::size_t valid_utf8_prefix(std::string_view text) {
  return utf8_prefix({reinterpret_cast<const Byte*>(text.data()), text.size()});
}

/// Whether the text has a capital letter, for smart case.
bool has_upper_case(std::string_view text) {
  const Byte* at = reinterpret_cast<const Byte*>(text.data());
  const Byte* const end = at + text.size();
  while (at < end) {
    const scan_detail::Decoded decoded = scan_detail::decode(at, end);
    if (decoded.bytes != 0 && scan_detail::is_upper(decoded.code)) return true;
    at += std::max(decoded.bytes, 1u);
  }
  return false;
}

}  // namespace presso
