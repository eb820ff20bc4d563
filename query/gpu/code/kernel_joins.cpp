// SPDX-License-Identifier: MIT
// SourceWriter: rows that are joined with those of other tables. A lane takes its rows step by step
// in phases. What a phase loads from memory, build rows and their values, is read by later phases
// only, so that the loads of all steps are under way together. A phase that drops rows ends with
// the question whether the warp has any left. Where a key may have several build rows, everything
// behind its lookup stands in a loop, which goes on while a lane has another one.
//
//   for (step) k0[step] = key          // phase 0
//   find(k0, mask, b0)
//   mask = with_rows(b0)
//   if (simt::any(mask != 0)) {
//     for (step) g1[step] = gathered(arrays[0], b0[step])
//     for (step) add g1[step] to cells
//   }
#include <algorithm>
#include <cstddef>
#include <set>

#include "query/gpu/code/source_writer.h"

namespace presso::gpu {

// --- steps of the program

Status SourceWriter::make_join_step(const PipelineStep& step, unsigned number) {
  is_joined_ = true;
  Statement made;
  made.name = "v" + text_of(number);
  const std::string own = text_of(number);
  const bool to_wide = step.to.is_wide();
  const char* const type = to_wide ? "i64" : "i32";
  const auto row = [&] {
    const std::string& from = variable_[step.a.bits];
    made.reads.push_back(from);
    return from;
  };
  switch (step.kind) {
    case Kind::kFind:
    case Kind::kFindAny:
    case Kind::kFindNone:
    case Kind::kFindOrNone:
      make_find(step, made);
      finds_[step.column] = program_.size();
      break;
    case Kind::kCheckAny:
    case Kind::kCheckNone:
    case Kind::kCheckOrNone:
      make_check(step, made);
      break;
    case Kind::kMark:
    case Kind::kMarkOnly: {
      made.comment = "the build row has found a partner";
      const std::string from = row();
      made.text = "if (there && " + from + " != -1) mark_build_row(q.marks[" +
                  text_of(step.column) + "], static_cast<u32>(" + from + "));";
      made.name.clear();
      made.is_ordered = true;
      marks_only_ = step.kind == Kind::kMarkOnly;
      break;
    }
    case Kind::kGather: {
      const bool is_wide = of_.arrays[step.column].is_wide;
      const std::string from = row();
      const std::string place =
          step.a.is_wide() ? "static_cast<u64>(" + from + ")" : "static_cast<u32>(" + from + ")";
      made.comment = "array " + text_of(step.column);
      made.text = "g" + own + "[step] = static_cast<" + type + ">(gathered<" +
                  (is_wide ? "true" : "false") + ">(q.arrays[" + text_of(step.column) + "], " +
                  place + ", " + constant(step.constant, true) + "));";
      made.array = std::string(type) + " g" + own + "[C::kSteps];";
      made.again = std::string("const ") + type + " " + made.name + " = g" + own + "[step];";
      made.registers = to_wide ? 2 : 1;
      made.is_late = true;
      break;
    }
    default:
      return not_compiled("a step that is not known");
  }
  if (!made.name.empty()) variable_[step.to.bits] = made.name;
  program_.push_back(std::move(made));
  return {};
}

/// Looks up the keys of all steps at once.
void SourceWriter::make_find(const PipelineStep& step, Statement& made) {
  const std::string own = made.name.substr(1);
  const Lookup& lookup = of_.lookups[step.column];
  const bool has_row = step.kind == Kind::kFind || step.kind == Kind::kFindOrNone;
  const std::string in = "q.lookups[" + text_of(step.column) + "]";
  made.comment = "keys of lookup " + text_of(step.column);
  made.text = "k" + own + "[step] = static_cast<u64>(" + operand(step, true, true, made) + ");";
  made.array = "u64 k" + own + "[C::kSteps];\nu32 b" + own + "[C::kSteps];";
  made.again = "const i32 " + made.name + " = static_cast<i32>(b" + own + "[step]);";
  made.lookup = in;
  made.is_ordered = true;
  made.is_late = true;
  if (has_row && lookup.next != nullptr) made.chain = own;
  made.registers = (has_row ? 1 : 0) + (made.chain.empty() ? 0 : 2);
  std::string finder;
  switch (lookup.form) {
    case LookupForm::kArray:
      made.while_it_loads = 3;
      finders_.insert("key_array.cuh");
      finder = "KeyArray<u64>{" + in + ".places, " + in + ".least, " + in + ".last}";
      break;
    case LookupForm::kTable:
      made.while_it_loads = 7;
      finders_.insert("key_table.cuh");
      finder = "KeyTable<u64>{static_cast<KeyUnit<u64>*>(" + in + ".units), " + in + ".unit_count}";
      break;
    case LookupForm::kAscending:
      made.while_it_loads = 5;
      finders_.insert("key_search.cuh");
      finder = "KeySearch{static_cast<const u64*>(" + in + ".units), " + in + ".places, " + in +
               ".unit_count}";
      break;
  }
  made.behind.push_back(finder + ".find(0, k" + own + ", mask, b" + own + ", nullptr);");
  if (step.kind == Kind::kFindNone) {
    made.behind.push_back("mask &= ~with_rows(b" + own + ");");
  } else if (step.kind != Kind::kFindOrNone) {
    made.behind.push_back("mask = with_rows(b" + own + ");");
  }
  has_chains_ = has_chains_ || !made.chain.empty();
  if (!has_row) made.name.clear();
}

/// Pairs of a row and one of its build rows after another: whether they belong together.
void SourceWriter::make_check(const PipelineStep& step, Statement& made) {
  const std::string own = made.name.substr(1);
  Statement& find = program_[finds_.at(step.column)];
  const std::string row = variable_[step.a.bits];
  made.reads.push_back(row);
  made.comment = "pairs of lookup " + text_of(step.column) + " that belong together";
  made.text = "const bool p" + own + " = there && " + row + " != -1 && " +
              operand(step, false, step.b.is_wide(), made) + " != 0;\n";
  // Whether the row has had a pair, and whether this is its last build row.
  const std::string had = find.chain.empty() ? "false" : "(h" + find.chain + " >> step & 1) != 0";
  const std::string is_last = find.chain.empty() ? "true" : "x" + find.chain + "[step] == kNoRow";
  find.is_checked = true;
  find.ends_with_pair = step.kind != Kind::kCheckOrNone;
  const std::string lone = "(there && !p" + own + " && !(" + had + ") && " + is_last + ")";
  if (step.kind == Kind::kCheckAny) {
    made.text += "there = p" + own + " && !(" + had + ");";
  } else if (step.kind == Kind::kCheckNone) {
    made.text += "there = " + lone + ";";
  } else {
    made.text += "there = p" + own + " || " + lone + ";";
    made.text += "\nconst i32 " + made.name + " = p" + own + " ? " + row + " : -1;\nc" + own +
                 "[step] = " + made.name + ";";
    made.registers = 1;
    made.array = "i32 c" + own + "[C::kSteps];";
    made.again = "const i32 " + made.name + " = c" + own + "[step];";
  }
  if (!find.chain.empty())
    made.text += "\nh" + find.chain + " |= (p" + own + " ? 1u : 0u) << step;";
  if (step.kind != Kind::kCheckOrNone) made.name.clear();
  made.is_ordered = made.drops_in_loop = true;
  drops_rows_ = true;
}

/// The headers that all code needs, and those of joins.
void SourceWriter::include_finders() {
  line(0, std::string("#include \"query/gpu/code/") +
              (is_joined_ ? "joined_rows.cuh\"" : "query_kernel.cuh\""));
  for (const std::string& header : finders_) {
    line(0, "#include \"query/gpu/join/" + header + "\"");
  }
}

// --- phases

/// Names of values that cells, and a row's group, are made of.
std::vector<std::string> SourceWriter::read_by_cells() const {
  std::vector<std::string> names;
  if (marks_only_) return names;
  if (of_.place == GroupPlace::kRows) {
    for (std::uint32_t i = 0; i < of_.outputs; ++i) {
      names.push_back(variable_[of_.output[i].from.bits]);
    }
    return names;
  }
  for (std::uint32_t i = 0; i < of_.cells; ++i) {
    const PipelineCell& cell = of_.cell[i];
    if (cell.has_valid) names.push_back(variable_[cell.valid.bits]);
    if (cell.kind == CellKind::kCount) continue;
    names.push_back(variable_[cell.from.bits]);
    const auto product = factors_.find(names.back());
    if (product == factors_.end()) continue;
    names.push_back(product->second.first);
    names.push_back(product->second.second);
  }
  if (has_groups()) names.push_back(group_);
  if (has_groups() && of_.order_bits != 0) names.push_back(variable_[of_.order_register.bits]);
  return names;
}

/// Deals the statements that are ordered or late to phases; all others stand wherever they are
/// read. The last phase adds to cells, and has none of those whose values it reads; where rows are
/// written it drops none, since places are reserved for all of them before.
void SourceWriter::plan_phases() {
  const std::vector<std::string> at_end = read_by_cells();
  std::vector<bool> is_dealt(program_.size(), false);
  for (bool is_last = false; !is_last;) {
    std::vector<std::size_t>& phase = phases_.emplace_back();
    std::set<std::string> late;
    const auto is_late = [&late](const std::string& name) { return late.contains(name); };
    bool waits = false;  // what is ordered, or loads, is to come after what is not yet dealt
    for (std::size_t i = 0; i < program_.size(); ++i) {
      const Statement& one = program_[i];
      if (is_dealt[i]) continue;
      const bool is_blocked = std::any_of(one.reads.begin(), one.reads.end(), is_late);
      if (!one.is_ordered && !one.is_late) {
        if (is_blocked) late.insert(one.name);
        continue;
      }
      if (is_blocked || waits) {
        waits = waits || one.is_ordered;
      } else {
        phase.push_back(i);
        is_dealt[i] = true;
        waits = !one.behind.empty();
      }
      if (one.is_late || !is_dealt[i]) late.insert(one.name);
    }
    const bool drops = std::any_of(phase.begin(), phase.end(), [this](std::size_t statement) {
      return program_[statement].drops_in_loop;
    });
    is_last =
        !waits && !(drops && writes_rows()) && std::none_of(at_end.begin(), at_end.end(), is_late);
    for (std::size_t i = 0; i < program_.size(); ++i) {
      const bool is_dealt_with = is_dealt[i] || !(program_[i].is_ordered || program_[i].is_late);
      is_last = is_last && is_dealt_with;
    }
  }
}

SourceWriter::PhaseText SourceWriter::text_of_phase(std::size_t phase) const {
  const auto is_in = [](const std::vector<std::size_t>& of, std::size_t statement) {
    return std::find(of.begin(), of.end(), statement) != of.end();
  };
  std::set<std::string> wanted;
  if (phase + 1 == phases_.size()) {
    for (const std::string& name : read_by_cells()) wanted.insert(name);
  }
  PhaseText text;
  for (std::size_t i = program_.size(); i-- > 0;) {
    const Statement& one = program_[i];
    const bool is_here = is_in(phases_[phase], i);
    const bool is_read = !one.name.empty() && wanted.contains(one.name);
    if (!is_here && (!is_read || one.is_ordered || one.is_late)) {
      if (!is_read) continue;
      text.lines.push_back(one.again);
      text.carried.push_back(i);
      continue;
    }
    text.lines.push_back(one.text);
    if (!one.comment.empty()) text.lines.push_back("// " + one.comment);
    wanted.insert(one.reads.begin(), one.reads.end());
  }
  std::reverse(text.lines.begin(), text.lines.end());
  return text;
}

/// The most registers that each step's row takes in a phase.
std::uint32_t SourceWriter::registers_of_step() const {
  std::vector<std::size_t> first(program_.size(), 0);
  std::vector<std::size_t> last(program_.size(), 0);
  for (std::size_t phase = 0; phase < phases_.size(); ++phase) {
    for (const std::size_t i : phases_[phase]) {
      first[i] = phase;
      last[i] = program_[i].chain.empty() ? phase : phases_.size() - 1;
    }
    for (const std::size_t i : text_of_phase(phase).carried) last[i] = std::max(last[i], phase);
  }
  std::uint32_t most = 0;
  for (std::size_t phase = 0; phase < phases_.size(); ++phase) {
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < program_.size(); ++i) {
      if (first[i] <= phase && phase <= last[i]) all += program_[i].registers;
    }
    for (const std::size_t i : phases_[phase]) all += program_[i].while_it_loads;
    if (phase + 1 == phases_.size() && has_groups()) all += of_.order_bits != 0 ? 3 : 1;
    most = std::max(most, all);
  }
  return most;
}

void SourceWriter::write_phases() {
  if (looks_outside()) line(1, "bool outside = false;  // of the groups that there are");
  if (has_chains_) line(1, "u32 taken = 0;  // rows that have had a pair");
  write_phase(0);
  if (marks_only_ && !has_chains_) line(1, "mask = 0;");
  if (looks_outside()) line(1, "if (outside) *q.fault = kKeyIsOutside;");
}

/// A phase and, inside of its conditions and loops, those behind it.
void SourceWriter::write_phase(std::size_t phase) {
  const bool is_last = phase + 1 == phases_.size();
  bool drops_in_loop = false;
  bool drops = false;
  for (const std::size_t i : phases_[phase]) {
    const Statement& one = program_[i];
    if (!one.array.empty()) line(1, one.array);
    drops_in_loop = drops_in_loop || one.drops_in_loop;
    drops = drops || one.drops_in_loop || !one.behind.empty();
  }
  const bool adds = is_last && !marks_only_;
  const bool writes = adds && writes_rows();
  if (writes) line(1, "RowPlaces places(q, mask);");
  if (adds && place_ == CellPlace::kLanes) {
    if (of_.order_bits != kWholeOrder) line(1, bits_of_groups() + " seen = 0;  // bits of groups");
    line(1, "u32 g[C::kSteps];  // groups");
    if (of_.order_bits != 0) line(1, "u64 o[C::kSteps];  // the order of their rows");
  }
  line(1, "PRESSO_UNROLL");
  line(1, "for (u32 step = 0; step < C::kSteps; ++step) {");
  line(2, "[[maybe_unused]] bool there = simt::has_bit(mask, step);");
  for (const std::string& one : text_of_phase(phase).lines) line(2, one);
  if (drops_in_loop) line(2, "if (!there) mask &= ~(1u << step);");
  if (writes) {
    write_row();
  } else if (adds) {
    add_to_cells();
    if (place_ == CellPlace::kLanes) {
      line(2, "g[step] = group;");
      if (of_.order_bits != 0) line(2, "o[step] = " + order_of_row() + ";");
    }
  }
  line(1, "}");
  if (adds) write_joined_cells();
  if (is_last) return;
  const Statement* chain = nullptr;
  for (const std::size_t i : phases_[phase]) {
    for (const std::string& one : program_[i].behind) line(1, one);
    if (!program_[i].chain.empty()) chain = &program_[i];
  }
  if (chain != nullptr) {
    write_chain(*chain, phase);
    return;
  }
  if (drops) {
    line(1, "if (simt::any(mask != 0)) {");
    ++indent_;
  }
  write_phase(phase + 1);
  if (drops) {
    --indent_;
    line(1, "}");
  }
}

/// The phases behind a lookup with chains, once for each build row of a key.
void SourceWriter::write_chain(const Statement& find, std::size_t phase) {
  const std::string& own = find.chain;
  line(1, "u32 x" + own + "[C::kSteps];  // the build rows that come next");
  if (find.is_checked) line(1, "u32 h" + own + " = 0;  // rows that have had a pair");
  line(1, "PRESSO_NO_UNROLL");
  line(1, "for (bool more" + own + " = simt::any(mask != 0); more" + own + ";) {");
  ++indent_;
  line(1, "load_next(" + find.lookup + ", b" + own + ", x" + own + ");");
  write_phase(phase + 1);
  line(1, "PRESSO_UNROLL");
  line(1, "for (u32 step = 0; step < C::kSteps; ++step) b" + own + "[step] = x" + own + "[step];");
  line(1, "mask = with_rows(b" + own + ")" + (find.ends_with_pair ? " & ~h" + own : "") + ";");
  line(1, "more" + own + " = simt::any(mask != 0);");
  --indent_;
  line(1, "}");
}

/// What becomes of rows that have been added.
void SourceWriter::write_joined_cells() {
  write_counts();
  if (has_chains_) {
    line(1, "taken |= mask;");
    line(1, "cells.pairs += simt::popcount(mask);");
  }
  if (place_ != CellPlace::kLanes) return;
  if (of_.order_bits == kWholeOrder) {
    // Rows are in another order than their numbers.
    line(1, "PRESSO_UNROLL");
    line(1, "for (u32 step = 0; step < C::kSteps; ++step) {");
    line(2, "if (g[step] >= Cells::kGroups || cells.firsts[g[step]] <= o[step]) continue;");
    line(2, "simt::atomic_min(cells.firsts + g[step], o[step]);");
    line(1, "}");
    return;
  }
  line(1, "// The first rows of groups that the warp meets for the first time.");
  if (has_many_groups()) {
    line(1, "const u64 all_seen = u64{simt::reduce_or(static_cast<u32>(seen >> 32))} << 32 |");
    line(1, "                     simt::reduce_or(static_cast<u32>(seen));");
    line(1, "const u64 fresh = all_seen & ~cells.known & ((u64{1} << Cells::kGroups) - 1);");
  } else {
    line(1, "const u32 fresh = simt::reduce_or(seen) & ~cells.known & low_ones(Cells::kGroups);");
  }
  line(1, "if (fresh != 0) {");
  line(2, has_chains_ ? "cells.met |= fresh;" : "cells.known |= fresh;");
  line(2, "PRESSO_UNROLL");
  line(2, "for (u32 step = 0; step < C::kSteps; ++step) {");
  line(3, "if (g[step] >= Cells::kGroups || (fresh >> g[step] & 1) == 0) continue;");
  line(3, std::string("simt::atomic_min(cells.firsts + g[step], ") +
              (of_.order_bits != 0 ? "o[step]" : "c.row(step)") + ");");
  line(2, "}");
  line(2, "simt::warp_sync();");
  line(1, "}");
}

/// The number by which a row's group is put in order.
std::string SourceWriter::order_of_row() const {
  if (of_.order_bits == 0) return "c.row(step)";
  const std::string order = "static_cast<u64>(" + variable_[of_.order_register.bits] + ")";
  if (of_.order_bits == kWholeOrder) return order;
  return "(c.row(step) << q.order_bits | " + order + ")";
}

}  // namespace presso::gpu
