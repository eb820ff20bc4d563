// SPDX-License-Identifier: MIT
#include "lab/harness/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace presso::harness {

Result<FdRandomAccess> open_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (fd < 0 || fstat(fd, &about) != 0) return errno_error(path, errno);
  return FdRandomAccess(fd, static_cast<std::uint64_t>(about.st_size));
}

Result<std::vector<Byte>> read_file(const std::string& path, std::uint64_t most) {
  PRESSO_ASSIGN(const FdRandomAccess file, open_file(path));
  std::vector<Byte> bytes(static_cast<std::size_t>(std::min(file.size(), most)));
  if (bytes.empty()) return make_error(ErrorCode::kInvalidArgument, path + " is empty");
  PRESSO_TRY(file.read_at(0, bytes));
  return bytes;
}

}  // namespace presso::harness
