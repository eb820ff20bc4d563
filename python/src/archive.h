// SPDX-License-Identifier: MIT
// Binds presso.File's native part: a compressed file, of bytes or a table, with its sizes and with
// reading at any place. Tested by python/tests/test_files.py. Memory: the index and the line facts,
// whose size follows the number of blocks.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

/// Adds the class to the module.
void bind_archive(nanobind::module_& module);

}  // namespace presso::python
