// SPDX-License-Identifier: MIT
// The cache of machine code on disk: what was stored is found, whatever is wrong with an entry or
// the folder counts as not there, and nobody else's code is ever taken.
#include "query/gpu/code/code_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "presso/checksum.h"

namespace presso::code_cache_test {
namespace {

using gpu::CodeCache;
using gpu::CodeKey;
namespace fs = std::filesystem;

/// Code that tells by its bytes whose it is.
std::vector<Byte> code_of(const std::string& source, std::size_t bytes = 300) {
  std::vector<Byte> code;
  while (code.size() < bytes) {
    code.insert(code.end(), source.begin(), source.end());
    code.push_back(static_cast<Byte>(code.size()));
  }
  return code;
}

std::vector<Byte> content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, Bytes bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

class CodeCacheTest : public testing::Test {
 protected:
  CodeCacheTest() {
    std::string name = (fs::temp_directory_path() / "code_cache_test.XXXXXX").string();
    above_ = mkdtemp(name.data());
    folder_ = above_ / "presso" / "kernels";
  }
  ~CodeCacheTest() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(above_);
  }

  CodeCache cache(std::uint64_t most_bytes = CodeCache::kMostBytes) const {
    return CodeCache(folder_.string(), most_bytes);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_, none)) found.push_back(entry.path());
    return found;
  }
  fs::path only_file() const {
    const std::vector<fs::path> found = files();
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? fs::path() : found.front();
  }
  /// Stores an entry for kKey, and expects that it is found.
  void store_one() const {
    cache().store(kKey, "13.0", code_of("one"));
    ASSERT_EQ(cache().find(kKey, "13.0"), code_of("one"));
  }

  const CodeKey kKey{"-arch=sm_90", 7, "source"};
  fs::path above_, folder_;
};

TEST_F(CodeCacheTest, FindsWhatWasStoredAndNothingElse) {
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
  EXPECT_TRUE(files().empty());  // looking creates nothing
  store_one();
  EXPECT_EQ(cache().find({"-arch=sm_80", 7, "source"}, "13.0"), std::nullopt);
  EXPECT_EQ(cache().find({"-arch=sm_90", 8, "source"}, "13.0"), std::nullopt);
  EXPECT_EQ(cache().find({"-arch=sm_90", 7, "sourcf"}, "13.0"), std::nullopt);
  EXPECT_EQ(cache().find({"-arch=sm_90s", 7, "ource"}, "13.0"), std::nullopt);
  cache().store(kKey, "13.0", code_of("two", 900));
  EXPECT_EQ(cache().find(kKey, "13.0"), code_of("two", 900));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CodeCacheTest, TheVersionOfTheCompilerCountsWhereItIsKnown) {
  store_one();
  EXPECT_EQ(cache().find(kKey, "13.1"), std::nullopt);
  EXPECT_EQ(cache().find(kKey, "13."), std::nullopt);
  EXPECT_EQ(cache().find(kKey, ""), code_of("one"));
}

TEST_F(CodeCacheTest, FolderAndEntriesAreTheUsersAlone) {
  store_one();
  struct stat about {};
  ASSERT_EQ(stat(folder_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0700u);
  ASSERT_EQ(stat(only_file().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
}

TEST_F(CodeCacheTest, AnyChangedByteCountsAsNotThere) {
  store_one();
  const fs::path path = only_file();
  const std::vector<Byte> right = content(path);
  ASSERT_GT(right.size(), 380u);
  for (std::size_t at = 0; at < right.size(); ++at) {
    std::vector<Byte> wrong = right;
    wrong[at] ^= static_cast<Byte>(1u << at % 8);
    write_file(path, wrong);
    ASSERT_EQ(cache().find(kKey, ""), std::nullopt) << "byte " << at;
  }
  for (std::size_t size = 0; size < right.size(); ++size) {
    write_file(path, Bytes(right).first(size));
    ASSERT_EQ(cache().find(kKey, ""), std::nullopt) << size << " bytes";
  }
  std::vector<Byte> longer = right;
  longer.push_back(0);
  write_file(path, longer);
  EXPECT_EQ(cache().find(kKey, ""), std::nullopt);
  store_one();  // is replaced
}

/// The header's sizes at bytes 32, 40, 48 and 56, its checksums at 64 and 72.
TEST_F(CodeCacheTest, LengthsBeyondTheFileCountAsNotThere) {
  store_one();
  const fs::path path = only_file();
  const std::vector<Byte> right = content(path);
  for (std::size_t field = 32; field < 64; field += 8) {
    std::uint64_t stored = load<std::uint64_t>(right.data() + field);
    for (const std::uint64_t length :
         {std::uint64_t{0}, stored - 1, stored + 1, std::uint64_t{1} << 40, std::uint64_t{1} << 63,
          ~std::uint64_t{0}, ~std::uint64_t{0} - stored}) {
      if (length == stored) continue;
      std::vector<Byte> wrong = right;
      presso::store(wrong.data() + field, length);
      presso::store(wrong.data() + 72, checksum64(Bytes(wrong).first(72)));
      write_file(path, wrong);
      ASSERT_EQ(cache().find(kKey, ""), std::nullopt) << field << " " << length;
    }
  }
  // The two lengths that the key does not know, changed together, whose sum stays right.
  std::vector<Byte> wrong = right;
  presso::store(wrong.data() + 48, load<std::uint64_t>(right.data() + 48) + 1000);
  presso::store(wrong.data() + 56, load<std::uint64_t>(right.data() + 56) - 1000);
  presso::store(wrong.data() + 72, checksum64(Bytes(wrong).first(72)));
  write_file(path, wrong);
  EXPECT_EQ(cache().find(kKey, ""), std::nullopt);
}

TEST_F(CodeCacheTest, AnEntryOfAnotherSourceUnderItsNameIsNotTaken) {
  store_one();
  const fs::path mine = only_file();
  const CodeKey other{"-arch=sm_90", 7, "another"};
  cache().store(other, "13.0", code_of("another"));
  for (const fs::path& path : files()) {
    if (path != mine) fs::rename(path, mine);
  }
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
  store_one();
}

TEST_F(CodeCacheTest, AFolderThatOthersCanWriteToIsNotUsed) {
  for (const mode_t mode : {0777u, 0720u, 0702u}) {
    fs::remove_all(folder_);
    store_one();
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
    cache().store({"", 0, "new"}, "13.0", code_of("new"));
    EXPECT_EQ(files().size(), 1u);
    EXPECT_EQ(cache().use().why_not, "others can write to it");
  }
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);  // others may read
  EXPECT_EQ(cache().find(kKey, "13.0"), code_of("one"));
}

TEST_F(CodeCacheTest, AFileThatOthersCanWriteToIsNotUsed) {
  store_one();
  ASSERT_EQ(chmod(only_file().c_str(), 0622), 0);
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
  store_one();
}

TEST_F(CodeCacheTest, AnotherUsersFolderOrFileIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  store_one();
  ASSERT_EQ(chown(only_file().c_str(), 65534, 65534), 0);
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
  store_one();
  ASSERT_EQ(chown(folder_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
  EXPECT_EQ(cache().use().why_not, "it is another user's");
}

TEST_F(CodeCacheTest, LinksAndPipesAreNotFollowed) {
  store_one();
  const fs::path path = only_file(), moved = above_ / "moved";
  fs::rename(path, moved);
  fs::create_symlink(moved, path);
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);  // and does not block
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
  cache().store(kKey, "13.0", code_of("one"));  // cannot be replaced, which is no error
  EXPECT_EQ(cache().find(kKey, "13.0"), std::nullopt);
  EXPECT_EQ(files().size(), 1u);
  fs::remove_all(folder_);
  fs::create_directory(above_ / "elsewhere");
  fs::create_directory_symlink(above_ / "elsewhere", folder_);
  cache().store(kKey, "13.0", code_of("one"));
  EXPECT_TRUE(fs::is_empty(above_ / "elsewhere"));
}

TEST_F(CodeCacheTest, WithoutAFolderNothingIsKept) {
  const CodeCache none("");
  none.store(kKey, "13.0", code_of("one"));
  EXPECT_EQ(none.find(kKey, "13.0"), std::nullopt);
  EXPECT_FALSE(none.use().why_not.empty());
  write_file(above_ / "file", code_of("a file"));
  const CodeCache below_a_file((above_ / "file" / "kernels").string());
  below_a_file.store(kKey, "13.0", code_of("one"));
  EXPECT_EQ(below_a_file.find(kKey, "13.0"), std::nullopt);
}

/// In a process of its own, as root may write everywhere.
TEST_F(CodeCacheTest, AReadOnlyFolderIsReadFrom) {
  store_one();
  const fs::path entry = only_file();
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0) {
      constexpr uid_t kNobody = 65534;
      for (const fs::path& path : {above_, folder_.parent_path(), folder_, entry}) {
        if (chown(path.c_str(), kNobody, kNobody) != 0) _exit(1);
      }
      if (seteuid(kNobody) != 0) _exit(2);
    }
    if (chmod(folder_.c_str(), 0500) != 0) _exit(3);
    if (cache().find(kKey, "13.0") != code_of("one")) _exit(4);
    cache().store({"", 0, "new"}, "13.0", code_of("new"));
    _exit(cache().find({"", 0, "new"}, "13.0") ? 5 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files().size(), 1u);
}

/// As on a disk that is full: a limit of the process on the size of files.
TEST_F(CodeCacheTest, WhatCannotBeWrittenLeavesNothingBehind) {
  store_one();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2000, 2000};
    setrlimit(RLIMIT_FSIZE, &limit);
    cache().store(kKey, "13.0", code_of("large", 5000));
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(cache().find(kKey, "13.0"), code_of("one"));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CodeCacheTest, TheLeastRecentlyUsedGo) {
  const CodeCache small = cache(10'000);
  std::vector<CodeKey> keys;
  const auto put = [&](int i) {
    keys.push_back({"", 0, "source " + std::to_string(i)});
    small.store(keys.back(), "13.0", code_of(keys.back().source, 1000));
    // Times of change may be as coarse as a clock tick.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  for (int i = 0; i < 8; ++i) put(i);
  ASSERT_TRUE(small.find(keys[0], "13.0"));  // was used now, so number 1 goes first
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (int i = 8; i < 12; ++i) put(i);
  EXPECT_TRUE(small.find(keys[0], "13.0"));
  EXPECT_FALSE(small.find(keys[1], "13.0"));
  EXPECT_FALSE(small.find(keys[2], "13.0"));
  EXPECT_TRUE(small.find(keys[11], "13.0"));
  EXPECT_LE(small.use().bytes, 10'000u);
  EXPECT_GE(small.use().bytes, 8'000u);
  small.store({"", 0, "large"}, "13.0", code_of("large", 20'000));  // more than all may take
  EXPECT_FALSE(small.find({"", 0, "large"}, "13.0"));
  EXPECT_TRUE(small.find(keys[0], "13.0"));
}

TEST_F(CodeCacheTest, OnlyOurOwnFilesAreRemoved) {
  store_one();
  write_file(folder_ / "notes.txt", code_of("notes", 5000));
  write_file(folder_ / "1.2.unfinished", code_of("old", 500));
  write_file(folder_ / "1.3.unfinished", code_of("new", 500));
  fs::last_write_time(folder_ / "1.2.unfinished",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache(1000).store({"", 0, "s"}, "13.0", code_of("s"));
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
  EXPECT_FALSE(fs::exists(folder_ / "1.2.unfinished"));
  EXPECT_TRUE(fs::exists(folder_ / "1.3.unfinished"));
  EXPECT_TRUE(cache().find({"", 0, "s"}, "13.0"));
}

TEST_F(CodeCacheTest, UseCountsEntries) {
  EXPECT_EQ(cache().use().entries, 0u);
  EXPECT_EQ(cache().use().why_not, "");  // it will be created
  store_one();
  EXPECT_EQ(cache().use().entries, 1u);
  EXPECT_EQ(cache().use().bytes, fs::file_size(only_file()));
}

/// Writers and readers of the same few keys, some in another process.
TEST_F(CodeCacheTest, ManyAtOnceSeeWholeEntriesOnly) {
  constexpr int kKeys = 4, kRounds = 150;
  const auto key = [](int i) { return CodeKey{"", 0, "source " + std::to_string(i)}; };
  const auto work = [&](int first) {
    const CodeCache small = cache(12'000);  // which not all fit into
    int wrong = 0, found = 0;
    for (int round = 0; round < kRounds; ++round) {
      const CodeKey mine = key((first + round) % kKeys);
      const auto code = small.find(mine, "");
      if (code) ++found;
      if (code && *code != code_of(mine.source, 4000)) ++wrong;
      small.store(mine, std::to_string(first), code_of(mine.source, 4000));
    }
    return wrong != 0 ? 1 : found == 0 ? 2 : 0;
  };
  const pid_t child = fork();
  if (child == 0) _exit(work(3));
  std::atomic<int> problems = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&, i] { problems += work(i); });
  for (std::thread& thread : threads) thread.join();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(problems, 0);
  for (const fs::path& path : files()) EXPECT_EQ(path.extension(), ".kernels") << path;
}

TEST(CodeCacheFolder, IsTheUsersCache) {
  const auto text_of = [](const char* value) { return std::string(value != nullptr ? value : ""); };
  const std::string cache = text_of(getenv("XDG_CACHE_HOME")), home = text_of(getenv("HOME"));
  setenv("HOME", "/home/me", 1);
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(CodeCache::folder_of_user(), "/x/presso/kernels");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(CodeCache::folder_of_user(), "/home/me/.cache/presso/kernels");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(CodeCache::folder_of_user(), "");
  if (!cache.empty()) setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace presso::code_cache_test
