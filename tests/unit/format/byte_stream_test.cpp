// SPDX-License-Identifier: MIT
#include "presso/byte_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <thread>

#include "tests/support/test_data.h"

namespace presso::byte_stream_test {
namespace {

/// Gives at most three bytes at a time, like a slow pipe.
class Trickle final : public ByteSource {
 public:
  explicit Trickle(Bytes bytes) : source_(bytes) {}
  Result<std::size_t> read(MutableBytes into) override {
    return source_.read(into.first(std::min<std::size_t>(into.size(), 3)));
  }

 private:
  MemorySource source_;
};

class Broken final : public ByteSource {
 public:
  Result<std::size_t> read(MutableBytes) override { return make_error(ErrorCode::kIo, "broken"); }
};

std::vector<Byte> copy_of(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(Buffer, KeepsItsContentWhenItGrows) {
  Buffer buffer;
  std::vector<Byte> expected;
  for (unsigned i = 0; i < 200; ++i) {
    const std::vector<Byte> more = test::random_bytes(i, i);
    buffer.append(more);
    expected.insert(expected.end(), more.begin(), more.end());
    ASSERT_EQ(copy_of(buffer.bytes()), expected);
  }
}

TEST(Buffer, HasSlackWhenItIsEmpty) {
  Buffer grown;
  grown.grow(0);
  Buffer resized;
  resized.resize_discarding(0);
  Buffer appended;
  appended.append({});
  for (Buffer* buffer : {&grown, &resized, &appended}) {
    ASSERT_NE(buffer->data(), nullptr);
    std::fill_n(buffer->data(), Buffer::kSlack, Byte{7});
    EXPECT_TRUE(buffer->empty());
  }
}

/// The address sanitizer watches.
TEST(Buffer, HasSlackBehindItsEnd) {
  for (const std::size_t size : {0u, 1u, 100u, 5000u}) {
    Buffer buffer;
    buffer.resize_discarding(size + 1);
    buffer.resize_discarding(size);
    for (std::size_t i = 0; i < Buffer::kSlack; ++i) buffer.data()[size + i] = Byte{7};
    buffer.grow(size + 3);
    for (std::size_t i = 0; i < Buffer::kSlack; ++i) buffer.data()[size + 3 + i] = Byte{8};
  }
}

TEST(Buffer, IsEmptyAfterItWasMovedFrom) {
  Buffer first;
  first.append(test::to_bytes("abc"));
  Buffer second = std::move(first);
  EXPECT_EQ(copy_of(second.bytes()), test::to_bytes("abc"));
  EXPECT_TRUE(first.empty());  // NOLINT: what this test is about
  first.append(test::to_bytes("de"));
  EXPECT_EQ(copy_of(first.bytes()), test::to_bytes("de"));
}

TEST(BufferPool, GivesBackWhatItWasGiven) {
  BufferPool pool;
  EXPECT_TRUE(pool.take().empty());
  Buffer buffer;
  buffer.append(test::random_bytes(1000, 1));
  const Byte* const memory = buffer.data();
  pool.give_back(std::move(buffer));
  EXPECT_EQ(pool.take().data(), memory);
  EXPECT_EQ(pool.take().data(), nullptr);
}

TEST(ReadFully, GathersShortReads) {
  const std::vector<Byte> bytes = test::random_bytes(1000, 2);
  Trickle source(bytes);
  std::vector<Byte> into(700);
  const auto first = read_fully(source, into);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, 700u);
  EXPECT_TRUE(std::equal(into.begin(), into.end(), bytes.begin()));
  const auto rest = read_fully(source, into);
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(*rest, 300u);
  EXPECT_TRUE(std::equal(into.begin(), into.begin() + 300, bytes.begin() + 700));
}

TEST(ReadFully, PassesErrorsOn) {
  Broken source;
  std::vector<Byte> into(1);
  EXPECT_EQ(read_fully(source, into).error().code, ErrorCode::kIo);
}

TEST(MemoryRandomAccess, RefusesRangesOutsideTheFile) {
  const std::vector<Byte> bytes = test::random_bytes(10, 3);
  const MemoryRandomAccess file(bytes);
  std::vector<Byte> into(4);
  EXPECT_TRUE(file.read_at(6, into).ok());
  EXPECT_TRUE(std::equal(into.begin(), into.end(), bytes.begin() + 6));
  EXPECT_EQ(file.read_at(7, into).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(file.read_at(~std::uint64_t{0}, into).error().code, ErrorCode::kTruncated);
}

TEST(RangeSource, ReadsItsRangeOnly) {
  const std::vector<Byte> bytes = test::random_bytes(100, 4);
  const MemoryRandomAccess file(bytes);
  RangeSource source(file, 10, 60);
  std::vector<Byte> into(80);
  const auto got = read_fully(source, into);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(*got, 50u);
  EXPECT_TRUE(std::equal(into.begin(), into.begin() + 50, bytes.begin() + 10));
}

TEST(PrefixedSource, GivesThePrefixAndThenTheRest) {
  const std::vector<Byte> first = test::random_bytes(10, 1), second = test::random_bytes(100, 2);
  Trickle rest(second);
  PrefixedSource source(first, rest);
  std::vector<Byte> got(200);
  const auto count = read_fully(source, got);
  ASSERT_TRUE(count.ok());
  got.resize(*count);
  std::vector<Byte> expected = first;
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(got, expected);
}

TEST(PrefixedSource, PassesErrorsOnAfterThePrefix) {
  const std::vector<Byte> first = test::random_bytes(10, 1);
  Broken rest;
  PrefixedSource source(first, rest);
  std::vector<Byte> got(10);
  EXPECT_TRUE(read_fully(source, got).ok());
  EXPECT_EQ(got, first);
  EXPECT_EQ(source.read(got).error().code, ErrorCode::kIo);
}

TEST(FdStreams, CarryBytesThroughAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::vector<Byte> bytes = test::random_bytes(300000, 5);  // more than a pipe holds
  std::thread writer([&] {
    FdSink sink(ends[1]);
    EXPECT_TRUE(sink.write(bytes).ok());
    ::close(ends[1]);
  });
  FdSource source(ends[0]);
  std::vector<Byte> into(bytes.size() + 1);
  const auto got = read_fully(source, into);
  writer.join();
  ::close(ends[0]);
  ASSERT_TRUE(got.ok());
  into.resize(*got);
  EXPECT_EQ(into, bytes);
}

TEST(FdStreams, ReportWhatTheSystemSays) {
  const int closed = -1;
  std::array<Byte, 4> into{};
  FdSource source(closed);
  EXPECT_EQ(source.read(into).error().code, ErrorCode::kIo);
  FdSink sink(closed);
  EXPECT_EQ(sink.write(into).error().code, ErrorCode::kIo);
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  FdSink device(full);
  EXPECT_EQ(device.write(into).error().code, ErrorCode::kNoSpace);
  ::close(full);
}

TEST(FdRandomAccess, ReadsAnywhereAndKnowsTheEnd) {
  std::FILE* const temporary = std::tmpfile();
  ASSERT_NE(temporary, nullptr);
  const std::vector<Byte> bytes = test::random_bytes(5000, 6);
  ASSERT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), temporary), bytes.size());
  std::fflush(temporary);
  const FdRandomAccess file(::fileno(temporary), bytes.size());
  std::vector<Byte> into(1000);
  ASSERT_TRUE(file.read_at(3999, into).ok());
  EXPECT_TRUE(std::equal(into.begin(), into.end(), bytes.begin() + 3999));
  EXPECT_EQ(file.read_at(4001, into).error().code, ErrorCode::kTruncated);
  std::fclose(temporary);
}

}  // namespace
}  // namespace presso::byte_stream_test
