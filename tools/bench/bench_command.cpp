// SPDX-License-Identifier: MIT
// presso bench: measures presso's levels beside other codecs on the user's own files. All codecs
// work on data in memory, with one block size and the same threads; measure.h runs them in rounds,
// so that what disturbs the machine disturbs all of them. Files larger than --limit are cut, and
// memory is a few times the input. Empty files are declined. Tested by tests/cli/test_reports.py.
#include <algorithm>
#include <cstdio>

#include "format/suggest.h"
#include "presso/ordered_pipeline.h"
#include "presso/scan.h"
#include "tools/bench/commands.h"
#include "tools/bench/measure.h"
#include "tools/bench/report.h"
#include "tools/bench/subject.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/compress/flags_compress.h"
#include "tools/io/file_sink.h"
#include "tools/io/flags_files.h"
#include "tools/io/input_file.h"
#include "tools/io/progress.h"

namespace presso::cli {
namespace {

// The most of a file that is measured without --limit; all codecs together need a few times as much
// memory.
constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 30;

const CommandInfo kInfo = {
    .name = "bench",
    .summary = "measure ratio and speed beside lz4, zlib, libdeflate and zstd",
    .operands = "FILE...",
    .description =
        "Each FILE is read into memory, then compressed and decompressed block by block: by presso "
        "at the levels asked for, and by the other codecs with the same block size and number of "
        "threads. All of them are measured in turn, several times; the table shows medians, in "
        "megabytes (10^6 plain bytes) a second. Every codec's output is first compared with the "
        "input.\n\n"
        "The figures for presso's compression include container, dictionary and checksums, which "
        "the others do not have here; where its time went is said below the table. Its "
        "decompression is shown without and with checksums.",
    .examples = {{"presso bench app.log", "levels 1, 3 and 9 beside the others"},
                 {"presso bench -b 1-12 --against none app.log", "the whole ladder"},
                 {"presso bench -T 1 --block-size 1M --json *.log", "for programs"}},
    .exit_status = "0 if everything was measured, 2 after any error or wrong result.",
};

/// Parses a list of levels: "1-3,9" becomes {1, 2, 3, 9}. Errors: those of parse_number(), and
/// kInvalidArgument for a range whose first level is above its last.
Status parse_levels(const Given& given, std::vector<int>& levels) {
  levels.clear();
  std::string_view rest = given.value;
  for (;;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    // "3-9" is a range; a level alone is one of one level.
    const std::size_t dash = part.find('-');
    const auto number = [&](std::string_view text) {
      return parse_number(given.spelled, text, kMinLevel, kMaxLevel, Unit::kCount);
    };
    PRESSO_ASSIGN(const std::uint64_t first, number(part.substr(0, dash)));
    std::uint64_t last = first;
    if (dash != part.npos) {
      PRESSO_ASSIGN(last, number(part.substr(dash + 1)));
    }
    if (last < first) {
      return make_error(ErrorCode::kInvalidArgument,
                        "'" + std::string(part) + "' has no levels; write the lower level first");
    }
    for (std::uint64_t level = first; level <= last; ++level) {
      levels.push_back(static_cast<int>(level));
    }
    if (part.size() == rest.size()) return {};
    rest.remove_prefix(part.size() + 1);
  }
}

/// Parses a list of codecs: "lz4,zstd", "none" or "all". Error: an unknown name, with what was
/// probably meant.
Status parse_peers(const Given& given, std::vector<std::string>& names) {
  names.clear();
  std::vector<std::string> known;
  for (const Peer& peer : peers()) known.push_back(peer.name);
  if (given.value == "none") return {};
  if (given.value == "all") {
    names = known;
    return {};
  }
  std::string_view rest = given.value;
  for (;;) {
    const std::string part(rest.substr(0, rest.find(',')));
    if (std::find(known.begin(), known.end(), part) == known.end()) {
      return make_error(ErrorCode::kInvalidArgument,
                        given.spelled + ": '" + part +
                            "' is not one of lz4, zlib, libdeflate, zstd, all, none" +
                            did_you_mean(part, known));
    }
    names.push_back(part);
    if (part.size() == rest.size()) return {};
    rest.remove_prefix(part.size() + 1);
  }
}

/// The command. Files are measured one after another; a codec whose library is missing is left out
/// with a warning. Results of all files are kept for --json, which prints one document.
class BenchCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kInfo; }

  std::vector<Flag> flags() override {
    std::vector<Flag> flags = selection_flags();
    append(flags, encoder_flags(options_));
    flags.push_back(threads_flag(options_.threads));
    append(flags, message_flags());
    flags.push_back(progress_flag(progress_));
    return flags;
  }

  /// Measures all files, one after another. Codecs whose library is missing are named and left out;
  /// a file that cannot be read does not end the run. Nothing is measured if an option is wrong.
  Result<int> run(std::vector<std::string> operands) override {
    if (operands.empty()) return make_error(ErrorCode::kInvalidArgument, "no file given");
    PRESSO_TRY(validate(options_));
    PRESSO_ASSIGN(count_lines_, line_counter());
    // A codec may lack its library in this build, which is a warning because the table would
    // otherwise look complete.
    for (const std::string& name : peer_names_) {
      const Peer& peer = *std::find_if(peers().begin(), peers().end(),
                                       [&](const Peer& one) { return one.name == name; });
      if (peer.make != nullptr) continue;
      absent_.push_back(name);
      warning("", name + " is left out: presso was built without its library");
    }
    std::vector<FileMeasurements> results;
    for (const std::string& path : operands) bench_file(path, results);
    if (json_) print_output(bench_json(results, absent_));
    return exit_status();
  }

 private:
  /// The choice of what is measured, and for how long. The options of the encoder come from
  /// flags_compress.h and apply to presso alone.
  std::vector<Flag> selection_flags() {
    return {
        {.short_name = 'b',
         .name = "levels",
         .value_name = "LIST",
         .category = kSelection,
         .brief = "presso's levels, as in 1,6 or 1-12",
         .default_value = "1,3,9",
         .apply = [this](const Given& given) { return parse_levels(given, levels_); }},
        {.name = "against",
         .value_name = "LIST",
         .category = kSelection,
         .brief = "other codecs: of lz4, zlib, libdeflate, zstd; or all, none",
         .text = "lz4 at levels 1 and 9, zlib and libdeflate at 6, zstd at 1, 3 and 9.",
         .default_value = "all",
         .apply = [this](const Given& given) { return parse_peers(given, peer_names_); }},
        {.name = "scan",
         .value_name = "TEXT",
         .category = kSelection,
         .brief = "also measure counting the lines that hold TEXT",
         .text =
             "presso searches its compressed form; for the other codecs one thread decompresses "
             "and passes the text on to the same search. Plain text is searched too, for "
             "comparison.",
         .apply = text_into(scan_pattern_)},
        {.name = "limit",
         .value_name = "SIZE",
         .category = kSelection,
         .brief = "measure the first SIZE bytes of each file",
         .default_value = "1G",
         .apply = number_into(limit_, 1, std::uint64_t{1} << 40)},
        {.name = "seconds",
         .value_name = "N",
         .category = kPerformance,
         .brief = "time for each row; three rounds at least",
         .default_value = "2",
         .apply = count_into(seconds_, 0, 3600)},
        {.name = "json", .category = kOutput, .brief = "print JSON", .apply = set(json_)},
    };
  }

  /// The block size that files compressed with these options usually have; all codecs then get it.
  /// A size of presso's own choosing would give it an advantage.
  std::uint32_t usual_block_bytes() const {
    constexpr std::uint32_t kForStorage = 1u << 20;
    const CompressOptions chosen = with_goal(options_);
    const bool decode = chosen.coding == Coding::kByte || chosen.favor == Favor::kDecode;
    return decode ? kDefaultBlockBytes : kForStorage;
  }

  /// Measures one file, or reports why not.
  void bench_file(const std::string& path, std::vector<FileMeasurements>& results) {
    Result<std::vector<Byte>> plain = read_file(path);
    if (!plain.ok()) return error(shown_name(path), plain.error());
    if (plain->empty()) return error(shown_name(path), "is empty; nothing to measure");
    // All codecs get the same block size. The size is kept for all files, so that their tables can
    // be compared.
    if (options_.block_bytes == 0) options_.block_bytes = usual_block_bytes();
    const BenchInput input{*plain, options_.block_bytes, threads_or_all(options_.threads)};
    Result<Measurements> measured = measure_file(path, input);
    if (!measured.ok()) return error(shown_name(path), measured.error());
    results.push_back({path, plain->size(), input.block_bytes, input.threads, scan_pattern_,
                       std::move(*measured)});
    // With --json nothing is printed until all files are done.
    if (!json_) print_output((results.size() > 1 ? "\n" : "") + bench_table(results.back()));
  }

  /// Measures a file's content with all subjects. Errors: those of the codecs, and any difference
  /// between decoded bytes and the input.
  Result<Measurements> measure_file(const std::string& path, const BenchInput& input) const {
    // Shares of the work are counted in thousandths, as the bar takes whole numbers.
    constexpr std::uint64_t kSteps = 1000;
    Progress progress(path, kSteps, progress_);
    MeasureOptions measuring;
    measuring.seconds = static_cast<double>(seconds_);
    measuring.count_lines = count_lines_;
    measuring.on_progress = [&progress](double share) {
      progress.update(static_cast<std::uint64_t>(share * kSteps), 0);
    };
    return measure(input, subjects(), measuring);
  }

  /// The subjects in the order of the table: plain text if scans are measured, presso's levels,
  /// then the others. Each call makes new ones, so that no file profits from the buffers of
  /// another.
  std::vector<std::unique_ptr<Subject>> subjects() const {
    std::vector<std::unique_ptr<Subject>> all;
    if (count_lines_) all.push_back(make_plain_subject());
    for (const int level : levels_) {
      CompressOptions options = options_;
      options.level = level;
      all.push_back(make_presso_subject(options));
    }
    for (const Peer& peer : peers()) {
      const bool wanted =
          std::find(peer_names_.begin(), peer_names_.end(), peer.name) != peer_names_.end();
      // A peer without its library was named in a warning before.
      if (!wanted || peer.make == nullptr) continue;
      for (const int level : peer.levels) all.push_back(peer.make(level));
    }
    return all;
  }

  /// Reads a file up to --limit, with a warning if it was cut. Reading is not timed: everything is
  /// measured in memory.
  Result<std::vector<Byte>> read_file(const std::string& path) const {
    PRESSO_ASSIGN(const InputFile input, InputFile::open(path));
    FdSource source(input.fd());
    std::vector<Byte> plain;
    constexpr std::size_t kStep = 4 << 20;
    for (;;) {
      const std::size_t had = plain.size();
      // The last step is as large as the limit still permits; one of no bytes ends the loop.
      const std::size_t step =
          static_cast<std::size_t>(std::min<std::uint64_t>(kStep, limit_ - had));
      plain.resize(had + step);
      PRESSO_ASSIGN(const std::size_t got, read_fully(source, MutableBytes(plain).subspan(had)));
      plain.resize(had + got);
      if (got < step || step == 0) break;
    }
    if (input.size() > plain.size()) {
      warning(path, "only the first " + size_text(plain.size()) + " are measured (--limit)");
    }
    return plain;
  }

  /// The function that counts matching lines with presso's search; empty without --scan. The
  /// pattern is compiled once and searched for with the same engine whatever the codec.
  Result<LineCounter> line_counter() const {
    if (scan_pattern_.empty()) return LineCounter();
    PRESSO_ASSIGN(const Pattern pattern, Pattern::compile_literals({scan_pattern_}));
    const ScanOptions options{.threads = options_.threads};
    return LineCounter([pattern, options](ByteSource& source) -> Result<std::uint64_t> {
      PRESSO_ASSIGN(const ScanSummary summary, scan(source, pattern, options));
      return summary.lines;
    });
  }

  CompressOptions options_;
  std::vector<int> levels_ = {1, 3, 9};
  std::vector<std::string> peer_names_ = {"lz4", "zlib", "libdeflate", "zstd"};
  std::string scan_pattern_;
  std::uint64_t limit_ = kDefaultLimit;
  std::uint64_t seconds_ = 2;
  bool json_ = false;
  bool progress_ = true;
  LineCounter count_lines_;
  std::vector<std::string> absent_;
};

}  // namespace

std::unique_ptr<Command> make_bench_command() {
  return std::make_unique<BenchCommand>();
}

}  // namespace presso::cli
