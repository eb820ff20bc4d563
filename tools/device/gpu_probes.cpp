// SPDX-License-Identifier: MIT
// A table is made as CSV and compressed, so that the probes read what a user's table would hold.
// The rates are worked out from the differences between these queries (gpu_query_rates.cpp). Tested
// by tests/simt/gpu_probes_test.cpp.
#include "tools/device/gpu_probes.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "presso/compress_table.h"
#include "presso/stopwatch.h"

namespace presso::cli {
namespace {

/// A column of numbers that are drawn evenly and have this many bits; those of 16 bits are also
/// keys of groups.
struct NumberColumn {
  const char* name;
  unsigned bits;
};
constexpr NumberColumn kNumbers[] = {{"b4", 4},   {"b8", 8},   {"b12", 12},
                                     {"b20", 20}, {"b48", 48}, {"k16", 16}};
/// The first columns are those that GpuQueryTimes::compared is about.
constexpr std::size_t kCompared = GpuQueryRates::kWidths.size();
/// The bytes of a string in the column of text: hexadecimal digits, which tokens would not make
/// smaller.
constexpr unsigned kTextBytes = 16;
constexpr unsigned kWords = 5;

std::uint64_t next(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Appends the number in digits.
void append(std::string& text, std::uint64_t number, int base = 10) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
  text.append(digits, end);
}

constexpr unsigned kFarKeyBits = 21;
static_assert(GpuQueryRates::kFarGroups == 1u << kFarKeyBits);
/// A key for groups: rows have different keys, up to GpuQueryRates::kFarGroups of them, in no
/// order.
std::uint64_t far_key(std::uint32_t row) {
  constexpr auto kMask = static_cast<std::uint64_t>(GpuQueryRates::kFarGroups) - 1;
  std::uint64_t key = row & kMask;
  key ^= key >> 10;
  key = key * 0x9E3B5 & kMask;
  key ^= key >> 11;
  return key * 0x12F35 & kMask;
}

/// A row has a number of each width and a key that no other row has nearby.
std::string numbers_csv(std::uint32_t rows) {
  std::string csv;
  for (const NumberColumn& column : kNumbers) csv.append(column.name) += ',';
  csv += "far\n";
  csv.reserve(csv.size() + std::size_t{rows} * 56);
  std::uint64_t state = 1;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < std::size(kNumbers); ++i) {
      append(csv, next(state) >> (64 - kNumbers[i].bits));
      csv += ',';
    }
    append(csv, far_key(row));
    csv += '\n';
  }
  return csv;
}

/// A row has words from a small dictionary, which are stored as tokens, and digits, which are not.
std::string strings_csv(std::uint32_t rows) {
  static constexpr std::string_view kDictionary[] = {
      "accounts ",  "blithely ", "carefully ", "deposits ", "express ", "final ",
      "furiously ", "ideas ",    "ironic ",    "packages ", "pending ", "platelets ",
      "quickly ",   "regular ",  "requests ",  "special "};
  std::string csv = "words,text\n";
  csv.reserve(std::size_t{rows} * 64);
  std::uint64_t state = 2;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::uint64_t bits = next(state);
    for (unsigned i = 0; i < kWords; ++i, bits >>= 4) csv += kDictionary[bits % 16];
    append(csv, bits % 1000);
    csv += ',';
    append(csv, (next(state) >> 1) | std::uint64_t{1} << 63, 16);  // sixteen digits
    csv += '\n';
  }
  return csv;
}

/// A table in memory, opened as several files with the same content.
class SampleTable {
 public:
  static Result<std::unique_ptr<SampleTable>> make(const std::string& csv, std::uint32_t copies) {
    auto made = std::make_unique<SampleTable>();
    const Bytes text{reinterpret_cast<const Byte*>(csv.data()), csv.size()};
    MemorySource source(text);
    MemorySource again(text);
    VectorSink sink(made->bytes_);
    PRESSO_TRY(compress_table(source, &again, sink, {}));
    for (std::uint32_t i = 0; i < copies; ++i) {
      made->files_.push_back(std::make_unique<MemoryRandomAccess>(made->bytes_));
      PRESSO_ASSIGN(Table table, Table::open(*made->files_.back()));
      made->tables_.push_back(std::move(table));
    }
    return made;
  }

  const std::vector<Table>& tables() const { return tables_; }
  double rows() const {
    double rows = 0;
    for (const Table& table : tables_) rows += static_cast<double>(table.rows());
    return rows;
  }

 private:
  std::vector<Byte> bytes_;
  std::vector<std::unique_ptr<MemoryRandomAccess>> files_;
  std::vector<Table> tables_;
};

/// Takes the results of queries and forgets them.
class Nowhere final : public ResultSink {
 public:
  Result<bool> write(ResultBatch, Buffer) override { return true; }
};

/// Runs the queries. Tables are made when the first query needs them.
class Probes {
 public:
  Probes(std::shared_ptr<QueryDevice> device, const GpuProbeSizes& sizes)
      : device_(std::move(device)), sizes_(sizes) {}

  Result<GpuQueryTimes> time_all() {
    GpuQueryTimes times;
    PRESSO_ASSIGN(numbers_, SampleTable::make(numbers_csv(sizes_.rows), sizes_.copies));
    PRESSO_TRY(time_reading(times));
    {
      PRESSO_ASSIGN(const auto loaded, load_to_gpu(device_, numbers_->tables()));
      PRESSO_TRY(warm_up());
      PRESSO_ASSIGN(times.few_rows, few_rows());
      PRESSO_TRY(time_conditions(times));
      PRESSO_TRY(time_plans(times));
      PRESSO_TRY(time_groups(times));
      PRESSO_TRY(time_keys(times));
    }
    PRESSO_TRY(time_strings(times));
    return times;
  }

  /// The time of a query over a table with only a few rows, which is little more than the start of
  /// a kernel.
  Result<GpuQueryTime> few_rows() {
    PRESSO_ASSIGN(const auto table, SampleTable::make(numbers_csv(kFewRows), 1));
    return time(*table, counted(*table, "b12 < 2000"));
  }

 private:
  static constexpr std::uint32_t kFewRows = 1024;
  static constexpr std::size_t kCopiesRead = 16;

  /// A count of the rows that fulfil a condition, over some of the copies.
  static Query counted(const SampleTable& table, std::string_view where,
                       std::size_t copies = ~std::size_t{0}) {
    const std::vector<Table>& all = table.tables();
    const auto count = static_cast<std::ptrdiff_t>(std::min(copies, all.size()));
    Query query = Query::from({all.begin(), all.begin() + count});
    query.where(where).aggregate("count(*)");
    return query;
  }
  Query counted(std::string_view where) const { return counted(*numbers_, where); }

  /// The least time of several runs, the first of which compiles code and allocates memory. Error:
  /// kUnsupported if the CPU had to help, because then the time says nothing of the GPU.
  Result<GpuQueryTime> time(const SampleTable& table, const Query& query, const char* plan = "",
                            unsigned threads = 0) {
    GpuQueryTime least;
    least.rows = table.rows();
    for (int run = 0; run <= sizes_.runs; ++run) {
      QueryOptions options;
      options.threads = threads;
      options.plan.plan = plan;
      options.device = device_;
      options.times_kernels = true;
      Nowhere nowhere;
      const Stopwatch watch;
      PRESSO_ASSIGN(const QuerySummary done, query.run(options, nowhere));
      const double ns = 1e9 * watch.seconds();
      if (!done.why_cpu.empty()) return make_error(ErrorCode::kUnsupported, done.why_cpu);
      least.bytes = static_cast<double>(done.bytes_stored);
      least.groups = static_cast<double>(done.groups);
      if (run == 0) {
        least.first_ns = ns;
        continue;
      }
      const double kernels = 1e9 * done.kernel_seconds;
      least.kernel_ns = run == 1 ? kernels : std::min(least.kernel_ns, kernels);
      least.total_ns = run == 1 ? ns : std::min(least.total_ns, ns);
    }
    return least;
  }
  Result<GpuQueryTime> time(const Query& query, const char* plan = "") {
    return time(*numbers_, query, plan);
  }

  /// Times reading from files, while nothing of the table is in the GPU's memory.
  Status time_reading(GpuQueryTimes& times) {
    const Query query =
        counted(*numbers_, "b4 < 8 and b12 < 2000 and b20 < 500000 and b48 > 1000", kCopiesRead);
    PRESSO_ASSIGN(times.read, time(*numbers_, query));
    PRESSO_ASSIGN(times.read_by_thread, time(*numbers_, query, "", 1));
    return {};
  }

  /// Keeps the GPU busy until its clock, which is slow while there is nothing to do, has risen.
  /// Where each query runs once only, times are not what is asked for, and nothing is done.
  Status warm_up() {
    if (sizes_.runs <= 1) return {};
    constexpr double kSeconds = 0.3;
    for (const Stopwatch watch; watch.seconds() < kSeconds;) {
      PRESSO_ASSIGN([[maybe_unused]] const GpuQueryTime done,
                    time(counted("b4 < 8 and b12 < 2000 and b20 < 500000")));
    }
    return {};
  }

  /// Times conditions on columns of several widths, a long expression, and a sum.
  Status time_conditions(GpuQueryTimes& times) {
    for (std::size_t i = 0; i < kCompared; ++i) {
      const std::string half = std::to_string(std::uint64_t{1} << (kNumbers[i].bits - 1));
      PRESSO_ASSIGN(times.compared[i], time(counted(std::string(kNumbers[i].name) + " < " + half)));
    }
    PRESSO_ASSIGN(times.computed, time(counted("(b12 + b20) * b12 - b20 * b12 + b20 > 1000000")));
    Query sum = Query::from(numbers_->tables());
    sum.aggregate("sum(b20)");
    PRESSO_ASSIGN(times.summed, time(sum));
    return {};
  }

  /// Times pairs of conditions in several orders of work, from which branches and passes are rated.
  Status time_plans(GpuQueryTimes& times) {
    const Query two = counted("b12 < 2048 and b20 < 524288");
    PRESSO_ASSIGN(times.together, time(two, "1&2"));
    PRESSO_ASSIGN(times.branched, time(two, "1&&2"));
    // A number that is not there, but lies between those that are.
    const std::string none = "b48 = 140737488355327";
    PRESSO_ASSIGN(times.none, time(counted(none)));
    PRESSO_ASSIGN(times.passed, time(counted(none + " and b20 < 524288"), "1;2"));
    return {};
  }

  /// Times groups whose places fit into the shared memory, the cache, and neither.
  Status time_groups(GpuQueryTimes& times) {
    const auto by = [&](const char* key) {
      Query query = Query::from(numbers_->tables());
      query.group_by(key).aggregate("count(*), sum(b20)");
      return time(query);
    };
    PRESSO_ASSIGN(times.few_groups, by("b8"));
    PRESSO_ASSIGN(times.cached_groups, by("k16"));
    PRESSO_ASSIGN(times.far_groups, by("far"));
    return {};
  }

  /// Times the look-up of keys; every row has a partner in the first copy.
  Status time_keys(GpuQueryTimes& times) {
    const auto of = [&](const std::string& key) {
      Query query = Query::from(numbers_->tables());
      query.as("rows");
      query.join({numbers_->tables()[0]}, {"keys"}, JoinKind::kSemi,
                 "rows." + key + " = keys." + key);
      query.aggregate("count(*)");
      return time(query);
    };
    PRESSO_ASSIGN(times.cached_keys, of("k16"));
    PRESSO_ASSIGN(times.far_keys, of("b48"));
    return {};
  }

  /// Times conditions on strings that are stored as tokens and as bytes.
  Status time_strings(GpuQueryTimes& times) {
    PRESSO_ASSIGN(const auto strings,
                  SampleTable::make(strings_csv(sizes_.string_rows), sizes_.string_copies));
    PRESSO_ASSIGN(const auto loaded, load_to_gpu(device_, strings->tables()));
    PRESSO_ASSIGN(times.tokens, time(*strings, counted(*strings, "words like '%final%ideas%'")));
    PRESSO_ASSIGN(times.text, time(*strings, counted(*strings, "text like '%ab%cd%'")));
    times.text.bytes = kTextBytes * times.text.rows;
    return {};
  }

  std::shared_ptr<QueryDevice> device_;
  GpuProbeSizes sizes_;
  std::unique_ptr<SampleTable> numbers_;
};

}  // namespace

/// A quarter leaves room for what a query needs beside its tables.
GpuProbeSizes GpuProbeSizes::for_memory(std::uint64_t free_bytes) {
  GpuProbeSizes sizes;
  unsigned bits = kFarKeyBits;
  for (const NumberColumn& column : kNumbers) bits += column.bits;
  const std::uint64_t copy_bytes = std::uint64_t{sizes.rows} * bits / 8;
  sizes.copies = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(free_bytes / 4 / copy_bytes, 1, sizes.copies));
  sizes.string_copies = std::min(sizes.string_copies, sizes.copies);
  return sizes;
}

Result<GpuQueryTimes> time_gpu_queries(std::shared_ptr<QueryDevice> device,
                                       const GpuProbeSizes& sizes) {
  return without_bad_alloc([&] { return Probes(std::move(device), sizes).time_all(); });
}

/// The first query runs before the tables are made, so that the start is measured alone. No code is
/// taken from the cache, and what it takes to compile the first query's is counted apart.
Result<GpuQueryRates> measure_gpu_queries(double context_seconds) {
  const Stopwatch watch;
  PRESSO_ASSIGN(auto device, open_gpu_queries({.code_cache = false}));
  GpuProbeSizes once;
  once.runs = 1;
  PRESSO_ASSIGN(const GpuQueryTime first, Probes(device, once).few_rows());
  const double compile_seconds = 1e-9 * std::max(first.first_ns - first.total_ns, 0.0);
  const double start_seconds = context_seconds + watch.seconds() - compile_seconds;
  if (first.kernel_ns <= 0) {
    return make_error(ErrorCode::kUnsupported, "the device has no clock");
  }
  PRESSO_ASSIGN(const std::vector<gpu::DeviceInfo> devices, gpu_devices());
  PRESSO_ASSIGN(GpuQueryTimes times,
                time_gpu_queries(std::move(device),
                                 GpuProbeSizes::for_memory(devices.front().free_memory_bytes)));
  times.start_seconds = start_seconds;
  times.compile_seconds = compile_seconds;
  return rates_of(times);
}

}  // namespace presso::cli
