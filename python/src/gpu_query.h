// SPDX-License-Identifier: MIT
// Binds queries that are answered on a GPU. The calls of the Python class Query are kept as steps
// and handed to the library of presso-gpu when an answer is wanted. Tested by
// python/tests/test_gpu.py. It declines clauses without a step; python/presso/_gpu.py then says
// which.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_gpu_query(nanobind::module_& module);

}  // namespace presso::python
