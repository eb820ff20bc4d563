// SPDX-License-Identifier: MIT
// presso.File: a compressed file, of bytes or a table.
#pragma once

#include <nanobind/nanobind.h>

namespace presso::python {

void bind_archive(nanobind::module_& module);

}  // namespace presso::python
