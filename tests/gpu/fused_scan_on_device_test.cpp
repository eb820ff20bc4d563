// SPDX-License-Identifier: MIT
// Fused scans on a GPU count what a scalar run counts: files of both codings and several rules,
// blocks large and small, literals that are rare and that are on every page.
#include <gtest/gtest.h>

#include "scan/gpu/fused_scan.h"
#include "tests/gpu/on_device.h"
#include "tests/simt/batch_case.h"
#include "tests/support/line_dfas.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test {
namespace {

using presso::test::ScalarScan;
using presso::test::words_dfa;

class FusedScanOnDevice : public OnDevice {
 protected:
  struct Words {
    std::uint64_t lines = 0;
    std::uint32_t failed = 0, unused = 0;
  };

  Result<Words> count(const BatchCase& batch, std::uint32_t block_bytes,
                      const std::vector<std::string>& words) {
    std::vector<Byte> stored;
    std::vector<BlockSpan> spans;
    for (const BatchItem& item : batch.blocks) {
      spans.push_back({stored.size(), spans.size() * std::uint64_t{block_bytes},
                       static_cast<std::uint32_t>(item.stored.size()), item.plain_bytes});
      stored.insert(stored.end(), item.stored.begin(), item.stored.end());
    }
    FusedScanRequest request;
    request.batch.blocks = static_cast<std::uint32_t>(spans.size());
    request.batch.largest_plain_bytes = batch.largest_plain_bytes();
    request.batch.temporary_bytes =
        temporary_bytes(request.batch.blocks, batch.plain_bytes(), request.options);
    request.scan_temporary_bytes = fused_scan_temporary_bytes(request.batch.blocks);
    request.block_bytes = block_bytes;
    request.plain_bytes = batch.plain_bytes();
    PRESSO_ASSIGN(const FusedTable table, lay_out_fused(words_dfa(words).view()));
    PRESSO_ASSIGN(const LiteralTable literals, lay_out_literals(words, false));
    PRESSO_ASSIGN(const DeviceMemory d_stored, copy_of(stored.data(), stored.size()));
    PRESSO_ASSIGN(const DeviceMemory d_spans,
                  copy_of(spans.data(), spans.size() * sizeof(BlockSpan)));
    PRESSO_ASSIGN(const DeviceMemory image, copy_of(table.image.data(), table.image.size()));
    PRESSO_ASSIGN(const DeviceMemory plain, memory_->allocate(request.plain_bytes));
    PRESSO_ASSIGN(const DeviceMemory status, memory_->allocate(4 * spans.size()));
    PRESSO_ASSIGN(const DeviceMemory temporary, memory_->allocate(request.batch.temporary_bytes));
    PRESSO_ASSIGN(const DeviceMemory scan_temporary,
                  memory_->allocate(request.scan_temporary_bytes));
    Words words_found;
    PRESSO_ASSIGN(const DeviceMemory result, copy_of(&words_found, sizeof words_found));
    request.batch.d_stored = d_stored.get();
    request.batch.d_spans = reinterpret_cast<const BlockSpan*>(d_spans.get());
    request.batch.d_plain = plain.get();
    request.batch.d_status = reinterpret_cast<std::uint32_t*>(status.get());
    request.batch.d_temporary = temporary.get();
    request.table = table.view;
    request.table.lines.d_image = image.get();
    request.literals = literals.view;
    request.d_lines = reinterpret_cast<std::uint64_t*>(result.get());
    request.d_failed_blocks = reinterpret_cast<std::uint32_t*>(result.get() + 8);
    request.d_scan_temporary = scan_temporary.get();
    PRESSO_TRY(decode_and_count(request, stream_.get()));
    PRESSO_TRY(device_->copy_out(reinterpret_cast<Byte*>(&words_found), result.get(),
                                 sizeof words_found, stream_.get()));
    PRESSO_TRY(device_->wait(stream_.get()));
    return words_found;
  }

  void expect_right(const std::vector<Byte>& text, const CompressOptions& options,
                    const std::vector<std::string>& words) {
    const presso::test::LineDfa dfa = words_dfa(words);
    BatchCase batch;
    add_compressed(batch, text, options);
    const ScalarScan expected(dfa.view(), text, true, dfa.start);
    const auto found = count(batch, options.block_bytes, words);
    ASSERT_TRUE(found.ok()) << found.error().message();
    EXPECT_EQ(found->lines, expected.ends.size());
    EXPECT_EQ(found->failed, 0u);
  }
};

TEST_F(FusedScanOnDevice, CountsWhatAScalarRunCounts) {
  std::vector<Byte> text = presso::test::log_lines(20000003, 9);
  const std::string rare = "nowhere else";
  for (std::size_t at = 4090; at < text.size(); at += 999999) {
    std::copy(rare.begin(), rare.end(), text.begin() + static_cast<std::ptrdiff_t>(at));
  }
  for (const std::uint32_t block_bytes : {64u << 10, 256u << 10}) {
    for (const Coding coding : {Coding::kByte, Coding::kBit}) {
      CompressOptions options;
      options.level = 6;
      options.block_bytes = block_bytes;
      options.coding = coding;
      options.dictionary = {DictionaryChoice::Mode::kNone, 0};
      for (const Favor favor : {Favor::kRatio, Favor::kDecode}) {
        options.favor = favor;
        expect_right(text, options, {rare});
        expect_right(text, options, {"user", "error", rare});
        expect_right(text, options, {"e"});
      }
    }
  }
}

TEST_F(FusedScanOnDevice, TellsDamage) {
  CompressOptions options;
  options.favor = Favor::kDecode;
  options.block_bytes = 64 << 10;
  options.dictionary = {DictionaryChoice::Mode::kNone, 0};
  BatchCase batch;
  add_compressed(batch, presso::test::log_lines(1000000, 2), options);
  batch.blocks[3].stored[1] ^= 1;
  const auto found = count(batch, options.block_bytes, {"user"});
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(found->lines, 0u);
  EXPECT_EQ(found->failed, 1u);
}

}  // namespace
}  // namespace presso::gpu::test
