// SPDX-License-Identifier: MIT
#include "tests/support/every_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "decompress/cpu/reference_decoder.h"
#include "decompress/payload.h"
#include "presso/checksum.h"
#include "tests/support/largest_allocation.h"

namespace presso::test {
namespace {

/// Compares what is written with what it should be, keeps nothing.
class ComparingSink final : public ByteSink {
 public:
  explicit ComparingSink(const std::vector<Byte>& expected) : expected_(expected) {}

  Status write(Bytes bytes) override {
    const bool fits = bytes.size() <= expected_.size() - std::min(at_, expected_.size());
    if (!fits || !std::equal(bytes.begin(), bytes.end(), expected_.begin() + at_)) right_ = false;
    at_ += bytes.size();
    return {};
  }

  bool is_prefix() const { return right_; }
  bool is_whole() const { return right_ && at_ == expected_.size(); }

 private:
  const std::vector<Byte>& expected_;
  std::size_t at_ = 0;
  bool right_ = true;
};

void expect_useful(const Error& error) {
  EXPECT_NE(error.code, ErrorCode::kOk);
  EXPECT_NE(describe(error.code), "unknown error");
  EXPECT_NE(error.byte_offset, Error::kNone) << error.message();
}

void read_as_stream(const std::vector<Byte>& file, const Expectation& expectation) {
  for (const bool verify : {true, false}) {
    MemorySource source(file);
    ComparingSink sink(*expectation.plain);
    DecompressOptions options;
    options.threads = 1;
    options.decode.verify = verify;
    const auto summary = decompress_stream(source, sink, options);
    if (!summary.ok()) expect_useful(summary.error());
    if (!verify || !expectation.content_is_sealed) continue;
    EXPECT_TRUE(sink.is_prefix());
    EXPECT_TRUE(!summary.ok() || sink.is_whole());
  }
}

/// Whether the bytes are what one block of the original holds.
bool is_block_of(const std::vector<Byte>& plain, Bytes block) {
  for (std::size_t at = 0; at < plain.size(); at += kMinBlockBytes) {
    const std::size_t size = std::min<std::size_t>(kMinBlockBytes, plain.size() - at);
    if (size == block.size() && std::equal(block.begin(), block.end(), plain.begin() + at)) {
      return true;
    }
  }
  return false;
}

void read_with_salvage(const std::vector<Byte>& file, const Expectation& expectation) {
  MemorySource source(file);
  BlockStream stream(source, {{}, true});
  for (std::size_t items = 0;; ++items) {
    ASSERT_LE(items, file.size() + 2) << "salvage does not come to an end";
    auto item = stream.next();
    ASSERT_TRUE(item.ok()) << item.error().message();
    if (!*item) break;
    const DecodedBlock decoded = stream.decode(std::move(**item));
    if (!decoded.status.ok()) {
      expect_useful(decoded.status.error());
    } else if (expectation.content_is_sealed) {
      EXPECT_TRUE(is_block_of(*expectation.plain, decoded.plain.bytes()));
    }
  }
}

void read_by_index(const std::vector<Byte>& file, const Expectation& expectation) {
  const MemoryRandomAccess access(file);
  const auto opened = CompressedFile::open(access);
  if (!opened.ok()) return expect_useful(opened.error());
  const std::vector<Byte>& plain = *expectation.plain;
  const std::uint64_t size = opened->plain_bytes();
  if (expectation.content_is_sealed) {
    EXPECT_TRUE(opened->index().rebuilt() ? size <= plain.size() : size == plain.size());
  }
  std::vector<Byte> part(1);
  for (const std::uint64_t at : {size / 2, size - 1}) {
    if (size == 0) break;
    const Status status = opened->read(at, part);
    if (!status.ok() && status.error().code != ErrorCode::kInvalidArgument) {
      expect_useful(status.error());
    }
    if (status.ok() && expectation.content_is_sealed) {
      EXPECT_EQ(part[0], plain[static_cast<std::size_t>(at)]);
    }
  }
  if (size > 4 * plain.size()) return;  // a hostile claim: nothing to compare with
  std::vector<Byte> whole(static_cast<std::size_t>(size));
  const Status status = opened->read(0, whole);
  if (!status.ok()) return expect_useful(status.error());
  if (expectation.content_is_sealed) {
    EXPECT_TRUE(std::equal(whole.begin(), whole.end(), plain.begin()));
  }
}

void decode_block_everywhere(const BlockItem& item) {
  const BlockHeader& header = item.block.header;
  const Byte* payload = item.block.payload.data();
  for (const bool verify : {true, false}) {
    std::vector<Byte> expected(header.plain_bytes);
    const ErrorCode code = reference_code(header, payload, item.dictionary.get(), verify, expected);
    for (const CpuLevel level : supported_cpu_levels()) {
      Buffer out;
      out.resize_discarding(header.plain_bytes);
      const Status status =
          decode_block(header, payload, item.dictionary.get(), {level, verify}, out.data());
      EXPECT_EQ(status.ok() ? ErrorCode::kOk : status.error().code, code) << name(level);
      if (status.ok()) {
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.data())) << name(level);
      }
    }
  }
}

void decode_blocks_everywhere(const std::vector<Byte>& file) {
  MemorySource source(file);
  BlockStream stream(source, {{}, true});
  for (;;) {
    auto item = stream.next();
    if (!item.ok() || !*item) return;
    if (!(*item)->damage) decode_block_everywhere(**item);
  }
}

}  // namespace

ErrorCode reference_code(const BlockHeader& header, const Byte* payload,
                         const Dictionary* dictionary, bool verify, std::vector<Byte>& out) {
  if (header.coding == Coding::kRaw) {
    std::copy_n(payload, header.plain_bytes, out.begin());
  } else {
    if (header.dictionary_id != 0 && dictionary == nullptr) return ErrorCode::kMissingDictionary;
    const Bytes content = header.dictionary_id != 0 ? dictionary->content() : Bytes{};
    const Status status = reference_decode_payload(header, payload, content, false, out.data());
    if (!status.ok()) return status.error().code;
  }
  const bool right = content_checksum({out.data(), header.plain_bytes}) == header.content_checksum;
  return verify && !right ? ErrorCode::kContentChecksum : ErrorCode::kOk;
}

void expect_every_reader_is_safe(const std::vector<Byte>& file, const Expectation& expectation) {
  reset_largest_allocation();
  read_as_stream(file, expectation);
  read_with_salvage(file, expectation);
  read_by_index(file, expectation);
  decode_blocks_everywhere(file);
  EXPECT_LE(largest_allocation(), kAllocationLimit);
}

}  // namespace presso::test
