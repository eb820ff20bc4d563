// SPDX-License-Identifier: MIT
// The vector loops of regex_scan.h, one set per CPU level.
#pragma once

#include <cstdint>

#include "scan/strings/dfa_tables.h"

namespace presso::strings {

/// A stretch of rows whose text lies within 2^31 bytes behind `text`. All rows may be over-read by
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

  const Byte* row(std::int32_t i, std::uint64_t& length) const {
    const std::int32_t start = starts != nullptr ? starts[i] : first_start + i * width;
    length = static_cast<std::uint64_t>(starts != nullptr ? starts[i + 1] - start : width);
    return text + start;
  }
};

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

#if defined(__x86_64__)
extern const RegexKernels<Table32View> kAvx2Regex32;
extern const RegexKernels<Table8View> kAvx2Regex8;
extern const RegexKernels<Table32View> kAvx512Regex32;
extern const RegexKernels<Table8View> kAvx512Regex8;
#endif

}  // namespace presso::strings
