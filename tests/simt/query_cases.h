// SPDX-License-Identifier: MIT
// Tables and queries for tests of queries on a GPU, in the emulator (query_on_gpu_test.cpp) and on
// a device (tests/gpu/query_on_device_test.cpp).
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

inline constexpr Asked kAsked[] = {
    {"day between 1994-01-01 and 1995-06-30"},
    {"day >= 1994-01-01 and discount between 0.02 and 0.06 and price < 500"},
    {"word = 'MAIL' or word = 'SHIP'"},
    {"word in ('AIR', 'RAIL', 'FOB')"},
    {"word like '%AIR%' and id < 2000"},
    {"maybe < 0"},
    {"maybe is null"},
    {"maybe is not null and run = 3"},
    {"(run = 2 or maybe > 100) and walk > 1100"},
    {"not (maybe > 100)"},
    {"walk between 1050 and 1200 and wide < 0"},
    {"real < 500.5"},
    {"real <> 17.3 and price in (100.50, 200.25, 300.75)"},
    {"id < maybe * 10"},
    {"walk > run * 500 and maybe <> run"},
    {"wide > id * 1000000 and wide - id <> 7"},
    {"id < 100", "", "count(*), sum(price), min(day), max(day)"},
    {"", "", "sum(price * (1 - discount)), avg(price), count(maybe), sum(maybe), min(maybe)"},
    {"", "", "sum(wide), avg(wide), min(wide), max(wide), sum(walk)"},
    {"id < 0", "", "count(*), sum(price), min(day), avg(maybe)"},
    {"", "word", "count(*), sum(price), sum(price * (1 - discount)), avg(discount)"},
    {"day > 1995-01-01", "word, run", "count(*), sum(maybe), max(maybe), min(walk)"},
    {"", "maybe", "count(*), sum(id)"},
    {"run > 2", "maybe, word", "count(*), sum(price), avg(maybe)"},
    {"", "day", "count(*), min(id), max(walk)"},
    {"maybe > 0", "run + 1", "count(*), sum(maybe - run)"},
    {"", "word", "sum(-maybe), count(price), count(maybe)"},
    {"id < walk and discount > 0.03", "",
     "sum(case when run > 3 or walk < id and run = 1 then price when walk > id then 0 else walk "
     "end), count(*)"},
    {"run > 1", "case when id < 3000 then run + 1 else 0 end",
     "count(*), max(case when discount > 0.05 then wide else id end)"},
    {"id < walk", "word", "count(*), sum(price)"},
    {"id < walk", "", "sum(price * (1 - discount))"},
    // Few values are far from all others, or run on.
    {"odd < 30", "", "sum(odd + run), max(odd), min(run)"},
    {"odd > 40 and price < 200", "run", "sum(odd), count(*), max(odd - run)"},
    {"run between 2 and 5", "run, word", "min(odd), sum(run)"},
    {"", "", "sum(run), sum(odd)"},
    // Looked up: expressions of a column that has few values.
    {"length(word) = 4 and run % 3 = 1", "year(day)",
     "count(*), sum(case when word like 'R%' "
     "then price else 0 end)"},
    {"word <> 'FOB'", "length(word) + run", "count(*), max(year(day) * run)"},
    {"maybe / 2 > 20", "", "count(*), sum(abs(maybe)), sum(coalesce(run, 7))"},
    // Null where their columns are not, and the other way round.
    {"", "word",
     "sum(case when maybe is not null then 5 end), count(case when run = 3 then 1 end)"},
    {"", "", "count(coalesce(maybe, 0)), count(case when maybe > 3 then maybe end), count(-maybe)"},
    {"(case when maybe is not null then 1 end) = 1", "", "count(*), sum(coalesce(maybe, run))"},
    // In a table of keys.
    {"", "wide", "count(*), sum(price), min(day)"},
    {"run > 2", "wide", "sum(maybe)"},
    {"maybe > 0", "id, walk, word", "sum(wide), count(*)"},
    {"", "maybe, id", "max(price)"},
    {"", "wide + id", "count(*), avg(maybe)"},
};

}  // namespace presso::test
