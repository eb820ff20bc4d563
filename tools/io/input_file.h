// SPDX-License-Identifier: MIT
// Files that a command reads: opening them with checks, standard input, and the list of files that
// operands and -r stand for. Tested by tests/cli/test_frame.py and test_unusual_files.py.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso::cli {

// The suffix of compressed files, and the operand that stands for standard input.
constexpr std::string_view kSuffix = ".presso";
constexpr std::string_view kStandardInput = "-";

/// An open input. It owns its descriptor, except that of standard input.
class InputFile {
 public:
  enum class Directories { kRefused, kRefusedWithHint };

  /// Opens a file; `path` "-" is standard input. Errors: kIo; kInvalidArgument for a directory,
  /// with a hint to -r for commands that have it.
  static Result<InputFile> open(const std::string& path,
                                Directories directories = Directories::kRefused);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  int fd() const { return fd_; }
  const struct stat& about() const { return about_; }
  bool is_regular() const { return S_ISREG(about_.st_mode); }
  bool is_standard_input() const { return !owns_; }
  /// Error kInvalidArgument for character devices such as /dev/zero, from which a table would be
  /// read for ever. Terminals, /dev/null and pipes are accepted, since they have an end.
  Status check_has_end() const;
  /// The size in bytes, or 0 if it is not known.
  std::uint64_t size() const {
    return is_regular() ? static_cast<std::uint64_t>(about_.st_size) : 0;
  }

 private:
  /// `owns`: whether to close the descriptor; not standard input's.
  InputFile(int fd, bool owns) : fd_(fd), owns_(owns) {}

  int fd_;
  bool owns_;
  struct stat about_ {};
};

/// The files that `operands` stand for. With `recursive` a directory stands for the regular files
/// below it, in the order of their names; symbolic links inside are not followed. Problems are
/// reported through message.h. Without `recursive` operands are taken as they are.
std::vector<std::string> expand_operands(const std::vector<std::string>& operands, bool recursive);

/// The name for messages: "-" is "standard input".
std::string shown_name(const std::string& path);
bool has_suffix(std::string_view path);
/// Whether both are the same file on the same device.
bool same_file(const struct stat& one, const struct stat& other);

}  // namespace presso::cli
