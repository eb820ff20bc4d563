// SPDX-License-Identifier: MIT
// presso.scan(): a search in files, whose lines come as Arrow batches, one by one, or counted.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_scan(nanobind::module_& module);

}  // namespace presso::python
