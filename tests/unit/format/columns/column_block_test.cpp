// SPDX-License-Identifier: MIT
// Headers of blocks of integers and tokens: round trips, and each field out of range.
#include "format/columns/column_block.h"

#include <array>

#include "presso/checksum.h"
#include "tests/unit/format/columns/table_parts.h"

namespace presso::tables::column_block_test {
namespace {

using Header = std::array<Byte, kBlockHeaderBytes>;

ColumnBlockHeader integers() {
  ColumnBlockHeader header;
  header.number = 0x12345678;
  header.plain_bytes = 4 * 1000;
  header.payload_bytes = 1028;
  header.width_bytes = 4;
  header.is_signed = true;
  header.count = 1000;
  header.divisor = 100;
  header.payload_checksum = 0x0123456789ABCDEF;
  return header;
}

ColumnBlockHeader tokens() {
  ColumnBlockHeader header;
  header.coding = Coding::kTokens;
  header.plain_bytes = 5000;
  header.payload_bytes = 1536;
  header.count = 1000;
  return header;
}

ColumnBlockHeader planes() {
  ColumnBlockHeader header = integers();
  header.coding = Coding::kPlanes;
  header.payload_bytes = 1027;
  header.divisor = 1;
  return header;
}

ErrorCode parse(const ColumnBlockHeader& header) {
  Header bytes;
  write_column_block_header(header, bytes.data());
  return code_of(parse_column_block_header(bytes.data()));
}

template <class Change>
ErrorCode parse_with(ColumnBlockHeader header, Change change) {
  change(header);
  return parse(header);
}

TEST(ColumnBlockHeader, RoundTrips) {
  for (const ColumnBlockHeader& header : {integers(), tokens(), planes()}) {
    Header bytes;
    write_column_block_header(header, bytes.data());
    EXPECT_TRUE(is_column_coding(bytes.data()));
    const auto parsed = parse_column_block_header(bytes.data());
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    Header again;
    write_column_block_header(*parsed, again.data());
    EXPECT_EQ(bytes, again);
    EXPECT_EQ(parsed->number, header.number);
    EXPECT_EQ(parsed->count, header.count);
    EXPECT_EQ(parsed->divisor, header.divisor);
    EXPECT_EQ(parsed->payload_checksum, header.payload_checksum);
    EXPECT_EQ(parsed->is_signed, header.is_signed);
  }
}

TEST(ColumnBlockHeader, RoundTripsAtItsLimits) {
  EXPECT_EQ(parse_with(integers(),
                       [](auto& h) {
                         h.width_bytes = 16;
                         h.count = kMaxBlockRows;
                         h.plain_bytes = 16 * kMaxBlockRows;
                         h.payload_bytes = kMaxColumnPayloadBytes;
                         h.divisor = 1;
                       }),
            ErrorCode::kOk);
  EXPECT_EQ(parse_with(integers(),
                       [](auto& h) {
                         h.width_bytes = 0;
                         h.plain_bytes = 125;
                         h.divisor = 1;
                       }),
            ErrorCode::kOk);
  EXPECT_EQ(parse_with(tokens(), [](auto& h) { h.count = h.plain_bytes = h.payload_bytes = 0; }),
            ErrorCode::kOk);
}

TEST(ColumnBlockHeader, FieldsOutOfRangeAreABadHeader) {
  const auto bad = [](const ColumnBlockHeader& sound, auto change) {
    EXPECT_EQ(parse_with(sound, change), ErrorCode::kBadHeader);
  };
  bad(integers(), [](auto& h) { h.width_bytes = 3; });
  bad(integers(), [](auto& h) { h.width_bytes = 32; });
  bad(integers(), [](auto& h) { h.count = h.plain_bytes = 0; });
  bad(integers(), [](auto& h) { h.plain_bytes = 4 * (h.count = kMaxBlockRows + 1); });
  bad(integers(), [](auto& h) { h.plain_bytes += 1; });
  bad(integers(), [](auto& h) { h.divisor = 0; });
  bad(integers(), [](auto& h) { h.floating = true; });  // with a divisor
  bad(integers(), [](auto& h) {
    h.floating = true;
    h.divisor = 1;
    h.plain_bytes = h.count * (h.width_bytes = 2);
  });
  bad(integers(), [](auto& h) { h.plain_bytes = h.count * (h.width_bytes = 16); });
  bad(integers(), [](auto& h) { h.payload_bytes = 1027; });
  bad(integers(), [](auto& h) { h.payload_bytes = kMaxColumnPayloadBytes + 4; });
  bad(planes(), [](auto& h) { h.plain_bytes = (h.count + 7) / 8, h.width_bytes = 0; });
  bad(planes(), [](auto& h) { h.plain_bytes = h.count * (h.width_bytes = 16); });
  bad(planes(), [](auto& h) { h.count = h.plain_bytes = 0; });
  bad(tokens(), [](auto& h) { h.plain_bytes = kMaxBlockBytes + 1; });
  bad(tokens(), [](auto& h) { h.count = h.plain_bytes + 1; });
  bad(tokens(), [](auto& h) { h.width_bytes = 4; });
  bad(tokens(), [](auto& h) { h.is_signed = true; });
}

TEST(ColumnBlockHeader, ReservedBytesAreABadHeader) {
  for (const ColumnBlockHeader& header : {integers(), tokens()}) {
    const std::size_t from = header.coding == Coding::kTokens ? 19 : 28;
    for (std::size_t at = from; at < 36; ++at) {
      Header bytes;
      write_column_block_header(header, bytes.data());
      bytes[at] = 1;
      store<std::uint32_t>(bytes.data() + 44, checksum32({bytes.data(), 44}));
      EXPECT_EQ(code_of(parse_column_block_header(bytes.data())), ErrorCode::kBadHeader) << at;
    }
  }
}

TEST(ColumnBlockHeader, OtherBytesAreLostSyncAFlippedBitAHeaderChecksum) {
  Header sound;
  write_column_block_header(integers(), sound.data());
  for (std::size_t at = 0; at < sound.size(); ++at) {
    Header bytes = sound;
    bytes[at] ^= 4;
    EXPECT_EQ(code_of(parse_column_block_header(bytes.data())),
              at < 4 ? ErrorCode::kLostSync : ErrorCode::kHeaderChecksum);
  }
}

TEST(ColumnBlockHeader, OfAnotherCodingIsUnknown) {
  for (const Coding coding : {Coding::kRaw, Coding::kByte, Coding::kBit, static_cast<Coding>(7)}) {
    EXPECT_EQ(parse_with(integers(), [&](auto& h) { h.coding = coding; }),
              ErrorCode::kUnknownCoding);
  }
}

}  // namespace
}  // namespace presso::tables::column_block_test
