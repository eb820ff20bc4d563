// SPDX-License-Identifier: MIT
// Finds which bytes of a file the search of a part of it reads, so that they can be fetched from
// far away before they are needed. Tested by python/tests/test_partitions.py. It declines nothing:
// too many ranges are joined to fewer and longer ones.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/line_parts.h"

namespace presso::python {

/// A range of bytes of the file, the end excluded.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The ranges in the order in which they are read, at most some dozens: begin, index and line
/// facts, and the blocks in which a match may begin. Small gaps between two ranges are read with
/// them. `index` is that of the file that was divided.
std::vector<ByteRange> ranges_of(const ArchiveIndex& index, const LinePart& part);

}  // namespace presso::python
