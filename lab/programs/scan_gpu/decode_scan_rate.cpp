// SPDX-License-Identifier: MIT
// How fast a GPU counts matching lines of compressed blocks in its own memory: decoding alone,
// decoding and then scanning on the same stream, and the same in parts that overlap.
//
// A file's whole blocks (what follows the last whole one is left out, so that replicas make up one
// text) are replicated until their plain bytes reach --bytes. After each run the count is compared
// with a scalar run of the automaton; plain bytes are compared with those of the CPU's decoder.
// Rows: the median from event to event.
#include <map>
#include <tuple>

#include "lab/programs/decompress_gpu/block_report.h"
#include "lab/programs/decompress_gpu/device_batch.h"
#include "lab/programs/scan_gpu/parted_batch.h"
#include "scan/gpu/literals/literal_engines.h"
#include "tests/support/line_dfas.h"
#include "tests/support/pattern_dfa.h"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;
using presso::test::dfa_of;
using presso::test::ScalarScan;
using scan_detail::LineDfa;

constexpr int kPoison = 0xA5;
constexpr std::uint32_t kParts = 4;

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

/// Matching lines of copies of a text one after another, each found once for each state that it
/// begins in.
class ScalarCounts {
 public:
  ScalarCounts(const LineDfa& dfa, Bytes text) : dfa_(dfa), text_(text) {}

  /// Counts in bytes `begin` to `end` of all copies, as a text of its own.
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
  std::string pattern = "-";
  std::uint32_t states = 0;
  std::string engine = {};
  std::uint64_t lines = 0;
};

class DecodeScanRate {
 public:
  DecodeScanRate(Gpu& gpu, const BlockFile& file, const BlockRateOptions& options,
                 const std::string& only, BlockReport& report)
      : gpu_(gpu), file_(file), options_(options), only_(only), report_(report), batch_(gpu) {}

  Status run() {
    PRESSO_TRY(batch_.place(file_, options_.bytes));
    PRESSO_ASSIGN(result_, gpu_.allocate(sizeof(std::uint64_t)));
    for (const bool verify : {false, true}) {
      verify_ = verify;
      const auto blocks = static_cast<std::uint32_t>(batch_.spans().size());
      PRESSO_TRY(batch_.prepare({decoding(), blocks}));
      PRESSO_TRY(measure_decoding());
      for (const Pattern& pattern : patterns()) {
        if (pattern.name.starts_with(only_)) PRESSO_TRY(measure(pattern));
      }
    }
    return {};
  }

 private:
  using Scan = std::function<Status()>;

  BatchOptions decoding() const { return {Strategy::kAuto, verify_, file_.has_bit_blocks}; }

  Status measure_decoding() {
    PRESSO_ASSIGN(const bool correct, batch_.is_correct());
    PRESSO_ASSIGN(const Times ms, batch_.measure(options_.runs));
    decoding_ms_ = ms.median;
    report({"-", 0, "decode", 0}, ms, correct);
    return {};
  }

  Status measure(const Pattern& pattern) {
    Row row{pattern.name};
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
    scan.d_lines = as<std::uint64_t>(result_);
    return scan;
  }

  template <class View>
  Status measure_engine(View table, const std::vector<Byte>& image, const char* engine, Row row,
                        ScalarCounts& counts) {
    PRESSO_ASSIGN(const DeviceMemory d_image, gpu_.copy_of(image));
    PRESSO_ASSIGN(const DeviceMemory memory,
                  gpu_.allocate(scan_temporary_bytes(table, batch_.plain_bytes())));
    const TemporaryMemory temporary{memory.get(), memory.bytes()};
    table.d_image = d_image.get();
    row.engine = engine;
    PRESSO_TRY(time_scan(row, [&] {
      return scan_lines(scan_of(0, batch_.plain_bytes()), table, temporary, gpu_.stream());
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

  Status time_scan(const Row& row, const Scan& scan) {
    return time(row, [&]() -> Status {
      PRESSO_TRY(decode_batch(batch_.arguments(), decoding(), gpu_.stream()));
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
    PRESSO_TRY(gpu_.fill(all.d_plain, kPoison, batch_.plain_bytes()));
    PRESSO_TRY(parted->run(scan, gpu_.stream()));
    PRESSO_ASSIGN(const bool correct, batch_.left_correct_bytes());
    if (!correct) return make_error(ErrorCode::kDeviceLost, "parts were decoded to other bytes");
    PRESSO_TRY(clear_result());
    return time(row, [&] { return parted->run(scan, gpu_.stream()); });
  }

  /// The count begins at 0 in each run, and must be right after each.
  Status time(const Row& row, const Scan& scan) {
    bool correct = true;
    PRESSO_TRY(clear_result());
    PRESSO_ASSIGN(const Times ms, gpu_.time(options_.runs, scan, [&]() -> Status {
      PRESSO_ASSIGN(const auto found, gpu_.value<std::uint64_t>(result_.get()));
      correct = correct && found == row.lines;
      return clear_result();
    }));
    report(row, ms, correct);
    return {};
  }

  void report(const Row& row, const Times& ms, bool correct) {
    report_.add(file_,
                {verify_ ? "on" : "off", row.pattern, row.states, row.engine, row.lines,
                 batch_.plain_bytes(), options_.runs},
                static_cast<double>(batch_.plain_bytes()), ms, {fixed(decoding_ms_ / ms.median, 4)},
                correct);
  }

  Status clear_result() { return gpu_.fill(result_.get(), 0, sizeof(std::uint64_t)); }

  Gpu& gpu_;
  const BlockFile& file_;
  const BlockRateOptions& options_;
  const std::string& only_;
  BlockReport& report_;
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
Result<bool> run(int count, char** arguments) {
  BlockRateOptions options;
  std::string only;
  CommandLine line("FILE.presso...",
                   "Times decoding and scanning. Exit status 1 where a count or a byte was wrong.");
  add_options(line, options);
  line.add("--only PREFIX", "patterns whose names begin so", only);
  options.files = line.parse(count, arguments, 1);
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  BlockReport report("verify:-6,pattern:-14,states:6,engine:-24,lines:10,plain_bytes,runs",
                     "of_decoding:11,");
  PRESSO_TRY(report.begin(options));
  for (const std::string& path : options.files) {
    PRESSO_ASSIGN(BlockFile file, load_block_file(path));
    keep_whole_blocks(file);
    PRESSO_TRY(DecodeScanRate(*gpu, file, options, only, report).run());
  }
  return report.all_right();
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
