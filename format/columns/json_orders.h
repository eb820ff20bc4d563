// SPDX-License-Identifier: MIT
// The order in which a row's keys are written as JSON (TextForm::json_orders). It follows from
// which of the row's values are null, so nothing is stored for a row: programs that write several
// kinds of events give each kind its own keys, in an order of its own. Only tables with such orders
// pay: for each row a bit is set for each value and one look-up made. Which orders a table has is
// decided when it is made (compress/table/text/json_key_order.h).
// Tested by tests/unit/format/columns/json_orders_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "presso/error.h"
#include "presso/table_schema.h"

namespace presso {

/// The limit for all orders of a table together, in units of json_order_cost().
constexpr std::size_t kMaxJsonOrderKeys = std::size_t{1} << 20;
/// What an order counts towards the limit: its keys, and one for each begun 64 columns.
constexpr std::size_t json_order_cost(const JsonOrder& order, std::size_t columns) {
  return order.size() + columns / 64 + 1;
}

/// kInvalidArgument where an order names a column twice or one that does not exist, or where
/// all together are beyond the limit.
Status check_json_orders(const std::vector<JsonOrder>& orders, std::size_t columns);

/// The look-up from present columns to order. Immutable after construction, so threads may
/// share it.
class JsonOrders {
 public:
  JsonOrders() = default;
  /// Keeps the orders by reference. Orders that check_json_orders() refuses are ignored.
  JsonOrders(const std::vector<JsonOrder>& orders, std::size_t columns);

  bool empty() const { return by_presence_.empty(); }
  /// A bit for each column, set where the row has a value.
  using Presence = std::vector<std::uint64_t>;
  Presence no_values() const { return Presence((columns_ + 63) / 64); }
  static void set(Presence& presence, std::size_t column) {
    presence[column / 64] |= std::uint64_t{1} << (column % 64);
  }
  /// The order for these columns; nullptr means the columns' own order.
  const JsonOrder* find(const Presence& presence) const;

 private:
  struct Hash {
    std::size_t operator()(const Presence& presence) const;
  };

  std::size_t columns_ = 0;
  std::unordered_map<Presence, const JsonOrder*, Hash> by_presence_;
};

}  // namespace presso
