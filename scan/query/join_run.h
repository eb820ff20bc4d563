// SPDX-License-Identifier: MIT
// Rows of the root pass one stage after another: their keys are looked up in the stage's table, and
// what belongs together goes on, as the numbers of rows of each table. Values are read only where a
// key, a condition or the program wants them, and where rows are left. Rows come out in the order
// of the root's rows, then of the first stage's, and so on; rows of build sides without a partner
// follow at the end, stage by stage (F4's count, prefix sum and write, vector by vector).
// Tested by tests/unit/scan/query/join_test.cpp and tests/differential/join_oracle.py.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scan/query/join_build.h"

namespace presso::query {

/// The joins of a run: their build sides, which threads share.
class JoinRun {
 public:
  /// `execution` is kept by reference.
  explicit JoinRun(Execution& execution) : execution_(execution) {}

  /// Makes the build sides, with the columns that `program` needs, as far as they are not there. If
  /// one of them does not fit into memory, the root is read several times, each time with some of
  /// the keys. Before the first pass.
  Status prepare(const Program& program);
  std::size_t passes() const { return parts_.size(); }
  /// Of the first pass, nothing is left to do after prepare().
  Status begin_pass(std::size_t pass);
  /// The root is read as if it was not divided again.
  void end_passes();

  const BuiltStage& stage(std::size_t number) const { return *stages_[number]; }
  /// Whether rows of the stage's build side come out at the end of a pass. Rows that are joined
  /// before keys are divided find their partners in each pass; others only in all of them.
  bool gives_rows(std::size_t stage, std::size_t pass) const {
    return gives_build_rows(stages_[stage]->bound.kind) &&
           (stage <= divided_ || pass + 1 == passes());
  }
  /// The stage whose keys are divided among passes; 0 where none is.
  std::size_t divided() const { return divided_; }
  /// Whether rows that come to a stage in this pass have not come to it before.
  bool is_new(std::size_t stage) const { return pass_ == 0 || stage > divided_ || scans_part_; }
  /// The keys that rows of this pass have at a stage.
  JoinPart part_of_stage(std::size_t stage) const;
  /// Columns of the root that stages and `program` need, as the root numbers them.
  std::vector<std::size_t> root_columns(const Program& program) const;
  std::uint64_t bytes() const;
  /// Stored bytes, and blocks, of the columns that are read of all build sides.
  std::uint64_t stored_bytes() const;
  std::uint64_t blocks() const;
  /// What joins may have of the memory; groups and sorting have the other half.
  static std::uint64_t budget(std::uint64_t memory_bytes) { return memory_bytes / 2; }

  /// Of a stage: rows of the probe side, and pairs that were found.
  struct Count {
    std::uint64_t asked = 0;
    std::uint64_t found = 0;
  };
  /// Those of a thread.
  void add_counts(const std::vector<Count>& counts);
  /// What all stages were, for --explain, with those of their build sides: rows that were kept and
  /// asked for, the table.
  std::vector<StageReport> reports() const;

 private:
  std::vector<std::size_t> columns_needed(const Program& program) const;
  std::vector<std::size_t> columns_of_stage(std::size_t stage) const;
  std::uint64_t memory_left() const;
  std::string describe(std::size_t stage) const;
  Status build(std::size_t stage);
  Status divide(std::size_t stage, double share);
  void scan_part();
  static bool is_memory_short(const Status& built);

  Execution& execution_;
  std::vector<std::unique_ptr<BuiltStage>> stages_;
  std::vector<std::size_t> columns_;  ///< that the stages were built with
  std::vector<JoinPart> parts_{JoinPart{}};
  std::optional<PartSizes> sizes_;  ///< of the stage that is divided
  FilterPlan plan_;                 ///< of the root, whatever the part
  bool scans_part_ = false;         ///< only rows of the part are read of the root
  std::size_t divided_ = 0;
  std::size_t pass_ = 0;
  std::vector<Count> counts_;              ///< by stage
  std::vector<std::uint64_t> rows_kept_;   ///< by stage, in all passes
  std::vector<std::uint64_t> most_bytes_;  ///< by stage, in one pass
};

/// One thread's way through the stages.
class JoinWorker {
 public:
  /// All are kept by reference.
  JoinWorker(const Execution& execution, const JoinRun& run, const Program& program);

  /// Rows of a slice that `bits` selects; `reader` is at it.
  Status run_slice(const Slice& slice, const std::uint64_t* bits, SliceReader& reader,
                   std::uint64_t& matched, const TakeRows& take);
  /// Rows [first, first + count) of the build side of `stage` that come out at the end.
  Status run_build_rows(std::size_t stage, std::uint64_t first, std::uint32_t count,
                        std::uint64_t& matched, const TakeRows& take);
  /// By stage.
  const std::vector<JoinRun::Count>& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Values of a column for the rows of a level.
  struct Gathered {
    bool made = false;
    Buffer values;
    std::uint64_t validity[kBatchWords];
    VectorView view;
  };
  /// Rows before a stage, or behind the last one.
  struct Level {
    std::uint32_t count = 0;
    /// The root's rows, among those that are selected of a vector; then of each stage numbers of
    /// rows of its build side. kNone where there is none.
    std::vector<std::vector<std::uint32_t>> rows;
    bool all_root_rows = false;  ///< the root's are 0, 1, 2, ...
    /// Behind the stage whose keys are divided: see set_places(). Empty: all 0.
    std::vector<std::uint64_t> places;
    std::vector<Gathered> columns;
  };
  /// What a thread needs to run some nodes at a level.
  struct Step {
    explicit Step(Program of) : program(std::move(of)), state(program) {}
    Program program;
    Program::State state;
    std::vector<VectorView> inputs;
    std::vector<VectorView> results;
  };
  /// What a stage needs.
  struct Probe {
    std::unique_ptr<Step> keys;
    std::unique_ptr<Step> residual;  ///< nullptr: none
    JoinKeys::Scratch scratch;
    join::Found found;
    const std::uint64_t* validity = nullptr;   ///< rows that have a key; nullptr: all
    const std::uint64_t* may_match = nullptr;  ///< and may have a partner
    bool is_parted = false;                    ///< only some keys are of this pass
    std::uint64_t here[kBatchWords];           ///< rows whose keys are
    std::uint64_t valid_here[kBatchWords];
    std::vector<std::uint32_t> kept;  ///< of pairs, those that fulfil conditions

    bool is_here(std::uint32_t row) const { return !is_parted || has_bit(here, row); }
    std::vector<std::uint32_t> from;  ///< of pairs: the row of the level before
    std::vector<std::uint32_t> to;    ///< and that of the build side
    bool found_partner = false;       ///< of a row whose pairs take several rounds
    // Whether rows are tested by the filter of keys before they are joined at all.
    bool is_filtered = false;
    std::uint64_t tested = 0;
    std::uint64_t passed = 0;
  };

  Result<VectorView> column(Level& level, std::size_t column);
  Result<VectorView> root_column(std::size_t column);
  bool is_filtered(std::size_t stage) const;
  Physical physical_of_column(std::size_t column) const;
  Status run_step(Step& step, Level& level);
  void begin_vector();
  Status filter_rows(std::size_t stage);
  Status enter(std::size_t stage);
  std::optional<std::size_t> coded_key(std::size_t stage, const Level& level);
  Status encode_keys(std::size_t stage, Level& level, bool hashed);
  Status find(std::size_t stage);
  static void list_unique_pairs(Probe& probe, std::uint32_t count);
  Status join_pairs(std::size_t stage);
  Status join_checked(std::size_t stage);
  Status check_round(std::size_t stage, bool ends_row);
  Status choose_rows(std::size_t stage, bool wanted);
  Status push(std::size_t stage);
  void fill_level(const Level& from, Level& to, const std::vector<std::uint32_t>& picked,
                  const std::uint32_t* build, std::size_t stage);
  void mark(std::size_t stage);
  Status finish_rows(Level& level);
  Status keep_fulfilling(Step& step, Level& level, std::vector<std::uint32_t>& kept);
  bool only_counts(std::size_t stage) const;
  std::uint64_t origin(const Level& level, std::uint32_t i) const;
  void set_places(Level& level);
  void set_numbers(const Level& level);
  void drop_pairs();
  std::uint64_t root_row(std::uint32_t selected) const;
  Error failure_at(const Failure& failure, const Level& level) const;

  const Execution& execution_;
  const JoinRun& run_;
  const JoinTree& tree_;
  std::vector<Level> levels_;  ///< before stage 0, 1, ..., behind the last one, behind conditions
  std::vector<std::unique_ptr<Probe>> probes_;
  std::vector<JoinRun::Count> counts_;
  std::unique_ptr<Step> after_;
  std::unique_ptr<Step> results_;
  bool may_miss_ = false;  ///< there may be rows that have none of some table
  std::vector<std::uint32_t> kept_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::size_t> holder_;  ///< by column: in Level::rows
  std::vector<std::size_t> place_;   ///< by column, in its build side
  unsigned number_shift_;            ///< bits behind the row's number
  unsigned part_shift_;              ///< of these, bits for its place at the stage that is divided

  // Where it is.
  SliceReader* reader_ = nullptr;
  const Slice* slice_ = nullptr;
  std::uint32_t vector_ = 0;
  Selection selection_;
  std::vector<Gathered> root_columns_;            ///< of the selected rows
  std::optional<std::size_t> ending_;             ///< the stage whose build side's rows come out
  std::uint64_t first_ending_ = 0;                ///< their numbers begin with this
  std::uint64_t last_there_ = ~std::uint64_t{0};  ///< at the stage whose keys are divided
  std::uint64_t place_there_ = 0;
  std::uint64_t last_row_ = ~std::uint64_t{0};
  std::uint64_t last_place_ = 0;
  std::uint64_t ordinal_ = 0;  ///< of its rows in the answer
  std::uint64_t given_ = 0;    ///< rows, where their numbers do not matter
  std::uint64_t* matched_ = nullptr;
  const TakeRows* take_ = nullptr;
};

}  // namespace presso::query
