// SPDX-License-Identifier: MIT
// Queries on a GPU (presso/query.h): blocks of the columns that a query names are copied there as
// they are stored, decoded in registers, tested, computed with and added up, without coming back.
// Needs no CUDA header.
//
//   presso::QueryOptions options;
//   PRESSO_ASSIGN(options.device, presso::gpu::open_query_gpu());
//   query.run(options, sink);
//
// Conditions on numbers, dates and dictionaries, joins by numbers, and groups are answered there;
// the CPU does the rest, with the same answer (docs/gpu.md lists it). QuerySummary says what was
// done where. Tested by tests/queries in an emulator, and by
// tests/gpu/query_on_device_test.cpp on a GPU.
#pragma once

#include <cstdint>
#include <memory>

#include "presso/query.h"

namespace presso::gpu {

/// The device, and how much memory may be used.
struct QueryGpuOptions {
  int device = 0;  ///< as list_devices() counts
  /// Bytes of memory on the GPU; 0: whatever is free. Up to 4 GiB, and at most a sixteenth of the
  /// device's memory, are kept from one query to the next while the device is open.
  std::uint64_t max_device_bytes = 0;
  std::uint64_t max_pinned_bytes = 0;  ///< of page-locked host memory; 0: no limit
  /// Whether compiled code is looked for, and kept, in the user's cache on disk (docs/gpu.md).
  bool code_cache = true;
};

/// Starts CUDA on the device, if this process has not yet. The device may serve several queries,
/// one after another. Errors: kNoDevice, kDeviceMemory, kDeviceLost; kInvalidArgument if the device
/// does not exist.
Result<std::shared_ptr<QueryDevice>> open_query_gpu(const QueryGpuOptions& options = {});

/// Runs the query with `options.device`, which must come from open_query_gpu(), and hands out its
/// answer in that device's memory, by Arrow's C device data interface. The columns have the layout
/// of Query::run() to an ArrowArrayStream. The query runs from the first get_next() until the end
/// of the answer, or until the release of `out` ends it; the device answers no other query during
/// that time.
///
/// In each batch, device_type is ARROW_DEVICE_CUDA, device_id the device as list_devices() counts,
/// and sync_event points to a cudaEvent_t that belongs to the batch: work that reads the batch
/// waits for this event first (cudaStreamWaitEvent). Rows and groups are put in order on the host
/// today, so batches come from there by a copy that get_next() enqueues. A batch's memory, which
/// counts for QueryGpuOptions::max_device_bytes, is given back when its array and all arrays that
/// were moved out of it have been released; no work may read it afterwards. Batches keep the device
/// alive and may outlive the stream.
///
/// get_schema() and get_next() return 0, ENOMEM (also for memory on the device), EINVAL, ECANCELED
/// or EIO, and get_last_error() the text. Errors of this call: kInvalidArgument for another device,
/// those of Query::schema(), kDeviceLost.
Status run_on(const Query& query, const QueryOptions& options, ArrowDeviceArrayStream& out);

}  // namespace presso::gpu
