// SPDX-License-Identifier: MIT
// What of a file the search of a part of it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/line_parts.h"

namespace presso::python {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// In the order in which they are read, at most some dozens: begin, index and line facts, and the
/// blocks in which a match may begin. What little stands between two is read with them. `index`: of
/// the file that was divided.
std::vector<ByteRange> ranges_of(const ArchiveIndex& index, const LinePart& part);

}  // namespace presso::python
