// SPDX-License-Identifier: MIT
// The functions of ArrowArrayStream around a StreamSource. C callers cannot take exceptions, so
// running out of memory becomes an errno number here.
#include "decompress/arrow/stream_frame.h"

#include <cerrno>
#include <string>
#include <utility>

namespace presso {
namespace {

int errno_of(ErrorCode code) {
  if (code == ErrorCode::kOutOfMemory) return ENOMEM;
  if (code == ErrorCode::kCancelled) return ECANCELED;
  return code == ErrorCode::kInvalidArgument ? EINVAL : EIO;
}

/// What the stream's private_data points to. Not for several threads, like every C stream.
class Stream {
 public:
  explicit Stream(std::unique_ptr<StreamSource> source) : source_(std::move(source)) {}

  int get_schema(ArrowSchema& out) {
    out = {};
    return answer(without_bad_alloc([&]() -> Status {
      PRESSO_ASSIGN(const TableSchema* const schema, source_->schema());
      return export_schema(*schema, out, source_->coded());
    }));
  }

  int get_next(ArrowArray& out) {
    out = {};
    return answer(without_bad_alloc([&] { return source_->next(out); }));
  }

  const char* last_error() const { return text_.empty() ? nullptr : text_.c_str(); }
  const Error* error() const { return status_.ok() ? nullptr : &status_.error(); }

 private:
  /// Keeps the error and its text for get_last_error(), which must stay valid until the next
  /// call.
  int answer(Status status) {
    if (status.ok()) return 0;
    status_ = std::move(status);
    try {
      text_ = status_.error().text();
    } catch (const std::bad_alloc&) {
      text_.clear();
    }
    return errno_of(status_.error().code);
  }

  std::unique_ptr<StreamSource> source_;
  Status status_;
  std::string text_;
};

Stream& stream_of(const ArrowArrayStream* stream) {
  return *static_cast<Stream*>(stream->private_data);
}

}  // namespace

/// For our own callers: the error with its code, or nullptr.
const Error* stream_error(const ArrowArrayStream& stream) {
  return stream_of(&stream).error();
}

void open_stream(std::unique_ptr<StreamSource> source, ArrowArrayStream& out) {
  out = {};
  out.private_data = new Stream(std::move(source));
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
}

}  // namespace presso
