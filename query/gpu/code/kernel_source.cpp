// SPDX-License-Identifier: MIT
// Implements kernel_source.h: the columns that are loaded, the conditions as an expression over
// lane masks, and the program for one row after another. Cells are in kernel_cells.cpp.
#include "query/gpu/code/kernel_source.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "presso/bytes.h"
#include "query/gpu/code/source_writer.h"

namespace presso::gpu {

// --- what the code is to be

std::uint32_t SourceWriter::lane_groups() const {
  // Files of one kind have nearly as many groups: they are to share the code.
  std::uint32_t groups = 1;
  while (groups < of_.groups) groups += groups < 4 ? 1 : groups / 4;
  return groups;
}

void SourceWriter::choose_place() {
  if (of_.place == GroupPlace::kNone) {
    place_ = CellPlace::kCount;
  } else if (of_.place == GroupPlace::kColumns) {
    place_ = CellPlace::kColumns;
  } else if (of_.place == GroupPlace::kTable) {
    place_ = CellPlace::kTable;
  } else if (of_.place == GroupPlace::kRows || of_.place == GroupPlace::kParts) {
    place_ = CellPlace::kWritten;
  } else if (!of_.has_groups) {
    place_ = CellPlace::kOne;
  } else {
    plan_words();
    const std::uint64_t lanes =
        of_.groups > kMostLaneGroups
            ? kMostLaneBytes + 1
            : (lane_groups() + 1) * words_.size() * kLaneCellBytes + lane_groups() * fields_ * 8;
    const std::uint64_t block = of_.groups * (of_.cells + 1) * 8;
    place_ = lanes <= kMostLaneBytes && lane_groups() <= kMostLaneGroups ? CellPlace::kLanes
             : block <= std::min(kMostBlockBytes, shape_.most_shared_bytes / 2)
                 ? CellPlace::kBlock
                 : CellPlace::kDevice;
  }
}

void SourceWriter::choose_sizes() {
  used_ = columns_read(of_).values;
  late_ = used_ & ~std::uint32_t{of_.early_columns};
  // Enough words under way to keep memory busy, in as little code as may be: with 24 words in place
  // of 16 random questions of up to 16 steps take 0.91 to 1.0 of the time, those of 32 up to 1.7.
  constexpr std::uint32_t kEnoughWords = 24;
  constexpr std::uint32_t kEnoughOfHalf = 16;
  constexpr std::uint32_t kLeastSteps = 4;
  steps_ = kLeastSteps;
  if (runs_in_phases()) {
    if (phased_registers(kMostPhasedSteps) <= kMostRegisters) steps_ = kMostPhasedSteps;
  } else {
    // Many conditions make long code.
    constexpr std::size_t kMostTests = 256;
    while (steps_ < kLanes &&
           words_loaded(steps_) < (2 * steps_ < kLanes ? kEnoughWords : kEnoughOfHalf) &&
           2 * steps_ * source_.tests.size() <= kMostTests) {
      steps_ *= 2;
    }
  }
  const std::uint32_t tests =
      std::max<std::uint32_t>(1, static_cast<std::uint32_t>(source_.tests.size()));
  task_bytes_ = some_columns() * 128u + (reads_nulls() ? of_.columns : 1) * 64u +
                tests * (tests_wide() ? 160u : 96u);
  task_bytes_ = static_cast<std::uint32_t>(round_up(task_bytes_, 16));
  if (has_real_columns()) task_bytes_ += of_.columns * kTaskVectors * 32u;  // allow(bare-32): bytes
  warp_bytes_ = task_bytes_;
  if (place_ == CellPlace::kLanes) {
    warp_bytes_ += (lane_groups() + 1) * static_cast<std::uint32_t>(words_.size()) * kLaneCellBytes;
    warp_bytes_ += lane_groups() * (fields_ + 1) * 8;
    warp_bytes_ = static_cast<std::uint32_t>(round_up(warp_bytes_, 16));
  }
  if (place_ == CellPlace::kBlock) {
    block_bytes_ = static_cast<std::uint32_t>(round_up(of_.groups * (of_.cells + 1) * 8, 16));
  }
  source_.threads = place_ == CellPlace::kLanes ? 128 : 256;
  source_.shared_bytes = block_bytes_ + source_.threads / kLanes * warp_bytes_;
}

bool SourceWriter::reads_nulls() const {
  return std::any_of(shape_.columns.begin(), shape_.columns.end(),
                     [](const ColumnShape& column) { return column.has_nulls; });
}

/// Whether a condition compares numbers of more than 32 bits.
bool SourceWriter::tests_wide() const {
  return std::any_of(source_.tests.begin(), source_.tests.end(),
                     [this](const ConditionTest& test) { return is_wide(test.column); });
}

/// The words that a lane loads together, of all columns.
std::uint32_t SourceWriter::words_loaded(std::uint32_t steps) const {
  std::uint32_t all = 0;
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    if (is_real(i)) {
      all += shape_.columns[i].real_bytes / std::uint32_t{sizeof(std::uint32_t)} * steps;
    } else if ((used_ >> i & 1) != 0) {
      all += (shape_.columns[i].width * steps + kLanes - 1) / kLanes;
    }
  }
  return all;
}

/// Thread blocks of a multiprocessor: as many as have room for what a lane keeps in registers.
std::uint32_t SourceWriter::blocks_for_registers() const {
  // Values of more than 32 bits take two registers on their way.
  constexpr std::uint32_t kOfWide = 16;
  // What is known of a vector of doubles, and the number that is cut into limbs.
  const std::uint32_t of_reals = has_reals() ? 16 : 0;
  std::uint32_t some = words_loaded(steps_) + own_registers() + of_reals;
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    if ((used_ >> i & 1) != 0 && is_wide(i)) some += kOfWide;
  }
  std::uint32_t warps = some <= 40 ? kLanes : some <= 64 ? 24 : 16;
  if (runs_in_phases()) {
    const std::uint32_t all = phased_registers(steps_) + of_reals;
    warps = all <= 84 ? 24 : all <= kMostRegisters ? 16 : 8;
  }
  return warps * kLanes / source_.threads;
}

// --- conditions

Status SourceWriter::make_conditions() {
  using Step = ConditionStep::Kind;
  // Rows for which all of `tests` and `text` hold.
  struct Mask {
    std::vector<std::size_t> tests;
    std::string text;         ///< a lane mask; empty: all rows
    std::uint32_t masks = 0;  ///< of QueryArguments::row_bits, without which there is no row
  };
  std::vector<Mask> stack;
  const auto test_of = [this](std::size_t test) {
    const std::size_t column = source_.tests[test].column;
    const std::string both = text_of(test) + ", " + text_of(column);
    if (!is_real(source_.tests[test].column)) return "c.template test<" + both + ">()";
    return "real_test<" + both + ", " + text_of(shape_.columns[column].real_bytes) + ">(c)";
  };
  const auto joined = [](std::string a, const std::string& sign, const std::string& b) {
    if (a.empty() || b.empty()) return a + b;
    return std::move(a) + sign + b;
  };
  /// All of it as a lane mask.
  const auto whole = [&](const Mask& mask) {
    std::string text = mask.text;
    for (const std::size_t test : mask.tests) text = joined(std::move(text), " & ", test_of(test));
    return "(" + text + ")";
  };
  constexpr const char* kAnd = " &\n          ";
  const auto valid = [this](std::uint32_t column) {
    return has_nulls(column) ? "c.template valid<" + text_of(column) + ">()" : std::string("~0u");
  };
  for (std::uint32_t i = 0; i < of_.condition_steps; ++i) {
    const ConditionStep& step = of_.conditions[i];
    const std::string column = text_of(step.column);
    const std::string real_bytes =
        of_.columns == 0 ? std::string() : text_of(shape_.columns[step.column].real_bytes);
    switch (step.kind) {
      case Step::kTrue:
      case Step::kFalse:
        stack.push_back({{}, step.kind == Step::kTrue ? "~0u" : "0u"});
        break;
      case Step::kNull:
        stack.push_back({{}, "~" + valid(step.column)});
        break;
      case Step::kNotNull:
        stack.push_back({{}, valid(step.column)});
        break;
      case Step::kRows:
      case Step::kNoRows: {
        masks_ |= 1u << step.leaf;
        const bool is_not = step.kind == Step::kNoRows;
        Mask mask;
        mask.text =
            (is_not ? "~" : "") + std::string("c.template found<") + text_of(step.leaf) + ">()";
        if (!is_not) mask.masks = 1u << step.leaf;
        stack.push_back(std::move(mask));
        break;
      }
      case Step::kValues: {
        const LeafShape& leaf = shape_.leaves[step.leaf];
        Mask mask;
        std::size_t parts = std::max<std::size_t>(leaf.intervals, 1);
        if (leaf.is_any || source_.tests.size() + parts > kMostConditionTests) {
          const std::string all = text_of(step.leaf) + ", " + column;
          mask.text = is_real(step.column) ? "real_leaf<" + all + ", " + real_bytes + ">(c)"
                                           : "integer_leaf<" + all + ">(c)";
          parts = 0;
        } else if (leaf.has_bits) {
          mask.text = "c.template has_bit<" + text_of(step.leaf) + ", " + column + ">()";
          parts = 0;
        }
        for (std::size_t part = 0; part < parts; ++part) {
          const std::size_t test = source_.tests.size();
          source_.tests.push_back({step.leaf, step.column, static_cast<Byte>(part), false});
          if (parts == 1) {
            mask.tests.push_back(test);
          } else {
            mask.text = joined(std::move(mask.text), " | ", test_of(test));
          }
        }
        if (parts > 1) mask.text = "(" + mask.text + ")";
        if (has_nulls(step.column)) mask.text = joined(mask.text, " & ", valid(step.column));
        stack.push_back(std::move(mask));
        break;
      }
      case Step::kAnd:
      case Step::kOr: {
        const Mask top = std::move(stack.back());
        stack.pop_back();
        Mask& below = stack.back();
        if (step.kind == Step::kAnd) {
          below.tests.insert(below.tests.end(), top.tests.begin(), top.tests.end());
          below.text = joined(below.text, " & ", top.text);
          below.masks |= top.masks;
        } else {
          below = {{}, "(" + whole(below) + " | " + whole(top) + ")"};
        }
        break;
      }
      case Step::kKeep:
        for (const std::size_t test : stack.back().tests) {
          source_.tests[test].is_needed = true;
          if (!is_real(source_.tests[test].column)) continue;
          condition_ = joined(condition_, kAnd, test_of(test));
        }
        needed_masks_ |= stack.back().masks;
        condition_ = joined(condition_, kAnd, stack.back().text);
        stack.pop_back();
        break;
    }
  }
  return {};
}

// --- the program

/// A constant as the code names it; its value is an argument.
std::string SourceWriter::constant(std::int64_t value, bool is_wide) {
  auto& known = is_wide ? wide_constants_ : narrow_constants_;
  const auto [place, is_new] = known.try_emplace(value, source_.constants.size());
  if (is_new) source_.constants.push_back(value);
  const std::string name = "q.constants[" + text_of(place->second) + "]";
  return is_wide ? "i64{" + name + "}" : "static_cast<i32>(" + name + ")";
}

/// What a step reads, as a number of 32 or 64 bits.
std::string SourceWriter::operand(const PipelineStep& step, bool is_a, bool is_wide,
                                  Statement& of) {
  if (is_a ? step.a_is_constant : step.b_is_constant) return constant(step.constant, is_wide);
  const std::string& name = variable_[(is_a ? step.a : step.b).bits];
  of.reads.push_back(name);
  return is_wide ? "i64{" + name + "}" : name;
}

std::string SourceWriter::valid_bit(std::uint32_t columns) const {
  std::string text;
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    if ((columns >> i & 1) == 0 || !has_nulls(i)) continue;
    text += (text.empty() ? "" : " && ") + std::string("(n") + text_of(i) + " >> step & 1) != 0";
  }
  return text;
}

Status SourceWriter::make_step(const PipelineStep& step, unsigned number) {
  Statement made;
  made.name = "v" + text_of(number);
  const bool to_wide = step.to.is_wide();
  const std::string declared = (to_wide ? "const i64 " : "const i32 ") + made.name + " = ";
  const std::string column = text_of(step.column);
  const bool is_wide = to_wide || (!step.a_is_constant && step.a.is_wide()) ||
                       (!step.b_is_constant && step.b.is_wide()) ||
                       static_cast<std::int32_t>(step.constant) != step.constant;
  const auto binary = [&](const char* function) {
    const std::string value = std::string(function) + "(" + operand(step, true, is_wide, made) +
                              ", " + operand(step, false, is_wide, made) + ")";
    made.text = declared + (to_wide || !is_wide ? value : "static_cast<i32>(" + value + ")") + ";";
  };
  const auto compare = [&](const char* sign) {
    made.text = declared + "(" + operand(step, true, is_wide, made) + sign +
                operand(step, false, is_wide, made) + " ? 1 : 0);";
  };
  switch (step.kind) {
    case Kind::kLoad:
    case Kind::kLoadCode: {
      const std::string valid = valid_bit(1u << step.column);
      const bool is_code =
          step.kind == Kind::kLoadCode && !shape_.columns[step.column].codes_are_numbers;
      std::string value = is_code ? "c.template code<" + column + ">(step, there" +
                                        (valid.empty() ? "" : " && " + valid) + ")"
                          : is_real(step.column) ? real_value(step.column, to_wide)
                          : to_wide              ? "c.template wide<" + column + ">(step)"
                                                 : "c.template narrow<" + column + ">(step)";
      const bool may_be_null = (of_.nullable_columns >> step.column & 1) != 0;
      if (step.b_is_constant && may_be_null) {
        value = "not_null(" + value + ", " + constant(step.constant, to_wide) + ")";
      }
      if (!valid.empty()) {
        value = valid + " ? " + value + " : " + constant(step.constant, to_wide);
      }
      if (is_code) coded_ |= 1u << step.column;
      made.comment = "column " + column + (is_code ? ", the number of its code" : "");
      made.text = declared + value + ";";
      break;
    }
    case Kind::kRow:
      made.comment = "the row's number";
      made.text = declared + "static_cast<" + (to_wide ? "i64" : "i32") + ">(c.row(step));";
      break;
    case Kind::kConstant:
      made.text = declared + constant(step.constant, to_wide) + ";";
      break;
    case Kind::kAdd:
      binary("added");
      break;
    case Kind::kSubtract:
      binary("subtracted");
      break;
    case Kind::kMultiply: {
      binary("multiplied");
      const bool of_narrow = (step.a_is_constant || !step.a.is_wide()) &&
                             (step.b_is_constant || !step.b.is_wide()) &&
                             static_cast<std::int32_t>(step.constant) == step.constant;
      if (of_narrow) {
        Statement unused;
        factors_[made.name] = {operand(step, true, false, unused),
                               operand(step, false, false, unused)};
      }
      break;
    }
    case Kind::kEqual:
      compare(" == ");
      break;
    case Kind::kNotEqual:
      compare(" != ");
      break;
    case Kind::kLess:
      compare(" < ");
      break;
    case Kind::kLessEqual:
      compare(" <= ");
      break;
    case Kind::kNot:
      made.text = declared + "(" + operand(step, true, step.a.is_wide(), made) + " == 0 ? 1 : 0);";
      break;
    case Kind::kFilter:
      made.comment = "rows for which it is not true are dropped";
      made.text = "there = there && " + operand(step, true, step.a.is_wide(), made) + " != 0;";
      made.name.clear();
      made.is_ordered = made.drops_in_loop = true;
      drops_rows_ = true;
      program_.push_back(std::move(made));
      return {};
    case Kind::kReal:
      made.text = declared + real_step(step, made) + ";";
      break;
    case Kind::kGroup:
      make_group(step, made);
      break;
    default:
      return make_join_step(step, number);
  }
  variable_[step.to.bits] = made.name;
  program_.push_back(std::move(made));
  return {};
}

Status SourceWriter::make_program() {
  for (unsigned i = 0; i < of_.steps && !marks_only_; ++i) {
    PRESSO_TRY(make_step(of_.program[i], i));
  }
  if (of_.has_groups) group_ = variable_[of_.group_register.bits];
  for (std::uint32_t i = 0; i < of_.cells; ++i) {
    if (is_of_reals(of_.cell[i])) constant(of_.cell[i].unit, false);
  }
  return {};
}

/// Whether a cell takes something of a row.
std::string SourceWriter::takes_of(const PipelineCell& cell) const {
  std::string text = "there";
  const std::string valid = valid_bit(cell.valid_columns);
  if (!valid.empty()) text += " && " + valid;
  if (cell.has_valid) text += " && " + variable_[cell.valid.bits] + " != 0";
  return text;
}

/// A cell's value as u64; one that is not negative needs no sign.
std::string SourceWriter::as_unsigned(const PipelineCell& cell) const {
  const std::string& name = variable_[cell.from.bits];
  if (cell.bits != 0 && !cell.from.is_wide()) return "u64{static_cast<u32>(" + name + ")}";
  return "static_cast<u64>(i64{" + name + "})";
}

/// What a cell takes of a row, as u64.
std::string SourceWriter::value_of(const PipelineCell& cell) const {
  const std::string name = variable_[cell.from.bits];
  if (cell.part != RealPart::kNone) return part_of(cell);
  switch (cell.kind) {
    case CellKind::kCount:
      return "u64{1}";
    case CellKind::kSumLow:
      return "u64{static_cast<u32>(" + name + ")}";
    case CellKind::kSumHigh:
      return "static_cast<u64>(i64{" + name + "} >> 32)";
    case CellKind::kMin:
    case CellKind::kMax:
      return "image(" + name + ")";
    default:
      return as_unsigned(cell);
  }
}

// --- the text

void SourceWriter::write_header() {
  line(0, "// Generated by presso for one shape of question: " + text_of(of_.columns) +
              " columns, " + text_of(source_.tests.size()) + " ranges, " + text_of(of_.cells) +
              " cells.");
  include_finders();
  if (place_ == CellPlace::kTable) {
    line(0, "#include \"query/gpu/kernels/group_table.cuh\"");
  }
  if (place_ == CellPlace::kWritten) line(0, "#include \"query/gpu/code/row_places.cuh\"");
  if (has_reals()) line(0, "#include \"query/gpu/code/real_columns.cuh\"");
  line(0, "");
  line(0, "namespace presso::gpu::code {");
  line(0, "namespace {");
  line(0, "");
  line(0, "struct Question {");
  const std::string table =
      "TaskTable<" + text_of(some_columns()) + ", " + text_of(source_.tests.size()) + ", " +
      (reads_nulls() ? "true" : "false") + ", " + (tests_wide() ? "true" : "false") + ">";
  line(1, "using Task = " + (has_real_columns() ? "RealTask<" + table + ">" : table) + ";");
  const auto number = [this](const char* name, std::uint64_t value) {
    line(1, "static constexpr u32 " + std::string(name) + " = " + text_of(value) + ";");
  };
  number("kColumns", of_.columns);
  number("kTests", source_.tests.size());
  number("kSteps", steps_);
  number("kWarps", source_.threads / kLanes);
  number("kTaskBytes", task_bytes_);
  number("kWarpBytes", warp_bytes_);
  line(1, std::string("static constexpr bool kLoadsLate = ") + (late_ != 0 ? "true;" : "false;"));
  line(1, std::string("static constexpr bool kNotesFirstRows = ") +
              (notes_first_rows() ? "true;" : "false;"));
  line(1, std::string("static constexpr bool kWantsBits = ") +
              (of_.matched_bits != nullptr ? "true;" : "false;"));
  line(1,
       std::string("static constexpr bool kCountsPairs = ") + (has_chains_ ? "true;" : "false;"));
  line(1, "struct Columns;");
  line(1, "struct Cells;");
  line(1, "template <class C>");
  line(1, "static PRESSO_DEVICE u32 rows_that_hold(const C& c);");
  line(1, "template <class C>");
  line(1,
       "static PRESSO_DEVICE u32 take(const QueryArguments& q, const C& c, const Place& at, u32 "
       "mask, Cells& cells);");
  if (notes_first_rows()) {
    line(1, "template <class C>");
    line(1,
         "static PRESSO_DEVICE void note_first_rows(const QueryArguments& q, const C& all, u32 "
         "mask, Cells& cells);");
  }
  line(0, "};");
  line(0, "static_assert(sizeof(Question::Task) <= Question::kTaskBytes);");
  line(0, "");
}

void SourceWriter::write_columns() {
  line(0, "struct Question::Columns : UsualColumns<Question::Columns, Question::Task> {");
  line(1, "static constexpr u32 kSteps = Question::kSteps;");
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    const std::string type = is_real(i)   ? real_column(i)
                             : is_wide(i) ? "PackedWide<" + text_of(width_of(i))
                                          : "Packed<" + text_of(width_of(i));
    line(1, type + ", kSteps> c" + text_of(i) + ";");
  }
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    if (has_map(i)) line(1, "CodeMap m" + text_of(i) + ";");
    if (has_nulls(i)) line(1, "u32 n" + text_of(i) + ";  // rows of the vector that are not null");
  }
  for (std::uint32_t i = 0; i < kMostRowMasks; ++i) {
    if ((masks_ >> i & 1) != 0) line(1, "u32 r" + text_of(i) + ";  // rows that were found before");
  }
  line(1,
       "PRESSO_DEVICE Columns(const QueryArguments& arguments, const Task& table, const Place& "
       "place, u32 number, u32 rows)");
  line(3, ": UsualColumns<Columns, Task>{{arguments, table, place, number, rows}} {");
  if (of_.columns != 0) line(2, "load_bases();");
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    if (!has_map(i)) continue;
    const std::string column = text_of(i);
    line(2, "m" + column + ".load<" + text_of(shape_.columns[i].width) + ">(arguments, " + column +
                ", place.row_group, base[" + column + "]);");
  }
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    if (has_nulls(i)) line(2, "n" + text_of(i) + " = valid_rows(" + text_of(i) + ");");
  }
  for (std::uint32_t i = 0; i < kMostRowMasks; ++i) {
    if ((masks_ >> i & 1) != 0) line(2, "r" + text_of(i) + " = found_rows(" + text_of(i) + ");");
  }
  line(1, "}");
  std::string needed;
  for (std::uint32_t i = 0; i < kMostRowMasks; ++i) {
    if ((needed_masks_ >> i & 1) != 0) needed += (needed.empty() ? "r" : " & r") + text_of(i);
  }
  line(1, "/// Whether some row may fulfil the conditions, by what was found before.");
  line(1, "PRESSO_DEVICE bool may_match() const {");
  if (place_ == CellPlace::kTable) {
    line(2, "if (simt::any(is_full(q))) return false;  // the query has to begin again");
  }
  line(2, needed.empty() ? "return true;" : "return simt::any((" + needed + ") != 0);");
  line(1, "}");
  if (masks_ != 0) {
    line(1, "template <u32 kNumber>");
    line(1, "PRESSO_DEVICE u32 found() const {");
    for (std::uint32_t i = 0; i < kMostRowMasks; ++i) {
      if ((masks_ >> i & 1) == 0) continue;
      line(2, "if constexpr (kNumber == " + text_of(i) + ") return r" + text_of(i) +
                  " >> (chunk * kSteps % 32);");
    }
    line(1, "}");
  }
  const auto load = [this](std::uint32_t columns) {
    for (std::uint32_t i = 0; i < of_.columns; ++i) {
      if ((columns >> i & 1) == 0) continue;
      const std::string column = text_of(i);
      line(2, "c" + column + ".load(" + (is_real(i) ? "real(" : "words(") + column + "), chunk" +
                  (is_wide(i) ? ", at.rows);" : ");"));
    }
  };
  line(1, "PRESSO_DEVICE void load(u32 number) {");
  line(2, "chunk = number;");
  load(used_ & ~late_);
  line(1, "}");
  if (late_ != 0) {
    line(1, "PRESSO_DEVICE void load_late() {");
    load(late_);
    line(1, "}");
  }
  const auto by_column = [this](const char* head, const auto& value) {
    if (of_.columns == 0) return;
    line(1, "template <u32 kColumn>");
    line(1, head);
    for (std::uint32_t i = 0; i < of_.columns; ++i) {
      const std::string text = value(i);
      if (i + 1 < of_.columns) {
        line(2, "if constexpr (kColumn == " + text_of(i) + ") return " + text + ";");
        line(2, "else");
      } else {
        line(2, "return " + text + ";");
      }
    }
    line(1, "}");
  };
  by_column("PRESSO_DEVICE const auto& packed() const {",
            [](std::uint32_t i) { return "c" + text_of(i); });
  by_column("static constexpr PRESSO_DEVICE u32 width() {",
            [this](std::uint32_t i) { return text_of(width_of(i)); });
  by_column("static constexpr PRESSO_DEVICE bool has_map() {",
            [this](std::uint32_t i) { return std::string(has_map(i) ? "true" : "false"); });
  if (std::any_of(shape_.columns.begin(), shape_.columns.end(),
                  [](const ColumnShape& column) { return column.has_few_codes; })) {
    line(1, "template <u32 kColumn>");
    line(1, "PRESSO_DEVICE const CodeMap& map() const {");
    for (std::uint32_t i = 0; i < of_.columns; ++i) {
      if (has_map(i))
        line(2, "if constexpr (kColumn == " + text_of(i) + ") return m" + text_of(i) + ";");
    }
    line(1, "}");
  }
  by_column("PRESSO_DEVICE u32 valid() const {", [this](std::uint32_t i) {
    return has_nulls(i) ? "n" + text_of(i) + " >> (chunk * kSteps % 32)" : std::string("~0u");
  });
  line(0, "};");
  line(0, "");
}

void SourceWriter::write_conditions() {
  line(0, "template <class C>");
  line(0, "PRESSO_DEVICE u32 Question::rows_that_hold(const C& c) {");
  // Columns are compared in the order in which they are loaded: on an H200 two of them took 10 %
  // longer in the other one, as the first comparison waited for the last words.
  std::vector<std::size_t> needed;
  for (std::size_t i = 0; i < source_.tests.size(); ++i) {
    if (source_.tests[i].is_needed && !is_real(source_.tests[i].column)) needed.push_back(i);
  }
  std::stable_sort(needed.begin(), needed.end(), [this](std::size_t a, std::size_t b) {
    return source_.tests[a].column < source_.tests[b].column;
  });
  std::string tests;
  for (const std::size_t i : needed) {
    tests += (tests.empty() ? "" : " & ") + std::string("c.template holds<") + text_of(i) + ", " +
             text_of(source_.tests[i].column) + ">(step)";
  }
  if (tests.empty()) {
    line(1, "u32 mask = low_ones(C::kSteps);");
  } else {
    line(1, "u32 mask = 0;");
    line(1, "PRESSO_UNROLL");
    line(1, "for (u32 step = 0; step < C::kSteps; ++step) {");
    line(2, "if (" + tests + ") mask |= 1u << step;");
    line(1, "}");
  }
  if (!condition_.empty()) line(1, "mask &= " + condition_ + ";");
  line(1, "return mask;");
  line(0, "}");
  line(0, "");
}

Result<KernelSource> SourceWriter::write() {
  PRESSO_TRY(make_conditions());
  PRESSO_TRY(make_program());
  choose_place();
  if (runs_in_phases()) plan_phases();
  choose_sizes();
  write_header();
  write_columns();
  write_conditions();
  write_cells();
  write_take();
  line(0, "}  // namespace");
  line(0, "}  // namespace presso::gpu::code");
  line(0, "");
  const std::uint32_t blocks = blocks_for_registers();
  const auto write_kernel = [&](const std::string& name, const std::string& function) {
    line(0, "PRESSO_KERNEL(" + name + ", " + text_of(source_.threads) + ", " + text_of(blocks) +
                ") {");
    line(1, "presso::gpu::code::" + function + "<presso::gpu::code::Question>(q);");
    line(0, "}");
  };
  write_kernel(kUsualKernel, "run_usual");
  if (shape_.has_others) write_kernel(kOthersKernel, "run_others");
  return std::move(source_);
}

Result<KernelSource> source_of(const Pipeline& pipeline, const QueryShape& shape) {
  return SourceWriter(pipeline, shape).write();
}

}  // namespace presso::gpu
