// SPDX-License-Identifier: MIT
// In which order a row's keys are written as JSON (TextForm::json_orders). Which of the orders a
// row has follows from which of its values are null, so nothing is stored for a row: writers with
// several kinds of events give each kind its own keys, in its own order. Cost: a bit a column to
// set and a look-up, for tables with such orders alone.
// Tested by tests/unit/format/columns/json_orders_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "presso/error.h"
#include "presso/table_schema.h"

namespace presso {

/// Of all orders of a table together: keys, and words of a bit a column.
constexpr std::size_t kMaxJsonOrderKeys = std::size_t{1} << 20;
/// How many of these an order takes.
constexpr std::size_t json_order_cost(const JsonOrder& order, std::size_t columns) {
  return order.size() + columns / 64 + 1;
}

/// kInvalidArgument: an order names a column twice, or one that there is not, or they are too many.
Status check_json_orders(const std::vector<JsonOrder>& orders, std::size_t columns);

class JsonOrders {
 public:
  JsonOrders() = default;
  /// Kept by reference. Orders that check_json_orders() refuses count as none.
  JsonOrders(const std::vector<JsonOrder>& orders, std::size_t columns);

  bool empty() const { return by_presence_.empty(); }
  /// A bit a column: set where the row has a value.
  using Presence = std::vector<std::uint64_t>;
  Presence no_values() const { return Presence((columns_ + 63) / 64); }
  static void set(Presence& presence, std::size_t column) {
    presence[column / 64] |= std::uint64_t{1} << (column % 64);
  }
  /// nullptr: the columns' own order. Of several orders for the same columns the first counts.
  const JsonOrder* find(const Presence& presence) const;

 private:
  struct Hash {
    std::size_t operator()(const Presence& presence) const;
  };

  std::size_t columns_ = 0;
  std::unordered_map<Presence, const JsonOrder*, Hash> by_presence_;
};

}  // namespace presso
