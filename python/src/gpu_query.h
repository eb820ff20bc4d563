// SPDX-License-Identifier: MIT
// Questions asked of tables on a GPU.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_gpu_query(nanobind::module_& module);

}  // namespace presso::python
