// SPDX-License-Identifier: MIT
// Blocks of integers on a GPU, real or emulated, give what the CPU's decoder gives: values of every
// kind, width and length, and the same error where they are damaged.
#include <cstring>

#include "compress/columns/integer_encoder.h"
#include "tests/simt/column_fixture.h"
#include "tests/simt/golden_columns.h"

namespace presso::gpu::test {
namespace {

class IntegerColumns : public Columns {
 protected:
  // --- vectors of anything: values are what the CPU says

  /// Sets the map of a vector of runs, in its first words, and returns how many there are.
  u32 make_map(std::vector<u32>& words, u32 n, u32 one_in) {
    u32 runs = 0;
    for (u32 row = 0; row < n; ++row) {
      if (row > 0 && random_below(one_in) != 0) continue;
      words[row / 32] |= 1u << row % 32;
      ++runs;
    }
    return runs;
  }

  /// Rising rows below n, first and last among them where there is room.
  void make_exception_rows(std::vector<u32>& words, u32 at, u32 count, u32 n) {
    for (u32 i = 0; i < count; ++i) {
      const u32 row = count == 1 ? n - 1 : i * (n - 1) / (count - 1);
      const u32 shift = 16 * (i % 2);
      words[at + i / 2] = (words[at + i / 2] & ~(0xFFFFu << shift)) | row << shift;
    }
  }

  std::vector<u32> random_words(std::size_t count) {
    std::vector<u32> words(count);
    for (u32& word : words) word = static_cast<u32>(random_());
    return words;
  }

  /// Words of a vector that is sound whatever they are.
  std::vector<u32> words_of(const VectorEntry& entry, u32 n) {
    const auto kind = static_cast<IntegerKind>(entry.kind);
    if (kind == IntegerKind::kRuns) {
      std::vector<u32> words(kRunMapWords);
      const u32 runs = make_map(words, n, 1 + random_below(40));
      const std::vector<u32> rest = random_words(vector_words(entry, n, runs) - kRunMapWords);
      words.insert(words.end(), rest.begin(), rest.end());
      return words;
    }
    std::vector<u32> words = random_words(vector_words(entry, n, 0));
    if (kind == IntegerKind::kAlp) words[0] = random_below(19) | random_below(19) << 8;
    const bool has_rows =
        kind == IntegerKind::kPacked || kind == IntegerKind::kAlp || kind == IntegerKind::kAlpRd;
    if (has_rows) make_exception_rows(words, exceptions_at(entry, n), entry.exceptions, n);
    return words;
  }

  /// A block, each vector by the next of `entries`, with random bases.
  IntegerCase block_of_entries(const IntegerParameters& parameters,
                               const std::vector<VectorEntry>& entries) {
    IntegerCase one;
    one.parameters = parameters;
    const u32 vectors = vectors_of(parameters.rows);
    std::vector<u32> data;
    for (u32 vector = 0; vector < vectors; ++vector) {
      VectorEntry entry = entries[vector % entries.size()];
      entry.word_offset = static_cast<u32>(data.size());
      entry.base = random_() >> random_below(64);
      const u32 n = vector_rows(parameters.rows, vector);
      entry.exceptions = static_cast<Byte>(entry.kind == 3 ? entry.exceptions
                                                           : std::min<u32>(entry.exceptions, n));
      const std::vector<u32> words = words_of(entry, n);
      data.insert(data.end(), words.begin(), words.end());
      one.payload.resize((vector + 1) * kVectorEntryBytes);
      store_vector_entry(one.payload.data() + vector * kVectorEntryBytes, entry);
    }
    for (const u32 word : data) append_value(one.payload, word);
    one.checksum = checksum64(one.payload);
    return one;
  }

  /// Every layout that a type of so many bytes has at this width; of runs, with kinds 0 to 2.
  std::vector<VectorEntry> entries_of(Byte width_bytes, bool floating, u32 width) {
    const u32 bits = 8u * width_bytes;
    std::vector<VectorEntry> entries;
    const auto add = [&](int kind, u32 width2, u32 exceptions) {
      entries.push_back({0, static_cast<Byte>(kind), static_cast<Byte>(width),
                         static_cast<Byte>(width2), static_cast<Byte>(exceptions), 0});
    };
    for (const u32 exceptions : {0u, 1u, 2u, 255u}) add(0, 0, exceptions);
    add(1, 0, 0);
    for (const u32 width2 : {0u, bits, u32{random_width(bits)}}) add(2, width2, 0);
    for (const u32 kind : {0u, 1u, 2u}) add(3, kind == 2 ? random_width(bits) : 0, kind);
    if (!floating || bits != 64) return entries;
    for (const u32 exceptions : {0u, 2u, 255u}) {
      add(5, 0, exceptions);
      if (width < kMinAlpRdBits || width > kMaxAlpRdBits) continue;
      for (const u32 width2 : {0u, 1u, 2u, 3u}) add(6, width2, exceptions);
    }
    return entries;
  }
};

constexpr u32 kTails[] = {1, 31, 32, 33, 1023};

/// Types with the fields that matter: bytes, floating, divisor.
struct Type {
  Byte width_bytes;
  bool floating;
  u64 divisor;
};
constexpr Type kTypes[] = {{1, false, 1}, {1, false, 7},   {2, false, 100},
                           {4, false, 1}, {4, false, 100}, {4, true, 1},
                           {8, false, 1}, {8, false, 100}, {8, false, 0x123456789ABCDEF},
                           {8, true, 1}};

TEST_F(IntegerColumns, IntegersOfEveryKindWidthAndTypeInFullVectors) {
  for (const Type& type : kTypes) {
    std::vector<VectorEntry> entries;
    for (u32 width = 0; width <= 8u * type.width_bytes; ++width) {
      for (const VectorEntry& entry : entries_of(type.width_bytes, type.floating, width)) {
        entries.push_back(entry);
      }
    }
    std::vector<IntegerCase> cases;
    while (!entries.empty()) {  // 64 in a block
      const auto end =
          entries.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(entries.size(), 64));
      const std::vector<VectorEntry> some(entries.begin(), end);
      entries.erase(entries.begin(), end);
      const auto rows = static_cast<u32>(some.size()) * kVectorRows;
      cases.push_back(block_of_entries(
          {type.width_bytes, !type.floating, type.floating, rows, type.divisor}, some));
    }
    expect_the_cpus_answers(cases);
  }
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(IntegerColumns, IntegersOfEveryKindWidthAndLength) {
  const bool all = column_backend().is_fast();
  std::vector<IntegerCase> cases;
  for (const Type& type : kTypes) {
    for (u32 width = 0; width <= 8u * type.width_bytes; ++width) {
      for (const VectorEntry& entry : entries_of(type.width_bytes, type.floating, width)) {
        for (const u32 rows : kTails) {
          if (!all && random_below(8) != 0) continue;
          cases.push_back(block_of_entries(
              {type.width_bytes, false, type.floating, rows, type.divisor}, {entry}));
        }
      }
    }
  }
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(IntegerColumns, PairsKeepTheirHalvesApart) {
  std::vector<VectorEntry> entries;
  for (u32 width = 0; width <= 64; ++width) {
    entries.push_back({0, 4, static_cast<Byte>(width), static_cast<Byte>(64 - width), 0, 0});
  }
  entries.push_back({0, 4, 64, 64, 0, 0});
  std::vector<IntegerCase> cases;
  cases.push_back(block_of_entries({16, true, false, 64 * kVectorRows, 1}, entries));
  for (const u32 rows : kTails) {
    cases.push_back(block_of_entries({16, true, false, rows, 1}, {entries[rows % 65]}));
    cases.push_back(block_of_entries({16, true, false, rows + kVectorRows, 1}, {entries.back()}));
  }
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(IntegerColumns, BoolsAreBitsOrAConstantWithExceptions) {
  std::vector<IntegerCase> cases;
  for (const u32 rows : {1u, 7u, 8u, 9u, 31u, 32u, 33u, 1000u, 1023u, 1024u, 2049u, 65536u}) {
    cases.push_back(block_of_entries({0, false, false, rows, 1}, {{0, 7, 0, 0, 0, 0}}));
    for (const u32 exceptions : {0u, 1u, 2u, 255u}) {
      const VectorEntry entry{0, 0, 0, 0, static_cast<Byte>(exceptions), 0};
      cases.push_back(block_of_entries({0, false, false, rows, 1}, {entry}));
    }
  }
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_.size(), 1u);
}

/// Values in which the encoder finds a use for many kinds.
IntegerCase encoded(std::mt19937_64& random, Byte width, bool floating, u32 rows) {
  std::vector<Byte> values(rows * 16u);
  u64 value = 0;
  for (u32 i = 0; i < rows; ++i) {
    const u32 form = i / kVectorRows % 5;
    if (form == 0) value = random() % 1000 * 25 + (random() % 90 == 0 ? 1u << 30 : 0);
    if (form == 1) value += random() % 20;
    if (form == 2) value += random() % 9 == 0 ? random() % 20 : 0;
    if (form == 3) value = i * 12u;
    if (form == 4) value = random();
    if (floating && width == 8) {
      const double real =
          form == 4 ? static_cast<double>(value) / 7 : static_cast<double>(value % 100000) / 100;
      std::memcpy(&value, &real, sizeof value);
    }
    std::memcpy(values.data() + i * std::size_t{width}, &value, std::min<std::size_t>(width, 8));
    if (width == 0) values[i / 8] = static_cast<Byte>(values[i / 8] | (value & 1) << (i % 8));
  }
  Buffer payload;
  IntegerCase one;
  one.parameters = encode_integers(values.data(), width, true, floating, rows, nullptr, payload);
  one.payload.assign(payload.data(), payload.data() + payload.size());
  one.checksum = checksum64(one.payload);
  return one;
}

TEST_F(IntegerColumns, IntegersThatAnEncoderMade) {
  std::vector<IntegerCase> cases;
  for (const Byte width : {Byte{0}, Byte{1}, Byte{2}, Byte{4}, Byte{8}, Byte{16}}) {
    for (const u32 rows : {1u, 31u, 32u, 33u, 1023u, 1024u, 5000u, 65536u}) {
      cases.push_back(encoded(random_, width, false, rows));
    }
  }
  for (const u32 rows : {1u, 1024u, 65536u}) cases.push_back(encoded(random_, 8, true, rows));
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_.size(), 1u);
}

// --- damage

TEST_F(IntegerColumns, IntegersOutsideOfTheirLimitsAreABadHeader) {
  std::vector<IntegerCase> cases;
  for (const IntegerParameters& bad :
       {IntegerParameters{3, true, false, 10, 1}, IntegerParameters{32, true, false, 10, 1},
        IntegerParameters{4, true, false, 0, 1}, IntegerParameters{4, true, false, 65537, 1},
        IntegerParameters{4, true, false, 10, 0}, IntegerParameters{0, true, false, 10, 2},
        IntegerParameters{16, true, false, 10, 2}, IntegerParameters{8, false, true, 10, 2},
        IntegerParameters{2, false, true, 10, 1}}) {
    cases.push_back({bad, std::vector<Byte>(4096)});
  }
  for (const std::size_t size : {0u, 12u, 16u, 17u, 18u, 19u}) {
    cases.push_back({{8, true, false, 1000, 1}, std::vector<Byte>(size)});
  }
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_[static_cast<u32>(ErrorCode::kBadHeader)], 9u);
  EXPECT_EQ(seen_[static_cast<u32>(ErrorCode::kBadPayloadSize)], 5u);
}

TEST_F(IntegerColumns, MutatedIntegersGetTheCpusCodes) {
  std::vector<IntegerCase> cases;
  const u32 rounds = column_backend().is_fast() ? 20000 : 700;
  for (u32 round = 0; round < rounds; ++round) {
    const Type& type = kTypes[round % std::size(kTypes)];
    std::vector<VectorEntry> entries;
    for (int i = 0; i < 3; ++i) {
      const auto some =
          entries_of(type.width_bytes, type.floating, random_width(8u * type.width_bytes));
      entries.push_back(some[random_below(static_cast<u32>(some.size()))]);
    }
    IntegerCase one =
        round % 4 == 0
            ? encoded(random_, round % 8 == 0 ? Byte{16} : Byte{0}, false, 1 + random_below(3000))
            : block_of_entries(
                  {type.width_bytes, true, type.floating, 1 + random_below(3000), type.divisor},
                  entries);
    const std::size_t directory = vectors_of(one.parameters.rows) * kVectorEntryBytes;
    if (random_below(5) == 0) {
      one.payload.resize(random_below(static_cast<u32>(one.payload.size()) / 4 + 1) * 4);
    }
    const std::size_t within =
        random_below(4) == 0 ? one.payload.size() : std::min(directory, one.payload.size());
    if (within > 0) {
      const std::size_t at = random_() % within;
      one.payload[at] = static_cast<Byte>(random_below(2) == 0 ? random_below(8) : random_());
    }
    one.checksum = checksum64(one.payload);
    cases.push_back(std::move(one));
  }
  expect_the_cpus_answers(cases);
  EXPECT_GT(seen_[0], rounds / 8);
  EXPECT_GT(seen_[static_cast<u32>(ErrorCode::kBadHeader)], rounds / 30);
  EXPECT_GT(seen_[static_cast<u32>(ErrorCode::kBadPayloadSize)], rounds / 30);
}

TEST_F(IntegerColumns, TheFirstFaultyVectorGivesTheBlocksCode) {
  const VectorEntry sound{0, 0, 3, 0, 0, 0};
  std::vector<IntegerCase> cases;
  for (const u32 first : {1u, 8u, 20u, 62u}) {
    for (const bool header_first : {true, false}) {
      IntegerCase one = block_of_entries({4, true, false, 65536, 1}, {sound});
      for (const u32 vector : {first, first + 1}) {
        Byte* const entry = one.payload.data() + vector * kVectorEntryBytes;
        if ((vector == first) == header_first) {
          entry[4] = 9;
        } else {
          store<u32>(entry, 0x7FFFFFFF);
        }
      }
      one.checksum = checksum64(one.payload);
      cases.push_back(std::move(one));
    }
  }
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_[static_cast<u32>(ErrorCode::kBadHeader)], 4u);
  EXPECT_EQ(seen_[static_cast<u32>(ErrorCode::kBadPayloadSize)], 4u);
}

TEST_F(IntegerColumns, PayloadsThatAreNotThoseOfTheirChecksumsComeFirst) {
  std::vector<IntegerCase> cases;
  for (const u32 rows : {1u, 100u, 5000u, 65536u}) {
    cases.push_back(encoded(random_, 4, false, rows));
    cases.back().payload[4] = 77;  // a kind that there is not
  }
  auto outcomes = column_backend().decode(cases, {});
  ASSERT_TRUE(outcomes.ok()) << outcomes.error().message();
  for (const ColumnOutcome& outcome : *outcomes) {
    EXPECT_EQ(outcome.status, static_cast<u32>(ErrorCode::kContentChecksum));
    EXPECT_EQ(outcome.bytes, std::vector<Byte>(outcome.bytes.size(), kPoison));
  }
  ColumnOptions unverified;
  unverified.verify = false;
  outcomes = column_backend().decode(cases, {unverified, 2});
  ASSERT_TRUE(outcomes.ok()) << outcomes.error().message();
  for (const ColumnOutcome& outcome : *outcomes) {
    EXPECT_EQ(outcome.status, static_cast<u32>(ErrorCode::kBadHeader));
  }
}

TEST_F(IntegerColumns, BlocksOfEveryGoldenTable) {
  std::size_t integers = 0;
  for_each_golden_group([&](const RowGroup& /*group*/, const std::vector<Bytes>& stored) {
    std::vector<IntegerCase> cases;
    for (const Bytes block : stored) {
      if (!is_column_coding(block.data())) continue;
      const auto header = parse_column_block_header(block.data());
      ASSERT_TRUE(header.ok()) << header.error().message();
      if (header->coding != Coding::kIntegers) continue;
      cases.push_back(
          integers_of(*header, block.subspan(kBlockHeaderBytes, header->payload_bytes)));
    }
    expect_the_cpus_answers(cases);
    integers += cases.size();
  });
  EXPECT_GT(integers, 20u);
  EXPECT_EQ(seen_.size(), 1u);
}

}  // namespace
}  // namespace presso::gpu::test
