// SPDX-License-Identifier: MIT
// Numbers of the rows of row groups that store their strings as bytes, which kernels do not read:
// the CPU decodes them on their way to the device, by all threads, a block of text at a time, and
// the device looks them up or puts them into an index. Tested by
// tests/simt/query_string_keys_on_gpu_test.cpp.
#pragma once

#include "scan/gpu/table/numbered_column.h"
#include "scan/gpu/table/string_index.h"
#include "scan/query/execution.h"

namespace presso::gpu {

/// Of such row groups of the column alone. All but `to` and `index` are kept by reference until it
/// returns; what is read counts for `execution`. Waits for the device, whatever comes of it.
///
/// Errors: those of reading, as a CPU reports them; kUnsupported where there may be too little
/// device memory; kCancelled, kDeviceMemory, kOutOfMemory, kDeviceLost.
Status number_byte_rows(const RunSpace& space, query::Execution& execution,
                        const TableColumn& column, const NumbersTo& to, const StringIndex& index);

}  // namespace presso::gpu
