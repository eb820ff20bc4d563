// SPDX-License-Identifier: MIT
// The conditions that plan_sweep and plan_sweep_gpu ask about the tables of sweep_tables.h, and how
// well estimates order times.
#pragma once

#include <string>
#include <vector>

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

/// Spearman's rank correlation of values that belong together; 0 where all of one are equal.
double spearman(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace presso::query
