// SPDX-License-Identifier: MIT
// Uses POSIX calls on Linux: renameat2(2) for an atomic rename that does not replace, /proc/self/fd
// to see through links to descriptors. Each new file costs one fsync() and one rename, and a file
// that is made and removed again where its mode is not given. Tested by tests/cli/test_failures.py.
#include "tools/io/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <random>

namespace presso::cli {
namespace {

/// A path as its directory and the name within, for a temporary file beside it.
struct SplitPath {
  std::string directory;  ///< with a slash at the end, or empty
  std::string name;
};

// Splits at the last slash.
SplitPath split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

/// The number of the descriptor of this process to which symbolic links lead, as those from
/// /dev/stdout to /proc/self/fd/1 do.
std::optional<int> descriptor_named(std::filesystem::path path) {
  const std::string own = "/proc/" + std::to_string(getpid()) + "/fd";
  // The kernel follows at most this many links, after which it reports ELOOP.
  constexpr int kMostLinks = 40;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code problem;
    const std::filesystem::path folder =
        std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", problem);
    if (problem) return std::nullopt;
    if (folder == own) return std::atoi(path.filename().c_str());
    const std::filesystem::path target = std::filesystem::read_symlink(path, problem);
    if (problem) return std::nullopt;
    path = folder / target;
  }
  return std::nullopt;
}

/// The kinds of things that may already be at the place of an output. kReplaced: a regular file or
/// a link, in whose place a new file is renamed. kWrittenTo: a device, pipe or descriptor, which is
/// opened and written to.
enum class Occupant { kNothing, kReplaced, kDirectory, kWrittenTo };

/// Tells what lies at the path, and so what writing there means: a regular file or a link is
/// replaced, a device or pipe is written to.
Occupant occupant_of(const std::string& path) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return Occupant::kNothing;
  const bool is_link = S_ISLNK(about.st_mode);
  if (is_link && descriptor_named(path)) return Occupant::kWrittenTo;
  // A link that leads nowhere is replaced.
  if (is_link && stat(path.c_str(), &about) != 0) return Occupant::kReplaced;
  if (S_ISDIR(about.st_mode)) return Occupant::kDirectory;
  return S_ISREG(about.st_mode) ? Occupant::kReplaced : Occupant::kWrittenTo;
}

/// Opens what cannot be replaced. A descriptor of this process is duplicated rather than opened
/// anew, which would start at offset 0 and overwrite what a shell's >> has appended to.
int open_existing(const std::string& path) {
  if (const auto descriptor = descriptor_named(path)) return fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
  return open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

/// Six letters for a temporary name; make_new_file() tries again where it exists.
std::string random_suffix() {
  static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device device;  // allow(unseeded-random): temporary names
  std::string suffix = ".";
  for (int i = 0; i < 6; ++i) suffix += kLetters[device() % (sizeof kLetters - 1)];
  return suffix;
}

/// A name ".NAME.XXXXXX", with NAME cut if it would get too long for the file system.
std::string temporary_name(const std::string& path) {
  constexpr std::size_t kLongest = NAME_MAX - 8;
  const SplitPath parts = split(path);
  return parts.directory + "." + parts.name.substr(0, kLongest) + random_suffix();
}

/// A new file, which is removed if a signal ends the process.
struct NewFile {
  int fd = -1;
  std::string name;
  std::unique_ptr<UnfinishedFile> registered;
};

/// Makes an empty file with a temporary name beside `path`.
Result<NewFile> make_new_file(const std::string& path, mode_t mode) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    NewFile made;
    made.name = temporary_name(path);
    // It is registered before it exists, so that no signal can come between the two.
    made.registered = std::make_unique<UnfinishedFile>(made.name);
    made.fd = open(made.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (made.fd >= 0) return made;
    // The file, if there is one, is somebody else's.
    if (errno != EEXIST) return errno_error("cannot create", errno);
  }
  return errno_error("cannot create", EEXIST);
}

/// The mode that the system gives to new files beside `path`. It is asked of a file that is removed
/// at once, because umask() can only be read by changing it, for all threads of the process.
Result<mode_t> usual_mode(const std::string& path) {
  PRESSO_ASSIGN(const NewFile probe, make_new_file(path, 0666));
  struct stat about {};
  const int reason = fstat(probe.fd, &about) == 0 ? 0 : errno;
  close(probe.fd);
  unlink(probe.name.c_str());
  if (reason != 0) return errno_error("cannot look at", reason);
  return about.st_mode;
}

}  // namespace

bool would_be_replaced(const std::string& path) {
  return occupant_of(path) == Occupant::kReplaced;
}

/// An output that is never committed under a name.
OutputFile OutputFile::standard_output() {
  OutputFile output;
  output.fd_ = STDOUT_FILENO;
  output.path_ = "standard output";
  output.sink_ = std::make_unique<FileSink>(STDOUT_FILENO);
  return output;
}

/// Opens the output: a temporary file beside it, or what is there if that cannot be replaced.
/// Errors: kExists; kIo.
Result<OutputFile> OutputFile::create(const std::string& path, Options options) {
  OutputFile output;
  output.path_ = path;
  output.overwrite_ = options.overwrite;
  output.owns_fd_ = true;
  const Occupant occupant = occupant_of(path);
  if (occupant == Occupant::kDirectory) {
    return make_error(ErrorCode::kExists, "it is a directory");
  }
  if (occupant == Occupant::kWrittenTo) {
    output.fd_ = open_existing(path);
    if (output.fd_ < 0) return errno_error("cannot open", errno);
  } else {
    if (occupant == Occupant::kReplaced && !options.overwrite) {
      return make_error(ErrorCode::kExists);
    }
    PRESSO_TRY(output.make_temporary());
  }
  output.sink_ = std::make_unique<FileSink>(output.fd_, options.sparse && output.is_new_file());
  return output;
}

/// Makes the temporary file, readable by its owner only until it is complete, and registers it for
/// removal on signals.
Status OutputFile::make_temporary() {
  PRESSO_ASSIGN(NewFile made, make_new_file(path_, 0600));
  fd_ = made.fd;
  temporary_ = std::move(made.name);
  registered_ = std::move(made.registered);
  return {};
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      owns_fd_(std::exchange(other.owns_fd_, false)),
      overwrite_(other.overwrite_),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      registered_(std::move(other.registered_)),
      sink_(std::move(other.sink_)) {}

/// Removes the temporary file if it was not committed. The descriptor is closed first; nothing is
/// reported, because whoever did not commit has said why.
OutputFile::~OutputFile() {
  if (owns_fd_ && fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

/// Completes the output: sets its attributes, syncs it to disk and renames it into place. The order
/// matters, so that a crash leaves the old file or the new one, never a part. Errors: kExists, kIo.
Status OutputFile::commit(const FileAttributes& attributes) {
  PRESSO_TRY(sink_->finish());
  if (is_new_file()) {
    PRESSO_TRY(give_attributes(attributes));
    if (fsync(fd_) != 0 && errno != EINVAL && errno != EROFS)
      return errno_error("cannot sync", errno);
  }
  if (owns_fd_) {
    const int closed = close(std::exchange(fd_, -1));
    if (closed != 0 && errno != EINTR) return errno_error("cannot close", errno);
  }
  return is_new_file() ? rename_into_place() : Status();
}

/// Takes owner, mode and time over. What the user may not set is left as it is.
Status OutputFile::give_attributes(const FileAttributes& attributes) {
  if (attributes.owner && geteuid() == 0) {
    // A user who may not give files away keeps the file.
    if (fchown(fd_, attributes.owner->first, attributes.owner->second) != 0) errno = 0;
  }
  PRESSO_ASSIGN(const mode_t mode,
                attributes.mode ? Result<mode_t>(*attributes.mode) : usual_mode(path_));
  if (fchmod(fd_, mode & 0777) != 0 && errno != EPERM)
    return errno_error("cannot set the mode", errno);
  if (attributes.modified) {
    const timespec times[2] = {*attributes.modified, *attributes.modified};
    if (futimens(fd_, times) != 0 && errno != EPERM)
      return errno_error("cannot set the time", errno);
  }
  return {};
}

/// Renames without replacing where that was not asked for. This closes the gap between the check in
/// create() and now, in which another process may have made a file of this name.
Status OutputFile::rename_into_place() {
  int moved = -1;
  if (!overwrite_) {
    moved = renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE);
    if (moved != 0 && errno == EEXIST) return make_error(ErrorCode::kExists);
  }
  // Some file systems know no RENAME_NOREPLACE; existence was checked when the file was created.
  if (moved != 0) moved = rename(temporary_.c_str(), path_.c_str());
  if (moved != 0) return errno_error("cannot rename", errno);
  temporary_.clear();
  registered_.reset();
  return {};
}

}  // namespace presso::cli
