// SPDX-License-Identifier: MIT
#include "lab/programs/query/sweep_points.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "lab/programs/query/sweep_tables.h"

namespace presso::query {
namespace {

/// Ranks from 0 on; equal ones share the mean.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) rank[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return rank;
}

std::string below(const std::string& column, double share) {
  for (const SweptColumn& one : swept_columns()) {
    if (one.name != column) continue;
    const double bound = std::max(1.0, std::round(share * static_cast<double>(1u << one.bits)));
    return column + " < " + std::to_string(static_cast<long>(bound));
  }
  return column + " like '%" +
         (share < 0.01  ? "special"
          : share < 0.2 ? "requests"
                        : "deposits") +
         "%'";
}

Point point(const std::string& kind, const std::vector<std::string>& columns,
            const std::vector<double>& shares) {
  Point made;
  made.name = kind;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    char text[32];
    std::snprintf(text, sizeof text, "%s%g", i == 0 ? " " : "/", shares[i]);
    made.name += text;
    made.conditions.push_back(below(columns[i], shares[i]));
    made.text = made.text || columns[i] == "note";
  }
  return made;
}

}  // namespace

double spearman(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> a = ranks(x);
  const std::vector<double> b = ranks(y);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
}

std::vector<Point> all_points() {
  std::vector<Point> points;
  const std::vector<std::string> abcd = {"a", "b", "c", "d"};
  for (const double s : {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.9}) {
    points.push_back(point("equal", {"a", "b", "c", "d"}, {s, s, s, s}));
    points.push_back(point("equal", {"b", "c", "d"}, {s, s, s}));
  }
  for (const double s : {0.001, 0.01, 0.1, 0.4, 0.9}) {
    points.push_back(point("varied", {"a", "b", "c"}, {s, 0.5, 0.5}));
    points.push_back(point("varied", {"a", "b", "c"}, {0.1, s, 0.8}));
    points.push_back(point("pair", {"a", "d"}, {0.5, s}));
  }
  points.push_back(point("spread", abcd, {0.001, 0.01, 0.1, 0.9}));
  points.push_back(point("spread", abcd, {0.9, 0.1, 0.01, 0.001}));
  points.push_back(point("spread", abcd, {0.02, 0.5, 0.02, 0.5}));
  for (const double s : {0.01, 0.1, 0.5}) {
    points.push_back(point("sorted", {"sorted", "b", "c"}, {s, 0.1, 0.5}));
    points.push_back(point("sorted", {"b", "c", "sorted"}, {0.01, 0.5, s}));
    points.push_back(point("runs", {"a", "runs", "c"}, {0.1, s, 0.5}));
    points.push_back(point("runs", {"a", "b", "runs", "d"}, {0.002, 0.1, s, 0.5}));
    points.push_back(point("correlated", {"a", "near", "c"}, {s, s, 0.5}));
    points.push_back(point("correlated", {"a", "far", "c"}, {s, s, 0.01}));
    points.push_back(point("correlated", {"a", "near", "far", "d"}, {s, s, 0.9, 0.3}));
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i].judge = i % 2 == 1;
  for (const double s : {0.0005, 0.01, 0.1, 0.4, 0.003, 0.05, 0.2}) {
    for (const double like : {0.001, 0.05, 0.4}) {
      points.push_back(point("like", {"a", "b", "note"}, {s, s, like}));
      points.back().judge = s == 0.003 || s == 0.05 || s == 0.2;
    }
  }
  return points;
}

}  // namespace presso::query
