// SPDX-License-Identifier: MIT
// Wraps Arrow's C structs in the capsules by which Python libraries hand them to each other (the
// Arrow PyCapsule interface). Tested by python/tests/test_tables.py and python/tests/test_leaks.py.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "presso/arrow_abi.h"

namespace presso::python {

/// Makes a capsule. `fill(struct)` sets the struct, which a capsule of that name then owns: if
/// nobody has taken it, its release is called when the capsule goes. With the GIL.
template <class Struct, class Fill>
nanobind::object capsule_of(const char* name, const Fill& fill) {
  auto made = std::make_unique<Struct>();
  *made = {};
  fill(*made);
  // Whoever takes the struct sets its `release` to null, so that it is called once.
  PyObject* const capsule = PyCapsule_New(made.get(), name, [](PyObject* self) {
    auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) {
    if (made->release != nullptr) made->release(made.get());
    throw nanobind::python_error();
  }
  made.release();
  return nanobind::steal(capsule);
}

/// A capsule named as the interface of Arrow asks for streams.
template <class Fill>
nanobind::object stream_capsule(const Fill& fill) {
  return capsule_of<ArrowArrayStream>("arrow_array_stream", fill);
}
/// A capsule named as the interface of Arrow asks for schemas.
template <class Fill>
nanobind::object schema_capsule(const Fill& fill) {
  return capsule_of<ArrowSchema>("arrow_schema", fill);
}

}  // namespace presso::python
