// SPDX-License-Identifier: MIT
// Compiles a bound query to a pipeline: the columns to read, conditions as steps over lane masks,
// expressions as a program over registers, group keys as one number, and aggregates as cells.
// Declines what a pipeline cannot do, with a reason, and the query is left to the CPU. Host code
// that knows no device. Tested by tests/queries/one_table.txt.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "query/gpu/kernels/pipeline.h"
#include "query/gpu/kernels/sum_limits.h"
#include "query/gpu/table/column_codes.h"
#include "query/gpu/table/loaded_table.h"
#include "query/gpu/table/stage_use.h"
#include "query/gpu/table/string_rows.h"
#include "query/gpu/table/value_table.h"
#include "query/plan/device_plan.h"
#include "query/run/group_input.h"

namespace presso::gpu {

/// What a pipeline cannot do is left to the CPU, for this reason.
inline Error refused(std::string why) {
  return make_error(ErrorCode::kUnsupported, std::move(why));
}

/// A number that none of the node's values is, in place of nulls; nothing: there is none that is
/// known.
std::optional<std::int64_t> null_number(const query::Node& node);

/// What the leaves ask of the slices of a loaded table, to be copied to the device.
struct LeafTables {
  std::vector<LeafRange> ranges;  ///< by leaf, then by slice
  std::vector<ImageInterval> intervals;
  std::vector<std::uint32_t> code_bits;
};

/// The conditions of a pipeline over a loaded table, and what of them StringRows must answer.
struct TableConditions {
  std::vector<ConditionStep> steps;
  std::vector<StringLeaf> strings;
  bool few_are_left = false;  ///< of the rows of the kernel before, as the plan estimates
};

/// Numbers of dictionaries' codes, as Pipeline::code_begins and code_numbers.
struct KeyCodeTables {
  std::vector<std::uint32_t> begins;
  std::vector<std::uint32_t> numbers;
};

/// Whether a step's result is a build row, or that there is none.
bool finds_rows(PipelineStep::Kind kind);

/// Whether a step has a result, which is in a register.
bool has_result(PipelineStep::Kind kind);

/// How a cell, or two, become an aggregate.
struct CellsOfAggregate {
  std::optional<std::size_t> low;    ///< sum modulo 2^64, its low part, least or greatest image
  std::optional<std::size_t> high;   ///< of sums in two parts
  std::optional<std::size_t> count;  ///< of values that are not null; none: all rows have one
  // Of sums of doubles: NaNs and infinities, and limbs of 2^unit, the lowest first.
  std::optional<std::size_t> specials;
  std::optional<std::size_t> plus;  ///< of short limbs: then `specials` has -inf and NaN
  /// Of sums of integers that two cells may not hold: pieces of kShortBits, the last one signed.
  std::vector<std::size_t> limbs;
  std::int16_t unit = 0;
};

/// Groups may be told by numbers, of which many have no rows: up to so many, and for so many rows.
/// Others are found in a table of keys.
constexpr std::uint64_t kMostNumberedGroups = std::uint64_t{1} << 28;
constexpr std::uint64_t kGroupsForRow = 4;
constexpr std::uint64_t kFewGroups = std::uint64_t{1} << 16;

/// Which of a query's aggregates a pipeline gives: one argument of count(distinct) at a time, and
/// all others with the first one.
struct AggregateChoice {
  bool gives(const query::AggregateCall& call) const {
    if (call.kind == query::AggregateKind::kCountDistinct) return call.argument == distinct;
    return others;
  }

  std::optional<query::NodeId> distinct;
  bool others = true;
};

/// The values that count(distinct) counts, as a key.
struct DistinctValues {
  query::NodeId node = 0;
  query::KeySpec spec;
  StringKeyNumbers numbers;  ///< none: it is no string
};

class PipelineBuilder {
 public:
  /// Of a query, or of a build side of its joins. Both are kept by reference.
  PipelineBuilder(const query::Execution& execution, ColumnCodes& codes,
                  const SumLimits& limits = {})
      : execution_(execution), strings_(codes), limits_(limits) {
    enter_scan();
  }

  /// Before add_joins(): the build side of this stage is made in parts, for each of which the
  /// pipeline runs once, after set_part().
  void make_in_parts(std::size_t stage) { stage_in_parts_ = stage; }
  /// kUnsupported, with the reason, where the conditions are none that a pipeline can test.
  /// kInvalidArgument, where a plan was asked for that kernels cannot follow, and the CPU is not to
  /// follow it in their place.
  Status add_conditions();
  /// Kernels that run before this one, one after another, each on the rows that the one before has
  /// left. They read some of the first of the columns, and bits are all that comes of them.
  struct KernelBefore;
  const std::vector<std::shared_ptr<const KernelBefore>>& kernels_before() const { return before_; }
  /// This kernel's conditions, as plans have them.
  const std::string& plan() const { return plan_; }
  /// The same for the stages of joins, and the conditions behind them.
  Status add_joins();
  /// The same for groups and aggregates. `rows`: that sums have room for, at least. `numbers`: by
  /// key; none: it is no string, or the input's codes say what its numbers are. `by_rows`: groups
  /// may be told by the rows of a build side, where set_side() may refuse that. `distinct`: groups
  /// have this value beside their keys, and are to be merged.
  Status add_groups(const query::GroupInput& input, const std::vector<StringKeyNumbers>& numbers,
                    std::uint64_t rows, bool by_rows, const AggregateChoice& choice,
                    const std::optional<DistinctValues>& distinct);
  /// Of a build side: the rows that are left write the key and the columns that `use` wants, in
  /// this order; only those whose keys are in `part`. `numbers`: and the number by which they are
  /// in order, behind all else where it is not among the columns.
  Status add_rows(const StageUse& use, const KeyInterval& part, bool numbers);
  /// Which of a build side's outputs that number is; nothing: it is not written.
  std::optional<std::size_t> order_output() const { return order_output_; }
  /// Of a query without groups: the rows that are left write the number by which they are in order,
  /// and these columns of BoundQuery::columns, as result_columns() says.
  Status add_result(const std::vector<std::size_t>& columns);
  const std::vector<RowColumn>& result_columns() const { return result_columns_; }
  /// After all of it is known what is wanted of build sides, and what these turn out to be has to
  /// be told, before finish(). kUnsupported: groups cannot be told by their rows.
  const std::vector<StageUse>& stages() const { return stages_; }
  Status set_side(std::size_t stage, std::uint64_t rows, bool repeats, unsigned order_bits);
  /// Steps get their registers, counts are filled in. `table_bytes`: for a table of groups, at
  /// first.
  Result<Pipeline> finish(std::uint64_t table_bytes = 0);
  /// Of a pipeline that finish() made: which part of the build side of the stage that is made in
  /// parts its next run, and those of of_build_rows(), are for.
  void set_part(const KeyInterval& part, Pipeline& pipeline);
  /// Of a stage whose build rows come out when all others have been joined: the pipeline that these
  /// pass. `of`: as finish() made it, told where lookups, arrays and marks are.
  Result<Pipeline> of_build_rows(std::size_t stage, const Pipeline& of) const;
  /// Before add_groups(): each pair is looked at, whatever may_count() would say.
  void walk_all_pairs() { walks_pairs_ = true; }
  /// Once all is added: whether of the stage's build rows nothing matters but how many there are of
  /// a key. Then a row of the probe side goes on once, and counts as often.
  bool may_count(const StageUse& use) const;
  /// Whether any stage does so; of finish(). Then pair_count() is the cell of all pairs, which are
  /// more than the rows that match.
  bool counts_pairs() const;
  std::optional<std::size_t> pair_count() const { return pair_count_; }
  /// The groups that come of those of `from`, whose numbers are key * distinct()->values + value:
  /// one for each key, with a cell more that counts values (GroupMerge). Without memory for them.
  /// `table_bytes`: as of finish().
  Pipeline merged(const Pipeline& from, std::uint64_t table_bytes) const;
  /// Gives a pipeline whose table of groups was full a larger one; false: there is none.
  bool enlarge_table(Pipeline& pipeline) const;
  /// Gives sums of doubles more limbs, where those that they had did not hold a value: in the
  /// pipeline of the table's rows and, behind it, in those of build rows. False: there are no more.
  bool add_limbs(const std::vector<Pipeline*>& pipelines);

  /// The key of a stage as one number, what a lookup is made of and asked for; its range where that
  /// is known.
  std::optional<LookupPlan::Range> key_range(const StageUse& use) const;
  /// The same numbers as signed ones, of which there may be up to 2^64.
  std::optional<KeyInterval> key_bounds(const StageUse& use) const;

  /// The table's columns, by the pipeline's numbers of them.
  const std::vector<std::size_t>& columns() const { return columns_; }
  /// Bits of the columns, by the pipeline's numbers of them, whose strings are tested, also by
  /// kernels before.
  std::uint32_t string_columns() const;
  /// The conditions, in which rows of columns that `table` has as tokens are asked for by their
  /// bits. kUnsupported where those are too many.
  Result<TableConditions> conditions_over(const LoadedTable& table) const;
  /// What the conditions ask of the slices of `table`.
  Result<LeafTables> leaf_tables(const LoadedTable& table,
                                 const std::vector<query::Physical>& physical) const;
  KeyCodeTables code_tables(const LoadedTable& table) const;
  const std::vector<RowCodes>& row_codes() const { return row_codes_; }
  const std::vector<ValueTable>& value_tables() const { return value_tables_; }

  // Of groups.
  struct Key {
    std::uint64_t stride = 1;
    std::uint64_t values = 1;  ///< the null included; 0: all of 64 bits
    std::int64_t least = 0;
    bool nullable = false;  ///< the last value is the null, of doubles kNullReal
    bool is_real = false;   ///< the bits of doubles
    bool is_truth = false;  ///< 0 or 1
    bool is_string() const { return codes != nullptr || strings != nullptr; }
    const query::KeyCodes* codes = nullptr;  ///< of strings that GroupInput has no codes of
    KeyStrings* strings = nullptr;           ///< of strings that have numbers on the device
    std::optional<std::size_t> of_row;       ///< in StageUse::columns of row_stage()
  };
  const std::vector<Key>& keys() const { return keys_; }
  /// The value that groups have beside their keys until they are merged.
  const std::optional<Key>& distinct() const { return distinct_; }
  /// Of a record's number; once groups have been merged they have no value.
  std::uint64_t number_of_key(std::uint64_t number) const {
    return distinct_ && !keys_.empty() ? number * distinct_->values : number;
  }
  const AggregateChoice& choice() const { return choice_; }
  /// The stage whose build row tells some of the keys: group = others + row * row_stride().
  std::optional<std::size_t> row_stage() const { return row_stage_; }
  std::uint64_t row_stride() const { return row_stride_; }
  /// Of the numbers by which rows are in order; of a build side, once it has been finished.
  unsigned order_bits() const;
  /// How many numbers by which they are in order each row of the table has.
  unsigned bits_of_repeats() const;
  /// Rows of the stage's build side that come out at the end are in order by numbers from here on,
  /// once set_side() has been told of those before; as those of the table they are followed by
  /// bits_of_repeats().
  std::uint64_t first_build_row(std::size_t stage) const;
  /// How many such numbers there may be of the stage.
  std::uint64_t build_row_limit(std::size_t stage) const;
  /// All first rows of groups are below.
  std::uint64_t order_limit() const;
  const std::vector<CellsOfAggregate>& aggregates() const { return aggregates_; }
  /// Of how many rows that match all sums are right.
  std::uint64_t most_rows() const { return most_rows_; }
  std::uint64_t groups() const { return groups_; }
  /// Nothing is wanted but the number of rows, and no program is needed for it.
  bool counts_only() const { return !has_groups_ && cells_.empty() && values_.empty(); }
  bool has_groups() const { return has_groups_; }
  /// The cell that counts a group's rows, where that is asked for.
  std::optional<std::size_t> row_count() const { return row_count_; }

 private:
  /// Steps before registers are dealt out: each gives a value of its own.
  struct Value {
    PipelineStep step;
    std::vector<std::size_t> from;  ///< values that it reads, in the order a, b, c
    bool is_wide = false;
  };

  /// Where a node has a value, and is not null.
  struct Validity {
    bool is_everywhere() const { return columns == 0 && !truth; }

    std::uint16_t columns = 0;         ///< bits of columns that must not be null
    std::optional<std::size_t> truth;  ///< a value that must be true
    bool is_nowhere = false;           ///< then that is true in no row
    friend bool operator==(const Validity&, const Validity&) = default;
  };

  /// A value that is true or false in each row, or what all rows have.
  struct Truth {
    bool is_always() const { return !value && constant; }
    bool is_never() const { return !value && !constant; }

    bool constant = true;                   ///< where there is no value
    std::optional<std::size_t> value = {};  ///< 0 or 1
    friend bool operator==(const Truth&, const Truth&) = default;
  };
  struct NullSources;

  struct Cell {
    bool reads_value() const { return kind != PipelineCell::Kind::kCount && !column_node; }

    PipelineCell::Kind kind;
    std::size_t value;
    Validity valid;
    std::optional<query::NodeId> column_node;  ///< it adds up a column, perhaps without a program
    // Of doubles, as PipelineCell has them.
    RealPart part = RealPart::kNone;
    Byte limb = 0;
    std::int16_t unit = 0;
    // Of sums of integers: between what all values are, where that is known.
    std::int64_t least = 1;
    std::int64_t most = 0;
    friend bool operator==(const Cell&, const Cell&) = default;
  };

  class BuildRowSteps;

  /// A key that becomes one number.
  struct KeyOfSide {
    bool of_probe = true;
    bool keeps_all = false;                 ///< rows without a key, or a partner, are left
    std::optional<std::int64_t> otherwise;  ///< their number
    std::size_t value = 0;
    std::optional<std::size_t> truth;  ///< a value that is true of rows with a key; of all
    bool has_null_number = false;      ///< the last part is a number beside the keys where null
  };

  void enter_scan();
  void enter_joins();
  std::optional<std::size_t> stage_of(std::size_t column) const;
  Result<Byte> array_of(StageUse& use, const RowColumn& column);
  Status add_output(std::size_t value, bool is_wide);
  Status add_real_result(const query::Node& node);
  Result<std::size_t> column_value(const RowColumn& column);
  Result<std::size_t> code_of_row(const RowCodes& codes, std::int64_t null_number);
  Result<std::size_t> gathered(StageUse& use, const RowColumn& column);
  std::size_t table_column(std::size_t column) const {
    return is_scan_ ? column : column - execution_.first_column;
  }
  Status add_stage(const query::BoundStage& stage);
  bool both_ascend(const StageUse& use) const;
  Status check_pairs(StageUse& use);
  Status mark_rows(StageUse& use);
  bool marks_rows() const;
  Status drop_nulls(query::NodeId id);
  Status add_truth(query::NodeId id, bool negated);
  Status number_key_strings(StageUse& use);
  Result<KeyStrings*> number_on_device(std::size_t of_build, std::size_t of_probe);
  Result<std::size_t> key_value(const StageUse& use, bool of_probe);
  Status add_single_key(const StageUse& use, const KeyForm& form, KeyOfSide& key);
  Status add_real_key_of_side(query::NodeId id, KeyOfSide& key);
  Status add_part_of_key(const StageUse& use, std::size_t i, const KeyStride& stride,
                         KeyOfSide& key);
  Result<std::size_t> key_of_string(const StageUse& use, std::size_t i, KeyOfSide& key,
                                    std::int64_t beside);
  Result<std::size_t> key_or(query::NodeId id, KeyOfSide& key, std::optional<std::int64_t> beside);
  Status require(KeyOfSide& key, std::size_t truth);
  Status filter_by(std::size_t truth);
  Result<std::size_t> filter_part(std::size_t key, const KeyInterval& part);
  std::optional<std::size_t> column_of_row(const query::BoundStage& stage, query::NodeId key) const;
  std::size_t steps_of_selective_joins() const;
  Status want_order();
  Status add_order(Pipeline& pipeline);
  bool may_exceed_counts() const;
  Status weigh_rows();
  bool tells_row(const query::BoundStage& stage) const;
  double possible_groups(const query::GroupInput& input,
                         const std::vector<StringKeyNumbers>& numbers,
                         const std::optional<DistinctValues>& distinct) const;
  Status add_key_of_groups(const query::KeySpec& spec, query::NodeId node,
                           const query::KeyCodes* known, const StringKeyNumbers& numbers);
  std::optional<std::size_t> choose_row_stage() const;
  Status choose_table(double possible_groups, std::size_t keys);
  std::uint64_t most_numbered() const;
  void set_table(Pipeline& pipeline, std::uint64_t places) const;
  Status add_key_of_row(std::size_t column, const query::KeySpec& spec,
                        const StringKeyNumbers& numbers);
  Result<Byte> column_of(std::size_t table_column);
  Status add_kernel(const query::DeviceKernel& kernel);
  Status add_kernel_before(const query::DeviceKernel& kernel);
  Status add_groups_of(const query::ConditionGroups& groups);
  double share_of(const query::DeviceKernel& kernel) const;
  bool is_required(std::size_t step) const;
  Status add_filter(const query::Filter& filter);
  Status add_tree(const query::Filter& filter);
  Status add_leaf(const query::Filter& filter);
  Status push(ConditionStep step);
  Result<std::size_t> value_of(query::NodeId id);
  Result<std::size_t> value_of_step(query::NodeId id);
  Result<std::size_t> value_of_real_step(query::NodeId id);
  Result<std::size_t> real_of_float(std::size_t value);
  Result<std::size_t> append_real(RealOperation operation, query::NodeId id);
  Result<std::size_t> value_by_table(query::NodeId id);
  Result<ValueDomain> domain_of(const query::Node& column);
  bool combines_truths(query::NodeId id) const;
  bool is_of_reals(query::NodeId id) const;
  Result<Truth> is_true(query::NodeId id, bool negated);
  Result<Truth> find_truth(query::NodeId id, bool negated);
  Result<Truth> is_not_null(query::NodeId id);
  Result<Truth> is_there(query::NodeId id);
  Result<Truth> truth_of(const Validity& valid);
  Result<Truth> truth_of_joined(const std::set<std::size_t>& columns);
  Result<Truth> both(const Truth& a, const Truth& b);
  Result<Truth> either(const Truth& a, const Truth& b);
  Result<Truth> one_of(const Truth& a, const Truth& b);
  Result<Truth> negation(const Truth& of);
  Result<std::size_t> value_of_truth(const Truth& truth);
  Result<std::size_t> constant_value(std::int64_t number, bool is_wide);
  Result<std::size_t> operation(PipelineStep::Kind kind, const query::Node& node);
  Result<std::size_t> value_of_is_null(const query::Node& node);
  Result<std::size_t> value_of_distinct(query::NodeId id);
  Result<std::size_t> value_of_case(const query::Node& node);
  Result<std::size_t> value_of_coalesce(const query::Node& node);
  Result<std::optional<std::size_t>> branch_value(query::NodeId id, bool is_wide);
  Result<std::optional<std::size_t>> choose(const Truth& truth, query::NodeId branch,
                                            std::optional<query::NodeId> last,
                                            std::optional<std::size_t> otherwise, bool is_wide);
  std::optional<std::int64_t> constant_bits(query::NodeId id) const;
  Result<std::size_t> value_or(std::size_t value, std::size_t truth, std::int64_t otherwise);
  Result<std::size_t> times(std::size_t truth, query::NodeId id, bool is_wide);
  std::optional<std::int64_t> constant_of(query::NodeId id) const;
  Result<std::size_t> load(std::size_t table_column, PipelineStep::Kind kind,
                           std::int64_t null_value, bool is_wide);
  Result<std::size_t> append(Value value);
  Result<std::size_t> append(PipelineStep::Kind kind, std::size_t a, std::size_t b, bool is_wide);
  Result<std::size_t> append_constant(PipelineStep::Kind kind, std::size_t a, std::int64_t constant,
                                      bool is_wide);
  Status collect_sources(query::NodeId id, NullSources& sources);
  Result<Validity> validity_of(query::NodeId id);
  Result<Validity> program_validity(query::NodeId id);
  Result<std::size_t> program_truth(const Validity& valid);
  const query::Node* nullable_node(std::size_t column) const;
  const query::Node* column_node(std::size_t column) const;
  std::size_t column_of_query(std::size_t column) const;
  Result<RowColumn> row_column(const query::Node& node);
  static RowColumn numbered(const query::Node& column, KeyStrings& strings);
  static RowColumn with_null(const query::Node& column, std::optional<std::int64_t> null_value);
  Status add_key(const query::KeySpec& spec, query::NodeId node, const query::KeyCodes* codes,
                 bool own_codes);
  Status add_real_key(const query::KeySpec& spec, query::NodeId node);
  Status add_key_of_strings(const query::KeySpec& spec, query::NodeId node, KeyStrings& strings);
  Status add_to_group(std::size_t value, Key key);
  Status add_to_group(std::size_t value, std::uint64_t stride);
  Status add_aggregate(const query::AggregateCall& call, const query::AggregateSpec& spec,
                       std::uint64_t rows);
  Status add_sum(query::NodeId argument, const query::AggregateSpec& spec, const Validity& valid,
                 std::uint64_t rows, CellsOfAggregate& cells);
  Status add_sum_of_pieces(query::NodeId argument, const query::AggregateSpec& spec,
                           const Validity& valid, CellsOfAggregate& cells);
  Status sum_up_to(std::uint64_t most_rows, std::uint64_t rows);
  Status add_real_sum(query::NodeId argument, const query::AggregateSpec& spec,
                      const Validity& valid, std::uint64_t rows, CellsOfAggregate& cells);
  void add_known_limbs(Pipeline& pipeline) const;
  /// Groups that are merged have one cell more, the number of their values.
  std::size_t most_cells() const { return kMostPipelineCells - (distinct_ ? 1u : 0u); }
  Result<std::size_t> add_cell(Cell cell);
  Status count_rows();
  void mark_columns(Pipeline& pipeline) const;
  void drop_idle_steps();
  bool sums_only() const;
  void deal_registers(Pipeline& pipeline) const;

  const query::Execution& execution_;
  ColumnCodes& strings_;
  const SumLimits limits_;
  const query::Graph* graph_ = nullptr;  ///< of the nodes that are added, and
  bool is_scan_ = true;                  ///< whether it numbers the table's own columns
  std::vector<std::size_t> columns_;
  std::vector<std::shared_ptr<const KernelBefore>> before_;
  std::string plan_;
  /// That a kernel has left; conditions ask for these first (kBitsBefore).
  bool takes_rows_ = false;
  double share_before_ = 1;  ///< of rows, that kernels before leave by the plan's estimate
  std::vector<ConditionStep> conditions_;
  std::vector<const query::Filter*> leaves_;
  std::vector<Value> values_;
  std::map<std::pair<const query::Graph*, query::NodeId>, std::size_t> known_;
  /// Of columns of joined tables: not null.
  std::map<std::pair<const query::Graph*, std::set<std::size_t>>, Truth> truths_;
  std::map<std::pair<std::uint16_t, std::optional<std::size_t>>, Truth> theres_;  ///< by Validity
  std::map<std::tuple<const query::Graph*, query::NodeId, bool>, Truth> true_;    ///< is_true()
  std::set<std::pair<const query::Graph*, query::NodeId>> looked_up_;  ///< by value_by_table()
  std::vector<StageUse> stages_;
  std::optional<std::size_t> stage_in_parts_;
  Byte arrays_ = 0;
  std::vector<RowCodes> row_codes_;
  bool reads_numbers_ = false;  ///< of the table's rows, which the device gave their strings
  std::vector<ValueTable> value_tables_;
  std::vector<RowColumn> result_columns_;
  std::vector<std::pair<std::size_t, bool>> outputs_;  ///< values, and whether they are wide
  bool is_ordered_ = false;                            ///< the order of pairs of a row matters
  std::optional<std::size_t> order_;                   ///< the value that says it
  std::optional<std::size_t> order_output_;            ///< in outputs_
  std::optional<std::size_t> order_row_;               ///< the table's row in it
  std::optional<std::size_t> row_stage_;
  std::uint64_t row_stride_ = 0;
  std::map<std::pair<Byte, std::int64_t>, std::size_t> loads_;
  std::map<Byte, const query::KeyCodes*> codes_;  ///< of columns whose codes are numbered
  std::vector<Key> keys_;
  std::optional<Key> distinct_;
  AggregateChoice choice_;
  std::vector<CellsOfAggregate> aggregates_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> added_limbs_;  ///< to each sum of doubles, by add_limbs() in turn
  std::optional<std::size_t> group_;
  std::uint64_t groups_ = 1;
  std::uint64_t rows_ = 0;  ///< that are expected, at most
  std::uint64_t most_rows_ = std::uint64_t{1} << 63;
  std::uint64_t most_keys_ = 0;   ///< of a table: different ones, at most; 0: groups have numbers
  bool has_whole_words_ = false;  ///< it is the only key, and may be anything
  bool has_groups_ = false;
  std::optional<std::size_t> row_count_;
  std::optional<std::size_t> pair_count_;
  bool walks_pairs_ = false;
  std::uint16_t nullable_ = 0;
};

struct PipelineBuilder::KernelBefore {
  PipelineBuilder builder;
  Pipeline pipeline;  ///< as the builder has finished it
};

}  // namespace presso::gpu
