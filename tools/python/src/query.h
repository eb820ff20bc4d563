// SPDX-License-Identifier: MIT
// presso.Query and presso.sql(): questions asked of tables, answered as Arrow batches.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_query(nanobind::module_& module);

}  // namespace presso::python
