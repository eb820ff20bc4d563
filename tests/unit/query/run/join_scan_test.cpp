// SPDX-License-Identifier: MIT
// Keys of build sides that the scan of the other table is asked for: strings as codes of
// dictionaries and otherwise, whole numbers as intervals, bitmaps and in Bloom filters, computed
// keys; semi and anti joins that the scan decides, inner joins that it only helps. Answers are
// compared with a set of keys, whatever the number of threads, the memory and the strategy.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <regex>
#include <set>

#include "corpora/random.h"
#include "presso/compress_table.h"
#include "presso/query.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso::join_scan_test {
namespace {

using Keys = std::vector<std::optional<std::string>>;  ///< as CSV has them; nullopt: null

Keys made_keys(int count, std::uint64_t seed, const std::function<std::string(unsigned)>& key) {
  corpora::Random random(seed);
  Keys keys;
  for (int i = 0; i < count; ++i) {
    const auto number = static_cast<unsigned>(random.below(1u << 30));
    keys.push_back(random.one_in(11) ? std::nullopt : std::optional(key(number)));
  }
  return keys;
}

std::string csv_of(const Keys& keys, const std::string& names) {
  std::string csv = names + "\n";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    csv += std::to_string(i) + "," + keys[i].value_or("") + "," + std::to_string(i % 7) + "\n";
  }
  return csv;
}

std::set<std::string> set_of(const Keys& keys) {
  std::set<std::string> set;
  for (const auto& key : keys) {
    if (key) set.insert(*key);
  }
  return set;
}

class JoinScanTest : public ::testing::Test {
 protected:
  /// `type`: of the column k.
  Table table(const std::string& csv, const std::string& type, std::uint32_t group_rows) {
    files.emplace_back();
    VectorSink sink(files.back());
    MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    MemorySource again({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    TableOptions options;
    options.group_rows = group_rows;
    options.text.header = true;
    ColumnSchema column = *parse_type(type);
    column.name = "k";
    options.types.push_back(column);
    const auto done = compress_table(source, &again, sink, options);
    EXPECT_TRUE(done.ok()) << done.error().message();
    accesses.emplace_back(files.back());
    return *Table::open(accesses.back());
  }

  /// The keys of the table that is read, and of the one that is kept.
  Query joined(const Keys& rows, const Keys& kept, const std::string& type, JoinKind kind,
               const std::string& on = "l.k = r.k") {
    files.clear();
    accesses.clear();
    Query query = Query::from({table(csv_of(rows, "id,k,v"), type, 2048)}, {"l.presso"});
    query.join({table(csv_of(kept, "other,k,w"), type, 1000)}, {"r.presso"}, kind, on);
    return query;
  }

  static Result<std::string> answer(const Query& query, const QueryOptions& options) {
    TextSink sink;
    const auto done = query.run(options, sink);
    if (!done.ok()) return done.error();
    return sink.text;
  }

  /// In every way.
  static void expect_always(const Query& query, const std::string& expected) {
    for (const JoinStrategy strategy : {JoinStrategy::kAuto, JoinStrategy::kUnchained}) {
      for (const unsigned threads : {1u, 3u}) {
        for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{220} << 10}) {
          QueryOptions options;
          options.join_strategy = strategy;
          options.threads = threads;
          options.memory_bytes = memory;
          const auto text = answer(query, options);
          ASSERT_TRUE(text.ok()) << text.error().message();
          ASSERT_EQ(*text, expected) << threads << " threads, " << memory << " bytes of memory";
        }
      }
    }
  }

  /// Rows of a semi or anti join, as text, and their number as count(*) gives it.
  void expect_chosen(const Keys& rows, const Keys& kept, const std::string& type) {
    const std::set<std::string> known = set_of(kept);
    for (const bool semi : {true, false}) {
      SCOPED_TRACE(type + (semi ? ", semi" : ", anti"));
      std::string expected;
      std::size_t count = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if ((rows[i] && known.count(*rows[i]) != 0) != semi) continue;
        expected += std::to_string(i) + "\n";
        ++count;
      }
      const JoinKind kind = semi ? JoinKind::kSemi : JoinKind::kAnti;
      Query ids = joined(rows, kept, type, kind);
      ids.select("id");
      expect_always(ids, expected);
      Query counted = joined(rows, kept, type, kind);
      counted.aggregate("count(*)");
      expect_always(counted, std::to_string(count) + "\n");
    }
  }

  /// Pairs of an inner join.
  void expect_pairs(const Keys& rows, const Keys& kept, const std::string& type) {
    SCOPED_TRACE(type + ", inner");
    std::string expected;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; rows[i] && k < kept.size(); ++k) {
        if (kept[k] != rows[i]) continue;
        expected += std::to_string(i) + "," + std::to_string(k) + "\n";
      }
    }
    Query query = joined(rows, kept, type, JoinKind::kInner);
    query.select("id, other");
    expect_always(query, expected);
  }

  void expect_joined(const Keys& rows, const Keys& kept, const std::string& type) {
    expect_chosen(rows, kept, type);
    expect_pairs(rows, kept, type);
  }

  static std::string explained(const Query& query, bool analyze) {
    QueryOptions options;
    options.threads = 1;
    const auto text = query.explain(options, analyze);
    EXPECT_TRUE(text.ok()) << text.error().message();
    return text.ok() ? *text : "";
  }
  static bool has(const std::string& text, const std::string& pattern) {
    return std::regex_search(text, std::regex(pattern));
  }

  std::deque<std::vector<Byte>> files;
  std::deque<MemoryRandomAccess> accesses;
};

std::string number_text(unsigned number) {
  return std::to_string(number);
}

TEST_F(JoinScanTest, StringsInDictionariesAreTestedByCode) {
  const auto word = [](unsigned number) { return "user-" + std::to_string(number % 300); };
  const Keys rows = made_keys(7000, 1, word);
  const auto other = [](unsigned number) { return "user-" + std::to_string(number % 3000); };
  for (const int count : {0, 1, 20, 600}) expect_joined(rows, made_keys(count, 2, other), "utf8");
  Query query = joined(rows, made_keys(600, 2, other), "utf8", JoinKind::kSemi);
  query.aggregate("count(*)");
  const std::string text = explained(query, true);
  EXPECT_TRUE(has(text,
                  "1  l\\.k among the keys of r \\([0-9]+ different\\): .*; asked of 7,000 "
                  "rows, [0-9.]+ % passed\n"))
      << text;
  EXPECT_TRUE(has(text, "asked by 7,000 rows of the scan, of which [0-9,]+ have a partner\n"))
      << text;
}

TEST_F(JoinScanTest, StringsAreFoundHoweverARowGroupStoresThem) {
  // The first row groups have few strings, the next ones many, the last ones none.
  Keys rows = made_keys(5000, 3, [](unsigned number) { return "w" + std::to_string(number % 50); });
  const auto text = [](unsigned number) {
    return "the quick brown fox number " + std::to_string(number % 4000) + " jumps";
  };
  const Keys many = made_keys(5000, 4, text);
  rows.insert(rows.end(), many.begin(), many.end());
  rows.resize(rows.size() + 4000);
  Keys kept = made_keys(300, 5, text);
  kept.emplace_back("w7");
  kept.emplace_back("w13");
  expect_joined(rows, kept, "utf8");
}

TEST_F(JoinScanTest, EmptyStringsAndEmptyTablesAreKeysLikeOthers) {
  const Keys none, nulls(100);
  const Keys words = made_keys(3000, 6, [](unsigned number) {
    return number % 5 == 0 ? std::string("\"\"") : std::to_string(number % 5);
  });
  expect_chosen(words, none, "utf8");
  expect_chosen(words, nulls, "utf8");
  expect_chosen(words, {"\"\""}, "utf8");
  expect_chosen(Keys(2500), {"1"}, "utf8");
}

TEST_F(JoinScanTest, WholeNumbersOfEveryKindAreTestedAsIntervalsOrInABitmap) {
  const auto small = [](unsigned number) {
    return std::to_string(static_cast<int>(number % 200) - 100);
  };
  const auto few = [](unsigned number) {
    return std::to_string(static_cast<int>(number % 4) * 40 - 80);
  };
  for (const char* type : {"int8", "int32", "int64"}) {
    expect_joined(made_keys(6000, 7, small), made_keys(60, 8, small), type);
    expect_joined(made_keys(6000, 9, small), made_keys(10, 10, few), type);
    expect_joined(made_keys(6000, 9, small), made_keys(2000, 11, small), type);
  }
  const auto positive = [](unsigned number) { return std::to_string(number % 250); };
  for (const char* type : {"uint8", "uint32", "uint64"}) {
    expect_joined(made_keys(6000, 12, positive), made_keys(60, 13, positive), type);
  }
}

TEST_F(JoinScanTest, InnerJoinsOnlyChooseRowsWhereKeysAreUniqueAndNoColumnIsNeeded) {
  const Keys rows = made_keys(6000, 51, [](unsigned n) { return number_text(n % 3000); });
  for (const bool is_unique : {true, false}) {
    Keys kept;
    for (unsigned i = 0; i < 700; ++i) kept.push_back(number_text(i * 3 + i % 2));
    if (!is_unique) kept.push_back(kept[5]);
    std::string expected;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto partners = rows[i] ? std::count(kept.begin(), kept.end(), rows[i]) : 0;
      for (auto k = partners; k > 0; --k) expected += std::to_string(i) + "\n";
    }
    Query ids = joined(rows, kept, "int32", JoinKind::kInner);
    ids.select("id");
    expect_always(ids, expected);
    const std::string text = explained(ids, true);
    EXPECT_EQ(has(text, "rows of the scan, of which [0-9,]+ have a partner"), is_unique) << text;
    // A column that is needed must be found by the join.
    ids = joined(rows, kept, "int32", JoinKind::kInner);
    ids.select("id, other");
    EXPECT_FALSE(has(explained(ids, true), "rows of the scan, of which"));
  }
}

TEST_F(JoinScanTest, RunsOfEqualNumbersAreLookedUpOnce) {
  corpora::Random random(61);
  for (const bool ascending : {true, false}) {  // as lines of orders do
    Keys rows;
    for (unsigned key = 0; rows.size() < 6000; key = ascending ? key + 3 : key * 7919 % 9001 + 1) {
      for (auto left = 1 + random.below(7); left > 0; --left) rows.push_back(number_text(key));
    }
    Keys kept;
    for (unsigned key = 0; key < 9100; ++key) {
      if (random.one_in(5)) kept.push_back(number_text(key));
    }
    for (const char* type : {"int32", "int64"}) expect_joined(rows, kept, type);
    rows[4000] = std::nullopt;  // nulls: rows are looked up one by one
    expect_joined(rows, kept, "int64");
  }
}

TEST_F(JoinScanTest, DatesAndDecimalsAreKeysOfTheScanToo) {
  const auto date = [](unsigned number) {
    return "20" + std::to_string(10 + number % 80) + "-0" + std::to_string(1 + number / 80 % 9) +
           "-15";
  };
  expect_joined(made_keys(6000, 14, date), made_keys(70, 15, date), "date");
  const auto price = [](unsigned number) {
    return std::to_string(number % 300) + "." + std::to_string(10 + number / 300 % 90);
  };
  expect_joined(made_keys(6000, 16, price), made_keys(900, 17, price), "decimal(9,2)");
}

TEST_F(JoinScanTest, NumbersFarApartAreLookedUpByTheJoinWhereAFilterMayBeWrong) {
  const auto far = [](unsigned number) {
    return std::to_string(std::uint64_t{number % 5000} * 1'000'003'000'007u);
  };
  expect_joined(made_keys(6000, 18, far), made_keys(700, 19, far), "int64");
  Query query = joined(made_keys(6000, 18, far), made_keys(700, 19, far), "int64", JoinKind::kSemi);
  query.aggregate("count(*)");
  const std::string text = explained(query, true);
  EXPECT_TRUE(has(text, "among the keys of r \\(Bloom filter, ")) << text;
  EXPECT_TRUE(has(text, "rows, which found [0-9,]+ partners; the scan had dropped ")) << text;
}

TEST_F(JoinScanTest, RealNumbersAndComputedKeysAreLookedUp) {
  const auto real = [](unsigned number) { return std::to_string(number % 400) + ".5"; };
  expect_joined(made_keys(6000, 20, real), made_keys(100, 21, real), "double");
  const Keys rows =
      made_keys(6000, 22, [](unsigned number) { return std::to_string(number % 500); });
  const Keys kept = made_keys(40, 23, number_text);
  for (const JoinKind kind : {JoinKind::kSemi, JoinKind::kAnti}) {
    std::set<int> known;
    for (const auto& key : kept) {
      if (key) known.insert(std::stoi(*key) % 1000);
    }
    std::size_t count = 0;
    for (const auto& key : rows) {
      const bool found = key && known.count(2 * std::stoi(*key)) != 0;
      count += found == (kind == JoinKind::kSemi) ? 1 : 0;
    }
    Query query = joined(rows, kept, "int32", kind, "l.k * 2 = r.k % 1000");
    query.aggregate("count(*)");
    expect_always(query, std::to_string(count) + "\n");
  }
}

TEST_F(JoinScanTest, SeveralStagesAndConditionsTogetherLeaveTheSameRows) {
  const auto word = [](unsigned number) { return "u" + std::to_string(number % 100); };
  const Keys rows = made_keys(6000, 24, word), semi = made_keys(60, 25, word),
             anti = made_keys(20, 26, word), inner = made_keys(80, 27, word);
  const auto with = set_of(semi), without = set_of(anti);
  std::string expected;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % 7 < 3 || !rows[i] || with.count(*rows[i]) == 0 || without.count(*rows[i]) != 0)
      continue;
    for (std::size_t k = 0; k < inner.size(); ++k) {
      if (inner[k] == rows[i]) expected += std::to_string(i) + "," + std::to_string(k) + "\n";
    }
  }
  Query query = Query::from({table(csv_of(rows, "id,k,v"), "utf8", 2048)}, {"l.presso"});
  query.join({table(csv_of(semi, "a,k,b"), "utf8", 50)}, {"s.presso"}, JoinKind::kSemi, "l.k = s.k")
      .join({table(csv_of(inner, "c,k,d"), "utf8", 50)}, {"i.presso"}, JoinKind::kInner,
            "l.k = i.k")
      .join({table(csv_of(anti, "e,k,f"), "utf8", 50)}, {"t.presso"}, JoinKind::kAnti, "l.k = t.k");
  query.where("v >= 3").select("id, c");
  ASSERT_GT(expected.size(), 100u);
  expect_always(query, expected);
  const auto pairs = static_cast<std::size_t>(std::count(expected.begin(), expected.end(), '\n'));
  Query counted = Query::from({table(csv_of(rows, "id,k,v"), "utf8", 2048)}, {"l.presso"});
  counted
      .join({table(csv_of(inner, "c,k,d"), "utf8", 50)}, {"i.presso"}, JoinKind::kInner,
            "l.k = i.k")
      .join({table(csv_of(semi, "a,k,b"), "utf8", 50)}, {"s.presso"}, JoinKind::kSemi, "l.k = s.k")
      .join({table(csv_of(anti, "e,k,f"), "utf8", 50)}, {"t.presso"}, JoinKind::kAnti, "l.k = t.k");
  counted.where("v >= 3").aggregate("count(*)");
  expect_always(counted, std::to_string(pairs) + "\n");
}

TEST_F(JoinScanTest, OuterAndConditionalJoinsKeepTheirRows) {
  const auto key = [](unsigned number) { return std::to_string(number % 60); };
  const Keys rows = made_keys(5000, 28, key);
  const Keys kept = made_keys(30, 29, key);
  const auto known = set_of(kept);
  std::size_t pairs = 0, alone = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t partners = 0;
    for (std::size_t k = 0; rows[i] && k < kept.size(); ++k) {
      partners += kept[k] == rows[i] && i % 7 < k % 7 ? 1 : 0;
    }
    pairs += partners;
    alone += partners == 0 ? 1 : 0;
  }
  const std::string on = "l.k = r.k and v < w";
  const std::pair<JoinKind, std::size_t> cases[] = {{JoinKind::kInner, pairs},
                                                    {JoinKind::kLeft, pairs + alone},
                                                    {JoinKind::kSemi, rows.size() - alone},
                                                    {JoinKind::kAnti, alone}};
  for (const auto& [kind, count] : cases) {
    Query query = joined(rows, kept, "int32", kind, on);
    query.aggregate("count(*)");
    expect_always(query, std::to_string(count) + "\n");
  }
}

TEST_F(JoinScanTest, SlicesWithoutAKeyAreNotRead) {
  Keys rows;
  for (int i = 0; i < 20'000; ++i) rows.emplace_back(std::to_string(i));
  Keys kept = {"3000", "3004", "3008", "3013", "3017", "3021", "3100", "3200", "3300", "17000"};
  Query query = joined(rows, kept, "int32", JoinKind::kSemi);
  query.select("id");
  const std::string text = explained(query, true);
  EXPECT_TRUE(has(text, "zones: 8 of 10 slices have no such row")) << text;
  EXPECT_TRUE(has(text, "asked by 4,096 rows of the scan, of which 10 have a partner")) << text;
  expect_joined(rows, kept, "int32");
  corpora::Random random(34);
  for (auto& row : rows) {
    row = "user-" + std::to_string(std::stoi(*row) / 2000 * 5 + static_cast<int>(random.below(5)));
  }
  kept = {"user-8", "user-42", "user-999"};
  Query words = joined(rows, kept, "utf8", JoinKind::kInner);
  words.select("id");
  const std::string told = explained(words, true);
  EXPECT_TRUE(has(told, "zones: [4-8] of 10 slices have no such row")) << told;
  expect_joined(rows, kept, "utf8");
}

TEST_F(JoinScanTest, ExplainSaysBeforehandWhatTheScanWillBeAsked) {
  const auto key = [](unsigned number) { return std::to_string(number % 60); };
  const Keys rows = made_keys(5000, 30, key), kept = made_keys(30, 31, key);
  for (const JoinKind kind : {JoinKind::kSemi, JoinKind::kAnti, JoinKind::kInner}) {
    const std::string text = explained(joined(rows, kept, "int32", kind), false);
    EXPECT_TRUE(has(text, "\n  scan of l: asks for these keys\n")) << text;
  }
  const std::string outer = explained(joined(rows, kept, "int32", JoinKind::kLeft), false);
  EXPECT_FALSE(has(outer, "scan of l")) << outer;
}

TEST_F(JoinScanTest, DamagedBlocksAreErrorsThatSayWhere) {
  const auto word = [](unsigned number) { return "u" + std::to_string(number % 100); };
  const Keys rows = made_keys(6000, 32, word), kept = made_keys(60, 33, word);
  for (const JoinKind kind : {JoinKind::kSemi, JoinKind::kAnti, JoinKind::kInner}) {
    const Query query = joined(rows, kept, "utf8", kind);
    for (std::size_t i = 300; i < 6000 && i < files[0].size() / 2; ++i) files[0][i] ^= 0xff;
    const auto text = answer(query, {});
    ASSERT_FALSE(text.ok());
    EXPECT_NE(text.error().byte_offset, Error::kNone) << text.error().message();
  }
}

}  // namespace
}  // namespace presso::join_scan_test
