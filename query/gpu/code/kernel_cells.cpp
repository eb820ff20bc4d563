// SPDX-License-Identifier: MIT
// SourceWriter: the cells of groups, in registers, shared or device memory, and what a row adds to
// them.
#include <algorithm>
#include <cstddef>

#include "query/gpu/code/source_writer.h"

namespace presso::gpu {

/// Whether two cells take the same value of a row.
bool SourceWriter::is_same_value(const PipelineCell& a, const PipelineCell& b) {
  return a.from.bits == b.from.bits && a.valid_columns == b.valid_columns &&
         a.has_valid == b.has_valid && (!a.has_valid || a.valid.bits == b.valid.bits);
}

/// Whether the sum of a cell over all steps of a lane fits into 32 bits.
bool SourceWriter::has_small_sum(const PipelineCell& cell) const {
  constexpr unsigned kStepBits = 5;
  return place_ == CellPlace::kOne && !runs_in_phases() && cell.kind == CellKind::kSum &&
         cell.part == RealPart::kNone && !cell.from.is_wide() && cell.bits != 0 &&
         cell.bits + kStepBits <= kLanes && !factors_.contains(variable_[cell.from.bits]);
}

/// Which numbers a lane has of each group: narrow sums share one.
void SourceWriter::plan_words() {
  std::vector<bool> is_placed(of_.cells, false);
  // The widest first, each into the first word that has room.
  std::vector<std::pair<unsigned, std::size_t>> sums;
  for (std::size_t i = 0; i < of_.cells; ++i) {
    const PipelineCell& cell = of_.cell[i];
    const bool is_piece = cell.part == RealPart::kIntegerBits;
    const unsigned bits = cell.kind == CellKind::kCount ? 1u
                          : is_piece                    ? unsigned{kShortBits}
                          : cell.kind == CellKind::kSum && cell.part == RealPart::kNone
                              ? unsigned{cell.bits}
                              : 0u;
    if (bits != 0 && bits <= kMostPackedBits && !has_chains_) {
      // A row that has several build rows is added several times.
      sums.emplace_back(bits + kFlushBits, i);
    }
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [bits, cell] : sums) {
    const auto used = [](const Word& word) {
      return word.fields.back().shift + word.fields.back().bits;
    };
    auto room = std::find_if(words_.begin(), words_.end(), [&, bits = bits](const Word& word) {
      return used(word) + bits <= 64;
    });
    if (room == words_.end()) room = words_.insert(room, Word());
    const unsigned shift = room->fields.empty() ? 0 : used(*room);
    room->fields.push_back({cell, shift, bits});
    is_placed[cell] = true;
  }
  if (!runs_in_phases()) plan_rows();
  for (const Word& word : words_) fields_ += static_cast<std::uint32_t>(word.fields.size());
  use_spare_bits();
  for (std::size_t i = 0; i < of_.cells; ++i) {
    if (is_placed[i] || is_high_of_other(i)) continue;
    Word word;
    word.fields.push_back({i, 0, 64});
    word.high = high_of(i);
    words_.push_back(std::move(word));
  }
}

/// Which cell has the upper halves of the sum whose lower ones cell `low` has, where a lane may add
/// up both as one number; kNoCell: none.
std::size_t SourceWriter::high_of(std::size_t low) const {
  const PipelineCell& cell = of_.cell[low];
  const bool is_paired = cell.kind == CellKind::kSumLow && !has_chains_ && cell.bits != 0 &&
                         cell.bits <= kMostPairedBits;
  for (std::size_t i = 0; is_paired && i < of_.cells; ++i) {
    const PipelineCell& other = of_.cell[i];
    if (other.kind == CellKind::kSumHigh && is_same_value(cell, other)) return i;
  }
  return kNoCell;
}

bool SourceWriter::is_high_of_other(std::size_t high) const {
  for (std::size_t i = 0; i < of_.cells; ++i) {
    if (high_of(i) == high) return true;
  }
  return false;
}

/// Gives the bits that all words have left to their fields, which then hold more rows.
void SourceWriter::use_spare_bits() {
  unsigned more = kMostMoreBits;
  for (const Word& word : words_) {
    const unsigned used = word.fields.back().shift + word.fields.back().bits;
    more = std::min(more, (64 - used) / static_cast<unsigned>(word.fields.size()));
  }
  for (Word& word : words_) {
    unsigned shift = 0;
    for (Field& field : word.fields) {
      field.bits += more;
      field.shift = shift;
      shift += field.bits;
    }
  }
  flush_vectors_ <<= more;
}

/// Decides where it is seen that a group has rows: where they are counted in any case, or else in a
/// packed word that has room.
void SourceWriter::plan_rows() {
  constexpr unsigned kBits = kFlushBits + 1;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (std::size_t field = 0; field < words_[i].fields.size(); ++field) {
      const PipelineCell& cell = of_.cell[words_[i].fields[field].cell];
      const bool counts_all =
          cell.kind == CellKind::kCount && cell.valid_columns == 0 && !cell.has_valid;
      if (!counts_all) continue;
      rows_word_ = i;
      rows_field_ = field;
      return;
    }
  }
  const auto used = [](const Word& word) {
    return word.fields.back().shift + word.fields.back().bits;
  };
  const auto room = std::find_if(words_.begin(), words_.end(),
                                 [&used](const Word& word) { return used(word) + kBits <= 64; });
  rows_word_ = static_cast<std::size_t>(room - words_.begin());
  const Field rows{Field::kRows, room == words_.end() ? 0 : used(*room), kBits};
  if (room == words_.end()) words_.emplace_back();
  rows_field_ = words_[rows_word_].fields.size();
  words_[rows_word_].fields.push_back(rows);
}

// --- cells

void SourceWriter::write_one_cells() {
  bool has_pairs = false;
  for (std::uint32_t i = 0; i < of_.cells; ++i) {
    const PipelineCell& cell = of_.cell[i];
    if (cell.part == RealPart::kLimb && whole_sum_of(cell)) {
      if (cell.column == 0) line(1, "RealSum s" + text_of(i) + ";");
      continue;
    }
    if (is_high_of_other(i)) continue;
    line(1, "u64 s" + text_of(i) + (cell.kind == CellKind::kMin ? " = ~u64{0};" : " = 0;"));
    has_pairs = has_pairs || high_of(i) != kNoCell;
  }
  line(1, "PRESSO_DEVICE Cells(const QueryArguments&, Byte*, Byte*) {}");
  line(1, "PRESSO_DEVICE void forget_rows() {}");
  if (has_pairs) {
    line(1, "u32 vectors = 0;");
    line(1, "/// Sums that two cells hold.");
    line(1, "PRESSO_DEVICE void flush_pairs(const QueryArguments& q) {");
    for (std::uint32_t i = 0; i < of_.cells; ++i) {
      if (high_of(i) == kNoCell) continue;
      line(2, "flush_halves(q.cells + " + text_of(i + kGroupCells) + ", q.cells + " +
                  text_of(high_of(i) + kGroupCells) + ", s" + text_of(i) + ");");
      line(2, "s" + text_of(i) + " = 0;");
    }
    line(1, "}");
    line(1, "PRESSO_DEVICE void after_vector(const QueryArguments& q) {");
    line(2, "if (++vectors % " + text_of(kMostVectors) + " == 0) flush_pairs(q);");
    line(1, "}");
  } else {
    line(1, "PRESSO_DEVICE void after_vector(const QueryArguments&) {}");
  }
  line(1, "PRESSO_DEVICE void flush(const QueryArguments& q, u64 matched) {");
  if (has_pairs) line(2, "flush_pairs(q);");
  for (std::uint32_t i = 0; i < of_.cells; ++i) {
    const PipelineCell& cell = of_.cell[i];
    if (high_of(i) != kNoCell || is_high_of_other(i)) continue;
    const auto whole = cell.part == RealPart::kLimb ? whole_sum_of(cell) : std::nullopt;
    const std::string value =
        whole ? text_of(whole->first) + ".limb(" + text_of(cell.column) + ")" : text_of(i);
    line(2, std::string("flush_cell<") + combine(of_.cell[i].kind) + ">(q.cells + " +
                text_of(i + kGroupCells) + ", s" + value + ");");
  }
  line(2, "static_cast<void>(q), static_cast<void>(matched);");
  line(1, "}");
}

void SourceWriter::write_lane_cells() {
  const auto initial = [this](const Word& word) {
    const bool is_least = !word.is_packed() && of_.cell[word.fields[0].cell].kind == CellKind::kMin;
    return is_least ? "~u64{0}" : "0";
  };
  const std::uint32_t groups = lane_groups();
  line(1, "static constexpr u32 kGroups = " + text_of(groups) + ";  // and a spare one");
  line(1, "static constexpr u32 kWords = " + text_of(words_.size()) + ";");
  line(1, "static constexpr u32 kFields = " + text_of(fields_) + ";");
  line(1, "u64* lane;    // the lane's words: word w of group g at (g * kWords + w) * 32");
  line(1, "u64* totals;  // the warp's sums of fields, group by group");
  line(1, "u64* firsts;  // the warp's first row of each group");
  line(1, bits_of_groups() + " known = 0;  // bits of groups that have a first row");
  if (has_chains_) {
    line(1, bits_of_groups() + " met = 0;  // bits of groups that have one after this vector");
  }
  line(1, "u32 vectors = 0;");
  line(1, "PRESSO_DEVICE Cells(const QueryArguments&, Byte*, Byte* own) {");
  line(2, "lane = reinterpret_cast<u64*>(own) + simt::lane();");
  line(2, "totals = reinterpret_cast<u64*>(own) + (kGroups + 1) * kWords * 32;");
  line(2, "firsts = totals + kGroups * kFields;");
  line(2, "for (u32 i = simt::lane(); i < kGroups * kFields; i += 32) totals[i] = 0;");
  line(2, "for (u32 i = simt::lane(); i < kGroups; i += 32) firsts[i] = kNoRowYet;");
  line(2, "clear();");
  line(1, "}");
  line(1, std::string("PRESSO_DEVICE void forget_rows() { known = 0; ") +
              (has_chains_ ? "met = 0; }" : "}"));
  line(1, "PRESSO_DEVICE u64* of_group(u32 group) {");
  line(2, "return reinterpret_cast<u64*>(reinterpret_cast<Byte*>(lane) + group * (kWords * 256));");
  line(1, "}");
  if (!runs_in_phases()) {
    const Field& rows = words_[rows_word_].fields[rows_field_];
    line(1, "PRESSO_DEVICE bool has_rows(u32 group) {");
    line(2, "return simt::any((of_group(group)[" + text_of(rows_word_ * kLanes) + "] >> " +
                text_of(rows.shift) + " & " + text_of((1u << rows.bits) - 1) + ") != 0);");
    line(1, "}");
  }
  line(1, "PRESSO_DEVICE void clear() {");
  line(2, "PRESSO_NO_UNROLL");
  line(2, "for (u32 group = 0; group <= kGroups; ++group) {");
  for (std::size_t i = 0; i < words_.size(); ++i) {
    line(3, "of_group(group)[" + text_of(i * kLanes) + "] = " + initial(words_[i]) + ";");
  }
  line(2, "}");
  line(2, "simt::warp_sync();");
  line(1, "}");
  const bool has_high =
      std::any_of(words_.begin(), words_.end(), [](const Word& word) { return word.has_high(); });
  line(1, "PRESSO_DEVICE void after_vector(const QueryArguments& q) {");
  line(2, "++vectors;");
  if (has_chains_) line(2, "known = met;");
  if (fields_ != 0) line(2, "if (vectors % " + text_of(flush_vectors_) + " == 0) unpack();");
  if (has_high) {
    line(2, "if (vectors % " + text_of(kMostVectors) + " == 0) {");
    line(3, "flush_words(q);");
    line(3, "clear();");
    line(2, "}");
  }
  line(2, "static_cast<void>(q);");
  line(1, "}");
  line(1, "/// Adds what lanes have in packed words to the warp's totals.");
  line(1, "PRESSO_DEVICE void unpack() {");
  if (fields_ != 0) {
    line(2, "simt::warp_sync();");
    line(2, "PRESSO_NO_UNROLL");
    line(2, "for (u32 group = 0; group < kGroups; ++group) {");
    std::size_t field = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!words_[i].is_packed()) continue;
      const std::string at = "of_group(group)[" + text_of(i * kLanes) + "]";
      line(3, "{");
      line(4, "const u64 word = " + at + ";");
      line(4, at + " = 0;");
      for (const Field& one : words_[i].fields) {
        line(4, "const u64 f" + text_of(field) + " = field_of_warp<" + text_of(one.shift) + ", " +
                    text_of(one.bits) + ">(word);");
        line(4, "if (simt::lane() == 0) totals[group * kFields + " + text_of(field) + "] += f" +
                    text_of(field) + ";");
        ++field;
      }
      line(3, "}");
    }
    line(2, "}");
    line(2, "simt::warp_sync();");
  }
  line(1, "}");
  line(1, "PRESSO_DEVICE void flush_words(const QueryArguments& q) {");
  line(2, "PRESSO_NO_UNROLL");
  line(2, "for (u32 group = 0; group < q.groups; ++group) {");
  line(3, "u64* const to = q.cells + group * q.group_words;");
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const Word& word = words_[i];
    if (word.is_packed()) continue;
    const std::string at = "of_group(group)[" + text_of(i * kLanes) + "]";
    const std::size_t cell = word.fields[0].cell;
    if (word.has_high()) {
      line(3, "flush_halves(to + " + text_of(cell + kGroupCells) + ", to + " +
                  text_of(word.high + kGroupCells) + ", " + at + ");");
    } else {
      line(3, std::string("flush_cell<") + combine(of_.cell[cell].kind) + ">(to + " +
                  text_of(cell + kGroupCells) + ", " + at + ");");
    }
  }
  line(3, "static_cast<void>(to);");
  line(2, "}");
  line(1, "}");
  line(1, "PRESSO_DEVICE void flush(const QueryArguments& q, u64 matched) {");
  line(2, "unpack();");
  line(2, "flush_words(q);");
  line(2, runs_in_phases() ? "static_cast<void>(matched);"
                           : "const u64 rows = of_warp<Combine::kAdd>(matched);");
  line(2, "if (simt::lane() != 0) return;");
  if (!runs_in_phases()) line(2, "u64 found = 0;  // rows of the groups that there are");
  line(2, "PRESSO_NO_UNROLL");
  line(2, "for (u32 group = 0; group < q.groups; ++group) {");
  line(3, "if (firsts[group] == kNoRowYet) continue;");
  line(3, "u64* const to = q.cells + group * q.group_words;");
  line(3, "combine_in_memory<Combine::kMin>(to, firsts[group]);");
  std::size_t field = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (!words_[i].is_packed()) continue;
    for (std::size_t k = 0; k < words_[i].fields.size(); ++k) {
      const Field& one = words_[i].fields[k];
      const std::string total = "totals[group * kFields + " + text_of(field++) + "]";
      const bool counts_rows = !runs_in_phases() && i == rows_word_ && k == rows_field_;
      if (counts_rows) line(3, "found += " + total + ";");
      if (one.cell == Field::kRows) continue;
      line(3, "combine_in_memory<Combine::kAdd>(to + " + text_of(one.cell + kGroupCells) + ", " +
                  total + ");");
    }
  }
  line(2, "}");
  if (!runs_in_phases()) line(2, "if (found != rows) *q.fault = kKeyIsOutside;");
  line(1, "}");
}

void SourceWriter::write_block_cells() {
  line(1, "u64* block;  // cell i of group g at i * groups + g; cell 0 is the first row");
  line(1, "u32 groups;");
  line(1, "PRESSO_DEVICE Cells(const QueryArguments& q, Byte* of_block, Byte*)");
  line(3, ": block(reinterpret_cast<u64*>(of_block)), groups(static_cast<u32>(q.groups)) {");
  line(2, "for (u32 g = simt::thread_in_block(); g < groups; g += simt::block_threads()) {");
  line(3, "block[g] = kNoRowYet;");
  for (std::uint32_t i = 0; i < of_.cells; ++i) {
    line(3, "block[" + text_of(i + 1) +
                " * groups + g] = " + (of_.cell[i].kind == CellKind::kMin ? "~u64{0};" : "0;"));
  }
  line(2, "}");
  line(2, "simt::block_sync();");
  line(1, "}");
  line(1, "PRESSO_DEVICE void forget_rows() {}");
  line(1, "PRESSO_DEVICE void after_vector(const QueryArguments&) {}");
  line(1, "PRESSO_DEVICE void flush(const QueryArguments& q, u64 matched) {");
  line(2, "static_cast<void>(matched);");
  line(2, "simt::block_sync();");
  line(2, "for (u32 g = simt::thread_in_block(); g < groups; g += simt::block_threads()) {");
  line(3, "if (block[g] == kNoRowYet) continue;");
  line(3, "u64* const to = q.cells + u64{g} * q.group_words;");
  line(3, "combine_in_memory<Combine::kMin>(to, block[g]);");
  for (std::uint32_t i = 0; i < of_.cells; ++i) {
    line(3, std::string("combine_in_memory<") + combine(of_.cell[i].kind) + ">(to + " +
                text_of(i + kGroupCells) + ", block[" + text_of(i + 1) + " * groups + g]);");
  }
  line(2, "}");
  line(1, "}");
}

void SourceWriter::write_cells() {
  line(0, "struct Question::Cells {");
  if (has_chains_) line(1, "u64 pairs = 0;  // of rows and build rows");
  if (place_ == CellPlace::kLanes) {
    write_lane_cells();
  } else if (place_ == CellPlace::kBlock) {
    write_block_cells();
  } else if (has_cells_in_memory() || place_ == CellPlace::kWritten) {
    line(1, "PRESSO_DEVICE Cells(const QueryArguments&, Byte*, Byte*) {}");
    line(1, "PRESSO_DEVICE void forget_rows() {}");
    line(1, "PRESSO_DEVICE void after_vector(const QueryArguments&) {}");
    line(1, "PRESSO_DEVICE void flush(const QueryArguments&, u64) {}");
  } else {
    write_one_cells();
  }
  line(0, "};");
  line(0, "");
}

// --- what becomes of rows

void SourceWriter::write_statements(unsigned level, Steps which) {
  std::vector<bool> is_wanted(program_.size(), which == Steps::kAll);
  if (which == Steps::kOfGroup) {
    std::vector<std::string> wanted = {group_};
    for (std::size_t i = program_.size(); i-- > 0;) {
      const Statement& one = program_[i];
      if (one.name.empty() || std::find(wanted.begin(), wanted.end(), one.name) == wanted.end()) {
        continue;
      }
      is_wanted[i] = true;
      wanted.insert(wanted.end(), one.reads.begin(), one.reads.end());
    }
  }
  for (std::size_t i = 0; i < program_.size(); ++i) {
    if (!is_wanted[i]) continue;
    if (!program_[i].comment.empty()) line(level, "// " + program_[i].comment);
    line(level, program_[i].text);
  }
}

/// What one row adds, which is there or not; within the loop over steps.
void SourceWriter::add_to_cells() {
  if (place_ == CellPlace::kOne) {
    for (std::uint32_t i = 0; i < of_.cells; ++i) {
      const PipelineCell& cell = of_.cell[i];
      const std::string to = "cells.s" + text_of(i);
      const std::string takes = takes_of(cell);
      const auto product = factors_.find(variable_[cell.from.bits]);
      if (const auto whole = whole_sum_of(cell)) {
        if (i != whole->first) continue;
        line(2, "if (" + takes + ") cells.s" + text_of(whole->specials) + " += " + to +
                    ".add(i64{" + variable_[cell.from.bits] + "}, " + unit_of(cell) +
                    ", q.fault);");
      } else if (is_high_of_other(i)) {
        continue;
      } else if (cell.kind == CellKind::kCount) {
        if (takes != "there") line(2, "if (" + takes + ") ++" + to + ";");
      } else if (cell.kind == CellKind::kMin || cell.kind == CellKind::kMax) {
        line(2, to + " = " + takes + " ? combined<" + combine(cell.kind) + ">(" + to + ", " +
                    value_of(cell) + ") : " + to + ";");
      } else if ((cell.kind == CellKind::kSum || high_of(i) != kNoCell) &&
                 cell.part == RealPart::kNone && product != factors_.end()) {
        line(2, to + " += static_cast<u64>(i64{" + product->second.first + "} * i64{" + takes +
                    " ? " + product->second.second + " : 0});");
      } else if (has_small_sum(cell)) {
        line(2, "p" + text_of(i) + " += " + takes + " ? static_cast<u32>(" +
                    variable_[cell.from.bits] + ") : 0;");
      } else {
        line(2, to + " += " + takes + " ? " +
                    (high_of(i) != kNoCell ? as_unsigned(cell) : value_of(cell)) + " : 0;");
      }
    }
    return;
  }
  if (place_ == CellPlace::kTable) {
    line(2, "const bool has_group = there;");
  } else {
    line(2, "// the group; rows without one go to the spare group, or nowhere");
    line(2, "const bool has_group = there && static_cast<u32>(" + group_ +
                ") < static_cast<u32>(q.groups);");
    if (looks_outside()) line(2, "outside = outside || (there && !has_group);");
  }
  if (place_ == CellPlace::kLanes) {
    line(2, "const u32 group = has_group ? static_cast<u32>(" + group_ + ") : Cells::kGroups;");
    if (runs_in_phases() && of_.order_bits != kWholeOrder) {
      line(2, "seen |= " + bits_of_groups() + "{1} << group;");
    }
    line(2, "u64* const of_group = cells.of_group(group);");
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const Word& word = words_[i];
      const std::string at = "of_group[" + text_of(i * kLanes) + "]";
      std::string value;
      for (const Field& field : word.fields) {
        if (field.cell == Field::kRows) {
          value += (value.empty() ? "" : " | ") + std::string("u64{1} << ") + text_of(field.shift);
          continue;
        }
        const PipelineCell& cell = of_.cell[field.cell];
        std::string one = word.has_high() ? as_unsigned(cell) : value_of(cell);
        const bool is_order = cell.kind == CellKind::kMin || cell.kind == CellKind::kMax;
        if (is_order) {
          one = std::string("combined<") + combine(cell.kind) + ">(" + at + ", " + one + ")";
          line(2, takes_all(cell) ? at + " = " + one + ";"
                                  : "if (" + takes_of(cell) + ") " + at + " = " + one + ";");
          continue;
        }
        if (!takes_all(cell) || sees_limbs(cell)) {
          one = "(" + takes_of(cell) + " ? " + one + " : 0)";
        }
        if (field.shift != 0) one += " << " + text_of(field.shift);
        value += (value.empty() ? "" : " | ") + (word.fields.size() > 1 ? "(" + one + ")" : one);
      }
      if (!value.empty()) line(2, at + " += " + value + ";");
    }
    return;
  }
  line(2, "if (has_group) {");
  line(3, "const u32 group = static_cast<u32>(" + group_ + ");");
  if (has_cells_in_memory()) line(3, "u64* const of_group = q.cells + u64{group} * q.group_words;");
  const auto at = [this](std::uint32_t i) {
    if (has_cells_in_memory()) return "of_group + " + text_of(i);
    return "cells.block + " + text_of(i) + " * cells.groups + group";
  };
  line(3, place_ == CellPlace::kTable ? "if (firsts[step] > " + order_of_row() +
                                            ") simt::atomic_min(of_group, " + order_of_row() + ");"
                                      : "lower_first_row(" + at(0) + ", " + order_of_row() + ");");
  for (std::uint32_t i = 0; i < of_.cells; ++i) {
    const PipelineCell& cell = of_.cell[i];
    const bool is_sum = cell.kind != CellKind::kMin && cell.kind != CellKind::kMax;
    const std::string call = place_ == CellPlace::kBlock && is_sum
                                 ? std::string("add_in_halves")
                                 : std::string("combine_in_memory<") + combine(cell.kind) + ">";
    line(3, (takes_all(cell) ? "" : "if (" + takes_of(cell) + ") ") + call + "(" + at(i + 1) +
                ", " + value_of(cell) + ");");
  }
  line(2, "}");
}

void SourceWriter::write_take() {
  line(0, "template <class C>");
  line(0,
       "PRESSO_DEVICE u32 Question::take(const QueryArguments& q, const C& c, const Place& at, u32 "
       "mask, Cells& cells) {");
  line(1, "static_cast<void>(q), static_cast<void>(at), static_cast<void>(cells);");
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    if (has_nulls(i)) {
      line(1, "[[maybe_unused]] const u32 n" + text_of(i) + " = c.template valid<" + text_of(i) +
                  ">();");
    }
  }
  if (place_ == CellPlace::kColumns) {
    for (std::uint32_t i = 0; i < of_.cells; ++i) {
      const PipelineCell& cell = of_.cell[i];
      std::string rows = "mask";
      for (std::uint32_t k = 0; k < of_.columns; ++k) {
        const bool asks =
            (cell.valid_columns >> k & 1) != 0 || (cell.kind == CellKind::kSum && k == cell.column);
        if (asks && has_nulls(k)) rows += " & n" + text_of(k);
      }
      line(1, "cells.s" + text_of(i) + " += " +
                  (cell.kind == CellKind::kCount
                       ? "simt::popcount(" + rows + ");"
                       : "c.template sum<" + text_of(cell.column) + ">(" + rows + ");"));
    }
  }
  if (runs_in_phases()) {
    write_phases();
  } else if (has_program()) {
    if (looks_outside()) line(1, "bool outside = false;  // of the groups that there are");
    const auto for_small_sums = [this](const auto& text_of_sum) {
      for (std::uint32_t i = 0; i < of_.cells; ++i) {
        if (has_small_sum(of_.cell[i])) line(1, text_of_sum(text_of(i)));
      }
    };
    for_small_sums([](const std::string& i) { return "u32 p" + i + " = 0;"; });
    line(1, "PRESSO_UNROLL");
    line(1, "for (u32 step = 0; step < C::kSteps; ++step) {");
    line(2, "bool there = simt::has_bit(mask, step);");
    write_statements(2, Steps::kAll);
    if (drops_rows_) line(2, "if (!there) mask &= ~(1u << step);");
    add_to_cells();
    line(1, "}");
    for_small_sums([](const std::string& i) { return "cells.s" + i + " += p" + i + ";"; });
    if (looks_outside()) line(1, "if (outside) *q.fault = kKeyIsOutside;");
    write_counts();
  }
  line(1, has_chains_ ? "return taken;" : "return mask;");
  line(0, "}");
  line(0, "");
  if (notes_first_rows()) write_first_rows();
}

/// The first rows of groups that a warp meets for the first time, once it has taken a vector.
void SourceWriter::write_first_rows() {
  const std::string word = bits_of_groups();
  line(0, "template <class C>");
  line(0,
       "PRESSO_DEVICE void Question::note_first_rows(const QueryArguments& q, const C& all, u32 "
       "mask, Cells& cells) {");
  line(1, "static_cast<void>(q);");
  line(1, word + " fresh = 0;  // bits of groups");
  line(1, "PRESSO_NO_UNROLL");
  line(1, "for (" + word + " left = ~cells.known & ((" + word +
              "{1} << q.groups) - 1); left != 0; left &= left - 1) {");
  line(2, "const u32 group = lowest_bit(left);");
  line(2, "if (cells.has_rows(group)) fresh |= " + word + "{1} << group;");
  line(1, "}");
  line(1, "if (fresh == 0) return;");
  line(1, "cells.known |= fresh;");
  line(1, "PRESSO_NO_UNROLL");
  line(1, "for (u32 number = 0; number < C::kRowSteps; ++number) {");
  line(2, "const auto c = all.reader(number);");
  line(2, "const u32 step = all.step_of(number);");
  for (std::uint32_t i = 0; i < of_.columns; ++i) {
    if (!has_nulls(i)) continue;
    line(2, "[[maybe_unused]] const u32 n" + text_of(i) + " = c.template valid<" + text_of(i) +
                ">();");
  }
  line(2, "const bool there = simt::has_bit(mask, number);");
  write_statements(2, Steps::kOfGroup);
  line(2, "const u32 group = there ? static_cast<u32>(" + group_ + ") : Cells::kGroups;");
  line(2, "if (group >= Cells::kGroups || (fresh >> group & 1) == 0) continue;");
  line(2, "simt::atomic_min(cells.firsts + group, c.row(step));");
  line(1, "}");
  line(1, "simt::warp_sync();");
  line(0, "}");
  line(0, "");
}

/// Counts of all rows that are left, without groups.
void SourceWriter::write_counts() {
  for (std::uint32_t i = 0; place_ == CellPlace::kOne && i < of_.cells; ++i) {
    if (of_.cell[i].kind != CellKind::kCount || !takes_all(of_.cell[i])) continue;
    line(1, "cells.s" + text_of(i) + " += simt::popcount(mask);");
  }
}

}  // namespace presso::gpu
