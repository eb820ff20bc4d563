// SPDX-License-Identifier: MIT
// Files that are read at any place: of the system, or objects of Python that can read ranges
// (presso/_files.py makes these of file objects and of fsspec's file systems).
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "presso/byte_stream.h"

namespace presso::python {

/// Immutable; may be read by several threads.
struct OpenedFile {
  std::string name;  ///< for messages
  std::shared_ptr<const RandomAccess> access;
};

/// A regular file. Errors: kIo, kInvalidArgument.
Result<OpenedFile> open_path(const std::string& path);
/// An object with read_range(offset, length), which gives bytes; of `size` bytes. It is called with
/// the GIL, by one thread at a time. What it raises, and another length than was asked for, is kIo.
OpenedFile open_object(nanobind::object reader, std::uint64_t size, std::string name);

void bind_opened_file(nanobind::module_& module);

}  // namespace presso::python
