// SPDX-License-Identifier: MIT
// Writes standard output for `presso scan` with write(2), without the locks and formats of stdio.
// Tested by tests/cli/test_scan_output.py.
#include "tools/io/output.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace presso::cli {

void Output::write_number(unsigned long long value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  write(std::string_view(digits, static_cast<std::size_t>(end.ptr - digits)));
}

/// Writes what is buffered to standard output. After an error or a closed pipe it drops everything,
/// and usable() is false.
void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && usable()) {
    const ssize_t put = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (put >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      failure_ = errno;
    }
  }
  buffer_.clear();
}

}  // namespace presso::cli
