// SPDX-License-Identifier: MIT
// How many rounds multi-round resolution takes on compressed files, and how many bytes of matches
// each round resolves (sources: S7.20, Figure 7.10b), as CSV. Usage: see kUsage.
//
// On the CPU, without any kernel: every Byte block is decoded and checked by the reference decoder,
// then its sequences are read one after another, in groups of 32, by the rule of rounds that
// resolve.cuh states. The kernels' counters equal this recount
// (lab/tests/round_counters_test.cpp). Figure 7.10b's value for a round, the bytes that all groups
// resolved in it over the iterations of all groups, is match_bytes_an_iteration times the round's
// share of the bytes.
#include <cstdio>

#include "lab/gpu/round_recount.h"
#include "lab/programs/decompress_gpu/bench_support.h"
#include "presso/decompress.h"

namespace presso::gpu::bench {
namespace {

constexpr const char* kUsage =
    "usage: round_bytes FILE.presso...\n"
    "Prints a row of CSV for each file. groups_N_percent: groups of 32 sequences that took N "
    "rounds;\n"
    "bytes_N_percent: match bytes resolved in round N.\n"
    "Exit status 2 where something failed.\n";

constexpr const char* kCsvHeadings =
    "file,rule,groups,mean_rounds,groups_0_percent,groups_1_percent,groups_2_percent,"
    "groups_3_percent,groups_4_percent,groups_5_percent,groups_6_percent,groups_7_percent,"
    "groups_8_percent,groups_9_to_32_percent,match_bytes_an_iteration,bytes_1_percent,"
    "bytes_2_percent,bytes_3_percent,bytes_4_percent,bytes_5_to_8_percent,bytes_9_to_32_percent";

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
  const InputFile file(path);
  PRESSO_TRY(file.status(path));
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

void print_row(const std::string& path, const FileRounds& counted) {
  const lab::RoundTotals& totals = counted.totals;
  std::printf("%s,%s,%llu,%.3f", path.substr(path.rfind('/') + 1).c_str(), rule_name(counted.rule),
              static_cast<unsigned long long>(totals.groups()), totals.mean_rounds());
  const std::uint64_t without = totals.groups() - counted.groups_with(1, kLastRound);
  std::printf(",%.2f", counted.groups_percent(without));
  for (std::uint32_t rounds = 1; rounds <= 8; ++rounds) {
    std::printf(",%.2f", counted.groups_percent(counted.groups_with(rounds, rounds)));
  }
  std::printf(",%.2f", counted.groups_percent(counted.groups_with(9, kLastRound)));
  const double all_bytes = counted.mean_bytes(1, kLastRound);
  std::printf(",%.1f", all_bytes);
  constexpr std::uint32_t kRounds[][2] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 8}, {9, kLastRound}};
  for (const auto& [first, last] : kRounds) {
    std::printf(",%.2f", 100 * counted.mean_bytes(first, last) / all_bytes);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace presso::gpu::bench

int main(int count, char** arguments) {
  using namespace presso::gpu::bench;
  if (count < 2 || arguments[1][0] == '-') {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::puts(kCsvHeadings);
  for (int i = 1; i < count; ++i) {
    const auto counted = count_file(arguments[i]);
    if (!counted.ok()) {
      std::fprintf(stderr, "round_bytes: %s: %s\n", arguments[i],
                   counted.error().message().c_str());
      return 2;
    }
    print_row(arguments[i], *counted);
  }
  return std::ferror(stdout) || std::fflush(stdout) != 0 ? 2 : 0;
}
