// SPDX-License-Identifier: MIT
// The joins of a query at run time. The *root* is the table that is read row by row; a *stage* is
// one join, whose *build side* is kept in memory or in files (query/plan/join_plan.h). Rows of the
// root pass one stage after another: their keys are looked up in the stage's table, and the numbers
// of matching rows of each table go on. Values are read only where a key, a condition or the
// program needs them, and only for rows that are left. Rows come out in the order of the root's
// rows, then of the first stage's, and so on; rows of build sides without a partner follow at the
// end, stage by stage. Pairs are counted, summed up and written vector by vector (F4).
//
// JoinRun owns what threads share, JoinWorker is one thread's way through the stages. Build sides
// are kept in memory (join_build.h); what does not fit is divided into passes over the root or goes
// through files (join_spill.h). Tested by tests/unit/query/run/join_test.cpp and
// tests/differential/join_oracle.py.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/run/join_build.h"

namespace presso::query {

/// A stage whose build side is in a file, as are the rows that come to it. Both files are divided
/// into the same parts, which are joined one after another. A part of the build side that does not
/// fit by itself, because one key has too many rows, is joined in chunks.
struct SpilledStage {
  SpilledStage(const Graph& graph, const BoundStage& stage) : keys(graph, stage) {}

  /// Encodes keys of both sides.
  JoinKeys keys;
  /// Sizes of the build side's parts, as measured.
  std::optional<PartSizes> sizes;
  std::unique_ptr<PartFile> build;
  std::unique_ptr<PartFile> probe;
  /// Bytes of probe rows that have been written.
  std::uint64_t probe_bytes = 0;
  /// Number of parts of the build side that were loaded, or chunks of parts.
  std::uint64_t loads = 0;
  /// Columns of BoundQuery::columns that the probe's file has, after the rows' numbers.
  std::vector<std::size_t> probe_columns;
};

/// Up to kBatchRows rows that are read back from the probe's file.
struct ProbeBatch {
  std::uint32_t rows = 0;
  /// The rows' numbers, then SpilledStage::probe_columns.
  std::vector<VectorView> columns;
  /// The bits of rows that found a partner in earlier chunks; nullptr if there are no chunks.
  std::uint64_t* partners = nullptr;
  bool last_chunk = true;
};

/// The bits of the numbers that give rows of the answer their order, in whatever order they are
/// made. From the top: the number of the root's row, or of a build row, which are numbered after
/// those of the root; for each divided stage, which of the rows of one such number this is there
/// (`place`), and, if chunks are joined, the number of the build row that it found (`partner`); and
/// which of all these rows it is (`ordinal`). Order is exact as long as no row has more rows than
/// its bits can count; beyond, rows share the highest number.
///
/// With one divided stage and neither files nor chunks, a number reads, from the highest bit:
/// root's row | place | ordinal. Sorting by it gives the order in which one pass in memory would
/// have made the rows.
struct NumberBits {
  struct OfStage {
    unsigned place = 0;
    unsigned partner = 0;
  };
  std::vector<OfStage> stages;
  unsigned ordinal = 0;

  /// The bits that stages before `end` add.
  unsigned before(std::size_t end) const {
    unsigned bits = 0;
    for (std::size_t i = 0; i < end; ++i) bits += stages[i].place + stages[i].partner;
    return bits;
  }
};

/// The joins of one run, with their build sides. A stage is *divided* if its keys are divided among
/// several *passes* over the root; it *spills* if it is joined through files; the *base* is the
/// stage from whose file rows come at the moment. Changed by the thread that controls the run;
/// between its calls, workers use the const functions and the files concurrently.
class JoinRun {
 public:
  /// Keeps a reference to `execution`, whose plan it extends.
  explicit JoinRun(Execution& execution) : execution_(execution) {}

  static constexpr std::size_t kNoStage = ~std::size_t{0};

  /// Makes those build sides that do not exist yet, with the columns that `program` needs. If one
  /// does not fit into memory, the root will be read several times, each time for some of the keys,
  /// or rows go through files. To be called before the first pass. Errors: those of reading, and
  /// kOutOfMemory if nothing helps.
  Status prepare(const Program& program);
  /// Whether rows come in another order than the answer's, so that they must be sorted by number.
  bool is_divided() const { return passes() > 1 || spills(); }
  std::size_t passes() const { return parts_.size(); }
  /// Makes the build side of the next pass. For the first pass, prepare() has done that.
  Status begin_pass(std::size_t pass);
  /// Restores the root's plan, so that it is read as if it were not divided.
  void end_passes();

  /// Whether any stage is joined through files.
  bool spills() const;
  SpilledStage* spilled(std::size_t stage) const { return spilled_[stage].get(); }
  /// Whether rows that come to the stage are written to its file now.
  bool writes(std::size_t stage) const { return spilled_[stage] != nullptr && stage != base_; }
  /// Opens the files of stages that spill. To be called before the root is read; rows are written
  /// with the columns that later stages and `program` need.
  Status begin_spill(const Program& program);
  /// Makes rows come from the file of this stage from now on, or from the root for kNoStage.
  void set_base(std::size_t stage) { base_ = stage; }
  std::size_t base() const { return base_; }
  /// Loads the next rows of the build side of stage base(): as many batches from `next` on as fit,
  /// at least one.
  Status load(std::span<const PartFile::Batch> batches, std::size_t& next);
  /// The bytes that the rows of a part may take.
  std::uint64_t part_bytes() const { return memory_left() / 4 * 3; }
  /// Gives up the memory and the files of the base stage after its last part.
  void end_base();
  const NumberBits& bits() const { return bits_; }

  bool has_stage(std::size_t number) const { return stages_[number] != nullptr; }
  const BuiltStage& stage(std::size_t number) const { return *stages_[number]; }
  const std::vector<std::size_t>& stage_columns(std::size_t number) const {
    return stage_columns_[number];
  }
  /// Whether rows of the stage's build side are returned at the end of this pass. Stages up to the
  /// divided one see each key in one pass only, so their rows are final then; later ones are final
  /// in the last pass.
  bool gives_rows(std::size_t stage, std::size_t pass) const {
    return gives_build_rows(kind(stage)) && (stage <= divided_ || pass + 1 == passes());
  }
  StageKind kind(std::size_t stage) const;
  /// Whether the scan has done the work of a stage, which then passes rows on as they are.
  bool is_decided(std::size_t stage) const { return scanned_[stage].decides; }
  /// Whether the scan has done the work of all stages, so that its rows are those of the answer.
  bool is_decided() const;
  /// The stage whose keys are divided among passes; 0 if none is.
  std::size_t divided() const { return divided_; }
  /// Whether rows that come to a stage in this pass come to it for the first time; else they would
  /// be counted twice.
  bool is_new(std::size_t stage) const { return pass_ == 0 || stage > divided_ || scans_part_; }
  /// The part of the keys that is joined at a stage in this pass.
  JoinPart part_of_stage(std::size_t stage) const;
  /// The columns of the root that stages and `program` need, numbered as in the root.
  std::vector<std::size_t> root_columns(const Program& program) const;
  /// Memory of all build sides.
  std::uint64_t bytes() const;
  /// Stored bytes, and blocks, of the columns that are read of all build sides.
  std::uint64_t stored_bytes() const;
  std::uint64_t blocks() const;
  /// The memory for joins: half of the whole, as groups and sorting have the other half, or 15/16
  /// if there is just one group without sets of values.
  static std::uint64_t budget(const Execution& execution);

  /// Rows that came to a stage, and pairs that it found.
  struct Count {
    std::uint64_t asked = 0;
    std::uint64_t found = 0;
  };
  /// Adds the counts of a thread.
  void add_counts(const std::vector<Count>& counts);
  /// What became of all stages, and of the stages of their build sides, for --explain.
  std::vector<StageReport> reports() const;

 private:
  /// Helpers of prepare(); see join_run.cpp.
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
  /// By stage; nullptr for stages in memory.
  std::vector<std::unique_ptr<SpilledStage>> spilled_;
  std::size_t base_ = kNoStage;
  NumberBits bits_;
  /// The columns that the stages were built with.
  std::vector<std::size_t> columns_;
  std::vector<JoinPart> parts_{JoinPart{}};
  /// What the scan is asked for a stage: a condition of Execution::with_keys, by number.
  struct Scanned {
    std::optional<std::size_t> condition;
    bool decides = false;
  };
  std::vector<Scanned> scanned_;  ///< indexed by stage
  /// Sizes of the parts of the stage that is divided.
  std::optional<PartSizes> sizes_;
  /// The root's plan without the condition of a part.
  FilterPlan plan_;
  /// Whether only rows of the current part are read of the root.
  bool scans_part_ = false;
  std::size_t divided_ = 0;
  std::size_t pass_ = 0;
  /// Counters by stage: rows and pairs, rows kept in all passes, and the peak memory of one pass.
  std::vector<Count> counts_;
  std::vector<std::uint64_t> rows_kept_;
  std::vector<std::uint64_t> most_bytes_;
};

/// One thread's way through the stages, a vector of rows at a time. Each stage turns the rows of
/// one level into those of the next, in rounds of up to kBatchRows pairs, depth first, so that
/// memory does not depend on the number of pairs.
class JoinWorker {
 public:
  /// Keeps references to all arguments.
  JoinWorker(const Execution& execution, const JoinRun& run, const Program& program);

  /// Joins the rows of a slice that `bits` selects; `reader` must have the slice open. Adds the
  /// rows that come out to `matched` and passes them to `take`.
  Status run_slice(const Slice& slice, const std::uint64_t* bits, SliceReader& reader,
                   std::uint64_t& matched, const TakeRows& take);
  /// Joins rows from the file of stage JoinRun::base().
  Status run_batch(const ProbeBatch& batch, std::uint64_t& matched, const TakeRows& take);
  /// Returns those of the build rows [first, first + count) of `stage` that come out at the end.
  Status run_build_rows(std::size_t stage, std::uint64_t first, std::uint32_t count,
                        std::uint64_t& matched, const TakeRows& take);
  /// Rows and pairs by stage, so far.
  const std::vector<JoinRun::Count>& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A column's values for the rows of a level; gathered when they are first needed.
  struct Gathered {
    bool made = false;
    Buffer values;
    std::uint64_t validity[kBatchWords];
    VectorView view;
  };
  /// The rows that enter a stage, or leave the last one, as row numbers of each table.
  struct Level {
    std::uint32_t count = 0;
    /// First the root's rows, as positions among the selected rows of the vector, then for each
    /// stage the rows of its build side; kNone where an outer join has none. Empty if not needed
    /// yet.
    std::vector<std::vector<std::uint32_t>> rows;
    /// The root's rows are 0, 1, 2, ..., so that gathering can be skipped.
    bool all_root_rows = false;
    /// Numbers of the rows so far (NumberBits) after a divided stage. Empty: those of the root's
    /// rows.
    std::vector<std::uint64_t> numbers;
    std::vector<Gathered> columns;
  };
  /// A program with one thread's memory to run it.
  struct Step {
    explicit Step(Program of) : program(std::move(of)), state(program) {}
    Program program;
    Program::State state;
    std::vector<VectorView> inputs;
    std::vector<VectorView> results;
  };
  /// One thread's memory for a stage.
  struct Probe {
    std::unique_ptr<Step> keys;
    std::unique_ptr<Step> residual;  ///< nullptr: the join has only equalities
    JoinKeys::Scratch scratch;
    join::Found found;
    /// Bits of rows that have a key (no NULL); nullptr: all.
    const std::uint64_t* validity = nullptr;
    /// Bits of rows that may also have a partner.
    const std::uint64_t* may_match = nullptr;
    /// Whether only some of the keys belong to this pass.
    bool is_parted = false;
    /// Bits of rows whose keys belong to it, and those that have a key as well.
    std::uint64_t here[kBatchWords];
    std::uint64_t valid_here[kBatchWords];
    /// Pairs that fulfil the residual conditions, by index.
    std::vector<std::uint32_t> kept;

    bool is_here(std::uint32_t row) const { return !is_parted || has_bit(here, row); }
    /// The pairs of this round: the row of the level before, and that of the build side.
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> to;
    /// Whether a row whose pairs take several rounds has found a partner.
    bool found_partner = false;
    // In a divided stage: the number of the last row that came, and how many of its number came
    // before.
    std::uint64_t last_number = ~std::uint64_t{0};
    std::uint64_t place = 0;
    /// Parts of the rows that are written.
    std::vector<std::uint32_t> parts;
  };

  Result<VectorView> column(Level& level, std::size_t column);
  Result<VectorView> root_column(std::size_t column);
  Status run_step(Step& step, Level& level);
  void begin_vector();
  /// Rows of a level enter a stage; recursion makes the whole way.
  Status enter(std::size_t stage);
  Status write_rows(std::size_t stage);
  bool had_partner(std::size_t stage, std::uint32_t row) const;
  void note_partner(std::size_t stage, std::uint32_t row);
  bool closes_rows(std::size_t stage) const;
  Status pass_on(std::size_t stage);
  std::optional<std::size_t> coded_key(std::size_t stage, const Level& level);
  Status encode_keys(std::size_t stage, Level& level, bool hashed);
  /// Looks the keys of a level up; results are in Probe::found.
  Status find(std::size_t stage);
  static void list_unique_pairs(Probe& probe, std::uint32_t count);
  /// What a stage does with the rows found, by kind of join.
  Status join_pairs(std::size_t stage);
  Status join_checked(std::size_t stage);
  Status check_round(std::size_t stage, bool ends_row);
  Status choose_rows(std::size_t stage, bool wanted);
  /// Hands pairs on to the next level.
  Status push(std::size_t stage);
  void fill_level(const Level& from, Level& to, const std::vector<std::uint32_t>& picked,
                  const std::uint32_t* build, std::size_t stage);
  void mark(std::size_t stage);
  /// What happens to rows after the last stage, and their numbers.
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
  /// Before stage 0, 1, ..., after the last stage, and after the conditions on joined rows.
  std::vector<Level> levels_;
  std::vector<std::unique_ptr<Probe>> probes_;
  std::vector<JoinRun::Count> counts_;
  /// The number of stages up to the last one that has anything to do.
  std::size_t end_ = 0;
  std::unique_ptr<Step> after_;
  std::unique_ptr<Step> results_;
  /// Whether a row may lack the row of some table, as after an outer join.
  bool may_miss_ = false;
  std::vector<std::uint32_t> kept_;
  std::vector<std::uint64_t> numbers_;
  /// By column: its index in Level::rows.
  std::vector<std::size_t> holder_;
  /// By column: its index among the columns of its build side.
  std::vector<std::size_t> place_;
  /// Set while rows come from a file.
  const ProbeBatch* batch_ = nullptr;
  /// By column: its index in batch_.
  std::vector<std::size_t> batch_column_;

  // The current position.
  SliceReader* reader_ = nullptr;
  const Slice* slice_ = nullptr;
  std::uint32_t vector_ = 0;
  Selection selection_;
  /// Columns of the selected rows of the root.
  std::vector<Gathered> root_columns_;
  /// The stage whose build rows are being returned, if any.
  std::optional<std::size_t> ending_;
  /// The number of the first such row.
  std::uint64_t first_ending_ = 0;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  /// Counts the rows of the answer that share last_number_.
  std::uint64_t ordinal_ = 0;
  /// Rows given so far, if their numbers do not matter.
  std::uint64_t given_ = 0;
  std::uint64_t* matched_ = nullptr;
  const TakeRows* take_ = nullptr;
};

/// The representation of a column's values.
Physical physical_of_column(const BoundQuery& query, std::size_t column);

}  // namespace presso::query
