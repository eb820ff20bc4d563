// SPDX-License-Identifier: MIT
// Binds presso.scan(): a search in files whose lines come as Arrow batches, one by one, or only
// counted. Tested by python/tests/test_scan.py and test_partitions.py. It declines columns that are
// named twice and parts that belong to another file.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_scan(nanobind::module_& module);

}  // namespace presso::python
