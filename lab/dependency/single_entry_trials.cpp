// SPDX-License-Identifier: MIT
// What dependency rules cost a matcher like LZ4's (sources: S7.13): a table of
// single entries, keys of three bytes, every position entered, the first match taken. An entry is
// replaced only if it is older than the staleness. The levels' parsers differ: keys and matches of
// six bytes, or several candidates. Prints for each file one line a setting, as CSV; the size is
// that of the Byte coding with block headers. Exit status 1 where sequences did not give the block
// back. lab/figures/dependency_figures.py calls it.
#include <algorithm>

#include "compress/encode/byte_encoder.h"
#include "compress/parse/dependency.h"
#include "compress/parse/match.h"
#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/harness/report.h"
#include "lab/harness/timing.h"

namespace presso::trials {
namespace {

using namespace presso::harness;

constexpr unsigned kHashBits = 15;
constexpr std::uint32_t kGroup = 32;
constexpr std::uint32_t kKeyBytes = 3;
constexpr int kRounds = 3;
constexpr std::uint32_t kWindows[] = {8192, 65536};
constexpr std::uint32_t kStaleness[] = {0, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
constexpr std::pair<DependencyRule, const char*> kRules[] = {
    {DependencyRule::kNone, "none"},
    {DependencyRule::kStrict, "strict"},
    {DependencyRule::kLiteralAware, "literal-aware"},
    {DependencyRule::kTwoWave, "two-wave"}};

struct Shape {
  std::size_t block_bytes = 256 << 10;
  std::uint32_t lookahead = 64;
  std::uint32_t min_match = 4;  ///< one of three bytes saves nothing in the Byte coding
};

struct Setting {
  DependencyRule rule;
  const char* rule_name;
  std::uint32_t window;
  std::uint32_t staleness;
  double seconds = 1e9;  ///< CPU time of parsing, the least of all rounds
  std::uint64_t stored_bytes = 0;
};

class SingleEntryParse {
 public:
  SingleEntryParse(const Setting& setting, const Shape& shape)
      : setting_(setting),
        shape_(shape),
        tracker_(setting.rule, kGroup),
        table_(std::size_t{1} << kHashBits) {}

  void parse(Bytes plain, Sequences& sequences) {
    std::fill(table_.begin(), table_.end(), 0);
    tracker_.begin_block(plain.size());
    sequences.clear();
    const std::uint32_t run_limit = literal_run_limit(setting_.rule);
    const auto size = static_cast<std::uint32_t>(plain.size());
    std::uint32_t literals_begin = 0;
    for (std::uint32_t at = 0; at + kKeyBytes < size;) {
      const std::uint32_t entry = enter(plain.data(), at);
      const std::uint32_t length = entry == 0 ? 0 : match_length(plain, at, at + 1 - entry);
      if (length < shape_.min_match) {
        ++at;
        close_long_run(at, run_limit, literals_begin, tracker_, sequences);
        continue;
      }
      append(sequences, tracker_, {at - literals_begin, length, at + 1 - entry}, literals_begin);
      const std::uint32_t end = at + length;
      while (++at < end && at + kKeyBytes < size) enter(plain.data(), at);
      literals_begin = at = end;
    }
    close_long_run(size, run_limit, literals_begin, tracker_, sequences);
  }

 private:
  /// The entry for the key at `at`, as position + 1, or 0; `at` takes its place if it is stale.
  std::uint32_t enter(const Byte* plain, std::uint32_t at) {
    std::uint32_t& slot =
        table_[((load<std::uint32_t>(plain + at) << 8) * 506832829u) >> (32 - kHashBits)];
    const std::uint32_t entry = slot;
    if (entry == 0 || at + 1 - entry > setting_.staleness) slot = at + 1;
    return entry;
  }

  std::uint32_t match_length(Bytes plain, std::uint32_t at, std::uint32_t distance) const {
    if (distance > setting_.window) return 0;
    const auto rest = static_cast<std::uint32_t>(plain.size()) - at;
    const Byte* const here = plain.data() + at;
    const std::uint32_t length =
        common_length(here, here - distance, std::min(rest, shape_.lookahead));
    return length < shape_.min_match ? 0 : tracker_.legal_length(at, distance, length);
  }

  const Setting& setting_;
  const Shape& shape_;
  DependencyTracker tracker_;
  std::vector<std::uint32_t> table_;
};

bool gives_back(Bytes plain, const Sequences& sequences) {
  std::vector<Byte> out;
  out.reserve(plain.size());
  for (const Sequence& sequence : sequences) {
    const Bytes literals = plain.subspan(out.size(), sequence.literals);
    out.insert(out.end(), literals.begin(), literals.end());
    if (sequence.distance > out.size()) return false;
    for (std::uint32_t i = 0; i < sequence.match; ++i) {
      out.push_back(out[out.size() - sequence.distance]);
    }
  }
  return std::equal(out.begin(), out.end(), plain.begin());
}

std::size_t stored_bytes(Bytes plain, const Sequences& sequences, Byte min_match) {
  const SequenceStatistics statistics = gather_statistics(sequences, min_match);
  BlockHeader header;
  header.plain_bytes = static_cast<std::uint32_t>(plain.size());
  plan_byte_payload(sequences, statistics, choose_layout(statistics, min_match), header);
  header.payload_bytes = std::min(header.payload_bytes, header.plain_bytes);
  return header.stored_bytes();
}

/// One round of one setting over all blocks; false if a block was wrong.
bool run_once(Bytes plain, const Shape& shape, Setting& setting) {
  SingleEntryParse parse(setting, shape);
  Sequences sequences;
  double seconds = 0;
  bool right = true;
  setting.stored_bytes = 0;
  for (Bytes rest = plain; !rest.empty();) {
    const Bytes block = rest.first(std::min(rest.size(), shape.block_bytes));
    rest = rest.subspan(block.size());
    seconds += seconds_of(Clock::kProcess, [&] { parse.parse(block, sequences); });
    setting.stored_bytes += stored_bytes(block, sequences, static_cast<Byte>(shape.min_match));
    right &= gives_back(block, sequences);
  }
  setting.seconds = std::min(setting.seconds, seconds);
  return right;
}

bool run(Bytes plain, const Shape& shape, Report& report) {
  std::vector<Setting> settings;
  for (const std::uint32_t window : kWindows) {
    for (const auto& [rule, name] : kRules) {
      for (const std::uint32_t staleness : kStaleness) {
        settings.push_back({rule, name, window, staleness});
      }
    }
  }
  bool right = true;
  for (int round = 0; round < kRounds; ++round) {
    for (Setting& setting : settings) right &= run_once(plain, shape, setting);
  }
  for (const Setting& setting : settings) {
    report.add({setting.window, setting.rule_name, setting.staleness, setting.stored_bytes,
                fixed(setting.seconds, 6)});
  }
  return right;
}

Result<bool> run(int count, char** arguments) {
  Shape shape;
  CommandLine line("FILE...",
                   "Parses files by dependency rules and prints sizes and times, as CSV.");
  line.add("--block-size BYTES", "plain bytes of a block (256K)", shape.block_bytes,
           kMinBlockBytes);
  line.add("--lookahead BYTES", "the longest match (64)", shape.lookahead);
  line.add("--min-match BYTES", "the shortest match, 3 to 15 (4)", shape.min_match, kKeyBytes);
  const std::vector<std::string> paths = line.parse(count, arguments);
  if (shape.min_match > 15 || shape.lookahead < shape.min_match ||
      shape.lookahead > kLongestLength || shape.block_bytes > kMaxBlockBytes) {
    line.refuse("blocks or matches of such bytes are not possible");
  }
  Report report(Report::Form::kCsv, "window,rule,staleness,stored_bytes,cpu_seconds");
  bool right = true;
  for (const std::string& path : paths) {
    PRESSO_ASSIGN(const std::vector<Byte> text, read_file(path));
    right &= run(text, shape, report);
  }
  if (!right) std::fprintf(stderr, "single_entry_trials: WRONG sequences\n");
  return right;
}

}  // namespace
}  // namespace presso::trials

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::trials::run(count, arguments));
}
