// SPDX-License-Identifier: MIT
// The module presso._native: what the package's own Python (tools/python/presso) is built on.
#include <nanobind/nanobind.h>

#include "presso/cpu.h"
#include "tools/python/src/archive.h"
#include "tools/python/src/compress.h"
#include "tools/python/src/gil.h"
#include "tools/python/src/gpu_library.h"
#include "tools/python/src/gpu_query.h"
#include "tools/python/src/interruptible.h"
#include "tools/python/src/opened_file.h"
#include "tools/python/src/query.h"
#include "tools/python/src/scan.h"

namespace nb = nanobind;

NB_MODULE(_native, module) {
  // Objects that live at the interpreter's end are no news to users.
  nb::set_leak_warnings(false);
  presso::python::find_main_thread();
  module.doc() = "presso's library; use the package presso.";
  module.attr("version") = PRESSO_VERSION;
  module.def("end_works", &presso::python::end_works,
             "For atexit: ends what runs, and waits for that.");
  presso::python::bind_opened_file(module);
  presso::python::bind_archive(module);
  presso::python::bind_scan(module);
  presso::python::bind_query(module);
  presso::python::bind_compress(module);
  presso::python::bind_gpu_library(module);
  presso::python::bind_gpu_query(module);
}
