// SPDX-License-Identifier: MIT
// The classes are looked up when an error is raised; this module holds none of them. Tested by
// python/tests/test_files.py.
#include "python/src/errors.h"

#include <cstdint>

namespace presso::python {
namespace nb = nanobind;
namespace {

/// The number as an int, or None for Error::kNone.
nb::object number_or_none(std::uint64_t number) {
  return number == Error::kNone ? nb::none() : nb::object(nb::int_(number));
}

/// Raises the Python exception for the error's code, with its place and what caused it.
[[noreturn]] void raise_with(const Error& error, const std::string& text, const std::string& path,
                             const nb::object& cause) {
  const nb::object made = nb::module_::import_("presso.errors")
                              .attr("error_of")(static_cast<int>(error.code), text_of(text),
                                                number_or_none(error.block),
                                                number_or_none(error.byte_offset), text_of(path));
  // The cause appears in tracebacks above the error, as with `raise ... from`.
  if (!cause.is_none()) PyException_SetCause(made.ptr(), nb::object(cause).release().ptr());
  PyErr_SetObject(made.type().ptr(), made.ptr());
  throw nb::python_error();
}

}  // namespace

/// Text for Python. Bytes that are not UTF-8 become surrogates, as in paths.
nb::str text_of(const std::string& bytes) {
  PyObject* const made =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

// The file's name comes first, as in messages of the command.
void raise(const Error& error, const std::string& path, const nb::object& cause) {
  raise_with(error, path.empty() ? error.text() : path + ": " + error.text(), path, cause);
}

void raise_explained(const Error& error, const std::string& text) {
  raise_with(error, text, {}, nb::none());
}

}  // namespace presso::python
