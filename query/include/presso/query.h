// SPDX-License-Identifier: MIT
// Questions to tables (FORMAT.md 15): rows that fulfil a condition, expressions over columns,
// joins, groups and their aggregates, order, limits. Only the columns and blocks that matter are
// read, and the answer is the same for any number of threads, amount of memory and device.
//
//   presso::Query query = presso::Query::from(table);
//   query.where("l_shipdate <= 1998-09-02").group_by("l_returnflag")
//        .select("l_returnflag, sum(l_quantity) as quantity, count(*)").order_by("quantity desc");
//   presso::Result<presso::QuerySummary> done = query.run(options, sink);
//
// Sources, as docs/sources.md numbers them: S4.1-S4.13, S1.1, F5, F11, F12. Tested by
// tests/unit/query and, against DuckDB and SQLite, by tests/differential/query_oracle.py.
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

/// The time that a machine needs for the steps of a query, in nanoseconds. Plans are chosen by
/// these (S4.6). The values here are rough guesses, not measurements; measure_query_rates() gives
/// those of a machine.
struct QueryRates {
  /// What testing k conditions together, without a branch between them, costs a row in parts of
  /// what it costs to test them one by one: scan_k / (k * scan_1), from k = 1 on.
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

/// Measures the rates of this machine with one thread, in about 0.2 s.
QueryRates measure_query_rates();

/// The time that a GPU needs for the steps of a query, and what queries wait for besides its
/// kernels, in nanoseconds unless said otherwise. The values here are roughly those of an H200;
/// `presso info --calibrate` measures them.
struct GpuQueryRates {
  /// Widths of packed numbers in bits; there is a rate of comparing for each, which holds for
  /// numbers of at most that width.
  static constexpr std::array<unsigned, 5> kWidths = {4, 8, 16, 32, 64};
  /// Comparing a row's packed number, by kWidths, without reading its bytes.
  std::array<double, 5> compare_ns = {0.0005, 0.0005, 0.0005, 0.0006, 0.001};
  double byte_ns = 0.0001;         ///< a stored byte that a kernel reads
  double token_byte_ns = 0.0015;   ///< a stored byte of strings stored as tokens, tested
  double text_byte_ns = 0.003;     ///< a byte of strings stored as bytes, decoded and tested
  double step_ns = 0.003;          ///< a step of an expression, of a row
  double sum_ns = 0.0008;          ///< a row whose number is added up, without groups
  double group_ns = 0.0065;        ///< a row that is counted and summed up in one of few groups
  double cached_group_ns = 0.026;  ///< the same in one of kCachedGroups groups
  double far_group_ns = 0.1;       ///< the same in one of kFarGroups groups, which no cache holds
  double group_back_ns = 50;       ///< a group that comes back and is put in its place
  double lookup_ns = 0.007;        ///< a key that is looked up among kCachedGroups
  double far_lookup_ns = 0.03;     ///< and among kFarKeys, which no cache holds
  double branch_ns = 0.02;         ///< a vector that is tested for live rows
  double pass_ns = 0.0003;         ///< a row that one kernel passes on to the next in a bitmap
  double kernel_ns = 5000;         ///< the start of a kernel
  double read_ns = 0.04;           ///< a stored byte that comes from a file, read by all threads
  double thread_read_ns = 0.25;    ///< a stored byte that comes from a file, read by one thread
  double start_seconds = 0.4;      ///< until a query's first kernel runs, if its code is known
  double compile_seconds = 0.4;    ///< the code of a process's first query of a new shape

  /// Numbers of groups and keys for which the rates above were measured.
  static constexpr double kCachedGroups = 1 << 16;
  static constexpr double kFarGroups = 1 << 21;
  static constexpr double kFarKeys = 1 << 21;
  /// Returns the rate of the least of kWidths that is not less than `bits`.
  double compare_width_ns(double bits) const;
};

/// How conditions are ordered and grouped. All plans give the same rows (S4.1, S4.2).
struct PlanChoice {
  /// Empty: chosen by the cost model. Otherwise the plan by name: conditions are numbered from 1
  /// and stand in the order in which they are tested; '&' tests without a branch, '&&' skips
  /// vectors without a live row, ';' begins a new pass over the rows that are left: "2&1&&3;4". A
  /// GPU ends a kernel at each ';', which may also follow the last condition ("1&&2;"), and refuses
  /// plans that no kernel can run (see cpu_fallback).
  std::string plan;
  /// What one pass hands to the next: a list of row numbers or a bitmap (S4.4, S4.7).
  enum class Rows : std::uint8_t { kAuto, kList, kBitmap };
  Rows rows = Rows::kAuto;  ///< kAuto: chosen by the cost model
};

/// Which rows of two tables a join gives.
using JoinKind = SqlJoin::Kind;
/// The most tables that one query joins.
constexpr std::size_t kMostJoined = 16;

/// A GPU that queries may use, from one thread at a time. Made by open_query_gpu() of
/// presso/query_gpu.h.
class QueryDevice;

/// How the group of a row is found (query/group). All strategies give the same groups.
enum class GroupStrategy : std::uint8_t {
  kAuto,
  kDense,  ///< an array with a place for each possible key
  kHash,   ///< a table for each thread, merged at the end
  kRadix,  ///< small tables that are emptied into partitions
};

/// How a query is run. Nothing here changes the answer, except `dictionaries` and `stored_types`,
/// which change its form.
struct QueryOptions {
  unsigned threads = 0;  ///< 0: all
  /// Memory for groups, for build sides of joins and for rows to be sorted. A query that needs more
  /// reads its tables several times or uses temporary files. 0: half of what the machine has.
  std::uint64_t memory_bytes = 0;
  /// The answer is kept for another query. Then it may not hold intervals, which only print.
  bool keeps_answer = false;
  std::string temporary_directory;  ///< for temporary files; empty: what TMPDIR names, else /tmp
  QueryRates rates;
  /// The rates by which conditions that a GPU tests are planned, and queries on it forecast.
  /// Without them a GPU tests the conditions in the CPU's order, in one kernel.
  std::optional<GpuQueryRates> gpu_rates;
  PlanChoice plan;
  GroupStrategy group_strategy = GroupStrategy::kAuto;
  JoinStrategy join_strategy = JoinStrategy::kAuto;
  /// Runs as much of the query as it can, with the same answer; nullptr: the CPU runs everything.
  std::shared_ptr<QueryDevice> device;
  /// If the device fails (its memory does not suffice, or it is lost) the CPU answers instead, and
  /// the summary's why_cpu says why. Without this, a failure is an error.
  bool cpu_fallback = false;
  /// Names of string columns that a stream of Arrow arrays gives as dictionaries with codes of 32
  /// bits; each batch has the dictionary of its row group. Possible for columns that are selected
  /// unchanged, if rows are not joined, grouped or sorted. See dictionary_columns().
  std::vector<std::string> dictionaries;
  /// A stream has columns as they are stored and not as the type of Arrow that they came from:
  /// nested values as JSON, dictionaries as their values.
  bool stored_types = false;
  bool times_kernels = false;  ///< fills QuerySummary::kernel_seconds
  /// PreparedQuery::explain() with `analyze` also tells the source of the kernels that a GPU has
  /// compiled for the query.
  bool tells_code = false;
  const std::atomic<bool>* cancelled = nullptr;  ///< true ends the run with kCancelled
};

/// What a query will have to do, estimated before it runs: from directories, zones, and the share
/// of the rows that conditions are expected to let pass. It serves to decide whether a GPU pays.
struct QueryForecast {
  /// Nanoseconds that one CPU thread takes for the work that a device could take over: reading,
  /// conditions, joins and groups, by QueryOptions::rates. The estimate is rather too low, as it
  /// ignores how far apart keys lie in memory and how long strings are. Sorting and the answer are
  /// left out.
  double cpu_ns = 0;
  /// Nanoseconds that a GPU takes for that work once it has the blocks, by QueryOptions::gpu_rates,
  /// in all its passes and including bringing groups back. 0 without such rates.
  double gpu_ns = 0;
  /// How often a GPU reads the tables: once for each argument of count(distinct).
  std::uint32_t gpu_passes = 1;
  /// Rows of all tables in slices (65,536 rows) that zones do not rule out, and the stored bytes of
  /// the columns that are read in these slices.
  double rows = 0;
  double stored_bytes = 0;
  double groups = 0;    ///< an upper bound of the number of groups; 0 without groups
  std::string why_cpu;  ///< why a device would be of no use, if that is known; or empty
};

/// Counts of a finished run: rows, bytes, blocks, and where the work was done.
struct QuerySummary {
  std::uint64_t rows = 0;          ///< rows of the answer
  std::uint64_t rows_in = 0;       ///< rows of all tables
  std::uint64_t rows_matched = 0;  ///< rows that fulfil the conditions
  std::uint64_t groups = 0;
  std::uint64_t bytes_read = 0;    ///< stored bytes of the blocks that were read
  std::uint64_t bytes_stored = 0;  ///< stored bytes of all blocks of the columns that are named
  /// Stored bytes of blocks that did not have to be read, as a device had them in its memory
  /// already.
  std::uint64_t bytes_resident = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t blocks_skipped = 0;  ///< blocks of the named columns that were not read
  std::uint64_t peak_bytes = 0;      ///< the most memory that groups and rows to be sorted took
  std::uint64_t spilled_bytes = 0;   ///< bytes that were written to temporary files
  /// How often the tables were read, including passes that were given up for lack of memory.
  std::uint64_t passes = 1;
  /// The time that the device spent on kernels over tables, by its own clock. 0 if there was no
  /// device, it ran no kernel, or QueryOptions::times_kernels was not set.
  double kernel_seconds = 0;
  std::string device;  ///< the device that ran a part of the query; empty: the CPU ran everything
  std::string on_device;  ///< which part: "joins, conditions and groups"
  std::string why_cpu;    ///< why a device that was given did not run all that it could
};

/// A batch of the answer: the columns of its schema, all of one length.
using ResultBatch = std::vector<ColumnData>;

/// Receives an answer. Batches are encoded by any thread, several at once, and written in the order
/// of the answer.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  /// Called once, before any batch, with the answer's schema.
  virtual Status begin(const TableSchema& schema);
  /// Returns the form in which a batch is written, for example text. Called by several threads at
  /// once; by default returns nothing.
  virtual Result<Buffer> encode(const ResultBatch& batch);
  /// Takes the next batch and its encoded form. Called in order, never concurrently. Returns false
  /// if no more batches are wanted.
  virtual Result<bool> write(ResultBatch batch, Buffer encoded) = 0;
};

/// How partial answers of groups are made and merged, when a query is divided among processes.
struct PartialForm {
  /// Name of the column by which groups get the order of the whole answer. Only partial answers
  /// with the same name are merged; naming it after the question keeps answers to other questions
  /// out.
  std::string order_name = "order";
  /// The number of a partial answer's first group in that order. Parts that are later in the table
  /// need greater numbers.
  std::int64_t first_order = 0;
  /// If not 0, a column kBucketColumn is added that assigns a group to one of that many buckets by
  /// a hash of its keys; the hash is the same in all partial answers. 0: no such column.
  std::uint32_t buckets = 0;
  /// Whether merging gives a partial answer again, for merging in several steps.
  bool again = false;
};
inline constexpr const char* kBucketColumn = "bucket";

/// How a query can be divided by row groups.
struct QueryDivision {
  /// The table whose rows are divided: 0 for the first one, or the number of a join from 1 on.
  std::size_t source = 0;
  bool grouped = false;  ///< whether the answers of parts must be merged (Query::partial, merge)
  /// For each table of that source and each of its row groups: whether some row may fulfil the
  /// conditions, as far as the directories tell.
  std::vector<std::vector<bool>> wanted;
};

namespace query {
struct JoinSpec;
struct Preparation;
}  // namespace query

/// A query whose names and types were looked up once, for everything that is asked of it. How its
/// conditions are tested is planned, and large tables are sampled, when that is first needed, and
/// only once. Directories of row groups that were read stay in memory, up to 64 MiB and at most a
/// sixteenth of QueryOptions::memory_bytes. Refers to the tables' files. Copies share all of this.
/// Methods that are const may be called by several threads at once.
class PreparedQuery {
 public:
  /// The answer's columns.
  const TableSchema& schema() const;
  /// What the author of the query should know, a sentence each: that a column of text is compared
  /// with what looks like a number or a date.
  std::vector<std::string> warnings() const;
  /// Which of them are dictionaries in a stream (QueryOptions::dictionaries), as export_schema()
  /// wants it.
  std::vector<bool> coded_columns() const;
  /// Replaces QueryOptions::device and cpu_fallback, once the forecast has told what pays.
  void use_device(std::shared_ptr<QueryDevice> device, bool cpu_fallback);
  /// Drops the device and its rates: what is not planned yet is planned for the CPU alone.
  void use_cpu();
  /// A text without names and constants. Queries of one shape take the same code on a GPU, unless
  /// their columns are packed to other widths (presso/query_compiler.h).
  std::string shape() const;
  /// Estimates what the CPU and a device would have to do. Reads directories, and of large tables
  /// some rows. Errors: those of explain().
  Result<QueryForecast> forecast() const;
  /// Returns, for people, how the query will be run; with `analyze` it is run, and what really
  /// happened is added. Errors: those of run().
  Result<std::string> explain(bool analyze = false) const;
  /// Runs the query and gives its answer to the sink. Errors: those of the files with block and
  /// offset, a PlanChoice::plan that is none, those of a computation that has no result
  /// (kInvalidArgument: overflow, a text that is no number; names the row), kCancelled,
  /// kOutOfMemory, kNoSpace, and those of `sink`.
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

/// A question. It is built by the calls below and may then be run several times. Methods that take
/// text keep an error in it until schema(), explain() or run() returns it. Movable, not thread-safe
/// while it is built.
class Query {
 public:
  /// Rows of one table, or of several tables with the same columns, one after another. The tables
  /// are copied; they refer to their files, which must outlive the query. `names` are those of the
  /// files, for messages.
  static Query from(const Table& table);
  static Query from(std::vector<Table> tables, std::vector<std::string> names = {});
  /// The question that a statement asks (presso/sql.h). `tables` are those of statement.from and
  /// then of each join; `text` is the text that the statement was parsed from.
  static Query from(const SqlQuery& statement, std::string_view text, std::vector<Table> tables);
  Query(Query&&) noexcept;
  Query& operator=(Query&&) noexcept;
  ~Query();

  /// Sets the qualifier of the columns of the table that was named last: "o" allows o.price.
  /// Without it the name of the table's file is the qualifier; with two tables also "left" and
  /// "right".
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
  /// Joins with a parsed condition, or (join_using) with columns that both sides have.
  Query& join(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
              std::optional<Expression> on);
  Query& join_using(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
                    std::vector<Expression> columns);

  /// Sets the text from which trees that are given from now on were parsed; errors show their
  /// places in it.
  Query& parsed_from(std::string_view text);

  /// Keeps rows for which the condition is true. Several calls: all of them must be.
  Query& where(std::string_view text);
  Query& where(Expression condition);
  /// Sets the answer's columns. Without it: all columns, or the groups' keys and aggregates.
  Query& select(std::string_view list);
  Query& select(std::vector<NamedExpression> list);
  /// Gives each row of the answer once, at the place of the first. Needs select(), and excludes
  /// groups.
  Query& distinct();
  Query& group_by(std::string_view list);
  Query& group_by(std::vector<Expression> keys);
  /// Adds aggregates to the answer's columns: "sum(x * (1 - d)) as revenue, count(*)".
  Query& aggregate(std::string_view list);
  Query& having(std::string_view text);
  Query& having(Expression condition);
  Query& order_by(std::string_view list);
  Query& order_by(std::vector<SortExpression> keys);
  Query& limit(std::uint64_t rows, std::uint64_t offset = 0);

  /// Looks up names and types. Errors: kInvalidArgument with the place in the text that is wrong;
  /// the message shows the text with a caret.
  Result<PreparedQuery> prepare(const QueryOptions& options) const;
  /// Returns the answer's columns without running the query; no options matter. Prepares the query
  /// for this once, as do the functions below. Errors: those of prepare().
  Result<TableSchema> schema() const;
  /// Returns, for people, how the query will be run. With `analyze` it is run, and what really
  /// happened is added. Errors: those of prepare() and of PreparedQuery.
  Result<std::string> explain(const QueryOptions& options, bool analyze = false) const;
  /// Runs the query and gives its answer to the sink, or as a stream of batches
  /// (PreparedQuery::run). Errors: those of prepare() and of PreparedQuery.
  Result<QuerySummary> run(const QueryOptions& options, ResultSink& sink) const;
  Status run(const QueryOptions& options, ArrowArrayStream& out) const;
  /// For QueryOptions::dictionaries: columns of strings of the first table that all row groups
  /// store as dictionaries, of not too many entries. Reads each row group's directory.
  Result<std::vector<std::string>> dictionary_columns() const;
  /// Says how to divide the query by row groups (Table::part()). With joins, the source that is
  /// divided is the one that is read row by row; the parts see all of the others and are told so by
  /// divided(). Error: kInvalidArgument where answers of parts cannot be put together: an order or
  /// a limit without groups, count(distinct), and joins that give rows of the other tables without
  /// a partner.
  Result<QueryDivision> divide(const QueryOptions& options) const;
  /// Declares that this is the query of a part of that source, which is then the one that is read
  /// row by row.
  Query& divided(std::size_t source);
  /// Computes the groups of a part as states of aggregates, which merge() combines with those of
  /// other parts. `out` as in run(). Errors: those of run(), and kInvalidArgument as in divide().
  Status partial(const PartialForm& form, const QueryOptions& options, ArrowArrayStream& out) const;
  /// Returns the columns of a partial answer.
  Result<TableSchema> partial_schema(const PartialForm& form) const;
  /// Merges partial answers of this query, given as tables in any number and order, in which groups
  /// may occur many times, into the answer or into one partial answer. Only the schemas of the
  /// query's own tables are used. Errors: kInvalidArgument where a table is no partial answer of
  /// this query, or a state is cut off.
  Status merge(std::vector<Table> partials, const PartialForm& form, const QueryOptions& options,
               ArrowArrayStream& out) const;

 private:
  struct Body;
  Query& join_spec(std::vector<Table> tables, std::vector<std::string> names, query::JoinSpec join);
  explicit Query(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace presso
