// SPDX-License-Identifier: MIT
// Cuts a column into jobs for the kernels: rows near the column's ends, which a gather would read
// over, and rows longer than 32-bit offsets reach, go to the scalar loop.
#include "lab/strings/regex_scan.h"

#include <algorithm>
#include <limits>

#include "lab/strings/regex_kernels.h"

namespace presso::strings {
namespace {

const RegexKernels<Table32View>* kernels_of(CpuLevel level, const Table32View&) {
#if defined(__x86_64__)
  if (level >= CpuLevel::kAvx512Vbmi2) return &kAvx512Regex32;
  if (level == CpuLevel::kAvx2) return &kAvx2Regex32;
#else
  static_cast<void>(level);
#endif
  return nullptr;
}

const RegexKernels<Table8View>* kernels_of(CpuLevel level, const Table8View&) {
#if defined(__x86_64__)
  if (level >= CpuLevel::kAvx512Vbmi2) return &kAvx512Regex8;
  if (level == CpuLevel::kAvx2) return &kAvx2Regex8;
#else
  static_cast<void>(level);
#endif
  return nullptr;
}

std::uint64_t row_start(const StringColumnView& column, std::uint64_t row) {
  return column.offsets[row];
}
std::uint64_t row_start(const PaddedColumnView& column, std::uint64_t row) {
  return row * column.width;
}

Bytes whole_row(const StringColumnView& column, std::uint64_t row) {
  return column.row(row);
}
Bytes whole_row(const PaddedColumnView& column, std::uint64_t row) {
  return column.padded_row(row);
}

std::int32_t pad_of(const StringColumnView&) {
  return -1;
}
std::int32_t pad_of(const PaddedColumnView& column) {
  return column.pad;
}

RegexText text_of(TextGather gather, const StringColumnView&, std::uint64_t /*lead*/) {
  if (gather == TextGather::kByte) return kTextByte;
  return gather == TextGather::kWord ? kTextWord : kTextAligned5;
}
/// `lead`: bytes from the column's begin to the first multiple of 4.
RegexText text_of(TextGather gather, const PaddedColumnView& column, std::uint64_t lead) {
  if (gather == TextGather::kByte) return kTextByte;
  if (gather == TextGather::kWord) return kTextWord;
  if (column.width % 4 == 0 && lead == 0) return kTextAligned8;
  return column.width % 2 == 0 && lead % 2 == 0 ? kTextAligned6 : kTextAligned5;
}

std::uint64_t lead_of(const Byte* bytes, TextGather gather) {
  if (gather != TextGather::kAligned) return 0;
  return (4 - reinterpret_cast<std::uintptr_t>(bytes) % 4) % 4;
}

template <class View, class Column>
class Selection {
 public:
  Selection(const View& table, const Column& column, const SelectOptions& options,
            std::span<std::uint32_t> ids)
      : table_(table), column_(column), options_(options), ids_(ids) {}

  std::size_t run() {
    lead_ = lead_of(column_.bytes, options_.gather);
    kernel_ = choose_kernel();
    if (kernel_ == nullptr) {
      select_scalar(0, column_.rows);
      return found_;
    }
    std::uint64_t begin = 0;
    std::uint64_t end = column_.rows;
    const std::uint64_t bytes = row_start(column_, end);
    while (begin < end && row_start(column_, begin) < lead_) ++begin;
    while (end > begin && row_start(column_, end) + RegexJob::kOverRead > bytes) --end;
    select_scalar(0, begin);
    for (std::uint64_t row = begin; row < end;) row = select_stretch(row, end);
    select_scalar(end, column_.rows);
    return found_;
  }

 private:
  /// nullptr: the scalar loop.
  RegexKernel<View> choose_kernel() const {
    if (options_.gather == TextGather::kNone) return lane_kernel<View>(options_.unroll);
    const auto* const kernels = kernels_of(options_.level, table_);
    if (kernels == nullptr) return nullptr;
    return kernels->by_text[text_of(options_.gather, column_, lead_)][options_.unroll - 1];
  }

  /// Returns the first row that is left.
  std::uint64_t select_stretch(std::uint64_t row, std::uint64_t end) {
    RegexJob job;
    const std::uint64_t from = row_start(column_, row) - lead_;
    const std::uint64_t base = lead_ + from / 4 * 4;
    const std::uint64_t stop = stretch_end(row, end, base);
    if (stop == row) {
      select_scalar(row, row + 1);
      return row + 1;
    }
    job.text = column_.bytes + base;
    job.rows = static_cast<std::int32_t>(stop - row);
    job.first_row = static_cast<std::uint32_t>(row);
    job.ids = ids_.data() + found_;
    set_starts(column_, row, base, job);
    found_ += kernel_(table_, job);
    return stop;
  }

  /// Rows until then end within the reach of 32-bit offsets from `base`.
  std::uint64_t stretch_end(std::uint64_t row, std::uint64_t end, std::uint64_t base) const {
    const std::uint64_t limit = base + std::min(options_.chunk_bytes, kReach) - RegexJob::kOverRead;
    std::uint64_t low = row;
    std::uint64_t high = std::min(end, row + kStretchRows);
    while (low < high) {
      const std::uint64_t middle = low + (high - low + 1) / 2;
      if (row_start(column_, middle) <= limit) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  void set_starts(const StringColumnView& column, std::uint64_t row, std::uint64_t base,
                  RegexJob& job) {
    starts_.resize(static_cast<std::size_t>(job.rows) + 1);
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      starts_[i] = static_cast<std::int32_t>(column.offsets[row + i] - base);
    }
    job.starts = starts_.data();
  }
  void set_starts(const PaddedColumnView& column, std::uint64_t row, std::uint64_t base,
                  RegexJob& job) {
    job.first_start = static_cast<std::int32_t>(row_start(column, row) - base);
    job.width = static_cast<std::int32_t>(column.width);
  }

  void select_scalar(std::uint64_t row, std::uint64_t end) {
    for (; row < end; ++row) {
      const Bytes text = whole_row(column_, row);
      ids_[found_] = static_cast<std::uint32_t>(row);
      found_ += matches(table_, text.data(), text.size());
    }
  }

  static constexpr std::uint64_t kReach = std::numeric_limits<std::int32_t>::max();
  /// So that the 32-bit copy of a stretch's offsets stays in the first-level cache.
  static constexpr std::uint64_t kStretchRows =
      std::is_same_v<Column, StringColumnView> ? 4096 : std::uint64_t{1} << 30;

  const View& table_;
  const Column& column_;
  const SelectOptions& options_;
  std::span<std::uint32_t> ids_;
  RegexKernel<View> kernel_ = nullptr;
  std::uint64_t lead_ = 0;
  std::size_t found_ = 0;
  std::vector<std::int32_t> starts_;
};

template <class View, class Column>
Result<std::size_t> select_checked(const View& table, const Column& column,
                                   const SelectOptions& options, std::span<std::uint32_t> ids) {
  const auto refuse = [](const char* what) {
    return make_error(ErrorCode::kInvalidArgument, what);
  };
  if (column.rows >= std::uint64_t{1} << 32) return refuse("row ids have 32 bits");
  if (ids.size() < column.rows + kRowIdSlack) return refuse("no room for all row ids");
  if (table.pad != pad_of(column)) return refuse("the table is made for another pad byte");
  if (options.unroll != 1 && options.unroll != 2) return refuse("unroll is neither 1 nor 2");
  if (options.chunk_bytes <= RegexJob::kOverRead) return refuse("chunk_bytes is too small");
  if (column.rows == 0) return std::size_t{0};
  return Selection<View, Column>(table, column, options, ids).run();
}

}  // namespace

Result<std::size_t> select_rows(const Table32View& table, const StringColumnView& column,
                                const SelectOptions& options, std::span<std::uint32_t> ids) {
  return select_checked(table, column, options, ids);
}
Result<std::size_t> select_rows(const Table8View& table, const StringColumnView& column,
                                const SelectOptions& options, std::span<std::uint32_t> ids) {
  return select_checked(table, column, options, ids);
}
Result<std::size_t> select_rows(const Table32View& table, const PaddedColumnView& column,
                                const SelectOptions& options, std::span<std::uint32_t> ids) {
  return select_checked(table, column, options, ids);
}
Result<std::size_t> select_rows(const Table8View& table, const PaddedColumnView& column,
                                const SelectOptions& options, std::span<std::uint32_t> ids) {
  return select_checked(table, column, options, ids);
}

}  // namespace presso::strings
