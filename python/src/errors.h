// SPDX-License-Identifier: MIT
// Errors of the library as Python's exceptions (python/presso/errors.py).
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "presso/error.h"

namespace presso::python {

/// A name of a file or a text of the library, in which bytes that are no UTF-8 are surrogates, as
/// Python has them in names of files.
nanobind::str text_of(const std::string& bytes);

/// Throws the exception of the error's class, with block and offset; `path`: of the file that it is
/// about, or empty; `cause`: an exception that it comes from, or none. With the GIL.
[[noreturn]] void raise(const Error& error, const std::string& path = {},
                        const nanobind::object& cause = nanobind::none());

/// The same with another text than the error's own, for people: what is wrong with a pattern or a
/// statement that they wrote, with its place.
[[noreturn]] void raise_explained(const Error& error, const std::string& text);

/// The value, or raise().
template <class T>
T take(Result<T> result, const std::string& path = {}) {
  if (!result.ok()) raise(result.error(), path);
  return std::move(*result);
}
inline void check(const Status& status, const std::string& path = {}) {
  if (!status.ok()) raise(status.error(), path);
}

}  // namespace presso::python
