// SPDX-License-Identifier: MIT
// Binds the functions that compress and decompress buffers and files, and that write tables from
// Arrow's streams. Tested by python/tests/test_works.py and test_tables.py. It declines streams of
// types that a table cannot store.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_compress(nanobind::module_& module);

}  // namespace presso::python
