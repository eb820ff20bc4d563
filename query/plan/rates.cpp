// SPDX-License-Identifier: MIT
// measure_query_rates(): measures on this machine what each elementary step of a query costs, on
// one thread, as the best of several runs (S4.6). Values are made up; blocks are read from memory
// and then worked on in the second-level cache, as in a real scan. Packed vectors are laid out by
// hand with 1,024 random values of 12 bits. Allocates about 50 MB. Checked by
// lab/programs/query/plan_sweep, which compares predicted with measured plans.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/integer_filter.h"
#include "presso/checksum.h"
#include "presso/query.h"
#include "presso/stopwatch.h"
#include "query/compute/builder.h"
#include "query/compute/program.h"
#include "query/group/grouping.h"
#include "query/join/join_table.h"
#include "query/rows/row_bits.h"
#include "query/strings/string_test.h"

namespace presso {
namespace {

using query::kBatchRows;
using query::kBatchWords;

/// Bits of a packed value.
constexpr std::uint32_t kBits = 12;
/// Number of blocks, of 98 kB each.
constexpr std::uint32_t kBlocks = 4;
/// Bytes that are read once, more than caches hold.
constexpr std::size_t kReadBytes = std::size_t{48} << 20;
/// Runs of which the best counts.
constexpr int kRuns = 5;

/// A sink for results, so that compilers cannot drop the work that is measured.
volatile std::uint64_t kept = 0;

/// The nanoseconds of one of `count` steps that `work` does: the best of kRuns runs.
template <class Work>
double step_ns(double count, Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const Stopwatch time;
    work();
    best = std::min(best, time.seconds());
  }
  return best * 1e9 / count;
}

/// Makes the blocks once and measures one rate after another. Used by one thread.
class Rates {
 public:
  Rates() {
    parameters_.width_bytes = 4;
    parameters_.rows = kMaxIntegerRows;
    std::uint64_t state = 42;
    for (std::uint32_t block = 0; block < kBlocks; ++block) payloads_.push_back(payload(state));
  }

  QueryRates measure() {
    QueryRates rates;
    rates.read_ns = read_ns();
    measure_together(rates);
    rates.decode_ns = decode_ns();
    rates.compute_ns = compute_ns();
    rates.byte_ns = byte_ns();
    rates.bitmap_ns = bitmap_ns();
    rates.list_ns = list_ns();
    rates.branch_ns = branch_ns();
    rates.group_ns = group_ns();
    rates.join_ns = join_ns();
    return rates;
  }

 private:
  static std::uint64_t next(std::uint64_t& state) {  // splitmix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// A block of random packed values in the format that the decoders read.
  static std::vector<Byte> payload(std::uint64_t& state) {
    constexpr std::uint32_t kVectors = kMaxIntegerRows / kVectorRows;
    constexpr std::uint32_t kWords = lane_words(kVectorRows, kBits);
    std::vector<Byte> bytes(std::size_t{kVectors} * (kVectorEntryBytes + kWords * 4) +
                            Buffer::kSlack);
    for (std::uint32_t vector = 0; vector < kVectors; ++vector) {
      VectorEntry entry;
      entry.word_offset = vector * kWords;
      entry.width = kBits;
      store_vector_entry(bytes.data() + vector * kVectorEntryBytes, entry);
    }
    for (std::size_t at = kVectors * kVectorEntryBytes; at + 8 <= bytes.size(); at += 8) {
      store(bytes.data() + at, next(state));
    }
    bytes.resize(bytes.size() - Buffer::kSlack);
    return bytes;
  }

  /// Returns the ns for each stored byte: copying blocks from memory and checking their checksums.
  double read_ns() {
    std::vector<Byte> source(kReadBytes);
    std::vector<Byte> copy(payloads_[0].size());
    for (std::size_t at = 0; at + copy.size() <= source.size(); at += copy.size()) {
      std::copy(payloads_[0].begin(), payloads_[0].end(), source.data() + at);
    }
    return step_ns(static_cast<double>(source.size()), [&] {
      for (std::size_t at = 0; at + copy.size() <= source.size(); at += copy.size()) {
        std::copy_n(source.data() + at, copy.size(), copy.data());
        kept = kept + checksum64(copy);
      }
    });
  }

  /// compare_ns, and the quotients r_k for up to four conditions without a branch between them.
  /// Runs for different k take turns, so that a change of the clock rate affects all; the quotients
  /// matter more than the times.
  void measure_together(QueryRates& rates) {
    std::array<double, kBlocks> least;
    least.fill(std::numeric_limits<double>::infinity());
    for (int run = 0; run < 9; ++run) {
      for (std::uint32_t k = 1; k <= kBlocks; ++k) {
        least[k - 1] = std::min(least[k - 1], compare_ns(k));
      }
    }
    rates.compare_ns = least[0];
    rates.together = {1.0};
    for (std::uint32_t k = 2; k <= kBlocks; ++k) {
      rates.together.push_back(std::min(1.0, least[k - 1] / least[0]));
    }
  }

  /// Returns the ns for each row and condition if each vector is tested on `together` conditions,
  /// each on a block of its own, in the way FilterRunner does.
  double compare_ns(std::uint32_t together) {
    const ValueTest test = unsigned_test(4, 100, 3000);
    std::vector<Byte> scratch(kVectorScratchBytes);
    constexpr std::uint32_t kVectors = kMaxIntegerRows / kVectorRows;
    constexpr std::uint32_t kTimes = 10;
    return step_ns(double{kTimes} * together * kMaxIntegerRows, [&] {
      for (std::uint32_t vector = 0; vector < kTimes * kVectors; ++vector) {
        std::uint64_t alive[kBatchWords];
        std::fill_n(alive, kBatchWords, ~std::uint64_t{0});
        if (!query::any_row(alive)) continue;
        for (std::uint32_t part = 0; part < together; ++part) {
          std::uint64_t found[kBatchWords];
          compare(payloads_[part], vector % kVectors, test, found, scratch.data());
          query::keep_rows(alive, found);
          kept = kept + query::count_rows(alive);
        }
      }
    });
  }

  void compare(const std::vector<Byte>& block, std::uint32_t number, const ValueTest& test,
               std::uint64_t* bits, Byte* scratch) {
    IntegerVector vector;
    const ErrorCode code = find_integer_vector(parameters_, block, number, vector);
    if (code == ErrorCode::kOk) filter_integer_vector(parameters_, vector, test, bits, scratch);
  }

  /// Returns the ns for each value that is unpacked to memory.
  double decode_ns() {
    std::vector<Byte> values(values_bytes(kMaxIntegerRows, 4) + Buffer::kSlack);
    return step_ns(double{kBlocks} * kMaxIntegerRows, [&] {
      for (const auto& block : payloads_) {
        const Status done =
            decode_integers(parameters_, block, {values.data(), kMaxIntegerRows * 4});
        kept = kept + (done.ok() ? values[17] : 0);
      }
    });
  }

  /// Returns the ns for each row and step of a program: an addition, a multiplication and a
  /// comparison.
  static double compute_ns() {
    query::Graph graph;
    const query::Builder build(graph);
    const ColumnSchema type = query::schema_of(query::Family::kInteger);
    query::Range range;
    range.known = true;
    range.most = 1 << 20;
    const query::NodeId column = graph.add(query::column_node(0, type, range, false));
    auto sum = build.arithmetic(query::Step::kAdd, column, build.integer(3));
    sum = build.arithmetic(query::Step::kMultiply, *sum, column);
    sum = build.compare(query::Step::kLess, *sum, build.integer(1 << 19));
    const query::Program program(graph, {*sum});
    query::Program::State state(program);
    std::vector<std::int64_t> values(kBatchRows);
    for (std::uint32_t i = 0; i < kBatchRows; ++i) values[i] = i * 37;
    const query::VectorView input{query::Physical::kInt64, values.data(), nullptr};
    constexpr int kTimes = 2000;
    return step_ns(3.0 * kTimes * kBatchRows, [&] {
      for (int i = 0; i < kTimes; ++i) {
        query::VectorView result;
        if (program.run(state, {&input, 1}, kBatchRows, {&result, 1})) return;
        kept = kept + result.as<Byte>()[5];
      }
    });
  }

  /// Returns the ns for each byte of text: searching lower-case letters in rows of 32 bytes for a
  /// literal that hardly occurs.
  double byte_ns() {
    const std::size_t bytes = std::size_t{4} << 20;
    std::vector<Byte> text(bytes);
    std::uint64_t state = 7;
    for (Byte& byte : text) byte = static_cast<Byte>('a' + next(state) % 26);
    std::vector<std::int64_t> offsets;
    for (std::size_t at = 0; at <= bytes; at += 32)
      offsets.push_back(static_cast<std::int64_t>(at));
    const auto rows = static_cast<std::uint32_t>(offsets.size() - 1);
    std::vector<std::uint64_t> bits((rows + 63) / 64);
    query::StringCondition condition;
    condition.kind = query::StringCondition::Kind::kLike;
    condition.text = "%special%requests%";
    const auto test = query::StringTest::compile(condition);
    const double sweep = step_ns(static_cast<double>(bytes), [&] {
      test->find(text, offsets.data(), rows, nullptr, bits.data());
      kept = kept + bits[0];
    });
    // The cost of decoding text is not measured: 0.2 ns stands for it, since tokens are decoded at
    // 4 to 6 GB/s on the machines that were tried.
    return sweep + 0.2;
  }

  /// Returns the ns for each row of a pass that finds nothing to do: every vector is looked at.
  double bitmap_ns() {
    std::vector<std::uint64_t> bits(kMaxIntegerRows / 64, 0x5555555555555555u);
    constexpr int kTimes = 500;
    return step_ns(double{kTimes} * kMaxIntegerRows, [&] {
      for (int i = 0; i < kTimes; ++i) {
        std::uint64_t count = 0;
        for (std::size_t word = 0; word < bits.size(); word += kBatchWords) {
          if (query::any_row(bits.data() + word)) count += query::count_rows(bits.data() + word);
        }
        kept = kept + count;
      }
    });
  }

  /// Returns the ns for each row that is written to a list and read back into a bitmap, one row of
  /// 64 at random places.
  double list_ns() {
    std::vector<std::uint64_t> bits(kMaxIntegerRows / 64);
    std::vector<std::uint16_t> list(kMaxIntegerRows);
    std::uint64_t state = 5;
    constexpr int kTimes = 50;
    constexpr std::size_t kListed = kMaxIntegerRows / 64;
    return step_ns(double{kTimes} * kListed, [&] {
      for (int time = 0; time < kTimes; ++time) {
        std::fill(bits.begin(), bits.end(), 0);
        for (std::size_t i = 0; i < kListed; ++i) {
          const std::uint64_t row = next(state) % kMaxIntegerRows;
          bits[row / 64] |= std::uint64_t{1} << (row % 64);
        }
        std::size_t count = 0;
        for (std::size_t word = 0; word < bits.size(); ++word) {
          for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
            list[count++] = static_cast<std::uint16_t>(
                64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
          }
        }
        std::fill(bits.begin(), bits.end(), 0);
        for (std::size_t i = 0; i < count; ++i) {
          bits[list[i] / 64] |= std::uint64_t{1} << (list[i] % 64);
        }
        kept = kept + count;
      }
    });
  }

  /// Returns the ns for each vector that is tested for live rows if half of them have some, at
  /// random: the branch is mispredicted half of the time.
  static double branch_ns() {
    std::vector<std::uint64_t> bits(std::size_t{4096} * kBatchWords);
    std::uint64_t state = 3;
    for (std::size_t vector = 0; vector < 4096; ++vector) {
      if ((next(state) & 1) != 0) bits[vector * kBatchWords + 7] = 1;
    }
    return step_ns(4096.0 * 20, [&] {
      for (int time = 0; time < 20; ++time) {
        std::uint64_t live = 0;
        for (std::size_t vector = 0; vector < 4096; ++vector) {
          std::uint64_t any = 0;
          for (std::uint32_t i = 0; i < kBatchWords; ++i) any |= bits[vector * kBatchWords + i];
          if (any != 0) live = live * 3 + vector;
        }
        kept = kept + live;
      }
    });
  }

  /// Returns the ns for each row that is grouped: a sum and a count, by keys within a small range,
  /// for which an array is used.
  static double group_ns() {
    constexpr std::int64_t kGroups = 1000;
    constexpr std::uint32_t kRows = 1u << 19;
    query::GroupingPlan plan;
    plan.keys = {{query::Physical::kInt64, 0, kGroups - 1, false}};
    plan.aggregates.resize(2);
    plan.aggregates[1].kind = query::AggregateKind::kSum;
    plan.aggregates[1].least = 0;
    plan.aggregates[1].most = kGroups - 1;
    plan.rows = kRows;
    const auto grouping = query::Grouping::make(plan);
    if (!grouping.ok()) return QueryRates().group_ns;
    std::vector<std::int64_t> keys(std::size_t{16} * kBatchRows);
    std::uint64_t state = 11;
    for (std::int64_t& key : keys) key = static_cast<std::int64_t>(next(state) % kGroups);
    std::uint64_t row = 0;
    return step_ns(kRows, [&] {
      for (std::uint32_t done = 0; done < kRows; done += kBatchRows, row += kBatchRows) {
        const query::VectorView view{query::Physical::kInt64, keys.data() + row % keys.size(),
                                     nullptr};
        const query::VectorView arguments[] = {view, view};
        const query::RowNumbers numbers{row, nullptr, nullptr};
        const Status added = (*grouping)->add(0, numbers, {&view, 1}, arguments, kBatchRows);
        kept = kept + (added.ok() ? 1 : 0);
      }
    });
  }

  /// Returns the ns for each row that is looked up in a join table with keys in random order; the
  /// table's array has four places for each of its rows.
  static double join_ns() {
    constexpr std::uint64_t kBuildRows = std::uint64_t{1} << 20;
    constexpr std::uint32_t kProbeRows = 1u << 18;
    std::vector<std::uint64_t> keys(kBuildRows);
    for (std::uint64_t row = 0; row < kBuildRows; ++row) keys[row] = 4 * row;
    const auto table = query::join::JoinTable::build({}, {keys});
    if (!table.ok()) return QueryRates().join_ns;
    std::vector<std::uint64_t> wanted(kProbeRows);
    std::uint64_t state = 13;
    for (std::uint64_t& key : wanted) key = 4 * (next(state) % kBuildRows);
    query::join::Found found;
    return step_ns(kProbeRows, [&] {
      constexpr std::size_t kAtOnce = 1u << 16;
      for (std::size_t first = 0; first < kProbeRows; first += kAtOnce) {
        const Status done = (*table)->find({wanted.data() + first, kAtOnce}, nullptr, found);
        kept = kept + (done.ok() ? found.pairs : 0);
      }
    });
  }

  IntegerParameters parameters_;
  std::vector<std::vector<Byte>> payloads_;
};

}  // namespace

double GpuQueryRates::compare_width_ns(double bits) const {
  const auto* const width =
      std::find_if(kWidths.begin(), kWidths.end(), [&](unsigned most) { return bits <= most; });
  return compare_ns[std::min<std::size_t>(static_cast<std::size_t>(width - kWidths.begin()),
                                          compare_ns.size() - 1)];
}

QueryRates measure_query_rates() {
  return Rates().measure();
}

}  // namespace presso
