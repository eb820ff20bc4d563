// SPDX-License-Identifier: MIT
// What TPC-H's tables agree on (section 4.2.3 of the specification): how many rows there are, which
// keys exist, what a part costs, who supplies it, and what stands in an order. Everything follows
// from a row's number; money is in cents, percentages in hundredths, dates in days since 1970.
#pragma once

#include <array>
#include <cstdint>

namespace presso::corpora::tpch {

/// The scale factor in hundredths, so that all counts are whole. At whole hundredths the four
/// suppliers of a part are different ones.
struct Scale {
  std::uint64_t hundredths;

  constexpr std::uint64_t suppliers() const { return 100 * hundredths; }
  constexpr std::uint64_t customers() const { return 1500 * hundredths; }
  constexpr std::uint64_t parts() const { return 2000 * hundredths; }
  constexpr std::uint64_t orders() const { return 15000 * hundredths; }
  constexpr std::uint64_t clerks() const { return 10 * hundredths; }
};

inline constexpr int kStartDate = 8035;    ///< 1992-01-01
inline constexpr int kCurrentDate = 9298;  ///< 1995-06-17
inline constexpr int kEndDate = 10591;     ///< 1998-12-31
inline constexpr std::uint32_t kSuppliersOfPart = 4;
inline constexpr std::uint32_t kMaxLines = 7;

/// In cents.
constexpr std::int64_t retail_price(std::uint64_t part) {
  return static_cast<std::int64_t>(90000 + (part / 10) % 20001 + 100 * (part % 1000));
}

/// The `i`-th of a part's four suppliers.
constexpr std::uint64_t supplier_of(std::uint64_t part, std::uint64_t i, Scale scale) {
  const std::uint64_t count = scale.suppliers();
  return (part + i * (count / 4 + (part - 1) / count)) % count + 1;
}

/// Of every 32 keys only 8 are used. `row` counts from 0.
constexpr std::uint64_t order_key(std::uint64_t row) {
  const std::uint64_t number = row + 1;
  return (number >> 3) << 5 | (number & 7);
}

struct Line {
  std::uint64_t part;
  std::uint64_t supplier;
  std::uint32_t quantity;
  std::int64_t extended_price;
  std::uint32_t discount;
  std::uint32_t tax;
  int ship_date;
  int commit_date;
  int receipt_date;
  char return_flag;
  char status;
};

struct Order {
  std::uint64_t key;
  std::uint64_t customer;
  int date;
  char status;
  std::int64_t total_price;
  std::uint32_t line_count;
  std::array<Line, kMaxLines> lines;
};

/// What tables orders and lineitem say of the order, less words and comments.
Order make_order(std::uint64_t row, Scale scale);

}  // namespace presso::corpora::tpch
