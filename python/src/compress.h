// SPDX-License-Identifier: MIT
// Compressing and decompressing buffers and files, and tables from Arrow's streams.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_compress(nanobind::module_& module);

}  // namespace presso::python
