// SPDX-License-Identifier: MIT
#include "presso/wire.h"

#include <gtest/gtest.h>

#include <array>

namespace presso::wire_test {
namespace {

BlockHeader some_block_header() {
  BlockHeader header;
  header.number = 7;
  header.plain_bytes = 65536;
  header.payload_bytes = 30000;
  header.coding = Coding::kByte;
  header.layout = {3, true, 5};
  header.rule = DependencyRule::kTwoWave;
  header.group_log2 = 6;
  header.dictionary_id = 2;
  header.sequences = 4000;
  header.literals = 9000;
  header.far_offsets = 1000;
  header.literal_escapes = 200;
  header.match_escapes = 300;
  header.content_checksum = 0x0123456789ABCDEFu;
  return header;
}

TEST(Wire, BlockHeaderSurvivesARoundTrip) {
  const BlockHeader header = some_block_header();
  std::array<Byte, kBlockHeaderBytes> bytes;
  write_block_header(header, bytes.data());
  const auto parsed = parse_block_header(bytes.data());
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  EXPECT_EQ(parsed->number, header.number);
  EXPECT_EQ(parsed->plain_bytes, header.plain_bytes);
  EXPECT_EQ(parsed->payload_bytes, header.payload_bytes);
  EXPECT_EQ(parsed->coding, header.coding);
  EXPECT_EQ(parsed->layout, header.layout);
  EXPECT_EQ(parsed->rule, header.rule);
  EXPECT_EQ(parsed->group_log2, header.group_log2);
  EXPECT_EQ(parsed->dictionary_id, header.dictionary_id);
  EXPECT_EQ(parsed->sequences, header.sequences);
  EXPECT_EQ(parsed->literals, header.literals);
  EXPECT_EQ(parsed->far_offsets, header.far_offsets);
  EXPECT_EQ(parsed->literal_escapes, header.literal_escapes);
  EXPECT_EQ(parsed->match_escapes, header.match_escapes);
  EXPECT_EQ(parsed->content_checksum, header.content_checksum);
}

BlockHeader some_bit_header() {
  BlockHeader header = some_block_header();
  header.coding = Coding::kBit;
  header.layout = {0, false, 7};
  header.far_offsets = header.literal_escapes = header.match_escapes = 0;
  header.bit = {kSubBlockLayout, 12, 0, 9, 24, 6, 11, 20000, 0xABCDE};
  return header;
}

TEST(Wire, HeaderOfABitBlockSurvivesARoundTrip) {
  const BlockHeader header = some_bit_header();
  std::array<Byte, kBlockHeaderBytes> bytes;
  write_block_header(header, bytes.data());
  const auto parsed = parse_block_header(bytes.data());
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  EXPECT_EQ(parsed->coding, Coding::kBit);
  EXPECT_EQ(parsed->layout, header.layout);
  EXPECT_EQ(parsed->rule, header.rule);
  EXPECT_EQ(parsed->group_log2, header.group_log2);
  EXPECT_EQ(parsed->dictionary_id, header.dictionary_id);
  EXPECT_EQ(parsed->sequences, header.sequences);
  EXPECT_EQ(parsed->literals, header.literals);
  EXPECT_EQ(parsed->bit, header.bit);
  EXPECT_EQ(parsed->far_offsets + parsed->literal_escapes + parsed->match_escapes, 0u);
}

TEST(Wire, AnyFlippedBitOfABlockHeaderIsAnError) {
  std::array<Byte, kBlockHeaderBytes> bytes;
  write_block_header(some_block_header(), bytes.data());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::array<Byte, kBlockHeaderBytes> damaged = bytes;
    damaged[bit / 8] = static_cast<Byte>(damaged[bit / 8] ^ (1u << (bit % 8)));
    EXPECT_FALSE(parse_block_header(damaged.data()).ok()) << "bit " << bit;
  }
}

TEST(Wire, DictionaryReferenceSurvivesARoundTripAndNoFlippedBit) {
  const DictionaryReference reference{114688, 0x0123456789ABCDEFu};
  Byte bytes[kDictionaryReferenceBytes];
  write_dictionary_reference(reference, bytes);
  EXPECT_TRUE(is_dictionary_reference(bytes));
  const auto parsed = parse_dictionary_reference(bytes);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, reference);
  for (std::size_t bit = 0; bit < 8 * sizeof bytes; ++bit) {
    bytes[bit / 8] ^= static_cast<Byte>(1u << bit % 8);
    EXPECT_FALSE(parse_dictionary_reference(bytes).ok()) << bit;
    bytes[bit / 8] ^= static_cast<Byte>(1u << bit % 8);
  }
  for (const std::uint32_t size : {0u, kMaxDictionaryBytes + 1}) {
    write_dictionary_reference({size, 1}, bytes);
    EXPECT_EQ(parse_dictionary_reference(bytes).error().code, ErrorCode::kBadHeader);
  }
}

TEST(Wire, EveryRuleHasItsGroupSizes) {
  std::array<Byte, kBlockHeaderBytes> bytes;
  for (unsigned rule = 0; rule < 16; ++rule) {
    for (unsigned log2 = 0; log2 < 16; ++log2) {
      BlockHeader header = some_block_header();
      header.rule = static_cast<DependencyRule>(rule);
      header.group_log2 = static_cast<Byte>(log2);
      write_block_header(header, bytes.data());
      const bool legal = rule < 4 ? log2 >= 5 && log2 <= 10 : rule == 4 && log2 >= 10;
      EXPECT_EQ(parse_block_header(bytes.data()).ok(), legal) << "rule " << rule << " 2^" << log2;
    }
  }
}

}  // namespace
}  // namespace presso::wire_test
