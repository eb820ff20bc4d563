// SPDX-License-Identifier: MIT
// Files and tables that programs read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "presso/byte_stream.h"

namespace presso::harness {

/// Opens a regular file, which stays open until the process ends.
Result<FdRandomAccess> open_file(const std::string& path);

/// The first bytes of a file, `most` at most. Error: it cannot be read, or is empty.
Result<std::vector<Byte>> read_file(const std::string& path,
                                    std::uint64_t most = ~std::uint64_t{0});

/// What follows the last slash.
inline std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace presso::harness
