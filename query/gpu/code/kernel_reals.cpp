// SPDX-License-Identifier: MIT
// SourceWriter: what cells take of integers in pieces (RealPart).
#include "query/gpu/code/source_writer.h"

namespace presso::gpu {

/// What a cell takes of an integer that is added up in pieces, as u64.
std::string SourceWriter::part_of(const PipelineCell& cell) const {
  const std::string value = "i64{" + variable_[cell.from.bits] + "}";
  const std::string at = text_of(kShortBits * cell.column);
  if (cell.part == RealPart::kIntegerTop) return "static_cast<u64>(" + value + " >> " + at + ")";
  return "(static_cast<u64>(" + value + ") >> " + at + " & 0xFFFF)";
}

}  // namespace presso::gpu
