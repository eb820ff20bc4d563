// SPDX-License-Identifier: MIT
// Dictionaries that are files of their own: the flag --dict FILE of all commands that read
// compressed files, and reading such a file. A dictionary is any file of 1 byte to 4 MiB. Tested by
// tests/cli/test_compress.py. Memory: each dictionary is held once and shared by all files.
#pragma once

#include <memory>
#include <vector>

#include "presso/decompress.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// Reads the file that `given` names. Errors name the flag and the file; kInvalidArgument if it is
/// empty or larger than 4 MiB.
Result<std::vector<Byte>> read_dictionary_file(const Given& given);

/// The flag --dict FILE, which may be given several times; the dictionaries are added to `known`.
Flag known_dictionary_flag(std::vector<std::shared_ptr<const Dictionary>>& known);

}  // namespace presso::cli
