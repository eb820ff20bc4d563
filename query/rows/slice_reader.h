// SPDX-License-Identifier: MIT
// One thread's access to the columns of a slice (up to 65,536 rows of a row group): values in the
// physical form that programs want, of the wanted rows of a vector only, without gaps. It sits
// between ColumnSlice (decompress/table), which knows how columns are stored, and programs,
// conditions, groups and joins, which do not. Tested through
// tests/unit/query/answer/query_test.cpp.
//
// The way of a value, with an int16 column as example: a block of the file is read and compared
// with its checksum by GroupReader; ColumnSlice::numbers() decodes the 1,024 values of a vector as
// int16 into Column::native; load() converts those of the selected rows to int64 into
// Column::values and returns a view of them. A second load() of that vector with another selection
// converts again but does not decode. A column whose stored form is wanted (int64, all rows) is not
// copied at all.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "decompress/table/column_slice.h"
#include "query/values/vector.h"

namespace presso::query {

/// What all threads that work on a row group share.
struct GroupContext {
  std::shared_ptr<const GroupReader> reader;
  std::uint64_t first_row = 0;  ///< in all tables together
  std::size_t table = 0;

  /// Returns what `make` gives for `key` (any address that identifies the purpose); `make` is
  /// called once and returns a Result<std::shared_ptr<const void>>. For things made of a row
  /// group's dictionary, such as which entries fulfil a condition.
  template <class Make>
  Result<std::shared_ptr<const void>> shared(const void* key, Make make) {
    const std::lock_guard lock(mutex);
    auto& known = made[key];
    if (known == nullptr) {
      PRESSO_ASSIGN(known, make());
    }
    return known;
  }

  std::mutex mutex;
  std::unordered_map<const void*, std::shared_ptr<const void>> made;
};

/// A slice that a thread works on.
struct Slice {
  std::shared_ptr<GroupContext> group;
  std::uint32_t first = 0;  ///< in the row group
  std::uint32_t rows = 0;
  /// The number of its first row, in all tables together.
  std::uint64_t first_row() const { return group->first_row + first; }
  std::uint32_t vectors() const { return (rows + kBatchRows - 1) / kBatchRows; }
  std::uint32_t vector_rows(std::uint32_t vector) const {
    const std::uint32_t left = rows - vector * kBatchRows;
    return left < kBatchRows ? left : kBatchRows;
  }
};

/// The rows of a vector that are wanted: `count` numbers below 1,024, ascending, or all.
/// Example: of a vector of 1,024 rows a condition leaves the rows 8 to 407. They are listed in
/// `rows`, `all` is false, and there is one run {8, 400}, so that copying is a single memcpy().
struct Selection {
  static constexpr std::uint32_t kMostRuns = 64;
  struct Run {
    std::uint16_t first;
    std::uint16_t count;
  };

  bool all = false;
  std::uint32_t count = 0;
  std::uint16_t rows[kBatchRows + 64];
  /// These rows as runs of neighbours, if these are long and few enough to be copied as a whole;
  /// else 0.
  std::uint32_t runs = 0;
  Run run[kMostRuns];

  /// Takes the rows from a bitmap of 16 words; `in_vector` is the number of rows of the vector.
  void set(const std::uint64_t* bits, std::uint32_t in_vector);
  void set_all(std::uint32_t in_vector) {
    all = true;
    count = in_vector;
    runs = 0;
  }
  /// The reverse of selecting: bit i of `bits` becomes the bit of the i-th selected row in `to`, of
  /// 16 words, whose other bits become 0. Bits after the selected rows must be 0.
  void spread(const std::uint64_t* bits, std::uint64_t* to) const;

  /// Calls copy(first, to, count) for selected rows that lie together: the rows from `first` on are
  /// the selected rows from number `to` on.
  template <class Copy>
  void for_each_run(Copy copy) const {
    if (all) return copy(std::uint32_t{0}, std::uint32_t{0}, count);
    std::uint32_t to = 0;
    for (std::uint32_t i = 0; i < runs; ++i) {
      copy(std::uint32_t{run[i].first}, to, std::uint32_t{run[i].count});
      to += run[i].count;
    }
    if (runs != 0) return;
    for (; to < count; ++to) copy(std::uint32_t{rows[to]}, to, std::uint32_t{1});
  }

 private:
  void find_runs(const std::uint64_t* bits);
};

/// Writes the bits of the selected rows to `to`, without gaps; returns whether one of them is 0.
bool select_validity(const std::uint64_t* bits, const Selection& selection, std::uint64_t* to);

/// One thread's reader, which is opened for one slice after another and keeps its buffers. Columns
/// are opened when they are first asked for.
/// Ownership: views point into the reader's buffers, or into dictionaries of the row group, which
/// the slice's context keeps alive.
class SliceReader {
 public:
  /// `physical` has the wanted form of each column of the table.
  explicit SliceReader(std::vector<Physical> physical);

  /// Makes `slice` the current one; it must stay until the next open(). Views of the last slice
  /// become invalid.
  void open(const Slice& slice);
  const Slice& slice() const { return *slice_; }
  /// Returns the column's slice, for conditions that columns answer in their stored form.
  ColumnSlice& column(std::size_t column);
  /// Sets whether texts are decoded for the whole slice at once (the default) or vector by vector,
  /// which is better if few vectors have live rows.
  void expect_all_vectors(bool expected) { whole_texts_ = expected; }
  /// Returns the text of one vector of a string column that has no dictionary.
  Result<SliceText> text(std::size_t column, std::uint32_t vector);

  /// As GroupContext::shared() of the slice's row group, for what is asked for with every vector:
  /// the lock is taken only once a row group. Valid until the next open().
  template <class Make>
  Result<const void*> shared(const void* key, Make make) {
    const std::uint64_t group = slice_->group->reader->id();
    Shared& known = shared_[key];
    if (known.group != group) {
      PRESSO_ASSIGN(known.made, slice_->group->shared(key, make));
      known.group = group;
    }
    return known.made.get();
  }

  /// A vector of numbers as runs of equal values.
  struct Runs {
    std::uint32_t count = 0;  ///< number of runs; 0 if the column is not stored as runs
    VectorView values;        ///< one a run; valid until the next call for this column, or open()
    std::uint64_t starts[kBatchWords];  ///< as ColumnSlice::spread_run_bits() wants them
  };
  /// Returns the runs of a column without nulls; none if there are more than `most`.
  Status load_runs(std::size_t column, std::uint32_t vector, std::uint32_t most, Runs& runs);
  /// Returns the values of the selected rows, valid until the next open() or load() of this column.
  Result<VectorView> load(std::size_t column, std::uint32_t vector, const Selection& selection);
  /// As load(), but gives the codes of a dictionary column as integers; 0 where all rows are null.
  /// kInvalidArgument if the row group stores the column in another form.
  Result<VectorView> load_codes(std::size_t column, std::uint32_t vector,
                                const Selection& selection);

 private:
  /// An open column with its buffers.
  struct Column {
    ColumnSlice slice;
    bool open = false;
    Buffer native;
    Buffer values;
    Buffer runs;  ///< runs as they are stored, and as they are wanted
    Buffer codes;
    std::uint64_t validity[kBatchWords] = {};
    std::optional<SliceText> text;  ///< of the whole slice
    std::uint32_t native_vector = ~std::uint32_t{0};
  };
  /// The thing that was made for a key, and its row group.
  struct Shared {
    std::uint64_t group = 0;
    std::shared_ptr<const void> made;
  };
  Status load_numbers(Column& column, std::size_t number, std::uint32_t vector,
                      const Selection& selection);
  Result<VectorView> load_nulls(Column& column, std::uint32_t vector, const Selection& selection);
  Status load_strings(Column& column, std::size_t number, std::uint32_t vector,
                      const Selection& selection);

  std::vector<Physical> physical_;
  std::vector<std::unique_ptr<Column>> columns_;
  std::unordered_map<const void*, Shared> shared_;
  const Slice* slice_ = nullptr;
  bool whole_texts_ = true;
};

}  // namespace presso::query
