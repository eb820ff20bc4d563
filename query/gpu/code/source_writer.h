// SPDX-License-Identifier: MIT
// Writes the source of a query's kernels (kernel_source.h): the text's parts, and what they have to
// agree on. kernel_source.cpp has columns, conditions and the program, kernel_cells.cpp has cells
// and what becomes of rows, kernel_rows.cpp tables of groups and rows that are written,
// kernel_joins.cpp rows that are joined. Tests:
// tests/unit/query/gpu/kernel_source_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/gpu/code/kernel_source.h"

namespace presso::gpu {

/// The writer of one source, of which write() is called once.
class SourceWriter {
 public:
  SourceWriter(const Pipeline& pipeline, const QueryShape& shape) : of_(pipeline), shape_(shape) {}

  Result<KernelSource> write();

 private:
  using Kind = PipelineStep::Kind;
  using CellKind = PipelineCell::Kind;

  static std::string text_of(std::uint64_t number) { return std::to_string(number); }

  /// Where the cells of groups are while the code runs.
  enum class CellPlace {
    kCount,    ///< no cells: rows are counted, and told by their bits
    kColumns,  ///< no groups; cells are sums of columns
    kOne,      ///< no groups: cells are in registers
    kLanes,    ///< few groups: each lane has cells of its own in shared memory
    kBlock,    ///< the thread block's shared memory
    kDevice,   ///< device memory
    kTable,    ///< device memory, where keys have places (group_table.cuh)
    kWritten,  ///< none: rows are written to arrays
  };

  /// A bit for each group that a lane has met must fit into a word.
  static constexpr std::uint64_t kMostLaneGroups = 62;
  /// What a warp's cells may take, so that a multiprocessor has room for enough warps.
  static constexpr std::uint32_t kMostLaneBytes = 14 << 10;
  static constexpr std::uint32_t kMostBlockBytes = 100 << 10;
  static constexpr std::uint32_t kLaneCellBytes = 32 * 8;  // allow(bare-32): lanes

  /// Vectors after which packed sums go to totals: a lane has added 2^7 rows by then. It may be
  /// later, by a power of two, where all words have bits left.
  static constexpr std::uint32_t kFlushVectors = 4;
  static constexpr unsigned kFlushBits = 7;
  static constexpr unsigned kMostMoreBits = 6;
  /// Values of more bits have a word of their own.
  static constexpr unsigned kMostPackedBits = 26;
  /// A warp's sum over kMostVectors vectors of values of this width stays below 2^63.
  static constexpr unsigned kMostPairedBits = 40;
  /// Steps of a vector that are taken together in phases: the loads of eight rows of each lane keep
  /// memory busy.
  static constexpr std::uint32_t kMostPhasedSteps = 8;
  /// Registers of a thread beside those of columns and of joined rows, and the most there are of
  /// all of them where rows are taken eight steps at a time.
  static constexpr std::uint32_t kOtherRegisters = 48;
  static constexpr std::uint32_t kMostRegisters = 144;
  static constexpr std::uint32_t kMostVectors = 1u << 13;

  /// A part of a word: what it holds of the cell's values; or, of kRows, how many rows.
  struct Field {
    static constexpr std::size_t kRows = ~std::size_t{0};
    std::size_t cell = 0;
    unsigned shift = 0;
    unsigned bits = 64;  ///< of the sum
  };

  static constexpr std::size_t kNoCell = ~std::size_t{0};
  /// One number of 64 bits that a lane has of each group.
  struct Word {
    std::vector<Field> fields;
    std::size_t high = kNoCell;  ///< the cell of the upper 32 bits' sums, where there is one
    bool is_packed() const { return fields.size() > 1 || fields[0].bits < 64; }
    bool has_high() const { return high != kNoCell; }
  };

  /// A step of the program as text.
  struct Statement {
    std::string comment, text;
    std::string name;                ///< of its value; empty: it has none
    std::vector<std::string> reads;  ///< names of others
    // Where rows are taken in phases:
    bool is_ordered = false;  ///< it drops rows or marks some: what comes next is about the others
    bool drops_in_loop = false;       ///< `there` is false for rows that it drops
    bool is_late = false;             ///< loads from memory: later phases have its value
    std::string array, again;         ///< declares what later phases read instead, and reads it
    std::vector<std::string> behind;  ///< lines that stand behind the loop over steps
    std::string chain;                ///< of a lookup with chains: the number in its names
    std::string lookup;
    unsigned registers = 0;       ///< of each step, that later phases read
    unsigned while_it_loads = 0;  ///< of each step, in its own phase
    bool is_checked = false;      ///< whether pairs of the chain are checked
    bool ends_with_pair = false;  ///< rows that have had one need no other
  };

  /// Cells of doubles that a lane adds up as one number of 128 bits.
  struct WholeSum {
    std::size_t first = 0;     ///< of the lowest limb, whose variable has all of the sum
    std::size_t specials = 0;  ///< of infinities and NaNs
  };

  /// Parts of the text, indented by two spaces for each level; one line or several.
  void line(unsigned level, std::string_view text) {
    if (const std::size_t end = text.find('\n'); end != text.npos) {
      line(level, text.substr(0, end));
      return line(level, text.substr(end + 1));
    }
    source_.text.append(std::size_t{2} * (level + indent_), ' ');
    source_.text += text;
    source_.text += '\n';
  }

  void choose_place();
  void plan_words();
  void plan_rows();
  void use_spare_bits();
  std::size_t high_of(std::size_t low) const;
  bool is_high_of_other(std::size_t high) const;
  bool has_small_sum(const PipelineCell& cell) const;
  void choose_sizes();
  Status make_conditions();
  Status make_program();
  Status make_step(const PipelineStep& step, unsigned number);
  std::string operand(const PipelineStep& step, bool is_a, bool is_wide, Statement& of);
  std::string constant(std::int64_t value, bool is_wide);
  void write_header();
  void write_columns();
  void write_conditions();
  void write_cells();
  void write_lane_cells();
  void write_first_rows();
  void write_block_cells();
  void write_take();
  /// Which steps of the program.
  enum class Steps {
    kAll,
    kOfGroup,  ///< those alone that tell the group
  };
  void write_statements(unsigned level, Steps which);
  void make_group(const PipelineStep& step, Statement& made);
  void write_row();
  void write_value(std::uint32_t array, const std::string& value);
  void write_counts();
  bool has_groups() const { return place_ != CellPlace::kOne; }
  /// The program runs for each row, and adds to cells.
  bool has_program() const { return place_ != CellPlace::kColumns && place_ != CellPlace::kCount; }
  /// Whether each row's group is compared with how many there are; else their rows are counted.
  bool looks_outside() const {
    return place_ == CellPlace::kBlock || place_ == CellPlace::kDevice ||
           (place_ == CellPlace::kLanes && runs_in_phases());
  }
  bool notes_first_rows() const { return place_ == CellPlace::kLanes && !runs_in_phases(); }
  /// Whether a lane takes its rows in phases (kernel_joins.cpp): their groups or build rows are
  /// looked for in memory, places are reserved for them, or their order is a step of its own.
  bool runs_in_phases() const {
    return is_joined_ || of_.order_bits != 0 || of_.place == GroupPlace::kTable || writes_rows();
  }
  bool writes_rows() const {
    return of_.place == GroupPlace::kRows || of_.place == GroupPlace::kParts;
  }
  std::string order_of_row() const;

  // Joins (kernel_joins.cpp).
  Status make_join_step(const PipelineStep& step, unsigned number);
  void make_find(const PipelineStep& step, Statement& made);
  void make_check(const PipelineStep& step, Statement& made);
  void include_finders();
  void plan_phases();
  std::vector<std::string> read_by_cells() const;
  /// The lines of a phase's loop over steps, and the statements of earlier phases that they read.
  struct PhaseText {
    std::vector<std::string> lines;
    std::vector<std::size_t> carried;
  };
  PhaseText text_of_phase(std::size_t phase) const;
  std::uint32_t registers_of_step() const;
  void write_phases();
  void write_phase(std::size_t phase);
  void write_chain(const Statement& find, std::size_t phase);
  void write_joined_cells();
  void write_one_cells();
  void add_to_cells();

  std::string valid_bit(std::uint32_t columns) const;
  std::string takes_of(const PipelineCell& cell) const;
  std::string value_of(const PipelineCell& cell) const;
  std::string as_unsigned(const PipelineCell& cell) const;
  std::string part_of(const PipelineCell& cell) const;
  std::string unit_of(const PipelineCell& cell) const;
  static bool is_same_value(const PipelineCell& a, const PipelineCell& b);
  static bool sees_limbs(const PipelineCell& cell);
  static bool is_of_reals(const PipelineCell& cell);
  bool has_reals() const;
  bool has_real_columns() const;
  std::optional<WholeSum> whole_sum_of(const PipelineCell& of) const;
  std::string real_column(std::uint32_t column) const;
  std::string real_value(std::uint32_t column, bool to_wide) const;
  std::string real_step(const PipelineStep& step, Statement& made);
  bool takes_all(const PipelineCell& cell) const { return takes_of(cell) == "there"; }
  static const char* combine(CellKind kind) {
    if (kind == CellKind::kMin) return "Combine::kMin";
    return kind == CellKind::kMax ? "Combine::kMax" : "Combine::kAdd";
  }
  bool has_map(std::uint32_t column) const {
    return (coded_ >> column & 1) != 0 && shape_.columns[column].has_few_codes;
  }
  /// Bits of packed numbers; 0 where there are none.
  std::uint32_t width_of(std::uint32_t column) const {
    return (used_ >> column & 1) != 0 && !is_real(column) ? shape_.columns[column].width : 0;
  }
  /// Arrays have an element where there is no column, too.
  std::uint32_t some_columns() const { return std::max<std::uint32_t>(of_.columns, 1); }
  /// Whether a column has doubles or floats that are read.
  bool is_real(std::uint32_t column) const { return shape_.columns[column].real_bytes != 0; }
  bool has_nulls(std::uint32_t column) const { return shape_.columns[column].has_nulls; }
  bool is_wide(std::uint32_t column) const {
    return shape_.columns[column].width > kLanes && !is_real(column);
  }
  bool tests_wide() const;
  std::uint32_t lane_groups() const;
  bool has_many_groups() const { return lane_groups() >= kLanes - 1; }
  /// The type of bits of groups.
  std::string bits_of_groups() const { return has_many_groups() ? "u64" : "u32"; }
  std::uint32_t blocks_for_registers() const;
  std::uint32_t words_loaded(std::uint32_t steps) const;
  std::uint32_t phased_registers(std::uint32_t steps) const {
    return kOtherRegisters + words_loaded(steps) + steps * registers_of_step() + own_registers();
  }
  std::uint32_t own_registers() const {
    return place_ == CellPlace::kOne || place_ == CellPlace::kColumns ? 2u * of_.cells : 0;
  }
  bool reads_nulls() const;
  bool has_cells_in_memory() const {
    return place_ == CellPlace::kDevice || place_ == CellPlace::kTable;
  }

  const Pipeline& of_;
  const QueryShape& shape_;
  KernelSource source_;
  CellPlace place_ = CellPlace::kOne;
  std::vector<Word> words_;
  std::uint32_t fields_ = 0;   ///< of packed words
  std::size_t rows_word_ = 0;  ///< which word has a group's rows, in which of its fields
  std::size_t rows_field_ = 0;
  std::uint32_t flush_vectors_ = kFlushVectors;
  std::uint32_t steps_ = 0;         ///< of a vector that are loaded together
  std::uint32_t late_ = 0;          ///< bits of columns that are loaded where a row is left
  std::uint32_t used_ = 0;          ///< bits of columns that are loaded
  std::uint32_t coded_ = 0;         ///< bits of columns whose codes are renamed
  std::uint32_t masks_ = 0;         ///< bits of QueryArguments::row_bits that are read
  std::uint32_t needed_masks_ = 0;  ///< of these, without which no row matches
  std::uint32_t task_bytes_ = 0, block_bytes_ = 0, warp_bytes_ = 0;
  std::string condition_;
  std::vector<Statement> program_;
  bool drops_rows_ = false;
  bool is_joined_ = false;             ///< the program finds, or reads, rows of other tables
  bool has_chains_ = false;            ///< a row may have several build rows
  bool marks_only_ = false;            ///< no row is left at the end
  std::map<Byte, std::size_t> finds_;  ///< by lookup
  std::set<std::string> finders_;      ///< names of headers (query/gpu/join) that look up keys
  std::vector<std::vector<std::size_t>> phases_;  ///< statements that are ordered, or late
  unsigned indent_ = 0;
  /// Products of two narrow values, which a sum may take factor by factor.
  std::map<std::string, std::pair<std::string, std::string>> factors_;
  std::string group_;  ///< the variable of the row's group
  std::array<std::string, 256> variable_;
  std::map<std::int64_t, std::size_t> narrow_constants_, wide_constants_;
};

}  // namespace presso::gpu
