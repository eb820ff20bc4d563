// SPDX-License-Identifier: MIT
#include "tools/python/src/owned_stream.h"

#include <utility>

namespace presso::python {
namespace {

struct Owner {
  ArrowArrayStream inner;
  std::vector<std::shared_ptr<const RandomAccess>> files;
};

ArrowArrayStream* inner_of(ArrowArrayStream* stream) {
  return &static_cast<Owner*>(stream->private_data)->inner;
}

}  // namespace

void own_files(ArrowArrayStream inner, std::vector<std::shared_ptr<const RandomAccess>> files,
               ArrowArrayStream& out) {
  auto owner = std::make_unique<Owner>(Owner{inner, std::move(files)});
  out.get_schema = [](ArrowArrayStream* self, ArrowSchema* to) {
    return inner_of(self)->get_schema(inner_of(self), to);
  };
  out.get_next = [](ArrowArrayStream* self, ArrowArray* to) {
    return inner_of(self)->get_next(inner_of(self), to);
  };
  out.get_last_error = [](ArrowArrayStream* self) {
    return inner_of(self)->get_last_error(inner_of(self));
  };
  out.release = [](ArrowArrayStream* self) {
    const std::unique_ptr<Owner> held(static_cast<Owner*>(self->private_data));
    held->inner.release(&held->inner);
    self->release = nullptr;
  };
  out.private_data = owner.release();
}

}  // namespace presso::python
