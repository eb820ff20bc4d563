// SPDX-License-Identifier: MIT
// The loops of regex_scan.h: vector loops, one set per CPU level, and one for any machine.
#pragma once

#include <cstdint>

#include "lab/strings/dfa_tables.h"

namespace presso::strings {

/// A stretch of rows whose text lies within 2^31 bytes after `text`. All rows may be over-read by
/// kOverRead bytes, and with the aligned forms rows may be read from the multiple of 4 before them.
struct RegexJob {
  static constexpr std::uint64_t kOverRead = 8;

  const Byte* text = nullptr;            ///< for aligned forms a multiple of 4
  const std::int32_t* starts = nullptr;  ///< [rows + 1], from `text`; nullptr: rows of `width`
  std::int32_t first_start = 0;          ///< of row 0, with `width`
  std::int32_t width = 0;
  std::int32_t rows = 0;
  std::uint32_t first_row = 0;  ///< the id of row 0
  std::uint32_t* ids = nullptr;

  std::int32_t start_of(std::int32_t row) const {
    return starts != nullptr ? starts[row] : first_start + row * width;
  }
  std::int32_t length_of(std::int32_t row) const {
    return starts != nullptr ? starts[row + 1] - starts[row] : width;
  }
};

/// Row `row` by the scalar loop; `found` ids are stored so far.
template <class View>
inline void select_scalar(const View& table, const RegexJob& job, std::int32_t row,
                          std::size_t& found) {
  const auto length = static_cast<std::uint64_t>(job.length_of(row));
  job.ids[found] = job.first_row + static_cast<std::uint32_t>(row);
  found += matches(table, job.text + job.start_of(row), length) ? 1 : 0;
}

/// Appends accepted rows to job.ids; returns how many.
template <class View>
using RegexKernel = std::size_t (*)(const View& table, const RegexJob& job);

/// By how text is read: one byte a gather, 4 bytes, or aligned words of which 8 bytes are of use
/// (rows at multiples of 4), 6 (at even places), or 5 (anywhere).
enum RegexText { kTextByte, kTextWord, kTextAligned8, kTextAligned6, kTextAligned5, kRegexTexts };

template <class View>
struct RegexKernels {
  RegexKernel<View> by_text[kRegexTexts][2];  ///< [..][unroll - 1]
};

/// For lanes without vector instructions: 4 of them, or 8.
template <class View>
RegexKernel<View> lane_kernel(unsigned unroll);

#if defined(__x86_64__)
extern const RegexKernels<Table32View> kAvx2Regex32;
extern const RegexKernels<Table8View> kAvx2Regex8;
extern const RegexKernels<Table32View> kAvx512Regex32;
extern const RegexKernels<Table8View> kAvx512Regex8;
#endif

}  // namespace presso::strings
