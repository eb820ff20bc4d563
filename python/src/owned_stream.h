// SPDX-License-Identifier: MIT
// Makes streams of Arrow batches safe for libraries of Python. Tested by
// python/tests/test_works.py. The cost is one switch of the GIL for each batch.
#pragma once

#include <memory>
#include <vector>

#include "presso/arrow_abi.h"
#include "python/src/last.h"
#include "python/src/opened_file.h"

namespace presso::python {

/// Makes `out` a stream that passes on `inner`, which it takes; when `out` is released, `inner`
/// goes first and then the files. Whoever calls it with the interpreter's lock is without the lock
/// during the call, since threads of the stream may need it to read a file. In a process forked
/// from the one that made the stream, it returns EIO, and what it holds is left alone. `failure` is
/// set to what a call has failed with, if `inner` is a stream of the library. May throw
/// std::bad_alloc.
void own_stream(ArrowArrayStream inner, std::vector<SharedAccess> files, ArrowArrayStream& out,
                std::shared_ptr<Last<Error>> failure = {});

/// The stream of a capsule of __arrow_c_stream__(), which keeps it until it is read. Raises an
/// error if it is not such a capsule or was read already. With the GIL.
ArrowArrayStream& given_stream(nanobind::handle capsule);

/// Releases a stream that nobody has taken.
class StreamOwner {
 public:
  /// Takes the stream over.
  explicit StreamOwner(ArrowArrayStream& from) : stream(from) { from.release = nullptr; }
  ~StreamOwner();
  StreamOwner(const StreamOwner&) = delete;
  StreamOwner& operator=(const StreamOwner&) = delete;

  ArrowArrayStream stream;
};

}  // namespace presso::python
