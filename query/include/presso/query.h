// SPDX-License-Identifier: MIT
// Questions asked of tables (FORMAT.md 15): rows that fulfil a condition, expressions over columns,
// groups and their aggregates, order, limits. Only the columns and blocks that matter are read; the
// answer is the same for any number of threads. Sources: S4.1-S4.13, S1.1, F5, F11, F12.
//
//   presso::Query query = presso::Query::from(table);
//   query.where("l_shipdate <= 1998-09-02").group_by("l_returnflag")
//        .select("l_returnflag, sum(l_quantity) as quantity, count(*)").order_by("quantity desc");
//   presso::Result<presso::QuerySummary> done = query.run(options, sink);
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/column_data.h"
#include "presso/expression.h"
#include "presso/join_strategy.h"
#include "presso/sql.h"
#include "presso/table.h"

namespace presso {

/// What a machine needs for the steps of a query, in nanoseconds; plans are chosen by them
/// (S4.6). The values here are rough guesses, not
/// measurements: measure_query_rates() gives those of a machine.
struct QueryRates {
  /// scan_k / (k * scan_1): what k conditions cost a row when they are tested without a branch
  /// between them, in parts of what they cost one by one; from k = 1 on.
  std::vector<double> together = {1.0, 1.0, 1.0, 1.0};
  double compare_ns = 0.07;  ///< a packed number of 12 bits, compared in place
  double decode_ns = 0.12;   ///< a number decoded into memory
  double compute_ns = 0.25;  ///< a step of an expression
  double byte_ns = 0.2;      ///< a byte of text, decoded and searched
  double list_ns = 1.5;      ///< a row written to and read from a list of row numbers
  double bitmap_ns = 0.02;   ///< a row of a bitmap
  double branch_ns = 4.0;    ///< a vector that is tested for live rows
  double read_ns = 0.12;     ///< a stored byte, read and compared with its checksum
  double group_ns = 2.7;     ///< a row that is counted and summed up in one of a thousand groups
  double join_ns = 10;       ///< a key that is looked up among a million, which caches do not hold
};

/// Measures them on this machine, with one thread, in about 0.2 s.
QueryRates measure_query_rates();

/// The same of a GPU, and what queries wait for beside its kernels. In nanoseconds, where nothing
/// else is said. The values here are roughly those of an H200; `presso info --calibrate` measures
/// them.
struct GpuQueryRates {
  /// In how many bits packed numbers are stored, at most, for one of the rates of comparing them.
  static constexpr std::array<unsigned, 5> kWidths = {4, 8, 16, 32, 64};
  /// A row whose packed number is compared, by kWidths, without reading its bytes.
  std::array<double, 5> compare_ns = {0.0005, 0.0005, 0.0005, 0.0006, 0.001};
  double byte_ns = 0.0001;         ///< a stored byte that a kernel reads
  double token_byte_ns = 0.0015;   ///< a stored byte of strings stored as tokens, tested
  double text_byte_ns = 0.003;     ///< a byte of strings stored as bytes, decoded and tested
  double step_ns = 0.003;          ///< a step of an expression, of a row
  double sum_ns = 0.0008;          ///< a row whose number is added up, without groups
  double group_ns = 0.0065;        ///< a row that is counted and summed up in one of few groups,
  double cached_group_ns = 0.026;  ///< in one of kCachedGroups
  double far_group_ns = 0.1;       ///< and in one of kFarGroups, which no cache holds
  double group_back_ns = 50;       ///< a group that comes back and is put in its place
  double lookup_ns = 0.007;        ///< a key that is looked up among kCachedGroups
  double far_lookup_ns = 0.03;     ///< and among kFarKeys, which no cache holds
  double branch_ns = 0.02;         ///< a vector that is tested for live rows
  double pass_ns = 0.0003;         ///< a row that one kernel passes on to the next in a bitmap
  double kernel_ns = 5000;         ///< the start of a kernel
  double read_ns = 0.04;           ///< a stored byte that comes from a file, read by all threads
  double thread_read_ns = 0.25;    ///< the same by one thread
  double start_seconds = 0.4;      ///< until a query's first kernel runs

  /// Of how many groups and keys the rates are that say so.
  static constexpr double kCachedGroups = 1 << 16;
  static constexpr double kFarGroups = 1 << 21;
  static constexpr double kFarKeys = 1 << 21;
  /// compare_ns of numbers that take so many bits.
  double compare_width_ns(double bits) const;
};

/// How conditions are ordered and grouped; all give the same rows (S4.1, S4.2).
struct PlanChoice {
  /// Empty: by the cost model. Else by name: conditions by their number from 1 on in the order in
  /// which they are tested; '&' tests without a branch, '&&' skips vectors without a live row, ';'
  /// begins a new pass over the rows that are left: "2&1&&3;4". A GPU ends a kernel at each ';',
  /// also behind all conditions ("1&&2;"), and refuses what no kernel can do (see cpu_fallback).
  std::string plan;
  enum class Rows : std::uint8_t { kAuto, kList, kBitmap };
  Rows rows = Rows::kAuto;  ///< what is passed from one pass to the next (S4.4, S4.7)
};

/// Which rows of two tables are joined.
using JoinKind = SqlJoin::Kind;
constexpr std::size_t kMostJoined = 8;

/// A GPU that queries may use (presso/query_gpu.h), from one thread at a time.
class QueryDevice;

/// How groups are found (query/group); all give the same groups.
enum class GroupStrategy : std::uint8_t {
  kAuto,
  kDense,  ///< an array with a place for each possible key
  kHash,   ///< a table for each thread, merged at the end
  kRadix,  ///< small tables that are emptied into partitions
};

struct QueryOptions {
  unsigned threads = 0;  ///< 0: all
  std::uint64_t memory_bytes =
      0;  ///< for groups and rows to be sorted; 0: half of what the machine has
  std::string temporary_directory;  ///< empty: what TMPDIR names, else /tmp
  QueryRates rates;
  /// By which conditions are planned that a GPU tests, and queries on it are forecast. None: a GPU
  /// tests them in the CPU's order, in one kernel.
  std::optional<GpuQueryRates> gpu_rates;
  PlanChoice plan;
  GroupStrategy group_strategy = GroupStrategy::kAuto;
  JoinStrategy join_strategy = JoinStrategy::kAuto;
  /// Does what it can of a query, with the same answer; nullptr: the CPU does all.
  std::shared_ptr<QueryDevice> device;
  /// Where the device fails (its memory does not suffice, it is lost) the CPU answers in its place,
  /// and the summary's why_cpu says why; else that is an error.
  bool cpu_fallback = false;
  /// Columns of strings of the table, by name, that a stream of Arrow's gives as dictionaries with
  /// codes of 32 bits, each batch with that of its row group: where they are columns of the answer
  /// as they stand, and rows are not joined, grouped or sorted. See dictionary_columns().
  std::vector<std::string> dictionaries;
  bool times_kernels = false;                    ///< for QuerySummary::kernel_seconds
  const std::atomic<bool>* cancelled = nullptr;  ///< true ends the run with kCancelled
};

/// What a query will have to do, told before it is run: from directories, zones, and the share of
/// the rows that conditions are expected to let pass. By it one chooses whether a GPU pays.
struct QueryForecast {
  /// Nanoseconds that one thread of the CPU takes for what a device can do in its place: reading,
  /// conditions, joins and groups, by QueryOptions::rates. Rather too few: how far apart keys lie
  /// in memory and how long strings are is not looked at. Sorting and the answer are left out.
  double cpu_ns = 0;
  /// Nanoseconds that a GPU takes for the same once it has the blocks, by QueryOptions::gpu_rates,
  /// in all its passes, and bringing groups back. 0: its rates are not given.
  double gpu_ns = 0;
  /// How often a GPU goes over the tables: once for each argument of count(distinct).
  std::uint32_t gpu_passes = 1;
  double rows = 0;          ///< of all tables, in slices that zones do not rule out
  double stored_bytes = 0;  ///< of the columns that are read, in these slices
  double groups = 0;        ///< at most; 0 without groups
  std::string why_cpu;      ///< why a device would be of no use, as far as that is known; or empty
};

/// What was read and what came of it.
struct QuerySummary {
  std::uint64_t rows = 0;          ///< of the answer
  std::uint64_t rows_in = 0;       ///< of the tables
  std::uint64_t rows_matched = 0;  ///< that fulfil the condition
  std::uint64_t groups = 0;
  std::uint64_t bytes_read = 0;    ///< stored bytes of blocks
  std::uint64_t bytes_stored = 0;  ///< of all blocks of the columns that the query names
  std::uint64_t bytes_resident =
      0;  ///< of blocks that were in a device's memory already, in place of being read
  std::uint64_t blocks_read = 0;
  std::uint64_t blocks_skipped = 0;  ///< of the columns that the query names
  std::uint64_t peak_bytes = 0;      ///< of memory for groups and rows to be sorted
  std::uint64_t spilled_bytes = 0;
  std::uint64_t passes = 1;  ///< over the tables, with those that were given up for lack of memory
  /// That the device took for kernels over tables, by its own clock. 0: it has none, has run none,
  /// or QueryOptions::times_kernels was not set.
  double kernel_seconds = 0;
  std::string device;     ///< that has run a part of the query; empty: the CPU has run all
  std::string on_device;  ///< which part: "joins, conditions and groups"
  std::string why_cpu;    ///< why a device that was given has not run all that it could
};

/// A batch of the answer: columns of the answer's schema, all of one length.
using ResultBatch = std::vector<ColumnData>;

/// Where an answer goes. Batches are encoded by any thread, several at once, and written in the
/// order of the answer.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  /// Once, before any batch.
  virtual Status begin(const TableSchema& schema);
  /// What is written of a batch, for example its text. By default nothing.
  virtual Result<Buffer> encode(const ResultBatch& batch);
  /// In order, never concurrently. False: nothing more is wanted.
  virtual Result<bool> write(ResultBatch batch, Buffer encoded) = 0;
};

/// How partial answers of groups are made and merged.
struct PartialForm {
  /// The column by which groups are ordered as the whole answer has them. Only partial answers in
  /// which it is called alike are merged: who names it after the question keeps others out.
  std::string order_name = "order";
  /// Of a partial answer's first group; later ones follow. Parts that are later in the table need
  /// greater ones.
  std::int64_t first_order = 0;
  /// A column kBucketColumn says into which of so many parts a group's keys fall, by a hash that is
  /// the same in all partial answers. 0: none.
  std::uint32_t buckets = 0;
  bool again = false;  ///< merging gives a partial answer
};
inline constexpr const char* kBucketColumn = "bucket";

/// What divides a query.
struct QueryDivision {
  std::size_t source = 0;  ///< whose rows are divided: 0, or the number of a join from 1 on
  bool grouped = false;    ///< parts give partial answers
  /// For each table of the source and each row group, whether some row may fulfil the conditions,
  /// by what the directories tell.
  std::vector<std::vector<bool>> wanted;
};

namespace query {
struct JoinSpec;
struct Preparation;
}  // namespace query

/// A query whose names and types were looked up, once for everything that is asked of it. How its
/// conditions are tested is planned, and large tables are sampled, when that is first needed, and
/// once, too. Directories of row groups that were read stay in memory, up to 64 MiB, or a sixteenth
/// of QueryOptions::memory_bytes. Refers to the tables' files. Copies share all of this. Methods
/// that are const may be called by several threads at once.
class PreparedQuery {
 public:
  /// The answer's columns.
  const TableSchema& schema() const;
  /// Which of them are dictionaries in a stream (QueryOptions::dictionaries), as export_schema()
  /// wants it.
  std::vector<bool> coded_columns() const;
  /// Replaces QueryOptions::device and cpu_fallback, once the forecast has told what pays.
  void use_device(std::shared_ptr<QueryDevice> device, bool cpu_fallback);
  /// Drops the device and its rates: what is not planned yet is planned for the CPU alone.
  void use_cpu();
  /// What the CPU and a device would have to do. Reads directories, and of large tables some rows.
  /// Errors: those of explain().
  Result<QueryForecast> forecast() const;
  /// How it will be run, for people; with `analyze` it is run, and what really happened is added.
  Result<std::string> explain(bool analyze = false) const;
  /// Errors: those of the files with block and offset, a PlanChoice::plan that is none, those of a
  /// computation that has no result (kInvalidArgument: overflow, a text that is no number; names
  /// the row), kCancelled, kOutOfMemory, kNoSpace, and those of `sink`.
  Result<QuerySummary> run(ResultSink& sink) const;
  /// Gives the answer as a stream of batches, computed by threads of its own as it is read. The
  /// release of `out` ends them. kInvalidArgument where a row group does not store one of
  /// QueryOptions::dictionaries as a dictionary.
  Status run(ArrowArrayStream& out) const;

 private:
  friend class Query;
  explicit PreparedQuery(std::shared_ptr<query::Preparation> body) : body_(std::move(body)) {}
  std::shared_ptr<query::Preparation> body_;
};

/// A question. Methods that take text keep what is wrong with it until check(), explain() or run().
class Query {
 public:
  /// Rows of one table, or of several with the same columns one after another. Copies the tables,
  /// which refer to their files. `names`: of the files, for messages.
  static Query from(const Table& table);
  static Query from(std::vector<Table> tables, std::vector<std::string> names = {});
  /// What a statement asks (presso/sql.h). `tables`: of statement.from, then of each join. `text`:
  /// that it was parsed from.
  static Query from(const SqlQuery& statement, std::string_view text, std::vector<Table> tables);
  Query(Query&&) noexcept;
  Query& operator=(Query&&) noexcept;
  ~Query();

  /// What the columns of the table named last are qualified by: "o" for o.price. Else by its file's
  /// name; of two tables also by "left" and "right".
  Query& as(std::string_view alias);
  /// Joins a table, of which there may be several files as in from(), to what was named before; up
  /// to kMostJoined tables. `on`: "a = b, c = d" of columns of both sides, "id" for a column that
  /// both have, which then is one column of the answer, or a condition: "a = b and c < d", which
  /// must have an equality of both sides. Nulls are equal to nothing.
  ///
  /// One table's rows are read one after another: of two tables, and of inner joins that come
  /// first, those of the table of which conditions are expected to leave the most, else the first
  /// one's. The others are kept in memory, as far as their conditions leave them, or in passes over
  /// the one that is read. The answer is in the order of that table's rows, then of the first one's
  /// in memory, and so on; rows of a table in memory that have found no partner follow (right and
  /// full joins). It is the same for any strategy, number of threads and memory.
  Query& join(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
              std::string_view on);
  /// The same with a parsed condition, or columns that both sides have (USING).
  Query& join(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
              std::optional<Expression> on);
  Query& join_using(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
                    std::vector<Expression> columns);

  /// What trees that are given from now on were parsed from: errors show their places in it.
  Query& parsed_from(std::string_view text);

  /// Rows for which it is true. Several: all of them.
  Query& where(std::string_view text);
  Query& where(Expression condition);
  /// The answer's columns; none given: all columns, or the groups' keys and aggregates.
  Query& select(std::string_view list);
  Query& select(std::vector<NamedExpression> list);
  /// Each row of the answer once, at the place of the first; what is selected must be given, and no
  /// groups.
  Query& distinct();
  Query& group_by(std::string_view list);
  Query& group_by(std::vector<Expression> keys);
  /// Adds to the answer's columns: "sum(x * (1 - d)) as revenue, count(*)".
  Query& aggregate(std::string_view list);
  Query& having(std::string_view text);
  Query& having(Expression condition);
  Query& order_by(std::string_view list);
  Query& order_by(std::vector<SortExpression> keys);
  Query& limit(std::uint64_t rows, std::uint64_t offset = 0);

  /// Looks up names and types. Errors: kInvalidArgument with the place in the text that is wrong;
  /// what() has the text with a caret.
  Result<PreparedQuery> prepare(const QueryOptions& options) const;
  /// What prepare() gives is asked once: the answer's columns, in which no options matter;
  Result<TableSchema> schema() const;
  /// how it will be run, or was with `analyze`;
  Result<std::string> explain(const QueryOptions& options, bool analyze = false) const;
  /// and the answer. Errors: those of prepare() and of PreparedQuery.
  Result<QuerySummary> run(const QueryOptions& options, ResultSink& sink) const;
  Status run(const QueryOptions& options, ArrowArrayStream& out) const;
  /// For QueryOptions::dictionaries: columns of strings of the first table that all row groups
  /// store as dictionaries, of not too many entries. Reads each row group's directory.
  Result<std::vector<std::string>> dictionary_columns() const;
  /// For who divides a source by row groups (Table::part()). Of joined tables it is the one that
  /// is read row by row; parts see all of the others, and are told so by divided(). Error:
  /// kInvalidArgument where parts cannot be put together: an order or a limit without groups,
  /// count(distinct), and joins that give rows of the other tables that have found no partner.
  Result<QueryDivision> divide(const QueryOptions& options) const;
  /// This is the query of a part of that source: it is the one that is read row by row.
  Query& divided(std::size_t source);
  /// The groups of a part as states, which merge() adds up with those of other parts. `out` as in
  /// run(). Errors: those of run(), and kInvalidArgument as divide().
  Status partial(const PartialForm& form, const QueryOptions& options, ArrowArrayStream& out) const;
  /// What that gives.
  Result<TableSchema> partial_schema(const PartialForm& form) const;
  /// Merges partial answers of this query, as tables in any number and order, in which groups may
  /// come many times: gives the answer, or a partial answer. Of the query's own tables only the
  /// schemas are used. Errors: kInvalidArgument where a table is none of this query's partial
  /// answers, or a state is cut off.
  Status merge(std::vector<Table> partials, const PartialForm& form, const QueryOptions& options,
               ArrowArrayStream& out) const;

 private:
  struct Body;
  Query& join_spec(std::vector<Table> tables, std::vector<std::string> names, query::JoinSpec join);
  explicit Query(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace presso
