// SPDX-License-Identifier: MIT
// SourceWriter: rows whose groups are found by their keys, and rows that are written to arrays.
// Both are parts of phases (kernel_joins.cpp): keys of all steps are looked for at once, so that
// their loads overlap, and a warp reserves places for all rows that it writes by one addition.
#include "query/gpu/code/source_writer.h"
#include "query/gpu/kernels/group_part_plan.h"

namespace presso::gpu {

/// Finds the places that the rows' keys have in the table of groups.
void SourceWriter::make_group(const PipelineStep& step, Statement& made) {
  made.comment = "the key whose place in the table is the row's group";
  made.text = "keys[step] = static_cast<u64>(" + operand(step, true, true, made) + ");";
  made.array = "u64 keys[C::kSteps];\nu32 groups[C::kSteps];\nu64 firsts[C::kSteps];";
  made.again = "const i32 " + made.name + " = static_cast<i32>(groups[step]);";
  made.is_ordered = made.is_late = true;
  made.registers = 3;
  made.while_it_loads = 6;
  made.behind = {
      "mask = find_groups_of_steps(q, mask, keys, groups);",
      "// The first rows that the groups have, asked for together; until they are used they may",
      "// only fall.",
      "PRESSO_UNROLL",
      "for (u32 step = 0; step < C::kSteps; ++step) {",
      "  const volatile u64* const first = q.cells + u64{groups[step]} * q.group_words;",
      "  firsts[step] = simt::has_bit(mask, step) ? *first : 0;",
      "}"};
}

/// Writes a value of the row to an array of Pipeline::output.
void SourceWriter::write_value(std::uint32_t array, const std::string& value) {
  const char* const type = of_.output[array].to.is_wide ? "u64" : "u32";
  line(2, std::string("places.write<") + type + ">(q.arrays_out[" + text_of(array) +
              "], static_cast<" + type + ">(" + value + "));");
}

/// At the end of the loop over steps: the row goes to the arrays.
void SourceWriter::write_row() {
  line(2, "if (!places.advance(there)) continue;");
  if (of_.place == GroupPlace::kRows) {
    for (std::uint32_t i = 0; i < of_.outputs; ++i) {
      write_value(i, variable_[of_.output[i].from.bits]);
    }
    return;
  }
  write_value(kKeyArray, "i64{" + group_ + "}");
  write_value(kOrderArray, order_of_row());
  std::uint32_t array = kCellArrays;
  for (std::uint32_t i = 0; i < of_.cells; ++i) {
    const PipelineCell& cell = of_.cell[i];
    if (word_of(cell) == CellWord::kNone) continue;
    // A row that the cell does not count gets what changes nothing.
    const char* const initial = cell.kind == CellKind::kMin ? "~u64{0}" : "u64{0}";
    write_value(array++, takes_all(cell) ? value_of(cell)
                                         : "(" + takes_of(cell) + " ? " + value_of(cell) + " : " +
                                               initial + ")");
  }
}

}  // namespace presso::gpu
