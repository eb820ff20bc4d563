// SPDX-License-Identifier: MIT
// Arrays of Arrow's C data interface over the buffers of a message. Files may be damaged: lengths,
// sizes of buffers and offsets of strings are checked here, where the sizes are known; offsets of
// lists, codes, views and ends of runs are checked by whoever reads the arrays
// (compress/arrow/arrow_batch_reader.h). Tested by tests/cli/test_arrow_files.py.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/byte_stream.h"
#include "tools/arrow/ipc_schema.h"

namespace presso::cli {

/// An array and everything that it refers to.
class IpcArray {
 public:
  IpcArray() = default;
  IpcArray(const IpcArray&) = delete;
  IpcArray& operator=(const IpcArray&) = delete;

  const ArrowArray& array() const { return array_; }
  std::uint64_t rows() const { return static_cast<std::uint64_t>(array_.length); }
  void set_rows(std::int64_t rows, std::int64_t nulls) {
    array_.length = rows;
    array_.null_count = nulls;
  }
  /// Buffers are added in the order of the layout; one of no bytes is a null pointer.
  void add_buffer(Buffer buffer);
  void add_no_buffer() { add_buffer({}); }
  void add_child(std::unique_ptr<IpcArray> child);
  void set_dictionary(std::shared_ptr<IpcArray> dictionary);
  Bytes buffer(std::size_t number) const { return memory_[number].bytes(); }
  std::size_t buffers() const { return memory_.size(); }

 private:
  ArrowArray array_ = {};
  std::vector<Buffer> memory_;
  std::vector<const void*> buffers_;
  std::vector<std::unique_ptr<IpcArray>> children_;
  std::vector<ArrowArray*> pointers_;
  std::shared_ptr<IpcArray> dictionary_;
};

/// The dictionaries that have been read so far, by their numbers.
using IpcDictionaries = std::map<std::int64_t, std::shared_ptr<IpcArray>>;

/// An array without rows.
std::unique_ptr<IpcArray> empty_array(const IpcField& field, const IpcDictionaries& dictionaries);
/// The values of one array after those of another. Error: kUnsupported for nested values.
Result<std::shared_ptr<IpcArray>> joined_arrays(const IpcField& field, const IpcArray& a,
                                                const IpcArray& b);

/// How the buffers of a body are compressed.
enum class IpcCodec : Byte { kLz4Frame = 0, kZstd = 1, kNone = 255 };

/// The arrays of a batch, each of which can be read by itself, on any thread.
class IpcBatch {
 public:
  /// `table` is a RecordBatch; its body lies at `body` in the file, which is kept by reference, and
  /// has `bytes`. Error: kInvalidArgument where lists of buffers contradict `fields`.
  static Result<IpcBatch> open(const FlatTable& table, const std::vector<const IpcField*>& fields,
                               const RandomAccess& file, std::uint64_t body, std::uint64_t bytes);

  std::int64_t rows() const { return rows_; }
  /// Reads the array of a field. The errors name what is wrong; the caller adds the place.
  Result<std::unique_ptr<IpcArray>> read(std::size_t number,
                                         const IpcDictionaries& dictionaries) const;

 private:
  /// The next node, buffer and number of a view's buffers.
  struct Cursor {
    std::size_t node = 0;
    std::size_t buffer = 0;
    std::size_t views = 0;
  };

  Status skip(const IpcField& field, Cursor& at) const;
  Result<std::unique_ptr<IpcArray>> read(const IpcField& field, Cursor& at,
                                         const IpcDictionaries& dictionaries) const;
  Status read_validity(Cursor& at, IpcArray& array) const;
  Status read_values(const IpcField& field, Cursor& at, IpcArray& array) const;
  Status read_strings(const IpcField& field, Cursor& at, IpcArray& array) const;
  Status read_views(Cursor& at, IpcArray& array) const;
  Status read_fixed(const IpcField& field, Cursor& at, IpcArray& array) const;
  Result<Buffer> read_buffer(Cursor& at, std::uint64_t least) const;
  Status decompress(Bytes stored, Buffer& to) const;

  const RandomAccess* file_ = nullptr;
  std::uint64_t body_ = 0;
  std::uint64_t bytes_ = 0;
  std::int64_t rows_ = 0;
  IpcCodec codec_ = IpcCodec::kNone;
  // Copies of the lists, since the message is not kept.
  std::vector<std::int64_t> nodes_;    ///< rows and nulls
  std::vector<std::int64_t> buffers_;  ///< offsets and sizes
  std::vector<std::int64_t> views_;    ///< how many buffers a column of views has
  std::vector<const IpcField*> fields_;
  std::vector<Cursor> begins_;
};

}  // namespace presso::cli
