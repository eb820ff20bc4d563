// SPDX-License-Identifier: MIT
// Which rows of a column an automaton accepts, a string per vector lane. Sources: S6.1, S6.5-S6.7.
// One automaton step is two gathers, of text and of table rows, for all lanes at once; a lane whose
// string ended stores its row id (branchless: a selective store) and takes the next row. Lanes wait
// for memory together, so it pays most where tables and text come from caches; strings that end
// early cost nothing but their refill. Tested by lab/tests/regex_scan_test.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "lab/strings/dfa_tables.h"
#include "lab/strings/string_column.h"
#include "presso/cpu.h"
#include "presso/error.h"

namespace presso::strings {

/// How a lane's text bytes are loaded.
enum class TextGather {
  kByte,     ///< a gather for every byte
  kWord,     ///< a gather of 4 bytes at any address, for 4 steps
  kAligned,  ///< two gathers at multiples of 4 and a shift, for 5 to 8 steps (S6.6)
  kNone,     ///< lanes of scalar loads, on any CPU; `level` does not matter
};

struct SelectOptions {
  CpuLevel level = cpu_level();  ///< kPortable with a gather: a loop over rows (S6.3)
  TextGather gather = TextGather::kWord;
  unsigned unroll = 2;  ///< groups of lanes side by side, 1 or 2 (of 4 with kNone)
  /// Gathers have 32-bit offsets, counted from zero again after this many bytes; longer strings are
  /// read by the scalar loop. At most 2^31 - 1.
  std::uint64_t chunk_bytes = (std::uint64_t{1} << 31) - 1;
};

/// `ids` needs room for this many more than there are rows.
constexpr std::size_t kRowIdSlack = 16;

/// Writes the ids of accepted rows to `ids`, in no particular order, and returns how many. Reads
/// nothing outside the column. For padded columns the table must be made with the column's pad
/// byte, for others without one. kInvalidArgument: that does not hold, `ids` is too small, the
/// column has 2^32 rows or more, `unroll` is neither 1 nor 2.
Result<std::size_t> select_rows(const Table32View& table, const StringColumnView& column,
                                const SelectOptions& options, std::span<std::uint32_t> ids);
Result<std::size_t> select_rows(const Table8View& table, const StringColumnView& column,
                                const SelectOptions& options, std::span<std::uint32_t> ids);
Result<std::size_t> select_rows(const Table32View& table, const PaddedColumnView& column,
                                const SelectOptions& options, std::span<std::uint32_t> ids);
Result<std::size_t> select_rows(const Table8View& table, const PaddedColumnView& column,
                                const SelectOptions& options, std::span<std::uint32_t> ids);

}  // namespace presso::strings
