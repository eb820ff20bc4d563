// SPDX-License-Identifier: MIT
// Counting the lines of a text in device memory that hold one of a few literals of up to eight
// bytes together, enqueued on a stream, at a speed that no text changes; as literal_scan.h
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/error.h"
#include "scan/gpu/literals/plane_table.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

struct PlaneScanRequest {
  const Byte* d_text = nullptr;  ///< 16-byte aligned, whole lines; nothing outside is read
  std::uint64_t bytes = 0;
  PlaneTableView table;              ///< of lay_out_planes()
  std::uint64_t* d_lines = nullptr;  ///< the number of matching lines is added
  void* d_temporary = nullptr;
  std::size_t temporary_bytes = 0;
};

std::size_t plane_scan_temporary_bytes(std::uint64_t text_bytes);

/// Errors: kInvalidArgument (memory too small or misaligned), kNoDevice, kDeviceLost.
Status scan_planes(const PlaneScanRequest& request, CUstream_st* stream);

}  // namespace presso::gpu
