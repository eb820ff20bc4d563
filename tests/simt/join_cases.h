// SPDX-License-Identifier: MIT
// Tables that are joined, and questions about them that GPUs answer, for tests in the emulator
// (query_joins_on_gpu_test.cpp) and on a device (tests/gpu/query_on_device_test.cpp).
#pragma once

#include <algorithm>
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

/// parts are joined with makers before facts are joined with them.
inline constexpr const char* kNestedJoin =
    "select land, name, count(*), sum(price) from facts join parts on facts.part = parts.id "
    "join makers on parts.maker = makers.id where rating > 1 and size < 40 group by land, name";

inline constexpr const char* kJoinStatements[] = {
    "select facts.part, facts.x, facts.y, city, count(*) from facts join parts on facts.part = "
    "parts.id join places on facts.x = places.x and facts.y = places.y "
    "group by facts.part, facts.x, facts.y, city",
    "select rank, value, count(*), sum(price) from facts join twice on facts.part = twice.id and "
    "value between 100 and 150 join deals on facts.maker = deals.maker_of and rank < 3 "
    "group by rank, value",
    "select facts.part, value, count(*) from facts join twice on facts.part = twice.id join makers "
    "on facts.maker = makers.id group by facts.part, value, makers.id",
    "select count(*) from facts join parts on facts.part = parts.id",
    // Columns of joined tables that may be null, and rows without a partner.
    "select sum(weight), count(weight), avg(weight + size), count(*) from facts join parts on "
    "facts.part = parts.id",
    "select name, max(weight), count(weight * size) from facts join parts on facts.part = parts.id "
    "where weight < 50 group by name",
    "select word, count(*), count(size), sum(weight * price) from facts left join parts on "
    "facts.part = parts.id group by word",
    "select name, weight, count(*), sum(price) from facts left join parts on facts.part = parts.id "
    "group by name, weight",
    "select count(*), sum(price) from facts left join parts on facts.part = parts.id "
    "where parts.id is null",
    "select land, count(*), sum(rating) from facts left join makers on facts.maker = makers.id "
    "group by land",
    "select value, word, count(*) from facts left join twice on facts.part = twice.id and "
    "value < 120 group by value, word",
    "select count(*), sum(price) from facts anti join makers on facts.maker = makers.id",
    "select rank, land, count(*), sum(maybe) from facts left join deals on facts.maker = "
    "deals.maker_of left join makers on deals.maker_of = makers.id group by rank, land",
    "select size, maker_of, count(*) from facts left join parts on facts.part = parts.id left join "
    "deals on parts.maker = deals.maker_of where size is not null group by size, maker_of",
    "select count(*), sum(price), min(size) from facts join parts on facts.part = parts.id "
    "where size > 20 and word = 'red'",
    "select name, count(*), sum(price * size), avg(maybe) from facts join parts "
    "on facts.part = parts.id group by name",
    "select size, word, count(*), max(maybe) from facts join parts on facts.part = parts.id "
    "where name <> 'nut' group by size, word",
    "select weight, count(*) from facts join parts on facts.part = parts.id group by weight",
    "select city, zone, sum(price) from facts join places on facts.x = places.x and "
    "facts.y = places.y group by city, zone",
    "select land, count(*), sum(rating) from facts join makers on facts.maker = makers.id "
    "where maybe > 20 group by land",
    "select facts.maker, rating, count(*), sum(price) from facts join makers "
    "on facts.maker = makers.id group by facts.maker, rating",
    "select makers.id, land, word, count(*) from facts join makers on facts.maker = makers.id "
    "group by makers.id, land, word",
    kNestedJoin,
    "select name, city, count(*) from facts join parts on facts.part = parts.id join places on "
    "facts.x = places.x and facts.y = places.y where size + facts.x > 20 group by name, city",
    "select word, count(*) from facts semi join twice on facts.part = twice.id and value > 30 "
    "group by word",
    "select word, count(*), sum(price) from facts anti join twice on twice.id = facts.part "
    "group by word",
    "select name, count(*) from facts join parts on facts.part = parts.id and size > facts.x * 4 "
    "group by name having count(*) > 2 order by name desc",
    "select count(*), sum(price) from facts join parts on facts.part = parts.id where size > 900",
    "select count(*), sum(value), sum(price) from facts join twice on facts.part = twice.id",
    "select word, count(*), sum(value * x) from facts join twice on facts.part = twice.id "
    "where maybe > 30 and value > 100 group by word",
    "select name, rank, count(*), sum(price), min(rank) from facts join parts on facts.part = "
    "parts.id join deals on facts.maker = deals.maker_of where rank > 3 group by name, rank",
    "select comment, count(*), sum(price) from facts join parts on facts.part = parts.id "
    "where size < 30 group by comment",
    "select zone, count(*), sum(price) from facts join places on facts.x = places.x and "
    "facts.y = places.y where length(city) = 6 and city <> 'city 3' group by zone",
    "select name, land, count(*) from facts join parts on facts.part = parts.id join makers on "
    "parts.maker = makers.id where length(land) > 2 and parts.size % 3 = 1 group by name, land",
    "select word, count(*), sum(price), min(rank) from facts join deals on "
    "facts.maker = deals.maker_of group by word",
    "select rank, value, count(*), sum(price) from facts join twice on facts.part = twice.id "
    "join deals on facts.maker = deals.maker_of and rank * 40 > value group by rank, value",
    "select rank, count(*), sum(rating) from facts join deals on facts.maker = deals.maker_of "
    "join makers on deals.maker_of = makers.id where facts.x < 9 group by rank",
    // Few rows are left, and which depends on all of a row's partners.
    "select rank, city, count(*), sum(price) from facts join deals on facts.maker = deals.maker_of "
    "and rank < 4 join places on deals.rank = places.x and facts.y = places.y and zone = 1 "
    "group by rank, city",
    // Many more pairs than rows.
    "select count(*), sum(other) from many join same on many.one = same.one",
    // Which rows of a key there are does not matter, only how many.
    "select word, count(*), sum(price), max(size) from facts join twice on facts.part = twice.id "
    "left join deals on facts.maker = maker_of join parts on facts.part = parts.id group by "
    "word",
    "select count(*), sum(many.id) from many join same on many.one = same.one",
};

/// Without groups.
inline constexpr const char* kJoinedRows[] = {
    "select facts.id, size from facts join parts on facts.part = parts.id",
    "select facts.id, name, weight, word, price * size from facts join parts on "
    "facts.part = parts.id where price < 50.00",
    "select facts.id, land, rating + 1, maybe from facts left join makers on facts.maker = "
    "makers.id",
    "select value, facts.id, maybe from facts join twice on facts.part = twice.id",
    "select rank, facts.maker, value, price from facts join deals on facts.maker = deals.maker_of "
    "left join twice on facts.part = twice.id where rank < 4",
    "select facts.id, word from facts semi join twice on facts.part = twice.id and value > 30",
    "select facts.maker, facts.id from facts anti join twice on twice.id = facts.part",
    "select name, price, comment from facts join parts on facts.part = parts.id "
    "order by price desc, facts.id limit 40 offset 3",
    "select facts.id, land from facts join parts on facts.part = parts.id join makers on "
    "parts.maker = makers.id where size > 900",
    "select upper(name), length(word) * size from facts join parts on facts.part = parts.id "
    "order by 1, 2, facts.id",
};

/// Rows of the probe side, or of the build side, that have no partner, and rows of the build side
/// that have one; grouped.
inline constexpr const char* kLoneRowStatements[] = {
    // Several keys, of which there may be none: rows without a partner are left.
    "select count(*), count(city), sum(price) from facts left join places on facts.x = places.x "
    "and facts.y = places.y",
    "select city, zone, count(*), sum(price) from facts left join places on facts.x = places.x "
    "and facts.y = places.y group by city, zone",
    "select word, count(*) from facts anti join places on facts.x = places.x and facts.y = "
    "places.y group by word",
    "select zone, word, count(*), sum(price) from facts left join places on facts.maybe = "
    "places.zone and facts.x = places.x group by zone, word",
    "select count(*), sum(maybe) from facts anti join places on facts.maybe = places.zone and "
    "facts.y = places.y",
    "select rating, count(*) from facts left join parts on facts.part = parts.id left join makers "
    "on parts.maker = makers.id and parts.weight = makers.rating group by rating",
    "select count(*) from facts left join parts on facts.maybe + 3 = parts.weight",
    "select word, count(*) from facts anti join parts on facts.maybe * 2 = parts.weight and "
    "facts.x = parts.size group by word",
    // Rows of the smaller side.
    "select count(*) from facts right join parts on facts.part = parts.id",
    "select count(*), count(price), sum(size), sum(price), max(weight) from facts right join parts "
    "on facts.part = parts.id",
    "select name, count(*), count(price), sum(price), min(size) from facts right join parts on "
    "facts.part = parts.id group by name",
    "select facts.part, parts.id, count(*), sum(maybe) from facts full join parts on facts.part = "
    "parts.id group by facts.part, parts.id",
    "select word, name, count(*), avg(price) from facts full join parts on facts.part = parts.id "
    "and size < 30 group by word, name",
    "select value, count(*), sum(price) from twice left join facts on twice.id = facts.part "
    "group by value",
    "select value, word, count(*) from facts right join twice on facts.part = twice.id and "
    "value < 120 group by value, word",
    "select land, count(*) from makers left join facts on makers.id = facts.maker group by land",
    "select count(*), sum(value) from twice semi join facts on twice.id = facts.part",
    "select count(*), sum(value), min(value) from twice anti join facts on twice.id = facts.part",
    "select name, count(*), sum(weight) from parts semi join facts on parts.id = facts.part and "
    "facts.maybe > 100 group by name",
    "select name, weight, count(*) from parts anti join facts on parts.weight = facts.maybe "
    "group by name, weight",
    // Keys of both sides may be null, and repeat.
    "select weight, name, count(*), count(maybe), sum(price) from facts right join parts on "
    "facts.maybe = parts.weight group by weight, name",
    "select weight, maybe, count(*) from facts full join parts on facts.maybe = parts.weight "
    "group by weight, maybe",
    "select zone, city, count(*), sum(price) from facts full join places on facts.maybe = "
    "places.zone and facts.x = places.x group by zone, city",
    "select city, zone, count(*) from facts right join places on facts.x = places.x and facts.y = "
    "places.y group by city, zone",
    "select rank, land, count(*) from facts right join deals on facts.maker = deals.maker_of left "
    "join makers on deals.maker_of = makers.id group by rank, land",
    // Keys far apart, and rows that ask for the number that stands for nulls of the other side.
    "select people, count(*), count(price) from facts full join lands on facts.id * 500000000000 = "
    "lands.far group by people",
    "select people, count(*), count(price) from facts full join lands on facts.id * 500000000000 + "
    "1 = lands.far group by people",
    "select count(*), sum(people) from lands anti join facts on facts.id * 500000000000 + 1 = "
    "lands.far",
    // Other joins and conditions behind them, and before.
    "select name, value, count(*), sum(size) from facts right join parts on facts.part = parts.id "
    "left join twice on parts.size = twice.id group by name, value",
    "select name, value, count(*) from facts right join parts on facts.part = parts.id "
    "full join twice on parts.size = twice.id group by name, value",
    "select value, name, count(*), sum(price) from facts full join twice on facts.part = twice.id "
    "full join parts on facts.x = parts.size group by value, name",
    "select name, rank, count(*), sum(maybe) from facts join deals on facts.maker = deals.maker_of "
    "right join parts on facts.part = parts.id group by name, rank",
    "select word, land, count(*) from facts full join parts on facts.part = parts.id join makers "
    "on facts.maker = makers.id group by word, land",
    "select land, count(*), sum(size) from facts right join parts on facts.part = parts.id join "
    "makers on parts.maker = makers.id where size > 10 group by land",
    "select name, count(*) from facts right join parts on facts.part = parts.id where facts.id is "
    "null group by name",
    "select name, count(*) from facts full join parts on facts.part = parts.id where maybe > 50 "
    "group by name",
    "select name, count(*) from facts right join parts on facts.part = parts.id anti join twice on "
    "parts.size = twice.id group by name",
    "select name, count(*), sum(price) from facts right join parts on facts.part = parts.id semi "
    "join twice on parts.size = twice.id and value > 2 group by name",
    "select name, count(*) from facts full join parts on facts.part = parts.id where maybe > 50 or "
    "(weight < 20 and price > 30.00) or word is null group by name",
    "select name, count(*) from facts full join parts on facts.part = parts.id where not (maybe > "
    "50 or weight < 20) group by name",
    // Nothing on one side, no partner at all, partners for all.
    "select count(*), sum(size), sum(price) from facts right join parts on facts.part = parts.id "
    "and size > 900",
    "select name, count(*) from facts right join parts on facts.id + 100000 = parts.id "
    "group by name",
    "select one, count(*), sum(other) from facts full join same on facts.x - facts.x + 1 = "
    "same.one and other < 3 group by one",
    "select count(*), sum(value) from facts full join twice on facts.part = twice.id where "
    "facts.id < 0",
    "select value, count(*), count(price) from twice left join facts on twice.id = facts.part and "
    "facts.id < 0 group by value",
    "select count(*), sum(size) from parts anti join facts on facts.part = parts.id and facts.id < "
    "0",
    "select count(*), sum(size) from parts semi join facts on facts.part = parts.id and facts.id < "
    "0",
    // Groups of build rows that are many.
    "select parts.id, facts.id, count(*) from facts full join parts on facts.part = parts.id "
    "group by parts.id, facts.id",
    "select makers.id, count(*), sum(price) from facts full join makers on facts.maker = makers.id "
    "group by makers.id",
    // Conditions on pairs.
    "select count(*), count(size), sum(price) from facts left join parts on facts.part = parts.id "
    "and size > facts.x * 4",
    "select value, count(*), sum(price) from facts left join twice on facts.part = twice.id and "
    "value > facts.x * 9 group by value",
    "select word, rank, count(*) from facts left join deals on facts.maker = deals.maker_of and "
    "rank * 20 > maybe group by word, rank",
    "select word, count(*), sum(price) from facts semi join twice on facts.part = twice.id and "
    "value > facts.x * 9 group by word",
    "select word, count(*), sum(price) from facts anti join twice on facts.part = twice.id and "
    "value > facts.x * 9 group by word",
    "select count(*), sum(maybe) from facts semi join deals on facts.maker = deals.maker_of and "
    "rank * 20 < maybe",
    "select count(*), sum(maybe) from facts anti join deals on facts.maker = deals.maker_of and "
    "rank * 20 < maybe",
    "select value, word, count(*) from facts full join twice on facts.part = twice.id and value > "
    "facts.x * 9 group by value, word",
    "select rank, count(*), sum(price) from deals left join facts on facts.maker = deals.maker_of "
    "and rank * 20 > maybe group by rank",
    "select rank, count(*) from deals anti join facts on facts.maker = deals.maker_of and "
    "rank * 20 > maybe group by rank",
    "select rank, count(*) from deals semi join facts on facts.maker = deals.maker_of and "
    "rank * 20 > maybe group by rank",
    "select name, count(*), sum(price) from facts left join parts on facts.part = parts.id and "
    "(weight < maybe or not (weight > 30 and facts.x * 4 > size)) group by name",
    "select value, rank, count(*), sum(price) from facts left join deals on facts.maker = "
    "deals.maker_of and rank > facts.x left join twice on facts.part = twice.id and value > rank "
    "* 30 group by value, rank",
    "select name, rank, count(*) from facts join deals on facts.maker = deals.maker_of anti join "
    "twice on facts.part = twice.id and value < facts.x * 30 left join parts on facts.part = "
    "parts.id and weight > rank group by name, rank",
};

/// Keys that are strings.
inline constexpr const char* kStringKeyStatements[] = {
    "select count(*), sum(size), sum(price) from facts join parts on facts.word = parts.name and "
    "facts.part = parts.id",
    "select word, name, count(*) from facts full join parts on facts.word = parts.name and "
    "facts.part = parts.id group by word, name",
    "select word, count(*) from facts semi join parts on facts.word = parts.name and size > 30 "
    "group by word",
    "select word, count(*), sum(price) from facts anti join parts on facts.word = parts.name "
    "group by word",
    "select name, count(*), sum(size) from parts anti join facts on parts.name = facts.word "
    "group by name",
    "select name, count(*) from parts semi join facts on facts.word = parts.name and facts.x > 7 "
    "group by name",
    "select land, people, count(*), sum(rating) from facts join makers on facts.maker = makers.id "
    "left join lands on makers.land = lands.land_name group by land, people",
    "select people, land, count(*), sum(price) from facts left join makers on facts.maker = "
    "makers.id full join lands on makers.land = lands.land_name group by people, land",
    "select land_name, people, count(*) from facts join makers on facts.maker = makers.id right "
    "join lands on makers.land = lands.land_name and maybe = lands.zone_of "
    "group by land_name, people",
    "select people, count(*) from facts join makers on facts.maker = makers.id join lands on "
    "makers.land = lands.land_name and rating * 700 > people group by people",
    "select zone_of, count(*) from facts join makers on facts.maker = makers.id anti join deals "
    "on makers.rating = deals.rank right join lands on makers.land = lands.land_name "
    "group by zone_of",
    "select comment, count(*) from facts right join parts on facts.word = parts.comment "
    "group by comment",
};

/// The same without groups.
inline constexpr const char* kLoneRows[] = {
    "select facts.id, people, land, land_name from facts left join makers on facts.maker = "
    "makers.id full join lands on makers.land = lands.land_name",
    "select facts.id, city, places.y from facts left join places on facts.x = places.x and "
    "facts.y = places.y",
    "select facts.id, maybe, zone from facts left join places on facts.maybe = places.zone and "
    "facts.x = places.x",
    "select facts.id from facts anti join places on facts.x = places.x and facts.y = places.y",
    "select facts.id, parts.id, name, weight, word from facts right join parts on facts.part = "
    "parts.id",
    "select facts.id, parts.id, maybe, weight from facts full join parts on facts.maybe = "
    "parts.weight",
    "select value, facts.id from twice left join facts on twice.id = facts.part",
    "select value from twice semi join facts on twice.id = facts.part",
    "select value, twice.id from twice anti join facts on twice.id = facts.part",
    "select weight, parts.id, comment from parts anti join facts on parts.weight = facts.maybe",
    "select facts.id, value, name, rank from facts full join twice on facts.part = twice.id full "
    "join parts on facts.x = parts.size left join deals on parts.maker = deals.maker_of and rank "
    "> 4",
    "select facts.id, value, rank from facts right join twice on facts.part = twice.id full join "
    "deals on twice.value = deals.rank",
    "select facts.id, zone, city from facts full join places on facts.maybe = places.zone and "
    "facts.x = places.x",
    "select facts.id, name from facts right join parts on facts.part = parts.id where facts.id is "
    "null or size > 20",
    "select facts.id, value from facts left join twice on facts.part = twice.id and value > "
    "facts.x * 9",
    "select facts.id, rank from facts full join deals on facts.maker = deals.maker_of and rank * "
    "20 > maybe",
    "select facts.id from facts semi join twice on facts.part = twice.id and value > facts.x * 9",
    "select facts.id, rank, rating from facts left join deals on facts.maker = deals.maker_of anti "
    "join twice on facts.part = twice.id and value < facts.x * 30 left join makers on facts.maker "
    "= makers.id and rating > rank",
    "select parts.id, price from facts right join parts on facts.part = parts.id order by price, "
    "parts.id desc limit 50",
};

/// A table that may be joined, and what a statement may say of its columns then.
struct JoinPart {
  const char* join;
  const char* after;  ///< a part that must come before; nullptr: none
  std::vector<const char*> conditions;
  std::vector<const char*> keys;
  std::vector<const char*> aggregates;
  std::vector<const char*> pairs;  ///< what may stand beside the keys
};

/// A random statement over the tables of JoinedTables, with groups or without.
inline std::string random_join_statement(corpora::Random& random) {
  static const JoinPart kFacts{
      "from facts",
      nullptr,
      {"word = 'red'", "maybe > 100", "price between 20.00 and 60.00", "facts.part < 900",
       "facts.x * 3 > facts.y + 8", "maybe is null"},
      {"word", "facts.x", "maybe", "facts.part", "facts.y + 3", "facts.maker"},
      {"sum(price)", "avg(maybe)", "max(facts.part)", "count(maybe)", "sum(facts.x - facts.y)"},
      {}};
  static const JoinPart kParts[] = {
      {"join parts on facts.part = parts.id",
       nullptr,
       {"size > 20", "name <> 'nut'", "weight < 60", "size % 3 = 1", "size > facts.x * 2",
        "(weight > 50 or not (maybe > 100 and size < 30))"},
       {"name", "size", "weight", "comment", "parts.id"},
       {"sum(size * price)", "min(size)", "max(parts.id)"},
       {"size > facts.x * 3", "weight < facts.maybe", "size < 40"}},
      {"join parts on facts.maybe = parts.weight",
       nullptr,
       {"size < 45"},
       {"name", "size", "parts.id"},
       {"sum(size)", "count(comment)"},
       {"size > facts.x * 3", "parts.id < facts.part"}},
      {"join places on facts.x = places.x and facts.y = places.y",
       nullptr,
       {"city like '%3'", "zone = 1", "zone is not null"},
       {"city", "zone", "places.x"},
       {"sum(places.y)", "max(places.x)"},
       {"zone * 100 > facts.maybe", "facts.part < 900"}},
      {"join places on facts.maybe = places.zone and facts.x = places.x",
       nullptr,
       {"places.y > 0"},
       {"city", "places.y"},
       {"sum(places.y)"},
       {"facts.y <> places.y"}},
      {"join parts on facts.word = parts.name and facts.part = parts.id",
       nullptr,
       {"size < 45"},
       {"name", "size"},
       {"sum(size)", "count(comment)"},
       {"size > facts.x * 3"}},
      {"join twice on facts.part = twice.id",
       nullptr,
       {"value > 90", "value < 40", "value < facts.x * 30"},
       {"value", "twice.id"},
       {"sum(value)", "min(value * price)"},
       {"value > facts.x * 9", "value > 30", "value * 2 < facts.maybe"}},
      {"join deals on facts.maker = deals.maker_of",
       nullptr,
       {"rank < 3", "rank > 1"},
       {"rank", "deals.maker_of"},
       {"sum(rank)", "avg(rank)"},
       {"rank * 20 < facts.maybe", "rank > facts.x"}},
      {"join makers on parts.maker = makers.id",
       "join parts on facts.part = parts.id",
       {"rating > 4", "land is not null", "rating * 5 > size"},
       {"land", "rating", "makers.id"},
       {"max(rating)", "sum(rating + size)"},
       {"rating * 3 < size", "rating > facts.x"}},
      {"semi join twice on facts.part = twice.id",
       nullptr,
       {},
       {},
       {},
       {"value > 20", "value > facts.x * 9"}},
      {"anti join twice on facts.part = twice.id",
       nullptr,
       {},
       {},
       {},
       {"value > facts.x * 9", "value * 2 < facts.maybe"}}};
  std::vector<const JoinPart*> chosen{&kFacts};
  const auto table_of = [](const std::string& join) {
    const std::size_t end = std::min(join.find(" on "), join.size());
    const std::size_t begin = join.rfind(' ', end - 1) + 1;
    return join.substr(begin, end - begin);
  };
  for (const JoinPart& part : kParts) {
    const bool is_there = std::any_of(chosen.begin(), chosen.end(), [&](const JoinPart* other) {
      return table_of(other->join) == table_of(part.join);
    });
    if (random.below(5) > 1 || (is_there)) continue;
    const bool fits = part.after == nullptr ||
                      std::any_of(chosen.begin(), chosen.end(), [&](const JoinPart* other) {
                        return table_of(other->join) == table_of(part.after);
                      });
    if (!fits) continue;
    chosen.push_back(&part);
  }
  const auto pick = [&](const std::vector<const char*> JoinPart::*from, unsigned one_in) {
    std::vector<std::string> picked;
    for (const JoinPart* part : chosen) {
      for (const char* const text : part->*from) {
        if (random.below(one_in) == 0 && picked.size() < 3) picked.emplace_back(text);
      }
    }
    return picked;
  };
  const auto joined = [](const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
  };
  const std::vector<std::string> keys = pick(&JoinPart::keys, 6);
  std::vector<std::string> columns = keys;
  columns.emplace_back("count(*)");
  for (std::string& one : pick(&JoinPart::aggregates, 4)) columns.push_back(std::move(one));
  const std::vector<std::string> conditions = pick(&JoinPart::conditions, 6);
  const bool has_groups = keys.empty() || random.below(4) != 0;
  if (!has_groups) columns = keys;
  std::string text = "select " + joined(columns, ", ");
  for (const JoinPart* part : chosen) {
    static constexpr const char* kKinds[] = {"", "", "", "left ", "left ", "right ", "full "};
    const bool has_kind = std::string(part->join).starts_with("join ");
    text.append(" ").append(has_kind ? kKinds[random.below(std::size(kKinds))] : "");
    text += part->join;
    for (const char* const pair : part->pairs) {
      if (random.below(5) == 0) text.append(" and ").append(pair);
    }
  }
  if (!conditions.empty()) text += " where " + joined(conditions, " and ");
  if (has_groups && !keys.empty()) text += " group by " + joined(keys, ", ");
  return text;
}

}  // namespace presso::test
