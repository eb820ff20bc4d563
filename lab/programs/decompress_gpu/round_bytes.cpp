// SPDX-License-Identifier: MIT
// How many rounds multi-round resolution takes on compressed files, and how many bytes of matches
// each round resolves (sources: S7.20, Figure 7.10b), as CSV.
//
// On the CPU, without any kernel: every Byte block is decoded and checked by the reference decoder,
// then its sequences are read one after another, in groups of 32, by the rule of rounds that
// resolve.cuh states. The kernels' counters equal this recount
// (lab/tests/round_counters_test.cpp). Figure 7.10b's value for a round, the bytes that all groups
// resolved in it over the iterations of all groups, is match_bytes_an_iteration times the round's
// share of the bytes.
#include "lab/gpu/round_recount.h"
#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/harness/report.h"
#include "lab/programs/decompress_gpu/rule_name.h"
#include "presso/decompress.h"

namespace presso::gpu::bench {
namespace {

using namespace presso::harness;

constexpr std::uint32_t kLastRound = lab::RoundCounters::kMaxRounds;

struct FileRounds {
  DependencyRule rule = DependencyRule::kNone;  ///< of the first block
  lab::RoundTotals totals;

  double groups_percent(std::uint64_t groups) const {
    return 100 * static_cast<double>(groups) / static_cast<double>(totals.groups());
  }
  /// Groups that took `first` to `last` rounds.
  std::uint64_t groups_with(std::uint32_t first, std::uint32_t last) const {
    std::uint64_t sum = 0;
    for (; first <= last; ++first) sum += totals.groups_with(first);
    return sum;
  }
  /// Bytes resolved in these rounds, over the iterations.
  double mean_bytes(std::uint32_t first, std::uint32_t last) const {
    double sum = 0;
    for (; first <= last; ++first) sum += totals.mean_bytes(first);
    return sum;
  }
};

Status count_block(const BlockItem& item, std::vector<Byte>& plain, lab::RoundTotals& totals) {
  const BlockHeader& header = item.block.header;
  const Byte* const payload = item.block.payload.data();
  plain.resize(header.plain_bytes);
  PRESSO_TRY(reference_decode_block(header, payload, item.dictionary.get(), true, plain.data()));
  if (header.coding != Coding::kByte) return {};
  PRESSO_ASSIGN(const PayloadView view, view_payload(header, payload));
  totals.add(test::recount_rounds(header, view));
  return {};
}

Result<FileRounds> count_file(const std::string& path) {
  PRESSO_ASSIGN(const FdRandomAccess file, open_file(path));
  RangeSource source(file, 0, file.size());
  BlockStream stream(source, {});
  FileRounds counted;
  std::vector<Byte> plain;
  for (bool first = true;; first = false) {
    PRESSO_ASSIGN(std::optional<BlockItem> item, stream.next());
    if (!item) break;
    if (first) counted.rule = item->block.header.rule;
    PRESSO_TRY(count_block(*item, plain, counted.totals));
    stream.recycle(std::move(item->block.payload));
  }
  if (counted.totals.iterations() == 0) {
    return make_error(ErrorCode::kUnsupported, "no block has back-references");
  }
  return counted;
}

constexpr const char* kColumns =
    "file,rule,groups,mean_rounds,groups_0_percent,groups_1_percent,groups_2_percent,"
    "groups_3_percent,groups_4_percent,groups_5_percent,groups_6_percent,groups_7_percent,"
    "groups_8_percent,groups_9_to_32_percent,match_bytes_an_iteration,bytes_1_percent,"
    "bytes_2_percent,bytes_3_percent,bytes_4_percent,bytes_5_to_8_percent,bytes_9_to_32_percent";

std::vector<Cell> row_of(const std::string& path, const FileRounds& counted) {
  const lab::RoundTotals& totals = counted.totals;
  std::vector<Cell> row = {base_name(path), rule_name(counted.rule), totals.groups(),
                           fixed(totals.mean_rounds(), 3)};
  const std::uint64_t without = totals.groups() - counted.groups_with(1, kLastRound);
  row.push_back(fixed(counted.groups_percent(without), 2));
  for (std::uint32_t rounds = 1; rounds <= 8; ++rounds) {
    row.push_back(fixed(counted.groups_percent(counted.groups_with(rounds, rounds)), 2));
  }
  row.push_back(fixed(counted.groups_percent(counted.groups_with(9, kLastRound)), 2));
  const double all_bytes = counted.mean_bytes(1, kLastRound);
  row.push_back(fixed(all_bytes, 1));
  constexpr std::uint32_t kRounds[][2] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 8}, {9, kLastRound}};
  for (const auto& [first, last] : kRounds) {
    row.push_back(fixed(100 * counted.mean_bytes(first, last) / all_bytes, 2));
  }
  return row;
}

Status run(int count, char** arguments) {
  const CommandLine line("FILE.presso...",
                         "Prints a row of CSV for each file. groups_N_percent: groups of 32 "
                         "sequences that took N rounds;\nbytes_N_percent: match bytes resolved in "
                         "round N.");
  const std::vector<std::string> paths = line.parse(count, arguments, 1);
  Report report(Report::Form::kCsv, kColumns);
  for (const std::string& path : paths) {
    const Result<FileRounds> counted = count_file(path);
    if (!counted.ok()) {
      Error error = counted.error();
      error.what = path + ": " + error.what;
      return error;
    }
    report.add(row_of(path, *counted));
  }
  return {};
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::bench::run(count, arguments));
}
