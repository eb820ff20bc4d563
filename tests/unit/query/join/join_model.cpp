// SPDX-License-Identifier: MIT
#include "tests/unit/query/join/join_model.h"

#include <algorithm>
#include <cmath>

#include "corpora/random.h"

namespace presso::query::join::test {
namespace {

constexpr std::uint64_t kLast = ~std::uint64_t{0};

template <class KeyOf>
Words keys_of(std::size_t count, KeyOf&& key_of) {
  Words keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = key_of(i);
  return keys;
}

void shuffle(Words& keys, std::uint64_t seed) {
  corpora::Random random(seed);
  for (std::size_t i = keys.size(); i > 1; --i) {
    std::swap(keys[i - 1], keys[random.below(static_cast<std::uint32_t>(i))]);
  }
}

/// Some of the build side's keys, some beside them.
Words probes_near(const Words& build, std::size_t count, std::uint64_t seed) {
  corpora::Random random(seed);
  return keys_of(count, [&](std::size_t) {
    const std::uint64_t key = build.empty()
                                  ? random.next()
                                  : build[random.below(static_cast<std::uint32_t>(build.size()))];
    return random.one_in(3) ? key + random.below(3) - 1 : key;
  });
}

void add_case(std::vector<JoinCase>& cases, std::string name, Words build, std::size_t probes) {
  JoinCase result{std::move(name), std::move(build), {}, {}, {}};
  result.probe = probes_near(result.build, probes, cases.size());
  if (cases.size() % 3 == 1) std::sort(result.probe.begin(), result.probe.end());
  cases.push_back(std::move(result));
}

}  // namespace

Words zipf_keys(std::size_t count, std::uint32_t limit, double exponent, std::uint64_t seed) {
  std::vector<double> sums(limit);
  double sum = 0;
  for (std::uint32_t rank = 0; rank < limit; ++rank) {
    sum += std::pow(rank + 1.0, -exponent);
    sums[rank] = sum;
  }
  corpora::Random random(seed);
  return keys_of(count, [&](std::size_t) {
    const double at = sum * static_cast<double>(random.below(1u << 30)) / (1u << 30);
    return static_cast<std::uint64_t>(std::upper_bound(sums.begin(), sums.end(), at) -
                                      sums.begin());
  });
}

Words some_bits(std::size_t count, std::uint32_t one_in, std::uint64_t seed) {
  corpora::Random random(seed);
  Words bits(count / 64 + 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (!random.one_in(one_in)) bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return bits;
}

std::vector<JoinCase> join_cases(std::size_t rows, std::size_t probes) {
  std::vector<JoinCase> cases;
  corpora::Random random(rows);
  const auto limit = static_cast<std::uint32_t>(rows);
  add_case(cases, "no build rows", {}, probes);
  add_case(cases, "no probe rows", keys_of(rows, [](auto i) { return i; }), 0);
  add_case(cases, "ascending", keys_of(rows, [](auto i) { return 5 + i; }), probes);
  Words shuffled = keys_of(rows, [](auto i) { return 1000 + 3 * i; });
  shuffle(shuffled, 1);
  add_case(cases, "shuffled", shuffled, probes);
  for (const unsigned shift : {5u, 24u, 44u}) {
    add_case(cases, "strided by 2^" + std::to_string(shift),
             keys_of(rows, [&](auto i) { return std::uint64_t{i} << shift; }), probes);
  }
  add_case(cases, "random", keys_of(rows, [&](auto) { return random.next(); }), probes);
  add_case(cases, "random of half as many",
           keys_of(rows, [&](auto) { return random.below(limit / 2 + 1); }), probes);
  add_case(cases, "ascending fours", keys_of(rows, [](auto i) { return (i / 4) << 30; }), probes);
  for (const double exponent : {0.0, 0.5, 1.0, 1.5}) {
    add_case(cases, "Zipf " + std::to_string(exponent),
             zipf_keys(rows, limit / 4 + 1, exponent, rows), probes);
  }
  add_case(cases, "all equal", Words(rows, 77), probes / 50 + 3);
  add_case(cases, "all last", Words(rows, kLast), probes / 50 + 3);
  add_case(
      cases, "extremes",
      keys_of(rows / 20,
              [&](auto) { return random.one_in(2) ? kLast - random.below(3) : random.below(3); }),
      probes);
  const std::size_t plain = cases.size();
  for (std::size_t i = 0; i < plain; ++i) {
    JoinCase nulls = cases[i];
    nulls.name += ", nulls";
    nulls.build_validity = some_bits(nulls.build.size(), 7, i);
    nulls.probe_validity = some_bits(nulls.probe.size(), 5, i + 1);
    cases.push_back(std::move(nulls));
  }
  JoinCase no_keys{"nothing but nulls", Words(rows, 4), Words(probes, 4), Words(rows / 64 + 1), {}};
  cases.push_back(std::move(no_keys));
  return cases;
}

std::vector<std::vector<std::uint32_t>> expected_rows(const JoinCase& which) {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> rows;
  const auto is_set = [](const Words& bits, std::size_t i) {
    return bits.empty() || ((bits[i / 64] >> (i % 64)) & 1) != 0;
  };
  for (std::size_t i = 0; i < which.build.size(); ++i) {
    if (!is_set(which.build_validity, i)) continue;
    rows[which.build[i]].push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<std::vector<std::uint32_t>> result(which.probe.size());
  for (std::size_t i = 0; i < which.probe.size(); ++i) {
    const auto found = rows.find(which.probe[i]);
    if (found != rows.end() && is_set(which.probe_validity, i)) result[i] = found->second;
  }
  return result;
}

}  // namespace presso::query::join::test
