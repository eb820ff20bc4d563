// SPDX-License-Identifier: MIT
// Slices of columns give what Table::read gives, vector by vector, and comparisons without decoding
// give what comparing the values does: for every type, at every level of CPU.
#include <random>

#include "tests/unit/decompress/table/slices.h"

namespace presso::slices {
namespace {

using row_groups::make_column;
using row_groups::Nulls;
using row_groups::strings_column;
using row_groups::Values;

struct Bounds {
  std::uint64_t least;
  std::uint64_t most;
};

/// Bounds at, next to and far from values of the column, and those of its type.
std::vector<Bounds> bounds_for(const ColumnView& column, std::mt19937_64& random) {
  std::vector<Bounds> all = {{0, ~std::uint64_t{0}},
                             {0, 0},
                             {~std::uint64_t{0}, ~std::uint64_t{0}},
                             {1, 0},
                             {kTopBit, kTopBit},
                             {kTopBit - 1, kTopBit - 1},
                             {kTopBit - 1, kTopBit + 1},
                             {0, kTopBit - 1},
                             {kTopBit, ~std::uint64_t{0} - 1}};
  for (int i = 0; i < 12; ++i) {
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
    const auto dictionary = group_.tokens(column_number());
    ASSERT_TRUE(dictionary.ok());
    const auto codes = slice_.token_codes();
    ASSERT_TRUE(codes.ok()) << codes.error().message();
    ASSERT_EQ(codes->rows, slice_.rows());
    ASSERT_EQ(codes->begins[0], 0u);
    for (std::uint32_t i = 0; i < slice_.rows(); ++i) {
      std::string made;
      for (std::uint32_t at = codes->begins[i]; at < codes->begins[i + 1]; ++at) {
        const Bytes token = (*dictionary)->token(codes->codes[at]);
        made.append(token.begin(), token.end());
      }
      const Bytes should = view_.string(begin_ + i);
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

/// All slices of a table of one column, as a query reads them.
void check_column(const ColumnData& column, std::uint32_t group_rows = 1u << 20,
                  std::uint32_t slice_rows = kSliceRows) {
  const std::vector<Byte> file = table_of({&column, 1}, group_rows);
  for (const CpuLevel level : supported_cpu_levels()) {
    std::mt19937_64 random(17);
    DecodeOptions options;
    options.level = level;
    const Opened opened(file, options);
    for (std::uint64_t number = 0; number < opened.table->row_groups(); ++number) {
      const auto group = opened.group(number);
      ASSERT_NE(group, nullptr);
      for (std::uint32_t first = 0; first < group->rows(); first += slice_rows) {
        const std::uint32_t rows = std::min(slice_rows, group->rows() - first);
        SliceCheck(*group, 0, column, group->first_row(), first, rows).all(random);
        ASSERT_FALSE(testing::Test::HasFailure())
            << name(level) << ", type " << int{static_cast<Byte>(column.type)} << ", group "
            << number << ", slice at " << first;
      }
    }
  }
}

TEST(ColumnSlice, GivesEveryTypeWithAndWithoutNulls) {
  for (const ColumnType type : row_groups::all_types()) {
    for (const Nulls nulls : {Nulls::kNone, Nulls::kSome, Nulls::kAll}) {
      for (const Values values :
           {Values::kEqual, Values::kSorted, Values::kRandom, Values::kExtreme}) {
        check_column(make_column(type, 2500, nulls, values));
        ASSERT_FALSE(testing::Test::HasFailure());
      }
    }
  }
}

TEST(ColumnSlice, GivesAnyNumberOfRows) {
  for (const std::uint32_t rows : {1u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 65536u, 70000u}) {
    check_column(make_column(ColumnType::kInt32, rows, Nulls::kSome, Values::kSorted));
    check_column(make_column(ColumnType::kDouble, rows, Nulls::kNone, Values::kSorted));
    check_column(make_column(ColumnType::kUtf8, rows, Nulls::kNone, Values::kRandom));
    ASSERT_FALSE(testing::Test::HasFailure()) << rows;
  }
}

TEST(ColumnSlice, GivesPartsOfBlocks) {
  for (const std::uint32_t slice_rows : {1024u, 2048u, 5 * 1024u}) {
    for (const ColumnType type : {ColumnType::kBool, ColumnType::kInt16, ColumnType::kUtf8}) {
      check_column(make_column(type, 12000, Nulls::kSome, Values::kRandom), 7000, slice_rows);
    }
    check_column(make_column(ColumnType::kUtf8, 12000, Nulls::kSome, Values::kSorted), 7000,
                 slice_rows);
    check_column(make_column(ColumnType::kUtf8, 12000, Nulls::kSome, Values::kExtreme), 7000,
                 slice_rows);
  }
}

TEST(ColumnSlice, GivesNumbersThatAreStoredAsBytes) {
  const ColumnData column = row_groups::repeating_column(ColumnType::kInt64, 5000, 100);
  const std::vector<Byte> file = table_of({&column, 1});
  const Opened opened(file);
  const auto group = opened.group();
  Buffer stored;
  ASSERT_TRUE(group->blocks().read(group->chunk(0).first_block, stored).ok());
  ASSERT_TRUE(BlockReader::is_bytes(stored));
  check_column(column);
  check_column(column, 1u << 20, 2048);
}

}  // namespace
}  // namespace presso::slices
