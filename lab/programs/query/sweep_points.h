// SPDX-License-Identifier: MIT
// The conditions that plan_sweep and plan_sweep_gpu ask about the tables of sweep_tables.h, and how
// well estimates order times.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corpora/random.h"

namespace presso::query {

struct Point {
  std::string name;
  bool text = false;  ///< of the table with text
  std::vector<std::string> conditions;
  bool judge = false;  ///< constants of the model were chosen without it
};

/// Selectivities from 0.0005 to 0.9, equal and different ones, of columns without order, sorted, in
/// runs, and correlated; and with LIKE on tokens as the last condition.
std::vector<Point> all_points();

/// Draws items by chance from those in the places [begin, size) and puts them in [begin, end).
template <class Item>
void draw(std::vector<Item>& items, std::size_t begin, std::size_t end, corpora::Random& random) {
  for (std::size_t i = begin; i < end; ++i) {
    std::swap(items[i], items[i + random.below(static_cast<std::uint32_t>(items.size() - i))]);
  }
}

/// Spearman's rank correlation of values that belong together; 0 where all of one are equal.
double spearman(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace presso::query
