// SPDX-License-Identifier: MIT
// Chooses the columns' order: the commonest orders of keys say which key stands before which, and
// each is taken unless it contradicts what was taken before it (a topological sort tells). So files
// that leave out keys get the order in which their writer had them, whichever row shows a key
// first.
#include "compress/table/text/json_key_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

#include "format/columns/json_orders.h"

namespace presso {
namespace {

constexpr std::size_t kMostShapeKeys = std::size_t{1} << 20;  ///< of all shapes together
/// How many rows must share an order before it is stored in the schema.
constexpr std::uint64_t kLeastRows = 2;
/// Steps that may be spent on ordering columns; later orders are ignored then.
constexpr std::size_t kMostSteps = std::size_t{1} << 27;

/// The column of a key, without the mark of a null value.
std::uint32_t column_of(std::uint32_t key) {
  return key & ~kJsonNull;
}

/// Columns in an order that agrees with all relations taken so far.
class ColumnOrder {
 public:
  explicit ColumnOrder(std::size_t columns) : after_(columns), place_(columns) {
    std::iota(place_.begin(), place_.end(), 0u);
  }

  /// Whether the keys stand in the present order of columns.
  bool holds(const JsonOrder& keys) const {
    return std::is_sorted(keys.begin(), keys.end(), [this](std::uint32_t a, std::uint32_t b) {
      return place_[column_of(a)] < place_[column_of(b)];
    });
  }

  /// Adds the relations of these keys, unless they contradict earlier ones.
  void take(const JsonOrder& keys) {
    if (steps_ > kMostSteps) return;
    // Remembered, so that a contradiction can be taken back.
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
  /// Which of the relations between neighbours are known already.
  std::vector<bool> relations_of(const JsonOrder& keys) const {
    std::vector<bool> known(keys.size());
    for (std::size_t i = 1; i < keys.size(); ++i) {
      known[i] = after_[column_of(keys[i - 1])].count(column_of(keys[i])) != 0;
    }
    return known;
  }

  /// Topological sort (Kahn 1962). Among columns that no relation orders, those that turned up
  /// first come first. False if the relations have a cycle; places are unchanged then.
  bool sort() {
    // How many columns must still come before each.
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

/// Whether some key of the row has the value null.
bool has_null(const JsonOrder& keys) {
  return std::any_of(keys.begin(), keys.end(), [](auto key) { return (key & kJsonNull) != 0; });
}

/// The columns with values, sorted: what tells orders apart later (json_orders.h).
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

/// The shape of the row before is tried first; most rows repeat it.
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

/// The columns of the later part are renumbered.
void JsonKeyOrder::merge(const JsonKeyOrder& later, const std::vector<std::uint32_t>& columns) {
  for (const Shape& shape : later.shapes_) {
    JsonOrder keys;
    for (const std::uint32_t key : shape.keys) {
      keys.push_back(columns[column_of(key)] | (key & kJsonNull));
    }
    add(keys, shape.rows);
  }
}

/// Whether more rows can be printed back by leaving nulls out than by writing every null.
bool JsonKeyOrder::mostly_omits_nulls(std::size_t columns) const {
  std::uint64_t whole = 0;
  std::uint64_t without_nulls = 0;
  for (const Shape& shape : shapes_) {
    if (shape.keys.size() == columns) whole += shape.rows;
    if (!has_null(shape.keys)) without_nulls += shape.rows;
  }
  return without_nulls > whole;
}

// The sort is stable, so that the result does not depend on its implementation.
std::vector<const JsonKeyOrder::Shape*> JsonKeyOrder::commonest_first() const {
  std::vector<const Shape*> shapes;
  for (const Shape& shape : shapes_) shapes.push_back(&shape);
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape* a, const Shape* b) { return a->rows > b->rows; });
  return shapes;
}

/// If several orders have the same columns, only the commonest is stored, because they could not be
/// told apart (json_orders.h). Rows of the others keep their text.
JsonKeyOrder::Choice JsonKeyOrder::choose(std::size_t columns) const {
  const std::vector<const Shape*> shapes = commonest_first();
  Choice choice;
  choice.omits_nulls = mostly_omits_nulls(columns);
  ColumnOrder order(columns);
  for (const Shape* shape : shapes) order.take(shape->keys);
  choice.columns.resize(columns);
  for (std::uint32_t i = 0; i < columns; ++i) choice.columns[order.places()[i]] = i;

  // Sets of columns that have their order already.
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
