// SPDX-License-Identifier: MIT
// One of five files by whose compilation tests/house/build_time.py measures a machine. None
// changes.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

double median_of_shuffled(unsigned count) {
  std::vector<double> values(count + 1);
  std::iota(values.begin(), values.end(), 0.5);
  std::mt19937_64 random(7);
  std::shuffle(values.begin(), values.end(), random);
  std::stable_sort(values.begin(), values.end(), [](double a, double b) { return a > b; });
  std::nth_element(values.begin(), values.begin() + count / 2, values.end());
  return values[count / 2];
}
