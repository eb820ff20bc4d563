// SPDX-License-Identifier: MIT
// The columns' order: what the commonest orders say of which key stands before which, each taken in
// as long as all of it can be had in one order. So files that leave out keys get the order in which
// their writer had them, whatever row shows which key first.
#include "compress/table/text/json_key_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

#include "format/columns/json_orders.h"

namespace presso {
namespace {

constexpr std::size_t kMostShapeKeys = std::size_t{1} << 20;
/// Rows that must share an order before it is worth a place in the schema.
constexpr std::uint64_t kLeastRows = 2;
/// Steps that may be spent on the order of columns.
constexpr std::size_t kMostSteps = std::size_t{1} << 27;

std::uint32_t column_of(std::uint32_t key) {
  return key & ~kJsonNull;
}

/// Columns in an order in which all relations taken in so far hold.
class ColumnOrder {
 public:
  explicit ColumnOrder(std::size_t columns) : after_(columns), place_(columns) {
    std::iota(place_.begin(), place_.end(), 0u);
  }

  bool holds(const JsonOrder& keys) const {
    return std::is_sorted(keys.begin(), keys.end(), [this](std::uint32_t a, std::uint32_t b) {
      return place_[column_of(a)] < place_[column_of(b)];
    });
  }

  /// Takes the keys' order in where that is possible.
  void take(const JsonOrder& keys) {
    if (steps_ > kMostSteps) return;
    const auto before = relations_of(keys);
    for (std::size_t i = 1; i < keys.size(); ++i) {
      after_[column_of(keys[i - 1])].insert(column_of(keys[i]));
    }
    if (holds(keys) || sort()) return;
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (!before[i]) after_[column_of(keys[i - 1])].erase(column_of(keys[i]));
    }
  }
  const std::vector<std::uint32_t>& places() const { return place_; }

 private:
  /// Which of the relations between neighbours are known.
  std::vector<bool> relations_of(const JsonOrder& keys) const {
    std::vector<bool> known(keys.size());
    for (std::size_t i = 1; i < keys.size(); ++i) {
      known[i] = after_[column_of(keys[i - 1])].count(column_of(keys[i])) != 0;
    }
    return known;
  }

  /// Of columns that nothing puts in order, those stand first that turned up first. False where
  /// there is no order; places stay as they were then.
  bool sort() {
    std::vector<std::uint32_t> open(after_.size(), 0);
    for (const auto& later : after_) {
      steps_ += later.size() + 1;
      for (const std::uint32_t column : later) ++open[column];
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < open.size(); ++i) {
      if (open[i] == 0) ready.push(i);
    }
    std::vector<std::uint32_t> place(after_.size());
    std::uint32_t placed = 0;
    while (!ready.empty()) {
      const std::uint32_t column = ready.top();
      ready.pop();
      place[column] = placed++;
      for (const std::uint32_t later : after_[column]) {
        if (--open[later] == 0) ready.push(later);
      }
    }
    if (placed != after_.size()) return false;
    place_ = std::move(place);
    return true;
  }

  std::vector<std::set<std::uint32_t>> after_;
  std::vector<std::uint32_t> place_;
  std::size_t steps_ = 0;
};

bool has_null(const JsonOrder& keys) {
  return std::any_of(keys.begin(), keys.end(), [](auto key) { return (key & kJsonNull) != 0; });
}

/// The columns of a row that have values.
JsonOrder presence_of(const JsonOrder& keys) {
  JsonOrder values;
  for (const std::uint32_t key : keys) {
    if ((key & kJsonNull) == 0) values.push_back(key);
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

std::size_t JsonKeyOrder::Hash::operator()(const JsonOrder& keys) const {
  std::uint64_t hash = keys.size();
  for (const std::uint32_t key : keys) {
    hash = (hash ^ key) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

void JsonKeyOrder::add(const JsonOrder& shape, std::uint64_t rows) {
  if (last_ < shapes_.size() && shapes_[last_].keys == shape) {
    shapes_[last_].rows += rows;
    return;
  }
  const auto found = number_of_.find(shape);
  if (found != number_of_.end()) {
    last_ = found->second;
    shapes_[last_].rows += rows;
    return;
  }
  if (shapes_.size() == kMostShapes || keys_ + shape.size() > kMostShapeKeys) return;
  keys_ += shape.size();
  last_ = shapes_.size();
  number_of_.emplace(shape, last_);
  shapes_.push_back({shape, rows});
}

void JsonKeyOrder::merge(const JsonKeyOrder& later, const std::vector<std::uint32_t>& columns) {
  for (const Shape& shape : later.shapes_) {
    JsonOrder keys;
    for (const std::uint32_t key : shape.keys) {
      keys.push_back(columns[column_of(key)] | (key & kJsonNull));
    }
    add(keys, shape.rows);
  }
}

/// Whether more rows can be given back so than with every null written out.
bool JsonKeyOrder::mostly_omits_nulls(std::size_t columns) const {
  std::uint64_t whole = 0;
  std::uint64_t without_nulls = 0;
  for (const Shape& shape : shapes_) {
    if (shape.keys.size() == columns) whole += shape.rows;
    if (!has_null(shape.keys)) without_nulls += shape.rows;
  }
  return without_nulls > whole;
}

std::vector<const JsonKeyOrder::Shape*> JsonKeyOrder::commonest_first() const {
  std::vector<const Shape*> shapes;
  for (const Shape& shape : shapes_) shapes.push_back(&shape);
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape* a, const Shape* b) { return a->rows > b->rows; });
  return shapes;
}

JsonKeyOrder::Choice JsonKeyOrder::choose(std::size_t columns) const {
  const std::vector<const Shape*> shapes = commonest_first();
  Choice choice;
  choice.omits_nulls = mostly_omits_nulls(columns);
  ColumnOrder order(columns);
  for (const Shape* shape : shapes) order.take(shape->keys);
  choice.columns.resize(columns);
  for (std::uint32_t i = 0; i < columns; ++i) choice.columns[order.places()[i]] = i;

  std::set<JsonOrder> settled;
  std::size_t keys = 0;
  for (const Shape* shape : shapes) {
    if (!settled.insert(presence_of(shape->keys)).second) continue;
    const bool all = shape->keys.size() == columns;
    const bool plain = choice.omits_nulls ? !has_null(shape->keys) : all;
    if (plain && order.holds(shape->keys)) continue;
    keys += json_order_cost(shape->keys, columns);
    if (shape->rows < kLeastRows || keys > kMaxJsonOrderKeys) break;
    JsonOrder& renumbered = choice.orders.emplace_back();
    for (const std::uint32_t key : shape->keys) {
      renumbered.push_back(order.places()[column_of(key)] | (key & kJsonNull));
    }
  }
  return choice;
}

}  // namespace presso
