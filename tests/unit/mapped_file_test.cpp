// SPDX-License-Identifier: MIT
// Reads through a mapping against reads of the file, and what becomes of them when the file is cut.
#include "presso/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace presso {
namespace {

constexpr std::size_t kBytes = (3u << 20) + 777;

/// A file without a name.
class MappedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/presso-mapped-XXXXXX";
    fd_ = mkstemp(name);
    ASSERT_GE(fd_, 0);
    unlink(name);
    std::mt19937_64 random(7);
    text_.resize(kBytes);
    for (Byte& byte : text_) byte = static_cast<Byte>(random() | 1);  // no zeroes
    ASSERT_TRUE(FdSink(fd_).write(text_).ok());
  }
  void TearDown() override { close(fd_); }

  /// Into memory at `misplaced` of a cache line, between bytes that must stay.
  void expect_read(const MappedFile& file, std::size_t offset, std::size_t bytes,
                   std::size_t misplaced) const {
    std::vector<Byte> memory(bytes + 192, 0);
    Byte* const to = memory.data() + 64 + misplaced;
    ASSERT_TRUE(file.read_at(offset, {to, bytes}).ok());
    EXPECT_TRUE(std::equal(to, to + bytes, text_.begin() + static_cast<std::ptrdiff_t>(offset)))
        << offset << ", " << bytes << " bytes";
    EXPECT_EQ(to[-1], 0);
    EXPECT_EQ(to[bytes], 0);
  }

  int fd_ = -1;
  std::vector<Byte> text_;
};

TEST_F(MappedFileTest, ReadsWhatTheFileHolds) {
  const MappedFile file(fd_, kBytes);
  ASSERT_TRUE(file.is_mapped());
  EXPECT_EQ(file.size(), kBytes);
  constexpr std::size_t kLeast = MappedFile::kLeastMappedRead;
  for (const std::size_t bytes :
       {std::size_t{1}, kLeast - 1, kLeast, kLeast + 63, std::size_t{1} << 20}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, kLeast}) {
      for (const std::size_t misplaced : {0u, 1u, 63u}) {
        expect_read(file, offset, bytes, misplaced);
      }
    }
    expect_read(file, kBytes - bytes, bytes, 5);
  }
  expect_read(file, 0, kBytes, 0);
}

TEST_F(MappedFileTest, ReadsBehindTheEndFail) {
  const MappedFile file(fd_, kBytes);
  std::vector<Byte> into(1u << 20);
  EXPECT_EQ(file.read_at(kBytes - into.size() + 1, into).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(file.read_at(std::uint64_t{1} << 62, into).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(file.read_at(~std::uint64_t{0} - 100, into).ok(), false);
}

TEST_F(MappedFileTest, AFileThatWasCutEndsEarly) {
  const MappedFile file(fd_, kBytes);
  ASSERT_TRUE(file.is_mapped());
  std::vector<Byte> into(1u << 20);
  ASSERT_TRUE(file.read_at(0, into).ok());
  ASSERT_EQ(ftruncate(fd_, (1 << 20) - 100), 0);
  // Within the last page, where a mapping reads zeroes; behind it, where it raises SIGBUS.
  EXPECT_EQ(file.read_at(0, into).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(file.read_at(2u << 20, into).error().code, ErrorCode::kTruncated);
  expect_read(file, 0, (1u << 20) - 100, 3);
}

/// The first page there and the last one, not those between: only the handler is left to notice.
TEST_F(MappedFileTest, ABusErrorWithinACopyIsNoticed) {
  const MappedFile file(fd_, kBytes);
  ASSERT_TRUE(file.is_mapped());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      std::vector<Byte> into(2u << 20);
      for (int round = 0; round < 400; ++round) {
        const Status done = file.read_at(static_cast<std::uint64_t>(i) << 10, into);
        EXPECT_TRUE(done.ok() || done.error().code == ErrorCode::kTruncated);
      }
    });
  }
  for (int round = 0; round < 200; ++round) {
    ASSERT_EQ(ftruncate(fd_, round % 2 == 0 ? 4096 : kBytes), 0);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(MappedFileTest, SmallFilesAreNotMapped) {
  ASSERT_EQ(ftruncate(fd_, 1000), 0);
  const MappedFile file(fd_, 1000);
  EXPECT_FALSE(file.is_mapped());
  expect_read(file, 10, 990, 0);
}

TEST_F(MappedFileTest, WhatCannotBeMappedIsRead) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const MappedFile file(pipes[0], kBytes);
  EXPECT_FALSE(file.is_mapped());
  close(pipes[0]);
  close(pipes[1]);
}

/// Bus errors of others are theirs: the process dies of one, as it would without a MappedFile.
TEST_F(MappedFileTest, OtherBusErrorsAreLeftAlone) {
  const MappedFile file(fd_, kBytes);
  ASSERT_TRUE(file.is_mapped());
  const auto read_behind_the_end = [this] {
    signal(SIGALRM, SIG_DFL);
    alarm(20);
    const auto* const mapped =
        static_cast<volatile Byte*>(mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd_, 0));
    if (ftruncate(fd_, 0) != 0) _exit(1);
    _exit(mapped[1 << 20]);
  };
  EXPECT_EXIT(
      read_behind_the_end(),
      [](int status) {
        // A sanitizer's own handler ends the process instead.
        return WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) > 1;
      },
      "");
}

}  // namespace
}  // namespace presso
