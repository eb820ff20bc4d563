// SPDX-License-Identifier: MIT
// --device=auto of commands that ask tables: the GPU where its rates are known on this machine and
// predict that the query takes it less time, its start included (tools/device/query_choice.h).
#pragma once

#include <cstdint>
#include <string>

#include "presso/query.h"

namespace presso::cli {

struct AutoDevice {
  bool is_gpu = false;
  bool is_predicted = false;  ///< times were compared; else there was no need to
  std::string text;           ///< "the CPU, 0.05 s against 0.41 s on the GPU": what and why
};

/// Never starts CUDA. Only where a GPU was measured and the tables are large does it read more than
/// a few small files. `options`: by which the query was prepared, gpu_rates as
/// known_gpu_query_rates() gives them. `rows`, `stored_bytes`: of all tables. What is wrong with
/// the query or its files is left to those who run it.
AutoDevice choose_device(const PreparedQuery& query, const QueryOptions& options,
                         std::uint64_t rows, std::uint64_t stored_bytes);

}  // namespace presso::cli
