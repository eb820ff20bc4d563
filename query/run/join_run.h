// SPDX-License-Identifier: MIT
// Rows of the root pass one stage after another: their keys are looked up in the stage's table, and
// what belongs together goes on, as the numbers of rows of each table. Values are read only where a
// key, a condition or the program wants them, and where rows are left. Rows come out in the order
// of the root's rows, then of the first stage's, and so on; rows of build sides without a partner
// follow at the end, stage by stage (F4's count, prefix sum and write, vector by vector).
// Tested by tests/unit/query/run/join_test.cpp and tests/differential/join_oracle.py.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/run/join_build.h"

namespace presso::query {

/// A stage whose build side is a file, and the rows that come to it another one: both are divided
/// into the same parts, which are joined one after another. The part of a build side that does not
/// fit by itself, having one key too many rows, is joined in chunks.
struct SpilledStage {
  SpilledStage(const Graph& graph, const BoundStage& stage) : keys(graph, stage) {}

  JoinKeys keys;
  std::optional<PartSizes> sizes;  ///< of the build side
  std::unique_ptr<PartFile> build;
  std::unique_ptr<PartFile> probe;
  std::uint64_t probe_bytes = 0;  ///< that have been written
  std::uint64_t loads = 0;        ///< parts of the build side, or chunks of them
  /// Of BoundQuery::columns: those of the rows that come to the stage, behind their numbers.
  std::vector<std::size_t> probe_columns;
};

/// Rows that come back from the file.
struct ProbeBatch {
  std::uint32_t rows = 0;             ///< at most kBatchRows
  std::vector<VectorView> columns;    ///< numbers, SpilledStage::probe_columns
  std::uint64_t* partners = nullptr;  ///< rows that have found one in chunks before; nullptr: none
  bool last_chunk = true;
};

/// How rows of the answer are numbered, so that their order is known whatever the order in which
/// they are made: a number of a row of the root, or of a build side behind those; for each stage
/// that is divided which one of such a row's rows it is there, and, where chunks are joined, which
/// row of the build side it found; which one of all these rows it is. Numbers are exact where no
/// row has more rows than bits are left to count them.
struct NumberBits {
  struct OfStage {
    unsigned place = 0;
    unsigned partner = 0;
  };
  std::vector<OfStage> stages;
  unsigned ordinal = 0;

  /// Of what stages before `end` add.
  unsigned before(std::size_t end) const {
    unsigned bits = 0;
    for (std::size_t i = 0; i < end; ++i) bits += stages[i].place + stages[i].partner;
    return bits;
  }
};

/// The joins of a run: their build sides, which threads share.
class JoinRun {
 public:
  /// `execution` is kept by reference.
  explicit JoinRun(Execution& execution) : execution_(execution) {}

  static constexpr std::size_t kNoStage = ~std::size_t{0};

  /// Makes the build sides, with the columns that `program` needs, as far as they are not there. If
  /// one of them does not fit into memory, the root is read several times, each time with some of
  /// the keys, or it is written to a file. Before the first pass.
  Status prepare(const Program& program);
  /// Whether rows come in another order than that of the answer.
  bool is_divided() const { return passes() > 1 || spills(); }
  std::size_t passes() const { return parts_.size(); }
  /// Of the first pass, nothing is left to do after prepare().
  Status begin_pass(std::size_t pass);
  /// The root is read as if it was not divided again.
  void end_passes();

  /// Whether stages are joined by way of files.
  bool spills() const;
  SpilledStage* spilled(std::size_t stage) const { return spilled_[stage].get(); }
  /// Whether rows that come to a stage go to its file.
  bool writes(std::size_t stage) const { return spilled_[stage] != nullptr && stage != base_; }
  /// Before the root is read: rows will be written for what `program` needs behind them.
  Status begin_spill(const Program& program);
  /// Rows come from the file of this stage from then on; kNoStage: from the root.
  void set_base(std::size_t stage) { base_ = stage; }
  std::size_t base() const { return base_; }
  /// The next rows of the build side of stage base(): as many of these batches as fit.
  Status load(std::span<const PartFile::Batch> batches, std::size_t& next);
  /// How many bytes the rows of a part may take.
  std::uint64_t part_bytes() const { return memory_left() / 4 * 3; }
  /// After the last part: gives up the memory and the files.
  void end_base();
  const NumberBits& bits() const { return bits_; }

  bool has_stage(std::size_t number) const { return stages_[number] != nullptr; }
  const BuiltStage& stage(std::size_t number) const { return *stages_[number]; }
  const std::vector<std::size_t>& stage_columns(std::size_t number) const {
    return stage_columns_[number];
  }
  /// Whether rows of the stage's build side come out at the end of a pass. Rows that are joined
  /// before keys are divided find their partners in each pass; others only in all of them.
  bool gives_rows(std::size_t stage, std::size_t pass) const {
    return gives_build_rows(kind(stage)) && (stage <= divided_ || pass + 1 == passes());
  }
  StageKind kind(std::size_t stage) const;
  /// Whether a stage leaves its rows as they are, since the scan has tested their keys.
  bool is_decided(std::size_t stage) const { return scanned_[stage].decides; }
  /// Whether rows that the scan leaves are those of the answer: nothing is joined to them.
  bool is_decided() const;
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
  /// What joins may have of the memory: half of it, since groups and sorting have the other one, or
  /// nearly all where there is one group without sets of values.
  static std::uint64_t budget(const Execution& execution);

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
  std::string describe_spilled(std::size_t stage) const;
  FilterRunner::Count in_scan(std::size_t stage) const;
  std::string asked_text(std::size_t stage) const;
  void ask_in_scan();
  Status build(std::size_t stage);
  Status build_stages();
  Status build_or_divide(std::size_t stage);
  Status divide(std::size_t stage, double share);
  std::size_t most_passes() const;
  Status write(std::size_t stage);
  void set_bits();
  void clear_matches();
  std::optional<Filter> filter_of_part(const JoinPart& part) const;
  void scan_part();
  static bool is_memory_short(const Status& built);

  Execution& execution_;
  std::vector<std::unique_ptr<BuiltStage>> stages_;
  std::vector<std::vector<std::size_t>> stage_columns_;
  std::vector<std::unique_ptr<SpilledStage>> spilled_;  ///< by stage; nullptr: in memory
  std::size_t base_ = kNoStage;
  NumberBits bits_;
  std::vector<std::size_t> columns_;  ///< that the stages were built with
  std::vector<JoinPart> parts_{JoinPart{}};
  /// What the scan asks for a stage: the number of a condition of Execution::with_keys.
  struct Scanned {
    std::optional<std::size_t> condition;
    bool decides = false;
  };
  std::vector<Scanned> scanned_;    ///< by stage
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
  /// Rows of the file of stage JoinRun::base().
  Status run_batch(const ProbeBatch& batch, std::uint64_t& matched, const TakeRows& take);
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
    /// Behind a stage that is divided: numbers, as far as they are known (NumberBits). Empty: those
    /// of the root's rows.
    std::vector<std::uint64_t> numbers;
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
    // Of a stage that is divided: the last row before it, and how many there were of its number.
    std::uint64_t last_number = ~std::uint64_t{0};
    std::uint64_t place = 0;
    std::vector<std::uint32_t> parts;  ///< of rows that are written
  };

  Result<VectorView> column(Level& level, std::size_t column);
  Result<VectorView> root_column(std::size_t column);
  Status run_step(Step& step, Level& level);
  void begin_vector();
  Status enter(std::size_t stage);
  Status write_rows(std::size_t stage);
  bool had_partner(std::size_t stage, std::uint32_t row) const;
  void note_partner(std::size_t stage, std::uint32_t row);
  bool closes_rows(std::size_t stage) const;
  Status pass_on(std::size_t stage);
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
  std::uint64_t number(const Level& level, std::uint32_t i) const;
  void add_places(std::size_t stage);
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
  std::size_t end_ = 0;  ///< behind the last stage that has something to do
  std::unique_ptr<Step> after_;
  std::unique_ptr<Step> results_;
  bool may_miss_ = false;  ///< there may be rows that have none of some table
  std::vector<std::uint32_t> kept_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::size_t> holder_;        ///< by column: in Level::rows
  std::vector<std::size_t> place_;         ///< by column, in its build side
  const ProbeBatch* batch_ = nullptr;      ///< where rows come from a file
  std::vector<std::size_t> batch_column_;  ///< by column

  // Where it is.
  SliceReader* reader_ = nullptr;
  const Slice* slice_ = nullptr;
  std::uint32_t vector_ = 0;
  Selection selection_;
  std::vector<Gathered> root_columns_;  ///< of the selected rows
  std::optional<std::size_t> ending_;   ///< the stage whose build side's rows come out
  std::uint64_t first_ending_ = 0;      ///< their numbers begin with this
  std::uint64_t last_number_ = ~std::uint64_t{0};
  std::uint64_t ordinal_ = 0;  ///< of its rows in the answer
  std::uint64_t given_ = 0;    ///< rows, where their numbers do not matter
  std::uint64_t* matched_ = nullptr;
  const TakeRows* take_ = nullptr;
};

/// The form of a column's values.
Physical physical_of_column(const BoundQuery& query, std::size_t column);

}  // namespace presso::query
