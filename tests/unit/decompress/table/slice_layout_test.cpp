// SPDX-License-Identifier: MIT
// Slices of tables whose blocks end where presso's own do not: blocks of any number of rows, in
// each stream others, are valid files.
#include <map>

#include "compress/columns/token_encoder.h"
#include "compress/columns/token_trainer.h"
#include "compress/table/write/block_appender.h"
#include "tests/unit/decompress/table/slices.h"

namespace presso::slices::slice_layout_test {
namespace {

using row_groups::make_column;
using row_groups::Nulls;
using row_groups::Values;

constexpr std::uint32_t kPieces[] = {1000, 24, 4096, 2048, 8, 3000, 65536};

/// Writes a row group of one column in blocks of kPieces rows, each stream beginning with another
/// of them.
class OddGroup {
 public:
  explicit OddGroup(const ColumnData& column) : column_(column), view_(column.view()) {
    schema_.columns.push_back(row_groups::column_schema(column.type));
    group_.rows = rows();
  }

  std::vector<Byte> numbers() {
    begin(Representation::kPlain);
    integers(ColumnStream::kValues, view_.values, static_cast<Byte>(value_bytes(view_.type)));
    return file();
  }

  std::vector<Byte> dictionary() {
    begin(Representation::kDictionary);
    std::map<std::string, std::uint32_t> codes;
    std::vector<std::uint32_t> lengths;
    std::vector<std::uint32_t> of_rows;
    std::string bytes;
    for (std::uint32_t row = 0; row < rows(); ++row) {
      const Bytes text = view_.string(row);
      const std::string key(text.begin(), text.end());
      const auto [found, is_new] = codes.emplace(key, lengths.size());
      of_rows.push_back(found->second);
      if (!is_new) continue;
      lengths.push_back(static_cast<std::uint32_t>(key.size()));
      bytes += key;
    }
    to_.chunk().entries = static_cast<std::uint32_t>(lengths.size());
    to_.plain_integers<std::uint32_t>(ColumnStream::kEntryLengths, lengths);
    const std::int64_t ends[] = {0, static_cast<std::int64_t>(bytes.size())};
    to_.bytes(ColumnStream::kEntryBytes, reinterpret_cast<const Byte*>(bytes.data()), ends);
    integers(ColumnStream::kCodes, reinterpret_cast<const Byte*>(of_rows.data()), 4);
    return file();
  }

  std::vector<Byte> bytes() {
    begin(Representation::kBytes);
    std::vector<std::uint64_t> lengths;
    for (std::uint32_t row = 0; row < rows(); ++row) lengths.push_back(view_.string(row).size());
    integers(ColumnStream::kLengths, reinterpret_cast<const Byte*>(lengths.data()), 8);
    pieces([&](std::uint32_t first, std::uint32_t count) {
      const std::size_t size =
          static_cast<std::size_t>(view_.offsets[first + count] - view_.offsets[first]);
      if (size > 0) to_.single(ColumnStream::kBytes, {view_.values + view_.offsets[first], size});
    });
    return file();
  }

  std::vector<Byte> tokens() {
    begin(Representation::kToken);
    const TokenDictionary dictionary = train_tokens(view_);
    std::vector<Byte> stored;
    dictionary.append_to(stored);
    to_.single(ColumnStream::kTokenDictionary, stored);
    TokenEncoder encoder(dictionary);
    std::vector<std::uint32_t> counts;
    Buffer all;
    encoder.encode(view_, 0, rows(), counts, all);
    integers(ColumnStream::kTokenCounts, reinterpret_cast<const Byte*>(counts.data()), 4);
    pieces([&](std::uint32_t first, std::uint32_t count) {
      std::vector<std::uint32_t> own;
      Buffer payload;
      encoder.encode(view_, first, count, own, payload);
      std::uint32_t codes = 0;
      for (const std::uint32_t of_row : own) codes += of_row;
      to_.tokens(payload.bytes(), codes, count,
                 static_cast<std::uint32_t>(view_.offsets[first + count] - view_.offsets[first]));
    });
    return file();
  }

 private:
  std::uint32_t rows() const { return static_cast<std::uint32_t>(column_.rows); }

  void begin(Representation representation) {
    to_.begin_column(representation);
    for (std::uint32_t row = 0; row < rows(); ++row) {
      to_.chunk().nulls += view_.is_null(row) ? 1 : 0;
    }
    if (is_string(view_.type)) {
      to_.chunk().value_bytes = static_cast<std::uint64_t>(view_.offsets[rows()]);
    }
    if (to_.chunk().nulls > 0) integers(ColumnStream::kValidity, view_.validity, 0);
  }

  template <class Add>
  void pieces(const Add& add) {
    std::size_t piece = stream_++;
    for (std::uint32_t first = 0; first < rows(); ++piece) {
      const std::uint32_t count = std::min(rows() - first, kPieces[piece % std::size(kPieces)]);
      add(first, count);
      first += count;
    }
  }

  void integers(ColumnStream stream, const Byte* values, Byte width) {
    pieces([&](std::uint32_t first, std::uint32_t count) {
      const std::size_t at = width == 0 ? first / 8 : std::size_t{first} * width;
      to_.integers(stream, values + at, width, false, false, count, nullptr,
                   [](std::uint32_t, std::uint32_t) { return Zone{}; });
    });
  }

  std::vector<Byte> file() {
    std::vector<Byte> file;
    VectorSink sink(file);
    TableFileWriter writer(sink);
    EXPECT_TRUE(writer.begin(schema_, {}).ok());
    EXPECT_TRUE(writer.add_row_group(group_, blocks_.bytes()).ok());
    EXPECT_TRUE(writer.finish().ok());
    return file;
  }

  const ColumnData& column_;
  ColumnView view_;
  TableSchema schema_;
  RowGroup group_;
  Buffer blocks_;
  TableEncoders encoders_{table_parameters(CompressOptions{})};
  BlockAppender to_{group_, blocks_, encoders_};
  std::size_t stream_ = 0;
};

void check_slices(const std::vector<Byte>& file, const ColumnData& column) {
  const Opened opened(file);
  const auto group = opened.group();
  ASSERT_NE(group, nullptr);
  for (const std::uint32_t slice_rows : {kSliceRows, 3 * 1024u}) {
    std::mt19937_64 random(3);
    for (std::uint32_t first = 0; first < group->rows(); first += slice_rows) {
      const std::uint32_t rows = std::min(slice_rows, group->rows() - first);
      SliceCheck(*group, 0, column, 0, first, rows).all(random);
      ASSERT_FALSE(testing::Test::HasFailure()) << slice_rows << " " << first;
    }
  }
}

TEST(SliceLayout, NumbersInBlocksOfAnyRows) {
  for (const ColumnType type : {ColumnType::kBool, ColumnType::kInt8, ColumnType::kInt32,
                                ColumnType::kDouble, ColumnType::kDecimal128}) {
    const ColumnData column = make_column(type, 20000, Nulls::kSome, Values::kSorted);
    check_slices(OddGroup(column).numbers(), column);
  }
}

TEST(SliceLayout, DictionariesInBlocksOfAnyRows) {
  const ColumnData column = make_column(ColumnType::kUtf8, 20000, Nulls::kSome, Values::kSorted);
  check_slices(OddGroup(column).dictionary(), column);
}

TEST(SliceLayout, BytesInBlocksOfAnyRows) {
  const ColumnData column = make_column(ColumnType::kUtf8, 20000, Nulls::kSome, Values::kExtreme);
  check_slices(OddGroup(column).bytes(), column);
}

TEST(SliceLayout, TokensInBlocksOfAnyRows) {
  const ColumnData column = token_strings(20000);
  check_slices(OddGroup(column).tokens(), column);
}

}  // namespace
}  // namespace presso::slices::slice_layout_test
