// SPDX-License-Identifier: MIT
// Queries on a GPU (presso/query.h): blocks of the columns that are named go there as they are
// stored, are decoded in registers and tested, computed and added up without coming back. Needs no
// CUDA header.
//
//   presso::QueryOptions options;
//   PRESSO_ASSIGN(options.device, presso::gpu::open_query_gpu());
//   query.run(options, sink);
//
// Conditions on numbers, dates and dictionaries, joins by numbers, and groups are answered there;
// the rest is the CPU's, for the same answer (docs/select.md and docs/join.md say what that is).
// QuerySummary says what was done where.
#pragma once

#include <cstdint>
#include <memory>

#include "presso/query.h"

namespace presso::gpu {

struct QueryGpuOptions {
  int device = 0;                      ///< as list_devices() counts
  std::uint64_t max_device_bytes = 0;  ///< of memory on the GPU; 0: no limit
  std::uint64_t max_pinned_bytes = 0;  ///< of page-locked host memory; 0: no limit
};

/// Starts CUDA on the device, if this process has not yet. The device may serve several queries,
/// one after another. Errors: kNoDevice, kDeviceMemory, kDeviceLost; kInvalidArgument where there
/// is no such device.
Result<std::shared_ptr<QueryDevice>> open_query_gpu(const QueryGpuOptions& options = {});

}  // namespace presso::gpu
