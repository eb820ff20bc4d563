// SPDX-License-Identifier: MIT
// Dictionaries in files of their own: --dict FILE of everything that reads compressed files, and
// reading them.
#pragma once

#include <memory>
#include <vector>

#include "presso/decompress.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// The file that `given` names: 1 byte to 4 MiB. Errors name the flag and the file.
Result<std::vector<Byte>> read_dictionary_file(const Given& given);

/// --dict FILE, as often as one likes.
Flag known_dictionary_flag(std::vector<std::shared_ptr<const Dictionary>>& known);

}  // namespace presso::cli
