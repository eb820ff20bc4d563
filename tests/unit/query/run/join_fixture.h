// SPDX-License-Identifier: MIT
// Tables of numbers with equal and missing keys, nested loops over their rows, and queries of them:
// what tests of joins have in common.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <sstream>

#include "corpora/random.h"
#include "presso/compress_table.h"
#include "presso/query.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso {

struct Row {
  int id;
  std::optional<int> key;
  int value;
};
using Rows = std::vector<Row>;

/// `keys` different ones; a tenth of the rows has none.
inline Rows make_rows(int count, unsigned keys, std::uint64_t seed) {
  corpora::Random random(seed);
  Rows rows;
  for (int i = 0; i < count; ++i) {
    const bool has_key = random.below(10) != 0;
    const int key = static_cast<int>(random.below(keys));
    rows.push_back(
        {i, has_key ? std::optional(key) : std::nullopt, static_cast<int>(random.below(100))});
  }
  return rows;
}

/// The same key in all rows.
inline Rows equal_rows(int count) {
  Rows rows;
  for (int i = 0; i < count; ++i) rows.push_back({i, 7, i % 100});
  return rows;
}

inline std::string csv_of(const Rows& rows, const std::string& names) {
  std::string csv = names + "\n";
  for (const Row& row : rows) {
    csv += std::to_string(row.id) + "," + (row.key ? std::to_string(*row.key) : "") + "," +
           std::to_string(row.value) + "\n";
  }
  return csv;
}

inline std::string text_of(const Row* row) {
  return row == nullptr ? "" : std::to_string(row->id);
}
inline std::string pair_text(const Row* left, const Row* right) {
  return text_of(left) + "," + text_of(right) + "\n";
}

using Condition = std::function<bool(const Row& left, const Row& right)>;
inline bool any_pair(const Row&, const Row&) {
  return true;
}

/// "left.id,right.id" of the pairs, and for semi and anti joins "left.id", in the order that
/// Query::join() promises.
inline std::string nested_loop(const Rows& left, const Rows& right, JoinKind kind,
                               const Condition& condition = any_pair) {
  const auto belong = [&](const Row& a, const Row& b) {
    return a.key && b.key && *a.key == *b.key && condition(a, b);
  };
  std::string text;
  if (kind == JoinKind::kSemi || kind == JoinKind::kAnti) {
    for (const Row& a : left) {
      const bool found =
          std::any_of(right.begin(), right.end(), [&](const Row& b) { return belong(a, b); });
      if (found == (kind == JoinKind::kSemi)) text += std::to_string(a.id) + "\n";
    }
    return text;
  }
  const bool left_is_read = left.size() >= right.size();
  const Rows& outer = left_is_read ? left : right;
  const Rows& inner = left_is_read ? right : left;
  const bool full = kind == JoinKind::kFull;
  const bool keeps_left = kind == JoinKind::kLeft || full;
  const bool keeps_right = kind == JoinKind::kRight || full;
  std::vector<bool> found_inner(inner.size());
  const auto add = [&](const Row* of_outer, const Row* of_inner) {
    text += left_is_read ? pair_text(of_outer, of_inner) : pair_text(of_inner, of_outer);
  };
  for (const Row& a : outer) {
    bool found = false;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const bool fits = left_is_read ? belong(a, inner[i]) : belong(inner[i], a);
      if (!fits) continue;
      add(&a, &inner[i]);
      found = found_inner[i] = true;
    }
    if (!found && (left_is_read ? keeps_left : keeps_right)) add(&a, nullptr);
  }
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (!found_inner[i] && (left_is_read ? keeps_right : keeps_left)) add(nullptr, &inner[i]);
  }
  return text;
}

inline std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

constexpr JoinKind kKinds[] = {JoinKind::kInner, JoinKind::kLeft, JoinKind::kRight,
                               JoinKind::kFull,  JoinKind::kSemi, JoinKind::kAnti};

inline bool has_right_columns(JoinKind kind) {
  return kind != JoinKind::kSemi && kind != JoinKind::kAnti;
}

class JoinTest : public ::testing::Test {
 protected:
  Table table(const std::string& csv, std::uint32_t group_rows = 128, const char* types = nullptr) {
    files.push_back(compressed(csv, group_rows, types));
    accesses.emplace_back(files.back());
    return *Table::open(accesses.back());
  }
  Table left_table(const Rows& rows) { return table(csv_of(rows, "id,k,v"), 128, kTypes); }
  Table right_table(const Rows& rows) { return table(csv_of(rows, "id,k,w"), 100, kTypes); }

  static std::vector<Byte> compressed(const std::string& csv, std::uint32_t group_rows,
                                      const char* types) {
    std::vector<Byte> bytes;
    VectorSink sink(bytes);
    MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    MemorySource again({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    TableOptions options;
    options.group_rows = group_rows;
    options.text.header = true;
    const std::string names = csv.substr(0, csv.find('\n'));
    for (std::size_t begin = 0; types != nullptr && begin < names.size();) {
      const std::size_t end = std::min(names.find(',', begin), names.size());
      ColumnSchema column = *parse_type(types);
      column.name = names.substr(begin, end - begin);
      options.types.push_back(column);
      begin = end + 1;
    }
    const auto done = compress_table(source, &again, sink, options);
    EXPECT_TRUE(done.ok()) << done.error().message();
    return bytes;
  }

  Query joined(const Rows& left, const Rows& right, JoinKind kind, const std::string& on) {
    Query query = Query::from(left_table(left));
    query.join({right_table(right)}, {}, kind, on);
    query.select(has_right_columns(kind) ? "left.id, right.id" : "left.id");
    return query;
  }

  std::string run(const Query& query, const QueryOptions& options = {}) {
    TextSink sink;
    const auto done = query.run(options, sink);
    if (!done.ok()) return "error: " + done.error().message();
    summary = *done;
    return sink.text;
  }

  /// By every strategy that suits, with one thread and with three.
  void expect_always(const Query& query, const std::string& expected) {
    for (std::size_t i = 0; i < kJoinStrategyNames.size(); ++i) {
      QueryOptions options;
      options.join_strategy = static_cast<JoinStrategy>(i);
      for (const unsigned threads : {1u, 3u}) {
        options.threads = threads;
        const std::string text = run(query, options);
        if (text.find("that ascend") != text.npos) continue;
        ASSERT_EQ(text, expected) << kJoinStrategyNames[i] << ", " << threads << " threads";
      }
    }
  }

  std::string error_of(const Query& query) {
    const auto schema = query.schema();
    return schema.ok() ? "no error" : schema.error().message();
  }

  static constexpr const char* kTypes = "int32";
  std::deque<std::vector<Byte>> files;
  std::deque<MemoryRandomAccess> accesses;
  QuerySummary summary;
};

}  // namespace presso
