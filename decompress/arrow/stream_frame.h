// SPDX-License-Identifier: MIT
// What all C streams of batches have in common, whatever their batches come from: the four
// functions, errors as errno numbers with their text, the release.
// Tested by tests/unit/decompress/arrow/export_test.cpp.
#pragma once

#include <memory>

#include "presso/arrow.h"

namespace presso {

/// Where a stream's batches come from. It is destroyed by the stream's release.
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  /// Valid as long as this.
  virtual Result<const TableSchema*> schema() = 0;
  /// Which of its columns are dictionaries, as export_schema() wants it.
  virtual std::vector<bool> coded() const { return {}; }
  /// Leaves `out` as it is, released, at the end, and whenever it is called after that; after an
  /// error gives the same one. May throw std::bad_alloc.
  virtual Status next(ArrowArray& out) = 0;
};

/// Functions of `out` give 0, ENOMEM, EINVAL (kInvalidArgument), ECANCELED or EIO. May throw
/// std::bad_alloc.
void open_stream(std::unique_ptr<StreamSource> source, ArrowArrayStream& out);

}  // namespace presso
