// SPDX-License-Identifier: MIT
// Damaged and forged row groups: a flipped byte is an error or, in padding, nothing; directories
// and blocks that contradict each other are errors even where every checksum is right; nothing is
// read outside (ASan) or allocated beyond what the directory claims.
#include "compress/columns/token_encoder.h"
#include "compress/table/write/block_appender.h"
#include "format/columns/column_block.h"
#include "presso/checksum.h"
#include "tests/support/largest_allocation.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso::row_groups::row_group_damage_test {
namespace {

/// A row group for each representation, of few rows.
std::vector<ColumnData> small_columns() {
  std::vector<ColumnData> columns;
  std::mt19937_64 random(9);
  columns.push_back(make_column(ColumnType::kInt32, 300, Nulls::kSome, Values::kSorted));
  columns.push_back(make_column(ColumnType::kBool, 300, Nulls::kSome, Values::kRandom));
  columns.push_back(make_column(ColumnType::kDouble, 300, Nulls::kNone, Values::kSorted));
  columns.push_back(make_column(ColumnType::kDecimal128, 300, Nulls::kSome, Values::kExtreme));
  columns.push_back(make_column(ColumnType::kUtf8, 200, Nulls::kSome, Values::kExtreme));
  columns.push_back(repeating_column(ColumnType::kInt64, 3000, 100));
  std::vector<std::string> few;
  for (int i = 0; i < 3000; ++i) few.push_back("state " + std::to_string(random() % 50));
  columns.push_back(strings_column(few));
  // Pieces in no order: tokens take less than matches.
  std::vector<std::string> pieces(300);
  for (std::string& piece : pieces) {
    for (int i = 0; i < 6; ++i) piece.push_back(static_cast<char>('a' + random() % 26));
  }
  std::vector<std::string> words(6000);
  for (std::string& word : words) {
    for (int i = 0; i < 3; ++i) word += pieces[random() % pieces.size()];
  }
  columns.push_back(strings_column(words));
  return columns;
}

TEST(RowGroupDamage, RepresentationsOfTheSmallColumnsAreAllThereAre) {
  std::vector<bool> seen(6);
  for (const ColumnData& column : small_columns()) {
    seen[static_cast<std::size_t>(encode_column(column).directory.columns[0].representation)] =
        true;
  }
  EXPECT_TRUE(seen[1] && seen[2] && seen[3] && seen[4]);
}

TEST(RowGroupDamage, AFlippedByteIsAnErrorOrChangesNothing) {
  for (const ColumnData& column : small_columns()) {
    Stored stored = encode_column(column);
    const std::size_t step = stored.blocks.size() / 2000 + 1;
    std::size_t harmless = 0;
    for (std::size_t at = 0; at < stored.blocks.size(); at += step) {
      stored.blocks[at] ^= static_cast<Byte>(1u << (at % 8));
      const auto read = stored.read();
      if (read.ok()) {
        ++harmless;
        ASSERT_EQ(first_difference(column.view(), 0, read->view()), column.rows) << at;
      } else {
        EXPECT_TRUE(is_damage(read.error().code)) << read.error().message();
        EXPECT_NE(read.error().block, Error::kNone) << read.error().message();
      }
      stored.blocks[at] ^= static_cast<Byte>(1u << (at % 8));
    }
    EXPECT_LT(harmless, 16 * stored.directory.blocks.size());
  }
}

/// Makes both checksums of a block of integers or tokens right.
void reseal(Stored& stored, std::size_t block) {
  Byte* const header = stored.blocks.data() + stored.offset_of(block);
  if (!is_column_coding(header)) return;
  const std::uint32_t payload = load_u24(header + 12);
  if (kBlockHeaderBytes + payload > stored.directory.blocks[block].stored_bytes) return;
  store<std::uint64_t>(header + 36, checksum64({header + kBlockHeaderBytes, payload}));
  store<std::uint32_t>(header + 44, checksum32({header, 44}));
}

/// What a column of the row group takes in memory by its directory.
std::size_t claimed_bytes(const RowGroup& group) {
  std::size_t bytes = std::size_t{64} * group.rows + (1u << 20);
  for (const ColumnBlock& block : group.blocks) bytes += block.plain_bytes + block.stored_bytes;
  return bytes;
}

void read_whatever_it_is(const Stored& stored, std::mt19937_64& random) {
  test::reset_largest_allocation();
  const Status all = stored.check();
  if (!all.ok()) {
    EXPECT_TRUE(is_damage(all.error().code)) << all.error().message();
  }
  const auto first = static_cast<std::uint32_t>(random() % stored.directory.rows);
  const auto rows = static_cast<std::uint32_t>(random() % (stored.directory.rows - first + 1));
  const auto part = stored.read(first, rows);
  if (part.ok()) {
    EXPECT_EQ(part->rows, rows);
  }
  EXPECT_LE(test::largest_allocation(), 2 * claimed_bytes(stored.directory));
}

TEST(RowGroupDamage, ForgedChecksumsNeverLeadOutOfBounds) {
  std::mt19937_64 random(11);
  for (const ColumnData& column : small_columns()) {
    const Stored sound = encode_column(column);
    for (int i = 0; i < 1500; ++i) {
      Stored stored = sound;
      const std::size_t block = random() % stored.directory.blocks.size();
      const std::size_t begin = stored.offset_of(block);
      for (auto flips = random() % 3 + 1; flips > 0; --flips) {
        const std::size_t size =
            i % 2 == 0 ? kBlockHeaderBytes : stored.directory.blocks[block].stored_bytes;
        stored.blocks[begin + random() % size] = static_cast<Byte>(random());
      }
      reseal(stored, block);
      read_whatever_it_is(stored, random);
    }
  }
}

TEST(RowGroupDamage, MutatedDirectoriesNeverLeadOutOfBounds) {
  std::mt19937_64 random(12);
  for (const ColumnData& column : small_columns()) {
    const Stored sound = encode_column(column);
    const std::vector<Byte> payload = serialise_row_group(sound.directory);
    int parsed = 0;
    for (int i = 0; i < 3000; ++i) {
      std::vector<Byte> mutated = payload;
      for (auto flips = random() % 2 + 1; flips > 0; --flips) {
        Byte& byte = mutated[random() % mutated.size()];
        byte = static_cast<Byte>(random() % 2 == 0 ? random() : byte + random() % 3 - 1);
      }
      auto directory = parse_row_group(mutated, sound.schema);
      if (!directory.ok()) continue;
      ++parsed;
      Stored stored = sound;
      stored.directory = std::move(*directory);
      read_whatever_it_is(stored, random);
    }
    EXPECT_GT(parsed, 0);
  }
}

/// Row groups of one string column, made block by block.
class Forged : public testing::Test {
 protected:
  Forged() {
    schema_.columns.push_back(column_schema(ColumnType::kUtf8));
    group_.rows = 3;
  }

  void begin(Representation representation, std::uint64_t value_bytes) {
    to_.begin_column(representation);
    to_.chunk().value_bytes = value_bytes;
  }
  template <class T>
  void integers(ColumnStream stream, const std::vector<T>& values) {
    to_.plain_integers<T>(stream, values);
  }
  void bytes(ColumnStream stream, const std::string& content) {
    const std::int64_t ends[] = {0, static_cast<std::int64_t>(content.size())};
    to_.bytes(stream, reinterpret_cast<const Byte*>(content.data()), ends);
  }
  ErrorCode read() {
    const std::vector<Byte> payload = serialise_row_group(group_);
    auto parsed = parse_row_group(payload, schema_);
    if (!parsed.ok()) return parsed.error().code;
    Stored stored{schema_, std::move(*parsed), {}};
    stored.blocks.assign(blocks_.data(), blocks_.data() + blocks_.size());
    const auto column = stored.read();
    return column.ok() ? ErrorCode::kOk : column.error().code;
  }

  void dictionary(std::vector<std::uint32_t> lengths, const std::string& entries,
                  const std::vector<std::uint32_t>& codes, std::uint64_t value_bytes) {
    begin(Representation::kDictionary, value_bytes);
    to_.chunk().entries = static_cast<std::uint32_t>(lengths.size());
    integers<std::uint32_t>(ColumnStream::kEntryLengths, lengths);
    bytes(ColumnStream::kEntryBytes, entries);
    integers<std::uint32_t>(ColumnStream::kCodes, codes);
  }
  void strings(const std::vector<std::uint64_t>& lengths, const std::string& content,
               std::uint64_t value_bytes) {
    begin(Representation::kBytes, value_bytes);
    integers<std::uint64_t>(ColumnStream::kLengths, lengths);
    bytes(ColumnStream::kBytes, content);
  }
  /// "abc", "de", "f" in single bytes.
  void tokens(const std::vector<std::uint32_t>& counts, std::uint32_t codes, std::uint32_t plain,
              bool dictionary_is_sound = true) {
    begin(Representation::kToken, plain);
    std::vector<Byte> stored;
    const TokenDictionary single;
    single.append_to(stored);
    if (!dictionary_is_sound) stored.push_back(1);
    to_.single(ColumnStream::kTokenDictionary, stored);
    integers<std::uint32_t>(ColumnStream::kTokenCounts, counts);
    const ColumnData column = strings_column({"abc", "de", "f"});
    std::vector<std::uint32_t> own;
    Buffer payload;
    TokenEncoder(single).encode(column.view(), 0, 3, own, payload);
    to_.tokens(payload.bytes(), codes, 3, plain);
  }

  TableSchema schema_;
  RowGroup group_;
  Buffer blocks_;
  TableEncoders encoders_{table_parameters(CompressOptions{})};
  BlockAppender to_{group_, blocks_, encoders_};
};

TEST_F(Forged, SoundDictionary) {
  dictionary({1, 2}, "abb", {0, 1, 0}, 4);
  EXPECT_EQ(read(), ErrorCode::kOk);
}
TEST_F(Forged, CodesBeyondTheDictionary) {
  dictionary({1, 2}, "abb", {0, 2, 0}, 4);
  EXPECT_EQ(read(), ErrorCode::kBadRowGroup);
}
TEST_F(Forged, EntriesThatAreLongerThanTheirBytes) {
  dictionary({1, 3}, "abb", {0, 1, 0}, 5);
  EXPECT_EQ(read(), ErrorCode::kBadRowGroup);
}
TEST_F(Forged, EntriesThatAreShorterThanTheirBytes) {
  dictionary({1, 1}, "abb", {0, 1, 0}, 3);
  EXPECT_EQ(read(), ErrorCode::kBadRowGroup);
}
TEST_F(Forged, EntryLengthsThatWrapAround) {
  dictionary({1, ~0u}, "abb", {0, 1, 0}, 4);
  EXPECT_EQ(read(), ErrorCode::kBadRowGroup);
}
TEST_F(Forged, DictionaryValuesOfMoreBytesThanTheDirectorySays) {
  dictionary({1, 2}, "abb", {1, 1, 1}, 5);
  EXPECT_EQ(read(), ErrorCode::kBadRowGroup);
}
TEST_F(Forged, SoundBytes) {
  strings({1, 2, 0}, "abb", 3);
  EXPECT_EQ(read(), ErrorCode::kOk);
}
TEST_F(Forged, LengthsThatDoNotAddUp) {
  strings({1, 1, 0}, "abb", 3);
  EXPECT_EQ(read(), ErrorCode::kBadRowGroup);
}
TEST_F(Forged, LengthsThatWrapAround) {
  strings({1, ~std::uint64_t{0}, 3}, "abb", 3);
  EXPECT_EQ(read(), ErrorCode::kBadRowGroup);
}
TEST_F(Forged, BytesThatAreNotThere) {
  strings({1, 2, 1}, "abb", 4);
  EXPECT_EQ(read(), ErrorCode::kBadRowGroup);
}
TEST_F(Forged, SoundTokens) {
  tokens({3, 2, 1}, 6, 6);
  EXPECT_EQ(read(), ErrorCode::kOk);
}
TEST_F(Forged, CountsOfTokensThatDoNotAddUp) {
  tokens({3, 2, 2}, 6, 6);
  EXPECT_EQ(read(), ErrorCode::kBadLength);
}
TEST_F(Forged, CountsOfTokensThatWrapAround) {
  tokens({~0u, 2, 5}, 6, 6);
  EXPECT_EQ(read(), ErrorCode::kBadLength);
}
TEST_F(Forged, TokensThatAreLongerThanThePlainSize) {
  tokens({3, 2, 0}, 5, 5);
  EXPECT_EQ(read(), ErrorCode::kOk);  // the sixth code stands where the padding of lanes does
}
TEST_F(Forged, TokensThatAreShorterThanThePlainSize) {
  tokens({3, 2, 1}, 6, 7);
  EXPECT_EQ(read(), ErrorCode::kBadLength);
}
TEST_F(Forged, ATokenDictionaryThatIsNotSound) {
  tokens({3, 2, 1}, 6, 6, false);
  EXPECT_EQ(read(), ErrorCode::kBadPayloadSize);
}

TEST(RowGroupDamage, AWrongNumberOfNullsIsAnError) {
  Stored stored =
      encode_column(make_column(ColumnType::kInt32, 100, Nulls::kSome, Values::kSorted));
  stored.directory.columns[0].nulls += 1;
  EXPECT_EQ(stored.read().error().code, ErrorCode::kBadRowGroup);
}

TEST(RowGroupDamage, BlocksInEachOthersPlaceAreAnError) {
  Stored stored =
      encode_column(make_column(ColumnType::kInt64, 3 * 65536, Nulls::kNone, Values::kEqual));
  const std::size_t size = stored.directory.blocks[0].stored_bytes;
  ASSERT_EQ(stored.directory.blocks[1].stored_bytes, size);
  std::swap_ranges(stored.blocks.begin(), stored.blocks.begin() + static_cast<std::ptrdiff_t>(size),
                   stored.blocks.begin() + static_cast<std::ptrdiff_t>(size));
  EXPECT_EQ(stored.read().error().code, ErrorCode::kBadRowGroup);
}

TEST(RowGroupDamage, ExactLinesWhoseRowsDoNotRiseAreAnError) {
  TableSchema schema;
  schema.columns.push_back(column_schema(ColumnType::kInt32));
  schema.text.kind = TextKind::kDelimited;
  schema.exact = true;
  RowGroupEncoder encoder(schema, table_parameters(CompressOptions{}));
  const ColumnData column = make_column(ColumnType::kInt32, 9, Nulls::kNone, Values::kSorted);
  const ColumnView view = column.view();
  for (const std::vector<std::uint32_t>& rows :
       {std::vector<std::uint32_t>{3, 3}, {4, 2}, {1, 10}}) {
    const ExactLines lines{rows, {0, 1, 2}, {'a', 'b'}, {}};
    const Stored stored = store_group(schema, encoder.encode({&view, 1}, {1, 0, 0, &lines, {}}));
    EXPECT_EQ(stored.check().error().code, ErrorCode::kBadRowGroup);
  }
}

TEST(RowGroupDamage, RunningOutOfMemoryIsAnError) {
  const Stored stored = encode_column(small_columns().back());
  for (std::size_t count = 0; count < 12; ++count) {
    const MemoryRandomAccess file(stored.blocks);
    const RowGroupDecoder decoder = stored.decoder(file);
    test::fail_allocation_after(count);
    const auto read = decoder.read(0, 0, stored.directory.rows);
    test::fail_allocation_after(~std::size_t{0});
    if (!read.ok()) {
      EXPECT_EQ(read.error().code, ErrorCode::kOutOfMemory);
    }
  }
}

}  // namespace
}  // namespace presso::row_groups::row_group_damage_test
