// SPDX-License-Identifier: MIT
// Cuts literals into units, and lists the byte strings (windows) that units may stand for.
#include "scan/literal/literal_units.h"

#include <algorithm>

#include "scan/unicode/unicode.h"

namespace presso::scan_detail {
namespace {

/// Calls `take(code point)` for each character of valid UTF-8.
template <class Take>
void for_each_code_point(std::string_view text, Take take) {
  const Byte* at = reinterpret_cast<const Byte*>(text.data());
  const Byte* const end = at + text.size();
  while (at < end) {
    const Decoded decoded = decode(at, end);
    take(decoded.code);
    at += std::max(decoded.bytes, 1u);
  }
}

/// The unit of a character whose case is ignored.
LiteralUnit case_unit(CodePoint code) {
  LiteralUnit unit;
  for (const CodePoint variant : case_variants(code)) unit.variants.push_back(encoded(variant));
  return unit;
}

/// Appends to each of `heads` every variant of `unit`, cut to `width` bytes.
std::vector<std::string> extend(const std::vector<std::string>& heads, const LiteralUnit& unit,
                                std::size_t width) {
  std::vector<std::string> longer;
  for (const std::string& head : heads) {
    if (head.size() >= width) {
      longer.push_back(head);
      continue;
    }
    for (const std::string& variant : unit.variants) {
      longer.push_back((head + variant).substr(0, width));
    }
  }
  std::sort(longer.begin(), longer.end());
  longer.erase(std::unique(longer.begin(), longer.end()), longer.end());
  return longer;
}

}  // namespace

std::size_t LiteralUnit::min_bytes() const {
  std::size_t smallest = variants.front().size();
  for (const std::string& variant : variants) smallest = std::min(smallest, variant.size());
  return smallest;
}

bool LiteralUnit::has_fixed_size() const {
  return std::all_of(variants.begin(), variants.end(),
                     [&](const std::string& v) { return v.size() == variants.front().size(); });
}

/// The literal as units: bytes, or letters with their spellings.
LiteralUnits units_of(std::string_view literal, bool ignore_case) {
  LiteralUnits units;
  if (ignore_case) {
    for_each_code_point(literal, [&](CodePoint code) { units.push_back(case_unit(code)); });
  } else {
    for (const char byte : literal) units.push_back({{std::string(1, byte)}});
  }
  return units;
}

std::string folded(std::string_view literal) {
  std::string result;
  for_each_code_point(literal, [&](CodePoint code) { result += encoded(fold(code)); });
  return result;
}

std::size_t min_bytes(const LiteralUnits& units) {
  std::size_t total = 0;
  for (const LiteralUnit& unit : units) total += unit.min_bytes();
  return total;
}

/// How many bytes at its beginning stand at the same offset in all spellings.
std::size_t fixed_prefix_bytes(const LiteralUnits& units) {
  std::size_t total = 0;
  for (const LiteralUnit& unit : units) {
    if (!unit.has_fixed_size()) break;
    total += unit.min_bytes();
  }
  return total;
}

/// All byte strings that may stand at [offset, offset + width) of the literal, sorted.
std::vector<std::string> windows(const LiteralUnits& units, std::size_t offset, std::size_t width) {
  std::size_t at = 0;
  std::size_t first = 0;
  while (first < units.size() && at + units[first].min_bytes() <= offset) {
    at += units[first++].min_bytes();
  }
  const std::size_t skipped = offset - at;
  std::vector<std::string> heads = {""};
  for (std::size_t i = first; i < units.size(); ++i) {
    heads = extend(heads, units[i], skipped + width);
    const bool full = std::all_of(heads.begin(), heads.end(), [&](const std::string& head) {
      return head.size() == skipped + width;
    });
    if (full) break;
  }
  for (std::string& head : heads) head.erase(0, skipped);
  std::sort(heads.begin(), heads.end());
  heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
  return heads;
}

}  // namespace presso::scan_detail
