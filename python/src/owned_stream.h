// SPDX-License-Identifier: MIT
// Streams of Arrow batches as libraries of Python read them.
#pragma once

#include <memory>
#include <vector>

#include "presso/arrow_abi.h"
#include "python/src/last.h"
#include "python/src/opened_file.h"

namespace presso::python {

/// `out` is the same stream as `inner`, which it takes; when it is released, `inner` goes first and
/// then the files. Who calls it with the interpreter's lock is without it meanwhile, as threads of
/// the stream may need it to read a file. In a process forked from the one that made it, it gives
/// EIO, and what it holds stays. `failure` gets what a call has failed with, where `inner` is a
/// stream of the library. May throw std::bad_alloc.
void own_stream(ArrowArrayStream inner, std::vector<SharedAccess> files, ArrowArrayStream& out,
                std::shared_ptr<Last<Error>> failure = {});

/// The stream of a capsule of __arrow_c_stream__(), which keeps it until it is read. Raises what is
/// wrong with it. With the GIL.
ArrowArrayStream& given_stream(nanobind::handle capsule);

/// Releases a stream that nobody has taken.
class StreamOwner {
 public:
  /// Takes it.
  explicit StreamOwner(ArrowArrayStream& from) : stream(from) { from.release = nullptr; }
  ~StreamOwner();
  StreamOwner(const StreamOwner&) = delete;
  StreamOwner& operator=(const StreamOwner&) = delete;

  ArrowArrayStream stream;
};

}  // namespace presso::python
