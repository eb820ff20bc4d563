// SPDX-License-Identifier: MIT
// Two tables that are not of TPC-H: the log of a web server (long, skewed strings) and readings of
// sensors (numbers that change slowly, with gaps).
#pragma once

#include <memory>

#include "corpora/table_generator.h"

namespace presso::corpora {

/// 5,000,000 rows at scale factor 1. Sessions run inside groups of 16,384 rows: a row costs the
/// rows of its group before it, unless it follows the last row made.
std::unique_ptr<TableGenerator> make_web_log(std::uint64_t hundredths);

/// 10,000,000 rows at scale factor 1.
std::unique_ptr<TableGenerator> make_sensor_readings(std::uint64_t hundredths);

}  // namespace presso::corpora
