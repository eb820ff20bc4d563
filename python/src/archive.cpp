// SPDX-License-Identifier: MIT
// A file is opened once; what is read then (the index, or a table's schema and zones) is kept, so
// that sizes and places cost nothing later. Tested by python/tests/test_files.py and, for files
// that are far away, python/tests/test_servers.py.
#include "python/src/archive.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presso/decompress.h"
#include "presso/line_table.h"
#include "presso/table.h"
#include "python/src/gil.h"
#include "python/src/interruptible.h"
#include "python/src/opened_file.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

/// An opened file and the facts about it that need no decoding: its index, and the schema of a
/// table. Immutable, so that threads may share it.
class Archive {
 public:
  /// Opens a file. Errors are those of CompressedFile::open() and Table::open().
  static Result<Archive> open(OpenedFile file) {
    Archive made(std::move(file));
    const RandomAccess& access = *made.file_.access;
    PRESSO_ASSIGN(const bool has_rows, python::is_table(access));
    if (has_rows) {
      PRESSO_ASSIGN(Table table, Table::open(access));
      made.table_.emplace(std::move(table));
      return made;
    }
    PRESSO_ASSIGN(CompressedFile bytes, CompressedFile::open(access));
    PRESSO_ASSIGN(made.lines_, LineTable::read(access, bytes.index()));
    made.bytes_.emplace(std::move(bytes));
    return made;
  }

  Archive(Archive&&) noexcept = default;
  Archive& operator=(Archive&&) noexcept = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() = default;

  /// The names that messages and properties show.
  nb::str name() const { return text_of(file_.name); }
  const OpenedFile& file() const { return file_; }
  bool is_table() const { return table_.has_value(); }
  /// Bytes as they are stored, the index included.
  std::uint64_t stored_bytes() const { return file_.access->size(); }
  /// The size of the plain bytes; for a table that of its text, or 0 if the text is not kept
  /// exactly.
  std::uint64_t plain_bytes() const {
    return table_ ? table_->text_bytes() : bytes_->plain_bytes();
  }
  /// Blocks of plain bytes; a table has row groups, which are not counted here.
  std::uint64_t blocks() const { return table_ ? 0 : bytes_->index().block_count(); }
  /// Lines by the line facts; None where the file has none, because counting would decode
  /// everything.
  std::optional<std::uint64_t> lines() const {
    if (table_) return table_->text_lines();
    return lines_ ? std::optional(lines_->lines()) : std::nullopt;
  }
  std::optional<std::uint64_t> rows() const {
    return table_ ? std::optional(table_->rows()) : std::nullopt;
  }
  /// The entries that were stored with the file; those of the first member, if there are several.
  std::vector<std::pair<std::string, std::string>> metadata() const {
    if (table_) return table_->metadata().entries;
    const auto& members = bytes_->index().members();
    return members.empty() ? Metadata().entries : members[0].metadata.entries;
  }

  /// The file as one of bytes; raises ArgumentError for a table.
  const CompressedFile& bytes() const {
    if (table_) raise(make_error(ErrorCode::kInvalidArgument, "a table has no plain bytes"), file_);
    return *bytes_;
  }

 private:
  explicit Archive(OpenedFile file) : file_(std::move(file)) {}

  OpenedFile file_;
  std::optional<CompressedFile> bytes_;
  std::optional<Table> table_;
  std::optional<LineTable> lines_;
};

/// Writes into memory of fixed size, and ends cancelled work.
class BytesSink final : public ByteSink {
 public:
  /// A sink that fills memory of Python's. It refuses more than there is room for, and ends the
  /// work when it is cancelled.
  BytesSink(MutableBytes to, const std::atomic<bool>& cancelled)
      : rest_(to), cancelled_(cancelled) {}
  // The sink is the place at which a decoder of many blocks can be stopped.
  Status write(Bytes bytes) override {
    if (cancelled_) return make_error(ErrorCode::kCancelled);
    if (bytes.size() > rest_.size()) return make_error(ErrorCode::kBadLength);
    std::copy(bytes.begin(), bytes.end(), rest_.begin());
    rest_ = rest_.subspan(bytes.size());
    return {};
  }

 private:
  MutableBytes rest_;
  const std::atomic<bool>& cancelled_;
};

/// A new bytes object of Python whose memory is filled before anybody else sees it.
nb::bytes empty_bytes(std::uint64_t size, MutableBytes& to) {
  // The object has one reference, which makes it legal to write to its memory.
  PyObject* const made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (made == nullptr) throw nb::python_error();
  to = {reinterpret_cast<Byte*>(PyBytes_AsString(made)), static_cast<std::size_t>(size)};
  return nb::steal<nb::bytes>(made);
}

/// Whether [begin, end) lies in a single block, which a binary search of the index tells. A file
/// without blocks counts as one block.
bool is_in_one_block(const ArchiveIndex& index, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t first = 0;
  std::uint64_t last = index.block_count();
  while (last - first > 1) {
    const std::uint64_t middle = first + (last - first) / 2;
    (index.block_plain_offset(middle) <= begin ? first : last) = middle;
  }
  return last == index.block_count() || end <= index.block_plain_offset(last);
}

/// Reads like a file object's read(), with fewer bytes at the end of the file, on all threads.
/// Small reads stay on the caller's thread without the GIL. A cancelled read raises what the
/// signal's handler raised; the bytes object is dropped.
nb::bytes read(const Archive& archive, std::uint64_t offset, std::int64_t length,
               unsigned threads) {
  const CompressedFile& file = archive.bytes();
  const std::uint64_t all = file.plain_bytes();
  const std::uint64_t begin = std::min(offset, all);
  std::uint64_t end = all;
  if (length >= 0) end = begin + std::min(static_cast<std::uint64_t>(length), all - begin);
  MutableBytes to;
  nb::bytes made = empty_bytes(end - begin, to);
  if (is_in_one_block(file.index(), begin, end)) {
    // A thread of its own would cost more than the block.
    const Status done = [&] {
      const GilReleased released;
      return without_bad_alloc([&] { return file.read(begin, to); });
    }();
    take(done, archive.file());
    return made;
  }
  const Status done = interruptible([&](const std::atomic<bool>& cancelled) {
    BytesSink sink(to, cancelled);
    return decompress_range(file, begin, end, threads, sink);
  });
  take(done, archive.file());
  return made;
}

/// The plain bytes of one block; IndexError if there is no such block. The block is decoded on this
/// thread, without the GIL, so that other threads of Python go on.
nb::bytes read_block(const Archive& archive, std::uint64_t number) {
  const CompressedFile& file = archive.bytes();
  if (number >= file.index().block_count()) throw nb::index_error("no such block");
  Result<Buffer> plain = [&] {
    const GilReleased released;
    return file.read_block(number);
  }();
  const Buffer block = take(std::move(plain), archive.file());
  return nb::bytes(reinterpret_cast<const char*>(block.data()), block.size());
}

/// A block's place: plain offset, offset in the file, stored bytes. These come from the index and
/// read nothing.
nb::tuple block_place(const Archive& archive, std::uint64_t number) {
  const ArchiveIndex& index = archive.bytes().index();
  if (number >= index.block_count()) throw nb::index_error("no such block");
  return nb::make_tuple(index.block_plain_offset(number), index.block_offset(number),
                        index.block_stored_bytes(number));
}

}  // namespace

/// Declares the class to Python. The file is opened and read without the interpreter's lock.
void bind_archive(nb::module_& module) {
  nb::class_<Archive>(module, "Archive", "A compressed file.")
      .def_static(
          "open",
          [](OpenedFile file) {
            // One that is opened when its turn comes: that is now.
            file.access = take(file.open(), file);
            Result<Archive> made = [&] {
              const GilReleased released;
              return Archive::open(file);
            }();
            return take(std::move(made), file);
          },
          nb::arg("file"))
      .def_prop_ro("name", &Archive::name)
      .def_prop_ro("file", &Archive::file)
      .def_prop_ro("is_table", &Archive::is_table)
      .def_prop_ro("stored_bytes", &Archive::stored_bytes)
      .def_prop_ro("plain_bytes", &Archive::plain_bytes)
      .def_prop_ro("blocks", &Archive::blocks)
      .def_prop_ro("lines", &Archive::lines)
      .def_prop_ro("rows", &Archive::rows)
      .def_prop_ro("metadata", &Archive::metadata)
      .def("read", &read, nb::arg("offset"), nb::arg("length"), nb::arg("threads"))
      .def("read_block", &read_block, nb::arg("number"))
      .def("block_place", &block_place, nb::arg("number"));
}

}  // namespace presso::python
