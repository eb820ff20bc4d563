// SPDX-License-Identifier: MIT
// Damages the stored blocks of a table's column, and compares what a query comes to on the emulated
// GPU with what the CPU says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "corpora/random.h"
#include "format/columns/column_block.h"
#include "presso/checksum.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"
#include "tests/simt/stored_blocks.h"

namespace presso::test {

/// Makes the payload's checksum right again, where it is a block of integers or tokens.
inline void seal(std::vector<Byte>& file, const BlockPlace& place) {
  auto header = parse_column_block_header(file.data() + place.begin);
  if (!header.ok()) return;
  header->payload_checksum =
      checksum64({file.data() + place.begin + kBlockHeaderBytes, header->payload_bytes});
  write_column_block_header(*header, file.data() + place.begin);
}

inline Result<QuerySummary> run_query(const Query& query, std::shared_ptr<QueryDevice> device) {
  QueryOptions options;
  options.threads = 1;
  options.device = std::move(device);
  TextSink sink;
  return query.run(options, sink);
}

/// Changes a bit of each block of a column of `made` so many times, mostly of the payload, whose
/// checksum is made right again every other time. `query`: over the table as it is then. Returns
/// how often there was each error.
inline std::map<ErrorCode, std::uint32_t> damage(MadeTable& made, const char* column,
                                                 std::uint32_t times, unsigned seed,
                                                 const std::function<Query()>& query) {
  std::map<ErrorCode, std::uint32_t> seen;
  corpora::Random random(seed);
  for (const BlockPlace& place : blocks_of(*made.table, column)) {
    for (std::uint32_t i = 0; i < times; ++i) {
      const bool has_header = place.stream != ColumnStream::kTokenDictionary;
      const std::size_t size = place.end - place.begin;
      // In the payload, and once in the header.
      const std::size_t at =
          i == 0 ? random.below(kBlockHeaderBytes)
                 : kBlockHeaderBytes +
                       random.below(static_cast<std::uint32_t>(size - kBlockHeaderBytes));
      const std::vector<Byte> sound = made.bytes;
      made.bytes[place.begin + at] ^= static_cast<Byte>(1u << random.below(8));
      if (i % 2 == 1 && has_header) seal(made.bytes, place);
      const Query asked = query();
      const auto expected = run_query(asked, nullptr);
      const auto faults = std::make_shared<EmulatedFaults>();
      const auto found = run_query(asked, make_emulated_query_device(faults, i));
      made.bytes = sound;
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
      if (found.ok() != expected.ok()) {
        ADD_FAILURE() << (found.ok() ? expected.error() : found.error()).message();
        continue;
      }
      if (found.ok()) {
        EXPECT_EQ(found->rows_matched, expected->rows_matched);
        EXPECT_EQ(found->why_cpu, "");
        ++seen[ErrorCode::kOk];
        continue;
      }
      ++seen[expected.error().code];
      EXPECT_EQ(found.error().code, expected.error().code) << expected.error().message();
      EXPECT_EQ(found.error().block, expected.error().block) << expected.error().message();
      EXPECT_EQ(found.error().byte_offset, expected.error().byte_offset);
    }
  }
  return seen;
}

}  // namespace presso::test
