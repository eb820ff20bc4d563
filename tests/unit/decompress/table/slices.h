// SPDX-License-Identifier: MIT
// Tables of some columns for tests of slices, and what slices should give, computed row by row from
// the columns themselves.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "decompress/table/column_slice.h"
#include "format/columns/zone_image.h"
#include "presso/table_writer.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso::slices {

using Bits = std::array<std::uint64_t, kVectorBits>;

inline bool bit(const Bits& bits, std::uint32_t row) {
  return (bits[row / 64] >> (row % 64) & 1) != 0;
}

template <class... Columns>
std::vector<ColumnData> columns_of(Columns... columns) {
  std::vector<ColumnData> all;
  (all.push_back(std::move(columns)), ...);
  return all;
}

/// Strings of pieces in no order, for which tokens take least; one of seven is null and some are
/// empty.
inline ColumnData token_strings(std::uint32_t rows) {
  std::mt19937_64 random(5);
  std::vector<std::string> pieces(300);
  for (std::string& piece : pieces) {
    for (int i = 0; i < 6; ++i) piece.push_back(static_cast<char>('a' + random() % 26));
  }
  std::vector<std::string> strings(rows);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (auto left = row % 7 == 3 ? 0 : random() % 6; left > 0; --left) {
      strings[row] += pieces[random() % pieces.size()];
    }
  }
  ColumnData column = row_groups::strings_column(strings);
  column.validity.assign((rows + 7) / 8, 0);
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (row % 7 != 3) column.validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
  }
  return column;
}

/// A file of these columns, all of one length, in row groups of `group_rows` rows.
inline std::vector<Byte> table_of(std::span<const ColumnData> columns,
                                  std::uint32_t group_rows = 1u << 20, int level = 0) {
  TableSchema schema;
  std::vector<ColumnView> views;
  for (const ColumnData& column : columns) {
    schema.columns.push_back(row_groups::column_schema(
        column.type, std::string("c").append(std::to_string(views.size()))));
    views.push_back(column.view());
  }
  std::vector<Byte> file;
  VectorSink sink(file);
  TableWriterOptions options;
  options.group_rows = group_rows;
  options.compress.threads = 1;
  options.compress.level = level;
  auto writer = TableWriter::open(sink, schema, options);
  EXPECT_TRUE(writer.ok()) << writer.error().message();
  if (!writer.ok()) return file;
  const Status appended = writer->append(views);
  EXPECT_TRUE(appended.ok()) << appended.error().message();
  const auto closed = writer->close();
  EXPECT_TRUE(closed.ok()) << closed.error().message();
  return file;
}

/// An opened file.
struct Opened {
  explicit Opened(Bytes file, const DecodeOptions& options = {}) : access(file) {
    auto opened = Table::open(access, options);
    EXPECT_TRUE(opened.ok()) << opened.error().message();
    if (opened.ok()) table = std::make_unique<Table>(std::move(*opened));
  }
  std::shared_ptr<const GroupReader> group(std::uint64_t number = 0,
                                           ReadCounters* counters = nullptr) const {
    auto opened = GroupReader::open(*table, number, counters);
    EXPECT_TRUE(opened.ok()) << opened.error().message();
    return opened.ok() ? *opened : nullptr;
  }
  MemoryRandomAccess access;
  std::unique_ptr<Table> table;
};

/// The image of a value; ~0 for NaN.
inline std::uint64_t image_at(const ColumnView& column, std::uint64_t row) {
  const Byte* const at = column.values + row * value_bytes(column.type);
  switch (column.type) {
    case ColumnType::kBool:
      return column.values[row / 8] >> (row % 8) & 1;
    case ColumnType::kInt8:
      return signed_image(load<std::int8_t>(at));
    case ColumnType::kInt16:
      return signed_image(load<std::int16_t>(at));
    case ColumnType::kInt32:
    case ColumnType::kDate32:
      return signed_image(load<std::int32_t>(at));
    case ColumnType::kUint8:
      return *at;
    case ColumnType::kUint16:
      return load<std::uint16_t>(at);
    case ColumnType::kUint32:
      return load<std::uint32_t>(at);
    case ColumnType::kUint64:
      return load<std::uint64_t>(at);
    case ColumnType::kFloat: {
      const double value{load<float>(at)};
      return std::isnan(value) ? ~std::uint64_t{0} : double_image(value);
    }
    case ColumnType::kDouble: {
      const auto value = load<double>(at);
      return std::isnan(value) ? ~std::uint64_t{0} : double_image(value);
    }
    default:
      return signed_image(load<std::int64_t>(at));
  }
}

struct Bounds {
  std::uint64_t least;
  std::uint64_t most;
};

/// Bounds at, next to and far from values of the column, and those of its type.
inline std::vector<Bounds> bounds_for(const ColumnView& column, std::mt19937_64& random) {
  std::vector<Bounds> all = {{0, ~std::uint64_t{0}},
                             {0, 0},
                             {~std::uint64_t{0}, ~std::uint64_t{0}},
                             {1, 0},
                             {kTopBit, kTopBit},
                             {kTopBit - 1, kTopBit - 1},
                             {kTopBit - 1, kTopBit + 1},
                             {0, kTopBit - 1},
                             {kTopBit, ~std::uint64_t{0} - 1}};
  const int some = column.rows > 10000 ? 3 : 12;
  for (int i = 0; i < some; ++i) {
    std::uint64_t a = image_at(column, random() % column.rows) + random() % 3 - 1;
    std::uint64_t b = image_at(column, random() % column.rows) + random() % 3 - 1;
    if (a > b && i % 4 != 0) std::swap(a, b);
    all.push_back({a, b});
    all.push_back({a, ~std::uint64_t{0}});
  }
  return all;
}

/// Compares one slice with the columns that the table was made from.
class SliceCheck {
 public:
  /// `first`: of the slice in its row group, which begins at row `group_begin` of the column.
  SliceCheck(const GroupReader& group, std::size_t column, const ColumnData& data,
             std::uint64_t group_begin, std::uint32_t first, std::uint32_t rows)
      : group_(group), view_(data.view()), begin_(group_begin + first) {
    slice_.open(group, column, first, rows);
    EXPECT_EQ(slice_.rows(), rows);
    EXPECT_EQ(slice_.vectors(), (rows + 1023) / 1024);
  }

  void all(std::mt19937_64& random) {
    for (std::uint32_t vector = 0; vector < slice_.vectors(); ++vector) validity(vector);
    if (slice_.representation() == Representation::kDictionary) {
      codes(random);
    } else if (is_string(view_.type)) {
      texts();
      if (slice_.representation() == Representation::kToken) tokens();
    } else {
      numbers();
      if (view_.type != ColumnType::kDecimal128) comparisons(random);
    }
  }

 private:
  std::uint32_t rows_of(std::uint32_t vector) const {
    return std::min(slice_.rows() - vector * 1024, 1024u);
  }
  std::uint64_t row_of(std::uint32_t vector) const { return begin_ + vector * 1024; }

  void nothing_behind(const Bits& bits, std::uint32_t rows) {
    for (std::uint32_t row = rows; row < 1024; ++row) ASSERT_FALSE(bit(bits, row)) << row;
  }

  void validity(std::uint32_t vector) {
    Bits bits;
    const Status done = slice_.validity(vector, bits.data());
    ASSERT_TRUE(done.ok()) << done.error().message();
    for (std::uint32_t i = 0; i < rows_of(vector); ++i) {
      ASSERT_EQ(bit(bits, i), !view_.is_null(row_of(vector) + i)) << i;
    }
    nothing_behind(bits, rows_of(vector));
  }

  void numbers() {
    std::vector<Byte> got(1024 * 16 + Buffer::kSlack);
    ColumnView part{view_.type, 0, got.data()};
    for (std::uint32_t vector = 0; vector < slice_.vectors(); ++vector) {
      const Status done = slice_.numbers(vector, got.data());
      ASSERT_TRUE(done.ok()) << done.error().message();
      for (std::uint32_t i = 0; i < rows_of(vector); ++i) {
        if (view_.is_null(row_of(vector) + i)) continue;
        const Bytes is = row_groups::bytes_at(part, i);
        const Bytes should = row_groups::bytes_at(view_, row_of(vector) + i);
        ASSERT_TRUE(std::equal(is.begin(), is.end(), should.begin(), should.end()))
            << vector << " " << i;
      }
    }
  }

  void comparisons(std::mt19937_64& random) {
    for (const Bounds& bounds : bounds_for(view_, random)) {
      for (std::uint32_t vector = 0; vector < slice_.vectors(); ++vector) {
        compare(vector, bounds);
        if (testing::Test::HasFailure()) return;
      }
    }
  }

  void compare(std::uint32_t vector, const Bounds& bounds) {
    Bits bits;
    bits.fill(~std::uint64_t{0});
    const Status done = slice_.numbers_between(vector, bounds.least, bounds.most, bits.data());
    ASSERT_TRUE(done.ok()) << done.error().message();
    const auto between = slice_.vector_between(vector, bounds.least, bounds.most);
    ASSERT_TRUE(between.ok()) << between.error().message();
    for (std::uint32_t i = 0; i < rows_of(vector); ++i) {
      const std::uint64_t row = row_of(vector) + i;
      if (view_.is_null(row)) continue;
      const std::uint64_t image = image_at(view_, row);
      const bool inside = bounds.least <= image && image <= bounds.most;
      // NaNs have no image of their own: the greatest bound is theirs, whatever the least one is.
      const bool nan = image == ~std::uint64_t{0} &&
                       (view_.type == ColumnType::kFloat || view_.type == ColumnType::kDouble);
      ASSERT_EQ(bit(bits, i), nan ? bounds.most == image : inside)
          << vector << " " << i << " " << bounds.least << " " << bounds.most << " " << image;
      if (*between == Between::kAll) {
        ASSERT_TRUE(bit(bits, i));
      } else if (*between == Between::kNone) {
        ASSERT_FALSE(bit(bits, i));
      }
    }
    nothing_behind(bits, rows_of(vector));
  }

  void codes(std::mt19937_64& random) {
    const auto entries = group_.dictionary(column_number());
    ASSERT_TRUE(entries.ok()) << entries.error().message();
    const std::uint32_t size = (*entries)->size();
    std::vector<std::vector<std::uint64_t>> sets(5, std::vector<std::uint64_t>(size / 64 + 1));
    for (std::uint32_t code = 0; code < size; ++code) {
      const auto add = [&](std::size_t set) {
        sets[set][code / 64] |= std::uint64_t{1} << (code % 64);
      };
      add(1);
      if (code >= size / 3 && code <= size / 2) add(2);
      if (random() % 2 == 0) add(3);
      if (random() % 50 == 0) add(4);
    }
    std::vector<std::uint32_t> got(1024 + Buffer::kSlack);
    for (std::uint32_t vector = 0; vector < slice_.vectors(); ++vector) {
      const Status done = slice_.codes(vector, got.data());
      ASSERT_TRUE(done.ok()) << done.error().message();
      for (std::uint32_t i = 0; i < rows_of(vector); ++i) {
        ASSERT_LT(got[i], size);
        if (view_.is_null(row_of(vector) + i)) continue;
        const Bytes is = (*entries)->entry(got[i]);
        const Bytes should = view_.string(row_of(vector) + i);
        ASSERT_TRUE(std::equal(is.begin(), is.end(), should.begin(), should.end()));
      }
      for (const auto& set : sets) {
        Bits bits;
        const Status in = slice_.codes_in(vector, set.data(), bits.data());
        ASSERT_TRUE(in.ok()) << in.error().message();
        for (std::uint32_t i = 0; i < rows_of(vector); ++i) {
          ASSERT_EQ(bit(bits, i), (set[got[i] / 64] >> (got[i] % 64) & 1) != 0)
              << vector << " " << i;
        }
        nothing_behind(bits, rows_of(vector));
      }
    }
  }

  void same_text(const Result<SliceText>& text, std::uint64_t row, std::uint32_t rows) {
    ASSERT_TRUE(text.ok()) << text.error().message();
    ASSERT_EQ(text->rows, rows);
    ASSERT_EQ(text->offsets[0], 0);
    ASSERT_EQ(static_cast<std::size_t>(text->offsets[rows]), text->text.size());
    for (std::uint32_t i = 0; i < rows; ++i) {
      const Bytes should = view_.string(row + i);
      const Bytes is(text->text.data() + text->offsets[i],
                     static_cast<std::size_t>(text->offsets[i + 1] - text->offsets[i]));
      ASSERT_TRUE(std::equal(is.begin(), is.end(), should.begin(), should.end())) << row + i;
    }
  }

  void texts() {
    const std::uint32_t last = slice_.vectors() - 1;
    same_text(slice_.text(last), row_of(last), rows_of(last));
    for (std::uint32_t vector = 0; vector < slice_.vectors(); ++vector) {
      same_text(slice_.text(vector), row_of(vector), rows_of(vector));
    }
    same_text(slice_.text(), begin_, slice_.rows());
    same_text(slice_.text(0), begin_, rows_of(0));
  }

  void tokens() {
    for (std::uint32_t vector = slice_.vectors(); vector-- > 0;) {
      same_tokens(slice_.token_codes(vector), row_of(vector), rows_of(vector));
    }
    const auto codes = slice_.token_codes();
    ASSERT_TRUE(codes.ok()) << codes.error().message();
    ASSERT_EQ(codes->begins[0], 0u);
    same_tokens(codes, begin_, slice_.rows());
    same_tokens(slice_.token_codes(0), begin_, rows_of(0));
  }

  void same_tokens(const Result<SliceTokens>& codes, std::uint64_t first, std::uint32_t rows) {
    const auto dictionary = group_.tokens(column_number());
    ASSERT_TRUE(dictionary.ok());
    ASSERT_TRUE(codes.ok()) << codes.error().message();
    ASSERT_EQ(codes->rows, rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
      std::string made;
      for (std::uint32_t at = codes->begins[i]; at < codes->begins[i + 1]; ++at) {
        const Bytes token = (*dictionary)->token(codes->codes[at]);
        made.append(token.begin(), token.end());
      }
      const Bytes should = view_.string(first + i);
      ASSERT_TRUE(std::equal(made.begin(), made.end(), should.begin(), should.end()));
    }
  }

  /// Tests of strings have one column.
  static std::size_t column_number() { return 0; }

  const GroupReader& group_;
  ColumnView view_;
  std::uint64_t begin_;
  ColumnSlice slice_;
};

}  // namespace presso::slices
