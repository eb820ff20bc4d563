// SPDX-License-Identifier: MIT
// A table for tests of queries on a GPU, about which tests/queries/one_table.txt asks.
#pragma once

#include <string>

#include "corpora/random.h"
#include "tests/simt/queried_table.h"

namespace presso::test {

/// A column of every kind of vector, with and without nulls.
inline std::string make_csv(int rows, unsigned seed) {
  static const char* const kWords[] = {"AIR", "MAIL", "RAIL", "SHIP", "TRUCK", "FOB", "REG AIR"};
  corpora::Random random(seed);
  std::string csv = "id,day,price,discount,word,maybe,run,walk,wide,odd,real\n";
  long walk = 1000;
  int run = 0;
  for (int i = 0; i < rows; ++i) {
    walk += static_cast<long>(random.below(40)) - 15;
    if (random.below(30) == 0) run = static_cast<int>(random.below(9));
    const auto cents = random.below(90'000) + 10'000;
    const auto wide = static_cast<long long>(random.below(1u << 30)) * 4'000'000'007;
    const std::string fields[] = {
        std::to_string(i * 3),
        std::to_string(1992 + random.below(7))
            .append("-0")
            .append(std::to_string(1 + random.below(9)).append("-1") +
                    std::to_string(random.below(10))),
        std::to_string(cents / 100).append(".").append(std::to_string(cents % 100 / 10)) +
            std::to_string(cents % 10),
        std::string("0.0").append(std::to_string(random.below(10))),
        kWords[random.below(7)],
        random.below(5) == 0 ? "" : std::to_string(static_cast<int>(random.below(500)) - 250),
        std::to_string(run),
        std::to_string(walk),
        std::to_string(random.below(2) == 0 ? wide : -wide),
        std::to_string(random.below(90) == 0 ? wide % 70'000'000'000 : random.below(50)),
        std::to_string(random.below(1000))
            .append(random.below(2) == 0 ? ".0" : ".")
            .append(std::to_string(1 + random.below(9)))};
    for (const std::string& field : fields) csv.append(field).push_back(',');
    csv.back() = '\n';
  }
  return csv;
}

}  // namespace presso::test
