// SPDX-License-Identifier: MIT
// Files that are read at any place: of the system, or objects of Python that can read ranges
// (presso/_files.py makes these of file objects and of fsspec's file systems).
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "presso/byte_stream.h"
#include "python/src/errors.h"

namespace presso::python {

/// What a file is read by. Where Python's code reads it, it keeps what that raises.
class FileAccess : public RandomAccess {
 public:
  /// Raises what that was where it is no Exception but, for example, KeyboardInterrupt. With the
  /// GIL.
  virtual void raise_interrupt() const {}
  /// What a read has raised that gave this error, or none. With the GIL.
  virtual nanobind::object cause_of(const Error&) const { return nanobind::none(); }
  /// Python's object that reads it, or none. With the GIL.
  virtual nanobind::object reader() const { return nanobind::none(); }
};
using SharedAccess = std::shared_ptr<const FileAccess>;

/// Immutable; may be read by several threads.
struct OpenedFile {
  std::string name;     ///< for messages
  SharedAccess access;  ///< nullptr: a path that is opened when its turn comes
  std::string path;
  std::string url = {};  ///< of fsspec's, or empty

  /// `access`, or opens the path. Errors: kIo, kInvalidArgument.
  Result<SharedAccess> open() const;
};

/// The same as raise() of the file's name, with what a read has raised.
[[noreturn]] void raise(const Error& error, const OpenedFile& file);

/// The value of work that has read one file, or raise().
template <class T>
T take(Result<T> result, const OpenedFile& file) {
  // Whatever became of the work.
  if (file.access != nullptr) file.access->raise_interrupt();
  if (!result.ok()) raise(result.error(), file);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Whether it is a table, by its first bytes. Errors: those of reading.
Result<bool> is_table(const RandomAccess& file);

/// How much of a file's end its index and line facts are likely to take. `begun`: its first bytes,
/// or empty.
std::uint64_t tail_bytes(Bytes begun, std::uint64_t size);
/// Where the index begins in a file that ends with `end`; `size`, its own, where that is no
/// trailer.
std::uint64_t index_offset(Bytes end, std::uint64_t size);

/// The bytes of a path or a name.
std::string bytes_of(const nanobind::bytes& bytes);

void bind_opened_file(nanobind::module_& module);

}  // namespace presso::python
