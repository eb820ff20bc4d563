// SPDX-License-Identifier: MIT
// Raises the library's errors as Python's exceptions (python/presso/errors.py has the classes).
// Tested by python/tests/test_files.py. Errors of the library are values; they become exceptions at
// this border alone.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "presso/error.h"

namespace presso::python {

/// A file name or a text of the library as a str, in which bytes that are not UTF-8 become
/// surrogates, as Python has them in names of files.
nanobind::str text_of(const std::string& bytes);

/// Throws the exception of the error's class, with block and offset. `path` is that of the file
/// that the error is about, or empty; `cause` is an exception that it comes from, or none. With the
/// GIL.
[[noreturn]] void raise(const Error& error, const std::string& path = {},
                        const nanobind::object& cause = nanobind::none());

/// Raises the error with another text than its own, for people: what is wrong with a pattern or a
/// statement that they wrote, and where.
[[noreturn]] void raise_explained(const Error& error, const std::string& text);

/// The value of the result; an error is raised.
template <class T>
T take(Result<T> result, const std::string& path = {}) {
  if (!result.ok()) raise(result.error(), path);
  return std::move(*result);
}
/// Raises the error, if there is one.
inline void check(const Status& status, const std::string& path = {}) {
  if (!status.ok()) raise(status.error(), path);
}

}  // namespace presso::python
