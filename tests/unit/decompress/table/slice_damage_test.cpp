// SPDX-License-Identifier: MIT
// Slices of damaged files: an error has the block and its offset in the file and comes again each
// time; where checksums are not compared, anything may come out, but nothing is read or written out
// of bounds (ASan) at any level of CPU.
#include "format/columns/column_block.h"
#include "presso/checksum.h"
#include "tests/unit/decompress/table/slices.h"

namespace presso::slices::slice_damage_test {
namespace {

using row_groups::make_column;
using row_groups::Nulls;
using row_groups::strings_column;
using row_groups::Values;

/// A column for each representation, and for several kinds of integers.
std::vector<ColumnData> columns_of_all_sorts() {
  std::vector<ColumnData> columns;
  std::mt19937_64 random(9);
  columns.push_back(make_column(ColumnType::kInt32, 3000, Nulls::kSome, Values::kSorted));
  columns.push_back(make_column(ColumnType::kBool, 3000, Nulls::kSome, Values::kRandom));
  columns.push_back(make_column(ColumnType::kDouble, 3000, Nulls::kNone, Values::kSorted));
  columns.push_back(make_column(ColumnType::kDouble, 1500, Nulls::kNone, Values::kRandom));
  columns.push_back(make_column(ColumnType::kInt64, 1500, Nulls::kNone, Values::kExtreme));
  columns.push_back(make_column(ColumnType::kDecimal128, 1500, Nulls::kSome, Values::kExtreme));
  columns.push_back(make_column(ColumnType::kUtf8, 1500, Nulls::kSome, Values::kExtreme));
  columns.push_back(row_groups::repeating_column(ColumnType::kInt64, 3000, 100));
  ColumnData runs = make_column(ColumnType::kInt32, 3000, Nulls::kNone, Values::kRandom);
  for (std::uint64_t row = 0; row < runs.rows; ++row) {
    std::memcpy(runs.values.data() + 4 * row, runs.values.data() + 4 * (row / 9 * 9), 4);
  }
  columns.push_back(std::move(runs));
  std::vector<std::string> few;
  for (int i = 0; i < 3000; ++i) few.push_back("state " + std::to_string(random() % 50));
  columns.push_back(strings_column(few));
  columns.push_back(token_strings(4000));
  return columns;
}

/// Calls everything that a slice of the column has; the first error.
Status use_all(const Opened& opened, std::uint32_t rows) {
  const auto group = GroupReader::open(*opened.table, 0);
  if (!group.ok()) return group.error();
  ColumnSlice slice;
  slice.open(**group, 0, 0, rows);
  Status first;
  const auto keep = [&](const auto& result) {
    if (!result.ok() && first.ok()) first = result.error();
    return result.ok();
  };
  std::vector<std::uint64_t> room(2048 + 64);
  Bits bits;
  const ColumnType type = (*group)->schema().columns[0].type;
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    keep(slice.validity(vector, bits.data()));
    if (slice.representation() == Representation::kDictionary) {
      const auto entries = (*group)->dictionary(0);
      keep(entries);
      std::vector<std::uint64_t> set((*group)->chunk(0).entries / 64 + 1, 0x1234567812345678);
      keep(slice.codes_in(vector, set.data(), bits.data()));
      auto* codes = reinterpret_cast<std::uint32_t*>(room.data());
      if (keep(slice.codes(vector, codes)) && entries.ok()) {
        for (std::uint32_t i = 0; i < std::min(rows - vector * 1024, 1024u); ++i) {
          EXPECT_LT(codes[i], (*entries)->size());
        }
      }
    } else if (is_string(type)) {
      const auto text = slice.text(vector);
      if (keep(text)) {
        EXPECT_EQ(static_cast<std::size_t>(text->offsets[text->rows]), text->text.size());
      }
      if (slice.representation() == Representation::kToken) keep(slice.token_codes(vector));
    } else {
      keep(slice.numbers(vector, room.data()));
      if (type == ColumnType::kDecimal128) continue;
      keep(slice.numbers_between(vector, kTopBit - 1000, kTopBit + 1000, bits.data()));
      keep(slice.vector_between(vector, kTopBit - 1000, kTopBit + 1000));
    }
  }
  if (slice.representation() == Representation::kToken) keep(slice.token_codes());
  if (is_string(type) && slice.representation() != Representation::kDictionary) {
    keep(slice.text());
  }
  return first;
}

/// Where the blocks of the only row group begin.
std::size_t blocks_begin(const Opened& opened) {
  const GroupPlace& place = TableAccess::index(*opened.table).groups()[0];
  return place.file_offset + place.directory_bytes;
}

TEST(SliceDamage, ColumnsOfAllSortsHaveAllRepresentations) {
  std::vector<bool> seen(6);
  for (const ColumnData& column : columns_of_all_sorts()) {
    const std::vector<Byte> file = table_of({&column, 1});
    const Opened opened(file);
    seen[static_cast<std::size_t>(opened.group()->chunk(0).representation)] = true;
  }
  EXPECT_TRUE(seen[1] && seen[2] && seen[3] && seen[4]);
}

TEST(SliceDamage, AFlippedByteIsAnErrorWithItsBlockOrChangesNothing) {
  for (const ColumnData& column : columns_of_all_sorts()) {
    std::vector<Byte> file = table_of({&column, 1});
    const Opened opened(file);
    const std::size_t begin = blocks_begin(opened);
    const RowGroup directory = opened.group()->directory();
    const std::size_t size = directory.stored_bytes();
    const auto rows = static_cast<std::uint32_t>(column.rows);
    std::size_t errors = 0;
    for (std::size_t at = 0; at < size; at += size / 150 + 1) {
      file[begin + at] ^= static_cast<Byte>(1u << (at % 8));
      const Status used = use_all(opened, rows);
      if (!used.ok()) {
        ++errors;
        EXPECT_TRUE(is_damage(used.error().code)) << used.error().message();
        std::size_t offset = 0;
        std::uint32_t block = 0;
        while (offset + directory.blocks[block].stored_bytes <= at) {
          offset += directory.blocks[block++].stored_bytes;
        }
        EXPECT_EQ(used.error().block, block) << used.error().message();
        EXPECT_EQ(used.error().byte_offset, begin + offset);
      }
      file[begin + at] ^= static_cast<Byte>(1u << (at % 8));
    }
    EXPECT_GT(errors, 30u);
  }
}

TEST(SliceDamage, AnErrorComesAgainEachTime) {
  std::mt19937_64 random(5);
  std::vector<std::string> few;
  for (int i = 0; i < 3000; ++i) few.push_back("state " + std::to_string(random() % 50));
  const ColumnData column = strings_column(few);
  std::vector<Byte> file = table_of({&column, 1});
  const Opened opened(file);
  file[blocks_begin(opened) + kBlockHeaderBytes] ^= 1;  // lengths of the entries
  const auto group = opened.group();
  const ErrorCode code = group->dictionary(0).error().code;
  EXPECT_TRUE(is_damage(code));
  EXPECT_EQ(group->dictionary(0).error().code, code);
  file[blocks_begin(opened) + kBlockHeaderBytes] ^= 1;
  EXPECT_EQ(group->dictionary(0).error().code, code);
  EXPECT_TRUE(opened.group()->dictionary(0).ok());
}

/// Makes both checksums of a block of integers or tokens right.
void reseal(Byte* header, std::uint32_t stored_bytes) {
  if (!is_column_coding(header)) return;
  const std::uint32_t payload = load_u24(header + 12);
  if (kBlockHeaderBytes + payload > stored_bytes) return;
  store<std::uint64_t>(header + 36, checksum64({header + kBlockHeaderBytes, payload}));
  store<std::uint32_t>(header + 44, checksum32({header, 44}));
}

TEST(SliceDamage, ForgedBlocksNeverLeadOutOfBounds) {
  std::mt19937_64 random(11);
  for (const ColumnData& column : columns_of_all_sorts()) {
    const std::vector<Byte> sound = table_of({&column, 1});
    for (const CpuLevel level : supported_cpu_levels()) {
      DecodeOptions options;
      options.level = level;
      options.verify = false;
      for (int i = 0; i < 150; ++i) {
        std::vector<Byte> file = sound;
        const Opened opened(file, options);
        const RowGroup directory = opened.group()->directory();
        const std::size_t block = random() % directory.blocks.size();
        std::size_t begin = blocks_begin(opened);
        for (std::size_t k = 0; k < block; ++k) begin += directory.blocks[k].stored_bytes;
        const std::uint32_t stored = directory.blocks[block].stored_bytes;
        // Mostly headers and vectors' entries, which say how to read the rest.
        const std::size_t within = i % 3 == 0 ? stored : std::min<std::size_t>(stored, 100);
        for (auto flips = random() % 3 + 1; flips > 0; --flips) {
          file[begin + random() % within] = static_cast<Byte>(random());
        }
        reseal(file.data() + begin, stored);
        const Status used = use_all(opened, static_cast<std::uint32_t>(column.rows));
        if (!used.ok()) {
          EXPECT_TRUE(is_damage(used.error().code)) << used.error().message();
        }
      }
    }
  }
}

}  // namespace
}  // namespace presso::slices::slice_damage_test
