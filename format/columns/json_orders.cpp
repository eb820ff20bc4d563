// SPDX-License-Identifier: MIT
// Orders of JSON keys: the check of FORMAT.md 15.2 and the look-up of a row's order by which of
// its values are present. Tested by tests/unit/format/columns/json_orders_test.cpp.
#include "format/columns/json_orders.h"

namespace presso {

Status check_json_orders(const std::vector<JsonOrder>& orders, std::size_t columns) {
  std::size_t keys = 0;
  std::vector<std::size_t> named_by(columns, orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) {
    keys += json_order_cost(orders[i], columns);
    if (keys > kMaxJsonOrderKeys) {
      return make_error(ErrorCode::kInvalidArgument, "too many orders of keys");
    }
    for (const std::uint32_t key : orders[i]) {
      const std::size_t column = key & ~kJsonNull;
      if (column >= columns || named_by[column] == i) {
        return make_error(ErrorCode::kInvalidArgument, "columns in an order of keys");
      }
      named_by[column] = i;
    }
  }
  return {};
}

/// Two orders for the same columns could not be told apart: the first one is kept.
JsonOrders::JsonOrders(const std::vector<JsonOrder>& orders, std::size_t columns)
    : columns_(columns) {
  if (!check_json_orders(orders, columns).ok()) return;
  for (const JsonOrder& order : orders) {
    Presence presence = no_values();
    for (const std::uint32_t key : order) {
      if ((key & kJsonNull) == 0) set(presence, key);
    }
    by_presence_.emplace(std::move(presence), &order);
  }
}

const JsonOrder* JsonOrders::find(const Presence& presence) const {
  const auto found = by_presence_.find(presence);
  return found == by_presence_.end() ? nullptr : found->second;
}

/// Multiplies and folds word by word, with no protection against crafted collisions.
std::size_t JsonOrders::Hash::operator()(const Presence& presence) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : presence) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace presso
