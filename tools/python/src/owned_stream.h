// SPDX-License-Identifier: MIT
// A stream of Arrow batches together with the files that it reads.
#pragma once

#include <memory>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/byte_stream.h"

namespace presso::python {

/// `out` is the same stream as `inner`, which it takes; when it is released, `inner` goes first and
/// then the files. May throw std::bad_alloc.
void own_files(ArrowArrayStream inner, std::vector<std::shared_ptr<const RandomAccess>> files,
               ArrowArrayStream& out);

}  // namespace presso::python
