// SPDX-License-Identifier: MIT
// Tables with columns of strings that row groups store in all forms, for tests of joins and groups
// whose keys these are, and of conditions on them (tests/queries/strings.txt).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corpora/random.h"
#include "decompress/table/group_reader.h"
#include "presso/sql.h"
#include "tests/simt/queried_table.h"
#include "tests/simt/string_query_cases.h"

namespace presso::test {

/// String number `i` of some thousands: of 1 to 300 bytes, some of which share their front.
inline std::string key_string(std::uint32_t i) {
  corpora::Random random(i % 5 == 4 ? i - 1 : i);
  std::string text = sentence(random, i % 9 == 8 ? 40 : 7);
  if (i % 5 == 4) text += " ironic";
  if (i % 31 == 0) text.resize(1 + i / 31 % 16, 'x');
  return text.substr(0, 300);
}

/// Digits, which are smaller as bytes than as tokens: 16 of them, or some more or fewer, some of
/// which share their front.
inline std::string hex_string(std::uint32_t i) {
  const auto digits = [](std::uint64_t number) {
    constexpr std::uint64_t kMixer = 0x9E3779B97F4A7C15u;
    number = (number + 1) * kMixer;
    number = (number ^ number >> 29) * kMixer;
    std::string text(16, '0');
    for (char& digit : text) {
      digit = "0123456789abcdef"[number >> 60];
      number <<= 4;
    }
    return text;
  };
  std::string text = digits(i % 5 == 4 ? i - 1 : i);
  if (i % 5 == 4) text += digits(i).substr(0, 1 + i % 14);
  if (i % 31 == 0) text.resize(1 + i / 31 % 16, 'x');
  return text;
}

/// Row groups of `sides` and `facts` store their keys as a dictionary, as tokens or bytes, or as
/// null.
struct KeyedTables {
  enum class Form { kTokens, kBytes, kMixed };
  static constexpr std::uint32_t kGroupRows = 2300;

  explicit KeyedTables(Form form)
      : facts(make_facts(form), kGroupRows),
        sides(make_sides(form), kGroupRows),
        more(make_more(form), kGroupRows) {}

  /// Of a row group's number: where they are mixed those with an even one store bytes, others
  /// tokens.
  static std::string string(Form form, std::uint32_t group, std::uint32_t number) {
    const bool is_hex = form == Form::kMixed ? group % 2 == 0 : form == Form::kBytes;
    return is_hex ? hex_string(number) : key_string(number);
  }
  /// A whole row group of each form. `group`: what string() is to take for it.
  static std::string key(Form form, corpora::Random& random, std::uint32_t row,
                         std::uint32_t group) {
    switch (row / kGroupRows % 4) {
      case 1:
        return string(form, random.below(2), random.below(30));
      case 3:
        return "";
      default:
        if (random.below(60) == 0) return "\"\"";  // the empty string
        return random.below(9) == 0 ? "" : string(form, group, random.below(12000));
    }
  }
  static std::string make_facts(Form form, unsigned seed = 1) {
    corpora::Random random(seed);
    std::string csv = "id,fact_key,x,other_key\n";
    for (std::uint32_t i = 0; i < 5 * kGroupRows - 100; ++i) {
      const std::uint32_t group = i / kGroupRows;
      csv += std::to_string(i) + "," + key(form, random, i, group / 2) + "," +
             std::to_string(random.below(5)) + "," + string(form, group, random.below(12000)) +
             "\n";
    }
    return csv;
  }
  static std::string make_sides(Form form) {
    corpora::Random random(2);
    std::string csv = "side_id,side_key,y,size\n";
    for (std::uint32_t i = 0; i < 4 * kGroupRows; ++i) {
      csv += std::to_string(i) + "," + key(form, random, i, i / kGroupRows / 2 + 1) + "," +
             std::to_string(random.below(5)) + "," + std::to_string(random.below(100)) + "\n";
    }
    return csv;
  }
  static std::string make_more(Form form) {
    std::string csv = "more_key,z\n";
    for (std::uint32_t i = 0; i < 1600; ++i) {
      csv += string(form, 0, i * 7) + "," + std::to_string(i % 30) + "\n";
    }
    return csv;
  }

  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    std::vector<Table> tables{table(parsed->from.path)};
    for (const SqlJoin& join : parsed->joins) tables.push_back(table(join.source.path));
    return Query::from(*parsed, statement, std::move(tables));
  }
  const Table& table(const std::string& name) const {
    return name == "facts" ? *facts.table : name == "sides" ? *sides.table : *more.table;
  }

  MadeTable facts, sides, more;
};

inline Representation form_of(const Table& table, std::uint64_t group, const char* column) {
  const auto reader = GroupReader::open(table, group);
  EXPECT_TRUE(reader.ok());
  return (*reader)->chunk(*table.find_column(column)).representation;
}

}  // namespace presso::test
