// SPDX-License-Identifier: MIT
// SourceWriter: rows whose groups are found by their keys, and rows that are written to arrays. The
// rows of all steps that a lane has loaded are told first, and then taken together: keys, so that
// places of several are asked for at once, and rows that are written, so that a warp reserves
// places for them at once. What a step computes may be computed twice, or kept, as the compiler
// likes.
#include "query/gpu/code/source_writer.h"
#include "query/gpu/kernels/group_part_plan.h"

namespace presso::gpu {

/// Before the loop over steps that adds to cells: the places that the rows' keys have.
void SourceWriter::write_keys() {
  line(1, "u64 keys[C::kSteps];");
  line(1, "PRESSO_UNROLL");
  line(1, "for (u32 step = 0; step < C::kSteps; ++step) {");
  line(2, "bool there = simt::has_bit(mask, step);");
  write_statements(2, Steps::kOfKey);
  line(2, "keys[step] = static_cast<u64>(" + key_ + ");");
  line(2, "if (!there) mask &= ~(1u << step);");
  line(1, "}");
  line(1, "u32 groups[C::kSteps];");
  line(1, "const u32 with_group = find_groups_of_steps(q, mask, keys, groups);");
  line(1,
       "// The first rows that the groups have, asked for together; until they are used they may");
  line(1, "// only fall.");
  line(1, "u64 firsts[C::kSteps];");
  line(1, "PRESSO_UNROLL");
  line(1, "for (u32 step = 0; step < C::kSteps; ++step) {");
  line(2, "const volatile u64* const first = q.cells + u64{groups[step]} * q.group_words;");
  line(2, "firsts[step] = simt::has_bit(with_group, step) ? *first : 0;");
  line(1, "}");
}

/// Writes a row's value to an array of Pipeline::output.
void SourceWriter::write_row(std::uint32_t array, const std::string& value) {
  const char* const type = of_.output[array].to.is_wide ? "u64" : "u32";
  line(2, std::string("places.write<") + type + ">(q.arrays_out[" + text_of(array) +
              "], static_cast<" + type + ">(" + value + "));");
}

void SourceWriter::write_rows() {
  if (drops_rows_) {
    line(1, "PRESSO_UNROLL");
    line(1, "for (u32 step = 0; step < C::kSteps; ++step) {");
    line(2, "bool there = simt::has_bit(mask, step);");
    write_statements(2, Steps::kAll);
    line(2, "if (!there) mask &= ~(1u << step);");
    line(1, "}");
  }
  line(1, "RowPlaces places(q, mask);");
  line(1, "PRESSO_UNROLL");
  line(1, "for (u32 step = 0; step < C::kSteps; ++step) {");
  line(2, "[[maybe_unused]] const bool there = simt::has_bit(mask, step);");
  write_statements(2, Steps::kOfRow);
  line(2, "if (!places.advance(there)) continue;");
  if (of_.place == GroupPlace::kRows) {
    for (std::uint32_t i = 0; i < of_.outputs; ++i) {
      const RegisterPlace from = of_.output[i].from;
      write_row(i, variable_[from.bits]);
    }
  } else {
    write_row(kKeyArray, "i64{" + group_ + "}");
    write_row(kOrderArray, "c.row(step)");
    std::uint32_t array = kCellArrays;
    for (std::uint32_t i = 0; i < of_.cells; ++i) {
      const PipelineCell& cell = of_.cell[i];
      if (word_of(cell) == CellWord::kNone) continue;
      // A row that the cell does not count gets what changes nothing.
      const char* const initial = cell.kind == CellKind::kMin ? "~u64{0}" : "u64{0}";
      write_row(array++, takes_all(cell) ? value_of(cell)
                                         : "(" + takes_of(cell) + " ? " + value_of(cell) + " : " +
                                               initial + ")");
    }
  }
  line(1, "}");
}

}  // namespace presso::gpu
