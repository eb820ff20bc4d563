// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "corpora/table_generator.h"
#include "corpora/tpch_rules.h"

namespace presso::corpora::tpch {

/// Null if TPC-H has no such table.
std::unique_ptr<TableGenerator> make_tpch_table(std::string_view name, Scale scale);

/// The tables orders and lineitem.
std::unique_ptr<TableGenerator> make_orders(Scale scale);
std::unique_ptr<TableGenerator> make_lineitem(Scale scale);

inline constexpr std::uint32_t kLongestAddress = 40;
/// The specification's v-string: 10 to `most` <= kLongestAddress letters of an alphabet of 64.
void append_address(Random& random, std::uint32_t most, RowWriter& to);
void append_phone(Random& random, std::uint32_t nation, RowWriter& to);

template <std::size_t N>
std::string_view pick(Random& random, const std::array<std::string_view, N>& words) {
  return words[random.below(N)];
}

}  // namespace presso::corpora::tpch
