// SPDX-License-Identifier: MIT
// Forms of values that tables lack, for the readers of Parquet and of Arrow files.
#pragma once

#include <cstdint>
#include <string>

#include "presso/bytes.h"

namespace presso::cli {

/// The float of an IEEE number of 16 bits.
float float_of_half(std::uint16_t half);
/// Appends a time of day as 12:34:56.789, with as many digits as it has; false for a time that no
/// day has.
bool append_time(std::int64_t value, std::int64_t per_second, std::string& to);
/// Appends 16 bytes as 12345678-1234-5678-1234-567812345678.
void append_uuid(const Byte* bytes, std::string& to);

}  // namespace presso::cli
