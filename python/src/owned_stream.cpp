// SPDX-License-Identifier: MIT
// Consumers of Arrow's streams call them with or without the GIL, on any thread, and after a fork;
// this file makes all of that safe. Tested by python/tests/test_works.py and
// python/tests/test_leaks.py.
#include "python/src/owned_stream.h"

#include <cerrno>
#include <memory>
#include <utility>

#include "presso/arrow.h"
#include "python/src/gil.h"

namespace presso::python {
namespace {

/// The stream that is passed on, and the files that it needs.
struct Owner {
  ~Owner() { inner.release(&inner); }

  /// Passes a result on, and keeps the error for raise_failure().
  int answered(int result) {
    if (result != 0 && failure != nullptr) failure->set(*stream_error(inner));
    return result;
  }

  std::vector<SharedAccess> files;
  ArrowArrayStream inner;
  std::shared_ptr<Last<Error>> failure;
  DeleteInItsProcess process = {};
};

/// The object that a stream's pointer leads to.
Owner& owner_of(ArrowArrayStream* stream) {
  return *static_cast<Owner*>(stream->private_data);
}

}  // namespace

/// Fills `out` with a stream that owns `inner` and keeps the files open. Its callbacks work without
/// the interpreter's lock, and fail in a forked process, which has none of the stream's threads.
void own_stream(ArrowArrayStream inner, std::vector<SharedAccess> files, ArrowArrayStream& out,
                std::shared_ptr<Last<Error>> failure) {
  out.private_data = new Owner{std::move(files), inner, std::move(failure)};
  out.get_schema = [](ArrowArrayStream* self, ArrowSchema* to) {
    Owner& owner = owner_of(self);
    if (!owner.process.is_here()) return EIO;
    const GilReleased released;
    return owner.answered(owner.inner.get_schema(&owner.inner, to));
  };
  out.get_next = [](ArrowArrayStream* self, ArrowArray* to) {
    Owner& owner = owner_of(self);
    if (!owner.process.is_here()) return EIO;
    const GilReleased released;
    return owner.answered(owner.inner.get_next(&owner.inner, to));
  };
  out.get_last_error = [](ArrowArrayStream* self) {
    Owner& owner = owner_of(self);
    if (!owner.process.is_here()) return "the stream was made by another process";
    return owner.inner.get_last_error(&owner.inner);
  };
  // The release waits for the threads of the stream, which may need the GIL to end.
  out.release = [](ArrowArrayStream* self) {
    Owner& owner = owner_of(self);
    self->release = nullptr;
    const GilReleased released;
    owner.process(&owner);
  };
}

/// Waits for the stream's threads without the GIL.
StreamOwner::~StreamOwner() {
  const GilReleased released;
  if (stream.release != nullptr) stream.release(&stream);
}

/// The stream in a capsule that Python code has given. Raises ArgumentError where it was read
/// before. The name of the capsule is checked, so that another object is an error and no crash.
ArrowArrayStream& given_stream(nanobind::handle capsule) {
  auto* const given =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (given == nullptr) throw nanobind::python_error();
  if (given->release == nullptr) {
    raise(make_error(ErrorCode::kInvalidArgument, "the stream has been read already"));
  }
  return *given;
}

}  // namespace presso::python
