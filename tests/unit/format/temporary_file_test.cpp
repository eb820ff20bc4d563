// SPDX-License-Identifier: MIT
// Files without a name: what is appended comes back, nothing is left in the folder, and errors name
// the folder.
#include "format/temporary_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace presso::temporary_file_test {
namespace {

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// A folder of its own, so that what stands in it can be counted.
class TemporaryFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "presso-temporary-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(TemporaryFileTest, GivesBackWhatWasAppendedAndHasNoName) {
  auto file = TemporaryFile::create(folder_);
  ASSERT_TRUE(file.ok()) << file.error().message();
  ASSERT_TRUE(file->append(bytes_of("one")).ok());
  ASSERT_TRUE(file->append(bytes_of("two")).ok());
  EXPECT_EQ(file->size(), 6u);
  Byte read[4];
  ASSERT_TRUE(file->read_at(1, read).ok());
  EXPECT_EQ(std::string(std::begin(read), std::end(read)), "netw");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(TemporaryFileTest, BeginsAgainAfterItWasCleared) {
  auto file = TemporaryFile::create(folder_);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->append(bytes_of("before")).ok());
  ASSERT_TRUE(file->clear().ok());
  EXPECT_EQ(file->size(), 0u);
  ASSERT_TRUE(file->append(bytes_of("x")).ok());
  Byte read[1];
  ASSERT_TRUE(file->read_at(0, read).ok());
  EXPECT_EQ(read[0], 'x');
  const Status behind = file->read_at(1, read);
  ASSERT_FALSE(behind.ok());
  EXPECT_EQ(behind.error().code, ErrorCode::kIo);
}

TEST_F(TemporaryFileTest, NamesTheFolderInWhichThereCanBeNoFile) {
  const auto file = TemporaryFile::create(folder_ + "/none");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kIo);
  EXPECT_NE(file.error().what.find(folder_ + "/none"), std::string::npos);
}

TEST_F(TemporaryFileTest, NamesTheFolderWhoseDeviceIsFull) {
  // No folder can be filled here; so the file is one that cannot grow.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{10, before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  auto file = TemporaryFile::create(folder_);
  const Status appended = file->append(bytes_of("more than ten bytes"));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(appended.ok());
  EXPECT_EQ(appended.error().code, ErrorCode::kNoSpace);
  EXPECT_NE(appended.error().what.find(folder_), std::string::npos);
}

}  // namespace
}  // namespace presso::temporary_file_test
