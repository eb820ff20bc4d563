// SPDX-License-Identifier: MIT
// One thread's values of the columns of a slice (up to 65,536 rows of a row group), in the physical
// form that programs want, of the rows of a vector that are wanted only, without gaps.
// Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "decompress/table/column_slice.h"
#include "query/values/vector.h"

namespace presso::query {

/// What all threads share of a row group.
struct GroupContext {
  std::shared_ptr<const GroupReader> reader;
  std::uint64_t first_row = 0;  ///< in all tables together
  std::size_t table = 0;

  /// What `make` gives for `key` (any address that stands for it), made once. `make` returns a
  /// Result<std::shared_ptr<const void>>.
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
  std::uint64_t first_row() const { return group->first_row + first; }
  std::uint32_t vectors() const { return (rows + kBatchRows - 1) / kBatchRows; }
  std::uint32_t vector_rows(std::uint32_t vector) const {
    const std::uint32_t left = rows - vector * kBatchRows;
    return left < kBatchRows ? left : kBatchRows;
  }
};

/// Rows of a vector: `count` numbers below 1,024, ascending; all of them where `all`.
struct Selection {
  static constexpr std::uint32_t kMostRuns = 64;
  struct Run {
    std::uint16_t first;
    std::uint16_t count;
  };

  bool all = false;
  std::uint32_t count = 0;
  std::uint16_t rows[kBatchRows + 64];
  /// The same rows as runs of neighbours, if these are long and few enough to be copied as wholes;
  /// else 0.
  std::uint32_t runs = 0;
  Run run[kMostRuns];

  /// Of a bitmap of 16 words; `in_vector`: rows of the vector.
  void set(const std::uint64_t* bits, std::uint32_t in_vector);
  void set_all(std::uint32_t in_vector) {
    all = true;
    count = in_vector;
    runs = 0;
  }
  /// Bit i of `bits` to the place of the selected row i in `to`, of 16 words, which has no other
  /// bits. The bits of `bits` behind the selected rows are 0.
  void spread(const std::uint64_t* bits, std::uint64_t* to) const;

  /// Calls copy(first, to, count) for rows that lie together: rows `first` and following are the
  /// selected rows from number `to` on.
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

/// The bits of the selected rows, without gaps; whether one of them is 0.
bool select_validity(const std::uint64_t* bits, const Selection& selection, std::uint64_t* to);

class SliceReader {
 public:
  /// `physical`: for each column of the table the form in which it is wanted.
  explicit SliceReader(std::vector<Physical> physical);

  void open(const Slice& slice);
  const Slice& slice() const { return *slice_; }
  /// For conditions that columns answer themselves; the same slice each time.
  ColumnSlice& column(std::size_t column);
  /// Texts are decoded for the whole slice rather than vector by vector.
  void expect_all_vectors(bool expected) { whole_texts_ = expected; }
  /// Text of a column of strings that are no dictionary: of one vector.
  Result<SliceText> text(std::size_t column, std::uint32_t vector);

  /// As GroupContext::shared() of the slice's row group, whose lock is taken once a row group: for
  /// what is asked for with every vector. Valid until the next open().
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

  /// A vector of a column of numbers as runs of equal ones.
  struct Runs {
    std::uint32_t count = 0;  ///< 0: it is not stored in this way
    VectorView values;        ///< one a run; valid until the next call for this column, or open()
    std::uint64_t starts[kBatchWords];  ///< as ColumnSlice::spread_run_bits() wants them
  };
  /// Of a column without nulls; at most `most` runs, else none.
  Status load_runs(std::size_t column, std::uint32_t vector, std::uint32_t most, Runs& runs);
  /// Values of the selected rows. Valid until the next open(), or load() of this column.
  Result<VectorView> load(std::size_t column, std::uint32_t vector, const Selection& selection);
  /// The same of the codes of a dictionary column, as integers; 0 where all rows are null.
  /// kInvalidArgument where the row group stores it otherwise.
  Result<VectorView> load_codes(std::size_t column, std::uint32_t vector,
                                const Selection& selection);

 private:
  struct Column {
    ColumnSlice slice;
    bool open = false;
    Buffer native;
    Buffer values;
    Buffer runs;  ///< as they are stored, and as they are wanted
    Buffer codes;
    std::uint64_t validity[kBatchWords] = {};
    std::optional<SliceText> text;  ///< of the whole slice
    std::uint32_t native_vector = ~std::uint32_t{0};
  };
  /// What was made for a key in the last row group that it was asked for in.
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
