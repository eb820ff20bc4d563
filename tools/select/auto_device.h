// SPDX-License-Identifier: MIT
// The choice of --device=auto for commands that query tables: the GPU, if its rates are known on
// this machine and predict that the query takes it less time, its start included
// (tools/device/query_choice.h). Tested by tests/cli/test_device.py.
#pragma once

#include <cstdint>
#include <string>

#include "presso/query.h"

namespace presso::cli {

/// A choice, and the text that says why.
struct AutoDevice {
  bool is_gpu = false;
  bool is_predicted = false;  ///< times were compared; else there was no need to
  std::string text;           ///< "the CPU, 0.05 s against 0.41 s on the GPU": what and why
};

/// Chooses the device of a prepared query. It never starts CUDA, and reads more than a few small
/// files only if a GPU was measured and the tables are large. `options` are those by which the
/// query was prepared, with gpu_rates as known_gpu_query_rates() gives them; `rows` and
/// `stored_bytes` are those of all tables; `code_cache`: compiled code may be kept from queries
/// before. Errors of the query or its files are left to those who
/// run it.
AutoDevice choose_device(const PreparedQuery& query, const QueryOptions& options,
                         std::uint64_t rows, std::uint64_t stored_bytes, bool code_cache);

}  // namespace presso::cli
