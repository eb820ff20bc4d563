// SPDX-License-Identifier: MIT
// all_spellings(): the product of the spellings of a string's letters. Declines (nullopt) an
// empty list, an empty string, and one of more than kMostSpellings (64) spellings.
#include "scan/literal/literal_spellings.h"

#include <algorithm>

#include "scan/literal/literal_units.h"

namespace presso::scan_detail {
namespace {

constexpr std::size_t kMostSpellings = 64;

/// The variants of a unit with ASCII letters in lower case, each once.
std::vector<std::string> without_case(const LiteralUnit& unit) {
  std::vector<std::string> variants;
  for (std::string variant : unit.variants) {
    for (char& byte : variant) {
      if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
    }
    variants.push_back(std::move(variant));
  }
  std::sort(variants.begin(), variants.end());
  variants.erase(std::unique(variants.begin(), variants.end()), variants.end());
  return variants;
}

/// All spellings of one string, or none if there would be more than kMostSpellings.
std::vector<std::string> spellings_of(const std::string& string) {
  std::vector<std::string> spellings{std::string()};
  for (const LiteralUnit& unit : units_of(string, true)) {
    const std::vector<std::string> variants = without_case(unit);
    if (spellings.size() * variants.size() > kMostSpellings) return {};
    std::vector<std::string> longer;
    for (const std::string& spelling : spellings) {
      for (const std::string& variant : variants) longer.push_back(spelling + variant);
    }
    spellings = std::move(longer);
  }
  return spellings;
}

}  // namespace

/// The literals, with all spellings where case is ignored; nullopt where a string has too many.
std::optional<LineLiterals> all_spellings(const std::vector<std::string>& strings,
                                          const PatternOptions& options) {
  LineLiterals all;
  all.ignore_ascii_case = options.ignore_case;
  all.exact = options.bounds == MatchBounds::kNone;
  for (const std::string& string : strings) {
    if (string.empty()) return std::nullopt;
    if (!options.ignore_case) {
      all.any_of.push_back(string);
      continue;
    }
    const std::vector<std::string> spellings = spellings_of(string);
    if (spellings.empty()) return std::nullopt;
    all.any_of.insert(all.any_of.end(), spellings.begin(), spellings.end());
  }
  if (all.any_of.empty()) return std::nullopt;
  return all;
}

}  // namespace presso::scan_detail
