// SPDX-License-Identifier: MIT
// The C stream: when its batches are used up, the next ones are decoded together, one for each
// thread. Nothing runs between two calls. Tested by tests/unit/decompress/arrow/export_test.cpp.
#include <cerrno>
#include <deque>
#include <memory>
#include <string>

#include "decompress/arrow/arrow_export.h"
#include "decompress/arrow/arrow_rows.h"
#include "presso/ordered_pipeline.h"

namespace presso {
namespace {

using Columns = std::vector<ColumnData>;

class Stream {
 public:
  Stream(ArrowRows rows, unsigned threads) : rows_(std::move(rows)), threads_(threads) {}

  int get_schema(ArrowSchema& out) { return answer(export_schema(rows_.schema(), out)); }

  /// A released array is the end.
  int get_next(ArrowArray& out) {
    out = {};
    return answer(without_bad_alloc([&]() -> Status {
      if (ready_.empty() && status_.ok()) status_ = decode();
      if (ready_.empty()) return status_;
      hand_over(std::move(ready_.front()), out);
      ready_.pop_front();
      return {};
    }));
  }

  const char* last_error() const { return error_.empty() ? nullptr : error_.c_str(); }

 private:
  Status decode() {
    unsigned wanted = threads_;
    return run_ordered<ArrowRows::Batch, Result<Columns>>(
        {threads_, threads_},
        [&]() -> Result<std::optional<ArrowRows::Batch>> {
          if (wanted == 0) return std::optional<ArrowRows::Batch>();
          --wanted;
          return rows_.next();
        },
        [&](const ArrowRows::Batch& batch, unsigned) { return rows_.read(batch); },
        [&](Result<Columns> columns) -> Result<bool> {
          if (!columns.ok()) return std::move(columns.error());
          ready_.push_back(std::move(*columns));
          return true;
        });
  }

  int answer(Status status) {
    if (status.ok()) return 0;
    const bool memory = status.error().code == ErrorCode::kOutOfMemory;
    try {
      error_ = status.error().message();
    } catch (const std::bad_alloc&) {
      error_.clear();
    }
    return memory ? ENOMEM : EIO;
  }

  ArrowRows rows_;
  unsigned threads_;
  std::deque<Columns> ready_;
  Status status_;  ///< of the batch behind those that are ready
  std::string error_;
};

Stream& stream_of(ArrowArrayStream* stream) {
  return *static_cast<Stream*>(stream->private_data);
}

}  // namespace

Status export_stream(const Table& table, const ArrowOptions& options, ArrowArrayStream& out) {
  return without_bad_alloc([&]() -> Status {
    PRESSO_ASSIGN(ArrowRows rows, ArrowRows::make(table, options));
    out = {};
    out.private_data = new Stream(std::move(rows), threads_or_all(options.threads));
    out.get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
      return stream_of(stream).get_schema(*schema);
    };
    out.get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
      return stream_of(stream).get_next(*array);
    };
    out.get_last_error = [](ArrowArrayStream* stream) { return stream_of(stream).last_error(); };
    out.release = [](ArrowArrayStream* stream) {
      delete &stream_of(stream);
      stream->release = nullptr;
      stream->private_data = nullptr;
    };
    return {};
  });
}

}  // namespace presso
