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
/// among them. twice: keys that come twice. deals: wide keys that repeat several times. many, same:
/// one key.
class JoinedTables {
 public:
  JoinedTables(int rows, std::uint32_t group_rows)
      : facts_(facts(rows), group_rows),
        parts_(parts(), group_rows),
        places_(places(), group_rows),
        makers_(makers(), group_rows),
        twice_(twice(), group_rows),
        deals_(deals(), group_rows),
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
  static std::string line(const std::vector<std::string>& fields) {
    std::string text;
    for (const std::string& field : fields) text.append(field).push_back(',');
    text.back() = '\n';
    return text;
  }

  static std::string facts(int rows) {
    corpora::Random random(5);
    std::string csv = "id,part,x,y,maker,price,maybe,word\n";
    for (int i = 0; i < rows; ++i) {
      const auto cents = random.below(9'000) + 1'000;
      csv += line({number(i * 2), number(random.below(kParts * 4)),
                   number(random.below(kPlaces + 3)), number(static_cast<int>(random.below(7)) - 3),
                   random.below(6) == 0 ? "" : number((random.below(40) - 20LL) * kMakerStep),
                   number(cents / 100) + "." + number(cents % 100 / 10) + number(cents % 10),
                   random.below(5) == 0 ? "" : number(random.below(300)),
                   random.below(2) == 0 ? "red" : "blue"});
    }
    return csv;
  }
  static std::string parts() {
    static const char* const kNames[] = {"bolt", "nut", "screw", "ring", "gear"};
    corpora::Random random(6);
    std::string csv = "id,name,size,weight,maker,comment\n";
    for (int i = 0; i < kParts; ++i) {
      csv += line({number(i * 3 + 7), kNames[random.below(5)], number(random.below(50)),
                   random.below(4) == 0 ? "" : number(random.below(90)),
                   number((random.below(30) - 15LL) * kMakerStep),
                   random.below(9) == 0 ? "" : "comment " + number(random.below(1u << 30))});
    }
    return csv;
  }
  static std::string places() {
    corpora::Random random(7);
    std::string csv = "x,y,city,zone\n";
    for (int x = 0; x < kPlaces; ++x) {
      for (int y = -2; y < 3; ++y) {
        if (random.below(4) == 0) continue;
        csv += line({number(x), number(y), "city " + number(random.below(9)),
                     random.below(6) == 0 ? "" : number(random.below(3))});
      }
    }
    return csv;
  }
  static std::string makers() {
    corpora::Random random(8);
    std::string csv = "id,land,rating\n";
    for (int i = -18; i < 18; ++i) {
      csv += line({number(i * kMakerStep), random.below(5) == 0 ? "" : "land " + number(i & 3),
                   number(random.below(10))});
    }
    return csv;
  }
  static std::string twice() {
    std::string csv = "id,value\n";
    for (int i = 0; i < kParts; ++i) csv += line({number(i / 2 * 5), number(i)});
    return csv;
  }

  static std::string deals() {
    corpora::Random random(9);
    std::string csv = "maker_of,rank\n";
    for (int i = 0; i < 90; ++i) {
      csv += line({number((random.below(30) - 15LL) * kMakerStep), number(random.below(12))});
    }
    return csv;
  }

  static std::string ones(int rows, const char* column) {
    std::string csv = std::string("one,") + column + "\n";
    for (int i = 0; i < rows; ++i) csv += line({"1", number(i)});
    return csv;
  }

  MadeTable facts_, parts_, places_, makers_, twice_, deals_, many_, same_;
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

/// A table that may be joined, and what a statement may say of its columns then.
struct JoinPart {
  const char* join;
  const char* after;  ///< a part that must come before; nullptr: none
  std::vector<const char*> conditions;
  std::vector<const char*> keys;
  std::vector<const char*> aggregates;
};

/// A random statement over the tables of JoinedTables, with groups or without.
inline std::string random_join_statement(corpora::Random& random) {
  static const JoinPart kFacts{
      "from facts",
      nullptr,
      {"word = 'red'", "maybe > 100", "price between 20.00 and 60.00", "facts.part < 900",
       "facts.x * 3 > facts.y + 8", "maybe is null"},
      {"word", "facts.x", "maybe", "facts.part", "facts.y + 3", "facts.maker"},
      {"sum(price)", "avg(maybe)", "max(facts.part)", "count(maybe)", "sum(facts.x - facts.y)"}};
  static const JoinPart kParts[] = {
      {"join parts on facts.part = parts.id",
       nullptr,
       {"size > 20", "name <> 'nut'", "weight < 60", "size % 3 = 1", "size > facts.x * 2"},
       {"name", "size", "weight", "comment", "parts.id"},
       {"sum(size * price)", "min(size)", "max(parts.id)"}},
      {"join places on facts.x = places.x and facts.y = places.y",
       nullptr,
       {"city like '%3'", "zone = 1", "zone is not null"},
       {"city", "zone", "places.x"},
       {"sum(places.y)", "max(places.x)"}},
      {"join twice on facts.part = twice.id",
       nullptr,
       {"value > 90", "value < 40", "value < facts.x * 30"},
       {"value", "twice.id"},
       {"sum(value)", "min(value * price)"}},
      {"join deals on facts.maker = deals.maker_of",
       nullptr,
       {"rank < 3", "rank > 1"},
       {"rank", "deals.maker_of"},
       {"sum(rank)", "avg(rank)"}},
      {"join makers on parts.maker = makers.id",
       "join parts on facts.part = parts.id",
       {"rating > 4", "land is not null", "rating * 5 > size"},
       {"land", "rating", "makers.id"},
       {"max(rating)", "sum(rating + size)"}},
      {"semi join twice on facts.part = twice.id and value > 20", nullptr, {}, {}, {}},
      {"anti join twice on facts.part = twice.id", nullptr, {}, {}, {}}};
  std::vector<const JoinPart*> chosen{&kFacts};
  bool has_twice = false;
  for (const JoinPart& part : kParts) {
    const std::string join = part.join;
    const bool is_twice = join.find("twice") != join.npos;
    if (random.below(5) > 1 || (is_twice && has_twice)) continue;
    const bool fits = part.after == nullptr ||
                      std::any_of(chosen.begin(), chosen.end(), [&](const JoinPart* other) {
                        return std::string(other->join) == part.after;
                      });
    if (!fits) continue;
    has_twice = has_twice || is_twice;
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
    const bool is_inner = std::string(part->join).starts_with("join ");
    text += std::string(is_inner && random.below(4) == 0 ? " left " : " ") + part->join;
  }
  if (!conditions.empty()) text += " where " + joined(conditions, " and ");
  if (has_groups && !keys.empty()) text += " group by " + joined(keys, ", ");
  return text;
}

}  // namespace presso::test
