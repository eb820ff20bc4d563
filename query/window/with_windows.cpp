// SPDX-License-Identifier: MIT
// The window operator: sorts once for all calls with one partition and order, runs the calls over
// chunks of whole partitions on all threads, and appends the results to the rows, whose stored
// blocks are copied as they are.
#include <algorithm>

#include "decompress/table/group_reader.h"
#include "format/threads/parallel.h"
#include "query/run/execution.h"
#include "query/window/partition_reader.h"
#include "query/window/result_store.h"

namespace presso::query {
namespace {

/// Partitions are given to threads in parts of about this number of rows.
constexpr std::uint32_t kTaskRows = 1u << 14;

/// Calls that share a sort.
struct CallClass {
  std::vector<std::size_t> calls;    ///< numbers of calls
  std::vector<std::size_t> columns;  ///< numbers of columns that they need
  TableSchema schema;                ///< of their results
};

bool share_sort(const WindowCall& a, const WindowCall& b) {
  return a.partition == b.partition && a.order == b.order;
}

std::vector<std::size_t> columns_of(const WindowCall& call) {
  std::vector<std::size_t> columns = call.arguments;
  columns.insert(columns.end(), call.partition.begin(), call.partition.end());
  for (const WindowOrder& key : call.order) columns.push_back(key.column);
  if (call.filter) columns.push_back(*call.filter);
  if (call.frame && call.frame->begin.offset.column) {
    columns.push_back(*call.frame->begin.offset.column);
  }
  if (call.frame && call.frame->end.offset.column)
    columns.push_back(*call.frame->end.offset.column);
  return columns;
}

Result<std::vector<CallClass>> classes_of(std::span<const WindowCall> calls,
                                          const TableSchema& schema) {
  std::vector<CallClass> classes;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    PRESSO_ASSIGN(ColumnSchema type, window_type(calls[i], schema));
    auto found = std::find_if(classes.begin(), classes.end(), [&](const CallClass& one) {
      return share_sort(calls[one.calls.front()], calls[i]);
    });
    if (found == classes.end()) found = classes.emplace(found);
    found->calls.push_back(i);
    found->schema.columns.push_back(std::move(type));
    for (const std::size_t column : columns_of(calls[i])) {
      if (std::find(found->columns.begin(), found->columns.end(), column) == found->columns.end()) {
        found->columns.push_back(column);
      }
    }
  }
  return classes;
}

/// A call with the columns of a chunk.
WindowInput input_of(const WindowCall& call, const ColumnSchema& result, const CallClass& one,
                     const TableSchema& schema, const WindowChunk& chunk) {
  const auto column_of = [&](std::size_t column) -> WindowColumn {
    const auto at = std::find(one.columns.begin(), one.columns.end(), column);
    return {chunk.rows.view(static_cast<std::size_t>(at - one.columns.begin()), 0),
            schema.columns[column]};
  };
  WindowInput input;
  input.call = &call;
  input.chunk = &chunk;
  input.schema = result;
  for (const std::size_t column : call.arguments) input.arguments.push_back(column_of(column));
  if (call.filter) input.filter = column_of(*call.filter);
  if (!call.order.empty()) input.key = column_of(call.order.front().column);
  if (call.frame && call.frame->begin.offset.column) {
    input.begin_offset = column_of(*call.frame->begin.offset.column);
  }
  if (call.frame && call.frame->end.offset.column) {
    input.end_offset = column_of(*call.frame->end.offset.column);
  }
  input.sees_all = !input.filter && std::all_of(input.arguments.begin(), input.arguments.end(),
                                                [](const WindowColumn& argument) {
                                                  return argument.view.validity == nullptr;
                                                });
  return input;
}

/// Runs the calls of one class over chunks.
class ClassRun {
 public:
  ClassRun(const CallClass& one, std::span<const WindowCall> calls, const TableSchema& schema,
           const QueryOptions& options)
      : one_(one),
        calls_(calls),
        schema_(schema),
        threads_(threads_or_all(options.threads)),
        memory_bytes_(static_cast<std::int64_t>(memory_limit(options) / 4)) {}

  Status run(const WindowChunk& chunk, ResultStore& store) {
    const auto text_left = std::make_shared<std::atomic<std::int64_t>>(memory_bytes_);
    std::vector<WindowInput> inputs;
    std::vector<WindowResult> results;
    for (std::size_t i = 0; i < one_.calls.size(); ++i) {
      const ColumnSchema& result = one_.schema.columns[i];
      inputs.push_back(input_of(calls_[one_.calls[i]], result, one_, schema_, chunk));
      inputs.back().text_left = text_left;
      results.emplace_back(physical_of_type(result.type), chunk.count);
    }
    const std::vector<std::size_t> tasks = tasks_of(chunk);
    const std::size_t parts = tasks.size() - 1;
    std::vector<StringArena> strings(parts * inputs.size());
    const auto run_task = [&](std::size_t task, unsigned) -> Status {
      const std::size_t call = task % inputs.size();
      const std::size_t part = task / inputs.size();
      const auto run = make_window_run(inputs[call], strings[task]);
      for (std::size_t i = tasks[part]; i < tasks[part + 1]; ++i) {
        PRESSO_TRY(run->run({chunk.partitions[i], chunk.partitions[i + 1]}, results[call]));
      }
      return {};
    };
    PRESSO_TRY(for_each_in_parallel(strings.size(), threads_, run_task));
    return store.take(chunk, results);
  }

 private:
  /// Where the tasks begin, as numbers of partitions, and the end.
  static std::vector<std::size_t> tasks_of(const WindowChunk& chunk) {
    std::vector<std::size_t> tasks = {0};
    for (std::size_t i = 1; i + 1 < chunk.partitions.size(); ++i) {
      if (chunk.partitions[i] - chunk.partitions[tasks.back()] >= kTaskRows) tasks.push_back(i);
    }
    tasks.push_back(chunk.partitions.size() - 1);
    return tasks;
  }

  const CallClass& one_;
  const std::span<const WindowCall> calls_;
  const TableSchema& schema_;
  const unsigned threads_;
  const std::int64_t memory_bytes_;  ///< for texts that a chunk's calls make
};

/// The results of one of `share` classes.
Result<std::unique_ptr<ResultStore>> results_of(const CallClass& one,
                                                std::span<const WindowCall> calls,
                                                const Table& table, std::size_t share,
                                                const QueryOptions& options) {
  const WindowCall& first = calls[one.calls.front()];
  PartitionReader reader(table, one.columns, first.partition, first.order, options);
  PRESSO_TRY(reader.open());
  PRESSO_ASSIGN(auto store, ResultStore::make(one.schema, table.rows(), share, options));
  ClassRun run(one, calls, table.schema(), options);
  for (;;) {
    PRESSO_ASSIGN(const std::unique_ptr<WindowChunk> chunk, reader.next());
    if (chunk == nullptr) return store;
    PRESSO_TRY(run.run(*chunk, *store));
  }
}

/// Writes the rows with their results.
class ResultWriter {
 public:
  ResultWriter(const KeptRows& rows, const std::vector<CallClass>& classes,
               const QueryOptions& options)
      : rows_(rows), classes_(classes), sink_(options) {}

  Result<KeptRows> write(std::span<const std::unique_ptr<ResultStore>> stores) {
    TableSchema schema;
    schema.columns = rows_.table.schema().columns;
    std::size_t calls = 0;
    for (const CallClass& one : classes_) calls += one.calls.size();
    schema.columns.resize(schema.columns.size() + calls);
    const auto first = schema.columns.end() - static_cast<std::ptrdiff_t>(calls);
    for (const CallClass& one : classes_) {
      for (std::size_t i = 0; i < one.calls.size(); ++i) {
        first[static_cast<std::ptrdiff_t>(one.calls[i])] = one.schema.columns[i];
      }
    }
    PRESSO_TRY(sink_.begin(schema));
    for (std::uint64_t group = 0; group < rows_.table.row_groups(); ++group) {
      PRESSO_TRY(write_group(group, calls, stores));
    }
    return sink_.finish();
  }

 private:
  Status write_group(std::uint64_t group, std::size_t calls,
                     std::span<const std::unique_ptr<ResultStore>> stores) {
    const TableIndex& index = TableAccess::index(rows_.table);
    const GroupPlace& place = index.groups()[group];
    PRESSO_ASSIGN(RowGroup directory, index.read_directory(group));
    Buffer blocks;
    blocks.resize_discarding(static_cast<std::size_t>(place.stored_bytes - place.directory_bytes));
    PRESSO_TRY(
        rows_.file->read_at(place.file_offset + place.directory_bytes, blocks.mutable_bytes()));
    std::vector<ColumnData> results(calls);
    for (std::size_t i = 0; i < stores.size(); ++i) {
      PRESSO_ASSIGN(ResultBatch batch, stores[i]->next(place.rows));
      for (std::size_t call = 0; call < batch.size(); ++call) {
        results[classes_[i].calls[call]] = std::move(batch[call]);
      }
    }
    PlainRowGroup extended(std::move(directory), std::move(blocks));
    return sink_.add_extended(extended, results);
  }

  const KeptRows& rows_;
  const std::vector<CallClass>& classes_;
  KeepingSink sink_;
};

}  // namespace

Result<KeptRows> with_windows(const KeptRows& rows, std::span<const WindowCall> calls,
                              const QueryOptions& options) {
  if (calls.empty()) return rows;
  PRESSO_ASSIGN(const std::vector<CallClass> classes, classes_of(calls, rows.table.schema()));
  std::vector<std::unique_ptr<ResultStore>> stores;
  for (const CallClass& one : classes) {
    PRESSO_ASSIGN(stores.emplace_back(),
                  results_of(one, calls, rows.table, classes.size(), options));
  }
  return without_bad_alloc(
      [&]() -> Result<KeptRows> { return ResultWriter(rows, classes, options).write(stores); });
}

}  // namespace presso::query
