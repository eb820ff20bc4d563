// SPDX-License-Identifier: MIT
// Binds presso.scan(): a search in files whose lines come as Arrow batches, one by one, or only
// counted. Tested by python/tests/test_scan.py and test_partitions.py.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_scan(nanobind::module_& module);

}  // namespace presso::python
