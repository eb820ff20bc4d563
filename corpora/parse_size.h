// SPDX-License-Identifier: MIT
// Numbers and sizes in the options of the generators.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace presso::corpora {

inline std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// K, M, G are powers of 1024; at most 2^40 of a unit.
inline std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::size_t unit = text.empty() ? 0 : std::string_view("KMG").find(text.back()) + 1;
  if (unit != 0) text.remove_suffix(1);
  const std::optional<std::uint64_t> value = parse_number(text);
  if (!value || *value > (std::uint64_t{1} << 40)) return std::nullopt;
  return *value << (10 * unit);
}

}  // namespace presso::corpora
