// SPDX-License-Identifier: MIT
// A batch becomes arrays without a copy of its text if that is UTF-8, which a stream of text pays
// for with one pass over it. Tested by python/tests/test_scan.py and python/tests/test_leaks.py.
#include "python/src/line_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include "format/columns/utf8_check.h"

namespace presso::python {
namespace {

// The stream wakes up this often while it waits for a batch. Schemas and arrays follow the Arrow C
// data interface: each owns its memory through private_data and frees it in release().
constexpr auto kWait = std::chrono::milliseconds(100);

// --- schemas

/// The memory of a schema: its texts and its children.
struct SchemaBody {
  std::string format;
  std::string name;
  std::vector<std::unique_ptr<ArrowSchema>> owned;
  std::vector<ArrowSchema*> children;
};

/// Arrow's release callback for a schema: frees its children that nobody has taken, and itself.
void release_schema(ArrowSchema* schema) {
  const std::unique_ptr<SchemaBody> body(static_cast<SchemaBody*>(schema->private_data));
  for (ArrowSchema* const child : body->children) {
    if (child->release != nullptr) child->release(child);
  }
  schema->release = nullptr;
}

/// Fills a schema, whose texts and children live in `body` until it is released.
void make_schema(std::string format, std::string name, std::unique_ptr<SchemaBody> body,
                 ArrowSchema& out) {
  body->format = std::move(format);
  body->name = std::move(name);
  out = {};
  out.format = body->format.c_str();
  out.name = body->name.c_str();
  out.n_children = static_cast<std::int64_t>(body->children.size());
  out.children = body->children.data();
  out.release = &release_schema;
  out.private_data = body.release();
}

/// Adds an empty child, to be filled by the caller. The child does not move, as it has a place of
/// its own on the heap.
ArrowSchema& add_child(SchemaBody& parent) {
  parent.owned.push_back(std::make_unique<ArrowSchema>());
  parent.children.push_back(parent.owned.back().get());
  *parent.children.back() = {};
  return *parent.children.back();
}

/// A body for a schema that has none.
std::unique_ptr<SchemaBody> no_children() {
  return std::make_unique<SchemaBody>();
}

/// The schema of the column of spans: a list of {begin, end}. Offsets are in bytes of the line, and
/// may lie inside of a replaced character.
void make_span_schema(ArrowSchema& out) {
  auto pair = no_children();
  make_schema("l", "begin", no_children(), add_child(*pair));
  make_schema("l", "end", no_children(), add_child(*pair));
  auto list = no_children();
  make_schema("+s", "item", std::move(pair), add_child(*list));
  make_schema("+l", "spans", std::move(list), out);
}

/// The schema of one column, in Arrow's format strings. "u" is UTF-8 and "z" bytes; both have
/// offsets of 32 bits, which is why a batch is limited.
void make_column_schema(LineColumn column, bool as_text, ArrowSchema& out) {
  switch (column) {
    case LineColumn::kPath:
      return make_schema("u", "path", no_children(), out);
    case LineColumn::kLineNumber:
      return make_schema("l", "line_number", no_children(), out);
    case LineColumn::kOffset:
      return make_schema("l", "offset", no_children(), out);
    case LineColumn::kLine:
      return make_schema(as_text ? "u" : "z", "line", no_children(), out);
    case LineColumn::kSpans:
      return make_span_schema(out);
  }
}

// --- arrays

/// The memory of an array without nulls. The first buffer, which is for validity, stays empty.
struct ArrayBody {
  std::vector<std::int32_t> offsets;
  std::vector<std::int64_t> numbers;
  std::vector<Byte> bytes;
  std::vector<const void*> buffers = {nullptr};
  std::vector<std::unique_ptr<ArrowArray>> owned;
  std::vector<ArrowArray*> children;
};

/// Arrow's release callback for an array. A child that a consumer has moved away has no release
/// function any more.
void release_array(ArrowArray* array) {
  const std::unique_ptr<ArrayBody> body(static_cast<ArrayBody*>(array->private_data));
  for (ArrowArray* const child : body->children) {
    if (child->release != nullptr) child->release(child);
  }
  array->release = nullptr;
}

/// Appends an empty child array, which the parent owns.
ArrowArray& add_child(ArrayBody& parent) {
  parent.owned.push_back(std::make_unique<ArrowArray>());
  parent.children.push_back(parent.owned.back().get());
  *parent.children.back() = {};
  return *parent.children.back();
}

/// Fills an array, whose buffers live in `body` until it is released. No column has nulls.
void make_array(std::size_t length, std::unique_ptr<ArrayBody> body, ArrowArray& out) {
  out = {};
  out.length = static_cast<std::int64_t>(length);
  out.n_buffers = static_cast<std::int64_t>(body->buffers.size());
  out.buffers = body->buffers.data();
  out.n_children = static_cast<std::int64_t>(body->children.size());
  out.children = body->children.data();
  out.release = &release_array;
  out.private_data = body.release();
}

/// An array of 64-bit numbers from those in `body`.
void make_numbers(std::unique_ptr<ArrayBody> body, ArrowArray& out) {
  body->buffers.push_back(body->numbers.data());
  const std::size_t length = body->numbers.size();
  make_array(length, std::move(body), out);
}

/// An array of strings or bytes from the offsets and bytes in `body`.
void make_strings(std::unique_ptr<ArrayBody> body, ArrowArray& out) {
  body->buffers.push_back(body->offsets.data());
  body->buffers.push_back(body->bytes.data());
  const std::size_t length = body->offsets.size() - 1;
  make_array(length, std::move(body), out);
}

/// `bytes` repeated `times` times. What is there is doubled with each step, because copies of a
/// short path one by one take a tenth of a scan's time.
std::vector<Byte> repeated(Bytes bytes, std::size_t times) {
  std::vector<Byte> all(bytes.size() * times);
  if (all.empty()) return all;
  std::memcpy(all.data(), bytes.data(), bytes.size());
  std::size_t done = bytes.size();
  while (done < all.size()) {
    const std::size_t more = std::min(done, all.size() - done);
    std::memcpy(all.data() + done, all.data(), more);
    done += more;
  }
  return all;
}

/// The line without its line feed; a carriage return stays, as it is part of the text.
Bytes without_line_end(Bytes line) {
  const bool has_end = !line.empty() && line.back() == '\n';
  return has_end ? line.first(line.size() - 1) : line;
}

/// Moves lines together so that the line ends of those before them are gone. The text is then that
/// of the lines; `lines` keep the places that they had. Returns where each line begins, and the
/// end. Lines only move towards the beginning, so each can be moved over what was before it.
std::vector<std::int32_t> take_out_line_ends(std::span<const LineBatch::Line> lines,
                                             std::vector<Byte>& text) {
  std::vector<std::int32_t> offsets;
  offsets.reserve(lines.size() + 1);
  std::size_t end = 0;
  for (const LineBatch::Line& line : lines) {
    offsets.push_back(static_cast<std::int32_t>(end));
    const Bytes kept = without_line_end(Bytes(text).subspan(line.begin, line.bytes));
    if (!kept.empty()) std::memmove(text.data() + end, kept.data(), kept.size());
    end += kept.size();
  }
  offsets.push_back(static_cast<std::int32_t>(end));
  text.resize(end);
  return offsets;
}

/// Makes the arrays of one batch.
class LineArrays {
 public:
  /// `batch` gives up its text to the column of lines, of which there may be one at most.
  LineArrays(LineQueue::Batch& batch, const ScanJob& job, bool as_text)
      : lines_(batch.lines), path_(job.files[batch.file].name), as_text_(as_text) {}

  /// Makes the struct of the columns. Error kUnsupported: more than 2 GiB of text.
  Status make(const std::vector<LineColumn>& columns, ArrowArray& out) {
    ArrowArray made = {};
    auto body = std::make_unique<ArrayBody>();
    std::vector<ArrowArray*> children;
    for (std::size_t i = 0; i < columns.size(); ++i) children.push_back(&add_child(*body));
    // The parent is complete before its children are filled, so that one release frees all of them.
    make_array(lines_.lines.size(), std::move(body), made);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Status done = make_column(columns[i], *children[i]);
      if (done.ok()) continue;
      made.release(&made);
      return done;
    }
    out = made;
    return {};
  }

 private:
  /// Fills one column. The order of the columns is that of the question.
  Status make_column(LineColumn column, ArrowArray& out) {
    switch (column) {
      case LineColumn::kPath:
        return make_paths(out);
      case LineColumn::kLineNumber:
        make_numbers(numbers_of([](const LineBatch::Line& line) { return line.number; }), out);
        return {};
      case LineColumn::kOffset:
        make_numbers(numbers_of([](const LineBatch::Line& line) { return line.offset; }), out);
        return {};
      case LineColumn::kLine:
        return make_lines(out);
      case LineColumn::kSpans:
        return make_spans(out);
    }
    return {};
  }

  /// A column of numbers; `number` takes one from each line.
  template <class Number>
  std::unique_ptr<ArrayBody> numbers_of(const Number& number) const {
    auto body = std::make_unique<ArrayBody>();
    body->numbers.reserve(lines_.lines.size());
    for (const LineBatch::Line& line : lines_.lines) {
      body->numbers.push_back(static_cast<std::int64_t>(number(line)));
    }
    return body;
  }

  /// The error for a batch that 32-bit offsets cannot address; batches are far smaller otherwise.
  static Error too_much_text() {
    return make_error(ErrorCode::kUnsupported, "more than 2 GiB of text in a batch");
  }

  /// Ends a string at the bytes that are there by now.
  static Status end_string(ArrayBody& body) {
    if (body.bytes.size() > std::numeric_limits<std::int32_t>::max()) return too_much_text();
    body.offsets.push_back(static_cast<std::int32_t>(body.bytes.size()));
    return {};
  }

  /// The column of paths, which are all the same one.
  Status make_paths(ArrowArray& out) const {
    std::vector<Byte> path;
    append_as_utf8(path, {reinterpret_cast<const Byte*>(path_.data()), path_.size()});
    const std::size_t rows = lines_.lines.size();
    if (rows * path.size() > std::numeric_limits<std::int32_t>::max()) return too_much_text();
    auto body = std::make_unique<ArrayBody>();
    body->bytes = repeated(path, rows);
    body->offsets.resize(rows + 1);
    for (std::size_t row = 0; row <= rows; ++row) {
      body->offsets[row] = static_cast<std::int32_t>(row * path.size());
    }
    make_strings(std::move(body), out);
    return {};
  }

  /// The column of lines. If the whole text is UTF-8 it is used in place, otherwise lines are
  /// mended one by one.
  Status make_lines(ArrowArray& out) {
    if (lines_.text.size() > std::numeric_limits<std::int32_t>::max()) return too_much_text();
    if (as_text_ && !are_text()) return make_mended_lines(out);
    auto body = std::make_unique<ArrayBody>();
    body->bytes = std::move(lines_.text);
    body->offsets = take_out_line_ends(lines_.lines, body->bytes);
    make_strings(std::move(body), out);
    return {};
  }

  /// Whether all lines are UTF-8, each by itself. A text may be UTF-8 as a whole although a
  /// character goes over from one line into the next.
  bool are_text() const {
    const auto begins_inside = [&](const LineBatch::Line& line) {
      return line.bytes > 0 && (lines_.text[line.begin] & 0xC0) == 0x80;
    };
    return is_valid_utf8(lines_.text) &&
           std::none_of(lines_.lines.begin(), lines_.lines.end(), begins_inside);
  }

  /// The column of lines with bytes that are not UTF-8 replaced.
  Status make_mended_lines(ArrowArray& out) const {
    auto body = std::make_unique<ArrayBody>();
    body->bytes.reserve(lines_.text.size());
    body->offsets.reserve(lines_.lines.size() + 1);
    body->offsets.push_back(0);
    for (const LineBatch::Line& line : lines_.lines) {
      append_as_utf8(body->bytes, without_line_end(lines_.text_of(line)));
      PRESSO_TRY(end_string(*body));
    }
    make_strings(std::move(body), out);
    return {};
  }

  /// The column of matches: a list for each line, over one array of pairs.
  Status make_spans(ArrowArray& out) const {
    if (lines_.matches.size() > std::numeric_limits<std::int32_t>::max()) {
      return make_error(ErrorCode::kUnsupported, "more than 2^31 matches in a batch");
    }
    auto begins = std::make_unique<ArrayBody>();
    auto ends = std::make_unique<ArrayBody>();
    auto lists = std::make_unique<ArrayBody>();
    lists->offsets.push_back(0);
    for (const LineBatch::Line& line : lines_.lines) {
      for (const MatchSpan& span : lines_.matches_of(line)) {
        begins->numbers.push_back(static_cast<std::int64_t>(span.begin));
        ends->numbers.push_back(static_cast<std::int64_t>(span.end));
      }
      lists->offsets.push_back(static_cast<std::int32_t>(begins->numbers.size()));
    }
    const std::size_t spans = begins->numbers.size();
    auto pairs = std::make_unique<ArrayBody>();
    make_numbers(std::move(begins), add_child(*pairs));
    make_numbers(std::move(ends), add_child(*pairs));
    make_array(spans, std::move(pairs), add_child(*lists));
    lists->buffers.push_back(lists->offsets.data());
    make_array(lines_.lines.size(), std::move(lists), out);
    return {};
  }

  LineBatch& lines_;
  const std::string& path_;
  bool as_text_;
};

// --- the stream

/// The error number for a stream's reader.
int errno_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOutOfMemory:
      return ENOMEM;
    case ErrorCode::kInvalidArgument:
      return EINVAL;
    case ErrorCode::kCancelled:
      return ECANCELED;
    default:
      return EIO;
  }
}

/// A stream of batches, over a queue of lines. Used by one consumer at a time, as Arrow demands;
/// several may be open at once.
class LineStream {
 public:
  LineStream(std::shared_ptr<const ScanJob> job, LineColumns columns)
      : columns_(std::move(columns)), queue_(std::move(job)) {}

  /// Returns 0, or an error number for the consumer.
  int schema(ArrowSchema& out) {
    return guarded([&] {
      export_line_schema(columns_, out);
      return 0;
    });
  }
  /// Gives the next array; a released array means the end.
  int next(ArrowArray& out) {
    return guarded([&] {
      out = {};
      LineQueue::Batch batch;
      for (;;) {
        using State = LineQueue::State;
        switch (queue_.next(batch, kWait)) {
          case State::kWaiting:
            continue;
          case State::kEnd:
            return 0;
          case State::kFailed:
            return failed(queue_.failure());
          case State::kBatch: {
            const Status done =
                LineArrays(batch, queue_.job(), columns_.as_text).make(columns_.columns, out);
            // The batch is dropped on an error; its lines have been taken from the queue.
            return done.ok() ? 0 : failed({batch.file, done.error()});
          }
        }
      }
    });
  }
  /// The text of the last error; valid until the next call.
  const char* last_error() const { return error_.empty() ? nullptr : error_.c_str(); }

 private:
  /// Calls without letting std::bad_alloc out, since the caller is C.
  template <class Call>
  int guarded(const Call& call) {
    try {
      return call();
    } catch (const std::bad_alloc&) {
      return ENOMEM;
    }
  }
  /// Notes an error and returns its number.
  int failed(const FileFailure& failure) {
    queue_.job().failure->set(failure);
    error_ = queue_.job().files[failure.file].name + ": " + failure.error.text();
    return errno_of(failure.error.code);
  }

  LineColumns columns_;
  LineQueue queue_;
  std::string error_;
};

/// The object that a stream's pointer leads to.
LineStream& stream_of(ArrowArrayStream* stream) {
  return *static_cast<LineStream*>(stream->private_data);
}

}  // namespace

void export_line_schema(const LineColumns& columns, ArrowSchema& out) {
  auto body = no_children();
  for (const LineColumn column : columns.columns) {
    make_column_schema(column, columns.as_text, add_child(*body));
  }
  make_schema("+s", "", std::move(body), out);
}

// The thread of the search begins with the first call of get_next().
void export_lines(std::shared_ptr<const ScanJob> job, LineColumns columns, ArrowArrayStream& out) {
  auto stream = std::make_unique<LineStream>(std::move(job), std::move(columns));
  out.get_schema = [](ArrowArrayStream* self, ArrowSchema* to) {
    return stream_of(self).schema(*to);
  };
  out.get_next = [](ArrowArrayStream* self, ArrowArray* to) { return stream_of(self).next(*to); };
  out.get_last_error = [](ArrowArrayStream* self) { return stream_of(self).last_error(); };
  out.release = [](ArrowArrayStream* self) {
    delete &stream_of(self);
    self->release = nullptr;
  };
  out.private_data = stream.release();
}

}  // namespace presso::python
