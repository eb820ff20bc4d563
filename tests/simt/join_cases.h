// SPDX-License-Identifier: MIT
// Tables that are joined, about which tests/queries/joins.txt asks.
#pragma once

#include <string>
#include <vector>

#include "corpora/random.h"
#include "presso/sql.h"
#include "tests/simt/queried_table.h"

namespace presso::test {

/// facts: many rows, of which each has a part, a place (two keys) and perhaps a maker. parts: keys
/// with gaps, which come once. places: two columns are the key. makers: wide keys, negative ones
/// among them. twice: keys that come twice. deals: wide keys that repeat several times. lands: keys
/// that are strings, some null, some twice. many, same: one key.
class JoinedTables {
 public:
  /// `times`: how many times as large the tables are that are joined to facts, and ranges of keys.
  JoinedTables(int rows, std::uint32_t group_rows, int times = 1)
      : times_(times),
        facts_(facts(rows), group_rows),
        parts_(parts(), group_rows),
        places_(places(), group_rows),
        makers_(makers(), group_rows),
        twice_(twice(), group_rows),
        deals_(deals(), group_rows),
        lands_(lands(), group_rows),
        many_(ones(200, "id"), group_rows),
        same_(ones(150, "other"), group_rows) {}

  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    std::vector<Table> tables{table(parsed->from.path)};
    for (const SqlJoin& join : parsed->joins) tables.push_back(table(join.source.path));
    return Query::from(*parsed, statement, std::move(tables));
  }

  static constexpr const char* kNames[] = {"facts", "parts", "places", "makers",
                                           "twice", "deals", "many",   "same"};
  const Table& table(const std::string& name) const {
    const MadeTable& made = name == "facts"    ? facts_
                            : name == "parts"  ? parts_
                            : name == "places" ? places_
                            : name == "makers" ? makers_
                            : name == "deals"  ? deals_
                            : name == "lands"  ? lands_
                            : name == "many"   ? many_
                            : name == "same"   ? same_
                                               : twice_;
    return *made.table;
  }

 private:
  static constexpr int kParts = 500;
  static constexpr int kPlaces = 12;
  static constexpr long long kMakerStep = 3'000'000'019;

  static std::string number(long long value) { return std::to_string(value); }
  std::uint32_t scaled(int size) const { return static_cast<std::uint32_t>(size * times_); }
  static std::string line(const std::vector<std::string>& fields) {
    std::string text;
    for (const std::string& field : fields) text.append(field).push_back(',');
    text.back() = '\n';
    return text;
  }

  std::string facts(int rows) const {
    static const char* const kWords[] = {"red", "blue", "nut", ""};
    corpora::Random random(5);
    std::string csv = "id,part,x,y,maker,price,maybe,word\n";
    for (int i = 0; i < rows; ++i) {
      const auto cents = random.below(9'000) + 1'000;
      csv += line(
          {number(i * 2), number(random.below(scaled(kParts * 4))),
           number(random.below(scaled(kPlaces) + 3)), number(static_cast<int>(random.below(7)) - 3),
           random.below(6) == 0 ? ""
                                : number((random.below(scaled(40)) - 20LL * times_) * kMakerStep),
           number(cents / 100) + "." + number(cents % 100 / 10) + number(cents % 10),
           random.below(5) == 0 ? "" : number(random.below(scaled(300))),
           kWords[random.below(9) == 0 ? 3 : random.below(3)]});
    }
    return csv;
  }
  std::string parts() const {
    static const char* const kPartNames[] = {"bolt", "nut", "screw", "ring", "gear"};
    corpora::Random random(6);
    std::string csv = "id,name,size,weight,maker,comment\n";
    for (int i = 0; i < kParts * times_; ++i) {
      csv += line({number(i * 3 + 7), kPartNames[random.below(5)], number(random.below(scaled(50))),
                   random.below(4) == 0 ? "" : number(random.below(scaled(90))),
                   number((random.below(scaled(30)) - 15LL * times_) * kMakerStep),
                   random.below(9) == 0 ? "" : "comment " + number(random.below(1u << 30))});
    }
    return csv;
  }
  std::string places() const {
    corpora::Random random(7);
    std::string csv = "x,y,city,zone\n";
    for (int x = 0; x < kPlaces * times_; ++x) {
      for (int y = -2; y < 3; ++y) {
        if (random.below(4) == 0) continue;
        csv += line({number(x), number(y), "city " + number(random.below(9)),
                     random.below(6) == 0 ? "" : number(random.below(3))});
      }
    }
    return csv;
  }
  std::string makers() const {
    corpora::Random random(8);
    std::string csv = "id,land,rating\n";
    for (int i = -18 * times_; i < 18 * times_; ++i) {
      csv += line({number(i * kMakerStep), random.below(5) == 0 ? "" : "land " + number(i & 3),
                   number(random.below(10))});
    }
    return csv;
  }
  std::string twice() const {
    std::string csv = "id,value\n";
    for (int i = 0; i < kParts * times_; ++i) csv += line({number(i / 2 * 5), number(i)});
    return csv;
  }

  std::string deals() const {
    corpora::Random random(9);
    std::string csv = "maker_of,rank\n";
    for (int i = 0; i < 90 * times_; ++i) {
      csv += line({number((random.below(scaled(30)) - 15LL * times_) * kMakerStep),
                   number(random.below(12))});
    }
    return csv;
  }

  static std::string lands() {
    std::string csv = "land_name,zone_of,people,far\n";
    for (int i = 0; i < 9; ++i) {
      csv += line({i % 4 == 3 ? "" : "land " + number(i / 2), i % 5 == 4 ? "" : number(i % 3),
                   number(i * 1000), i % 3 == 0 ? "" : number(i * 1'000'000'000'000LL)});
    }
    return csv;
  }

  static std::string ones(int rows, const char* column) {
    std::string csv = std::string("one,") + column + "\n";
    for (int i = 0; i < rows; ++i) csv += line({"1", number(i)});
    return csv;
  }

  int times_;
  MadeTable facts_, parts_, places_, makers_, twice_, deals_, lands_, many_, same_;
};

}  // namespace presso::test
