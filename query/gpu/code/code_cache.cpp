// SPDX-License-Identifier: MIT
// Every call opens the folder, checks it, and reaches files only through it, so that nobody can put
// another folder in its place in between. Files are read, not mapped: a mapped file that becomes
// shorter would end the process.
#include "query/gpu/code/code_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "presso/checksum.h"

namespace presso::gpu {
namespace {

constexpr char kMagic[8] = {'p', 'r', 'e', 's', 's', 'o', 'k', '1'};
constexpr std::string_view kEnding = ".kernels", kUnfinishedEnding = ".unfinished";
/// No source makes more machine code; a larger file is not ours.
constexpr std::uint64_t kMostEntryBytes = std::uint64_t{64} << 20;
/// A file that is written for longer was left by a process that ended.
constexpr std::int64_t kUnfinishedSeconds = 3600;

/// In front of each entry. All fields are checked before one is used.
struct EntryHeader {
  char magic[8];
  char presso_version[16];  // padded with zeros
  std::uint64_t headers_sum;
  std::uint64_t options_bytes, source_bytes, version_bytes, cubin_bytes;
  std::uint64_t content_sum;  // of all that follows the header
  std::uint64_t header_sum;   // of the fields above
};
static_assert(sizeof(EntryHeader) == 80);

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// Whether nobody else can change it.
bool is_our_own(const struct stat& about) {
  return about.st_uid == geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// The folder, where it may be used; `why_not` else.
Fd open_folder(const std::string& path, std::string& why_not) {
  Fd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about {};
  if (!folder.ok() || fstat(folder.get(), &about) != 0) {
    if (errno != ENOENT) why_not = std::strerror(errno);
    return Fd(-1);
  }
  if (is_our_own(about)) return folder;
  why_not = about.st_uid != geteuid() ? "it is another user's" : "others can write to it";
  return Fd(-1);
}

Fd make_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  static_cast<void>(mkdir(path.c_str(), 0700));
  std::string why_not;
  return open_folder(path, why_not);
}

/// The header without its own checksum.
EntryHeader header_of(const CodeKey& key, std::string_view nvrtc_version) {
  EntryHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  static_assert(sizeof(PRESSO_VERSION) <= sizeof header.presso_version);
  std::memcpy(header.presso_version, PRESSO_VERSION, sizeof(PRESSO_VERSION));
  header.headers_sum = key.headers_sum;
  header.options_bytes = key.options.size();
  header.source_bytes = key.source.size();
  header.version_bytes = nvrtc_version.size();
  return header;
}

std::uint64_t sum_of(const EntryHeader& header) {
  return checksum64({reinterpret_cast<const Byte*>(&header), offsetof(EntryHeader, header_sum)});
}

std::string name_of(const CodeKey& key) {
  const EntryHeader header = header_of(key, "");
  Checksum64 sum;
  sum.add({reinterpret_cast<const Byte*>(&header), sizeof header});
  sum.add(bytes_of(key.options));
  sum.add(bytes_of(key.source));
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[sum.value() >> shift & 15];
  return name;
}

bool read_all(int fd, std::uint64_t offset, MutableBytes into) {
  while (!into.empty()) {
    const ssize_t got = pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool write_all(int fd, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// Takes `bytes` off the front of `content`; false where it is shorter, or they are not `expected`.
bool take_equal(Bytes& content, std::string_view expected) {
  if (content.size() < expected.size()) return false;
  const bool same = std::memcmp(content.data(), expected.data(), expected.size()) == 0;
  content = content.subspan(expected.size());
  return same;
}

/// A file of the folder that is ours.
struct Entry {
  std::string name;
  std::uint64_t bytes = 0;
  timespec used{};
  bool finished = true;
};

std::vector<Entry> entries_of(int folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(
      fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), closedir);
  std::vector<Entry> entries;
  while (const dirent* const found = listing == nullptr ? nullptr : readdir(listing.get())) {
    const std::string_view name = found->d_name;
    const bool finished = name.ends_with(kEnding);
    struct stat about {};
    if ((!finished && !name.ends_with(kUnfinishedEnding)) ||
        fstatat(folder, found->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(about.st_mode)) {
      continue;
    }
    entries.push_back(
        {std::string(name), static_cast<std::uint64_t>(about.st_size), about.st_mtim, finished});
  }
  return entries;
}

/// Removes what is too much, what was used last at the end, and what nobody finishes any more.
void make_room(int folder, std::uint64_t most_bytes) {
  std::vector<Entry> entries = entries_of(folder);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  for (const Entry& entry : entries) {
    const bool left_over = !entry.finished && entry.used.tv_sec < now.tv_sec - kUnfinishedSeconds;
    if (!left_over && (!entry.finished || bytes <= most_bytes)) continue;
    if (unlinkat(folder, entry.name.c_str(), 0) == 0) bytes -= entry.bytes;
  }
}

std::string absolute(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

std::string CodeCache::folder_of_user() {
  const std::string cache = absolute("XDG_CACHE_HOME"), home = absolute("HOME");
  if (!cache.empty()) return cache + "/presso/kernels";
  return home.empty() ? "" : home + "/.cache/presso/kernels";
}

std::optional<std::vector<Byte>> CodeCache::find(const CodeKey& key,
                                                 const std::string& nvrtc_version) const {
  std::string why_not;
  const Fd folder = folder_.empty() ? Fd(-1) : open_folder(folder_, why_not);
  if (!folder.ok()) return std::nullopt;
  // Without O_NONBLOCK a pipe of that name would block.
  const Fd file(openat(folder.get(), (name_of(key).append(kEnding)).c_str(),
                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat about {};
  if (!file.ok() || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      !is_our_own(about)) {
    return std::nullopt;
  }
  const auto size = static_cast<std::uint64_t>(about.st_size);
  EntryHeader header{};
  if (size < sizeof header || size > kMostEntryBytes ||
      !read_all(file.get(), 0, {reinterpret_cast<Byte*>(&header), sizeof header})) {
    return std::nullopt;
  }
  EntryHeader expected = header_of(key, "");
  // Fields that the key does not say.
  expected.version_bytes = header.version_bytes;
  expected.cubin_bytes = header.cubin_bytes;
  expected.content_sum = header.content_sum;
  expected.header_sum = sum_of(expected);
  if (std::memcmp(&header, &expected, sizeof header) != 0) return std::nullopt;
  std::vector<Byte> stored(size - sizeof header);
  if (!read_all(file.get(), sizeof header, stored) || checksum64(stored) != header.content_sum) {
    return std::nullopt;
  }
  Bytes content = stored;
  if (!take_equal(content, key.options) || !take_equal(content, key.source) ||
      header.version_bytes > content.size() ||
      header.cubin_bytes != content.size() - header.version_bytes) {
    return std::nullopt;
  }
  const Bytes version = content.first(header.version_bytes);
  if (!nvrtc_version.empty() && !std::ranges::equal(version, bytes_of(nvrtc_version))) {
    return std::nullopt;
  }
  // The time of change says when it was used.
  const timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  static_cast<void>(futimens(file.get(), times));
  return std::vector<Byte>(content.begin() + static_cast<std::ptrdiff_t>(header.version_bytes),
                           content.end());
}

void CodeCache::store(const CodeKey& key, const std::string& nvrtc_version, Bytes cubin) const {
  EntryHeader header = header_of(key, nvrtc_version);
  header.cubin_bytes = cubin.size();
  const std::uint64_t bytes =
      sizeof header + key.options.size() + key.source.size() + nvrtc_version.size() + cubin.size();
  if (folder_.empty() || bytes > std::min(kMostEntryBytes, most_bytes_)) return;
  const Fd folder = make_folder(folder_);
  if (!folder.ok()) return;
  Checksum64 sum;
  const Bytes parts[] = {bytes_of(key.options), bytes_of(key.source), bytes_of(nvrtc_version),
                         cubin};
  for (const Bytes part : parts) sum.add(part);
  header.content_sum = sum.value();
  header.header_sum = sum_of(header);

  static std::atomic<std::uint64_t> stored = 0;
  const std::string name = name_of(key);
  const std::string unfinished = name + "." + std::to_string(getpid()) + "." +
                                 std::to_string(++stored) + std::string(kUnfinishedEnding);
  bool written = false;
  {
    const Fd file(openat(folder.get(), unfinished.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.ok()) return;
    written = write_all(file.get(), {reinterpret_cast<const Byte*>(&header), sizeof header});
    for (const Bytes part : parts) written = written && write_all(file.get(), part);
  }
  const std::string finished = name + std::string(kEnding);
  if (!written || renameat(folder.get(), unfinished.c_str(), folder.get(), finished.c_str()) != 0) {
    unlinkat(folder.get(), unfinished.c_str(), 0);
    return;
  }
  make_room(folder.get(), most_bytes_);
}

CodeCache::Use CodeCache::use() const {
  Use use;
  if (folder_.empty()) {
    use.why_not = "neither XDG_CACHE_HOME nor HOME is an absolute path";
    return use;
  }
  const Fd folder = open_folder(folder_, use.why_not);
  if (!folder.ok()) return use;
  for (const Entry& entry : entries_of(folder.get())) {
    ++use.entries;
    use.bytes += entry.bytes;
  }
  return use;
}

}  // namespace presso::gpu
