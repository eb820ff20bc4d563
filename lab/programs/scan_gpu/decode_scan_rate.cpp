// SPDX-License-Identifier: MIT
// How fast a GPU counts matching lines of compressed blocks in its own memory: decoding alone,
// decoding and then scanning on the same stream, and the same in parts that overlap. Usage: see
// kUsage.
//
// A file's whole blocks (what follows the last whole one is left out, so that replicas make up one
// text) are replicated until their plain bytes reach --bytes. After each run the count is compared
// with a scalar run of the automaton; plain bytes are compared with those of the CPU's decoder.
// Rows: the median from event to event, after three runs that warm up.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <map>
#include <tuple>

#include "corpora/parse_size.h"
#include "decompress/gpu/runtime/cuda_device.h"
#include "decompress/gpu/runtime/cuda_error.h"
#include "lab/programs/decompress_gpu/device_batch.h"
#include "lab/programs/scan_gpu/parted_batch.h"
#include "presso/gpu_devices.h"
#include "scan/gpu/literals/literal_engines.h"
#include "tests/support/line_dfas.h"
#include "tests/support/pattern_dfa.h"

namespace presso::gpu::bench {
namespace {

using presso::test::dfa_of;
using presso::test::ScalarScan;
using scan_detail::LineDfa;

constexpr const char* kUsage =
    "usage: decode_scan_rate [OPTION]... FILE.presso...\n"
    "  --bytes SIZE     plain bytes in device memory, at least (default 1G)\n"
    "  --runs N         timed runs (default 15)\n"
    "  --only PREFIX    patterns whose name begins so\n"
    "  --csv FILE       append the rows there\n"
    "  --commit TEXT    a column of the CSV\n"
    "Exit status 1 where a count or a byte was wrong, 2 where something failed.\n";

constexpr int kPoison = 0xA5;
constexpr std::uint32_t kParts = 4;

constexpr const char* kCsvHeadings =
    "device,max_clock_mhz,cuda,commit,file,ratio,block_bytes,rule,verify,pattern,states,engine,"
    "lines,plain_bytes,runs,gb_s,of_decoding,ms_median,ms_min,ms_max,correct\n";

/// With words it is measured with literal engines, too; the automaton says what is right.
struct Pattern {
  std::string name;
  LineDfa dfa;
  std::vector<std::string> words = {};
};

std::vector<Pattern> patterns() {
  const std::vector<std::string> rare{"Chuzzlew"};
  const std::vector<std::string> five{"error", "fail", "denied", "user", "account"};
  const std::string words = "(error|warning|denied|refused|ironic)";
  return {
      {"rare literal", presso::test::words_dfa(rare), rare},
      {"5 literals", presso::test::words_dfa(five), five},
      {"date", dfa_of("[0-9]{4}-[0-9]{2}-[0-9]{2}")},
      {"error.*user", dfa_of("(error|fail|denied).*(user|account)")},
      {"words near", dfa_of(words + ".{0,5}(user|account|session|packages)")},
  };
}

struct RateOptions {
  std::uint64_t bytes = std::uint64_t{1} << 30;
  int runs = 15;
  std::string only, csv, commit;
  std::vector<std::string> files;
};

/// Matching lines of copies of a text one after another, each found once for each state that it
/// begins in.
class ScalarCounts {
 public:
  ScalarCounts(const LineDfa& dfa, Bytes text) : dfa_(dfa), text_(text) {}

  /// The same for bytes `begin` to `end` of all copies, as a text of its own.
  std::uint64_t of(std::uint64_t begin, std::uint64_t end) {
    std::uint64_t found = 0;
    std::uint32_t state = dfa_.start;
    while (begin < end) {
      const std::uint64_t from = begin % text_.size();
      const std::uint64_t bytes = std::min(text_.size() - from, end - begin);
      begin += bytes;
      const Piece& one = run({from, bytes, state, begin == end});
      found += one.lines;
      state = one.state;
    }
    return found;
  }

 private:
  struct Piece {
    std::uint64_t lines;
    std::uint32_t state;
  };
  /// Offset, bytes, state, whether the text ends with it.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, bool>;

  const Piece& run(const Key& key) {
    const auto [at, is_new] = pieces_.try_emplace(key);
    if (is_new) {
      const auto [from, bytes, state, is_last] = key;
      const ScalarScan scan(dfa_.view(), text_.subspan(from, bytes), is_last, state);
      at->second = {scan.ends.size(), scan.state};
    }
    return at->second;
  }

  const LineDfa& dfa_;
  Bytes text_;
  std::map<Key, Piece> pieces_;
};

struct Row {
  const BlockFile& file;
  bool verify;
  std::string pattern = "-";
  std::uint32_t states = 0;
  std::string engine = {};
  std::uint64_t lines = 0, plain_bytes = 0;
  Times ms = {};
  double of_decoding = 1;
  bool correct = false;

  double rate() const { return static_cast<double>(plain_bytes) / ms.median / 1e6; }
};

/// To the terminal and the CSV.
class Report {
 public:
  Report(DeviceInfo device, const RateOptions& options)
      : device_(std::move(device)), options_(options) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() {
    if (csv_ != nullptr) std::fclose(csv_);
  }

  Status begin() {
    std::printf("%s, at most %d MHz, CUDA %s\n", device_.name.c_str(), device_.clock_khz / 1000,
                cuda_version_text(device_.runtime_version).c_str());
    std::printf("%-24s %-6s %-14s %6s %-24s %10s %8s %9s %12s\n", "file", "verify", "pattern",
                "states", "engine", "lines", "GB/s", "ms", "of decoding");
    if (options_.csv.empty()) return {};
    csv_ = std::fopen(options_.csv.c_str(), "a");
    if (csv_ == nullptr) return errno_error(options_.csv, errno);
    std::fseek(csv_, 0, SEEK_END);
    if (std::ftell(csv_) == 0) std::fputs(kCsvHeadings, csv_);
    return {};
  }

  Status add(const Row& row) {
    all_correct_ = all_correct_ && row.correct;
    std::printf("%-24s %-6s %-14s %6u %-24s %10llu %8.1f %9.4f %12.3f%s\n", row.file.name.c_str(),
                row.verify ? "on" : "off", row.pattern.c_str(), row.states, row.engine.c_str(),
                static_cast<unsigned long long>(row.lines), row.rate(), row.ms.median,
                row.of_decoding, row.correct ? "" : "  WRONG");
    std::fflush(stdout);
    return csv_ == nullptr ? Status() : add_to_csv(row);
  }

  bool all_correct() const { return all_correct_; }

 private:
  Status add_to_csv(const Row& row) {
    std::fprintf(csv_, "%s,%d,%s,%s,%s,%.4f,%u,%s,%s,", device_.name.c_str(),
                 device_.clock_khz / 1000, cuda_version_text(device_.runtime_version).c_str(),
                 options_.commit.c_str(), row.file.name.c_str(), row.file.ratio(),
                 row.file.block_bytes, rule_name(row.file.rule), row.verify ? "on" : "off");
    std::fprintf(csv_, "%s,%u,%s,%llu,%llu,%d,", row.pattern.c_str(), row.states,
                 row.engine.c_str(), static_cast<unsigned long long>(row.lines),
                 static_cast<unsigned long long>(row.plain_bytes), options_.runs);
    std::fprintf(csv_, "%.2f,%.4f,%.5f,%.5f,%.5f,%s\n", row.rate(), row.of_decoding, row.ms.median,
                 row.ms.best, row.ms.worst, row.correct ? "yes" : "WRONG");
    return std::fflush(csv_) == 0 ? Status() : errno_error(options_.csv, errno);
  }

  DeviceInfo device_;
  const RateOptions& options_;
  std::FILE* csv_ = nullptr;
  bool all_correct_ = true;
};

class DecodeScanRate {
 public:
  DecodeScanRate(Device& device, const BlockFile& file, const RateOptions& options, Report& report)
      : device_(device), file_(file), options_(options), report_(report), batch_(device) {}

  Status run() {
    PRESSO_TRY(batch_.place(file_, options_.bytes));
    PRESSO_ASSIGN(result_, batch_.memory().allocate(sizeof(std::uint64_t)));
    for (const bool verify : {false, true}) {
      verify_ = verify;
      const auto blocks = static_cast<std::uint32_t>(batch_.spans().size());
      PRESSO_TRY(batch_.prepare({decoding(), blocks}));
      PRESSO_TRY(measure_decoding());
      for (const Pattern& pattern : patterns()) {
        if (pattern.name.rfind(options_.only, 0) == 0) PRESSO_TRY(measure(pattern));
      }
    }
    return {};
  }

 private:
  using Scan = std::function<Status()>;

  BatchOptions decoding() const { return {Strategy::kAuto, verify_, file_.has_bit_blocks}; }
  Row row() const {
    Row row{file_, verify_};
    row.plain_bytes = batch_.plain_bytes();
    return row;
  }

  Status measure_decoding() {
    Row row = this->row();
    row.engine = "decode";
    PRESSO_ASSIGN(row.correct, batch_.is_correct());
    PRESSO_ASSIGN(row.ms, batch_.measure(options_.runs));
    decoding_ms_ = row.ms.median;
    return report_.add(row);
  }

  Status measure(const Pattern& pattern) {
    Row row = this->row();
    row.pattern = pattern.name;
    ScalarCounts counts(pattern.dfa, file_.plain);
    row.lines = counts.of(0, batch_.plain_bytes());
    PRESSO_TRY(measure_lines(pattern, row, counts));
    return pattern.words.empty() ? Status() : measure_literals(pattern, row, counts);
  }

  /// To scan bytes [begin, end) of the batch's text, as a text of its own.
  LineScan scan_of(std::uint64_t begin, std::uint64_t end) const {
    LineScan scan;
    scan.d_text = batch_.arguments().d_plain + begin;
    scan.bytes = end - begin;
    scan.d_lines = d_lines();
    return scan;
  }

  template <class View>
  Status measure_engine(View table, const std::vector<Byte>& image, const char* engine, Row row,
                        ScalarCounts& counts) {
    PRESSO_ASSIGN(const DeviceMemory d_image, copy_of(image));
    PRESSO_ASSIGN(const DeviceMemory memory,
                  batch_.memory().allocate(scan_temporary_bytes(table, batch_.plain_bytes())));
    const TemporaryMemory temporary{memory.get(), memory.bytes()};
    table.d_image = d_image.get();
    row.engine = engine;
    PRESSO_TRY(time_scan(row, [&] {
      return scan_lines(scan_of(0, batch_.plain_bytes()), table, temporary, batch_.stream());
    }));
    return time_parted(row, counts, [&](const PartedBatch::Part& part, Stream stream) {
      return scan_lines(scan_of(part.begin, part.end), table, temporary, stream);
    });
  }

  Status measure_lines(const Pattern& pattern, Row row, ScalarCounts& counts) {
    PRESSO_ASSIGN(const LineTable table, lay_out(pattern.dfa.view()));
    row.states = table.view.states;
    return measure_engine(table.view, table.image, "decode; lines", row, counts);
  }

  Status measure_literals(const Pattern& pattern, Row row, ScalarCounts& counts) {
    PRESSO_ASSIGN(const LiteralTable table, lay_out_literals(pattern.words, false));
    return measure_engine(table.view, table.image, "decode; literals", row, counts);
  }

  Status time_scan(Row& row, const Scan& scan) {
    return time(row, [&]() -> Status {
      PRESSO_TRY(decode_batch(batch_.arguments(), decoding(), batch_.stream()));
      return scan();
    });
  }

  /// Each part as a text of its own: lines astride two of them count for both.
  Status time_parted(Row row, ScalarCounts& counts, const PartedBatch::ScanPart& scan) {
    PRESSO_ASSIGN(const auto parted, PartedBatch::of(batch_, decoding(), kParts));
    row.lines = 0;
    for (const PartedBatch::Part& part : parted->parts()) {
      row.lines += counts.of(part.begin, part.end);
    }
    row.engine += " in parts";
    const BatchArguments& all = batch_.arguments();
    PRESSO_TRY(check(cudaMemsetAsync(all.d_plain, kPoison, row.plain_bytes, batch_.stream()),
                     "poisoning"));
    PRESSO_TRY(parted->run(scan, batch_.stream()));
    PRESSO_ASSIGN(const bool correct, batch_.left_correct_bytes());
    if (!correct) return make_error(ErrorCode::kDeviceLost, "parts were decoded to other bytes");
    PRESSO_TRY(clear_result());
    return time(row, [&] { return parted->run(scan, batch_.stream()); });
  }

  /// The count begins at 0 in each run, and must be right after each.
  Status time(Row& row, const Scan& scan) {
    row.correct = true;
    PRESSO_TRY(clear_result());
    PRESSO_ASSIGN(row.ms, batch_.measure(options_.runs, scan, [&]() -> Status {
      std::uint64_t found = 0;
      PRESSO_TRY(device_.copy_out(reinterpret_cast<Byte*>(&found), result_.get(), sizeof found,
                                  batch_.stream()));
      PRESSO_TRY(device_.wait(batch_.stream()));
      row.correct = row.correct && found == row.lines;
      return clear_result();
    }));
    row.of_decoding = decoding_ms_ / row.ms.median;
    return report_.add(row);
  }

  Status clear_result() {
    return check(cudaMemsetAsync(result_.get(), 0, result_.bytes(), batch_.stream()), "clearing");
  }
  std::uint64_t* d_lines() const { return reinterpret_cast<std::uint64_t*>(result_.get()); }
  Result<DeviceMemory> copy_of(const std::vector<Byte>& from) {
    PRESSO_ASSIGN(DeviceMemory to, batch_.memory().allocate(from.size()));
    PRESSO_TRY(device_.copy_in(to.get(), from.data(), from.size(), batch_.stream()));
    PRESSO_TRY(device_.wait(batch_.stream()));
    return to;
  }

  Device& device_;
  const BlockFile& file_;
  const RateOptions& options_;
  Report& report_;
  DeviceBatch batch_;
  DeviceMemory result_;
  bool verify_ = false;
  double decoding_ms_ = 0;
};

/// Without what follows the last whole block, unless there is nothing else.
void keep_whole_blocks(BlockFile& file) {
  while (file.spans.size() > 1 && file.spans.back().plain_bytes != file.block_bytes) {
    file.plain.resize(file.plain.size() - file.spans.back().plain_bytes);
    file.stored.resize(file.stored.size() - file.spans.back().stored_bytes);
    file.spans.pop_back();
  }
}

/// False where a result was wrong.
Result<bool> run(const RateOptions& options) {
  PRESSO_ASSIGN(const std::vector<DeviceInfo> devices, list_devices());
  PRESSO_ASSIGN(const std::unique_ptr<Device> device, open_cuda_device(0));
  Report report(devices[0], options);
  PRESSO_TRY(report.begin());
  for (const std::string& path : options.files) {
    const InputFile input(path);
    PRESSO_TRY(input.status(path));
    PRESSO_ASSIGN(BlockFile file, load_block_file(path.substr(path.rfind('/') + 1), input));
    keep_whole_blocks(file);
    PRESSO_TRY(DecodeScanRate(*device, file, options, report).run());
  }
  return report.all_correct();
}

bool set_option(RateOptions& options, const std::string& name, const std::string& value) {
  if (name == "--bytes") {
    options.bytes = corpora::parse_size(value).value_or(0);
    return options.bytes > 0;
  }
  if (name == "--runs") {
    options.runs = static_cast<int>(corpora::parse_number(value).value_or(0));
    return options.runs > 0;
  }
  if (name == "--only") return options.only = value, true;
  if (name == "--csv") return options.csv = value, !value.empty();
  if (name == "--commit") return options.commit = value, true;
  return false;
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  using namespace presso::gpu::bench;
  RateOptions options;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word.rfind("--", 0) != 0) {
      options.files.push_back(word);
    } else if (i + 1 == count || !set_option(options, word, arguments[++i])) {
      std::fprintf(stderr, "decode_scan_rate: cannot use %s\n%s", word.c_str(), kUsage);
      return 2;
    }
  }
  if (options.files.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const presso::Result<bool> correct = run(options);
  if (correct.ok()) return *correct ? 0 : 1;
  std::fprintf(stderr, "decode_scan_rate: %s\n", correct.error().message().c_str());
  return 2;
}
