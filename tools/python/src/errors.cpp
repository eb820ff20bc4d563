// SPDX-License-Identifier: MIT
#include "tools/python/src/errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>

namespace presso::python {
namespace nb = nanobind;
namespace {

nb::object number_or_none(std::uint64_t number) {
  return number == Error::kNone ? nb::none() : nb::object(nb::int_(number));
}

[[noreturn]] void raise_with(const Error& error, const std::string& text, const std::string& path) {
  const nb::object made =
      nb::module_::import_("presso.errors")
          .attr("error_of")(static_cast<int>(error.code), text, number_or_none(error.block),
                            number_or_none(error.byte_offset), path);
  PyErr_SetObject(made.type().ptr(), made.ptr());
  throw nb::python_error();
}

}  // namespace

void raise(const Error& error, const std::string& path) {
  raise_with(error, path.empty() ? error.text() : path + ": " + error.text(), path);
}

void raise_explained(const Error& error, const std::string& text) {
  raise_with(error, text, {});
}

}  // namespace presso::python
