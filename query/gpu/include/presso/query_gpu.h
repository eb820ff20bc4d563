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
// the rest is the CPU's, for the same answer (docs/gpu.md says what that is).
// QuerySummary says what was done where.
#pragma once

#include <cstdint>
#include <memory>

#include "presso/query.h"

namespace presso::gpu {

struct QueryGpuOptions {
  int device = 0;  ///< as list_devices() counts
  /// Of memory on the GPU, in bytes; 0: whatever is free. Up to 4 GiB, and a sixteenth of the
  /// device's memory at most, are kept from one query to the next, as long as the device is open.
  std::uint64_t max_device_bytes = 0;
  std::uint64_t max_pinned_bytes = 0;  ///< of page-locked host memory; 0: no limit
};

/// Starts CUDA on the device, if this process has not yet. The device may serve several queries,
/// one after another. Errors: kNoDevice, kDeviceMemory, kDeviceLost; kInvalidArgument where there
/// is no such device.
Result<std::shared_ptr<QueryDevice>> open_query_gpu(const QueryGpuOptions& options = {});

/// Runs the query with `options.device`, which open_query_gpu() has given, and hands out its answer
/// in that device's memory, by Arrow's C device data interface: the columns have the layout of
/// Query::run() to an ArrowArrayStream. The query runs from the first get_next() until the end of
/// the answer, or until the release of `out` ends it: as long the device answers no other one.
///
/// Of each batch, device_type is ARROW_DEVICE_CUDA, device_id the device as list_devices() counts,
/// and sync_event points to a cudaEvent_t that belongs to the batch: work that reads it waits for
/// this event first (cudaStreamWaitEvent). Rows and groups are put in order on the host today, so
/// that batches come from there by a copy that get_next() enqueues. A batch's memory, which counts
/// for QueryGpuOptions::max_device_bytes, is given back when its array and all arrays that were
/// moved out of it have been released; then no work may read it any more. Batches keep the device,
/// and may outlive the stream.
///
/// get_schema() and get_next() give 0, ENOMEM (also for memory on the device), EINVAL, ECANCELED or
/// EIO, and get_last_error() the text. Errors here: kInvalidArgument for another device, those of
/// Query::schema(), kDeviceLost.
Status run_on(const Query& query, const QueryOptions& options, ArrowDeviceArrayStream& out);

}  // namespace presso::gpu
