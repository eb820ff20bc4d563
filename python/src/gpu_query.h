// SPDX-License-Identifier: MIT
// Binds queries that are answered on a GPU. The calls of the Python class Query are kept as steps
// and handed to the library of presso-gpu when an answer is wanted. Tested by
// python/tests/test_gpu.py. A clause that has no step is declined by an UnsupportedError
// that names it.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_gpu_query(nanobind::module_& module);

}  // namespace presso::python
