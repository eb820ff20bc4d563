// SPDX-License-Identifier: MIT
// The module presso._native, on which the package's own Python (python/presso) is built. It is not
// for users; its functions take arguments that the Python code has checked. A user of presso never
// imports it. Everything that takes long releases the GIL. Tested by the whole of python/tests.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "presso/cpu.h"
#include "python/src/archive.h"
#include "python/src/compress.h"
#include "python/src/gil.h"
#include "python/src/gpu_library.h"
#include "python/src/gpu_query.h"
#include "python/src/interruptible.h"
#include "python/src/line_rules.h"
#include "python/src/opened_file.h"
#include "python/src/query.h"
#include "python/src/scan.h"
#include "tools/process.h"

namespace nb = nanobind;

namespace {

/// Runs the command in this process, with its signals and outputs. Returns the exit status. The GIL
/// is released and not needed again, because python/presso/__main__.py ends the process.
int run_command(const std::vector<nb::bytes>& arguments) {
  std::vector<std::string> strings;
  for (const nb::bytes& one : arguments) strings.emplace_back(one.c_str(), one.size());
  const nb::gil_scoped_release released;
  return presso::cli::run_process(strings);
}

}  // namespace

NB_MODULE(_native, module) {
  // Objects that live when the interpreter ends are no news to users, so nanobind does not warn.
  nb::set_leak_warnings(false);
  // This thread imports the module; the main one is asked for by name, as they may differ.
  presso::python::find_main_thread();
  module.doc() = "presso's library; use the package presso.";
  module.attr("version") = PRESSO_VERSION;
  module.attr("cpu_level") = nb::cast(presso::name(presso::cpu_level()));
  module.attr("cpu_features") = nb::tuple(nb::cast(presso::cpu_features()));
  module.def("run_command", &run_command, nb::arg("arguments"),
             "The presso command, for a process that does nothing else: takes its signals, writes "
             "to its standard output. `arguments`: without the program's name. Its exit status.");
  module.def("end_works", &presso::python::end_works,
             "For atexit: ends what runs, and waits for that.");
  presso::python::bind_opened_file(module);
  presso::python::bind_archive(module);
  presso::python::bind_line_rules(module);
  presso::python::bind_scan(module);
  presso::python::bind_query(module);
  presso::python::bind_compress(module);
  presso::python::bind_gpu_library(module);
  presso::python::bind_gpu_query(module);
}
