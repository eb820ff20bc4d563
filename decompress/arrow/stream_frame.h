// SPDX-License-Identifier: MIT
// An ArrowArrayStream (Arrow's C stream interface) over any StreamSource: its functions, errors as
// errno numbers with a text, and its release. Tables (arrow_stream.cpp) and answers of queries are
// handed over so. Tested by tests/unit/decompress/arrow/export_test.cpp.
#pragma once

#include <memory>

#include "presso/arrow.h"

namespace presso {

/// Makes a stream's batches. The stream's release destroys it.
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  /// Valid as long as this object.
  virtual Result<const TableSchema*> schema() = 0;
  /// Which columns are dictionaries, as export_schema() takes it.
  virtual std::vector<bool> coded() const { return {}; }
  /// Fills `out` with the next batch. At the end, and whenever it is called after that, it
  /// leaves `out` as it is, which means released. After an error it returns the same error
  /// again. May throw std::bad_alloc.
  virtual Status next(ArrowArray& out) = 0;
};

/// The functions of `out` return 0, ENOMEM, EINVAL (kInvalidArgument), ECANCELED or EIO. May
/// throw std::bad_alloc.
void open_stream(std::unique_ptr<StreamSource> source, ArrowArrayStream& out);

}  // namespace presso
