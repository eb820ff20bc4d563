// SPDX-License-Identifier: MIT
// Implements automaton_tests.h, tests of strings by automata. An automaton waits for a load at each
// byte, about 5 cycles, so six rows are read side by side and their loads overlap (see NOTES.md,
// "Rows of automata", for what was tried).
#include "query/strings/automaton_tests.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "scan/regex/lazy_dfa.h"

namespace presso::query {
namespace {

using scan_detail::Dfa;
using scan_detail::LazyDfa;

/// Measured on rows of 26 bytes, in ns a byte: string_test_rate lineitem.csv.presso l_comment
/// matches [0-9] (kLazyNs: matches e.{14}s gives 1.6, and more where states are made anew).
constexpr double kTableNs = 0.8;
constexpr double kLazyNs = 2.0;

/// The transitions as a table of 256 columns. Entries are byte offsets of rows in the table, so
/// that a step is a single load at (address of the byte's column + state).
struct Table {
  static constexpr std::uint32_t kRowBytes = 256 * sizeof(std::uint32_t);

  std::vector<std::uint32_t> next;
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t sink = 0;
  std::uint32_t dead = 0;

  explicit Table(const Dfa& dfa)
      : next(std::size_t{dfa.states} * 256),
        start(dfa.start * kRowBytes),
        first_matching(dfa.first_matching * kRowBytes),
        sink(dfa.sink * kRowBytes),
        dead(dfa.dead * kRowBytes) {
    for (std::uint32_t state = 0; state < dfa.states; ++state) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        next[state * 256 + byte] = dfa.step(state, static_cast<Byte>(byte)) * kRowBytes;
      }
    }
  }

  std::uint32_t step(std::uint32_t state, Byte byte) const {
    const Byte* const column = reinterpret_cast<const Byte*>(next.data() + byte);
    return load<std::uint32_t>(column + state);
  }
  /// Whether no further byte can change the answer.
  bool is_decided(std::uint32_t state) const {
    return (static_cast<unsigned>(state == sink) | static_cast<unsigned>(state == dead)) != 0;
  }
  /// One row alone, from its first byte until it is decided.
  bool matches(Bytes string) const {
    std::uint32_t state = start;
    for (const Byte byte : string) {
      if (is_decided(state)) break;
      state = step(state, byte);
    }
    return state >= first_matching;
  }
};

/// Reads several rows side by side. All take as many steps as the longest of them. What a row reads
/// after its end does no harm: states are stored at each step, and the state at the row's end is
/// looked up. Rows of about equal length are put together.
class Lanes {
 public:
  Lanes(const Table& table, const TextRows& rows) : table_(table), rows_(rows) {}

  /// Sets answers[i] to 1 if row ids[i] matches, else to 0. At most kMostListed rows.
  void run(const std::uint32_t* ids, std::uint32_t count, Byte* answers) const {
    std::array<std::uint16_t, kMostListed> order;
    sort_by_length(ids, count, order.data());
    std::uint32_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      if (!run_side_by_side(ids, order.data() + i, answers)) break;
    }
    for (; i < count; ++i) {
      answers[order[i]] = table_.matches(rows_.row(ids[order[i]]));
    }
  }

 private:
  static constexpr std::uint32_t kLanes = 6;
  static constexpr std::uint32_t kSteps = 8;     ///< between two looks at what is done
  static constexpr std::uint32_t kBuckets = 64;  ///< of lengths, the last for all that are longer

  /// Lengths are grouped by 4 bytes.
  static std::uint32_t bucket_of(std::int64_t length) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(length / 4, kBuckets - 1));
  }
  std::int64_t length(std::uint32_t row) const {
    return rows_.offsets[row + 1] - rows_.offsets[row];
  }

  /// Counting sort of the numbers 0 to count - 1 by the lengths of their rows.
  void sort_by_length(const std::uint32_t* ids, std::uint32_t count, std::uint16_t* order) const {
    std::array<std::uint16_t, kBuckets + 1> at{};
    for (std::uint32_t i = 0; i < count; ++i) ++at[bucket_of(length(ids[i])) + 1];
    for (std::uint32_t bucket = 1; bucket < kBuckets; ++bucket) {
      at[bucket] = static_cast<std::uint16_t>(at[bucket] + at[bucket - 1]);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      order[at[bucket_of(length(ids[i]))]++] = static_cast<std::uint16_t>(i);
    }
  }

  /// Reads kLanes rows. Returns false, without an answer, if that would read beyond the text.
  bool run_side_by_side(const std::uint32_t* ids, const std::uint16_t* order, Byte* answers) const {
    std::array<const Byte*, kLanes> at;
    std::array<std::int64_t, kLanes> left;
    std::array<std::uint32_t, kLanes> state;
    std::int64_t longest = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t row = ids[order[lane]];
      at[lane] = rows_.text.data() + rows_.offsets[row];
      __builtin_prefetch(rows_.text.data() +
                         rows_.offsets[std::min(row + kMostListed, rows_.rows)]);
      left[lane] = length(row);
      state[lane] = table_.start;
      longest = std::max(longest, left[lane]);
    }
    const std::int64_t reach = (longest / kSteps + 1) * kSteps;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (rows_.text.data() + rows_.text.size() - at[lane] < reach) return false;
    }
    for (;; longest -= kSteps) {
      std::uint32_t states[kSteps + 1][kLanes];
      std::array<std::uint64_t, kLanes> bytes;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        states[0][lane] = state[lane];
        bytes[lane] = load<std::uint64_t>(at[lane]);
      }
#pragma GCC unroll 8
      for (std::uint32_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 8
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          state[lane] = table_.step(state[lane], static_cast<Byte>(bytes[lane]));
          bytes[lane] >>= 8;
          states[step + 1][lane] = state[lane];
        }
      }
      unsigned undecided = 0;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::int64_t end = std::clamp<std::int64_t>(left[lane], 0, kSteps);
        state[lane] = states[end][lane];
        at[lane] += kSteps;
        left[lane] -= kSteps;
        undecided |= static_cast<unsigned>(left[lane] > 0) &
                     static_cast<unsigned>(!table_.is_decided(state[lane]));
      }
      if (undecided == 0) break;
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      answers[order[lane]] = state[lane] >= table_.first_matching;
    }
    return true;
  }

  const Table& table_;
  const TextRows& rows_;
};

/// The table, with lanes where many rows are asked for.
class AutomatonTest final : public RowTest {
 public:
  explicit AutomatonTest(const Dfa& dfa) : states_(dfa.states), table_(dfa) {}

  bool matches(Bytes string) const override { return table_.matches(string); }

  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    const Lanes lanes(table_, rows);
    std::array<std::uint32_t, kMostListed> ids;
    std::array<Byte, kMostListed> answers;
    constexpr std::size_t kWords = kMostListed / 64;
    const std::size_t words = (std::size_t{rows.rows} + 63) / 64;
    for (std::size_t word = 0; word < words; word += kWords) {
      const std::size_t end = std::min(words, word + kWords);
      std::uint32_t count = 0;
      for (std::size_t i = word; i < end; ++i) {
        count = append_rows(i, live_rows(rows.rows, i, alive), ids.data(), count);
        bits[i] = 0;
      }
      lanes.run(ids.data(), count, answers.data());
      for (std::uint32_t i = 0; i < count; ++i) {
        bits[ids[i] / 64] |= std::uint64_t{answers[i]} << (ids[i] % 64);
      }
    }
  }
  void test_listed(const TextRows& rows, const std::uint32_t* ids, std::uint32_t count,
                   Byte* answers) const override {
    Lanes(table_, rows).run(ids, count, answers);
  }
  double byte_cost_ns() const override { return kTableNs; }
  std::string describe() const override {
    return "an automaton of " + std::to_string(states_) + " states";
  }

 private:
  /// Appends the numbers of the live rows of a word; returns the new count.
  static std::uint32_t append_rows(std::size_t word, std::uint64_t live, std::uint32_t* ids,
                                   std::uint32_t count) {
    for (; live != 0; live &= live - 1) {
      ids[count++] = static_cast<std::uint32_t>(64 * word) +
                     static_cast<std::uint32_t>(std::countr_zero(live));
    }
    return count;
  }

  std::uint32_t states_;
  Table table_;
};

/// A test by an automaton whose states are made as texts need them. Such an automaton serves one
/// thread at a time; automata that nobody is using wait in a list.
class LazyTest final : public RowTest {
 public:
  explicit LazyTest(scan_detail::Program program) : program_(std::move(program)) {}

  bool matches(Bytes string) const override {
    auto automaton = take();
    const bool found = matches(*automaton, string);
    put(std::move(automaton));
    return found;
  }
  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    auto automaton = take();
    test_rows(rows.rows, alive, bits,
              [&](std::uint32_t i) { return matches(*automaton, rows.row(i)); });
    put(std::move(automaton));
  }
  double byte_cost_ns() const override { return kLazyNs; }
  std::string describe() const override { return "an automaton made as it reads"; }

 private:
  /// Whether the automaton finds a match anywhere in the string.
  static bool matches(LazyDfa& automaton, Bytes string) {
    return automaton.find_end(string, 0, string.size()).kind == scan_detail::DfaAnswer::Kind::kAt;
  }

  /// Returns a waiting automaton, or a new one.
  std::unique_ptr<LazyDfa> take() const {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      return std::make_unique<LazyDfa>(program_, scan_detail::Determinizer::Mode::kExists,
                                       LazyDfa::kDefaultLimit, true, scan_detail::Texts::kStrings);
    }
    auto taken = std::move(waiting_.back());
    waiting_.pop_back();
    return taken;
  }
  void put(std::unique_ptr<LazyDfa> automaton) const {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(automaton));
  }

  const scan_detail::Program program_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<LazyDfa>> waiting_;
};

}  // namespace

std::unique_ptr<const RowTest> make_automaton_test(const Dfa& dfa) {
  return std::make_unique<AutomatonTest>(dfa);
}

std::unique_ptr<const RowTest> make_lazy_test(scan_detail::Program program) {
  return std::make_unique<LazyTest>(std::move(program));
}

}  // namespace presso::query
