// SPDX-License-Identifier: MIT
// The suite of columns on a GPU.
#include "tests/gpu/device_columns.h"

namespace presso::gpu::test {

ColumnBackend& column_backend() {
  static DeviceColumnBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
