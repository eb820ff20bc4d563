// SPDX-License-Identifier: MIT
// One line for each damaged place of a file: used by decompress --salvage and test.
#pragma once

#include <string>

#include "presso/decompress.h"

namespace presso::cli {

/// "presso: FILE: block 131 (compressed offset 8,653,211): checksum mismatch; 262,144 bytes at
/// plain offset 17,170,432 lost". Sets the exit status.
void report_damage(const std::string& path, const DecodedBlock& block);

}  // namespace presso::cli
