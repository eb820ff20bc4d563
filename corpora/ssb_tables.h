// SPDX-License-Identifier: MIT
// The tables of the Star Schema Benchmark (O'Neil, O'Neil, Chen 2009), a data warehouse made of
// TPC-H's: one table of facts, lineorder, and four of what they refer to. Words, nations and prices
// are TPC-H's. Money is whole cents, dates are numbers like 19940131.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "corpora/table_generator.h"

namespace presso::corpora::ssb {

/// The scale factor in hundredths, so that all counts are whole.
struct Scale {
  std::uint64_t hundredths;

  constexpr std::uint64_t suppliers() const { return 20 * hundredths; }
  constexpr std::uint64_t customers() const { return 300 * hundredths; }
  constexpr std::uint64_t orders() const { return 15000 * hundredths; }
  /// 200,000 more each time that the scale factor doubles; below 1 in proportion to it.
  constexpr std::uint64_t parts() const {
    if (hundredths < 100) return 2000 * hundredths;
    std::uint64_t count = 200'000;
    for (std::uint64_t at = 200; at <= hundredths; at *= 2) count += 200'000;
    return count;
  }
};

/// As 19940131.
constexpr std::uint64_t date_key(std::chrono::year_month_day date) {
  return static_cast<std::uint64_t>(static_cast<int>(date.year())) * 10'000 +
         static_cast<unsigned>(date.month()) * 100 + static_cast<unsigned>(date.day());
}
constexpr std::uint64_t date_key(int days_since_1970) {
  return date_key(std::chrono::sys_days{std::chrono::days{days_since_1970}});
}

/// `name` is lineorder, date, customer, supplier or part; null for any other.
std::unique_ptr<TableGenerator> make_ssb_table(std::string_view name, Scale scale);

/// A row is an order, with 1 to 7 lines.
std::unique_ptr<TableGenerator> make_lineorder(Scale scale);
std::unique_ptr<TableGenerator> make_date();

}  // namespace presso::corpora::ssb
