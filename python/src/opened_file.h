// SPDX-License-Identifier: MIT
// Files that are read at any place: those of the system, and Python objects that can read ranges
// (python/presso/_files.py makes these of file objects and of fsspec's file systems). Tested by
// python/tests/test_files.py. It declines pipes and devices, which cannot be read at any place.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "presso/byte_stream.h"
#include "python/src/errors.h"

namespace presso::python {

/// The access to a file's bytes. If Python code reads the file, this keeps what that code raises.
class FileAccess : public RandomAccess {
 public:
  /// Raises what a read has raised if it is no Exception but, for example, KeyboardInterrupt. With
  /// the GIL.
  virtual void raise_interrupt() const {}
  /// The exception of the read that gave this error, or none. With the GIL.
  virtual nanobind::object cause_of(const Error&) const { return nanobind::none(); }
  /// Its last change in nanoseconds since 1970; nullopt: not known.
  virtual std::optional<std::int64_t> modified() const { return std::nullopt; }
  /// The Python object that reads the file, or none. With the GIL.
  virtual nanobind::object reader() const { return nanobind::none(); }
};
using SharedAccess = std::shared_ptr<const FileAccess>;

/// A file to be read. Immutable; several threads may read it.
struct OpenedFile {
  std::string name;     ///< for messages
  SharedAccess access;  ///< nullptr: a path that is opened when its turn comes
  std::string path;
  std::string url = {};  ///< of fsspec's, or empty

  /// The access, or the opened path. Errors: kIo, kInvalidArgument.
  Result<SharedAccess> open() const;
};

/// Raises the error with the file's name, and with what a read has raised as its cause.
[[noreturn]] void raise(const Error& error, const OpenedFile& file);

/// The value of work that has read one file; an error is raised.
template <class T>
T take(Result<T> result, const OpenedFile& file) {
  // An interrupt comes first, whatever became of the work.
  if (file.access != nullptr) file.access->raise_interrupt();
  if (!result.ok()) raise(result.error(), file);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Whether it is a table, by its first bytes. Errors are those of reading.
Result<bool> is_table(const RandomAccess& file);

/// How many bytes at a file's end its index and line facts are likely to take. `begun` are its
/// first bytes, or empty.
std::uint64_t tail_bytes(Bytes begun, std::uint64_t size);
/// Where the index begins in a file that ends with the bytes `end`; `size`, the file's own, if that
/// is no trailer.
std::uint64_t index_offset(Bytes end, std::uint64_t size);

/// The bytes of a path or a name.
std::string bytes_of(const nanobind::bytes& bytes);

void bind_opened_file(nanobind::module_& module);

}  // namespace presso::python
